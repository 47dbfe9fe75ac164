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
#include "vernier/run/realtime/frame.hpp"
#include "vernier/run/realtime/policy.hpp"

namespace vernier::realtime {

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

/// A federate or other program with which a run shares time.
struct Other {
  std::string name;
  std::uint64_t held = 0, late = 0;  // frames that it delayed; of them, those late because of it
  std::int64_t longest = 0;          // ns; the longest delay
};
constexpr std::size_t kept_others = 64;

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
  /// The names of the nodes among which the run is divided; not in the loop.
  void know_nodes(std::vector<std::string>);
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
  void waited_for(std::uint32_t node, std::int64_t ns) noexcept override;

  const Settings& settings() const noexcept { return settings_; }
  /// The last completed frame, and those before.
  const FrameBook& book() const noexcept { return book_; }
  const Frame& last() const noexcept { return book_.last(); }
  const FrameStatistics& statistics() const noexcept { return book_.statistics(); }
  const std::vector<std::string>& nodes() const noexcept { return nodes_; }
  /// For how long the last frame waited for each node, ns.
  std::span<const std::int64_t> last_waits() const noexcept { return last_waits_; }
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
  std::vector<std::string> nodes_;
  std::vector<std::int64_t> costs_;               // by part
  std::vector<std::int64_t> waits_, last_waits_;  // by node
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
  std::uint32_t keeper_ = nobody;      // of the longest wait
  Cause kept_by_ = Cause::federation;  // what kind of keeper it is

  FrameBook book_;
  Cause cause_behind_ = Cause::none;  // of the late frame that delays the following ones
  std::uint32_t culprit_behind_ = nobody;
  enum class Broken : std::uint8_t { no, strict, in_a_row, in_window } broken_ = Broken::no;
};

}  // namespace vernier::realtime
