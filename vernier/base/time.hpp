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

/// The number of the first tick that is not before a time.
inline std::int64_t first_tick(Rate r, Time t) noexcept {
  // whole rounds of `seconds` first, which avoids overflow for thousands of years
  const std::int64_t round = r.seconds * 1'000'000'000;
  const std::int64_t ns = t.time_since_epoch().count();
  const std::int64_t rest = ns % round;
  const auto within = static_cast<std::int64_t>(
      static_cast<double>(rest) / static_cast<double>(round) * static_cast<double>(r.times));
  std::int64_t k = ns / round * r.times + within;
  while (k > 0 && tick(r, k - 1) >= t) --k;
  while (tick(r, k) < t) ++k;
  return k;
}

}  // namespace vernier
