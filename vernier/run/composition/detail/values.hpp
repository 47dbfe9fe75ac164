#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/time.hpp"

/// Parses the values in attributes of a composition document. Nothing: the text is not valid.
namespace vernier::composition::detail {

/// "600 s", "10 ms", "5 min", "1/4 s", "2"; exact to the nanosecond, a bare number is in seconds.
/// Not negative, below 290 years. A fraction must be a whole number of nanoseconds.
std::optional<Duration> parsed_duration(std::string_view);

/// "10 Hz", "0.5 Hz", "60 per 1 s", or a period, "100 ms", "1/330 s"; exact. Positive, at most 1
/// GHz.
std::optional<Rate> parsed_rate(std::string_view);

/// A time between two steps.
struct Period {
  Duration time{};  // rounded down
  Rate rate = {};   // periodic where the time is no whole number of nanoseconds

  double length() const noexcept;  // s
};
/// A time, or a rate whose period is meant: "10 ms", "1/250 s", "250 Hz".
std::optional<Period> parsed_period(std::string_view);

/// How long a connection holds values back: a time, or ticks of the run's step.
struct Delay {
  Duration time{};
  int ticks = 0;
};
/// "1 tick", "3 ticks", "5 ms".
std::optional<Delay> parsed_delay(std::string_view);

/// Numbers separated by blanks or commas, and what follows them, which should be a unit.
struct NumbersText {
  std::vector<double> values;  // as written
  std::string unit;            // empty: none
};
std::optional<NumbersText> numbers_text(std::string_view);

/// Numbers separated by blanks or commas, all in one unit: that after the last number, else `unit`,
/// else SI. `expected`, when not empty, is the unit they must agree with. In SI.
std::optional<std::vector<double>> parsed_numbers(std::string_view text, std::string_view unit,
                                                  std::string_view expected);

/// Letters, digits, _ and -, beginning with a letter or _.
bool is_name(std::string_view) noexcept;

/// "body.omega[0:3]" split into the path before the brackets and the elements.
struct PathText {
  std::string path;
  std::uint32_t first = 0;
  std::uint32_t last = UINT32_MAX;  // max: to the end
};
/// Slices as in Python: [1], [0:3], [2:], [:3]; nothing for an empty slice or invalid names.
std::optional<PathText> parsed_path(std::string_view);

/// "[0:3]", "[1]", or nothing for all elements.
std::string slice_text(std::uint32_t first, std::uint32_t last);

}  // namespace vernier::composition::detail
