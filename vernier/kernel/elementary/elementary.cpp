#include "vernier/kernel/elementary/elementary.hpp"

#include "vernier/kernel/elementary/circular.hpp"
#include "vernier/kernel/elementary/exponential.hpp"
#include "vernier/kernel/elementary/inverse.hpp"

namespace vernier::elementary {

double sin(double x) noexcept { return sine(x); }
double cos(double x) noexcept { return cosine(x); }
double tan(double x) noexcept { return tangent(x); }
double asin(double x) noexcept { return arcsine(x); }
double acos(double x) noexcept { return arccosine(x); }
double atan(double x) noexcept { return arctangent(x); }
double atan2(double y, double x) noexcept { return arctangent2(y, x); }
double sinh(double x) noexcept { return hyperbolic_sine(x); }
double cosh(double x) noexcept { return hyperbolic_cosine(x); }
double tanh(double x) noexcept { return hyperbolic_tangent(x); }
double exp(double x) noexcept { return exponential(x); }
double log(double x) noexcept { return logarithm(x); }
double log10(double x) noexcept { return logarithm10(x); }
double pow(double x, double y) noexcept { return power(x, y); }
double cbrt(double x) noexcept { return cube_root(x); }
double hypot(double x, double y) noexcept { return hypotenuse(x, y); }

}  // namespace vernier::elementary
