#pragma once

#include "vernier/kernel/multibody/detail/hinges/hinge.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Moves freely. Coordinates: a quaternion and a position; speeds: angular, then linear velocity in
/// the axes of I.
struct Free : HingeBase<Free> {
  static constexpr const char* name = "free";
  static constexpr int coordinates = 7, speeds = 6;
  static constexpr DofFacts dofs[] = {{"wx", true},  {"wy", true},  {"wz", true},
                                      {"vx", false}, {"vy", false}, {"vz", false}};
  static constexpr int axes = 0;
  static constexpr bool quaternion = true, position = true;
  static constexpr bool in_star = false;

  template <class T>
  static VERNIER_INLINE Vec3<T> place(const T* q, const T&, Mat3<T>& E, Vec3<T>& r, T*) noexcept {
    const Vec3<T> d = E * Vec3<T>{q[4], q[5], q[6]};
    r += d;
    E = E * from_quaternion(q);
    return d;
  }
  template <class T>
  static VERNIER_INLINE void move(const T* u, const T&, const T*, Vec6<T>& V, Vec6<T>& c) noexcept {
    const Vec6<T> v = {{u[0], u[1], u[2]}, {u[3], u[4], u[5]}};
    c = {cross(V.a, v.a), cross(V.a, v.l) + cross(V.l, v.a)};  // v x v = 0
    V += v;
  }
  template <class T>
  static VERNIER_INLINE Vec6<T> axis(int i, const T&, const T*) noexcept {
    return i < 3 ? turning(unit<T>(i)) : sliding(unit<T>(i - 3));
  }
  template <class T, class E>
  static VERNIER_INLINE void eliminate(E& one, const T&, const T*) noexcept {
    one.slide_z(5);
    one.slide_y(4);
    one.slide_x(3);
    one.turn_z(2);
    one.turn_y(1);
    one.turn_x(0);
  }
  template <class T, class F>
  static VERNIER_INLINE void accelerate(const F& next, const T&, const T*, Vec6<T>& a) noexcept {
    a.a.x = a.a.x + next(0);
    a.a.y = a.a.y + next(1);
    a.a.z = a.a.z + next(2);
    a.l.x = a.l.x + next(3);
    a.l.y = a.l.y + next(4);
    a.l.z = a.l.z + next(5);
  }
  template <class T>
  static VERNIER_INLINE void rates(const T* q, const T* u, T* rate) noexcept {
    quaternion_rates(q, u, rate);
    const Vec3<T> r = from_quaternion(q) * Vec3<T>{u[3], u[4], u[5]};
    rate[4] = r.x;
    rate[5] = r.y;
    rate[6] = r.z;
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
