#pragma once

#include <span>

#include "vernier/kernel/spatial/attitude.hpp"

namespace vernier::spatial {

/// Three (four) elements of a vector of numbers from `first`, in place.
inline Eigen::Map<const Vector3> vector3(std::span<const double> v,
                                         std::size_t first = 0) noexcept {
  return Eigen::Map<const Vector3>(v.data() + first);
}
inline Eigen::Map<Vector3> vector3(std::span<double> v, std::size_t first = 0) noexcept {
  return Eigen::Map<Vector3>(v.data() + first);
}
inline Eigen::Map<const Quaternion> quaternion(std::span<const double> v,
                                               std::size_t first = 0) noexcept {
  return Eigen::Map<const Quaternion>(v.data() + first);
}
inline Eigen::Map<Quaternion> quaternion(std::span<double> v, std::size_t first = 0) noexcept {
  return Eigen::Map<Quaternion>(v.data() + first);
}

/// The same, or zero if the span is empty: a direction in which this part does not move.
inline Vector3 vector3_or_zero(std::span<const double> v, std::size_t first = 0) noexcept {
  return v.empty() ? Vector3(Vector3::Zero()) : Vector3(vector3(v, first));
}
inline Quaternion quaternion_or_zero(std::span<const double> v, std::size_t first = 0) noexcept {
  return v.empty() ? Quaternion(Quaternion::Zero()) : Quaternion(quaternion(v, first));
}

}  // namespace vernier::spatial
