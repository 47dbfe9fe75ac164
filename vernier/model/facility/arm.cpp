#include "vernier/model/facility/arm.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::facility {
namespace {

Matrix3 about_x(double a) noexcept {
  const double c = elementary::cos(a), s = elementary::sin(a);
  Matrix3 r;
  r << 1, 0, 0, 0, c, -s, 0, s, c;
  return r;
}
Matrix3 about_y(double a) noexcept {
  const double c = elementary::cos(a), s = elementary::sin(a);
  Matrix3 r;
  r << c, 0, s, 0, 1, 0, -s, 0, c;
  return r;
}
Matrix3 about_z(double a) noexcept {
  const double c = elementary::cos(a), s = elementary::sin(a);
  Matrix3 r;
  r << c, -s, 0, s, c, 0, 0, 0, 1;
  return r;
}

double from_elbow(const Arm& a) noexcept { return elementary::hypot(a.forearm, a.elbow_offset); }
/// The angle from the upper arm to the line from elbow to wrist if A3 is zero.
double bend(const Arm& a) noexcept { return elementary::atan2(a.forearm, a.elbow_offset); }

}  // namespace

Pose flange(const Arm& a, const Angles& q) noexcept {
  const Matrix3 R1 = about_z(q[0]), R3 = R1 * about_y(q[1] + q[2]);
  Pose f;
  f.R = R3 * about_x(q[3]) * about_y(q[4]) * about_x(q[5]);
  f.p = R1 * (Vector3(a.shoulder_offset, 0, a.shoulder_height) +
              about_y(q[1]) * Vector3(0, 0, a.upper_arm)) +
        R3 * Vector3(a.forearm, 0, a.elbow_offset) + f.R * Vector3(a.hand, 0, 0);
  return f;
}

Jacobian jacobian(const Arm& a, const Angles& q) noexcept {
  const Matrix3 R1 = about_z(q[0]), R3 = R1 * about_y(q[1] + q[2]), R4 = R3 * about_x(q[3]),
                R5 = R4 * about_y(q[4]);
  const Vector3 shoulder = R1 * Vector3(a.shoulder_offset, 0, a.shoulder_height),
                elbow = shoulder + R1 * (about_y(q[1]) * Vector3(0, 0, a.upper_arm)),
                wrist = elbow + R3 * Vector3(a.forearm, 0, a.elbow_offset),
                tip = wrist + R5 * Vector3(a.hand, 0, 0);
  Jacobian J;
  const auto column = [&](int i, const Vector3& axis, const Vector3& point) {
    J.col(i).head<3>() = axis;
    J.col(i).tail<3>() = axis.cross(tip - point);
  };
  const Vector3 y = R1.col(1);
  column(0, Vector3::UnitZ(), Vector3::Zero());
  column(1, y, shoulder);
  column(2, y, elbow);
  column(3, R3.col(0), wrist);
  column(4, R4.col(1), wrist);
  column(5, R5.col(0), wrist);
  return J;
}

Conditions conditions(const Arm& a, const Angles& q) noexcept {
  const double out = a.shoulder_offset + a.upper_arm * elementary::sin(q[1]) +
                     a.forearm * elementary::cos(q[1] + q[2]) +
                     a.elbow_offset * elementary::sin(q[1] + q[2]);
  return {std::abs(out) / (a.upper_arm + from_elbow(a)), std::abs(elementary::sin(q[2] + bend(a))),
          std::abs(elementary::sin(q[4]))};
}

Singularity singularity(const Conditions& c, double limit) noexcept {
  if (c.shoulder < limit) return Singularity::shoulder;
  if (c.elbow < limit) return Singularity::elbow;
  if (c.wrist < limit) return Singularity::wrist;
  return Singularity::none;
}

Solutions solutions(const Arm& a, const Pose& at, const Angles& previous) noexcept {
  Solutions s;
  const Vector3 wrist = at.p - at.R * Vector3(a.hand, 0, 0);
  const double l = from_elbow(a), gamma = bend(a);
  s.nearest = std::abs(a.upper_arm - l);
  s.farthest = a.upper_arm + l;
  s.distance = -1.0;
  const double across = elementary::hypot(wrist[0], wrist[1]);
  for (const double side : {1.0, -1.0}) {
    // With the wrist on axis 1 any A1 is a solution: keep the current one.
    const double q1 =
        across > 0.0 ? elementary::atan2(side * wrist[1], side * wrist[0]) : previous[0];
    const double r = side * across - a.shoulder_offset, z = wrist[2] - a.shoulder_height;
    const double d2 = r * r + z * z, d = std::sqrt(d2);
    const auto outside = [&](double x) { return std::max(s.nearest - x, x - s.farthest); };
    if (s.distance < 0.0 || outside(d) < outside(s.distance)) s.distance = d;
    // 1 - c and 1 + c by differences of lengths, so that a stretched arm is exact (law of cosines
    // without cancellation).
    const double p = 2.0 * a.upper_arm * l;
    const double stretched = (s.farthest - d) * (s.farthest + d) / p,
                 folded = (d - s.nearest) * (d + s.nearest) / p;
    if (!(stretched >= 0.0 && folded >= 0.0)) continue;
    const double angle = 2.0 * elementary::atan2(std::sqrt(stretched), std::sqrt(folded));
    for (const double elbow : {1.0, -1.0}) {
      const double q3 = elbow * angle - gamma;
      const double x = a.forearm * elementary::cos(q3) + a.elbow_offset * elementary::sin(q3),
                   h = a.upper_arm - a.forearm * elementary::sin(q3) +
                       a.elbow_offset * elementary::cos(q3);
      const double q2 = elementary::atan2(r, z) - elementary::atan2(x, h);
      const Matrix3 W = (about_z(q1) * about_y(q2 + q3)).transpose() * at.R;
      const double sine = elementary::hypot(W(1, 0), W(2, 0));
      for (const double turn : {1.0, -1.0}) {
        Angles& q = s.angles[static_cast<std::size_t>(s.count++)];
        q[0] = q1, q[1] = q2, q[2] = q3;
        q[4] = elementary::atan2(turn * sine, W(0, 0));
        // Axes 4 and 6 in line: A4 stays, A6 makes up the rotation.
        q[3] = sine > 1e-12 ? elementary::atan2(turn * W(1, 0), -turn * W(2, 0)) : previous[3];
        const Matrix3 rest = about_y(q[4]).transpose() * about_x(q[3]).transpose() * W;
        q[5] = elementary::atan2(rest(2, 1), rest(1, 1));
      }
    }
  }
  return s;
}

Angles nearest_solution(const Arm& a, const Pose& at, const Angles& previous,
                        Solutions& found) noexcept {
  found = solutions(a, at, previous);
  Angles best = previous;
  double least = -1.0;
  for (int i = 0; i < found.count; ++i) {
    Angles q = found.angles[static_cast<std::size_t>(i)];
    constexpr double turn = 2.0 * std::numbers::pi;
    for (int j = 0; j < 6; ++j) q[j] += turn * std::round((previous[j] - q[j]) / turn);
    const double off = (q - previous).squaredNorm();
    if (least >= 0.0 && off >= least) continue;
    least = off;
    best = q;
  }
  return best;
}

}  // namespace vernier::facility
