#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "vernier/kernel/frames/scales.hpp"

namespace vernier::frames {

/// Parses a date and time of UTC: "2026-06-01", "2026-06-01T12:00", "2026-06-01 12:00:00.5Z".
/// Nothing if the text is invalid, not in the calendar, or outside 1972 to 2199. Leap seconds are
/// those of ERFA; none are assumed after its table ends. Digits beyond the attosecond are dropped.
std::optional<Epoch> parsed_epoch(std::string_view utc);

/// Parses an instant in any of these forms, each with an optional scale at its end (default UTC):
///   2026-06-01T12:00:00.5 TT     a date, of UTC from 1972 to 2199, of other scales from 1600
///   JD 2461193.0 TDB             days and their exact fraction: JD, MJD, TJD
///   J2000 834451200.5 TT         seconds since an epoch: J2000, TJDS (default TT), UNIX
///   GPS 2421 129618              week and seconds
std::optional<Epoch> parsed_instant(std::string_view, double dut1 = 0.0);

/// "2026-06-01T12:00:00.500", with `digits` decimals of the second (0 to 18), truncated.
std::string date_text(const Reading&, int digits = 3);

/// "61192.500000" days, or "834451200.500" seconds, with `digits` decimals, truncated.
std::string day_text(const Seconds& since_origin, int digits = 9);
std::string second_text(const Seconds& since_origin, int digits = 3);

/// Converts between scales and their names ("TT"); nothing for other words. Lower case is accepted.
std::string_view name_of(Scale) noexcept;
std::optional<Scale> parsed_scale(std::string_view) noexcept;

}  // namespace vernier::frames
