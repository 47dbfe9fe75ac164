#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vernier/run/realtime/frame.hpp"
#include "vernier/run/realtime/report.hpp"

namespace vernier::realtime {

/// Puts together what the nodes of a run say of their frames, and finds out why one was late.
///
/// All nodes exchange values within a frame, so that one that is slow delays all others. The cause
/// is the part, or the wake-up, that exceeded what is usual for it most, on whichever node. If a
/// node waited longer than usual, and nothing that any node did explains it, it was the network.
class NodeFrames {
 public:
  /// What a node has measured in a frame.
  struct Share {
    Frame frame;                      // its cause and culprit are not used
    std::vector<std::int64_t> waits;  // ns, by node: waiting for its frames
    std::vector<std::pair<std::uint32_t, std::int64_t>> costs;  // ns, of its parts
  };

  /// `outside`: by part, whether it is connected to something outside of the run. `sink` receives
  /// one frame for all nodes: their greatest cost and wake-up, and their least margin.
  NodeFrames(std::vector<std::uint8_t> outside, FrameSink& sink);

  /// From now on shares come from these nodes. Frames that are not complete are passed on. A frame
  /// that is late because of that is not the fault of a node.
  void divide(const std::vector<std::string>& names);
  /// Nothing more comes from a node, and the others continue.
  void lose(std::uint32_t node);
  /// `node` as in divide(). Of a frame that was passed on nothing more is taken.
  void take(std::uint32_t node, Share);
  /// Passes on what is not complete.
  void flush();

  /// All nodes that there were. Frame::node, and Frame::culprit of a network, are their numbers.
  const std::vector<NodeHealth>& nodes() const noexcept { return nodes_; }
  std::vector<Health::Path> paths() const;
  std::vector<std::string> names() const;
  /// To complete what is known of a node.
  NodeHealth& node(const std::string& name);

 private:
  struct Excess {
    std::int64_t ns = 0;
    Cause cause = Cause::work;
    std::uint32_t culprit = nobody, node = nobody;
  };
  using Shares = std::vector<std::optional<Share>>;
  struct Slot {
    Shares shares;  // by node
  };
  bool complete(const Slot&) const noexcept;

  std::uint32_t number_of(const std::string& name);
  void pass_on(Slot);
  void attribute(Frame&, const Frame& worst, const Shares&);
  Excess own_excess(std::uint32_t node, const Share&) const;
  void note(const Share&, std::uint32_t node);

  std::vector<std::uint8_t> outside_;
  FrameSink& sink_;
  std::vector<std::uint32_t> numbers_;  // by node of the division: its number in nodes_
  std::vector<std::uint8_t> lost_;      // the same
  std::vector<NodeHealth> nodes_;
  std::vector<Histogram> rest_;   // by number: work that is of no part
  std::vector<Histogram> parts_;  // cost by part
  std::map<std::pair<std::uint32_t, std::uint32_t>, Health::Path> paths_;
  std::map<std::int64_t, Slot> slots_;  // by number of the frame
  std::int64_t passed_;                 // the last one that was passed on
  std::vector<std::int64_t> costs_;
  bool divided_ = false;          // since the last frame, and not for the first time
  std::optional<Excess> behind_;  // of the late frame that delays the following ones
};

}  // namespace vernier::realtime
