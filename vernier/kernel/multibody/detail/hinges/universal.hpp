#pragma once

#include "vernier/kernel/multibody/detail/hinges/hinge.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Rotates about x, then about y.
struct Universal : HingeBase<Universal> {
  static constexpr const char* name = "universal";
  static constexpr int coordinates = 2, speeds = 2;
  static constexpr DofFacts dofs[] = {{"x", true}, {"y", true}};
  static constexpr int axes = 2, trigs = 2;  // sine and cosine of the second angle
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
    return zero3<T>();
  }
  template <class T>
  static VERNIER_INLINE void move(const T* u, const T&, const T* trig, Vec6<T>& V,
                                  Vec6<T>& c) noexcept {
    const Vec3<T> w = {trig[1] * u[0], u[1], trig[0] * u[0]};
    // S' u = u1 u2 (-s2, 0, c2).
    const T uu = u[0] * u[1];
    V.a += w;
    c = {cross(V.a, w), cross(V.l, w)};
    c.a.x = c.a.x - trig[0] * uu;
    c.a.z = c.a.z + trig[1] * uu;
  }
  template <class T>
  static VERNIER_INLINE Vec3<T> first(const T* trig) noexcept {
    return {trig[1], constant<T>(0.0), trig[0]};
  }
  template <class T>
  static VERNIER_INLINE Vec6<T> axis(int i, const T&, const T* trig) noexcept {
    return turning(i == 0 ? first(trig) : unit<T>(1));
  }
  template <class T, class E>
  static VERNIER_INLINE void eliminate(E& one, const T&, const T* trig) noexcept {
    one.turn_y(1);
    one.turn(0, first(trig));
  }
  template <class T, class F>
  static VERNIER_INLINE void accelerate(const F& next, const T&, const T* trig,
                                        Vec6<T>& a) noexcept {
    a.a += first(trig) * next(0);
    a.a.y = a.a.y + next(1);
  }
  template <class T, class H>
  static VERNIER_INLINE void hang(const T* q, const T* u, const T&, H& h) noexcept {
    h.spin(0, h.x, u[0]);
    h.turn(h.y, h.z, q[0]);
    h.spin(1, h.y, u[1]);
    h.turn(h.z, h.x, q[1]);
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
