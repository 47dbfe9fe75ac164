#pragma once

#include <cstdint>

namespace vernier::realtime {

/// The wall clock of a run; tests use their own.
class Clock {
 public:
  virtual ~Clock() = default;

  /// ns; never decreases. Called from every thread.
  virtual std::int64_t now() noexcept = 0;
  /// Returns at time `ns`, or earlier after a signal.
  virtual void sleep_until(std::int64_t ns) noexcept = 0;
};

/// CLOCK_MONOTONIC.
Clock& system_clock() noexcept;

}  // namespace vernier::realtime
