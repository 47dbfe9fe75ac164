// Accelerations and reactions of a chain with every kind of hinge, at one instant, against the
// recursion over trees.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/solver.hpp"
#include "vernier/kernel/multibody/tree.hpp"

namespace vernier {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using multibody::HingeKind;

constrained::Vector3 plain(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }
constrained::Matrix3 plain(const Matrix3d& m) {
  constrained::Matrix3 r;
  for (int i = 0; i < 9; ++i) r.a[i] = m(i / 3, i % 3);
  return r;
}
Vector3d eigen(const constrained::Vector3& v) { return {v.x, v.y, v.z}; }

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()() { return spread_(engine_); }
  Vector3d vector(double size) {
    const double x = (*this)(), y = (*this)(), z = (*this)();
    return size * Vector3d(x, y, z);
  }
  Matrix3d turn() { return Eigen::AngleAxisd((*this)(), vector(1.0).normalized()).matrix(); }

 private:
  std::mt19937 engine_;
  std::uniform_real_distribution<double> spread_{-1.0, 1.0};
};

/// Every kind of hinge once, at random places, between bodies of random inertia.
multibody::Model chain(Random& random) {
  using enum HingeKind;
  multibody::Model m{.name = "chain", .gravity = {1.0, -2.0, -9.0}, .bodies = {}};
  for (HingeKind kind : {pin, ball, prismatic, universal, cylindrical, fixed, planar, pin}) {
    multibody::Body b;
    b.name = "body " + std::to_string(m.bodies.size());
    const Vector3d c = random.vector(0.3);
    const double mass = 1.5 + random();
    const Vector3d half = Vector3d(0.3, 0.4, 0.5) + random.vector(0.1);
    const Matrix3d R = random.turn();
    const Matrix3d J =
        R * Vector3d(half.squaredNorm() - half.array().square().matrix().array()).asDiagonal() *
        R.transpose() * mass;
    b.inertia = {mass, mass * c,
                 J + mass * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose())};
    b.hinge.kind = kind;
    b.hinge.name = "hinge of " + b.name;
    b.hinge.parent = static_cast<int>(m.bodies.size()) - 1;
    b.hinge.outboard.pose = {random.turn(), random.vector(0.5)};
    b.hinge.inboard.pose = {random.turn(), random.vector(0.5)};
    m.bodies.push_back(b);
  }
  return m;
}

constrained::JointKind joint_of(HingeKind kind) {
  using J = constrained::JointKind;
  switch (kind) {
    case HingeKind::pin:
      return J::revolute;
    case HingeKind::ball:
      return J::spherical;
    case HingeKind::prismatic:
      return J::prismatic;
    case HingeKind::universal:
      return J::universal;
    case HingeKind::cylindrical:
      return J::cylindrical;
    case HingeKind::planar:
      return J::planar;
    default:
      return J::clamp;
  }
}

/// The same chain, placed and moving as the tree is.
constrained::Model mechanism(const multibody::Tree& tree, const multibody::Evaluation& at) {
  constrained::Model m;
  m.gravity = plain(tree.model().gravity);
  const int count = static_cast<int>(tree.model().bodies.size());
  for (int i = 0; i < count; ++i) {
    const multibody::Body& b = tree.model().bodies[i];
    const multibody::Pose pose = tree.pose(at, i);
    const multibody::Motion v = tree.motion(at, i);
    m.add(constrained::Node{.name = b.name,
                            .position = plain(pose.p),
                            .orientation = plain(pose.R),
                            .velocity = plain(Vector3d(pose.R * v.linear)),
                            .angular_velocity = plain(Vector3d(pose.R * v.angular))});
    const Vector3d c = b.inertia.moment / b.inertia.mass;
    const Matrix3d J =
        b.inertia.inertia -
        b.inertia.mass * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
    m.add(constrained::Body{.name = b.name,
                            .node = i,
                            .mass = b.inertia.mass,
                            .centre = plain(c),
                            .inertia = {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)}});
    const multibody::Pose &out = b.hinge.outboard.pose, &in = b.hinge.inboard.pose;
    Matrix3d axes = out.R;
    // the tree's universal hinge turns about x, then y; the joint keeps axis 3 of a normal to axis
    // 2 of b
    if (b.hinge.kind == HingeKind::universal) axes << out.R.col(1), out.R.col(2), out.R.col(0);
    m.add(b.hinge.name, "joint",
          make(constrained::Joint{
              .kind = joint_of(b.hinge.kind),
              .a = {.node = b.hinge.parent, .offset = plain(out.p), .axes = plain(axes)},
              .b = {.node = i, .offset = plain(in.p), .axes = plain(in.R)}}));
  }
  return m;
}

void expect_the_same(unsigned seed) {
  SCOPED_TRACE(seed);
  Random random(seed);
  const multibody::Tree tree(chain(random));
  multibody::Evaluation at(tree);
  std::vector<double> q(tree.coordinates()), u(tree.speeds()), rates(tree.speeds());
  tree.set_zero(q);
  for (double& x : q) x += 0.5 * random();
  tree.normalise(q);
  for (double& x : u) x = random();
  tree.place(q, u, at);
  ASSERT_TRUE(tree.accelerate({}, rates, at));

  constrained::Solver s(mechanism(tree, at), {});
  EXPECT_EQ(s.equations(), 8 * 12 + 5 + 3 + 5 + 4 + 4 + 6 + 3 + 5);
  s.initialize();
  for (int i = 0; i < 8; ++i) {
    SCOPED_TRACE(i);
    const multibody::Pose pose = tree.pose(at, i);
    EXPECT_LT((eigen(s.node(i).x) - pose.p).norm(), 1e-12);
    const multibody::Motion a = tree.acceleration(at, {i, multibody::NodeId::frame});
    const auto [linear, angular] = s.accelerations()[i];
    // rounding of a system of 83 equations
    EXPECT_LT((eigen(linear) - pose.R * a.linear).norm(), 1e-9);
    EXPECT_LT((eigen(angular) - pose.R * a.angular).norm(), 1e-9);

    // reactions on the body at the inboard node
    const multibody::Force f = tree.reaction(at, i);
    const Matrix3d in = tree.pose(at, {i, multibody::NodeId::inboard}).R;
    const multibody::Hinge& hinge = tree.model().bodies[i].hinge;
    const Matrix3d parent = hinge.parent < 0 ? Matrix3d::Identity() : tree.pose(at, hinge.parent).R;
    const Matrix3d& R = hinge.outboard.pose.R;
    Matrix3d axes = R;
    if (hinge.kind == HingeKind::universal) axes << R.col(1), R.col(2), R.col(0);
    const Matrix3d A = parent * axes;
    std::vector<double> measures(12);
    s.measure(i, measures);
    const Vector3d force(measures[0], measures[1], measures[2]);
    const Vector3d moment(measures[3], measures[4], measures[5]);
    EXPECT_LT((A * force - in * f.resultant).norm(), 1e-8);
    EXPECT_LT((A * moment - in * f.moment).norm(), 1e-8);
  }
}

TEST(ChainOfAllHinges, AcceleratesAndReactsAsTheTreeDoes) {
  for (unsigned seed : {1u, 2u, 3u}) expect_the_same(seed);
}

}  // namespace
}  // namespace vernier
