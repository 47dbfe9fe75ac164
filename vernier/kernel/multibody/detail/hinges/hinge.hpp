#pragma once

#include "vernier/kernel/spatial/blocks.hpp"

/// What all kinds of hinges share. A kind is a class with static members; its frame I on the
/// child's side of the hinge coincides with the outboard node O at zero coordinates:
///
///   name, dofs, coordinates, speeds   as in HingeFacts
///   axes, quaternion, position …      likewise; HingeBase has the usual values
///   trigs     numbers that place() leaves in `trig` for the other functions (at most 4)
///   place     rotates E (axes of O, then of I) and displaces r (origin); returns the displacement
///   move      adds the motion S u to V of I, which is given as if the hinge were locked, and
///             returns the bias c = S' u + V_I x (S u)
///   axis      column i of S, in axes of I
///   eliminate, accelerate   those of HingeBase, written out where that is faster
///   hang      the hinge of a body of a star, everything in the axes of the hub (star_kernel.hpp)
///   rates     the rates of the coordinates
///
/// T is any arithmetic of kernel/elementary/lanes.hpp; `parameter` is Hinge::parameter.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

using spatial::column;
using spatial::constant;
using spatial::cross;
using spatial::dot;
using spatial::Mat3;
using spatial::sine_cosine;
using spatial::Vec3;
using spatial::Vec6;
using spatial::zero3;
using spatial::zero6;

/// A degree of freedom: HingeDof without the standard library.
struct DofFacts {
  const char* name;
  bool angle;
};

template <class Kind>
struct HingeBase {
  static constexpr int axes = 1, trigs = 0, singular = -1;
  static constexpr bool quaternion = false, position = false;
  static constexpr const char *parameter_name = "", *parameter_unit = "", *singular_at = "",
                              *singular_advice = "";
  static constexpr bool about_z = false;  // only rotates about z
  static constexpr bool in_star = true;   // may join an appendage to the hub of a star

  template <class T, class E>
  static VERNIER_INLINE void eliminate(E& one, const T& parameter, const T* trig) noexcept {
    for (int i = Kind::speeds - 1; i >= 0; --i) one.move(i, Kind::axis(i, parameter, trig));
  }
  /// `next(i)` is the acceleration along speed i, outermost first; adds S udot to a.
  template <class T, class F>
  static VERNIER_INLINE void accelerate(const F& next, const T& parameter, const T* trig,
                                        Vec6<T>& a) noexcept {
    for (int i = 0; i < Kind::speeds; ++i) {
      const Vec6<T> axis = Kind::axis(i, parameter, trig);
      a += axis * next(i);
    }
  }
  template <class T>
  static VERNIER_INLINE void rates(const T*, const T* u, T* rate) noexcept {
    for (int i = 0; i < Kind::speeds; ++i) rate[i] = u[i];
  }
};

/// Whether a kind of hinge of a star displaces the body.
template <class K>
constexpr bool slides() {
  for (int k = 0; k < K::speeds; ++k) {
    if (K::slides(k)) return true;
  }
  return false;
}

template <class T>
VERNIER_INLINE Vec3<T> unit(int i) noexcept {
  const T o = constant<T>(0.0), one = constant<T>(1.0);
  return {i == 0 ? one : o, i == 1 ? one : o, i == 2 ? one : o};
}
template <class T>
VERNIER_INLINE Vec6<T> turning(const Vec3<T>& axis) noexcept {
  return {axis, zero3<T>()};
}
template <class T>
VERNIER_INLINE Vec6<T> sliding(const Vec3<T>& axis) noexcept {
  return {zero3<T>(), axis};
}

/// Rotates axes about their own z: R := R Rz(angle).
template <class T>
VERNIER_INLINE void turn_about_z(Mat3<T>& R, const T& s, const T& c) noexcept {
  for (int i = 0; i < 9; i += 3) {
    const T x = R.a[i], y = R.a[i + 1];
    R.a[i] = x * c + y * s;
    R.a[i + 1] = y * c - x * s;
  }
}
template <class T>
VERNIER_INLINE void turn_about_x(Mat3<T>& R, const T& s, const T& c) noexcept {
  for (int i = 0; i < 9; i += 3) {
    const T y = R.a[i + 1], z = R.a[i + 2];
    R.a[i + 1] = y * c + z * s;
    R.a[i + 2] = z * c - y * s;
  }
}
template <class T>
VERNIER_INLINE void turn_about_y(Mat3<T>& R, const T& s, const T& c) noexcept {
  for (int i = 0; i < 9; i += 3) {
    const T x = R.a[i], z = R.a[i + 2];
    R.a[i] = x * c - z * s;
    R.a[i + 2] = z * c + x * s;
  }
}
/// The rotation matrix R of x_O = R x_I for the quaternion q_IO, of any length except zero.
template <class T>
VERNIER_INLINE Mat3<T> from_quaternion(const T* q) noexcept {
  const T x = q[0], y = q[1], z = q[2], w = q[3];
  const T k = constant<T>(2.0) / (x * x + y * y + z * z + w * w), o = constant<T>(1.0);
  const T kx = k * x, ky = k * y, kz = k * z;
  const T xx = kx * x, yy = ky * y, zz = kz * z, xy = kx * y, xz = kx * z, yz = ky * z;
  const T wx = kx * w, wy = ky * w, wz = kz * w;
  return {{o - yy - zz, xy - wz, xz + wy, xy + wz, o - xx - zz, yz - wx, xz - wy, yz + wx,
           o - xx - yy}};
}
/// The rate of the quaternion q_IO for the angular velocity w in the axes of I.
template <class T>
VERNIER_INLINE void quaternion_rates(const T* q, const T* w, T* rate) noexcept {
  const T half = constant<T>(0.5);
  rate[0] = half * (w[2] * q[1] - w[1] * q[2] + w[0] * q[3]);
  rate[1] = half * (-w[2] * q[0] + w[0] * q[2] + w[1] * q[3]);
  rate[2] = half * (w[1] * q[0] - w[0] * q[1] + w[2] * q[3]);
  rate[3] = half * (-w[0] * q[0] - w[1] * q[1] - w[2] * q[2]);
}

/// The state that hang() works on: it rotates the axes of the node into those of I. `body` is a
/// Placed (star_kernel.hpp), initially at rest relative to the node.
template <class T, class Body>
struct Hanging {
  Body& body;
  Vec3<T> x, y, z;

  /// Rotates a and b by an angle in their plane.
  static VERNIER_INLINE void turn(Vec3<T>& a, Vec3<T>& b, const T& angle) noexcept {
    T s, c;
    sine_cosine(angle, s, c);
    const Vec3<T> turned = a * c + b * s;
    b = b * c - a * s;
    a = turned;
  }
  /// Speed k rotates the body about `axis`; later speeds are inside it. Accumulates c = ω × (axis
  /// u).
  VERNIER_INLINE void spin(int k, const Vec3<T>& axis, const T& u) noexcept {
    const Vec3<T> rate = axis * u;
    body.c.a = plus_cross(body.c.a, body.w, rate);
    body.w += rate;
    body.axis[k] = turning(axis);
  }
  /// After all rotations: the bias acceleration of the point of the body at the outboard node. The
  /// body is displaced by d, with the relative velocity `slide` (centripetal and Coriolis terms).
  VERNIER_INLINE void slid(const Vec3<T>& slide) noexcept {
    const Vec3<T>& wn = body.node.w;
    body.c.l = cross(wn, cross(wn, body.d) + slide + slide) - cross(body.w, cross(body.w, body.d)) +
               cross(body.d, body.c.a);
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
