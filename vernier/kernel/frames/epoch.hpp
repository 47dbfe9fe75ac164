#pragma once

#include <compare>
#include <cstdint>

#include "vernier/base/time.hpp"

namespace vernier::frames {

constexpr std::int64_t attoseconds_per_second = 1'000'000'000'000'000'000;

/// An exact number of seconds: the floor, and the rest in attoseconds (0 <= rest < 1e18).
struct Seconds {
  std::int64_t whole = 0;
  std::int64_t attoseconds = 0;

  auto operator<=>(const Seconds&) const = default;
};

Seconds operator+(const Seconds&, const Seconds&) noexcept;
Seconds operator-(const Seconds&, const Seconds&) noexcept;

/// The nearest attosecond. NaN gives zero; values beyond 1e12 s (32 000 years) give the limit.
Seconds exact_seconds(double) noexcept;
/// A fraction of whole numbers, such as 184/1000; the denominator divides 1e18.
constexpr Seconds exact_seconds(std::int64_t whole, std::int64_t part = 0,
                                std::int64_t of = 1) noexcept {
  return {whole, part * (attoseconds_per_second / of)};
}
/// As a double, with an error below one unit in the last place.
double rounded(const Seconds&) noexcept;

/// An instant in atomic time (TAI): exact seconds since 2000-01-01 12:00:00 TAI. Seconds can be
/// added without regard to leap seconds; scales.hpp converts to other scales.
struct Epoch {
  Seconds tai;

  auto operator<=>(const Epoch&) const = default;
};

Epoch shifted(const Epoch&, const Seconds&) noexcept;
Epoch shifted(const Epoch&, Duration) noexcept;
/// Rounded to the attosecond, see exact_seconds().
Epoch shifted(const Epoch&, double seconds) noexcept;

/// Seconds from one to the other.
double elapsed(const Epoch& from, const Epoch& to) noexcept;

/// A Julian date in two parts, as ERFA takes it: a midnight, and the fraction of the day.
struct JulianDate {
  double whole, part;
};

JulianDate atomic_time(const Epoch&) noexcept;
JulianDate terrestrial_time(const Epoch&) noexcept;

/// TAI - UTC in seconds, from ERFA, whose last value is used after the end of its table. Before
/// 1972, when UTC had another rate, that of 1972: 10 s.
int leap_seconds(const Epoch&) noexcept;

/// UT1, with dut1 = UT1 - UTC (s) as published by the IERS; |dut1| < 0.9 s. Neglecting it rotates
/// the Earth by at most 13.5 arc seconds.
JulianDate universal_time(const Epoch&, double dut1) noexcept;

/// 2026.5 is the middle of 2026 in the calendar of UTC.
double decimal_year(const Epoch&) noexcept;

}  // namespace vernier::frames
