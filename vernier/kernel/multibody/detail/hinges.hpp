#pragma once

#include "vernier/kernel/multibody/detail/hinges/ball.hpp"
#include "vernier/kernel/multibody/detail/hinges/cylindrical.hpp"
#include "vernier/kernel/multibody/detail/hinges/fixed.hpp"
#include "vernier/kernel/multibody/detail/hinges/free.hpp"
#include "vernier/kernel/multibody/detail/hinges/gimbal.hpp"
#include "vernier/kernel/multibody/detail/hinges/pin.hpp"
#include "vernier/kernel/multibody/detail/hinges/planar.hpp"
#include "vernier/kernel/multibody/detail/hinges/prismatic.hpp"
#include "vernier/kernel/multibody/detail/hinges/screw.hpp"
#include "vernier/kernel/multibody/detail/hinges/universal.hpp"
#include "vernier/kernel/multibody/hinge_kind.hpp"

/// All kinds of hinges, and functions that dispatch on the kind.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Calls f with the class of a kind as its template argument.
template <class F>
VERNIER_INLINE decltype(auto) with_kind(HingeKind kind, F&& f) noexcept {
  switch (kind) {
#define VERNIER_HINGE_CASE(name, type) \
  case HingeKind::name:                \
    return f.template operator()<type>();
    VERNIER_HINGE_KINDS(VERNIER_HINGE_CASE)
#undef VERNIER_HINGE_CASE
  }
  __builtin_unreachable();
}

template <class T>
VERNIER_INLINE Vec3<T> place_hinge(HingeKind kind, double parameter, const T* q, Mat3<T>& E,
                                   Vec3<T>& r, T* trig) noexcept {
  return with_kind(kind, [&]<class K>() VERNIER_LAMBDA {
    return K::place(q, constant<T>(parameter), E, r, trig);
  });
}
template <class T>
VERNIER_INLINE void move_hinge(HingeKind kind, double parameter, const T* u, const T* trig,
                               Vec6<T>& V, Vec6<T>& c) noexcept {
  with_kind(kind,
            [&]<class K>() VERNIER_LAMBDA { K::move(u, constant<T>(parameter), trig, V, c); });
}
/// Column i of S: the motion of I by hinge speed i.
template <class T>
inline Vec6<T> hinge_axis(HingeKind kind, double parameter, int i, const T* trig) noexcept {
  return with_kind(
      kind, [&]<class K>() VERNIER_LAMBDA { return K::axis(i, constant<T>(parameter), trig); });
}
template <class T>
inline void hinge_rates(HingeKind kind, const T* q, const T* u, T* rate) noexcept {
  with_kind(kind, [&]<class K>() VERNIER_LAMBDA { K::rates(q, u, rate); });
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
