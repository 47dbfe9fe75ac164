#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vernier/component/pacer.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/meter.hpp"
#include "vernier/run/realtime/clock.hpp"
#include "vernier/run/realtime/histogram.hpp"
#include "vernier/run/realtime/policy.hpp"

namespace vernier::realtime {

/// Why a frame was late.
enum class Cause : std::uint8_t {
  none,        // it was not late
  work,        // a component took longer than usual, or all together too long
  wake_up,     // the system woke it late, although nothing delayed it
  wait,        // a component waited for an external device or process: a peer, a disk
  federation,  // it waited for federates with which it shares time
  pacing       // it waited for the Pacing federate
};
constexpr std::size_t causes = 6;
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
  bool late = false;
  bool behind = false;  // an earlier frame was still working at its intended start
  Cause cause = Cause::none;
  std::uint32_t culprit = nobody;  // part; for federation and pacing: FramePacer::others()
};

/// When frames start: ticks of the base step, counted from the start; or of a rate, from time zero.
struct Grid {
  Duration step = std::chrono::milliseconds(100);
  Rate rate = {};  // periodic: instead of the step
  Time origin{};   // of the step

  Time tick(std::int64_t k) const noexcept;
  /// The number of the last tick not after `t`.
  std::int64_t number(Time t) const noexcept;
  /// The interval in seconds.
  double period() const noexcept;
};

/// The frames of a plan: ticks of its base step, or of the fastest rate if that is faster or
/// nothing needs the base step. Instants between two ticks belong to the frame before.
Grid grid_of(const composition::Plan&);

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

/// A federate or other program with which a run shares time.
struct Other {
  std::string name;
  std::uint64_t held = 0, late = 0;  // frames that it delayed; of them, those late because of it
  std::int64_t longest = 0;          // ns; the longest delay
};
constexpr std::size_t kept_others = 64;

/// Receives every completed frame: in the loop, so it must not wait or allocate.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// `costs`: ns by part.
  virtual void take(const Frame&, std::span<const std::int64_t> costs) noexcept = 0;
};

/// Keeps a run synchronous with a clock, frame by frame, and measures it. Frame k is due at t_0 +
/// k·T, by multiplication, so that nothing drifts; its deadline is when the next is due. Pass it to
/// the executive as its last pacer and, to attribute late frames to components, as its meter.
class FramePacer final : public Pacer, public executive::Meter {
 public:
  struct Settings {
    Grid grid = {};
    double rate = 1.0;  // simulated seconds per second
    Duration spin{};    // the end of each sleep is spent spinning
    LatePolicy late = {};
  };

  /// Throws ConfigurationError (V4110) unless the rate is positive and finite. `base`: another
  /// clock to follow, or null. Both must outlive the pacer.
  FramePacer(const Settings&, Clock& = system_clock(), TimeBase* base = nullptr);

  /// Sets the parts of the run; before it starts. Without it costs are not attributed.
  void know(const std::vector<composition::Part>&);
  void set_sink(FrameSink* s) noexcept { sink_ = s; }
  /// Positive and finite; before start().
  void set_rate(double rate) noexcept { settings_.rate = rate; }
  /// From now on no late frame ends the run, whatever the policy: what moves is coming to rest.
  void tolerate(bool yes) noexcept { tolerant_ = yes; }

  void start(Time) noexcept override;
  /// held: the completed frame was late. failed: the policy ends the run.
  Outcome wait_for(Time) noexcept override;
  Fault fault() const noexcept override;
  /// Ends a sleep within 50 ms, and all later ones at once until start(). Also from a signal
  /// handler.
  void interrupt() noexcept override { interrupted_.store(true, std::memory_order_relaxed); }

  std::int64_t now() noexcept override { return clock_.now(); }
  void spent(std::span<const std::int64_t> by_part) noexcept override;
  void waited(const Pacer&, std::int64_t ns) noexcept override;

  const Settings& settings() const noexcept { return settings_; }
  /// The last completed frame.
  const Frame& last() const noexcept { return last_; }
  /// Its costs by part, ns.
  std::span<const std::int64_t> last_costs() const noexcept { return last_costs_; }
  const FrameStatistics& statistics() const noexcept { return statistics_; }
  /// Whether a component of the run shares time with others.
  bool shares_time() const noexcept { return !pacers_.empty(); }
  /// Those that delayed it, in the order of first occurrence; at most kept_others. From any thread.
  std::vector<Other> others() const;

 private:
  std::uint32_t other(const char* name) noexcept;
  std::int64_t due(Time, std::int64_t now) noexcept;
  void finish(std::int64_t end) noexcept;
  void attribute(Frame&, std::int64_t period) noexcept;
  bool tolerated(std::int64_t now) noexcept;
  void rest_until(std::int64_t now, std::int64_t target) noexcept;

  Settings settings_;
  bool tolerant_ = false;
  Clock& clock_;
  TimeBase* base_;
  FrameSink* sink_ = nullptr;
  std::vector<std::uint8_t> faces_world_;  // by part
  std::vector<std::string> names_;
  std::vector<std::int64_t> costs_, last_costs_;
  struct SharedTime {
    const Pacer* pacer;
    std::size_t part;  // whose it is
  };
  std::vector<SharedTime> pacers_;
  struct Known {
    char name[64] = {};
    std::atomic<std::uint64_t> held{0}, late{0};
    std::atomic<std::int64_t> longest{0};
  };
  std::unique_ptr<Known[]> others_;
  std::atomic<std::uint32_t> others_known_{0};
  std::vector<std::int64_t> late_ends_;  // ends of the last late frames, a ring for the window
  std::atomic<bool> interrupted_{false};

  // the current frame
  Time origin_{};                 // simulated, and
  std::int64_t origin_wall_ = 0;  // ns
  std::int64_t number_ = 0, due_ = 0, deadline_ = 0, begin_ = 0;
  bool slept_ = false;
  Time next_{};  // when the frame after it begins
  std::int64_t held_ = 0, held_longest_ = 0;
  std::uint32_t keeper_ = nobody;  // of the longest wait
  bool keeper_paces_ = false;

  Frame last_;
  Cause cause_behind_ = Cause::none;  // of the late frame that delays the following ones
  std::uint32_t culprit_behind_ = nobody;
  std::uint64_t late_in_a_row_ = 0;
  enum class Broken : std::uint8_t { no, strict, in_a_row, in_window } broken_ = Broken::no;
  FrameStatistics statistics_;
};

}  // namespace vernier::realtime
