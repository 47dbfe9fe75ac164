#pragma once

#include "vernier/kernel/multibody/detail/hinges/hinge.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Slides along z.
struct Prismatic : HingeBase<Prismatic> {
  static constexpr const char* name = "prismatic";
  static constexpr int coordinates = 1, speeds = 1;
  static constexpr DofFacts dofs[] = {{"slide", false}};
  static constexpr bool turns(int) { return false; }
  static constexpr bool slides(int) { return true; }

  template <class T>
  static VERNIER_INLINE Vec3<T> place(const T* q, const T&, Mat3<T>& E, Vec3<T>& r, T*) noexcept {
    const Vec3<T> d = column(E, 2) * q[0];
    r += d;
    return d;
  }
  template <class T>
  static VERNIER_INLINE void move(const T* u, const T&, const T*, Vec6<T>& V, Vec6<T>& c) noexcept {
    const T o = constant<T>(0.0);
    c = {{o, o, o}, {V.a.y * u[0], -(V.a.x * u[0]), o}};
    V.l.z = V.l.z + u[0];
  }
  template <class T>
  static VERNIER_INLINE Vec6<T> axis(int, const T&, const T*) noexcept {
    return sliding(unit<T>(2));
  }
  template <class T, class E>
  static VERNIER_INLINE void eliminate(E& one, const T&, const T*) noexcept {
    one.slide_z(0);
  }
  template <class T, class F>
  static VERNIER_INLINE void accelerate(const F& next, const T&, const T*, Vec6<T>& a) noexcept {
    a.l.z = a.l.z + next(0);
  }
  template <class T, class H>
  static VERNIER_INLINE void hang(const T* q, const T* u, const T&, H& h) noexcept {
    h.body.d = h.z * q[0];
    h.body.axis[0] = sliding(h.z);
    const Vec3<T> half = cross(h.body.node.w, h.z * u[0]);
    h.body.c.l = half + half;
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
