#pragma once

#include "vernier/kernel/spatial/blocks.hpp"

/// Rotation vectors: Exp, and the angular velocity by the rate of the vector. With a = |θ|, all
/// depend on a² alone:
///   σ = sin a / a,  c = (1 - cos a) / a²,  d = (a - sin a) / a³,
///   c' = (dc/da) / a,  d' = (dd/da) / a.
namespace vernier::spatial {
inline namespace VERNIER_INSTRUCTIONS {

template <class T>
struct TurnCoefficients {
  T sigma, c, d, c_rate, d_rate;
};

namespace turns {

// Taylor series in a²: coefficient k of c is (-1)^k / (2k+2)!, of d (-1)^k / (2k+3)!; σ = 1 - a² d.
inline constexpr int terms = 10;
struct Series {
  double c[terms + 1] = {}, d[terms + 1] = {};
};
constexpr Series series() {
  Series s;
  double f = 2.0, sign = 1.0;
  for (int k = 0; k <= terms; ++k) {
    s.c[k] = sign / f;
    f *= 2 * k + 3;
    s.d[k] = sign / f;
    f *= 2 * k + 4;
    sign = -sign;
  }
  return s;
}
inline constexpr Series taylor = series();

/// The first n terms. The rates: dc/da / a = 2 dc/d(a²).
template <class T>
VERNIER_INLINE TurnCoefficients<T> sum(const T& a2, int n) noexcept {
  T c = constant<T>(taylor.c[n]), d = constant<T>(taylor.d[n]);
  T cr = constant<T>(2.0 * n * taylor.c[n]), dr = constant<T>(2.0 * n * taylor.d[n]);
  for (int k = n - 1; k >= 0; --k) {
    c = c * a2 + constant<T>(taylor.c[k]);
    d = d * a2 + constant<T>(taylor.d[k]);
    if (k > 0) {
      cr = cr * a2 + constant<T>(2.0 * k * taylor.c[k]);
      dr = dr * a2 + constant<T>(2.0 * k * taylor.d[k]);
    }
  }
  return {constant<T>(1.0) - a2 * d, c, d, cr, dr};
}

/// a if m holds, otherwise b.
template <class M, class T>
VERNIER_INLINE TurnCoefficients<T> chosen(const M& m, const TurnCoefficients<T>& a,
                                          const TurnCoefficients<T>& b) noexcept {
  return {select(m, a.sigma, b.sigma), select(m, a.c, b.c), select(m, a.d, b.d),
          select(m, a.c_rate, b.c_rate), select(m, a.d_rate, b.d_rate)};
}

}  // namespace turns

/// Relative errors are below 1e-15 for |θ| <= 1.5 (more than modal coordinates should give) and
/// below 1e-14 beyond. Few terms up to 0.1 rad, many up to 1.5 rad, closed forms beyond. The result
/// of a lane does not depend on the others.
template <class T>
VERNIER_INLINE TurnCoefficients<T> turn_coefficients(const T& a2) noexcept {
  const auto tiny = a2 <= constant<T>(0.01), small = a2 <= constant<T>(2.25);
  if (all(tiny)) return turns::sum(a2, 5);
  auto series = turns::sum(a2, turns::terms);
  if (!all(!tiny)) series = turns::chosen(tiny, turns::sum(a2, 5), series);
  if (all(small)) return series;
  // Kept away from zero, so that no lane divides by zero.
  const T safe = select(small, constant<T>(2.25), a2);
  const T a = square_root(safe), i2 = constant<T>(1.0) / safe;
  T s, co;
  sine_cosine(a, s, co);
  const T one = constant<T>(1.0), two = constant<T>(2.0), three = constant<T>(3.0);
  const TurnCoefficients<T> closed{s / a, (one - co) * i2, (a - s) * i2 / a,
                                   (a * s - two * (one - co)) * i2 * i2,
                                   (three * s - two * a - a * co) * i2 * i2 / a};
  return turns::chosen(small, series, closed);
}

/// The rotation of a rotation vector θ with rate θ': R = Exp(θ); the angular velocity J θ' in the
/// fixed axes (J is the left Jacobian, R times the right one), and the part of its derivative that
/// is not J θ''.
template <class T>
struct Turn {
  Mat3<T> R, J;
  Vec3<T> omega, bias;
};
template <class T>
VERNIER_INLINE Turn<T> turn(const Vec3<T>& th, const Vec3<T>& rate) noexcept {
  const T a2 = dot(th, th);
  const TurnCoefficients<T> k = turn_coefficients(a2);
  const T one = constant<T>(1.0);
  const Sym3<T> tt = {th.x * th.x, th.y * th.y, th.z * th.z, th.x * th.y, th.x * th.z, th.y * th.z};
  // 1 + p skew(θ) + q skew(θ)², with skew(θ)² = θ θᵀ - a².
  const auto make = [&](const T& p, const T& q) {
    const T o = one - q * a2;
    return Mat3<T>{{o + q * tt.xx, q * tt.xy - p * th.z, q * tt.xz + p * th.y, q * tt.xy + p * th.z,
                    o + q * tt.yy, q * tt.yz - p * th.x, q * tt.xz - p * th.y, q * tt.yz + p * th.x,
                    o + q * tt.zz}};
  };
  const Mat3<T> R = make(k.sigma, k.c), J = make(k.c, k.d);
  const T ad = dot(th, rate);
  const Vec3<T> tr = cross(th, rate);
  const Vec3<T> bias =
      tr * (k.c_rate * ad) + cross(th, tr) * (k.d_rate * ad) + cross(rate, tr) * k.d;
  return {R, J, J * rate, bias};
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::spatial
