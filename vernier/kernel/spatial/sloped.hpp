#pragma once

#include "vernier/kernel/elementary/circular.hpp"

namespace vernier::spatial {
inline namespace VERNIER_INSTRUCTIONS {

/// A number with its derivatives in W directions, one in each lane of a vector: like Dual
/// (dual.hpp), for recursions that are compiled for special instruction sets. Comparisons are those
/// of the values.
template <int W>
struct Sloped {
  using Slopes = elementary::Lanes<W>;

  Slopes d;
  double v;

  Sloped() = default;
  VERNIER_INLINE Sloped(double x) noexcept : d{}, v(x) {}  // NOLINT: formulas mix numbers and these
  VERNIER_INLINE Sloped(double x, const Slopes& slopes) noexcept : d(slopes), v(x) {}

  friend VERNIER_INLINE Sloped operator+(const Sloped& x, const Sloped& y) noexcept {
    return {x.v + y.v, x.d + y.d};
  }
  friend VERNIER_INLINE Sloped operator-(const Sloped& x, const Sloped& y) noexcept {
    return {x.v - y.v, x.d - y.d};
  }
  friend VERNIER_INLINE Sloped operator-(const Sloped& x) noexcept { return {-x.v, -x.d}; }
  friend VERNIER_INLINE Sloped operator*(const Sloped& x, const Sloped& y) noexcept {
    return {x.v * y.v, x.d * y.v + y.d * x.v};
  }
  friend VERNIER_INLINE Sloped operator*(const Sloped& x, double y) noexcept {
    return {x.v * y, x.d * y};
  }
  friend VERNIER_INLINE Sloped operator*(double x, const Sloped& y) noexcept {
    return {x * y.v, y.d * x};
  }
  friend VERNIER_INLINE Sloped operator/(const Sloped& x, const Sloped& y) noexcept {
    const double i = 1.0 / y.v, q = x.v / y.v;
    return {q, x.d * i - y.d * (q * i)};
  }
  VERNIER_INLINE Sloped& operator+=(const Sloped& x) noexcept { return *this = *this + x; }
  VERNIER_INLINE Sloped& operator-=(const Sloped& x) noexcept { return *this = *this - x; }
  friend VERNIER_INLINE bool operator<(const Sloped& x, const Sloped& y) noexcept {
    return x.v < y.v;
  }
  friend VERNIER_INLINE bool operator<=(const Sloped& x, const Sloped& y) noexcept {
    return x.v <= y.v;
  }
  friend VERNIER_INLINE bool operator>(const Sloped& x, const Sloped& y) noexcept {
    return x.v > y.v;
  }
};

// Functions that recursions call, found by argument-dependent lookup.
template <int W>
VERNIER_INLINE Sloped<W> square_root(const Sloped<W>& x) noexcept {
  const double r = __builtin_sqrt(x.v);
  return {r, x.d * (0.5 / r)};
}
template <int W>
VERNIER_INLINE void sine_cosine(const Sloped<W>& x, Sloped<W>& s, Sloped<W>& c) noexcept {
  double sine, cosine;
  elementary::sine_cosine(x.v, sine, cosine);
  s = {sine, x.d * cosine};
  c = {cosine, x.d * -sine};
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::spatial
