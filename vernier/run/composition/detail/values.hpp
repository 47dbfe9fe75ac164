#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/time.hpp"

/// The values that attributes of a composition document hold, from their text. Nothing: the text
/// does not read as one.
namespace vernier::composition::detail {

/// "600 s", "10 ms", "5 min", "2"; exact to the nanosecond, a bare number is in seconds. Not
/// negative, below 290 years.
std::optional<Duration> parsed_duration(std::string_view);

/// "10 Hz", "0.5 Hz", "60 per 1 s", or a period, "100 ms"; exact. Positive, at most 1 GHz.
std::optional<Rate> parsed_rate(std::string_view);

/// How long a connection holds values back: a time, or ticks of the run's step.
struct Delay {
  Duration time{};
  int ticks = 0;
};
/// "1 tick", "3 ticks", "5 ms".
std::optional<Delay> parsed_delay(std::string_view);

/// Numbers separated by blanks or commas, all in one unit: that after the last number, else `unit`,
/// else SI. `expected`, when not empty, is the unit they must agree with. In SI.
std::optional<std::vector<double>> parsed_numbers(std::string_view text, std::string_view unit,
                                                  std::string_view expected);

/// Letters, digits, _ and -, beginning with a letter or _.
bool is_name(std::string_view) noexcept;

/// "body.omega[0:3]" taken apart: the path before the brackets, and the elements.
struct PathText {
  std::string path;
  std::uint32_t first = 0;
  std::uint32_t last = UINT32_MAX;  // max: to the end
};
/// Python's slices: [1], [0:3], [2:], [:3]; nothing for an empty slice or names that are none.
std::optional<PathText> parsed_path(std::string_view);

/// "[0:3]", "[1]", or nothing for all elements.
std::string slice_text(std::uint32_t first, std::uint32_t last);

}  // namespace vernier::composition::detail
