// Mechanisms in redundant coordinates against the recursion over trees, in minimal coordinates:
// two formulations that share nothing but vectors and modal integrals.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/modal_body.hpp"
#include "vernier/kernel/constrained/rotation.hpp"
#include "vernier/kernel/constrained/solver.hpp"
#include "vernier/kernel/multibody/tree.hpp"

namespace vernier::constrained {
namespace {

namespace mb = multibody;

Vector3 plain(const mb::Vector3& v) { return {v.x(), v.y(), v.z()}; }
Matrix3 plain(const mb::Matrix3& m) {
  return {{m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)}};
}
mb::Matrix3 eigen(const Matrix3& m) {
  mb::Matrix3 r;
  for (int i = 0; i < 9; ++i) r(i / 3, i % 3) = m.a[i];
  return r;
}

/// The motion of a tree under gravity, by Runge and Kutta's method with small steps.
class Motion {
 public:
  Motion(const mb::Tree& tree, std::vector<double> q, std::vector<double> u)
      : tree_(tree), evaluation_(tree), q_(std::move(q)), u_(std::move(u)) {}

  void run(double time, int steps) {
    const double h = time / steps;
    const std::size_t n = q_.size(), m = u_.size();
    std::vector<double> kq[4], ku[4], q(n), u(m);
    for (int s = 0; s < steps; ++s) {
      for (int j = 0; j < 4; ++j) {
        const double a = j == 0 ? 0.0 : j == 3 ? h : 0.5 * h;
        for (std::size_t i = 0; i < n; ++i) q[i] = q_[i] + (j == 0 ? 0.0 : a * kq[j - 1][i]);
        for (std::size_t i = 0; i < m; ++i) u[i] = u_[i] + (j == 0 ? 0.0 : a * ku[j - 1][i]);
        kq[j].resize(n);
        ku[j].resize(m);
        tree_.coordinate_rates(q, u, kq[j]);
        tree_.place(q, u, evaluation_);
        const std::vector<double> none(m, 0.0);
        static_cast<void>(tree_.accelerate({none, {}, {}, {}}, ku[j], evaluation_));
      }
      const auto add = [h](std::vector<double>& to, const std::vector<double>* k) {
        for (std::size_t i = 0; i < to.size(); ++i)
          to[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
      };
      add(q_, kq);
      add(u_, ku);
      tree_.normalise(q_);
    }
    tree_.place(q_, u_, evaluation_);
  }
  mb::Pose pose(int body) const { return tree_.pose(evaluation_, body); }
  const std::vector<double>& q() const { return q_; }

 private:
  const mb::Tree& tree_;
  mb::Evaluation evaluation_;
  std::vector<double> q_, u_;
};

Body body_of(const mb::Inertia& i, int node) {
  const mb::Vector3 c = i.moment / i.mass;
  const mb::Matrix3 J =
      i.inertia - i.mass * (c.dot(c) * mb::Matrix3::Identity() - c * c.transpose());
  return {"body" + std::to_string(node),
          node,
          i.mass,
          plain(c),
          {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)}};
}

/// The same tree as a mechanism: a node at each body's frame, joints where hinges are.
Model mechanism(const mb::Tree& tree, const std::vector<double>& q, const std::vector<double>& u) {
  mb::Evaluation at(tree);
  tree.place(q, u, at);
  Model m;
  m.gravity = plain(tree.model().gravity);
  for (std::size_t k = 0; k < tree.model().bodies.size(); ++k) {
    const mb::Body& b = tree.model().bodies[k];
    const mb::Pose pose = tree.pose(at, static_cast<int>(k));
    const auto motion = tree.motion(at, static_cast<int>(k));
    Node n;
    n.name = b.name;
    n.position = plain(pose.p);
    n.orientation = plain(pose.R);
    n.velocity = plain(mb::Vector3(pose.R * motion.linear));
    n.angular_velocity = plain(mb::Vector3(pose.R * motion.angular));
    const int node = m.add(n);
    if (!b.modes) m.add(body_of(b.inertia, node));
    Joint j;
    j.a = {b.hinge.parent, plain(b.hinge.outboard.pose.p), plain(b.hinge.outboard.pose.R)};
    j.b = {node, plain(b.hinge.inboard.pose.p), plain(b.hinge.inboard.pose.R)};
    switch (b.hinge.kind) {
      case mb::HingeKind::pin:
        j.kind = JointKind::revolute;
        break;
      case mb::HingeKind::ball:
        j.kind = JointKind::spherical;
        break;
      case mb::HingeKind::cylindrical:
        j.kind = JointKind::cylindrical;
        break;
      default:
        // Rx Ry: axis 1 of the parent stays normal to axis 2 of the child
        j.kind = JointKind::universal;
        j.a.axes = j.a.axes * Matrix3{{0, 0, 1, 1, 0, 0, 0, 1, 0}};
        break;
    }
    m.add("joint" + std::to_string(k), "joint", make(j));
  }
  return m;
}

/// Three bodies that are not symmetric, on hinges with crooked axes.
mb::Model crooked(const std::vector<mb::HingeKind>& kinds) {
  mb::Model m;
  m.gravity = {0.5, -9.0, 2.0};
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const double t = static_cast<double>(k);
    mb::Body b;
    b.name = "b" + std::to_string(k);
    std::vector<mb::Lump> lumps(5);
    for (int i = 0; i < 5; ++i) {
      lumps[i].mass = 0.4 + 0.2 * i;
      lumps[i].p = {0.1 * i + 0.05 * t, -0.2 + 0.15 * (i % 3), 0.3 * std::sin(1.0 + i + t)};
    }
    b.inertia = mb::rigid_inertia(lumps);
    b.hinge.kind = kinds[k];
    b.hinge.parent = static_cast<int>(k) - 1;
    b.hinge.outboard.pose = {eigen(rotation(Vector3{0.3 + t, -0.2, 0.5 * t})),
                             {0.2 * t, 0.4, -0.1 * t}};
    b.hinge.inboard.pose = {eigen(rotation(Vector3{-0.1, 0.4 - t, 0.2})), {-0.3, 0.1 * t, 0.05}};
    m.bodies.push_back(b);
  }
  return m;
}

/// Places of all nodes after one second.
std::vector<double> after_a_second(const Model& m, double h) {
  Solver s(m, {.tolerance = 1e-11});
  s.initialize();
  for (int i = 0; i < std::lround(1.0 / h); ++i)
    EXPECT_EQ(s.step(h).end, StepReport::End::converged);
  std::vector<double> all;
  for (std::size_t k = 0; k < m.nodes.size(); ++k) {
    // a point off the node, so that how it is turned counts too
    const NodeState& n = s.node(static_cast<int>(k));
    const Vector3 p = n.x + n.R * Vector3{0.3, -0.4, 0.5};
    all.insert(all.end(), {p.x, p.y, p.z});
  }
  return all;
}

/// The scheme is of second order and its error a power series: halving the step takes three
/// quarters of it away, and Richardson's extrapolation nearly all.
void expect_same_motion(const Model& m, const Motion& exact, std::size_t bodies, double h,
                        double tolerance) {
  const std::vector<double> coarse = after_a_second(m, h), fine = after_a_second(m, 0.5 * h);
  double error = 0.0, half = 0.0, extrapolated = 0.0;
  for (std::size_t i = 0; i < 3 * bodies; ++i) {
    const mb::Pose pose = exact.pose(static_cast<int>(i / 3));
    const mb::Vector3 p = pose.p + pose.R * mb::Vector3(0.3, -0.4, 0.5);
    const double x = p[static_cast<Eigen::Index>(i % 3)];
    error = std::max(error, std::abs(coarse[i] - x));
    half = std::max(half, std::abs(fine[i] - x));
    extrapolated = std::max(extrapolated, std::abs((4.0 * fine[i] - coarse[i]) / 3.0 - x));
  }
  EXPECT_NEAR(error / half, 4.0, 0.2);
  EXPECT_LT(extrapolated, tolerance);
}

struct Case {
  const char* name;
  std::vector<mb::HingeKind> kinds;

  friend std::ostream& operator<<(std::ostream& o, const Case& c) { return o << c.name; }
};
class OpenChain : public ::testing::TestWithParam<Case> {};

TEST_P(OpenChain, MovesAsTheTreeDoes) {
  const mb::Tree tree(crooked(GetParam().kinds));
  std::vector<double> q(tree.coordinates()), u(tree.speeds());
  tree.set_zero(q);
  for (std::size_t i = 0; i < u.size(); ++i)
    u[i] = 0.8 * std::sin(1.0 + 2.0 * static_cast<double>(i));
  Motion exact(tree, q, u);
  exact.run(1.0, 4000);
  expect_same_motion(mechanism(tree, q, u), exact, tree.model().bodies.size(), 1e-3, 1e-6);
}

using enum mb::HingeKind;
INSTANTIATE_TEST_SUITE_P(Of, OpenChain,
                         ::testing::Values(Case{"Pins", {pin, pin, pin}},
                                           Case{"SpatialDoublePendulum", {ball, ball}},
                                           Case{"Universals", {universal, pin, universal}},
                                           Case{"Cylinder", {pin, cylindrical, ball}}),
                         [](const auto& one) { return std::string(one.param.name); });

/// A flexible body on a pin, with a rigid one on a pin at its end.
TEST(FlexibleChain, MovesAsTheTreeDoes) {
  mb::Model m = crooked({pin, pin});
  mb::Body& flexible = m.bodies[0];
  std::vector<mb::Lump> lumps(6);
  for (int k = 0; k < 6; ++k) {
    const double x = 0.3 * k;
    lumps[k].mass = 0.5;
    lumps[k].p = {x, 0.02 * k, 0.0};
    lumps[k].shape.resize(3, 2);
    lumps[k].shape.col(0) << 0.0, x * x, 0.1 * x * x;
    lumps[k].shape.col(1) << 0.0, 0.0, x * x * (1.0 - 0.3 * x);
    lumps[k].inertia = mb::Vector3(0.01, 0.01, 0.01).asDiagonal();
    lumps[k].rotation.resize(3, 2);
    lumps[k].rotation.col(0) << 0.0, -0.2 * x, 2.0 * x;
    lumps[k].rotation.col(1) << 0.0, -2.0 * x + 0.9 * x * x, 0.0;
  }
  flexible.inertia = mb::rigid_inertia(lumps);
  flexible.modes = mb::modal_integrals(lumps);
  flexible.modes->order = 2;
  flexible.modes->stiffness = mb::MatrixX::Identity(2, 2) * 400.0;
  flexible.modes->damping = mb::MatrixX::Identity(2, 2) * 0.5;
  mb::Node end;
  end.name = "end";
  end.pose.p = lumps[5].p;
  end.phi_t = lumps[5].shape;
  end.phi_r = lumps[5].rotation;
  flexible.nodes = {end};
  m.bodies[1].hinge.outboard = end;
  const mb::Tree tree(m);
  std::vector<double> q(tree.coordinates()), u(tree.speeds());
  tree.set_zero(q);
  u[0] = 0.5, u.back() = -0.7;
  Motion exact(tree, q, u);
  exact.run(1.0, 8000);

  Model same = mechanism(tree, q, u);
  Node station;
  station.name = "station";
  station.dynamic = false;
  station.position = same.nodes[0].position + same.nodes[0].orientation * plain(end.pose.p);
  station.orientation = same.nodes[0].orientation;
  station.angular_velocity = same.nodes[0].angular_velocity;
  station.velocity = same.nodes[0].velocity +
                     cross(station.angular_velocity, station.position - same.nodes[0].position);
  const int at = same.add(station);
  ModalBody body = modal_body(tree.model().bodies[0], 0);
  body.stations[0].node = at;
  body.gravity = same.gravity;
  // the second joint is at the station instead of at the body
  Joint second;
  second.a = {at, {}, spatial::identity3<double>()};
  second.b = {1, plain(m.bodies[1].hinge.inboard.pose.p), plain(m.bodies[1].hinge.inboard.pose.R)};
  same.elements.pop_back();
  same.add("second", "revolute", make(second));
  same.add("flexible", "modal", make(body));
  expect_same_motion(same, exact, 2, 1e-3, 1e-5);
  // it did bend
  EXPECT_GT(std::abs(exact.q()[1]), 1e-3);
}

}  // namespace
}  // namespace vernier::constrained
