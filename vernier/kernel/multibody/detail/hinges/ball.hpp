#pragma once

#include "vernier/kernel/multibody/detail/hinges/hinge.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Rotates freely. Coordinates: a quaternion; speeds: angular velocity in the axes of I.
struct Ball : HingeBase<Ball> {
  static constexpr const char* name = "ball";
  static constexpr int coordinates = 4, speeds = 3;
  static constexpr DofFacts dofs[] = {{"wx", true}, {"wy", true}, {"wz", true}};
  static constexpr int axes = 0;
  static constexpr bool quaternion = true;
  static constexpr bool turns(int) { return true; }
  static constexpr bool slides(int) { return false; }

  template <class T>
  static VERNIER_INLINE Vec3<T> place(const T* q, const T&, Mat3<T>& E, Vec3<T>&, T*) noexcept {
    E = E * from_quaternion(q);
    return zero3<T>();
  }
  template <class T>
  static VERNIER_INLINE void move(const T* u, const T&, const T*, Vec6<T>& V, Vec6<T>& c) noexcept {
    const Vec3<T> w = {u[0], u[1], u[2]};
    c = {cross(V.a, w), cross(V.l, w)};  // w x w = 0
    V.a += w;
  }
  template <class T>
  static VERNIER_INLINE Vec6<T> axis(int i, const T&, const T*) noexcept {
    return turning(unit<T>(i));
  }
  template <class T, class E>
  static VERNIER_INLINE void eliminate(E& one, const T&, const T*) noexcept {
    one.turn_z(2);
    one.turn_y(1);
    one.turn_x(0);
  }
  template <class T, class F>
  static VERNIER_INLINE void accelerate(const F& next, const T&, const T*, Vec6<T>& a) noexcept {
    a.a.x = a.a.x + next(0);
    a.a.y = a.a.y + next(1);
    a.a.z = a.a.z + next(2);
  }
  template <class T>
  static VERNIER_INLINE void rates(const T* q, const T* u, T* rate) noexcept {
    quaternion_rates(q, u, rate);
  }
  template <class T, class H>
  static VERNIER_INLINE void hang(const T* q, const T* u, const T&, H& h) noexcept {
    const Mat3<T> turned = h.body.node.R * from_quaternion(q);
    h.x = column(turned, 0);
    h.y = column(turned, 1);
    h.z = column(turned, 2);
    const Vec3<T> rate = h.x * u[0] + h.y * u[1] + h.z * u[2];
    h.body.c.a = cross(h.body.node.w, rate);
    h.body.w = h.body.node.w + rate;
    h.body.axis[0] = turning(h.x);
    h.body.axis[1] = turning(h.y);
    h.body.axis[2] = turning(h.z);
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
