#pragma once

#include "vernier/model/facility/robot.hpp"

namespace vernier::facility::detail {

// States are plain arrays, so that they can be saved as bytes; Eigen does the arithmetic.
inline Coordinates vec(const double (&a)[7]) noexcept { return Coordinates(a); }
inline void put(const Coordinates& from, double (&to)[7]) noexcept { Coordinates::Map(to) = from; }
inline void put(const Vector3& from, double (&to)[3]) noexcept { Vector3::Map(to) = from; }

inline Vector3 across(const Vector3& v, const Vector3& axis) noexcept {
  return v - axis * axis.dot(v);
}

}  // namespace vernier::facility::detail
