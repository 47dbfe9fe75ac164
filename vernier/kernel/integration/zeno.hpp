#pragma once

#include <cstdint>

#include "vernier/base/time.hpp"

namespace vernier::integration {

/// Watches the instants of state events for an accumulation: infinitely many events before a finite
/// time. Plain data, saved with the state.
struct ZenoWatch {
  /// Records the instant `time` + `remainder` (s) of an event. True if events accumulate: three
  /// intervals shrank by nearly the same ratio c and the limit, d c/(1 - c) ahead, is nearer than
  /// 1e-9 max(1, t); or ten intervals in a row were shorter than 1e-13 max(1, t).
  bool note(Time time, double remainder) noexcept;

  /// Seconds from the last event to the estimated limit (Aitken; exact for a geometric sequence).
  double ahead() const noexcept;

  Time last{};
  double last_remainder = 0.0;           // s
  double interval[3] = {0.0, 0.0, 0.0};  // s, the latest first
  std::int64_t events = 0;
  std::int64_t tiny = 0;  // short intervals in a row
};

}  // namespace vernier::integration
