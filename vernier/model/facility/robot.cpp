#include "vernier/model/facility/robot.hpp"

#include <Eigen/LU>

namespace vernier::facility {
namespace {

Pose times(const Pose& a, const Pose& b) noexcept {
  Pose c;
  c.R = a.R * b.R;
  c.p = a.p + a.R * b.p;
  return c;
}

Pose arm_base(const Robot& r, const Coordinates& q) noexcept {
  Pose b = r.base;
  b.p += r.axis * q[0];
  return b;
}

/// The pose of the flange for a pose of the body.
Pose flange_of(const Robot& r, const Pose& body) noexcept {
  Pose f;
  f.R = body.R * r.mount.R.transpose();
  f.p = body.p - f.R * r.mount.p;
  return f;
}

}  // namespace

Coordinates home(const Robot& r) noexcept {
  Coordinates q;
  for (int i = 0; i < 7; ++i) q[i] = r.joints[static_cast<std::size_t>(i)].home;
  return q;
}

Coordinates parked(const Robot& r) noexcept {
  Coordinates q;
  for (int i = 0; i < 7; ++i) q[i] = r.joints[static_cast<std::size_t>(i)].parked;
  return q;
}

Pose body_pose(const Robot& r, const Coordinates& q) noexcept {
  return times(times(arm_base(r, q), flange(r.arm, q.tail<6>())), r.mount);
}

Motion body_motion(const Robot& r, const Coordinates& q, const Coordinates& rates) noexcept {
  const Eigen::Matrix<double, 6, 1> v = jacobian(r.arm, q.tail<6>()) * rates.tail<6>();
  const Pose f = flange(r.arm, q.tail<6>());
  const Motion flange{r.base.R * v.head<3>(), r.base.R * v.tail<3>() + r.axis * rates[0]};
  return spatial::shifted(flange, r.base.R * (f.R * r.mount.p));
}

Placement placed(const Robot& r, const Pose& body, const Coordinates& previous) noexcept {
  Placement to;
  to.q = previous;
  const Pose f = flange_of(r, body);
  if (r.railed) {
    const Vector3 wrist = f.p - f.R * Vector3(r.arm.hand, 0, 0);
    to.q[0] = (wrist - r.base.p).dot(r.axis) - r.stand;
  }
  const Pose base = arm_base(r, to.q);
  Pose in_base;
  in_base.R = base.R.transpose() * f.R;
  in_base.p = base.R.transpose() * (f.p - base.p);
  Solutions found;
  to.q.tail<6>() = nearest_solution(r.arm, in_base, previous.tail<6>(), found);
  to.reached = found.count > 0;
  to.distance = found.distance;
  to.nearest = found.nearest;
  to.farthest = found.farthest;
  return to;
}

Coordinates rates_of(const Robot& r, const Coordinates& q, const Motion& body) noexcept {
  const Pose f = flange(r.arm, q.tail<6>());
  const Motion tip = spatial::shifted(body, -(r.base.R * (f.R * r.mount.p)));
  Coordinates rates = Coordinates::Zero();
  if (r.railed) {
    const Motion wrist = spatial::shifted(tip, -(r.base.R * (f.R * Vector3(r.arm.hand, 0, 0))));
    rates[0] = wrist.linear.dot(r.axis);
  }
  Eigen::Matrix<double, 6, 1> v;
  v.head<3>() = r.base.R.transpose() * tip.angular;
  v.tail<3>() = r.base.R.transpose() * (tip.linear - r.axis * rates[0]);
  const Jacobian J = jacobian(r.arm, q.tail<6>());
  rates.tail<6>() = Eigen::PartialPivLU<Jacobian>(J).solve(v);
  return rates;
}

}  // namespace vernier::facility
