#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "vernier/kernel/constrained/elements/modal_body.hpp"
#include "vernier/kernel/constrained/elements/modal_cases_test.hpp"
#include "vernier/kernel/constrained/solver.hpp"
#include "vernier/kernel/multibody/tree.hpp"

namespace vernier::constrained {
namespace {

using multibody::NodeId;

/// A flexible body in free flight, and a rigid one hinged at its end.
multibody::Model tree_model(int order) {
  multibody::Model m;
  m.gravity = {0.3, -0.5, -1.0};
  multibody::Body hub = flexible_body(2, order), arm;
  hub.hinge.kind = multibody::HingeKind::free;
  arm.name = "arm";
  arm.inertia.mass = 2.0;
  arm.inertia.moment = {0.6, 0.0, 0.1};
  arm.inertia.inertia << 0.05, 0.0, -0.03, 0.0, 0.4, 0.0, -0.03, 0.0, 0.38;
  arm.hinge.kind = multibody::HingeKind::pin;
  arm.hinge.parent = 0;
  arm.hinge.outboard = hub.nodes[1];
  m.bodies = {hub, arm};
  return m;
}

Vector3 numbers_of(const multibody::Vector3& v) { return {v.x(), v.y(), v.z()}; }
Matrix3 numbers_of(const multibody::Matrix3& m) {
  Matrix3 r;
  for (int i = 0; i < 9; ++i) r.a[i] = m(i / 3, i % 3);
  return r;
}

/// A tree in motion, by the classical Runge–Kutta method.
struct Reference {
  explicit Reference(int order) : tree(tree_model(order)), at(tree) {
    q.resize(tree.coordinates());
    u.resize(tree.speeds());
    tree.set_zero(q);
    const double speeds[] = {0.4, -0.6, 0.5, 0.2, -0.3, 0.1, 0.3, -0.2, 0.7};
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = speeds[i];
    q[7] = 0.1, q[8] = -0.05, q[9] = 0.3;  // modes, angle
    tree.place(q, u, at);
  }

  void advance(double h, int steps) {
    std::vector<double> k[4][2], x(q.size()), v(u.size());
    for (auto& stage : k) stage[0].resize(q.size()), stage[1].resize(u.size());
    for (int s = 0; s < steps; ++s) {
      for (int i = 0; i < 4; ++i) {
        const double a = i == 0 ? 0.0 : i == 3 ? h : 0.5 * h;
        for (std::size_t j = 0; j < q.size(); ++j) x[j] = q[j] + (i ? a * k[i - 1][0][j] : 0.0);
        for (std::size_t j = 0; j < u.size(); ++j) v[j] = u[j] + (i ? a * k[i - 1][1][j] : 0.0);
        tree.normalise(x);
        tree.coordinate_rates(x, v, k[i][0]);
        tree.place(x, v, at);
        EXPECT_TRUE(tree.accelerate({}, k[i][1], at));
      }
      const auto add = [&](std::vector<double>& y, int part) {
        for (std::size_t j = 0; j < y.size(); ++j)
          y[j] += h / 6.0 * (k[0][part][j] + 2.0 * (k[1][part][j] + k[2][part][j]) + k[3][part][j]);
      };
      add(q, 0), add(u, 1);
      tree.normalise(q);
    }
    tree.place(q, u, at);
  }

  NodeState node(NodeId n) const {
    const auto pose = tree.pose(at, n);
    const auto motion = tree.motion(at, n);
    return {numbers_of(pose.p), numbers_of(pose.R),
            numbers_of(multibody::Vector3(pose.R * motion.linear)),
            numbers_of(multibody::Vector3(pose.R * motion.angular))};
  }

  multibody::Tree tree;
  multibody::Evaluation at;
  std::vector<double> q, u;
};

// Oracle: the recursion for trees, which computes the same modes in other coordinates.
TEST(ModalBody, MovesAsInATree) {
  for (int order = 0; order < 3; ++order) {
    Reference reference(order);
    const NodeId places[] = {{0, NodeId::frame}, {0, 1}, {1, NodeId::frame}};
    Model m;
    m.gravity = {0.3, -0.5, -1.0};
    for (const NodeId& place : places) {
      const NodeState n = reference.node(place);
      m.add(Node{.name = "node " + std::to_string(m.nodes.size()),
                 .position = n.x,
                 .orientation = n.R,
                 .velocity = n.v,
                 .angular_velocity = n.omega,
                 .dynamic = place.node == NodeId::frame});
    }
    ModalBody hub = modal_body(reference.tree.model().bodies[0], 0);
    hub.gravity = m.gravity;
    hub.initial = {0.1, -0.05};
    hub.initial_rates = {0.3, -0.2};
    hub.stations[1].node = 1;
    m.add("hub", "modal body", make(hub));
    const auto& arm = reference.tree.model().bodies[1].inertia;
    const multibody::Vector3 c = arm.moment / arm.mass;
    const multibody::Matrix3 J =
        arm.inertia -
        arm.mass * (c.squaredNorm() * multibody::Matrix3::Identity() - c * c.transpose());
    m.add(Body{
        "arm", 2, arm.mass, numbers_of(c), {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)}});
    m.add("pin", "revolute",
          make(Joint{.kind = JointKind::revolute, .a = {.node = 1}, .b = {.node = 2}}));
    const double h = 2.5e-4, T = 1.0;  // errors of the step: 5e-4 in speed at 1 ms
    Solver s(std::move(m), {.rho = 0.9});
    s.initialize();
    for (int i = 0; i < std::lround(T / h); ++i)
      ASSERT_EQ(s.step(h).end, StepReport::End::converged) << i;
    reference.advance(2e-3, 500);
    for (int i = 0; i < 3; ++i) {
      const NodeState n = reference.node(places[i]);
      const Vector3 dx = s.node(i).x - n.x, dv = s.node(i).v - n.v;
      const Vector3 turn = rotation_vector(times_transposed(s.node(i).R, n.R));
      EXPECT_LT(std::sqrt(dot(dx, dx)), 1e-5);
      EXPECT_LT(std::sqrt(dot(dv, dv)), 5e-5);
      EXPECT_LT(std::sqrt(dot(turn, turn)), 1e-5);
    }
    std::vector<double> measures(2 * 2 + 3 + 9);
    s.measure(0, measures);
    EXPECT_NEAR(measures[0], reference.q[7], 1e-5);
    EXPECT_NEAR(measures[1], reference.q[8], 1e-5);
    EXPECT_LT(s.constraint_violation(), 1e-9);
  }
}

}  // namespace
}  // namespace vernier::constrained
