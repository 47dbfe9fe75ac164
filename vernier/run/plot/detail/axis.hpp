#pragma once

#include <span>
#include <string>
#include <vector>

namespace vernier::plot {

struct Range {
  double low = 0.0, high = 1.0;
  double span() const noexcept { return high - low; }
};

/// A finite, non-empty range with `padding` (a fraction of the span) on both sides; never so narrow
/// that rounding makes ticks coincide.
Range comfortable(double low, double high, double padding);

struct Tick {
  double value;
  std::string label;
};

struct Axis {
  Range range;
  std::vector<Tick> ticks;
  std::vector<double> small_ticks;
  int exponent = 0;  // labels are multiples of 10^exponent; 0: plain numbers
};

/// Ticks at 1, 2, 2.5 or 5 times a power of ten, at most about `most` of them. Labels have as many
/// digits as needed to differ, and use U+2212 as the minus sign.
Axis make_axis(Range, int most);

/// "×10⁻⁵"
std::string power_of_ten(int exponent);

}  // namespace vernier::plot
