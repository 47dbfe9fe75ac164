#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/kernel/frames/epoch.hpp"
#include "vernier/kernel/frames/state.hpp"

namespace vernier::frames {

/// Reference frames by name, each relative to a parent; a state of any relative to any other goes
/// through their lowest common ancestor. Frames may come before their parents; until then those
/// below them resolve among themselves only. Changing the tree allocates; states and resolving do
/// not.
class FrameTree {
 public:
  using Index = int;  // stays that of its frame until it is removed
  static constexpr Index none = -1;

  /// Adds a frame, in the state of its parent (identity) as long as none is set. An empty parent
  /// makes a root. Refuses an empty name, one that is there already, and a cycle, with a sentence
  /// for the user.
  Result<Index, std::string> add(std::string name, std::string parent);
  /// Gives a frame another parent; its state stays as it is, relative to the new one, until set.
  Result<Index, std::string> reparent(Index, std::string parent);
  /// What was below it waits for a frame of that name.
  void remove(Index);

  Index find(std::string_view name) const noexcept;
  /// Frames have indices below this; removed ones have an empty name.
  Index size() const noexcept { return static_cast<Index>(frames_.size()); }
  const std::string& name(Index i) const noexcept { return at(i).name; }
  const std::string& parent_name(Index i) const noexcept { return at(i).parent_name; }
  /// none: a root, or the parent is not there.
  Index parent(Index i) const noexcept { return at(i).parent; }
  /// The topmost frame above it, or itself.
  Index top(Index i) const noexcept { return at(i).top; }
  int depth(Index i) const noexcept { return at(i).depth; }

  /// What keeps it from being one tree, in sentences: no root, several, parents that are not there.
  std::vector<std::string> problems() const;

  /// The state relative to the parent, and when.
  void set(Index, const FrameState&, const Epoch& = {}) noexcept;
  const FrameState& state(Index i) const noexcept { return at(i).state; }
  const Epoch& epoch(Index i) const noexcept { return at(i).epoch; }
  bool has_state(Index i) const noexcept { return at(i).has_state; }

  /// The lowest frame that both are in or below; none when no path joins them.
  Index common_ancestor(Index, Index) const noexcept;

  /// `subject` relative to `observer`, of the states as set; false when no path joins them.
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
