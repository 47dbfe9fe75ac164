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
  int exponent = 0;       // labels are multiples of 10^exponent of `unit`; 0: plain numbers
  std::string unit = {};  // as shown, with a prefix: "µs", "N·m"; empty: none
};

/// Ticks at 1, 2, 2.5 or 5 times a power of ten, at most about `most` of them. Labels have as many
/// digits as they need to differ, and true minus signs. Large and small numbers get a prefix of
/// their unit where it takes one and `prefix` allows it, else a power of ten.
Axis make_axis(Range, int most, const std::string& unit = "", bool prefix = true);

/// "dead time [ms]"
std::string axis_text(const std::string& label, const Axis&);

/// "×10⁻⁵"
std::string power_of_ten(int exponent);

}  // namespace vernier::plot
