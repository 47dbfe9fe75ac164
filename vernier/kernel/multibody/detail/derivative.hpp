#pragma once

#include <array>

#include "vernier/kernel/spatial/lanes.hpp"

namespace vernier::multibody::detail {

/// A number with its derivatives in eight directions: exact derivatives of whatever is computed
/// with it.
struct Derivative {
  static constexpr int directions = 8;

  double v = 0.0;
  std::array<double, directions> d = {};

  Derivative() = default;
  explicit Derivative(double x) : v(x) {}
};

inline Derivative chained(double value, double a, const Derivative& x) {
  Derivative r(value);
  for (int i = 0; i < Derivative::directions; ++i) r.d[i] = a * x.d[i];
  return r;
}
inline Derivative chained(double value, double a, const Derivative& x, double b,
                          const Derivative& y) {
  Derivative r(value);
  for (int i = 0; i < Derivative::directions; ++i) r.d[i] = a * x.d[i] + b * y.d[i];
  return r;
}
inline Derivative operator+(const Derivative& x, const Derivative& y) {
  return chained(x.v + y.v, 1.0, x, 1.0, y);
}
inline Derivative operator-(const Derivative& x, const Derivative& y) {
  return chained(x.v - y.v, 1.0, x, -1.0, y);
}
inline Derivative operator-(const Derivative& x) { return chained(-x.v, -1.0, x); }
inline Derivative operator*(const Derivative& x, const Derivative& y) {
  return chained(x.v * y.v, y.v, x, x.v, y);
}
inline Derivative operator*(const Derivative& x, double y) { return chained(x.v * y, y, x); }
inline Derivative operator/(const Derivative& x, const Derivative& y) {
  const double i = 1.0 / y.v, q = x.v * i;
  return chained(q, i, x, -q * i, y);
}
inline bool operator<(const Derivative& x, const Derivative& y) { return x.v < y.v; }
inline bool operator<=(const Derivative& x, const Derivative& y) { return x.v <= y.v; }
inline bool operator>(const Derivative& x, const Derivative& y) { return x.v > y.v; }

// found where the sweeps call them, by their argument
inline Derivative square_root(const Derivative& x) noexcept {
  const double r = __builtin_sqrt(x.v);
  return chained(r, 0.5 / r, x);
}
inline void sine_cosine(const Derivative& x, Derivative& s, Derivative& c) noexcept {
  double sine, cosine;
  spatial::sine_cosine(x.v, sine, cosine);
  s = chained(sine, cosine, x);
  c = chained(cosine, -sine, x);
}

}  // namespace vernier::multibody::detail
