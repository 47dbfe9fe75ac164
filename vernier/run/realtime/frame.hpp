#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "vernier/base/time.hpp"
#include "vernier/run/realtime/histogram.hpp"

namespace vernier::realtime {

/// Why a frame was late.
enum class Cause : std::uint8_t {
  none,        // it was not late
  work,        // a component took longer than usual, or all together too long
  wake_up,     // the system woke it late, although nothing delayed it
  wait,        // a component waited for an external device or process: a peer, a disk
  federation,  // it waited for federates with which it shares time
  pacing,      // it waited for the Pacing federate
  node,        // it waited for another node of the run
  network,     // what another node of the run had sent came late
  division     // a part was moved, or a node was lost
};
constexpr std::size_t causes = 9;
std::string_view word(Cause) noexcept;

/// No component: the executive itself with recorder and observers.
constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

/// One frame of a run. Wall-clock times in ns.
struct Frame {
  std::int64_t number = 0;   // counted from simulated time 0 (base step: from the start)
  Time time{};               // simulated, at its start
  std::int64_t wake_up = 0;  // actual minus intended start
  std::int64_t cost = 0;     // from its start to the end of its work
  std::int64_t margin = 0;   // from the end of its work to its deadline; negative: late
  std::int64_t held = 0;     // part of the cost: waiting for others with which it shares time
                             // or the run
  bool late = false;
  bool slept = false;   // the loop slept until its intended start
  bool behind = false;  // an earlier frame was still working at its intended start
  Cause cause = Cause::none;
  std::uint32_t culprit = nobody;  // part; for federation and pacing: FramePacer::others(); for
                                   // node and network: the other node
  std::uint32_t node = nobody;     // where the cause lies, in a run on several nodes
};

/// Statistics of the frames of a run.
struct FrameStatistics {
  std::uint64_t frames = 0, late = 0, behind = 0;
  std::uint64_t late_by[causes] = {};  // by Cause
  std::uint64_t sleeps = 0;            // calls of the clock's sleep
  std::uint64_t in_a_row = 0;          // most consecutive late frames
  Histogram wake_up;                   // of frames that were slept for
  Histogram cost;
  Histogram used;                   // from the intended start to the end of the work
  std::vector<Histogram> parts;     // cost, as the executive's parts
  Histogram rest;                   // cost of the executive itself, with recorder and observers
  Histogram held;                   // time spent waiting for others, where time is shared
  std::int64_t busy = 0, wall = 0;  // ns awake, and in total
  std::int64_t slipped = 0;         // ns that simulated time fell behind wall time (Late::slip)
  std::int64_t worst_lag = 0;       // ns; the largest delay of a frame's start
  std::vector<Frame> late_frames;   // the first ones, up to `kept_late`

  /// The fraction of a CPU that the loop used.
  double load() const noexcept {
    return wall > 0 ? static_cast<double>(busy) / static_cast<double>(wall) : 0.0;
  }
};
constexpr std::size_t kept_late = 1000;

/// Receives every completed frame: in the loop, so it must not wait or allocate.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// `costs`: ns by part.
  virtual void take(const Frame&, std::span<const std::int64_t> costs) noexcept = 0;
};

/// Counts frames.
class FrameBook final : public FrameSink {
 public:
  FrameBook();
  /// The number of parts; 0 (or never): their costs are not known. Before the loop.
  void know(std::size_t parts);
  /// Frames may have to wait for others.
  void know_others() noexcept { others_ = true; }

  void take(const Frame&, std::span<const std::int64_t> costs) noexcept override;
  /// No frame is late because of an earlier one.
  void begin_row() noexcept { late_in_a_row_ = 0; }

  FrameStatistics& statistics() noexcept { return statistics_; }
  const FrameStatistics& statistics() const noexcept { return statistics_; }
  /// The last completed frame, and its costs by part, ns.
  const Frame& last() const noexcept { return last_; }
  std::span<const std::int64_t> last_costs() const noexcept { return last_costs_; }
  std::uint64_t late_in_a_row() const noexcept { return late_in_a_row_; }

 private:
  bool others_ = false;
  std::vector<std::int64_t> last_costs_;
  Frame last_;
  std::uint64_t late_in_a_row_ = 0;
  FrameStatistics statistics_;
};

}  // namespace vernier::realtime
