#include "vernier/kernel/integration/zeno.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::integration {

bool ZenoWatch::note(Time time, double remainder) noexcept {
  const double d = seconds(time - last) + (remainder - last_remainder);
  const double now = std::max(1.0, std::abs(seconds(time)));
  last = time;
  last_remainder = remainder;
  if (++events == 1) return false;
  interval[2] = interval[1];
  interval[1] = interval[0];
  interval[0] = d;
  tiny = d < 1e-13 * now ? tiny + 1 : 0;
  if (tiny >= 10) return true;
  if (events < 4 || !(interval[2] > interval[1] && interval[1] > d && d > 0.0)) return false;
  // A geometric sequence of intervals with ratio c ends d c/(1 - c) ahead
  // (docs/mathematics/hybrid.md, "Accumulation").
  const double c = d / interval[1];
  const double c_before = interval[1] / interval[2];
  return std::abs(c - c_before) < 0.01 * c && ahead() < 1e-9 * now;
}

double ZenoWatch::ahead() const noexcept {
  if (!(interval[1] > interval[0])) return 0.0;
  const double c = interval[0] / interval[1];
  return interval[0] * c / (1.0 - c);
}

}  // namespace vernier::integration
