#include "vernier/kernel/constrained/elements.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "vernier/kernel/constrained/probe.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {
namespace {

using std::numbers::pi;

/// Node 0 turned about z, and moved along it.
NodeState placed(double angle, double z = 0.0, double spin = 0.0, double speed = 0.0) {
  return {{0.0, 0.0, z}, rotation(Vector3{0.0, 0.0, angle}), {0.0, 0.0, speed}, {0.0, 0.0, spin}};
}
/// An element on one node there.
Probe probe(const Element& e, const NodeState& n) {
  Probe p(e.shape());
  p.scatter(1, {.about = {n}, .shift = 0.0, .turn = 0.0, .motion = 0.0});
  return p;
}
std::vector<double> measured(const Element& e, const Probe& p) {
  int n = 0;
  for (const Measure& m : e.shape().measures) n += m.count;
  std::vector<double> values(static_cast<std::size_t>(n));
  e.measure(p.point(), values);
  return values;
}

TEST(Revolute, CountsTurnsBothWays) {
  const auto e = make(Joint{.kind = JointKind::revolute, .b = {.node = 0}});
  for (double sign : {1.0, -1.0}) {
    Probe first = probe(*e, placed(0.0));
    e->begin(first.point(), first.memory());
    std::vector<double> memory(first.memory().begin(), first.memory().end());
    for (int k = 1; k <= 400; ++k) {
      const double angle = sign * 0.1 * k;
      Probe now = probe(*e, placed(angle));
      std::copy(memory.begin(), memory.end(), now.memory().begin());
      EXPECT_NEAR(measured(*e, now)[6], angle, 1e-13);
      e->accept(now.point(), now.memory());
      std::copy(now.memory().begin(), now.memory().end(), memory.begin());
    }
    // and back over the last whole turn
    Probe back = probe(*e, placed(sign * (6.0 * 2.0 * pi - 0.1)));
    std::copy(memory.begin(), memory.end(), back.memory().begin());
    EXPECT_NEAR(measured(*e, back)[6], sign * (6.0 * 2.0 * pi - 0.1), 1e-13);
  }
}

TEST(Friction, FollowsStribecksCurveAgainstTheMotion) {
  Joint j{.kind = JointKind::prismatic, .b = {.node = 0}};
  j.friction = Friction{.coulomb = 0.2,
                        .stiction = 0.3,
                        .stribeck_speed = 0.5,
                        .viscous = 0.1,
                        .preload = 10.0,
                        .smoothing = 1e-2};
  const auto e = make(j);
  const int row = e->shape().algebraic_row(5);
  for (double v : {-2.0, -0.3, -1e-3, 0.0, 1e-3, 0.3, 2.0}) {
    const double mu = 0.2 + 0.1 * std::exp(-v * v / 0.25);
    const double f = 10.0 * mu * std::clamp(v / 1e-2, -1.0, 1.0);
    Probe p = probe(*e, placed(0.0, 0.0, 0.0, v));
    p.perturb(row, f);
    std::vector<double> r(static_cast<std::size_t>(e->shape().size()));
    e->evaluate(p.point(), {r.data(), nullptr, e->shape().size()});
    EXPECT_NEAR(r[row], 0.0, 1e-14);
    const auto m = measured(*e, p);
    EXPECT_NEAR(m.back(), -(f + 0.1 * v), 1e-14);
    EXPECT_LE(m.back() * v, 0.0);
    EXPECT_NEAR(m[2], m.back(), 1e-14);  // it is what the joint does along its axis
  }
}

TEST(Stop, PushesBackAndNeverPulls) {
  Joint j{.kind = JointKind::prismatic, .b = {.node = 0}};
  j.stop = Stop{.lower = -1.0, .upper = 2.0, .stiffness = 100.0, .damping = 7.0};
  const auto e = make(j);
  const auto force = [&](double z, double v) {
    return measured(*e, probe(*e, placed(0.0, z, 0.0, v)))[2];
  };
  EXPECT_EQ(force(0.0, 5.0), 0.0);
  EXPECT_NEAR(force(-1.1, 0.0), 10.0, 1e-12);
  EXPECT_NEAR(force(-1.1, -1.0), 17.0, 1e-12);
  EXPECT_NEAR(force(-1.1, -9.0), 20.0, 1e-12);  // damping as large as the spring
  EXPECT_NEAR(force(-1.1, 9.0), 0.0, 1e-12);
  EXPECT_NEAR(force(2.2, 1.0), -27.0, 1e-12);
  EXPECT_NEAR(force(2.0 + 1e-9, 3.0), -2e-7, 1e-12);  // from zero on
  EXPECT_NEAR(e->energy(probe(*e, placed(0.0, -1.1)).point()), 0.5, 1e-12);
}

TEST(Rod, FollowsItsTableAndGoesOnBeyondIt) {
  Rod r{.b = {.node = 0}, .length = 1.0};
  r.law = {.kind = Law::Kind::table, .points = {0.0, 1.0, 2.0}, .forces = {0.0, 2.0, 8.0}};
  const auto e = make(r);
  for (const auto& [length, tension] :
       {std::pair(1.5, 1.0), {2.0, 2.0}, {2.5, 5.0}, {4.0, 14.0}, {0.5, -1.0}}) {
    EXPECT_NEAR(measured(*e, probe(*e, placed(0.0, length)))[2], tension, 1e-14) << length;
  }
}

TEST(Cable, OnlyPulls) {
  const Rod r{
      .b = {.node = 0}, .length = 1.0, .law = {.stiffness = 50.0, .damping = 3.0}, .cable = true};
  const auto e = make(r);
  const auto tension = [&](double z, double v) {
    return measured(*e, probe(*e, placed(0.0, z, 0.0, v)))[2];
  };
  EXPECT_EQ(tension(0.9, 5.0), 0.0);
  EXPECT_NEAR(tension(1.2, 1.0), 13.0, 1e-12);
  EXPECT_EQ(tension(1.2, -9.0), 0.0);
}

TEST(Servo, KeepsToItsLimit) {
  const Servo s{.coordinate = {.b = {.node = 0}}, .proportional = 10.0, .limit = 3.0};
  const auto e = make(s);
  EXPECT_NEAR(measured(*e, probe(*e, placed(0.2)))[0], -2.0, 1e-14);
  EXPECT_EQ(measured(*e, probe(*e, placed(0.5)))[0], -3.0);
  EXPECT_EQ(measured(*e, probe(*e, placed(-0.5)))[0], 3.0);
}

void expect_refused(const std::function<void()>& f, const std::string& why) {
  try {
    f();
    ADD_FAILURE() << "not refused: " << why;
  } catch (const std::invalid_argument& refusal) {
    EXPECT_EQ(refusal.what(), why);
  }
}

TEST(Make, RefusesWhatNoElementCanHave) {
  const Joint good{.a = {.node = 0}, .b = {.node = 1}};
  expect_refused([&] { make(Joint{.a = {.node = 1}, .b = {.node = 1}}); },
                 "both ends are on the same node");
  expect_refused([&] { make(Joint{}); }, "both ends are on the ground");
  Joint j = good;
  j.b.axes.a[0] = 1.1;
  expect_refused([&] { make(j); },
                 "the axes of an attachment are not three unit vectors normal to each other");
  j = good;
  for (double& x : j.b.axes.a) x = -x;
  expect_refused([&] { make(j); }, "the axes of an attachment are left-handed");
  j = good;
  j.a.offset.x = std::nan("");
  expect_refused([&] { make(j); }, "an offset is not a finite number");
  j = good;
  j.friction = Friction{.radius = 0.1, .smoothing = 0.0};
  expect_refused([&] { make(j); }, "the smoothing speed of the friction is not positive");
  j.kind = JointKind::spherical;
  expect_refused([&] { make(j); }, "only revolute and prismatic joints have friction or stops");
  j = good;
  j.stop = Stop{.lower = 1.0, .upper = 1.0, .stiffness = 1.0};
  expect_refused([&] { make(j); }, "the lower stop is not below the upper one");
  j = good;
  j.kind = JointKind::distance;
  expect_refused([&] { make(j); }, "the length of a distance joint is not positive");
  Rod rod{.a = {.node = 0}, .b = {.node = 1}};
  rod.law = {.kind = Law::Kind::table, .points = {0.0, 1.0, 1.0}, .forces = {0.0, 1.0, 2.0}};
  expect_refused([&] { make(rod); }, "the points of the table do not rise");
  rod.law = {.kind = Law::Kind::viscoelastic, .branch_stiffness = 1.0};
  expect_refused([&] { make(rod); }, "the relaxation time of the law is not positive");
  expect_refused([] { make(DeformableJoint{.a = {.node = 0}, .b = {.node = 1}}); },
                 "a deformable joint has no law");
  expect_refused([] { make(Load{.b = {.node = 0}}); }, "the direction of a load is zero");
  expect_refused([] { make(Load{.direction = {1.0, 0.0, 0.0}}); }, "a load acts on the ground");
  const JointCoordinate c{.a = {.node = 0}, .b = {.node = 1}};
  expect_refused([&] { make(Coupling{c, c, 0.0}); }, "the ratio of a coupling is zero");
  expect_refused([&] { make(Servo{.coordinate = c, .integral = 1.0, .limit = 2.0}); },
                 "a servo with a limit and an integral gain needs a proportional gain of the same "
                 "sign");
  expect_refused([&] { make(Contact{.a = {.node = 0}, .b = {.node = 1}}); },
                 "the stiffness of a contact is not positive");
  expect_refused([] { make(StateSpace{.states = 2, .A = {1.0}}); },
                 "A of a state space has not states times states numbers");
  expect_refused([] { make(ScalarBranch{}); }, "a branch has no scalar node");
}

}  // namespace
}  // namespace vernier::constrained
