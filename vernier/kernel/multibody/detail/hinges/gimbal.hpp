#pragma once

#include "vernier/kernel/multibody/detail/hinges/hinge.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Rotates about x, then about y, then about z. Singular where the second angle is ±90 degrees.
struct Gimbal : HingeBase<Gimbal> {
  static constexpr const char* name = "gimbal";
  static constexpr int coordinates = 3, speeds = 3;
  static constexpr DofFacts dofs[] = {{"x", true}, {"y", true}, {"z", true}};
  static constexpr int axes = 2, trigs = 4;  // sines and cosines of the second and third angle
  static constexpr int singular = 1;
  static constexpr const char *singular_at = "y = 90 deg",
                              *singular_advice =
                                  "at y = ±90 deg its first and third axis are the same; turn the "
                                  "nodes, or use a ball";
  static constexpr bool turns(int) { return true; }
  static constexpr bool slides(int) { return false; }

  template <class T>
  static VERNIER_INLINE Vec3<T> place(const T* q, const T&, Mat3<T>& E, Vec3<T>&,
                                      T* trig) noexcept {
    T s, c;
    sine_cosine(q[0], s, c);
    turn_about_x(E, s, c);
    sine_cosine(q[1], trig[0], trig[1]);
    turn_about_y(E, trig[0], trig[1]);
    sine_cosine(q[2], trig[2], trig[3]);
    turn_about_z(E, trig[2], trig[3]);
    return zero3<T>();
  }
  template <class T>
  static VERNIER_INLINE void move(const T* u, const T&, const T* trig, Vec6<T>& V,
                                  Vec6<T>& c) noexcept {
    const T s2 = trig[0], c2 = trig[1], s3 = trig[2], c3 = trig[3];
    const Vec3<T> w = {c2 * c3 * u[0] + s3 * u[1], c3 * u[1] - c2 * s3 * u[0], s2 * u[0] + u[2]};
    // The last lines are S' u, the derivative of the axes that move with the outer angles.
    const T u12 = u[0] * u[1], u13 = u[0] * u[2], u23 = u[1] * u[2];
    V.a += w;
    c = {cross(V.a, w), cross(V.l, w)};
    c.a += Vec3<T>{c3 * u23 - s2 * c3 * u12 - c2 * s3 * u13,
                   s2 * s3 * u12 - c2 * c3 * u13 - s3 * u23, c2 * u12};
  }
  template <class T>
  static VERNIER_INLINE Vec3<T> first(const T* trig) noexcept {
    return {trig[1] * trig[3], -(trig[1] * trig[2]), trig[0]};
  }
  template <class T>
  static VERNIER_INLINE Vec3<T> second(const T* trig) noexcept {
    return {trig[2], trig[3], constant<T>(0.0)};
  }
  template <class T>
  static VERNIER_INLINE Vec6<T> axis(int i, const T&, const T* trig) noexcept {
    return turning(i == 0 ? first(trig) : i == 1 ? second(trig) : unit<T>(2));
  }
  template <class T, class E>
  static VERNIER_INLINE void eliminate(E& one, const T&, const T* trig) noexcept {
    one.turn_z(2);
    one.turn(1, second(trig));
    one.turn(0, first(trig));
  }
  template <class T, class F>
  static VERNIER_INLINE void accelerate(const F& next, const T&, const T* trig,
                                        Vec6<T>& a) noexcept {
    a.a += first(trig) * next(0);
    a.a += second(trig) * next(1);
    a.a.z = a.a.z + next(2);
  }
  template <class T, class H>
  static VERNIER_INLINE void hang(const T* q, const T* u, const T&, H& h) noexcept {
    h.spin(0, h.x, u[0]);
    h.turn(h.y, h.z, q[0]);
    h.spin(1, h.y, u[1]);
    h.turn(h.z, h.x, q[1]);
    h.spin(2, h.z, u[2]);
    h.turn(h.x, h.y, q[2]);
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
