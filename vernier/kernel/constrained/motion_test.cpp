#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/mechanisms_test.hpp"
#include "vernier/kernel/constrained/rotation.hpp"
#include "vernier/kernel/constrained/solver.hpp"

namespace vernier::constrained {
namespace {

using End = StepReport::End;

Vector3 tip(const Solver& s, int bars) {
  const NodeState& n = s.node(bars - 1);
  return n.x + n.R * Vector3{0.5 / bars, 0.0, 0.0};
}

/// Period of a pendulum released at `angle` from hanging: four times the time until it hangs.
double period(double inertia, double angle) {
  Model m = pendulum(inertia);
  m.nodes[0].position = {std::sin(angle), -std::cos(angle), 0.0};
  m.nodes[0].orientation = rotation(Vector3{0.0, 0.0, angle - 0.5 * std::numbers::pi});
  Solver s(std::move(m), {});
  s.initialize();
  constexpr double h = 5e-4;
  double before = s.node(0).x.x;
  while (s.step(h).end == End::converged && s.node(0).x.x > 0.0) before = s.node(0).x.x;
  const double past = s.node(0).x.x / (s.node(0).x.x - before);
  return 4.0 * (s.time() - h * past);
}

// Oracle: 2π √(J / m g l), and 4 K(sin² 45°) √(J / m g l) from the horizontal. The errors of the
// scheme are of second order, 1e-6 at half a millisecond.
TEST(Pendulum, SwingsInItsPeriod) {
  constexpr double little = 1e-9;
  EXPECT_NEAR(period(little, 1e-3), 2.0060667 * (1.0 + 1e-6 / 16.0), 3e-6);
  EXPECT_NEAR(period(little, 0.5 * std::numbers::pi), 2.3678419, 3e-6);
  EXPECT_NEAR(period(0.01, 0.5 * std::numbers::pi), 2.3796517, 3e-6);
}

// Reference values: chains of thin bars in minimal coordinates, steps refined until six digits
// stood.
TEST(Chain, OfTenBarsFallsAsInMinimalCoordinates) {
  Solver s(chain(10), {.scheme = Scheme::sdirk3});
  s.initialize();
  for (int i = 0; i < 500; ++i) ASSERT_EQ(s.step(1e-3).end, End::converged);
  EXPECT_NEAR(tip(s, 10).x, -0.264645, 2e-6);
  EXPECT_NEAR(tip(s, 10).y, -0.863547, 2e-6);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(s.step(1e-3).end, End::converged);
  EXPECT_NEAR(tip(s, 10).x, -0.894317, 2e-5);
  EXPECT_NEAR(tip(s, 10).y, -0.146565, 2e-5);
}

TEST(Chain, OfFiftyBarsFallsAsInMinimalCoordinates) {
  Solver s(chain(50), {});
  s.initialize();
  EXPECT_EQ(s.equations(), 17 * 50);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(s.step(5e-4).end, End::converged);
  // errors of second order: at 1 ms they are four times as large
  EXPECT_NEAR(tip(s, 50).x, 0.877310, 2e-5);
  EXPECT_NEAR(tip(s, 50).y, -0.306563, 2e-5);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(s.step(5e-4).end, End::converged);
  EXPECT_NEAR(tip(s, 50).x, -0.262407, 3e-4);
  EXPECT_NEAR(tip(s, 50).y, -0.837693, 3e-4);
}

TEST(Chain, OfFiftyBarsConvergesToTheEndAt330Hz) {
  // the last bars crack like a whip at 0.47 s: steps that do not converge as a whole go in pieces
  for (const Scheme scheme : {Scheme::multistep2, Scheme::composite}) {
    Solver s(chain(50), {.scheme = scheme});
    s.initialize();
    for (int i = 0; i < 330; ++i) ASSERT_EQ(s.step(1.0 / 330.0).end, End::converged) << i;
    EXPECT_NEAR(s.time(), 1.0, 1e-12);
    EXPECT_LT(s.constraint_violation(), 1e-8);
  }
}

TEST(Chain, AcceptsWhatABudgetLeavesAndGoesOn) {
  Solver s(chain(50), {.iterations_most = 1, .accept_unconverged = true});
  s.initialize();
  for (int i = 0; i < 500; ++i) ASSERT_NE(s.step(1e-3).end, End::failed) << i;
  EXPECT_NEAR(tip(s, 50).x, -0.262407, 5e-3);
  EXPECT_NEAR(tip(s, 50).y, -0.837693, 5e-3);
  EXPECT_LT(s.constraint_violation(), 1e-4);
}

/// J θ'' = u - g sin θ, u = 30 (π - θ) - 8 ω held for 1 ms each: Runge–Kutta within each sample.
std::vector<double> sampled_response(int samples) {
  std::vector<double> angles;
  double a = 0.0, w = 0.0;
  for (int k = 0; k <= samples; ++k) {
    angles.push_back(a);
    const double u = 30.0 * (std::numbers::pi - a) - 8.0 * w, h = 1e-4;
    const auto f = [&](double at) { return (u - gravity * std::sin(at)) / 1.01; };
    for (int i = 0; i < 10; ++i) {
      const double k1 = f(a), k2 = f(a + 0.5 * h * w), k3 = f(a + 0.5 * h * w + 0.25 * h * h * k1);
      const double k4 = f(a + h * w + 0.5 * h * h * k2);
      a += h * w + h * h / 6.0 * (k1 + k2 + k3);
      w += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
  }
  return angles;
}

/// Largest error of the angle over a second of stand-up under a sampled torque.
double stand_up(const Settings& settings, double& reaction) {
  Model m;
  m.gravity = {0.0, -gravity, 0.0};
  m.add(Node{.name = "arm", .orientation = rotation(Vector3{0.0, 0.0, -std::numbers::pi / 2.0})});
  m.add(Body{"arm", 0, 1.0, {1.0, 0.0, 0.0}, {0.01, 0.01, 0.01, 0.0, 0.0, 0.0}});
  Joint hinge;
  hinge.b.node = 0;
  m.add("hinge", "revolute", make(hinge));
  add_torque(m);
  Solver s(m, settings);
  s.initialize();
  const std::vector<double> exact = sampled_response(1000);
  double worst = 0.0;
  for (int k = 0; k <= 1000; ++k) {
    const NodeState& n = s.node(0);
    double angle = std::atan2(n.R.a[3], n.R.a[0]) + std::numbers::pi / 2.0;
    if (angle < -0.5) angle += 2.0 * std::numbers::pi;
    worst = std::max(worst, std::abs(angle - exact[k]));
    s.inputs()[0] = 30.0 * (std::numbers::pi - angle) - 8.0 * n.omega.z;
    s.step(1e-3);
    if (k == 300) {
      // the hinge carries m (x'' - g) of the centre of mass
      const auto [a, w] = s.accelerations()[0];
      const NodeState& now = s.node(0);
      const Vector3 b = now.R * Vector3{1.0, 0.0, 0.0};
      const Vector3 F =
          a + cross(w, b) + cross(now.omega, cross(now.omega, b)) + Vector3{0, gravity, 0};
      double force[16];
      s.measure(0, force);
      reaction = std::hypot(force[0] - F.x, force[1] - F.y);
    }
  }
  return worst;
}

TEST(HeldInputs, AreExactImpulses) {
  const std::vector<double> exact = sampled_response(1000);
  EXPECT_NEAR(exact[100], 0.354415, 1e-6);  // reference values
  EXPECT_NEAR(exact[200], 1.048401, 1e-6);
  EXPECT_NEAR(exact[500], 2.622249, 1e-6);
  EXPECT_NEAR(exact[1000], 3.157825, 1e-6);
  double reaction = 1.0;
  EXPECT_LT(stand_up({}, reaction), 3e-6);
  EXPECT_LT(reaction, 1e-6);
  EXPECT_LT(stand_up({.scheme = Scheme::sdirk3}, reaction), 1e-8);
  EXPECT_LT(stand_up({.scheme = Scheme::generalized_alpha}, reaction), 3e-6);
  EXPECT_LT(stand_up({.scheme = Scheme::composite}, reaction), 3e-6);
  // taken at the end of the step they come late
  EXPECT_GT(stand_up({.split_impulses = false}, reaction), 1e-3);
}

TEST(Pendulum, StaysOnItsConstraintsForAMillionSteps) {
  Solver s(pendulum(), {.iterations_most = 1, .accept_unconverged = true});
  s.initialize();
  double worst = 0.0, energy = 0.0;
  for (int i = 0; i < 1000000; ++i) {
    if (s.step(1e-3).end == End::failed) FAIL() << i;
    if (i % 1000 == 0) {
      worst = std::max(worst, s.constraint_violation());
      energy = std::max(energy, s.kinetic_energy() + s.potential_energy());
    }
  }
  EXPECT_LT(worst, 1e-10);
  EXPECT_LT(energy, 1e-3);  // never more than at the start, 0
  const Matrix3& R = s.node(0).R;
  EXPECT_NEAR(dot(column(R, 0), column(R, 0)), 1.0, 1e-13);
  EXPECT_NEAR(dot(column(R, 0), column(R, 1)), 0.0, 1e-13);
}

/// Four equal bars hinged to a square that stands on its side: one degree of freedom, closed. In
/// space revolutes would say some things twice: two of the joints are spherical and in line.
Model four_bar() {
  Model m;
  m.gravity = {0.0, -gravity, 0.0};
  const Vector3 corners[4] = {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    const Vector3 a = corners[i], b = corners[i + 1], d = b - a;
    const std::string name = "bar " + std::to_string(i);
    m.add(Node{.name = name,
               .position = (a + b) * 0.5,
               .orientation = rotation(Vector3{0.0, 0.0, std::atan2(d.y, d.x)}),
               .angular_velocity = {0.0, 0.0, i == 1 ? 0.0 : -1.0}});
    m.nodes.back().velocity = cross(Vector3{0.0, 0.0, -1.0}, (i == 0   ? Vector3{0.0, 0.5, 0.0}
                                                              : i == 1 ? Vector3{0.0, 1.0, 0.0}
                                                                       : Vector3{0.0, 0.5, 0.0}));
    m.add(Body{name, i, 1.0, {}, {1e-4, 1.0 / 12.0, 1.0 / 12.0, 0.0, 0.0, 0.0}});
  }
  const auto join = [&](const char* name, JointKind kind, const char* word, Attachment a,
                        Attachment b) {
    Joint j;
    j.kind = kind;
    j.a = a;
    j.b = b;
    m.add(name, word, make(j));
  };
  join("left foot", JointKind::revolute, "revolute", {}, {.node = 0, .offset = {-0.5, 0.0, 0.0}});
  join("left top", JointKind::revolute, "revolute", {.node = 0, .offset = {0.5, 0.0, 0.0}},
       {.node = 1, .offset = {-0.5, 0.0, 0.0}});
  join("right foot", JointKind::revolute, "revolute", {.offset = {1.0, 0.0, 0.0}},
       {.node = 2, .offset = {0.5, 0.0, 0.0}});
  join("right top", JointKind::in_line, "in line", {.node = 1, .offset = {0.5, 0.0, 0.0}},
       {.node = 2, .offset = {-0.5, 0.0, 0.0}});
  return m;
}

TEST(FourBar, FollowsItsOneDegreeOfFreedom) {
  // angle φ of the sides from the vertical: (2/3 + 1) φ'' = 2 g sin φ with T = (1/3 + 1/2) φ'²,
  // V = 2 g cos φ, from φ = 0 with φ' = 1
  double phi = 0.0, rate = 1.0;
  const double h = 1e-4;
  const auto f = [](double at) { return 2.0 * gravity * std::sin(at) / (5.0 / 3.0); };
  for (int i = 0; i < 4000; ++i) {
    const double k1 = f(phi), k2 = f(phi + 0.5 * h * rate),
                 k3 = f(phi + 0.5 * h * rate + 0.25 * h * h * k1);
    const double k4 = f(phi + h * rate + 0.5 * h * h * k2);
    phi += h * rate + h * h / 6.0 * (k1 + k2 + k3);
    rate += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  Solver s(four_bar(), {.scheme = Scheme::sdirk3});
  s.initialize();
  const double E = s.kinetic_energy() + s.potential_energy();
  for (int i = 0; i < 400; ++i) ASSERT_EQ(s.step(1e-3).end, End::converged);
  EXPECT_NEAR(s.node(1).x.x, 0.5 + std::sin(phi), 1e-7);
  EXPECT_NEAR(s.node(1).x.y, std::cos(phi), 1e-7);
  EXPECT_NEAR(s.kinetic_energy() + s.potential_energy(), E, 1e-6);
}

TEST(FourBar, OfRevolutesAloneIsRefusedByName) {
  Model m = four_bar();
  Joint j;
  j.a = {.node = 1, .offset = {0.5, 0.0, 0.0}};
  j.b = {.node = 2, .offset = {-0.5, 0.0, 0.0}};
  m.elements.back() = {"right top", make(j), "revolute"};
  Solver s(m, {});
  try {
    s.initialize();
    FAIL();
  } catch (const AssemblyProblem& p) {
    EXPECT_EQ(p.kind, AssemblyProblem::Kind::redundant);
    EXPECT_EQ(p.names.size(), 4u);  // all of the loop
  }
}

/// Without friction a spinning top keeps energy and its momenta about the vertical and its axis.
TEST(Top, KeepsWhatItShould) {
  Model m;
  m.gravity = {0.0, 0.0, -gravity};
  const Matrix3 R = rotation(Vector3{0.4, 0.0, 0.0});
  m.add(Node{.name = "top", .position = R * Vector3{0.0, 0.0, 0.2}, .orientation = R});
  m.nodes[0].angular_velocity = R * Vector3{0.0, 0.0, 60.0};
  m.add(Body{"top", 0, 1.0, {}, {0.004, 0.004, 0.005, 0.0, 0.0, 0.0}});
  Joint foot;
  foot.kind = JointKind::spherical;
  foot.b = {.node = 0, .offset = {0.0, 0.0, -0.2}};
  m.add("foot", "spherical", make(foot));
  for (const Scheme scheme : {Scheme::multistep2, Scheme::sdirk3}) {
    Solver s(m, {.scheme = scheme, .rho = 0.9});
    s.initialize();
    const double E = s.kinetic_energy() + s.potential_energy(), L = s.angular_momentum().z;
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(s.step(1e-3).end, End::converged);
    EXPECT_NEAR((s.kinetic_energy() + s.potential_energy()) / E, 1.0, 1e-4);
    EXPECT_NEAR(s.angular_momentum().z / L, 1.0, 1e-4);
    EXPECT_NEAR(dot(s.node(0).omega, column(s.node(0).R, 2)), 60.0, 6e-3);
  }
}

/// A coordinate without mass that keeps to the x of a node and is held back by a spring.
class Follower final : public Element {
 public:
  explicit Follower(double stiffness) : stiffness_(stiffness) {
    shape_.nodes = {0};
    shape_.coordinates = shape_.algebraic = shape_.holonomic = 1;
  }
  const Shape& shape() const noexcept override { return shape_; }
  void evaluate(const Point& at, const Contribution& out) const noexcept override {
    const double q = at.own[0], lambda = at.own_algebraic[0];
    out.residual[0] -= lambda;
    out.residual[6] += lambda + stiffness_ * q;
    out.residual[7] += q - at.node(0).x.x;
    if (!out.jacobian) return;
    out.at(0, 7) -= 1.0;
    out.at(6, 7) += 1.0;
    out.at(6, 6) += at.c * stiffness_;
    out.at(7, 6) += at.c;
    out.at(7, 0) -= at.c;
  }

 private:
  Shape shape_;
  double stiffness_;
};

TEST(Motion, OfACoordinateWithoutMassFollowsAHeldForce) {
  Model m;
  m.add(Node{.name = "mass"});
  m.add(Body{"mass", 0, 1.0, {}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}});
  m.add("follower", "user", std::make_shared<Follower>(4.0));
  Load push;
  push.b.node = 0;
  push.direction = {1.0, 0.0, 0.0};
  push.drive = m.add(DriveSlot{.name = "push"});
  push.held = true;
  m.add("push", "force", make(push));
  Solver s(std::move(m), {});
  s.inputs()[0] = 1.0;
  s.initialize();
  double worst = 0.0;
  for (int k = 1; k <= 2000; ++k) {
    s.inputs()[0] = 1.0;
    ASSERT_EQ(s.step(1e-3).end, StepReport::End::converged);
    worst = std::max(worst, std::abs(s.node(0).x.x - 0.25 * (1.0 - std::cos(2.0 * s.time()))));
    ASSERT_EQ(s.state().history[0].momenta[6], 0.0);  // what has no mass has no momentum
  }
  EXPECT_LT(worst, 1e-5);  // of the second order, and some dissipation
}

}  // namespace
}  // namespace vernier::constrained
