#include "vernier/kernel/multibody/cases_test.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

namespace vernier::multibody {

namespace cases {

Matrix3X shapes(std::initializer_list<double> list) {
  const auto n = static_cast<Eigen::Index>(list.size() / 3);
  return Eigen::Map<const Matrix3X>(list.begin(), 3, n);
}

Node node(const Vector3& p, const Matrix3& R, std::initializer_list<double> phi_t,
          std::initializer_list<double> phi_r) {
  return {"", {R, p}, shapes(phi_t), shapes(phi_r)};
}

Lump lump(double mass, const Vector3& p, std::initializer_list<double> shape) {
  return {mass, p, shapes(shape), Matrix3::Zero(), {}};
}

namespace {

Body rigid(std::string name, const std::vector<Lump>& lumps) {
  Body body;
  body.name = std::move(name);
  body.inertia = rigid_inertia(lumps);
  return body;
}

Body flexible(std::string name, const std::vector<Lump>& lumps, std::initializer_list<double> K,
              std::initializer_list<double> D) {
  Body body = rigid(std::move(name), lumps);
  body.modes = modal_integrals(lumps);
  const auto n = static_cast<Eigen::Index>(K.size());
  body.modes->stiffness = Eigen::Map<const Eigen::VectorXd>(K.begin(), n).asDiagonal();
  body.modes->damping = Eigen::Map<const Eigen::VectorXd>(D.begin(), n).asDiagonal();
  return body;
}

void hang(Body& body, int parent, HingeKind kind, Node outboard) {
  body.hinge.parent = parent;
  body.hinge.kind = kind;
  body.hinge.outboard = std::move(outboard);
}

Matrix3 about(const Vector3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

}  // namespace

Case pendulum() {
  Case c;
  c.model.gravity = {0, -9.81, 0};
  for (int i = 0; i < 2; ++i) {
    Body link = rigid("link", {lump(1, {0.5, 0, 0}), lump(2, {1, 0, 0})});
    hang(link, i - 1, HingeKind::pin,
         node(i == 0 ? Vector3(0, 0, 0) : Vector3(1, 0, 0), Matrix3::Identity(), {}, {}));
    c.model.bodies.push_back(link);
  }
  c.q = {0.3, 0.5};
  c.u = {1, -2};
  c.force = {0.7, -0.4};
  return c;
}

Case bus() {
  Case c;
  Body hub = flexible("bus",
                      {lump(40, {1, 0, 0}, {0.02, 0, 0.1, 0, 0.01, 0}),
                       lump(40, {-1, 0, 0}, {0, 0.01, 0.1, 0.03, 0, 0}),
                       lump(30, {0, 1.5, 0}, {0, 0, -0.12, 0, 0.02, 0.05}),
                       lump(30, {0, -1.5, 0}, {0.01, 0, -0.12, 0, 0, -0.05}),
                       lump(60, {0, 0, 0.8}, {0, 0.03, 0, 0.02, 0, 0})},
                      {160, 45}, {0.4, 0.1});
  hub.nodes.push_back(
      node({0, 0, 0.8}, Matrix3::Identity(), {0, 0.03, 0, 0.02, 0, 0}, {-0.03, 0, 0, 0, 0.02, 0}));
  Body pin = rigid("pin", {lump(5, {0.6, 0, 0}), lump(5, {-0.2, 0, 0}), lump(4, {0, 0.5, 0.1}),
                           lump(4, {0, -0.4, 0.1})});
  hang(pin, 0, HingeKind::pin,
       node({1, 0, 0.2}, Matrix3::Identity(), {0.02, 0, 0.1, 0, 0.01, 0},
            {0, -0.1, 0, 0.05, 0, 0.02}));
  Body universal = rigid("universal", {lump(6, {0, 0, 1}), lump(3, {0.4, 0, 0.2}),
                                       lump(3, {-0.3, 0.3, 0.2}), lump(2, {0, -0.5, 0})});
  hang(universal, 0, HingeKind::universal,
       node({0, -1.5, 0.1}, about(Vector3::UnitZ(), std::numbers::pi / 2),
            {0.01, 0, -0.12, 0, 0, -0.05}, {0.08, 0, 0.02, 0, 0.03, 0}));
  c.model.bodies = {hub, pin, universal};
  c.q = {0.2, -0.4, 0.4, 0.8, 1, 2, 3, 0.05, -0.08, 0.5, -0.3, 0.7};
  c.u = {0.3, -0.2, 0.5, 0.1, 0.2, -0.3, 0.4, -0.3, 1.5, -0.8, 0.6};
  c.force = {0, 0, 0, 0, 0, 0, 0, 0, 2, -1, 0.5};
  c.nodes = {{{0, 0}, {{0.5, -0.2, 0.1}, {3, -4, 5}}}};
  return c;
}

Case arm() {
  Case c;
  c.model.gravity = {0, 0, -9.81};
  Body first =
      flexible("first",
               {lump(2, {0.2, 0, 0}, {0, 0.02, 0.01}), lump(2, {0.6, 0.05, 0}, {0.01, 0.15, 0.02}),
                lump(2, {1, 0, 0.05}, {0, 0.4, 0.05}), lump(3, {0.4, -0.5, 0.3}, {0, 0.1, 0})},
               {80}, {0.2});
  hang(first, ground, HingeKind::gimbal, node({0, 0, 0}, Matrix3::Identity(), {}, {}));
  first.hinge.inboard =
      node({0, 0, 0}, Matrix3::Identity(), {0.01, -0.02, 0.03}, {0.05, 0.02, -0.1});
  Body second = flexible(
      "second",
      {lump(1, {0, 0, 0.2}, {0.05, 0, 0}), lump(1, {0, 0.1, 0.6}, {0.2, 0.02, 0}),
       lump(1.5, {0.1, 0, 1}, {0.5, 0.05, 0.01}), lump(0.5, {0, -0.1, 0.5}, {0.1, 0, 0.02})},
      {50}, {0.1});
  hang(second, 0, HingeKind::prismatic,
       node({1, 0, 0}, about(Vector3::UnitY(), std::numbers::pi / 2), {0, 0.4, 0.05},
            {0.1, 0.05, 0.6}));
  c.model.bodies = {first, second};
  c.q = {0.4, -0.5, 0.6, 0.06, 0.3, -0.04};
  c.u = {0.7, 0.3, -0.9, 0.5, 0.5, 0.8};
  c.force = {1, -2, 3, 0, 4, 0};
  return c;
}

}  // namespace cases

namespace {

/// Twelve digits of the reference, unless it gives fewer.
void expect_digits(double value, double truth) {
  EXPECT_NEAR(value, truth, 6e-13 * std::max(1.0, std::abs(truth)) * 2);
}
void expect_digits(const std::vector<double>& values, std::size_t first,
                   std::initializer_list<double> truth) {
  for (const double t : truth) expect_digits(values[first++], t);
}
void expect_digits(const Vector3& values, const Vector3& truth) {
  for (int i = 0; i < 3; ++i) expect_digits(values[i], truth[i]);
}

std::vector<double> solved(const cases::Case& c) {
  const Tree tree(c.model);
  Evaluation e(tree);
  std::vector<double> udot(tree.speeds());
  tree.place(c.q, c.u, e);
  EXPECT_TRUE(tree.accelerate({c.force, {}, {}, c.nodes}, udot, e));
  return udot;
}

TEST(FactSheet, CaseATwoLinkPendulum) {
  expect_digits(solved(cases::pendulum()), 0, {-9.974226437906, 11.39543625230});
}

TEST(FactSheet, CaseBFreeFlexibleBus) {
  auto c = cases::bus();
  expect_digits(solved(c), 0,
                {-1.801940774377, -1.378411216787e-01, -9.438613037935e-02, -5.344355975194e-01,
                 -8.010503575304e-01, 6.266859597690e-03, -4.752159049985, 62.89179354618,
                 -1.010892757021, -1.496818882853, -1.723011988362});
  c.model.bodies[0].modes->order = 1;
  auto udot = solved(c);
  expect_digits(udot, 0, {-1.804124633625, -0.1383318003788, -0.09447448082282});
  expect_digits(udot, 6, {-4.759557104205, 62.96832478370});
  c.model.bodies[0].modes->order = 0;
  udot = solved(c);
  expect_digits(udot, 0, {-1.632801969517, -0.1213721078358, -0.08586294958064});
  expect_digits(udot, 6, {-4.870985687197, 57.32967493382});
}

TEST(FactSheet, CaseBNodeC) {
  const auto c = cases::bus();
  const Tree tree(c.model);
  Evaluation e(tree);
  std::vector<double> udot(tree.speeds());
  tree.place(c.q, c.u, e);
  ASSERT_TRUE(tree.accelerate({c.force, {}, {}, c.nodes}, udot, e));
  expect_digits(tree.motion(e, {0, 0}).angular,
                {0.2887993780789, -0.2067494169490, 0.4992238981237});
  expect_digits(tree.acceleration(e, {0, 0}).linear,
                {0.6816167502284, 0.5516990754943, -0.01650967504057});
}

TEST(FactSheet, CaseCPrescribedDof) {
  const auto c = cases::bus();
  const Tree tree(c.model);
  Evaluation e(tree);
  std::vector<double> udot(tree.speeds()), tau(tree.speeds()), given(tree.speeds(), 0.0);
  std::vector<std::uint8_t> prescribed(tree.speeds(), 0);
  prescribed[9] = 1;
  given[9] = 0.25;
  tree.place(c.q, c.u, e);
  ASSERT_TRUE(tree.accelerate({c.force, given, prescribed, c.nodes}, udot, e));
  expect_digits(udot, 0,
                {-1.757717895001, -1.849102206995e-01, -1.248294649504e-01, -5.474188460046e-01,
                 -7.828760781640e-01, -9.067451922863e-03, -4.675455186389, 61.82533713718,
                 -9.529796968558e-01, 0.25, -1.729490555977});
  tree.forces(e, tau);
  expect_digits(tau[9], 6.527798252895);
  EXPECT_EQ(tau[10], 0.5);
}

TEST(FactSheet, CaseDModesAtTheInboardNode) {
  expect_digits(solved(cases::arm()), 0,
                {8.112163362605, 8.845923672547, 8.882763684305, -9.649954767785, -3.149118024271,
                 4.583619871571});
}

}  // namespace
}  // namespace vernier::multibody
