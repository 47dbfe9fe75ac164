#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/mechanisms_test.hpp"
#include "vernier/kernel/constrained/rotation.hpp"
#include "vernier/kernel/constrained/solver.hpp"

namespace vernier::constrained {
namespace {

using End = StepReport::End;

/// Errors of position, angular velocity and hinge reaction of the pendulum, against swing().
std::array<double, 3> errors_at(const Solver& s, double inertia = 1.01) {
  const Swing e = swing(inertia, s.time());
  const double a = -gravity * std::sin(e.theta) / inertia;
  const double ax = a * std::cos(e.theta) - e.omega * e.omega * std::sin(e.theta);
  const double ay = a * std::sin(e.theta) + e.omega * e.omega * std::cos(e.theta);
  double force[16];
  s.measure(0, force);
  const NodeState& n = s.node(0);
  return {std::hypot(n.x.x - std::sin(e.theta), n.x.y + std::cos(e.theta)),
          std::abs(n.omega.z - e.omega), std::hypot(force[0] - ax, force[1] - ay - gravity)};
}

class Orders : public ::testing::TestWithParam<Scheme> {};

TEST_P(Orders, AreThoseOfTheScheme) {
  const bool third = GetParam() == Scheme::sdirk3;
  std::array<double, 3> before{};
  for (const double h : {4e-3, 2e-3}) {
    Solver s(pendulum(), {.scheme = GetParam(), .rho = 0.6, .tolerance = 1e-12});
    s.initialize();
    for (int i = 0; i < std::lround(1.0 / h); ++i) ASSERT_EQ(s.step(h).end, End::converged);
    const std::array<double, 3> now = errors_at(s);
    EXPECT_LT(now[0], third ? 1e-6 : 2e-4);
    EXPECT_LT(s.constraint_violation(), 1e-11);
    if (h < 3e-3) {
      EXPECT_NEAR(std::log2(before[0] / now[0]), third ? 3.0 : 2.0, 0.1);
      EXPECT_NEAR(std::log2(before[1] / now[1]), third ? 3.0 : 2.0, 0.1);
      EXPECT_NEAR(std::log2(before[2] / now[2]), 2.0, 0.15);
    }
    before = now;
  }
}
INSTANTIATE_TEST_SUITE_P(All, Orders, ::testing::ValuesIn(all_schemes));

/// Pendulum without own inertia about the hinge axis but a little, as ideal as nodes allow: the
/// published errors of one fixed iteration and of full convergence are the same.
TEST(Newton, OneFixedIterationIsAsGoodAsMany) {
  const double h = 1.0 / 330.0;
  std::array<double, 3> errors[2];
  for (const int most : {1, 20}) {
    Solver s(pendulum(1e-6), {.iterations_most = most, .accept_unconverged = most == 1});
    s.initialize();
    for (int i = 0; i < 660; ++i) {
      ASSERT_NE(s.step(h).end, End::failed);
      ASSERT_LT(s.constraint_violation(), i == 0 ? 1e-8 : 1e-10);  // the first: not extrapolated
    }
    const Swing e = swing(1.000001, 2.0);
    const NodeState& n = s.node(0);
    const double sine = std::sin(e.theta), cosine = std::cos(e.theta);
    double force[16];
    s.measure(0, force);
    // what multiplies (x, y) in the hinge's force
    const double multiplier = force[0] * n.x.x + force[1] * n.x.y;
    errors[most == 1 ? 0 : 1] = {std::hypot(n.x.x - sine, n.x.y + cosine),
                                 std::hypot(n.v.x - e.omega * cosine, n.v.y - e.omega * sine),
                                 std::abs(multiplier + e.omega * e.omega + gravity * cosine)};
  }
  // reference values for position, velocity and reaction at 2 s: 2.3e-4, 8.5e-4, 4.9e-3
  for (const auto& e : errors) {
    EXPECT_NEAR(e[0], 2.3e-4, 0.2e-4);
    EXPECT_NEAR(e[1], 8.5e-4, 0.9e-4);
    EXPECT_NEAR(e[2], 4.9e-3, 0.5e-3);
  }
}

TEST(Newton, CountsWhatABudgetLeavesUnconverged) {
  Solver s(chain(10), {.iterations_most = 1, .tolerance = 1e-13, .accept_unconverged = true});
  s.initialize();
  const StepReport r = s.step(0.02);
  EXPECT_EQ(r.end, End::accepted);
  EXPECT_EQ(r.iterations, 1);
  EXPECT_GT(r.residual, 1e-13);
  EXPECT_NE(s.row_name(r.worst_row), "no row");
}

TEST(Newton, NamesTheWorstRowWhereItFails) {
  Model m = pendulum();
  add_torque(m);
  Solver s(m, {.iterations_most = 3});
  s.initialize();
  s.inputs()[0] = 1e9;
  const StepReport r = s.step(0.1);
  EXPECT_EQ(r.end, End::failed);
  EXPECT_THAT(s.row_name(r.worst_row), ::testing::HasSubstr("'hinge'"));
  EXPECT_EQ(s.time(), 0.0);
}

/// 0 until 10 ms, then 1 mm/s: a corner nobody is told of.
class Ramp final : public Drive {
 public:
  DriveState at(double t) const noexcept override {
    const double start = 0.0100001;  // just after the tenth step
    return t > start ? DriveState{1e-3 * (t - start + 1e-7), 1e-3, 0.0} : DriveState{};
  }
};

struct Ringing {
  double peak;  // N
  int steps;    // until less than a hundredth is left
};
/// 1 kg on a driven joint whose velocity jumps by 1 mm/s, h = 1 ms.
Ringing ringing(Scheme scheme, double rho) {
  Model m;
  m.add(Node{.name = "mass"});
  m.add(Body{"mass", 0, 1.0, {}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}});
  Joint driven;
  driven.kind = JointKind::displacement;
  driven.b.node = 0;
  driven.drives = {m.add(DriveSlot{"x", std::make_shared<Ramp>()}), m.constant(0.0),
                   m.constant(0.0)};
  m.add("driven", "displacement", make(driven));
  Solver s(m, {.scheme = scheme, .rho = rho});
  s.initialize();
  Ringing r{0.0, 0};
  for (int i = 0; i < 10; ++i) s.step(1e-3);
  for (int i = 0; i < 120; ++i) {
    s.step(1e-3);
    double force[16];
    s.measure(0, force);
    if (i > 0) r.peak = std::max(r.peak, std::abs(force[0]));
    if (std::abs(force[0]) > 1e-2 * r.peak) r.steps = i;
  }
  return r;
}

TEST(Schemes, ReactionsRingAsTheRootsOfTheSchemeSay) {
  // A k-step scheme has all roots at infinity at -ρ, and reactions see them twice: with ρ = 0 all
  // is over after k steps, else after as many as the published transients of a 1 mm/s
  // inconsistency.
  const Scheme schemes[] = {Scheme::multistep2, Scheme::multistep3, Scheme::multistep4};
  constexpr int within[3][4] = {{2, 9, 21, 48}, {3, 10, 25, 60}, {4, 12, 30, 70}};
  constexpr double rho[4] = {0.0, 0.3, 0.6, 0.8};
  for (int k = 0; k < 3; ++k) {
    double before = 0.0;
    for (int j = 0; j < 4; ++j) {
      const Ringing r = ringing(schemes[k], rho[j]);
      EXPECT_LE(r.steps, within[k][j]);
      EXPECT_GE(r.steps, within[k][j] - (j == 3 ? 10 : 4));
      EXPECT_GT(r.peak, before);  // the price of less dissipation
      before = r.peak;
    }
  }
}

TEST(Schemes, RestartKeepsTheOrderOverAJumpOfForce) {
  // gravity's torque is joined by another that jumps at 0.5 s, not held but collocated
  std::array<double, 2> errors{};
  const auto run = [](double h) {
    Model m = pendulum();
    Load torque;
    torque.couple = true;
    torque.b.node = 0;
    torque.direction = {0.0, 0.0, 1.0};
    torque.drive = m.add(DriveSlot{.name = "torque"});
    m.add("torque", "couple", make(torque));
    Solver s(m, {.tolerance = 1e-12});
    s.initialize();
    const long n = std::lround(0.5 / h);
    for (long i = 0; i < n; ++i) s.step(h);
    s.inputs()[0] = 5.0;
    s.restart();
    for (long i = 0; i < n; ++i) s.step(h);
    return std::atan2(s.node(0).x.x, -s.node(0).x.y);
  };
  const double fine = run(6.25e-5);
  errors = {std::abs(run(2e-3) - fine), std::abs(run(1e-3) - fine)};
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.15);
}

TEST(Schemes, StepsMayVary) {
  std::array<double, 2> errors{};
  for (int refine = 0; refine < 2; ++refine) {
    Solver s(pendulum(), {.tolerance = 1e-12, .project_velocities = true});
    s.initialize();
    for (int i = 0; s.time() < 1.0 - 1e-9; ++i) {
      const double h = (i / 8 % 2 == 0 ? 2e-3 : 3e-3) * (refine == 0 ? 1.0 : 0.5);
      ASSERT_EQ(s.step(std::min(h, 1.0 - s.time())).end, End::converged);
    }
    errors[refine] = errors_at(s)[0];
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.2);
}

TEST(Schemes, StepsFollowTheMotion) {
  // errors follow the tolerance of a step: each hundredth of it divides steps by 100^(1/3), errors
  // by 100^(2/3) = 21; and a chain that cracks needs short steps only then
  double before = 0.0;
  for (const double tolerance : {1e-6, 1e-8}) {
    Solver s(pendulum(), {.local_error = tolerance});
    s.initialize();
    for (int i = 0; i < 10; ++i) ASSERT_EQ(s.step(0.1).end, End::converged);
    EXPECT_NEAR(s.time(), 1.0, 1e-12);
    const double error = errors_at(s)[0];
    EXPECT_LT(error, 1e3 * tolerance);
    if (before > 0.0) {
      EXPECT_GT(before / error, 10.0);
    }
    before = error;
    EXPECT_LT(s.constraint_violation(), 1e-9);
  }
  Solver s(chain(10), {.local_error = 1e-7});
  s.initialize();
  int smooth = 0, whip = 0;
  for (int i = 0; i < 50; ++i) {
    const StepReport r = s.step(0.01);
    ASSERT_EQ(r.end, End::converged) << i;
    if (i >= 15 && i < 20) smooth = std::max(smooth, r.iterations);
    if (i >= 40) whip = std::max(whip, r.iterations);
  }
  EXPECT_GT(whip, 3 * smooth);
}

TEST(Schemes, ProjectedVelocitiesSatisfyTheConstraints) {
  Solver s(pendulum(), {.project_velocities = true});
  s.initialize();
  for (int i = 0; i < 200; ++i) s.step(4e-3);
  EXPECT_LT(s.constraint_rate_violation(), 1e-8);  // without: 2e-4
  EXPECT_LT(errors_at(s)[0], 1e-3);
}

/// Whole tilted and spinning top without forces.
Model free_body() {
  Model m;
  m.add(Node{.name = "body",
             .orientation = rotation(Vector3{0.3, -0.2, 0.5}),
             .velocity = {0.3, -0.2, 0.1},
             .angular_velocity = {0.4, 3.0, 1.0}});
  m.add(Body{"body", 0, 2.0, {0.1, 0.05, -0.08}, {0.4, 0.7, 0.9, 0.02, -0.01, 0.03}});
  return m;
}

TEST(Schemes, FreeBodiesKeepEnergyAndMomentumToSecondOrder) {
  for (const Scheme scheme : {Scheme::multistep2, Scheme::generalized_alpha}) {
    double before = 0.0;
    for (const double h : {4e-3, 2e-3}) {
      Solver s(free_body(), {.scheme = scheme, .rho = 0.99, .tolerance = 1e-12});
      s.initialize();
      const double E = s.kinetic_energy();
      const Vector3 p = s.momentum(), L = s.angular_momentum();
      double energy = 0.0, turning = 0.0;
      for (int i = 0; i < std::lround(4.0 / h); ++i) {
        s.step(h);
        const Vector3 d = s.angular_momentum() - L;
        energy = std::max(energy, std::abs(s.kinetic_energy() / E - 1.0));
        turning = std::max(turning, std::sqrt(dot(d, d) / dot(L, L)));
      }
      const Vector3 dp = s.momentum() - p;
      EXPECT_LT(std::sqrt(dot(dp, dp)), 1e-11);  // linear: exact but for rounding
      EXPECT_LT(turning, 1e-11);                 // the rate of γ is linear too, β being constant
      EXPECT_LT(energy, 1e-4);
      if (h < 3e-3) {
        EXPECT_NEAR(std::log2(before / energy), 2.0, 0.3);
      }
      before = energy;
    }
  }
}

}  // namespace
}  // namespace vernier::constrained
