#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "vernier/kernel/frames/epoch.hpp"

namespace vernier::frames {

constexpr std::int64_t day_seconds = 86400;

/// Time scales.
///
///   TT  = TAI + 32.184 s
///   GPS = TAI - 19 s
///   UTC = TAI - leap seconds; since 1972
///   UT1 = UTC + dut1                                        (dut1 from the IERS)
///   TCG = TT + L_G / (1 - L_G) (TAI - 1977-01-01 TAI)       L_G = 6.969290134e-10, exactly
///   TDB = TT + eraDtdb(TT) at the geocentre                 (below 2 ms; good to some ns,
///   1950-2050)
///
/// All but UT1 and TDB are exact, or rounded once to the attosecond, and go back to the same
/// instant.
enum class Scale { tai, tt, utc, ut1, tdb, tcg, gps };

/// The reading of a clock of a scale: seconds since its own 2000-01-01 12:00:00, 86400 per day.
struct Reading {
  Seconds count;
  bool leap = false;  // UTC: within the second inserted after the one counted, 23:59:60

  auto operator<=>(const Reading&) const = default;
};

/// `dut1` = UT1 - UTC in seconds is used for UT1 only. Before 1972, UTC has the 10 leap seconds of
/// 1972.
Reading reading(const Epoch&, Scale, double dut1 = 0.0) noexcept;
/// The instant of a reading. A `leap` where no second was inserted counts as the second after.
Epoch instant(const Reading&, Scale, double dut1 = 0.0) noexcept;

/// The origins of counts, in the calendar of the counted scale.
enum class Origin { j2000, julian, mjd, tjd, gps, unix };

/// Seconds from 2000-01-01 12:00 to the origin: JD 0; MJD 0 = 1858-11-17; TJD 0 = 1968-05-24; GPS
/// 1980-01-06; UNIX 1970-01-01; all at 00:00 but JD and J2000 at 12:00.
constexpr std::int64_t seconds_of(Origin o) noexcept {
  constexpr std::int64_t half_day = 43200;
  switch (o) {
    case Origin::j2000:
      return 0;
    case Origin::julian:
      return -2 * 2451545 * half_day;
    case Origin::mjd:
      return -103089 * half_day;
    case Origin::tjd:
      return -23089 * half_day;
    case Origin::gps:
      return -14601 * half_day;
    case Origin::unix:
      return -21915 * half_day;
  }
  return 0;
}

/// Seconds from an origin to a reading; a leap second counts as the second after, as in POSIX.
Seconds since(Origin, const Reading&) noexcept;
Reading reading_since(Origin, const Seconds&) noexcept;

/// The calendar (proleptic Gregorian) of a scale.
std::chrono::year_month_day date_of(const Reading&) noexcept;
/// The count of a scale at midnight of a date.
std::int64_t midnight(std::chrono::year_month_day) noexcept;

/// TAI - UTC around an instant.
struct Leap {
  int ahead = 10;       // whole seconds that TAI is ahead
  bool inside = false;  // within the inserted second
};
Leap leap_at(const Epoch&) noexcept;

/// Scenario time of a SpaceFOM federation: seconds of TT since the origin of TJD, as a double.
/// Today a double resolves 0.24 us, so received values are rounded to the microsecond.
double scenario_time(const Epoch&) noexcept;
Epoch scenario_instant(double scenario_time) noexcept;

/// Scenario time at a logical time (microseconds since the epoch of the federation), and the
/// logical time at a scenario time. Each is the nearest to the exact value; they are inverse for
/// epochs of whole microseconds. Nothing if the times are not numbers or beyond 2^53 microseconds.
std::optional<double> scenario_time(double scenario_epoch, std::int64_t logical_us) noexcept;
std::optional<std::int64_t> logical_time(double scenario_epoch, double scenario_time) noexcept;

}  // namespace vernier::frames
