#pragma once

#include <cstdint>

namespace vernier::realtime {

/// The time of day as a run sees it; tests have their own.
class Clock {
 public:
  virtual ~Clock() = default;

  /// ns; never goes back. From every thread.
  virtual std::int64_t now() noexcept = 0;
  /// Returns when it is `ns`, or sooner after a signal.
  virtual void sleep_until(std::int64_t ns) noexcept = 0;
};

/// CLOCK_MONOTONIC.
Clock& system_clock() noexcept;

}  // namespace vernier::realtime
