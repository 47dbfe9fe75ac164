#pragma once

#include "vernier/kernel/multibody/detail/hinges/hinge.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Rotates about z.
struct Pin : HingeBase<Pin> {
  static constexpr const char* name = "pin";
  static constexpr int coordinates = 1, speeds = 1;
  static constexpr DofFacts dofs[] = {{"turn", true}};
  static constexpr bool about_z = true;
  static constexpr bool turns(int) { return true; }
  static constexpr bool slides(int) { return false; }

  template <class T>
  static VERNIER_INLINE Vec3<T> place(const T* q, const T&, Mat3<T>& E, Vec3<T>&, T*) noexcept {
    T s, c;
    sine_cosine(q[0], s, c);
    turn_about_z(E, s, c);
    return zero3<T>();
  }
  template <class T>
  static VERNIER_INLINE void move(const T* u, const T&, const T*, Vec6<T>& V, Vec6<T>& c) noexcept {
    const T o = constant<T>(0.0);
    c = {{V.a.y * u[0], -(V.a.x * u[0]), o}, {V.l.y * u[0], -(V.l.x * u[0]), o}};
    V.a.z = V.a.z + u[0];
  }
  template <class T>
  static VERNIER_INLINE Vec6<T> axis(int, const T&, const T*) noexcept {
    return turning(unit<T>(2));
  }
  template <class T, class E>
  static VERNIER_INLINE void eliminate(E& one, const T&, const T*) noexcept {
    one.turn_z(0);
  }
  template <class T, class F>
  static VERNIER_INLINE void accelerate(const F& next, const T&, const T*, Vec6<T>& a) noexcept {
    a.a.z = a.a.z + next(0);
  }
  template <class T, class H>
  static VERNIER_INLINE void hang(const T* q, const T* u, const T&, H& h) noexcept {
    h.turn(h.x, h.y, q[0]);
    h.spin(0, h.z, u[0]);
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
