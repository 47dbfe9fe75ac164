#pragma once

#include "vernier/kernel/multibody/detail/hinges/hinge.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Slides along x and y of the outboard node, and rotates about z.
struct Planar : HingeBase<Planar> {
  static constexpr const char* name = "planar";
  static constexpr int coordinates = 3, speeds = 3;
  static constexpr DofFacts dofs[] = {{"x", false}, {"y", false}, {"turn", true}};
  static constexpr int trigs = 2;  // sine and cosine of the angle
  static constexpr bool turns(int k) { return k == 2; }
  static constexpr bool slides(int) { return true; }

  template <class T>
  static VERNIER_INLINE Vec3<T> place(const T* q, const T&, Mat3<T>& E, Vec3<T>& r,
                                      T* trig) noexcept {
    const Vec3<T> d = column(E, 0) * q[0] + column(E, 1) * q[1];
    r += d;
    sine_cosine(q[2], trig[0], trig[1]);
    turn_about_z(E, trig[0], trig[1]);
    return d;
  }
  template <class T>
  static VERNIER_INLINE void move(const T* u, const T&, const T* trig, Vec6<T>& V,
                                  Vec6<T>& c) noexcept {
    const T o = constant<T>(0.0);
    const Vec3<T> v = {trig[1] * u[0] + trig[0] * u[1], trig[1] * u[1] - trig[0] * u[0], o};
    V.a.z = V.a.z + u[2];
    V.l += v;
    c = {{V.a.y * u[2], -(V.a.x * u[2]), o},
         cross(V.a, v) + Vec3<T>{V.l.y * u[2], -(V.l.x * u[2]), o}};
    // S' u = -u3 ez × v.
    c.l += Vec3<T>{v.y * u[2], -(v.x * u[2]), o};
  }
  /// Rᵀ ex and Rᵀ ey.
  template <class T>
  static VERNIER_INLINE Vec3<T> first(const T* trig) noexcept {
    return {trig[1], -trig[0], constant<T>(0.0)};
  }
  template <class T>
  static VERNIER_INLINE Vec3<T> second(const T* trig) noexcept {
    return {trig[0], trig[1], constant<T>(0.0)};
  }
  template <class T>
  static VERNIER_INLINE Vec6<T> axis(int i, const T&, const T* trig) noexcept {
    return i == 2 ? turning(unit<T>(2)) : sliding(i == 0 ? first(trig) : second(trig));
  }
  template <class T, class E>
  static VERNIER_INLINE void eliminate(E& one, const T&, const T* trig) noexcept {
    one.turn_z(2);
    one.slide(1, second(trig));
    one.slide(0, first(trig));
  }
  template <class T, class F>
  static VERNIER_INLINE void accelerate(const F& next, const T&, const T* trig,
                                        Vec6<T>& a) noexcept {
    a.l += first(trig) * next(0);
    a.l += second(trig) * next(1);
    a.a.z = a.a.z + next(2);
  }
  template <class T, class H>
  static VERNIER_INLINE void hang(const T* q, const T* u, const T&, H& h) noexcept {
    h.body.d = h.x * q[0] + h.y * q[1];
    const Vec3<T> slide = h.x * u[0] + h.y * u[1];
    h.body.axis[0] = sliding(h.x);
    h.body.axis[1] = sliding(h.y);
    h.spin(2, h.z, u[2]);
    h.body.axis[2].l = cross(h.body.d, h.z);
    h.turn(h.x, h.y, q[2]);
    h.slid(slide);
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
