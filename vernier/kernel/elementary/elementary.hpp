#pragma once

/// Elementary functions whose bits do not depend on the processor. Those of the C library do: it
/// chooses code with fused operations where the processor has them. Special cases are those of the
/// C standard (annex F); errno is never set. The same functions of lanes: circular.hpp,
/// exponential.hpp, inverse.hpp. Square roots, remainders and what rounds to integers are exact in
/// the C library and are not here.
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
