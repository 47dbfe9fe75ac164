#include "vernier/run/plot/detail/axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace vernier::plot {

namespace {

constexpr double most_magnitude = 1e300;

struct Step {
  double size;
  int small;   // small intervals between two ticks
  int digits;  // significant digits of the step
};

Step nice_step(double span, int most) {
  const double raw = span / std::max(1, most);
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  const double share = raw / decade;
  if (share <= 1.0 + 1e-9) return {decade, 5, 1};
  if (share <= 2.0 + 1e-9) return {2.0 * decade, 4, 1};
  if (share <= 2.5 + 1e-9) return {2.5 * decade, 5, 2};
  if (share <= 5.0 + 1e-9) return {5.0 * decade, 5, 1};
  return {10.0 * decade, 5, 1};
}

std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

}  // namespace

Range comfortable(double low, double high, double padding) {
  if (!(low <= high)) return {0.0, 1.0};
  low = std::clamp(low, -most_magnitude, most_magnitude);
  high = std::clamp(high, -most_magnitude, most_magnitude);
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= size * 1e-12) {
    // a constant has no span: leave room around it
    const double room = size > 0.0 ? size * 0.1 : 1.0;
    return {low - room, high + room};
  }
  const double room = (high - low) * padding;
  return {low - room, high + room};
}

Axis make_axis(Range r, int most) {
  Axis axis{r, {}, {}, 0};
  const Step step = nice_step(r.span(), most);
  const double largest = std::max(std::abs(r.low), std::abs(r.high));
  const int magnitude = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  const int step_power = static_cast<int>(std::floor(std::log10(step.size) + 1e-9));
  if (magnitude >= 5 || magnitude <= -3) axis.exponent = magnitude;
  const int decimals = std::clamp(axis.exponent - step_power + step.digits - 1, 0, 15);
  const double unit = std::pow(10.0, axis.exponent);

  const double first = std::ceil(r.low / step.size - 1e-9);
  for (int k = 0; k < 200; ++k) {
    const double n = first + k;
    const double value = n * step.size;
    if (value > r.high + step.size * 1e-9) break;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, n == 0.0 ? 0.0 : value / unit);
    axis.ticks.push_back({value, with_minus(text)});
  }
  const double small = step.size / step.small;
  const double first_small = std::ceil(r.low / small - 1e-9);
  for (int k = 0; k < 1000; ++k) {
    const double value = (first_small + k) * small;
    if (value > r.high + small * 1e-9) break;
    if (std::fmod(std::abs(first_small + k), step.small) != 0.0) axis.small_ticks.push_back(value);
  }
  return axis;
}

std::string power_of_ten(int exponent) {
  static constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "×10";
  if (exponent < 0) text += "⁻";
  for (const char digit : std::to_string(std::abs(exponent))) text += raised[digit - '0'];
  return text;
}

}  // namespace vernier::plot
