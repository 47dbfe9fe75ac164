#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace vernier::spatial {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

/// Motion of a rigid body: its angular velocity, and the velocity of the body-fixed point that
/// is now at the reference point. Both in the same axes.
struct Motion {
  Vector3 angular = Vector3::Zero();  // rad/s
  Vector3 linear = Vector3::Zero();   // m/s
};

/// Force on a rigid body: the moment about the reference point, and the resultant.
struct Force {
  Vector3 moment = Vector3::Zero();     // N·m
  Vector3 resultant = Vector3::Zero();  // N
};

/// Power delivered by `f` to a body moving with `v`; both at the same reference point.
inline double power(const Motion& v, const Force& f) noexcept {
  return v.angular.dot(f.moment) + v.linear.dot(f.resultant);
}

/// The same motion, taken at a reference point displaced by `r`.
inline Motion shifted(const Motion& v, const Vector3& r) noexcept {
  return {v.angular, v.linear + v.angular.cross(r)};
}

/// The same force, taken at a reference point displaced by `r`. Dual to shifting a motion:
/// power() does not change.
inline Force shifted(const Force& f, const Vector3& r) noexcept {
  return {f.moment - r.cross(f.resultant), f.resultant};
}

}  // namespace vernier::spatial
