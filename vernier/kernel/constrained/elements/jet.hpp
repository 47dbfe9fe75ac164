#pragma once

#include "vernier/kernel/spatial/blocks.hpp"

namespace vernier::constrained {

/// A function of time at one instant: its value and first two derivatives. It is a number type in
/// the sense of lanes.hpp, so code written for any T yields exact time derivatives.
struct Jet {
  double v = 0.0, d = 0.0, dd = 0.0;

  Jet() = default;
  explicit constexpr Jet(double value, double rate = 0.0, double second = 0.0)
      : v(value), d(rate), dd(second) {}

  friend Jet operator+(const Jet& a, const Jet& b) noexcept {
    return Jet(a.v + b.v, a.d + b.d, a.dd + b.dd);
  }
  friend Jet operator-(const Jet& a, const Jet& b) noexcept {
    return Jet(a.v - b.v, a.d - b.d, a.dd - b.dd);
  }
  friend Jet operator-(const Jet& a) noexcept { return Jet(-a.v, -a.d, -a.dd); }
  friend Jet operator*(const Jet& a, const Jet& b) noexcept {
    return Jet(a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2.0 * a.d * b.d + a.v * b.dd);
  }
  friend Jet operator/(const Jet& a, const Jet& b) noexcept {
    const double q = a.v / b.v, qd = (a.d - q * b.d) / b.v;
    return Jet(q, qd, (a.dd - 2.0 * qd * b.d - q * b.dd) / b.v);
  }
  friend bool operator<(const Jet& a, const Jet& b) noexcept { return a.v < b.v; }
  friend bool operator>(const Jet& a, const Jet& b) noexcept { return a.v > b.v; }
  friend bool operator<=(const Jet& a, const Jet& b) noexcept { return a.v <= b.v; }
};

inline Jet square_root(const Jet& a) noexcept {
  const double r = __builtin_sqrt(a.v), d = 0.5 * a.d / r;
  return Jet(r, d, (0.5 * a.dd - d * d) / r);
}
inline void sine_cosine(const Jet& a, Jet& s, Jet& c) noexcept {
  double sv, cv;
  spatial::sine_cosine(a.v, sv, cv);
  s = Jet(sv, cv * a.d, cv * a.dd - sv * a.d * a.d);
  c = Jet(cv, -sv * a.d, -sv * a.dd - cv * a.d * a.d);
}

}  // namespace vernier::constrained
