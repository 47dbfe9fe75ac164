#pragma once

/// Elementary functions with the same bits on every processor. The C library differs: it selects
/// code with fused operations where the processor supports them. Special cases are those of the C
/// standard (annex F); errno is never set. The same functions for lanes: circular.hpp,
/// exponential.hpp, inverse.hpp. Square roots, remainders and rounding to integers are exact in the
/// C library and therefore not here.
namespace vernier::elementary {

double sin(double) noexcept;
double cos(double) noexcept;
double tan(double) noexcept;
double asin(double) noexcept;
double acos(double) noexcept;
double atan(double) noexcept;
double atan2(double y, double x) noexcept;
double sinh(double) noexcept;
double cosh(double) noexcept;
double tanh(double) noexcept;
double exp(double) noexcept;
double log(double) noexcept;
double log10(double) noexcept;
double pow(double x, double y) noexcept;
double cbrt(double) noexcept;
double hypot(double x, double y) noexcept;

}  // namespace vernier::elementary
