#pragma once

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/coordinate.hpp"

namespace vernier::constrained::parts {

inline int constraints_of(JointKind kind) noexcept {
  switch (kind) {
    case JointKind::spherical:
    case JointKind::planar:
    case JointKind::rotation:
    case JointKind::displacement:
      return 3;
    case JointKind::revolute:
    case JointKind::prismatic:
      return 5;
    case JointKind::cylindrical:
    case JointKind::universal:
      return 4;
    case JointKind::in_line:
      return 2;
    case JointKind::in_plane:
    case JointKind::distance:
      return 1;
    case JointKind::clamp:
      return 6;
  }
  return 0;
}

/// The constraint values of a joint for any number type: their time derivatives follow from it.
/// `drive`: values of its drives, in order; for a distance joint, the length.
template <class T>
void constraint_values(const Joint& j, const PoseOf<T>& a, const PoseOf<T>& b, const Vec3<T>& drive,
                       T* out) noexcept {
  const auto number = [](const Vector3& v) { return spatial::vec3<T>(v); };
  const Mat3<T> A = a.R * spatial::mat3<T>(j.a.axes.a), B = b.R * spatial::mat3<T>(j.b.axes.a);
  const Vec3<T> r = b.x + b.R * number(j.b.offset) - a.x - a.R * number(j.a.offset);
  const auto points = [&] {
    *out++ = r.x;
    *out++ = r.y;
    *out++ = r.z;
  };
  const auto along = [&](int i) { *out++ = dot(column(A, i), r); };
  const auto axes = [&] {
    const Vec3<T> u = column(A, 2);
    const T w = dot(u, column(B, 2)), near = constant<T>(aligned_from), one = constant<T>(1.0);
    const T f = w < near ? (one + near) / (one + w) : one;
    *out++ = f * dot(u, column(B, 0));
    *out++ = f * dot(u, column(B, 1));
  };
  const auto orientation = [&](const Mat3<T>& now) {
    const Vec3<T> phi = rotation_vector(transposed(A) * now);
    *out++ = phi.x;
    *out++ = phi.y;
    *out++ = phi.z;
  };
  switch (j.kind) {
    case JointKind::spherical:
      points();
      break;
    case JointKind::revolute:
      points();
      axes();
      break;
    case JointKind::cylindrical:
      along(0);
      along(1);
      axes();
      break;
    case JointKind::prismatic:
      along(0);
      along(1);
      orientation(B);
      break;
    case JointKind::planar:
      along(2);
      axes();
      break;
    case JointKind::universal:
      points();
      *out++ = dot(column(A, 2), column(B, 1));
      break;
    case JointKind::in_line:
      along(0);
      along(1);
      break;
    case JointKind::in_plane:
      along(2);
      break;
    case JointKind::distance: {
      using spatial::square_root;
      *out++ = square_root(dot(r, r)) - drive.x;
      break;
    }
    case JointKind::clamp:
      points();
      orientation(B);
      break;
    case JointKind::rotation:
      orientation(times_transposed(B, rotation(drive)));
      break;
    case JointKind::displacement: {
      const Vec3<T> s = transposed_times(A, r) - drive;
      *out++ = s.x;
      *out++ = s.y;
      *out++ = s.z;
      break;
    }
  }
}

}  // namespace vernier::constrained::parts
