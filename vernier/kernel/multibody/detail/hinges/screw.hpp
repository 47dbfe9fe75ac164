#pragma once

#include "vernier/kernel/multibody/detail/hinges/hinge.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Rotates about z and moves along it by `parameter`, the pitch, per radian.
struct Screw : HingeBase<Screw> {
  static constexpr const char* name = "screw";
  static constexpr int coordinates = 1, speeds = 1;
  static constexpr DofFacts dofs[] = {{"turn", true}};
  static constexpr const char *parameter_name = "pitch", *parameter_unit = "m/rad";
  static constexpr bool turns(int) { return true; }
  static constexpr bool slides(int) { return true; }

  template <class T>
  static VERNIER_INLINE Vec3<T> place(const T* q, const T& parameter, Mat3<T>& E, Vec3<T>& r,
                                      T*) noexcept {
    const Vec3<T> d = column(E, 2) * (parameter * q[0]);
    r += d;
    T s, c;
    sine_cosine(q[0], s, c);
    turn_about_z(E, s, c);
    return d;
  }
  template <class T>
  static VERNIER_INLINE void move(const T* u, const T& parameter, const T*, Vec6<T>& V,
                                  Vec6<T>& c) noexcept {
    const T o = constant<T>(0.0), slide = parameter * u[0];
    c = {{V.a.y * u[0], -(V.a.x * u[0]), o},
         {V.l.y * u[0] + V.a.y * slide, -(V.l.x * u[0]) - V.a.x * slide, o}};
    V.a.z = V.a.z + u[0];
    V.l.z = V.l.z + slide;
  }
  template <class T>
  static VERNIER_INLINE Vec6<T> axis(int, const T& parameter, const T*) noexcept {
    return {unit<T>(2), unit<T>(2) * parameter};
  }
  template <class T, class H>
  static VERNIER_INLINE void hang(const T* q, const T* u, const T& parameter, H& h) noexcept {
    h.body.d = h.z * (parameter * q[0]);
    h.spin(0, h.z, u[0]);
    h.body.axis[0].l = h.z * parameter;
    h.turn(h.x, h.y, q[0]);
    h.slid(h.z * (parameter * u[0]));
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
