#pragma once

#include <cstdint>

namespace vernier::elementary {

/// x = quadrant π/2 + r + low, |r| <= π/4, quadrant modulo 4.
struct Reduction {
  double r, low;
  std::int64_t quadrant;
};
/// For any x, to about 2^-100 of r; NaN for infinities and NaN. Payne and Hanek, Radian reduction
/// for trigonometric functions, SIGNUM Newsletter 18 (1983).
Reduction reduced_exactly(double x) noexcept;

}  // namespace vernier::elementary
