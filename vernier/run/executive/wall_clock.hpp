#pragma once

#include <atomic>
#include <cstdint>

#include "vernier/base/time.hpp"
#include "vernier/component/pacer.hpp"

namespace vernier::executive {

/// As fast as possible: never waits.
class LogicalPacer final : public Pacer {
 public:
  Outcome wait_for(Time) noexcept override { return Outcome::ok; }
};

/// Keeps simulated time from running ahead of the wall clock. `factor` simulated seconds pass per
/// second: 1 is real time, 10 ten times as fast, 0.1 slow motion.
class WallClock final : public Pacer {
 public:
  /// `tolerance`: how late a tick may be woken before it counts as late. Throws
  /// ConfigurationError unless factor is positive and finite.
  explicit WallClock(double factor = 1.0, Duration tolerance = std::chrono::milliseconds(1));

  void start(Time) noexcept override;
  /// Sleeps until the wall clock has reached `t`. held: it had passed `t` by more than the
  /// tolerance already. The clock is never set back: ticks that come late are followed sooner,
  /// until simulated time is in step again.
  Outcome wait_for(Time t) noexcept override;
  /// Ends a sleep within 50 ms, and all later ones at once until start(). From a signal handler
  /// too.
  void interrupt() noexcept { interrupted_.store(true, std::memory_order_relaxed); }

  /// The worst lateness so far.
  Duration worst() const noexcept { return worst_; }

 private:
  double factor_;
  Duration tolerance_;
  Time origin_{};                 // simulated, and
  std::int64_t origin_wall_ = 0;  // CLOCK_MONOTONIC, ns
  Duration worst_{};
  std::atomic<bool> interrupted_{false};
};

}  // namespace vernier::executive
