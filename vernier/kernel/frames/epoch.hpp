#pragma once

#include <optional>
#include <string_view>

namespace vernier::frames {

/// An instant of atomic time (TAI): the Julian date of a midnight and the seconds since it. Seconds
/// can be added without regard to leap seconds.
struct Epoch {
  double day = 2451544.5;  // JD, ends in .5
  double seconds = 32.0;
};

/// A date and time of UTC: "2026-06-01", "2026-06-01T12:00", "2026-06-01 12:00:00.5Z". Nothing when
/// it does not read, is not in the calendar, or lies outside 1972 to 2199. Leap seconds as known to
/// ERFA; none are assumed after its table ends.
std::optional<Epoch> parsed_epoch(std::string_view utc);

Epoch shifted(const Epoch&, double seconds) noexcept;

/// A Julian date in two parts, as ERFA takes it.
struct JulianDate {
  double whole, part;
};

JulianDate terrestrial_time(const Epoch&) noexcept;

/// TAI - UTC, s.
double leap_seconds(const Epoch&) noexcept;

/// UT1, with dut1 = UT1 - UTC (s) as published by the IERS; |dut1| < 0.9 s. Taking it as zero turns
/// the Earth by at most 13.5 arc seconds.
JulianDate universal_time(const Epoch&, double dut1) noexcept;

/// 2026.5: the middle of 2026, by UTC's calendar.
double decimal_year(const Epoch&) noexcept;

}  // namespace vernier::frames
