#pragma once

#include <array>
#include <cmath>
#include <concepts>

#include "vernier/kernel/elementary/circular.hpp"
#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::spatial {

/// A number with its derivatives in N directions (forward automatic differentiation). It replaces T
/// in blocks.hpp and code based on it. Comparisons are those of the values.
template <int N>
struct Dual {
  static constexpr int directions = N;

  double v = 0.0;
  std::array<double, N> d = {};

  Dual() = default;
  Dual(double x) : v(x) {}  // NOLINT: formulas mix numbers and duals
  /// x, with derivative 1 in a direction.
  static Dual variable(double x, int direction) noexcept {
    Dual r(x);
    r.d[static_cast<std::size_t>(direction)] = 1.0;
    return r;
  }

  // Friends, so that a number next to a dual is converted.
  friend Dual operator+(const Dual& x, const Dual& y) noexcept {
    return chained(x.v + y.v, 1.0, x, 1.0, y);
  }
  friend Dual operator-(const Dual& x, const Dual& y) noexcept {
    return chained(x.v - y.v, 1.0, x, -1.0, y);
  }
  friend Dual operator-(const Dual& x) noexcept { return chained(-x.v, -1.0, x); }
  friend Dual operator*(const Dual& x, const Dual& y) noexcept {
    return chained(x.v * y.v, y.v, x, x.v, y);
  }
  friend Dual operator*(const Dual& x, double y) noexcept { return chained(x.v * y, y, x); }
  friend Dual operator*(double x, const Dual& y) noexcept { return chained(x * y.v, x, y); }
  friend Dual operator/(const Dual& x, const Dual& y) noexcept {
    const double i = 1.0 / y.v, q = x.v / y.v;  // rounded as for plain numbers
    return chained(q, i, x, -q * i, y);
  }
  Dual& operator+=(const Dual& x) noexcept { return *this = *this + x; }
  Dual& operator-=(const Dual& x) noexcept { return *this = *this - x; }
  Dual& operator*=(const Dual& x) noexcept { return *this = *this * x; }
  Dual& operator/=(const Dual& x) noexcept { return *this = *this / x; }
  friend bool operator<(const Dual& x, const Dual& y) noexcept { return x.v < y.v; }
  friend bool operator<=(const Dual& x, const Dual& y) noexcept { return x.v <= y.v; }
  friend bool operator>(const Dual& x, const Dual& y) noexcept { return x.v > y.v; }
  friend bool operator>=(const Dual& x, const Dual& y) noexcept { return x.v >= y.v; }

  /// A function's value at x, where its derivative is a.
  static Dual chained(double value, double a, const Dual& x) noexcept {
    Dual r(value);
    for (int i = 0; i < N; ++i) r.d[i] = a * x.d[i];
    return r;
  }
  static Dual chained(double value, double a, const Dual& x, double b, const Dual& y) noexcept {
    Dual r(value);
    for (int i = 0; i < N; ++i) r.d[i] = a * x.d[i] + b * y.d[i];
    return r;
  }
};

// Functions that recursions call, found by argument-dependent lookup.
template <int N>
Dual<N> square_root(const Dual<N>& x) noexcept {
  const double r = __builtin_sqrt(x.v);
  return Dual<N>::chained(r, 0.5 / r, x);
}
template <int N>
void sine_cosine(const Dual<N>& x, Dual<N>& s, Dual<N>& c) noexcept {
  double sine, cosine;
  elementary::sine_cosine(x.v, sine, cosine);
  s = Dual<N>::chained(sine, cosine, x);
  c = Dual<N>::chained(cosine, -sine, x);
}

// The usual functions: `using elementary::sin; sin(x)` works for numbers and duals.
template <int N>
Dual<N> sqrt(const Dual<N>& x) noexcept {
  return square_root(x);
}
template <int N>
Dual<N> sin(const Dual<N>& x) noexcept {
  return Dual<N>::chained(elementary::sin(x.v), elementary::cos(x.v), x);
}
template <int N>
Dual<N> cos(const Dual<N>& x) noexcept {
  return Dual<N>::chained(elementary::cos(x.v), -elementary::sin(x.v), x);
}
template <int N>
Dual<N> tan(const Dual<N>& x) noexcept {
  const double t = elementary::tan(x.v);
  return Dual<N>::chained(t, 1.0 + t * t, x);
}
template <int N>
Dual<N> exp(const Dual<N>& x) noexcept {
  const double e = elementary::exp(x.v);
  return Dual<N>::chained(e, e, x);
}
template <int N>
Dual<N> log(const Dual<N>& x) noexcept {
  return Dual<N>::chained(elementary::log(x.v), 1.0 / x.v, x);
}
template <int N>
Dual<N> tanh(const Dual<N>& x) noexcept {
  const double t = elementary::tanh(x.v);
  return Dual<N>::chained(t, 1.0 - t * t, x);
}
template <int N>
Dual<N> atan(const Dual<N>& x) noexcept {
  return Dual<N>::chained(elementary::atan(x.v), 1.0 / (1.0 + x.v * x.v), x);
}
template <int N>
Dual<N> atan2(const Dual<N>& y, const Dual<N>& x) noexcept {
  const double i = 1.0 / (x.v * x.v + y.v * y.v);
  return Dual<N>::chained(elementary::atan2(y.v, x.v), x.v * i, y, -y.v * i, x);
}
template <int N>
Dual<N> pow(const Dual<N>& x, std::type_identity_t<double> n) noexcept {
  return Dual<N>::chained(elementary::pow(x.v, n), n * elementary::pow(x.v, n - 1.0), x);
}
template <int N>
Dual<N> abs(const Dual<N>& x) noexcept {
  return Dual<N>::chained(std::fabs(x.v), x.v < 0.0 ? -1.0 : 1.0, x);
}

/// The value of a number or dual.
inline double value(double x) noexcept { return x; }
template <int N>
double value(const Dual<N>& x) noexcept {
  return x.v;
}

}  // namespace vernier::spatial
