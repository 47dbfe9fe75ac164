#include "vernier/run/plot/detail/axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "vernier/base/units.hpp"

namespace vernier::plot {

namespace {

constexpr double most_magnitude = 1e300;
constexpr const char* superscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

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

/// The letters a unit begins with: "rad" of "rad/s".
std::string_view first_symbol(std::string_view unit) {
  const std::size_t end = unit.find_first_of(" */^(·");
  return unit.substr(0, end);
}

/// "m", "µ", "k": nothing for a power without a name, or where nobody would use it (ks, Mm).
std::string_view prefix_for(int exponent, std::string_view unit) {
  const std::string_view symbol = first_symbol(unit);
  if (exponent > 0 && (symbol == "s" || symbol == "rad" || symbol == "K")) return {};
  if (exponent > 3 && symbol == "m") return {};
  switch (exponent) {
    case -12:
      return "p";
    case -9:
      return "n";
    case -6:
      return "µ";
    case -3:
      return "m";
    case 3:
      return "k";
    case 6:
      return "M";
    case 9:
      return "G";
    default:
      return {};
  }
}

/// Whether the prefix makes the whole unit as much larger: not for kg, deg, 1/s or m^2.
bool takes(const std::string& unit, std::string_view prefix, int exponent) {
  const auto bare = parsed_unit(unit), with = parsed_unit(std::string(prefix) + unit);
  return bare && with && same_dimension(*bare, *with) &&
         std::abs(with->factor / bare->factor / std::pow(10.0, exponent) - 1.0) < 1e-9;
}

/// The exponent of the prefix for numbers of this magnitude: 0 where none fits.
int prefix_exponent(const std::string& unit, int magnitude) {
  if (unit.empty() || (magnitude > -2 && magnitude < 4)) return 0;
  const int towards_zero = magnitude > 0 ? -3 : 3;
  for (int e = 3 * static_cast<int>(std::floor(magnitude / 3.0)); e != 0; e += towards_zero) {
    const int named = std::clamp(e, -12, 9);
    const std::string_view prefix = prefix_for(named, unit);
    if (!prefix.empty() && takes(unit, prefix, named)) return named;
  }
  return 0;
}

/// As people write it: "N*m" and "N m" as "N·m", "m/s^2" as "m/s²".
std::string shown(const std::string& unit) {
  if (unit == "1") return {};
  std::string text;
  bool power = false;
  for (const char c : unit) {
    power = c == '^' || (power && (c == '-' || (c >= '0' && c <= '9')));
    if (c == '^') continue;
    if (power) {
      text += c == '-' ? "⁻" : superscripts[c - '0'];
    } else if (c == '*' || c == ' ') {
      text += "·";
    } else {
      text += c;
    }
  }
  return text;
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

Axis make_axis(Range r, int most, const std::string& unit, bool prefix) {
  Axis axis{r, {}, {}, 0, {}};
  const Step step = nice_step(r.span(), most);
  const double largest = std::max(std::abs(r.low), std::abs(r.high));
  const int magnitude = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  const int step_power = static_cast<int>(std::floor(std::log10(step.size) + 1e-9));
  const int named = prefix ? prefix_exponent(unit, magnitude) : 0;
  axis.unit = shown(std::string(prefix_for(named, unit)) + unit);
  if (magnitude - named >= 5 || magnitude - named <= -3) axis.exponent = magnitude - named;
  const int power = axis.exponent + named;
  const int decimals = std::clamp(power - step_power + step.digits - 1, 0, 15);
  const double one = std::pow(10.0, power);

  const double first = std::ceil(r.low / step.size - 1e-9);
  for (int k = 0; k < 200; ++k) {
    const double n = first + k;
    const double value = n * step.size;
    if (value > r.high + step.size * 1e-9) break;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, n == 0.0 ? 0.0 : value / one);
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

std::string axis_text(const std::string& label, const Axis& a) {
  if (a.unit.empty()) return label;
  return label + (label.empty() ? "[" : " [") + a.unit + "]";
}

std::string power_of_ten(int exponent) {
  std::string text = "×10";
  if (exponent < 0) text += "⁻";
  for (const char digit : std::to_string(std::abs(exponent))) text += superscripts[digit - '0'];
  return text;
}

}  // namespace vernier::plot
