#pragma once

#include <cstring>

#include "vernier/kernel/elementary/circular.hpp"
#include "vernier/kernel/elementary/exponential.hpp"
#include "vernier/kernel/elementary/inverse.hpp"
#include "vernier/kernel/elementary/lane_functions.hpp"

// Compiled once for each instruction set; see lanes.hpp.
namespace vernier::elementary {
inline namespace VERNIER_INSTRUCTIONS {

template <int W, class F>
VERNIER_INLINE void each(double* x, std::size_t count, const F& f) noexcept {
  for (std::size_t i = 0; i < count; i += W) {
    Lanes<W> v;
    std::memcpy(&v, x + i, sizeof v);
    v = f(v);
    std::memcpy(x + i, &v, sizeof v);
  }
}
template <int W, class F>
VERNIER_INLINE void each(double* x, const double* y, std::size_t count, const F& f) noexcept {
  for (std::size_t i = 0; i < count; i += W) {
    Lanes<W> v, w;
    std::memcpy(&v, x + i, sizeof v);
    std::memcpy(&w, y + i, sizeof w);
    v = f(v, w);
    std::memcpy(x + i, &v, sizeof v);
  }
}

// Function pointers to template instances, in the namespace of the instruction set.
template <int W>
struct LaneTable {
  using T = Lanes<W>;
#define VERNIER_UNARY(name, function)                                              \
  static void name(double* x, std::size_t count) {                                 \
    each<W>(x, count, [](const T& v) VERNIER_LAMBDA -> T { return function(v); }); \
  }
#define VERNIER_BINARY(name, function)                                                  \
  static void name(double* x, const double* y, std::size_t count) {                     \
    each<W>(x, y, count,                                                                \
            [](const T& v, const T& w) VERNIER_LAMBDA -> T { return function(v, w); }); \
  }
  VERNIER_UNARY(sin, sine)
  VERNIER_UNARY(cos, cosine)
  VERNIER_UNARY(tan, tangent)
  VERNIER_UNARY(asin, arcsine)
  VERNIER_UNARY(acos, arccosine)
  VERNIER_UNARY(atan, arctangent)
  VERNIER_UNARY(sinh, hyperbolic_sine)
  VERNIER_UNARY(cosh, hyperbolic_cosine)
  VERNIER_UNARY(tanh, hyperbolic_tangent)
  VERNIER_UNARY(exp, exponential)
  VERNIER_UNARY(log, logarithm)
  VERNIER_UNARY(log10, logarithm10)
  VERNIER_BINARY(atan2, arctangent2)
  VERNIER_BINARY(pow, power)
  VERNIER_BINARY(hypot, hypotenuse)
#undef VERNIER_UNARY
#undef VERNIER_BINARY

  static constexpr LaneFunctions functions{&sin,  &cos, &tan, &asin,  &acos,  &atan, &sinh, &cosh,
                                           &tanh, &exp, &log, &log10, &atan2, &pow,  &hypot};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::elementary
