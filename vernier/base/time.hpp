#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace vernier {

/// Marks simulated time, so that it cannot be mixed with a wall clock.
struct SimulatedTime {};

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::time_point<SimulatedTime, Duration>;

/// A point in simulated history. Several reactions may follow one another at the same time; the
/// microstep orders them (superdense time).
struct Instant {
  Time time;
  std::uint32_t microstep = 0;

  auto operator<=>(const Instant&) const = default;
};

constexpr double seconds(Duration d) noexcept { return std::chrono::duration<double>(d).count(); }
constexpr double seconds(Time t) noexcept { return seconds(t.time_since_epoch()); }

/// An exact frequency: `times` every `seconds`. Zero times: not periodic.
struct Rate {
  std::int64_t times = 0;
  std::int64_t seconds = 1;

  constexpr bool periodic() const noexcept { return times > 0; }
  bool operator==(const Rate&) const = default;
};

/// The k-th tick of a periodic rate, to the nanosecond; the rounding does not accumulate.
constexpr Time tick(Rate r, std::int64_t k) noexcept {
  const std::int64_t rounds = k / r.times;
  const std::int64_t rest = k % r.times;
  return Time{std::chrono::seconds(rounds * r.seconds) +
              Duration(rest * r.seconds * 1'000'000'000 / r.times)};
}

}  // namespace vernier
