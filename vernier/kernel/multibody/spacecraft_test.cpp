#include "vernier/kernel/multibody/spacecraft.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/multibody/detail/spacecraft_data.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::multibody {
namespace {

using Kind = Actuator::Kind;
using Vector = std::vector<double>;

Lump lump(double mass, const Vector3& p, std::initializer_list<double> shape = {}) {
  Lump l;
  l.mass = mass;
  l.p = p;
  l.shape.resize(3, static_cast<Eigen::Index>(shape.size() / 3));
  std::copy(shape.begin(), shape.end(), l.shape.data());
  return l;
}

Node node(const char* name, const Vector3& p, std::initializer_list<double> t,
          std::initializer_list<double> r) {
  Node n;
  n.name = name;
  n.pose.p = p;
  n.phi_t.resize(3, static_cast<Eigen::Index>(t.size() / 3));
  n.phi_r = n.phi_t;
  std::copy(t.begin(), t.end(), n.phi_t.data());
  std::copy(r.begin(), r.end(), n.phi_r.data());
  return n;
}

// The flexible bus with a pin and a universal appendage of the reference, case B; state too.
SpacecraftModel flexible() {
  SpacecraftModel m;
  m.tree.name = "case B";
  const std::vector<Lump> bus = {lump(40, {1, 0, 0}, {0.02, 0, 0.1, 0, 0.01, 0}),
                                 lump(40, {-1, 0, 0}, {0, 0.01, 0.1, 0.03, 0, 0}),
                                 lump(30, {0, 1.5, 0}, {0, 0, -0.12, 0, 0.02, 0.05}),
                                 lump(30, {0, -1.5, 0}, {0.01, 0, -0.12, 0, 0, -0.05}),
                                 lump(60, {0, 0, 0.8}, {0, 0.03, 0, 0.02, 0, 0})};
  Body b;
  b.name = "bus";
  b.inertia = rigid_inertia(bus);
  b.modes = modal_integrals(bus);
  b.modes->stiffness = Eigen::Vector2d(160, 45).asDiagonal();
  b.modes->damping = Eigen::Vector2d(0.4, 0.1).asDiagonal();
  b.nodes = {
      node("C", {0, 0, 0.8}, {0, 0.03, 0, 0.02, 0, 0}, {-0.03, 0, 0, 0, 0.02, 0}),
      node("D", {0.5, -1.5, 0.1}, {0.01, 0, -0.12, 0, 0, -0.05}, {0.08, 0, 0.02, 0, 0.03, 0})};
  b.nodes[1].pose.R = Eigen::AngleAxisd(0.8, Vector3(1, -1, 2).normalized()).toRotationMatrix();
  m.tree.bodies.push_back(b);

  Body pin;
  pin.name = "pin";
  pin.inertia = rigid_inertia({lump(5, {0.6, 0, 0}), lump(5, {-0.2, 0, 0}), lump(4, {0, 0.5, 0.1}),
                               lump(4, {0, -0.4, 0.1})});
  pin.hinge.kind = HingeKind::pin;
  pin.hinge.parent = 0;
  pin.hinge.outboard =
      node("A", {1, 0, 0.2}, {0.02, 0, 0.1, 0, 0.01, 0}, {0, -0.1, 0, 0.05, 0, 0.02});
  Node tip;
  tip.name = "tip";
  tip.pose.p = {0.6, 0.1, -0.2};
  tip.pose.R = Eigen::AngleAxisd(-1.1, Vector3(0, 1, 1).normalized()).toRotationMatrix();
  pin.nodes = {tip};
  m.tree.bodies.push_back(pin);

  Body universal;
  universal.name = "universal";
  universal.inertia = rigid_inertia({lump(6, {0, 0, 1}), lump(3, {0.4, 0, 0.2}),
                                     lump(3, {-0.3, 0.3, 0.2}), lump(2, {0, -0.5, 0})});
  universal.hinge.kind = HingeKind::universal;
  universal.hinge.parent = 0;
  universal.hinge.outboard =
      node("B", {0, -1.5, 0.1}, {0.01, 0, -0.12, 0, 0, -0.05}, {0.08, 0, 0.02, 0, 0.03, 0});
  universal.hinge.outboard.pose.R =
      Eigen::AngleAxisd(M_PI / 2, Vector3::UnitZ()).toRotationMatrix();
  universal.nodes = {tip};
  m.tree.bodies.push_back(universal);

  // quaternions are scalar last, and from N to the body: the sheet's (w, x, y, z) as it is
  m.q = {0.2, -0.4, 0.4, 0.8, 1, 2, 3, 0.05, -0.08, 0.5, -0.3, 0.7};
  m.u = {0.3, -0.2, 0.5, 0.1, 0.2, -0.3, 0.4, -0.3, 1.5, -0.8, 0.6};
  return m;
}

// A spacecraft with a state of its own, advanced by the classical Runge-Kutta method.
struct Flight {
  explicit Flight(SpacecraftModel m, Path path = Path::automatic)
      : craft(std::move(m), path), e(craft), q(craft.model().q), u(craft.model().u) {
    for (std::size_t k = 0; k < craft.model().rotors.size(); ++k)
      h.push_back(craft.momentum_at_start(static_cast<int>(k)));
    for (const Tank& t : craft.model().tanks) fuel.push_back(t.fuel);
    commands.resize(craft.commands());
    torque.resize(h.size());
    force.resize(u.size());
  }

  struct Rate {
    Vector q, u, h, fuel;
  };
  Rate rate() {
    Rate r{Vector(q.size()), Vector(u.size()), Vector(h.size()), Vector(fuel.size())};
    craft.place({q, u, h, fuel}, e);
    const Solution s = craft.accelerate({force, {}, {}, commands, torque}, {r.u, r.h, r.fuel}, e);
    EXPECT_TRUE(s);
    craft.tree().coordinate_rates(q, u, r.q);
    return r;
  }
  void advance(double time, int steps) {
    const double dt = time / steps;
    const auto add = [](const Vector& x, const Vector& d, double s) {
      Vector r = x;
      for (std::size_t i = 0; i < r.size(); ++i) r[i] += s * d[i];
      return r;
    };
    for (int k = 0; k < steps; ++k) {
      const Vector q0 = q, u0 = u, h0 = h, f0 = fuel;
      Rate sum;
      const double at[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1, 2, 2, 1};
      Rate last{Vector(q.size()), Vector(u.size()), Vector(h.size()), Vector(fuel.size())};
      sum = last;
      for (int i = 0; i < 4; ++i) {
        q = add(q0, last.q, at[i] * dt);
        u = add(u0, last.u, at[i] * dt);
        h = add(h0, last.h, at[i] * dt);
        fuel = add(f0, last.fuel, at[i] * dt);
        last = rate();
        sum.q = add(sum.q, last.q, weight[i] / 6);
        sum.u = add(sum.u, last.u, weight[i] / 6);
        sum.h = add(sum.h, last.h, weight[i] / 6);
        sum.fuel = add(sum.fuel, last.fuel, weight[i] / 6);
      }
      q = add(q0, sum.q, dt);
      u = add(u0, sum.u, dt);
      h = add(h0, sum.h, dt);
      fuel = add(f0, sum.fuel, dt);
      craft.tree().normalise(q);
    }
  }
  SpacecraftTotals totals() {
    craft.place({q, u, h, fuel}, e);
    return craft.totals(e);
  }

  Spacecraft craft;
  SpacecraftEvaluation e;
  Vector q, u, h, fuel, commands, torque, force;
};

void expect_near(const Vector& a, const Vector& b, double relative) {
  double scale = 0.0;
  for (const double x : b) scale = std::max(scale, std::abs(x));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], relative * scale) << i;
}

TEST(Spacecraft, ActuatorsAreForcesAtTheirNodes) {
  SpacecraftModel m = flexible();
  const Vector3 axis(1, 2, -2);
  m.actuators = {{"jet", Kind::thruster, {0, 1}, axis, {}},
                 {"pull", Kind::force, {0, 0}, axis, {}},
                 {"turn", Kind::moment, {1, 0}, axis, {}},
                 {"both", Kind::wrench, {0, 1}, axis, {}},
                 {"out", Kind::thruster, {2, 0}, axis, {}},
                 {"at the hinge", Kind::force, {1, NodeId::outboard}, axis, {}}};
  Flight f(m);
  ASSERT_EQ(f.craft.commands(), 1u + 3 + 3 + 6 + 1 + 3);
  for (std::size_t k = 0; k < f.commands.size(); ++k) f.commands[k] = 1.5 + std::sin(double(k));
  const Vector udot = f.rate().u;

  const double* c = f.commands.data();
  const Vector3 e = axis.normalized();
  const std::vector<NodeForce> forces = {
      {{0, 1}, {Vector3::Zero(), c[0] * e}},
      {{0, 0}, {Vector3::Zero(), {c[1], c[2], c[3]}}},
      {{1, 0}, {{c[4], c[5], c[6]}, Vector3::Zero()}},
      {{0, 1}, {{c[7], c[8], c[9]}, {c[10], c[11], c[12]}}},
      {{2, 0}, {Vector3::Zero(), c[13] * e}},
      {{1, NodeId::outboard}, {Vector3::Zero(), {c[14], c[15], c[16]}}}};
  Evaluation reference(f.craft.tree());
  f.craft.tree().place(f.q, f.u, reference);
  Vector expected(udot.size());
  ASSERT_TRUE(f.craft.tree().accelerate({{}, {}, {}, forces}, expected, reference));
  expect_near(udot, expected, 1e-13);
}

TEST(Spacecraft, AThrusterDoesNotPull) {
  SpacecraftModel m = flexible();
  m.actuators = {{"jet", Kind::thruster, {0, 1}, Vector3::UnitX(), {}}};
  Flight f(m);
  const Vector none = f.rate().u;
  f.commands[0] = -5.0;
  EXPECT_EQ(f.rate().u, none);
}

TEST(Spacecraft, SensorsSeeTheirNodesInTheFrameOfTheBus) {
  SpacecraftModel m = flexible();
  m.tree.gravity = {0.3, -0.4, 1.2};
  m.sensors = {{"on bus", {0, 1}},
               {"on pin", {1, 0}},
               {"at bus", {0, 0}},
               {"on universal", {2, 0}},
               {"of hinge", {2, NodeId::outboard}}};
  for (const Path path : {Path::automatic, Path::tree}) {
    Flight f(m, path);
    f.force = {1, 2, 3, 4, 5, 6, 0, 0, 2, -1, 0.5};
    static_cast<void>(f.rate());
    const auto readings = f.craft.sense(f.e);
    const Tree& tree = f.craft.tree();
    const Pose bus = tree.pose(f.e.tree(), 0);
    for (std::size_t k = 0; k < m.sensors.size(); ++k) {
      const Reading& r = readings[k];
      const NodeId at = m.sensors[k].at;
      const Pose pose = tree.pose(f.e.tree(), at);
      EXPECT_LT((r.position - bus.R.transpose() * (pose.p - bus.p)).norm(), 1e-14);
      EXPECT_LT((spatial::attitude_matrix(r.attitude) - pose.R.transpose() * bus.R).norm(), 1e-14);
      const Motion v = tree.motion(f.e.tree(), at), a = tree.acceleration(f.e.tree(), at),
                   s = tree.specific_force(f.e.tree(), at);
      EXPECT_LT((r.velocity.angular - v.angular).norm(), 1e-14);
      EXPECT_LT((r.velocity.linear - v.linear).norm(), 1e-14);
      const double scale = 1.0 + a.angular.norm() + a.linear.norm();
      EXPECT_LT((r.acceleration.angular - a.angular).norm(), 1e-13 * scale) << k;
      EXPECT_LT((r.acceleration.linear - a.linear).norm(), 1e-13 * scale) << k;
      EXPECT_LT((r.specific_force - s.linear).norm(), 1e-13 * scale) << k;
    }
    const Reading before = readings[3];
    EXPECT_EQ(f.craft.see(f.e)[3].velocity.linear, before.velocity.linear);
  }
}

TEST(Spacecraft, NodeCOfTheFactSheetReadsWhatItSays) {
  SpacecraftModel m = flexible();
  m.sensors = {{"C", {0, 0}}};
  m.actuators = {{"push", Kind::wrench, {0, 0}, Vector3::UnitZ(), {}}};
  Flight f(m);
  f.force = {0, 0, 0, 0, 0, 0, 0, 0, 2, -1, 0.5};
  f.commands = {0.5, -0.2, 0.1, 3, -4, 5};
  static_cast<void>(f.rate());
  const Reading r = f.craft.sense(f.e)[0];
  const Vector3 rate(0.2887993780789, -0.2067494169490, 0.4992238981237);
  const Vector3 acceleration(0.6816167502284, 0.5516990754943, -0.01650967504057);
  EXPECT_LT((r.velocity.angular - rate).norm(), 1e-12);
  EXPECT_LT((r.acceleration.linear - acceleration).norm(), 1e-12);
}

// The pin body of the reference's model as an axisymmetric wheel: without a body of its own it
// must do the same to everything else.
TEST(Spacecraft, ARotorIsAWheelOnAPinToItsCarrier) {
  const double Js = 0.8, Jt = 0.5, mass = 18.0, speed = 25.0, torque = 3.0;
  SpacecraftModel with = flexible(), without = flexible();
  Body& wheel = with.tree.bodies[1];
  wheel.inertia = {mass, Vector3::Zero(), Vector3(Jt, Jt, Js).asDiagonal()};
  with.u[8] = speed;
  // the same wheel welded, less its spin inertia
  Body& weld = without.tree.bodies[1];
  weld.inertia = {mass, Vector3::Zero(), Vector3(Jt, Jt, 0.0).asDiagonal()};
  weld.hinge.kind = HingeKind::fixed;
  without.q.erase(without.q.begin() + 9);
  without.u.erase(without.u.begin() + 8);
  without.rotors = {{"wheel", {1, NodeId::outboard}, 2.0 * Vector3::UnitZ(), Js, speed, 0.0}};
  Flight a(with), b(without);
  a.force[8] = torque;
  b.torque[0] = torque;
  const auto expect_same = [&] {
    Vector ua = a.rate().u, ub = b.rate().u;
    ua.erase(ua.begin() + 8);
    expect_near(ub, ua, 1e-11);
    EXPECT_NEAR(b.craft.rotor_speed(b.e, 0), a.u[8], 1e-10 * speed);
    const SpacecraftTotals ta = a.totals(), tb = b.totals();
    EXPECT_NEAR(tb.kinetic, ta.kinetic, 1e-11 * ta.kinetic);
    EXPECT_LT((tb.angular_momentum - ta.angular_momentum).norm(),
              1e-11 * ta.angular_momentum.norm());
    EXPECT_LT((tb.momentum - ta.momentum).norm(), 1e-11 * ta.momentum.norm());
  };
  expect_same();
  a.advance(0.3, 600);
  b.advance(0.3, 600);
  expect_same();
}

TEST(Spacecraft, KeepsEnergyAndMomentaWithoutOutsideForces) {
  SpacecraftModel m = flexible();
  m.tree.bodies[0].modes->damping.setZero();
  m.rotors = {{"one", {0, 1}, Vector3(1, 1, 0), 0.2, 40.0, 0.0},
              {"two", {2, 0}, Vector3(0, 1, 2), 0.1, -60.0, 0.0}};
  m.laws = {{.body = 1, .speed = 0, .stiffness = 30.0, .rest = 0.2},
            {.body = 2, .speed = 1, .lower = 0.2, .upper = 0.75, .stop_stiffness = 400.0}};
  Flight f(m);
  const SpacecraftTotals before = f.totals();
  f.advance(1.0, 4000);
  const SpacecraftTotals after = f.totals();
  EXPECT_GT(std::abs(after.springs - before.springs), 0.01);  // they take part
  // Runge-Kutta at 0.25 ms; the stop's kinks cost an order
  EXPECT_NEAR(after.energy, before.energy, 1e-8 * before.energy);
  EXPECT_LT((after.momentum - before.momentum).norm(), 1e-11 * before.momentum.norm());
  EXPECT_LT((after.angular_momentum - before.angular_momentum).norm(),
            1e-11 * before.angular_momentum.norm());
}

TEST(Spacecraft, KeepsEnergyAndAngularMomentumInACentralField) {
  SpacecraftModel m = flexible();
  m.tree.bodies[0].modes->damping.setZero();
  m.central_gravity = CentralGravity{500.0};  // strong: five times the size of the craft away
  m.q[4] = 12.0;
  Flight f(m);
  const SpacecraftTotals before = f.totals();
  EXPECT_LT(before.gravitational, -1e3);
  f.advance(1.0, 2000);
  const SpacecraftTotals after = f.totals();
  EXPECT_GT((after.momentum - before.momentum).norm(), 1.0);
  EXPECT_NEAR(after.energy, before.energy, 1e-9 * std::abs(before.gravitational));
  EXPECT_LT((after.angular_momentum - before.angular_momentum).norm(),
            1e-10 * before.angular_momentum.norm());
}

TEST(Spacecraft, AFreelyFallingAccelerometerFeelsOnlyTheGradient) {
  SpacecraftModel m;
  Body b;
  b.name = "rock";
  b.inertia = {3.0, Vector3::Zero(), Vector3(1, 1, 1).asDiagonal()};
  Node n;
  n.pose.p = {2.0, 0, 0};
  b.nodes = {Node{}, n};
  m.tree.bodies = {b};
  const double mu = 4e14, r = 7e6;
  m.central_gravity = CentralGravity{mu};
  m.sensors = {{"centre", {0, 0}}, {"off", {0, 1}}};
  m.q = {0, 0, 0, 1, r, 0, 0};
  Flight f(m);
  static_cast<void>(f.rate());
  const auto readings = f.craft.sense(f.e);
  EXPECT_NEAR(readings[0].acceleration.linear[0], -mu / (r * r), 1e-12 * mu / (r * r));
  EXPECT_LT(readings[0].specific_force.norm(), 1e-14 * mu / (r * r) * 100);
  // the next term of the field is 3 x / 2 r of this one
  EXPECT_NEAR(readings[1].specific_force[0], -2.0 * mu / (r * r * r) * 2.0, 3e-12);
}

SpacecraftModel rocket() {
  SpacecraftModel m;
  Body b;
  b.name = "rocket";
  b.inertia = {100.0, Vector3::Zero(), Vector3(50, 50, 20).asDiagonal()};
  Node nozzle;
  nozzle.pose.p = {0, 0, -1.5};
  b.nodes = {nozzle};
  m.tree.bodies = {b};
  m.tanks = {{"left", 0, {60.0, Vector3(0, 0, 6.0), Vector3(8, 8, 4).asDiagonal()}, 60.0},
             {"right", 0, {40.0, Vector3(0, 0, 4.0), Vector3(8, 8, 4).asDiagonal()}, 30.0}};
  m.actuators = {{"engine", Kind::thruster, {0, 0}, Vector3::UnitZ(), {{0, 2e-4}, {1, 1e-4}}}};
  return m;
}

TEST(Spacecraft, ABurnFollowsTheRocketEquation) {
  Flight f(rocket());
  f.commands[0] = 1000.0;
  EXPECT_DOUBLE_EQ(f.totals().mass, 190.0);
  f.advance(60.0, 600);
  const double m1 = 190.0 - 60.0 * 0.3, exhaust = 1.0 / 3e-4;
  const SpacecraftTotals t = f.totals();
  EXPECT_NEAR(t.mass, m1, 1e-10);
  EXPECT_NEAR(t.fuel, 90.0 - 18.0, 1e-10);
  // the centre of mass moves in the body as the tanks empty; the body itself flies by the equation
  EXPECT_NEAR(f.u[5], exhaust * std::log(190.0 / m1), 1e-7);
}

TEST(Spacecraft, AnEmptyTankEndsTheBurn) {
  SpacecraftModel m = rocket();
  m.tanks[1].fuel = 1.0;
  Flight f(m);
  f.commands[0] = 1000.0;  // 0.1 kg/s: empty after 10 s
  f.advance(10.5, 2100);
  EXPECT_GT(f.fuel[1], 0.0);
  EXPECT_LT(f.fuel[1], 4e-4);
  EXPECT_LT(f.rate().u[5], 0.1 * 1000.0 / 190.0);
  EXPECT_NEAR(60.0 - f.fuel[0], 2.0 * (1.0 - f.fuel[1]), 1e-9);
}

// Fuel from the centre of mass leaves at the distance r: ω' = -ṁ r²/J ω.
TEST(Spacecraft, JetDampingIsTheAngularMomentumThatLeaves) {
  for (const bool damped : {true, false}) {
    SpacecraftModel m = rocket();
    m.jet_damping = damped;
    m.tanks = {{"tank", 0, {60.0, Vector3::Zero(), Matrix3::Zero()}, 60.0}};
    m.actuators[0].feeds = {{0, 3e-4}};
    m.u = {0.3, 0, 0, 0, 0, 0};
    Flight f(m);
    f.commands[0] = 1000.0;
    f.advance(60.0, 6000);
    const double lost = damped ? 0.3 * 60.0 * 1.5 * 1.5 / 50.0 : 0.0;
    EXPECT_NEAR(f.u[0], 0.3 * std::exp(-lost), 1e-9);
  }
}

TEST(Spacecraft, MassThatLeavesTakesTheMomentumOfItsPlace) {
  SpacecraftModel m = flexible();
  m.tanks = {{"tank", 2, {4.0, Vector3(0.4, 0, 0.8), Vector3(0.5, 0.4, 0.2).asDiagonal()}, 3.0}};
  Flight f(m);
  const SpacecraftTotals before = f.totals();
  const Motion at = f.craft.tree().motion(f.e.tree(), 2);
  const Pose pose = f.craft.tree().pose(f.e.tree(), 2);
  f.fuel[0] -= 1.0;  // a quarter of the full tank
  const SpacecraftTotals after = f.totals();
  const Vector3 lost = pose.R * (at.linear + at.angular.cross(Vector3(0.1, 0, 0.2)));
  EXPECT_NEAR(before.mass - after.mass, 1.0, 1e-12);
  EXPECT_LT((before.momentum - after.momentum - lost).norm(), 1e-12);
}

TEST(HingeLaw, IsContinuousAndTheDerivativeOfItsEnergy) {
  const HingeLaw l{.stiffness = 3.0,
                   .rest = 0.1,
                   .lower = -0.5,
                   .upper = 0.4,
                   .stop_stiffness = 70.0,
                   .stop_damping = 9.0};
  for (const double q : {-0.7, -0.2, 0.3, 0.6}) {
    const double h = 1e-6;
    const double slope = (detail::law_energy(l, q + h) - detail::law_energy(l, q - h)) / (2 * h);
    EXPECT_NEAR(detail::law_force(l, q, 0.0), -slope, 1e-8);
  }
  EXPECT_NEAR(detail::law_force(l, 0.4 + 1e-9, 2.0), detail::law_force(l, 0.4, 2.0), 1e-4);
  // stops push and never pull, however fast one leaves them
  const double spring = -3.0 * (0.5 - 0.1);
  EXPECT_LT(detail::law_force(l, 0.5, 1.0), spring - 7.0);
  EXPECT_EQ(detail::law_force(l, 0.5, -50.0), spring);
  EXPECT_GE(detail::law_force(l, -0.6, 50.0), -3.0 * (-0.6 - 0.1));
}

TEST(HingeLaw, FrictionOpposesAndSaturates) {
  const HingeLaw l{.friction = 2.0, .friction_speed = 0.01};
  EXPECT_EQ(detail::law_force(l, 0.0, 0.0), 0.0);
  EXPECT_NEAR(detail::law_force(l, 0.0, 1.0), -2.0, 1e-12);
  EXPECT_NEAR(detail::law_force(l, 0.0, -0.01), 2.0 * std::tanh(1.0), 1e-12);
}

TEST(Spacecraft, AllocatesNothingInTheLoop) {
  SpacecraftModel m = flexible();
  m.central_gravity = CentralGravity{500.0};
  m.actuators = {{"jet", Kind::thruster, {0, 1}, Vector3::UnitX(), {{0, 1e-3}}},
                 {"both", Kind::wrench, {1, 0}, Vector3::UnitX(), {}}};
  m.tanks = {{"tank", 2, {4.0, Vector3(0.4, 0, 0.8), Vector3(0.5, 0.4, 0.2).asDiagonal()}, 3.0}};
  m.rotors = {{"one", {0, 1}, Vector3(1, 1, 0), 0.2, 40.0, 1e-3}};
  m.sensors = {{"a", {0, 1}}, {"b", {2, 0}}};
  m.laws = {{.body = 1, .speed = 0, .stiffness = 30.0, .friction = 0.1}};
  Flight f(m);
  Vector du(f.u.size()), dh(1), df(1), tau(f.u.size());
  const long before = testing::allocations();
  f.craft.place({f.q, f.u, f.h, f.fuel}, f.e);
  const Solution s = f.craft.accelerate({f.force, {}, {}, f.commands, f.torque}, {du, dh, df}, f.e);
  f.craft.sense(f.e);
  f.craft.efforts(f.e, tau);
  static_cast<void>(f.craft.totals(f.e));
  static_cast<void>(f.craft.rotor_speed(f.e, 0));
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_TRUE(s);
}

TEST(Spacecraft, SaysWhatIsWrongAroundTheTree) {
  const auto codes = [](void (*spoil)(SpacecraftModel&)) {
    SpacecraftModel m = flexible();
    m.tanks = {{"tank", 2, {4.0, Vector3::Zero(), Matrix3::Zero()}, 3.0}};
    m.prescribed.assign(m.u.size(), 0);
    EXPECT_TRUE(check(m).empty());
    spoil(m);
    std::string all;
    for (const Finding& f : check(m)) all += f.code + " ";
    EXPECT_THROW(Spacecraft{m}, ConfigurationError);
    return all;
  };
  using M = SpacecraftModel&;
  EXPECT_EQ(codes([](M m) { m.bus = 7; }), "V1660 ");
  EXPECT_EQ(codes([](M m) {
              m.parameters = {{"k", "N/m", Parameter::Kind::stiffness, 5}};
            }),
            "V1660 ");
  EXPECT_EQ(codes([](M m) { m.sensors = {{"s", {0, 2}}}; }), "V1660 ");
  EXPECT_EQ(codes([](M m) { m.sensors = {{"s", {0, NodeId::outboard}}}; }), "V1660 ");
  EXPECT_EQ(codes([](M m) {
              m.rotors = {{"r", {9, 0}, Vector3::UnitX(), 1.0, 0.0, 0.0}};
            }),
            "V1660 ");
  EXPECT_EQ(codes([](M m) {
              m.rotors = {{"r", {0, 0}, Vector3::Zero(), -1.0, 0.0, 0.0}};
            }),
            "V1662 V1662 ");
  EXPECT_EQ(codes([](M m) { m.laws = {{.body = 0, .speed = 1, .stiffness = 2.0}}; }), "V1661 ");
  EXPECT_EQ(codes([](M m) { m.laws = {{.body = 1, .speed = 1}}; }), "V1661 ");
  EXPECT_EQ(codes([](M m) { m.laws = {{.body = 1, .damping = NAN}}; }), "V1662 ");
  EXPECT_EQ(codes([](M m) { m.laws = {{.body = 1, .lower = 2.0, .upper = 1.0}}; }), "V1662 ");
  EXPECT_EQ(codes([](M m) {
              m.actuators = {{"a", Kind::thruster, {0, 0}, Vector3::Zero(), {{3, 1.0}}}};
            }),
            "V1662 V1660 ");
  EXPECT_EQ(codes([](M m) {
              m.actuators = {{"a", Kind::force, {0, 0}, Vector3::UnitX(), {{0, 1.0}}}};
            }),
            "V1661 ");
  EXPECT_EQ(codes([](M m) { m.tanks[0].fuel = 4.1; }), "V1663 ");
  EXPECT_EQ(codes([](M m) { m.tanks[0].full.mass = 0.0; }), "V1662 ");
  EXPECT_EQ(codes([](M m) { m.central_gravity = CentralGravity{-1.0}; }), "V1662 ");
  EXPECT_EQ(codes([](M m) { m.q.pop_back(); }), "V1664 ");
  EXPECT_EQ(codes([](M m) { m.u[3] = NAN; }), "V1664 ");
  EXPECT_EQ(codes([](M m) { m.prescribed[6] = 1; }), "V1661 ");
  EXPECT_EQ(codes([](M m) { m.prescribed[8] = 2; }), "V1661 ");
}

}  // namespace
}  // namespace vernier::multibody
