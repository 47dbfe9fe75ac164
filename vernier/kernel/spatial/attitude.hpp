#pragma once

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/spatial/motion.hpp"

namespace vernier::spatial {

/// Attitude of B relative to N as four numbers, scalar last: (e sin φ/2, cos φ/2) for a turn of the
/// axes by φ about e. It takes components from N (inertial) to B (body): v_B = to_body(q_BN, v_N).
using Quaternion = Eigen::Vector4d;

/// A(q) = R_BN: v_B = A v_N. A rotation times |q|² when q is not a unit vector.
inline Matrix3 attitude_matrix(const Quaternion& q) noexcept {
  const double a = q[0], b = q[1], c = q[2], s = q[3];
  Matrix3 r;
  r << a * a - b * b - c * c + s * s, 2 * (a * b + c * s), 2 * (a * c - b * s),  //
      2 * (a * b - c * s), -a * a + b * b - c * c + s * s, 2 * (b * c + a * s),  //
      2 * (a * c + b * s), 2 * (b * c - a * s), -a * a - b * b + c * c + s * s;
  return r;
}

/// Components in B of a vector given in N.
inline Vector3 to_body(const Quaternion& q_BN, const Vector3& v_N) noexcept {
  return attitude_matrix(q_BN) * v_N;
}

/// Components in N of a vector given in B.
inline Vector3 to_inertial(const Quaternion& q_BN, const Vector3& v_B) noexcept {
  return attitude_matrix(q_BN).transpose() * v_B;
}

/// d q_BN / dt = Ω(ω) q / 2 with ω = omega_BN_B; linear in both. Keeps |q|.
inline Quaternion quaternion_rate(const Quaternion& q, const Vector3& w) noexcept {
  return 0.5 * Quaternion(w[2] * q[1] - w[1] * q[2] + w[0] * q[3],
                          -w[2] * q[0] + w[0] * q[2] + w[1] * q[3],
                          w[1] * q[0] - w[0] * q[1] + w[2] * q[3],
                          -w[0] * q[0] - w[1] * q[1] - w[2] * q[2]);
}

/// q_CN of turning from N to B, then from B to C: R(product(q_CB, q_BN)) = R(q_CB) R(q_BN).
inline Quaternion product(const Quaternion& q_CB, const Quaternion& q_BN) noexcept {
  const Vector3 p = q_CB.head<3>(), q = q_BN.head<3>();
  Quaternion r;
  r.head<3>() = q_CB[3] * q + q_BN[3] * p - p.cross(q);
  r[3] = q_CB[3] * q_BN[3] - p.dot(q);
  return r;
}

/// q_NB of a unit q_BN.
inline Quaternion inverse(const Quaternion& q) noexcept { return {-q[0], -q[1], -q[2], q[3]}; }

/// The rotation relative to the reference: the identity if q equals q_ref. Requires unit
/// quaternions.
inline Quaternion attitude_error(const Quaternion& q, const Quaternion& q_ref) noexcept {
  return product(q, inverse(q_ref));
}

/// Axes turned by `angle` (rad) about the unit vector `axis`.
inline Quaternion turned(const Vector3& axis, double angle) noexcept {
  Quaternion q;
  q.head<3>() = elementary::sin(0.5 * angle) * axis;
  q[3] = elementary::cos(0.5 * angle);
  return q;
}

}  // namespace vernier::spatial
