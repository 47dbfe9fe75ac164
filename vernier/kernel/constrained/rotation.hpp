#pragma once

#include "vernier/kernel/spatial/turns.hpp"

/// Rotation matrices by rotation vectors ψ and by Cayley–Gibbs–Rodrigues (CGR) vectors g,
/// |g| = 2 tan(angle / 2). Variations on the left: δR = skew(θ) R, θ = T(ψ) δψ = G(g) δg. T: double
/// or a class that carries derivatives (lanes.hpp). Square roots and arithmetic only: the same bits
/// everywhere.
namespace vernier::constrained {

using spatial::constant;
using spatial::Mat3;
using spatial::Vec3;

#define VERNIER_OF_T \
  template <class T> \
  VERNIER_INLINE

namespace rotations {

/// 1 + p skew(a) + q skew(a)²
VERNIER_OF_T Mat3<T> combined(const Vec3<T>& a, const T& p, const T& q) noexcept {
  const T o = constant<T>(1.0) - q * dot(a, a);
  const T xy = q * a.x * a.y, xz = q * a.x * a.z, yz = q * a.y * a.z;
  const Vec3<T> s = a * p;
  return {{o + q * a.x * a.x, xy - s.z, xz + s.y, xy + s.z, o + q * a.y * a.y, yz - s.x, xz - s.y,
           yz + s.x, o + q * a.z * a.z}};
}

/// atan(√u2) / √u2, u2 >= 0.
VERNIER_OF_T T arctangent_ratio(T u2) noexcept {
  using spatial::square_root;
  const T one = constant<T>(1.0);
  T scale = one;
  // atan u = 2 atan(u / (1 + √(1 + u²))), until the series needs few terms
  for (int i = 0; i < 4 && !spatial::all(u2 <= constant<T>(0.04)); ++i) {
    const T k = one / (one + square_root(one + u2));
    u2 = u2 * k * k;
    scale = scale * (k + k);
  }
  constexpr int terms = 11;
  T sum = constant<T>(1.0 / (2 * terms + 1));
  for (int k = terms - 1; k >= 0; --k) sum = constant<T>(1.0 / (2 * k + 1)) - u2 * sum;
  return scale * sum;
}

/// 2 (axial part of R): 2 sin(angle) times the axis.
VERNIER_OF_T Vec3<T> axial(const Mat3<T>& R) noexcept {
  return {R.a[7] - R.a[5], R.a[2] - R.a[6], R.a[3] - R.a[1]};
}

/// The logarithm near half a turn, where the axial part vanishes: by the quaternion, of which the
/// component along axis i is large.
VERNIER_OF_T Vec3<T> log_near_pi(const Mat3<T>& R) noexcept {
  using spatial::square_root;
  const T trace = R.a[0] + R.a[4] + R.a[8];
  int i = 0;
  if (spatial::all(R.a[4] > R.a[0])) i = 1;
  if (spatial::all(R.a[8] > R.a[4 * i])) i = 2;
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const T two = constant<T>(2.0);
  const T n = square_root(constant<T>(1.0) + two * R.a[4 * i] - trace);  // twice the component
  const T f = constant<T>(0.5) / n;
  T v[3];
  v[i] = constant<T>(0.5) * n;
  v[j] = (R.a[3 * i + j] + R.a[3 * j + i]) * f;
  v[k] = (R.a[3 * i + k] + R.a[3 * k + i]) * f;
  const T w = (R.a[3 * k + j] - R.a[3 * j + k]) * f;
  const T l2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], l = square_root(l2);
  // angle / 2 = π/2 - atan(w / l), odd in w: one formula for both signs of the quaternion
  const T half_turn = constant<T>(3.14159265358979323846);
  const T wl = w / l, small = wl * arctangent_ratio(wl * wl) * two;
  const T angle = spatial::all(w < constant<T>(0.0)) ? -(half_turn + small) : half_turn - small;
  const T s = angle / l;
  return {v[0] * s, v[1] * s, v[2] * s};
}

// |B_2k| / (2k)!, k = 1…: coefficients of (1 - (t/2) cot(t/2)) / t² in t²
inline constexpr double cotangent[] = {1.0 / 12.0,
                                       1.0 / 720.0,
                                       1.0 / 30240.0,
                                       1.0 / 1209600.0,
                                       1.0 / 47900160.0,
                                       691.0 / 1.307674368e12,
                                       1.0 / 74724249600.0,
                                       3617.0 / 1.0670622842880e16,
                                       43867.0 / 5.109094217170944e18,
                                       174611.0 / 8.0285766269829120e20};

}  // namespace rotations

/// R = exp(skew(ψ)).
VERNIER_OF_T Mat3<T> rotation(const Vec3<T>& psi) noexcept {
  const auto k = spatial::turn_coefficients(dot(psi, psi));
  return rotations::combined(psi, k.sigma, k.c);
}

/// ψ of R, |ψ| <= π; correct everywhere, differentiable except at half a turn.
VERNIER_OF_T Vec3<T> rotation_vector(const Mat3<T>& R) noexcept {
  const T trace = R.a[0] + R.a[4] + R.a[8];
  if (spatial::all(trace < constant<T>(0.0))) return rotations::log_near_pi(R);
  // tan(angle / 2) along the axis
  const Vec3<T> t = rotations::axial(R) * (constant<T>(1.0) / (constant<T>(1.0) + trace));
  return t * (constant<T>(2.0) * rotations::arctangent_ratio(dot(t, t)));
}

/// T(ψ): δ exp(ψ) = skew(T δψ) exp(ψ). On the right: its transpose, T(-ψ).
VERNIER_OF_T Mat3<T> tangent(const Vec3<T>& psi) noexcept {
  const auto k = spatial::turn_coefficients(dot(psi, psi));
  return rotations::combined(psi, k.c, k.d);
}

/// The inverse of tangent(); |ψ| < 2π.
VERNIER_OF_T Mat3<T> inverse_tangent(const Vec3<T>& psi) noexcept {
  const T a2 = dot(psi, psi);
  T e;
  if (spatial::all(a2 <= constant<T>(1.0))) {
    e = constant<T>(rotations::cotangent[9]);
    for (int k = 8; k >= 0; --k) e = constant<T>(rotations::cotangent[k]) + a2 * e;
  } else {
    const auto k = spatial::turn_coefficients(a2);
    e = (constant<T>(1.0) - k.sigma / (k.c + k.c)) / a2;
  }
  return rotations::combined(psi, constant<T>(-0.5), e);
}

/// R(g).
VERNIER_OF_T Mat3<T> cgr_rotation(const Vec3<T>& g) noexcept {
  const T k = constant<T>(4.0) / (constant<T>(4.0) + dot(g, g));
  return rotations::combined(g, k, constant<T>(0.5) * k);
}

/// G(g): δR = skew(G δg) R.
VERNIER_OF_T Mat3<T> cgr_tangent(const Vec3<T>& g) noexcept {
  const T k = constant<T>(4.0) / (constant<T>(4.0) + dot(g, g));
  const Vec3<T> h = g * (constant<T>(0.5) * k);
  return {{k, -h.z, h.y, h.z, k, -h.x, -h.y, h.x, k}};
}
/// G(g) v
VERNIER_OF_T Vec3<T> cgr_tangent_times(const Vec3<T>& g, const Vec3<T>& v) noexcept {
  const T k = constant<T>(4.0) / (constant<T>(4.0) + dot(g, g));
  return plus_times(v, cross(g, v), constant<T>(0.5)) * k;
}
/// G(g)⁻¹ v
VERNIER_OF_T Vec3<T> cgr_inverse_tangent_times(const Vec3<T>& g, const Vec3<T>& v) noexcept {
  return plus_times(plus_times(v, cross(g, v), constant<T>(-0.5)), g,
                    constant<T>(0.25) * dot(g, v));
}

/// g of R; not defined for half a turn.
VERNIER_OF_T Vec3<T> cgr_vector(const Mat3<T>& R) noexcept {
  return rotations::axial(R) * (constant<T>(2.0) / (constant<T>(1.0) + R.a[0] + R.a[4] + R.a[8]));
}

/// R moved towards the nearest rotation: an error ε becomes ε² (a Newton step of the polar
/// decomposition, R (3 - RᵀR) / 2).
VERNIER_OF_T Mat3<T> renormalized(const Mat3<T>& R) noexcept {
  const Vec3<T> a = column(R, 0), b = column(R, 1), c = column(R, 2);
  const T h = constant<T>(-0.5), o = constant<T>(1.5);
  const T ab = h * dot(a, b), ac = h * dot(a, c), bc = h * dot(b, c);
  return from_columns(plus_times(plus_times(a * (o + h * dot(a, a)), b, ab), c, ac),
                      plus_times(plus_times(b * (o + h * dot(b, b)), a, ab), c, bc),
                      plus_times(plus_times(c * (o + h * dot(c, c)), a, ac), b, bc));
}

#undef VERNIER_OF_T

}  // namespace vernier::constrained
