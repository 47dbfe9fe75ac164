#include "vernier/model/facility/arm.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "vernier/base/random.hpp"
#include "vernier/kernel/multibody/tree.hpp"
#include "vernier/model/facility/robot.hpp"

namespace vernier::facility {
namespace {

constexpr double pi = std::numbers::pi;
const Arm big{.shoulder_height = 0.75,
              .shoulder_offset = 0.35,
              .upper_arm = 1.25,
              .elbow_offset = -0.055,
              .forearm = 1.1,
              .hand = 0.23};

Angles random_angles(Random& random, double most) {
  Angles q;
  for (int i = 0; i < 6; ++i) q[i] = most * (2.0 * random.uniform() - 1.0);
  return q;
}

double distance(const Pose& a, const Pose& b) {
  return std::max((a.p - b.p).norm(), (a.R - b.R).norm());
}

TEST(Arm, ReachesForwardWithAllAnglesZero) {
  const Pose f = flange(big, Angles::Zero());
  EXPECT_LT((f.p - Vector3(0.35 + 1.1 + 0.23, 0.0, 0.75 + 1.25 - 0.055)).norm(), 1e-15);
  EXPECT_EQ(f.R, Matrix3::Identity());
}

TEST(Arm, EveryInverseSolutionLeadsBackToThePose) {
  Random random(1);
  for (int k = 0; k < 5000; ++k) {
    const Angles q = random_angles(random, pi);
    const Pose f = flange(big, q);
    const Solutions s = solutions(big, f, q);
    ASSERT_GE(s.count, 4);
    double nearest = 1e9;
    for (int i = 0; i < s.count; ++i) {
      const Angles& a = s.angles[static_cast<std::size_t>(i)];
      ASSERT_LT(distance(flange(big, a), f), 1e-10) << k << " " << i;
      Angles off = a - q;
      for (int j = 0; j < 6; ++j) off[j] = std::remainder(off[j], 2.0 * pi);
      nearest = std::min(nearest, off.norm());
    }
    // one of them is where the pose came from, as exactly as its condition allows
    const Conditions c = conditions(big, q);
    const double worst = std::min({c.shoulder, c.elbow, c.wrist});
    ASSERT_LT(nearest, 1e-13 / (worst * worst) + 1e-12) << k;
  }
}

TEST(Arm, TheNearestSolutionContinuesAPathThroughTurnsAndWristFlips) {
  Angles q = Angles::Zero();
  q << 0.3, 0.2, 0.4, 2.0, 0.5, -1.0;
  Angles last = q;
  for (int k = 0; k < 4000; ++k) {  // A4 and A6 beyond ±π, A5 through zero
    Angles to = q;
    to[3] += 1.5e-3 * k;
    to[4] = 0.5 * std::cos(2e-3 * k + 1e-3);
    to[5] -= 2e-3 * k;
    Solutions found;
    const Angles a = nearest_solution(big, flange(big, to), last, found);
    ASSERT_GT(found.count, 0);
    ASSERT_LT((a - to).norm(), 1e-9) << k;
    last = a;
  }
}

TEST(Arm, KeepsA4WhereA4AndA6AreInLine) {
  Angles q;
  q << 0.1, 0.2, 0.3, 0.7, 0.0, 0.4;
  Solutions found;
  Angles near = q;
  near[3] = 0.75;
  const Angles a = nearest_solution(big, flange(big, q), near, found);
  EXPECT_EQ(a[3], 0.75);
  EXPECT_NEAR(a[5], 0.35, 1e-12);  // the turns add up
  EXPECT_LT(distance(flange(big, a), flange(big, q)), 1e-10);
}

TEST(Arm, SaysHowFarItCannotReach) {
  Pose far;
  far.p = Vector3(5.0, 0.0, 0.75);
  Solutions found;
  nearest_solution(big, far, Angles::Zero(), found);
  EXPECT_EQ(found.count, 0);
  EXPECT_NEAR(found.distance, 5.0 - 0.23 - 0.35, 1e-12);
  EXPECT_NEAR(found.farthest, 1.25 + std::hypot(1.1, 0.055), 1e-12);
}

TEST(Arm, NamesItsSingularities) {
  Angles q = Angles::Zero();
  q << 0.0, 0.2, 0.4, 0.0, 1.0, 0.0;
  EXPECT_EQ(singularity(conditions(big, q), 0.02), Singularity::none);
  q[4] = 0.01;
  EXPECT_EQ(singularity(conditions(big, q), 0.02), Singularity::wrist);
  q[4] = 1.0;
  q[2] = -std::atan2(1.1, -0.055);  // elbow, wrist and shoulder in line
  EXPECT_EQ(singularity(conditions(big, q), 0.02), Singularity::elbow);
  q << 0.0, 0.0, 0.0, 0.0, 1.0, 0.0;
  // A2 so that the wrist is over axis 1: 0.35 + 1.1 cos + ... = 0, closed form from the triangle
  const double x = 1.1, h = 1.25 - 0.055;
  q[1] = -std::asin(0.35 / std::hypot(x, h)) - std::atan2(x, h);
  EXPECT_LT(conditions(big, q).shoulder, 1e-14);
  EXPECT_EQ(singularity(conditions(big, q), 0.02), Singularity::shoulder);
}

TEST(Arm, JacobianIsTheDerivativeOfThePose) {
  Random random(2);
  for (int k = 0; k < 200; ++k) {
    const Angles q = random_angles(random, pi);
    const Jacobian J = jacobian(big, q);
    for (int j = 0; j < 6; ++j) {
      constexpr double h = 1e-5;  // differences of second order: error h² times O(1)
      Angles a = q, b = q;
      a[j] += h, b[j] -= h;
      const Pose fa = flange(big, a), fb = flange(big, b), f = flange(big, q);
      const Matrix3 S = (fa.R - fb.R) / (2.0 * h) * f.R.transpose();
      const Vector3 angular(S(2, 1), S(0, 2), S(1, 0));
      ASSERT_LT((J.col(j).head<3>() - angular).norm(), 1e-9);
      ASSERT_LT((J.col(j).tail<3>() - (fa.p - fb.p) / (2.0 * h)).norm(), 1e-9);
    }
  }
}

Robot railed_robot() {
  Robot r;
  r.name = "target";
  r.base.R = spatial::attitude_matrix(spatial::turned(Vector3::UnitZ(), pi)).transpose();
  r.base.p = Vector3(3.5, 0.1, 0.2);
  r.railed = true;
  r.axis = Vector3(1.0, 0.1, 0.0).normalized();
  r.stand = -1.3;
  r.arm = big;
  r.mount.p = Vector3(0.3, 0.02, -0.25);
  r.mount.R =
      spatial::attitude_matrix(spatial::turned(Vector3(1, 1, 1).normalized(), 2.0)).transpose();
  return r;
}

/// The same robot as a tree of bodies of the multibody kernel, built from axes and points alone.
multibody::Tree tree_of(const Robot& r) {
  multibody::Model m;
  m.name = "robot";
  // axes at zero angles in the base, and the points they go through
  const Arm& a = r.arm;
  const double up = a.shoulder_height + a.upper_arm;
  const Vector3 wrist(a.shoulder_offset + a.forearm, 0, up + a.elbow_offset);
  const Vector3 points[] = {Vector3::Zero(),
                            {a.shoulder_offset, 0, a.shoulder_height},
                            {a.shoulder_offset, 0, up},
                            wrist,
                            wrist,
                            wrist};
  const Vector3 axes[] = {Vector3::UnitZ(), Vector3::UnitY(), Vector3::UnitY(),
                          Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitX()};
  const auto along = [](const Vector3& axis) {  // a frame whose z is the axis
    return Matrix3(Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), axis).toRotationMatrix());
  };
  const auto body = [&](multibody::HingeKind kind, int parent, const Pose& at) {
    multibody::Body b;
    b.name = "b" + std::to_string(m.bodies.size());
    b.inertia = {1.0, Vector3::Zero(), Matrix3::Identity()};
    b.hinge.name = b.name;
    b.hinge.kind = kind;
    b.hinge.parent = parent;
    b.hinge.outboard.name = "o" + b.name;
    b.hinge.inboard.name = "i" + b.name;
    b.hinge.outboard.pose = at;
    return b;
  };
  // every body's frame is parallel to the base at zero and sits in the point of its axis
  Pose rail;
  rail.R = along(r.axis);
  rail.p = r.base.p;
  multibody::Body carriage = body(multibody::HingeKind::prismatic, multibody::ground, rail);
  carriage.hinge.inboard.pose.R = r.base.R.transpose() * rail.R;
  m.bodies.push_back(carriage);
  Vector3 from = Vector3::Zero();
  for (int i = 0; i < 6; ++i) {
    Pose at;
    at.R = along(axes[i]);
    at.p = points[i] - from;
    multibody::Body b = body(multibody::HingeKind::pin, i, at);
    b.hinge.inboard.pose.R = at.R;
    if (i == 5) {
      multibody::Node tip;
      tip.name = "body";
      tip.pose.p = Vector3(a.hand, 0, 0) + r.mount.p;
      tip.pose.R = r.mount.R;
      b.nodes.push_back(tip);
    }
    m.bodies.push_back(b);
    from = points[i];
  }
  return multibody::Tree(m);
}

TEST(Robot, AgreesWithTheMultibodyKernel) {
  const Robot r = railed_robot();
  const multibody::Tree tree = tree_of(r);
  multibody::Evaluation e(tree);
  ASSERT_EQ(tree.coordinates(), 7u);
  Random random(3);
  for (int k = 0; k < 300; ++k) {
    Coordinates q, u;
    q[0] = 25.0 * random.uniform();
    q.tail<6>() = random_angles(random, pi);
    u[0] = random.normal();
    u.tail<6>() = random_angles(random, 2.0);
    tree.place({q.data(), 7}, {u.data(), 7}, e);
    const Pose mine = body_pose(r, q), theirs = tree.pose(e, {6, 0});
    ASSERT_LT(distance(mine, theirs), 1e-13);
    const Motion v = body_motion(r, q, u), w = tree.motion(e, multibody::NodeId{6, 0});
    ASSERT_LT((v.angular - theirs.R * w.angular).norm(), 1e-13);
    ASSERT_LT((v.linear - theirs.R * w.linear).norm(), 1e-12);
  }
}

TEST(Robot, TheRailKeepsTheWristAtItsStand) {
  const Robot r = railed_robot();
  Random random(4);
  int reached = 0;
  for (int k = 0; k < 2000; ++k) {
    Coordinates near = Coordinates::Zero();
    near.tail<6>() << 0.0, 0.2, 0.4, 0.0, -1.0, 0.0;
    Pose body = body_pose(r, near);
    body.p +=
        Vector3(20.0 * random.uniform(), 1.6 * random.uniform() - 0.8, random.uniform() - 0.5);
    body.R = spatial::attitude_matrix(spatial::turned(Vector3::UnitZ(), random.uniform() - 0.5)) *
             body.R;
    const Placement to = placed(r, body, near);
    if (!to.reached) continue;
    ++reached;
    ASSERT_LT(distance(body_pose(r, to.q), body), 1e-10);
    // rates by the same rule: the derivative of the placement along any motion
    const Motion v{Vector3(0.3, -0.2, 0.1), Vector3(0.5, 0.1, -0.2)};
    const Coordinates rates = rates_of(r, to.q, v);
    constexpr double h = 1e-6;
    Pose later = body;
    later.p += h * v.linear;
    later.R = Eigen::AngleAxisd(h * v.angular.norm(), v.angular.normalized()) * body.R;
    const Placement next = placed(r, later, to.q);
    if (singularity(conditions(r.arm, to.q.tail<6>()), 0.2) == Singularity::none) {
      ASSERT_LT(((next.q - to.q) / h - rates).norm(), 1e-3);
    }
    const Motion back = body_motion(r, to.q, rates);
    ASSERT_LT((back.linear - v.linear).norm() + (back.angular - v.angular).norm(), 1e-9);
  }
  EXPECT_GT(reached, 1500);
}

}  // namespace
}  // namespace vernier::facility
