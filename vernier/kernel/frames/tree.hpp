#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/kernel/frames/epoch.hpp"
#include "vernier/kernel/frames/state.hpp"

namespace vernier::frames {

/// Reference frames by name, each relative to a parent. The state of any frame relative to another
/// is resolved through their lowest common ancestor. Frames may be added before their parents;
/// until then, those below resolve only among themselves. Changing the tree allocates; setting
/// states and resolving do not.
class FrameTree {
 public:
  using Index = int;  // constant until the frame is removed
  static constexpr Index none = -1;

  /// Adds a frame; its state is the identity until set. An empty parent makes a root. Refuses an
  /// empty name, an existing name and a cycle, with a sentence for the user.
  Result<Index, std::string> add(std::string name, std::string parent);
  /// Changes the parent of a frame; its state keeps its numbers, now relative to the new parent,
  /// until set.
  Result<Index, std::string> reparent(Index, std::string parent);
  /// Its children wait for a new frame of that name.
  void remove(Index);

  Index find(std::string_view name) const noexcept;
  /// Frames have indices below this; removed ones have an empty name.
  Index size() const noexcept { return static_cast<Index>(frames_.size()); }
  const std::string& name(Index i) const noexcept { return at(i).name; }
  const std::string& parent_name(Index i) const noexcept { return at(i).parent_name; }
  /// `none` for a root, or if the parent is missing.
  Index parent(Index i) const noexcept { return at(i).parent; }
  /// The topmost frame above it, or itself.
  Index top(Index i) const noexcept { return at(i).top; }
  int depth(Index i) const noexcept { return at(i).depth; }

  /// Why this is not one tree, in sentences: no root, several roots, missing parents.
  std::vector<std::string> problems() const;

  /// Sets the state relative to the parent, and its time.
  void set(Index, const FrameState&, const Epoch& = {}) noexcept;
  const FrameState& state(Index i) const noexcept { return at(i).state; }
  const Epoch& epoch(Index i) const noexcept { return at(i).epoch; }
  bool has_state(Index i) const noexcept { return at(i).has_state; }

  /// The lowest common ancestor; `none` if no path connects them.
  Index common_ancestor(Index, Index) const noexcept;

  /// `subject` relative to `observer`, from the states as set; false if no path connects them.
  bool resolve(Index subject, Index observer, FrameState&) const noexcept;
  /// The same with every state on the path propagated to `at`.
  bool resolve(Index subject, Index observer, const Epoch& at, FrameState&) const noexcept;

 private:
  struct Frame {
    std::string name, parent_name;
    Index parent = none, top = none;
    int depth = 0;
    bool has_state = false;
    FrameState state;
    Epoch epoch;
  };

  const Frame& at(Index) const noexcept;
  bool would_close(Index from, std::string_view name) const noexcept;
  void join();
  FrameState seen(Index subject, Index ancestor, const Epoch*) const noexcept;
  bool resolve(Index, Index, const Epoch*, FrameState&) const noexcept;

  std::vector<Frame> frames_;
};

}  // namespace vernier::frames
