#pragma once

#include <cstddef>

#include "vernier/base/instructions.hpp"

namespace vernier::elementary {

/// Functions of several numbers at once, in place, with the same bits as the function of one
/// number. `count` is 8, or 4 if the instructions compute at most 4 numbers.
struct LaneFunctions {
  using Unary = void (*)(double* x, std::size_t count);
  /// x := f(x, y)
  using Binary = void (*)(double* x, const double* y, std::size_t count);

  Unary sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, log10;
  Binary atan2, pow, hypot;
};

const LaneFunctions& lane_functions(Instructions) noexcept;

}  // namespace vernier::elementary
