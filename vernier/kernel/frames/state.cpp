#include "vernier/kernel/frames/state.hpp"

#include <cmath>
#include <limits>

#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::frames {

using spatial::attitude_matrix;
using spatial::product;

FrameState composed(const FrameState& b, const FrameState& c) noexcept {
  const Matrix3 R_BA = attitude_matrix(b.attitude), R_CB = attitude_matrix(c.attitude);
  const Vector3 &w = b.rate, &al = b.angular_acceleration;
  const Vector3 w_r = w.cross(c.position);
  FrameState s;
  s.position = b.position + R_BA.transpose() * c.position;
  s.velocity = b.velocity + R_BA.transpose() * (c.velocity + w_r);
  s.acceleration =
      b.acceleration + R_BA.transpose() * (c.acceleration + w.cross(w_r) +
                                           2.0 * w.cross(c.velocity) + al.cross(c.position));
  s.attitude = product(c.attitude, b.attitude);
  const Vector3 w_C = R_CB * w;
  s.rate = w_C + c.rate;
  // R_CB changes: d(R_CB w)/dt = R_CB dw/dt - omega_CB x R_CB w.
  s.angular_acceleration = R_CB * al + c.angular_acceleration - c.rate.cross(w_C);
  return s;
}

FrameState inverse(const FrameState& b) noexcept {
  const Matrix3 R = attitude_matrix(b.attitude);
  const Vector3 &w = b.rate, &al = b.angular_acceleration;
  // The origin of A in axes of B, and its derivatives as seen from B.
  const Vector3 r = -(R * b.position);
  const Vector3 v = -(R * b.velocity) - w.cross(r);
  const Vector3 a = -(R * b.acceleration) - al.cross(r) - 2.0 * w.cross(v) - w.cross(w.cross(r));
  FrameState s;
  s.position = r;
  s.velocity = v;
  s.acceleration = a;
  s.attitude = spatial::inverse(b.attitude);
  s.rate = -(R.transpose() * w);
  // The derivative of omega is the same seen from A and from B.
  s.angular_acceleration = -(R.transpose() * al);
  return s;
}

FrameState relative(const FrameState& c, const FrameState& b) noexcept {
  // Differences first, so that common parts cancel before rotation.
  FrameState d = c;
  d.position -= b.position;
  d.velocity -= b.velocity;
  d.acceleration -= b.acceleration;
  FrameState axes = b;
  axes.position.setZero();
  axes.velocity.setZero();
  axes.acceleration.setZero();
  return composed(inverse(axes), d);
}

FrameState propagated(const FrameState& s, double dt) noexcept {
  FrameState n = s;
  n.position += dt * (s.velocity + 0.5 * dt * s.acceleration);
  n.velocity += dt * s.acceleration;
  n.rate += dt * s.angular_acceleration;
  // The Magnus series of omega + alpha t; its next term is of order dt^5.
  const Vector3 angle = dt * (s.rate + 0.5 * dt * s.angular_acceleration) +
                        (dt * dt * dt / 12.0) * s.rate.cross(s.angular_acceleration);
  const double size = angle.norm();
  if (size > 0.0) {
    n.attitude = product(spatial::turned(angle / size, size), s.attitude);
    n.attitude.normalize();
  }
  return n;
}

FrameState with_accelerations(const FrameState& now, const FrameState& before, double dt) noexcept {
  FrameState s = now;
  s.acceleration.setZero();
  s.angular_acceleration.setZero();
  if (!(dt > 0.0)) return s;
  // A smooth motion moves by the mean of both velocities, except for dt^3/12 times its jerk. A jump
  // in between causes an error of up to half of the change.
  constexpr double most = 0.25;
  const auto smooth = [](const Vector3& way, const Vector3& mean, const Vector3& change,
                         double rounding) {
    return (way - mean).norm() <= 0.5 * most * change.norm() + rounding;
  };
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const Vector3 v = now.velocity - before.velocity, w = now.rate - before.rate;
  if (smooth(now.position - before.position, 0.5 * dt * (now.velocity + before.velocity), dt * v,
             2.0 * epsilon * now.position.norm()))
    s.acceleration = v / dt;
  const Vector3 turn = 0.5 * dt * (now.rate + before.rate);
  if (turn.norm() > 1.0) return s;  // the rotation is ambiguous
  Quaternion q = product(now.attitude, spatial::inverse(before.attitude));
  if (q[3] < 0.0) q = -q;
  const double sine = q.head<3>().norm();
  const Vector3 turned = sine > 0.0
                             ? Vector3(2.0 * elementary::atan2(sine, q[3]) / sine * q.head<3>())
                             : Vector3::Zero();
  if (smooth(turned, turn, dt * w, 8.0 * epsilon)) s.angular_acceleration = w / dt;
  return s;
}

FrameState turned_about(int axis, double angle, double rate, double acceleration) noexcept {
  FrameState s;
  s.attitude = spatial::turned(Vector3::Unit(axis), angle);
  s.rate[axis] = rate;
  s.angular_acceleration[axis] = acceleration;
  return s;
}

FrameState turned_by(const Quaternion& q, const Quaternion& q_rate,
                     const Quaternion& q_second) noexcept {
  // The rate is the vector part of 2 q' q*. The same with q'' gives the acceleration, because q'
  // q'* has no vector part.
  const auto twice = [&q](const Quaternion& d) -> Vector3 {
    return 2.0 * product(d, spatial::inverse(q)).head<3>();
  };
  FrameState s;
  s.attitude = q.normalized();
  s.rate = twice(q_rate);
  s.angular_acceleration = twice(q_second);
  return s;
}

FrameState orbit_axes(const Vector3& r, const Vector3& v, const Vector3& a,
                      const Vector3& jerk) noexcept {
  const Vector3 momentum = r.cross(v);
  const double d = r.norm(), h = momentum.norm();
  const Vector3 x = r / d, z = momentum / h, y = z.cross(x);
  Matrix3 R;
  R.row(0) = x;
  R.row(1) = y;
  R.row(2) = z;
  const double a_y = a.dot(y), a_z = a.dot(z), d_rate = v.dot(x), h_rate = d * a_y;
  const double a_z_rate = jerk.dot(z) - d * a_z / h * a_y;
  const Eigen::Quaterniond turn(Matrix3(R.transpose()));
  FrameState s;
  s.attitude = turn.coeffs();
  s.rate = {d * a_z / h, 0.0, h / (d * d)};
  s.angular_acceleration = {d_rate * a_z / h + d * a_z_rate / h - d * a_z * h_rate / (h * h), 0.0,
                            (h_rate - 2.0 * h * d_rate / d) / (d * d)};
  return s;
}

FrameState local_vertical(const Vector3& r, const Vector3& v, const Vector3& a,
                          const Vector3& jerk) noexcept {
  FrameState s = orbit_axes(r, v, a, jerk);
  // From (x outward, y along track, z momentum) to (along track, -momentum, -outward).
  FrameState fixed;
  fixed.attitude = {-0.5, -0.5, 0.5, 0.5};
  s = composed(s, fixed);
  s.position = r;
  s.velocity = v;
  s.acceleration = a;
  return s;
}

FrameState local_vertical(const Vector3& r, const Vector3& v, double gravitation) noexcept {
  const double d2 = r.squaredNorm(), k = gravitation / (d2 * std::sqrt(d2));
  return local_vertical(r, v, -k * r, -k * (v - (3.0 * r.dot(v) / d2) * r));
}

std::array<double, 4> wire_attitude(const Quaternion& q, WireAttitude way) noexcept {
  // A left transformation quaternion is the conjugate of ours.
  const double sign = way == WireAttitude::parent_to_own ? -1.0 : 1.0;
  return {q[3], sign * q[0], sign * q[1], sign * q[2]};
}

std::optional<Quaternion> from_wire(const std::array<double, 4>& q, WireAttitude way) noexcept {
  const double sign = way == WireAttitude::parent_to_own ? -1.0 : 1.0;
  const Quaternion ours(sign * q[1], sign * q[2], sign * q[3], q[0]);
  const double length = ours.norm();
  if (!(std::fabs(length - 1.0) <= 0.01)) return {};
  return ours / length;
}

}  // namespace vernier::frames
