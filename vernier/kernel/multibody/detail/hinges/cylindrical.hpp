#pragma once

#include "vernier/kernel/multibody/detail/hinges/hinge.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Rotates about z and slides along it.
struct Cylindrical : HingeBase<Cylindrical> {
  static constexpr const char* name = "cylindrical";
  static constexpr int coordinates = 2, speeds = 2;
  static constexpr DofFacts dofs[] = {{"turn", true}, {"slide", false}};
  static constexpr bool turns(int k) { return k == 0; }
  static constexpr bool slides(int k) { return k == 1; }

  template <class T>
  static VERNIER_INLINE Vec3<T> place(const T* q, const T&, Mat3<T>& E, Vec3<T>& r, T*) noexcept {
    const Vec3<T> d = column(E, 2) * q[1];
    r += d;
    T s, c;
    sine_cosine(q[0], s, c);
    turn_about_z(E, s, c);
    return d;
  }
  template <class T>
  static VERNIER_INLINE void move(const T* u, const T&, const T*, Vec6<T>& V, Vec6<T>& c) noexcept {
    // c = V × (S u), written out; the z components of ez × ez vanish.
    const T o = constant<T>(0.0);
    c = {{V.a.y * u[0], -(V.a.x * u[0]), o},
         {V.l.y * u[0] + V.a.y * u[1], -(V.l.x * u[0]) - V.a.x * u[1], o}};
    V.a.z = V.a.z + u[0];
    V.l.z = V.l.z + u[1];
  }
  template <class T>
  static VERNIER_INLINE Vec6<T> axis(int i, const T&, const T*) noexcept {
    return i == 0 ? turning(unit<T>(2)) : sliding(unit<T>(2));
  }
  template <class T, class E>
  static VERNIER_INLINE void eliminate(E& one, const T&, const T*) noexcept {
    one.slide_z(1);
    one.turn_z(0);
  }
  template <class T, class F>
  static VERNIER_INLINE void accelerate(const F& next, const T&, const T*, Vec6<T>& a) noexcept {
    a.a.z = a.a.z + next(0);
    a.l.z = a.l.z + next(1);
  }
  template <class T, class H>
  static VERNIER_INLINE void hang(const T* q, const T* u, const T&, H& h) noexcept {
    h.body.d = h.z * q[1];
    h.spin(0, h.z, u[0]);
    h.body.axis[1] = sliding(h.z);
    h.turn(h.x, h.y, q[0]);
    h.slid(h.z * u[1]);
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
