#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "vernier/kernel/multibody/analysis.hpp"
#include "vernier/kernel/multibody/cases_test.hpp"
#include "vernier/kernel/multibody/random_test.hpp"
#include "vernier/testing/allocations.hpp"

// Long runs and closed forms. Tolerances: what classical Runge-Kutta with this step leaves.
namespace vernier::multibody {
namespace {

double energy(const Totals& t) { return t.kinetic + t.deformation + t.gravitational; }

/// A body of principal inertia about its centre of mass, at the origin of its frame.
Body rigid(const char* name, double mass, const Vector3& J, HingeKind kind, int parent = ground,
           const Vector3& at = Vector3::Zero()) {
  Body body;
  body.name = name;
  body.inertia.mass = mass;
  body.inertia.inertia = J.asDiagonal();
  body.hinge.kind = kind;
  body.hinge.parent = parent;
  body.hinge.outboard.pose.p = at;
  return body;
}

class Orders : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OfTheMassMatrix, Orders, ::testing::Values(0, 1, 2));

TEST_P(Orders, EnergyAndBothMomentaStayWhenNothingActs) {
  for (const unsigned seed : {3u, 5u, 8u, 13u, 15u, 18u}) {
    RandomTree random(seed);
    RandomOptions options;
    options.shortens = seed > 10;
    options.damped = false;
    options.order = GetParam();
    options.flexible = 0.8;
    const Tree tree(random.model(6, options));
    Evaluation e(tree);
    auto q = random.coordinates(tree), u = random.speeds(tree, 0.4);
    tree.place(q, u, e);
    const Totals before = totals(tree, e);
    integrate(tree, e, q, u, {}, 1e-3, 2000);
    const Totals after = totals(tree, e);
    EXPECT_NEAR(energy(after) / energy(before), 1.0, 2e-9) << seed;
    const double size = before.mass;
    EXPECT_LT((after.momentum - before.momentum).norm(), 1e-9 * size) << seed;
    EXPECT_LT((after.angular_momentum - before.angular_momentum).norm(), 2e-9 * size) << seed;
    EXPECT_LT((after.centre - before.centre - 2.0 * before.centre_velocity).norm(), 1e-9) << seed;
  }
}

TEST_P(Orders, EnergyStaysOnTheGroundUnderGravity) {
  RandomTree random(11);
  RandomOptions options;
  options.damped = false;
  options.rotors = true;
  options.base = HingeKind::gimbal;
  options.kinds = {HingeKind::pin, HingeKind::universal, HingeKind::ball, HingeKind::prismatic};
  options.order = GetParam();
  options.shortens = true;
  Model model = random.model(5, options);
  model.gravity = {0.5, -1.0, -3.0};
  const Tree tree(std::move(model));
  Evaluation e(tree);
  auto q = random.coordinates(tree), u = random.speeds(tree, 0.3);
  tree.place(q, u, e);
  const double before = energy(totals(tree, e));
  integrate(tree, e, q, u, {}, 5e-4, 1000);
  EXPECT_NEAR(energy(totals(tree, e)), before, 1e-8 * (1.0 + std::abs(before)));
}

// oracle: power of all forces, dE/dt by differences of fourth order along the motion
TEST(Energy, GrowsByThePowerOfForces) {
  for (const unsigned seed : {1u, 2u, 6u, 7u, 11u, 12u, 16u, 17u}) {
    RandomTree random(seed);
    RandomOptions options;
    options.shortens = seed > 10;
    Model model = random.model(6, options);
    model.gravity = {0.3, 0.4, -2.0};
    const Tree tree(std::move(model));
    Evaluation e(tree);
    const auto q = random.coordinates(tree), u = random.speeds(tree),
               tau = random.speeds(tree, 3.0);
    const std::vector<NodeForce> nodes = {{{2, 6}, {random.vector(2), random.vector(2)}},
                                          {{4, 6}, {random.vector(2), random.vector(2)}}};
    const Loads loads{tau, {}, {}, nodes};
    const auto after = [&](double t) {
      auto x = q, v = u;
      integrate(tree, e, x, v, loads, t, 1);
      return energy(totals(tree, e));
    };
    const double h = 4e-4;
    const double rate = (8 * (after(h) - after(-h)) - (after(2 * h) - after(-2 * h))) / (12 * h);
    tree.place(q, u, e);
    double power = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) power += tau[i] * u[i];
    for (const NodeForce& f : nodes) power += spatial::power(tree.motion(e, f.at), f.force);
    for (int b = 0; b < 6; ++b) {
      const Block block = tree.block(b);
      for (std::size_t i = 0; i < block.modes; ++i) {
        const double r = u[block.u + block.speeds + i];
        const auto k = static_cast<Eigen::Index>(i);
        power -= tree.model().bodies[b].modes->damping(k, k) * r * r;
      }
    }
    EXPECT_NEAR(rate, power, 1e-7 * (1.0 + std::abs(power))) << seed;
  }
}

// oracle: reference values, cases A, B, D and C2
TEST(FactSheetTotals, OfTheCases) {
  const auto of = [](const cases::Case& c) {
    const Tree tree(c.model);
    Evaluation e(tree);
    tree.place(c.q, c.u, e);
    return totals(tree, e);
  };
  const auto near = [](const Vector3& a, const Vector3& b) {
    EXPECT_LT((a - b).norm(), 1e-12 * (1 + b.norm()));
  };
  Totals t = of(cases::pendulum());
  EXPECT_NEAR(t.kinetic, 1.556043595274, 1e-12);
  EXPECT_NEAR(t.gravitational, 33.53795087972, 1e-11);
  EXPECT_NEAR(t.angular_momentum.z(), 3.0, 1e-13);
  t = of(cases::bus());
  EXPECT_NEAR(t.kinetic, 69.17227086822, 1e-11);
  EXPECT_NEAR(t.deformation, 0.344, 1e-15);
  EXPECT_NEAR(t.mass, 232.0, 1e-12);
  near(t.momentum, {5.347031139642, 79.75078909128, -33.45261045419});
  near(t.angular_momentum, {-336.1228441060, -26.54646319603, 191.9608991244});
  near(t.centre, {0.9568727437374, 1.835974512899, 3.214576937337});
  t = of(cases::arm());
  EXPECT_NEAR(t.kinetic, 9.666663393101, 1e-12);
  EXPECT_NEAR(t.gravitational + t.deformation, 78.53477036881, 1e-11);
  near(t.momentum, {6.778905664261, -10.52065207686, -0.6683123600125});
  near(t.angular_momentum, {9.951969380290, 5.921330843408, -14.49681499699});
}

TEST(FactSheetTotals, CaseC2ALockingHinge) {
  const auto c = cases::bus();
  const Tree tree(c.model);
  Evaluation e(tree);
  std::vector<std::uint8_t> locked(tree.speeds(), 0);
  locked[9] = 1;
  std::vector<double> du(tree.speeds()), impulse(tree.speeds()), u = c.u;
  tree.place(c.q, c.u, e);
  const Totals before = totals(tree, e);
  ASSERT_TRUE(impact(tree, e, c.q, c.u, locked, {}, {}, du, impulse));
  for (std::size_t i = 0; i < u.size(); ++i) u[i] += du[i];
  const double truth[] = {
      0.3202529889319,  -0.2215564873876, 0.4860577030075,  0.09405399215106, 0.2083233720656,
      -0.3070227367799, 0.4351284792482,  -0.7884107537292, 1.526522754355,   0.0,
      0.5970329756889};
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], truth[i], 2e-12) << i;
  EXPECT_NEAR(impulse[9], 3.447546085877, 1e-11);
  tree.place(c.q, u, e);
  const Totals after = totals(tree, e);
  EXPECT_NEAR(after.kinetic, 67.79325243387, 1e-10);
  EXPECT_LT((after.momentum - before.momentum).norm(), 1e-12);
  EXPECT_LT((after.angular_momentum - before.angular_momentum).norm(), 1e-11);
}

TEST(Release, OfAHingeKeepsMomentaAndTheHeldPartFollows) {
  // a probe on a free hinge, held by prescribing all six speeds, then let go
  Model model;
  model.bodies = {rigid("bus", 100, {40, 50, 60}, HingeKind::free),
                  rigid("probe", 20, {2, 3, 4}, HingeKind::free, 0, {1.0, 0.5, -0.2})};
  const Tree tree(std::move(model));
  Evaluation e(tree);
  std::vector<double> q(tree.coordinates()), u(tree.speeds(), 0.0), udot(tree.speeds());
  tree.set_zero(q);
  u[0] = 0.3, u[1] = -0.2, u[2] = 0.1, u[3] = 1.0;
  std::vector<std::uint8_t> held(tree.speeds(), 0);
  for (std::size_t i = 6; i < 12; ++i) held[i] = 1;
  const auto start = q;
  tree.place(q, u, e);
  const Totals before = totals(tree, e);
  integrate(tree, e, q, u, {{}, {}, held, {}}, 0.01, 200);
  for (std::size_t i = 7; i < 14; ++i) EXPECT_EQ(q[i], start[i]) << "held";
  std::vector<double> freed = u;
  freed[9] += 0.4;  // springs push the probe; the bus gets the reaction through an impact
  std::vector<double> du(u.size()), impulse(u.size());
  ASSERT_TRUE(impact(tree, e, q, u, held, freed, {}, du, impulse));
  for (std::size_t i = 0; i < u.size(); ++i) u[i] += du[i];
  integrate(tree, e, q, u, {}, 0.01, 300);
  const Totals after = totals(tree, e);
  EXPECT_LT((after.momentum - before.momentum).norm(), 1e-9);
  EXPECT_LT((after.angular_momentum - before.angular_momentum).norm(), 1e-8);
  // flying apart: the probe feels nothing, as if there were no bus
  tree.place(q, u, e);
  ASSERT_TRUE(tree.accelerate({}, udot, e));
  EXPECT_LT(tree.specific_force(e, {1, NodeId::frame}).linear.norm(), 1e-13);
  EXPECT_GT(tree.pose(e, 1).p.norm(), 1.0);
}

TEST(ClosedForm, ATorqueFreeTopPrecessesAtLOverIt) {
  Model model;
  model.bodies = {rigid("top", 3, {2, 2, 3}, HingeKind::ball)};
  const Tree tree(std::move(model));
  Evaluation e(tree);
  std::vector<double> q = {0, 0, 0, 1}, u = {0.3, 0.0, 1.2};
  tree.place(q, u, e);
  const Vector3 L = totals(tree, e).angular_momentum, first = tree.pose(e, 0).R.col(2);
  const double rate = L.norm() / 2.0, period = 2 * std::numbers::pi / rate;
  integrate(tree, e, q, u, {}, period / 2000, 2000);
  EXPECT_LT((tree.pose(e, 0).R.col(2) - first).norm(), 1e-10);
  integrate(tree, e, q, u, {}, period / 2000, 500);
  const Vector3 quarter = Eigen::AngleAxisd(std::numbers::pi / 2, L.normalized()) * first;
  EXPECT_LT((tree.pose(e, 0).R.col(2) - quarter).norm(), 1e-10);
}

TEST(ClosedForm, ACompoundPendulumSwingsWithMgdOverJ) {
  Model model;
  model.gravity = {0, -9.81, 0};
  Body rod = rigid("rod", 2, {0.01, 0.5, 0.6}, HingeKind::pin);
  rod.hinge.inboard.pose.p = {0, 0.7, 0};  // hangs 0.7 m above its centre of mass
  model.bodies = {rod};
  const Tree tree(std::move(model));
  Evaluation e(tree);
  const double J = 0.6 + 2 * 0.49, omega2 = 2 * 9.81 * 0.7 / J;
  const std::vector<double> q = {0.2}, u = {0.0};
  std::vector<double> udot(1);
  tree.place(q, u, e);
  ASSERT_TRUE(tree.accelerate({}, udot, e));
  EXPECT_NEAR(udot[0], -omega2 * std::sin(0.2), 1e-14);
}

TEST(ClosedForm, TwoBodiesOnASpringLoadedPin) {
  // omega² = k (1/J1 + 1/J2) about the common axis through both centres of mass
  Model model;
  model.bodies = {rigid("one", 5, {3, 3, 2}, HingeKind::free),
                  rigid("two", 7, {4, 4, 3}, HingeKind::pin, 0)};
  const Tree tree(std::move(model));
  Evaluation e(tree);
  std::vector<double> q(tree.coordinates()), stiffness(tree.speeds(), 0.0);
  tree.set_zero(q);
  stiffness[6] = 11.0;
  const auto f = frequencies(tree, e, q, stiffness, {});
  ASSERT_EQ(f.size(), 7u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(f[i], 0.0);
  EXPECT_NEAR(f[6], std::sqrt(11.0 * (0.5 + 1.0 / 3.0)), 1e-12);
  std::vector<std::uint8_t> held(tree.speeds(), 0);
  for (std::size_t i = 0; i < 6; ++i) held[i] = 1;
  EXPECT_NEAR(frequencies(tree, e, q, stiffness, held)[0], std::sqrt(11.0 / 3.0), 1e-12);
}

/// A uniform cantilever of length 1, rho A = EI = 1, by its exact modes sampled at lumps.
std::vector<Lump> cantilever(int modes, int lumps) {
  const double beta[] = {1.875104068712, 4.694091132974, 7.854757438238, 10.995540734875};
  std::vector<Lump> out;
  for (int j = 0; j < lumps; ++j) {
    const double x = (j + 0.5) / lumps;
    Lump l;
    l.mass = 1.0 / lumps;
    l.p = {x, 0, 0};
    l.shape = Matrix3X::Zero(3, modes);
    for (int i = 0; i < modes; ++i) {
      const double b = beta[i];
      const double s = (std::sinh(b) - std::sin(b)) / (std::cosh(b) + std::cos(b));
      l.shape(1, i) = std::cosh(b * x) - std::cos(b * x) - s * (std::sinh(b * x) - std::sin(b * x));
    }
    out.push_back(l);
  }
  return out;
}

// oracle: reference values, Euler-Bernoulli beams; midpoint sums over 4000 lumps err by 1e-7
TEST(ClosedForm, ACantileverHasItsEffectiveMassesAndIntegrals) {
  const auto lumps = cantilever(4, 4000);
  const Modes m = modal_integrals(lumps);
  EXPECT_LT((m.mass - MatrixX::Identity(4, 4)).norm(), 1e-5);
  EXPECT_NEAR(m.S1(1, 0), 0.782991756, 1e-6);
  EXPECT_NEAR(m.S1(1, 1), 0.433935895, 1e-6);
  EXPECT_NEAR(m.H0(2, 0), 0.568825744, 1e-6);
  EXPECT_NEAR(m.H0(2, 2), 0.032416374, 1e-6);
  double effective = 0.0;
  for (int i = 0; i < 4; ++i) effective += m.S1(1, i) * m.S1(1, i) / m.mass(i, i);
  EXPECT_NEAR(effective, 0.9, 0.01);  // tends to 1 with more modes: 0.613, 0.188, 0.065, 0.033
}

// oracle: a cantilever body let free must show the frequencies of a free-free beam. Clamped modes
// approximate it from above; eight digits would need many, so the bound is the method's.
TEST(ClosedForm, AFreedCantileverApproachesTheFreeFreeBeam) {
  const double beta[] = {1.875104068712, 4.694091132974, 7.854757438238, 10.995540734875};
  const auto lumps = cantilever(4, 2000);
  Model model;
  Body beam;
  beam.name = "beam";
  beam.inertia = rigid_inertia(lumps);
  beam.inertia.inertia(0, 0) += 1e-3;  // about its own axis
  beam.modes = modal_integrals(lumps);
  for (int i = 0; i < 4; ++i) beam.modes->stiffness(i, i) = std::pow(beta[i], 4);
  beam.hinge.kind = HingeKind::planar;
  model.bodies = {beam};
  const Tree tree(std::move(model));
  Evaluation e(tree);
  std::vector<double> q(tree.coordinates());
  tree.set_zero(q);
  const auto f = frequencies(tree, e, q, {}, {});
  ASSERT_EQ(f.size(), 7u);
  EXPECT_EQ(f[2], 0.0);
  EXPECT_NEAR(f[3], 4.730040744863 * 4.730040744863, 0.5);
  EXPECT_GT(f[3], 4.730040744863 * 4.730040744863 - 1e-2);
  EXPECT_NEAR(f[4], 7.853204624096 * 7.853204624096, 5.0);
  const auto held = frequencies(tree, e, q, {}, std::vector<std::uint8_t>{1, 1, 1, 0, 0, 0, 0});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(held[i] / (beta[i] * beta[i]), 1.0, 1e-4);
}

TEST(Structure, RenumberingAndAnotherBaseChangeNothing) {
  // the same chain of three bodies, listed backwards
  RandomTree random(4);
  RandomOptions options;
  options.kinds = {HingeKind::pin, HingeKind::gimbal};
  Model model = random.model(4, options);
  Model other = model;
  std::reverse(other.bodies.begin(), other.bodies.end());
  for (Body& b : other.bodies) {
    if (b.hinge.parent != ground) b.hinge.parent = 3 - b.hinge.parent;
  }
  const Tree one(model), two(other);
  Evaluation e1(one), e2(two);
  const auto q = random.coordinates(one), u = random.speeds(one), tau = random.speeds(one);
  std::vector<double> q2(q.size()), u2(u.size()), tau2(u.size()), udot(u.size()), udot2(u.size());
  const auto copy = [&](const std::vector<double>& from, std::vector<double>& to, bool speeds) {
    for (int b = 0; b < 4; ++b) {
      const Block x = one.block(b), y = two.block(3 - b);
      const auto first = speeds ? x.u : x.q;
      std::copy_n(from.begin() + static_cast<long>(first),
                  (speeds ? x.speeds : x.coordinates) + x.modes,
                  to.begin() + static_cast<long>(speeds ? y.u : y.q));
    }
  };
  copy(q, q2, false);
  copy(u, u2, true);
  copy(tau, tau2, true);
  one.place(q, u, e1);
  two.place(q2, u2, e2);
  ASSERT_TRUE(one.accelerate({tau, {}, {}, {}}, udot, e1));
  ASSERT_TRUE(two.accelerate({tau2, {}, {}, {}}, udot2, e2));
  std::vector<double> mapped(u.size());
  copy(udot, mapped, true);
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(mapped[i], udot2[i], 1e-11) << i;
}

TEST(Structure, TheBaseMayBeEitherBody) {
  // bodies a and b on a pin; once a flies and b hangs at it, once b flies and a hangs at b
  RandomTree random(9);
  RandomOptions options;
  options.kinds = {HingeKind::pin};
  options.flexible = 1.0;
  Model model = random.model(2, options);
  for (Body& b : model.bodies) b.hinge.inboard = random.node(static_cast<int>(b.mode_count()));
  model.bodies[0].hinge.inboard = Node{};
  const Tree one(model);
  Evaluation e1(one);
  const auto q = random.coordinates(one), u = random.speeds(one);
  std::vector<double> udot(u.size());
  one.place(q, u, e1);
  ASSERT_TRUE(one.accelerate({}, udot, e1));
  Model turned;
  turned.bodies = {model.bodies[1], model.bodies[0]};
  const Hinge pin = model.bodies[1].hinge;
  turned.bodies[0].hinge = Hinge{};
  turned.bodies[1].hinge = {"", HingeKind::pin, 0, pin.inboard, pin.outboard, {}};
  const Tree two(turned);
  Evaluation e2(two);
  // state of b's frame from the first tree; the pin turns the other way
  std::vector<double> q2(q.size()), u2(u.size()), udot2(u.size());
  const Pose pose = one.pose(e1, 1);
  const Motion v = one.motion(e1, 1);
  const Eigen::Quaterniond turn(pose.R);
  const Block a = one.block(0), b = one.block(1), b2 = two.block(0), a2 = two.block(1);
  Eigen::Map<Eigen::Vector4d>(q2.data() + b2.q) = turn.coeffs();
  Eigen::Map<Vector3>(q2.data() + b2.q + 4) = pose.p;
  Eigen::Map<Vector3>(u2.data() + b2.u) = v.angular;
  Eigen::Map<Vector3>(u2.data() + b2.u + 3) = v.linear;
  for (std::size_t i = 0; i < b.modes; ++i) {
    q2[b2.q + 7 + i] = q[b.q + 1 + i];
    u2[b2.u + 6 + i] = u[b.u + 1 + i];
  }
  q2[a2.q] = -q[b.q];
  u2[a2.u] = -u[b.u];
  for (std::size_t i = 0; i < a.modes; ++i) {
    q2[a2.q + 1 + i] = q[a.q + 7 + i];
    u2[a2.u + 1 + i] = u[a.u + 6 + i];
  }
  two.place(q2, u2, e2);
  ASSERT_TRUE(two.accelerate({}, udot2, e2));
  EXPECT_NEAR(udot2[a2.u], -udot[b.u], 1e-11);
  for (std::size_t i = 0; i < a.modes; ++i)
    EXPECT_NEAR(udot2[a2.u + 1 + i], udot[a.u + 6 + i], 1e-10);
  for (std::size_t i = 0; i < b.modes; ++i)
    EXPECT_NEAR(udot2[b2.u + 6 + i], udot[b.u + 1 + i], 1e-10);
  const Vector3 same = one.specific_force(e1, {1, 6}).linear,
                other = two.specific_force(e2, {0, 6}).linear;
  EXPECT_LT((same - other).norm(), 1e-11);
}

TEST(Structure, AHingeOfSeveralDofsIsAChainOfHingesOfOne) {
  const Matrix3 z_to_x =
      Eigen::AngleAxisd(std::numbers::pi / 2, Vector3::UnitY()).toRotationMatrix();
  const Matrix3 z_to_y =
      Eigen::AngleAxisd(-std::numbers::pi / 2, Vector3::UnitX()).toRotationMatrix();
  const Matrix3 I = Matrix3::Identity();
  struct Part {
    HingeKind kind;
    Matrix3 axes;
  };
  const std::vector<std::pair<HingeKind, std::vector<Part>>> table = {
      {HingeKind::universal, {{HingeKind::pin, z_to_x}, {HingeKind::pin, z_to_y}}},
      {HingeKind::gimbal,
       {{HingeKind::pin, z_to_x}, {HingeKind::pin, z_to_y}, {HingeKind::pin, I}}},
      {HingeKind::cylindrical, {{HingeKind::pin, I}, {HingeKind::prismatic, I}}},
      {HingeKind::planar,
       {{HingeKind::prismatic, z_to_x}, {HingeKind::prismatic, z_to_y}, {HingeKind::pin, I}}}};
  for (const auto& [kind, parts] : table) {
    RandomTree random(21);
    RandomOptions options;
    options.kinds = {kind};
    Model model = random.model(2, options), chain = model;
    chain.bodies.pop_back();
    Node outboard = model.bodies[1].hinge.outboard;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Body body;
      if (i + 1 == parts.size()) body = model.bodies[1];
      Node inboard = i + 1 == parts.size() ? model.bodies[1].hinge.inboard : Node{};
      body.name = "part" + std::to_string(i);
      body.hinge.kind = parts[i].kind;
      body.hinge.parent = static_cast<int>(i);
      outboard.pose.R *= parts[i].axes;
      inboard.pose.R *= parts[i].axes;
      body.hinge.outboard = outboard;
      body.hinge.inboard = inboard;
      chain.bodies.push_back(body);
      outboard = Node{};
    }
    const Tree one(model), two(chain);
    Evaluation e1(one), e2(two);
    const auto q = random.coordinates(one), u = random.speeds(one), tau = random.speeds(one);
    ASSERT_EQ(two.coordinates(), one.coordinates());
    std::vector<double> a(u.size()), b(u.size());
    one.place(q, u, e1);
    two.place(q, u, e2);
    ASSERT_TRUE(one.accelerate({tau, {}, {}, {}}, a, e1));
    ASSERT_TRUE(two.accelerate({tau, {}, {}, {}}, b, e2));
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-10) << i;
  }
}

TEST(Screw, FallsAsMassAndInertiaOfOneCoordinate) {
  // closed form: (J + h² m) u' = τ - h m g for a nut on a standing spindle, at any angle and speed
  const double m = 2.0, J = 0.3, h = 0.25, g = 9.81, tau = 0.7;
  for (const Path path : {Path::tree, Path::star}) {
    Model model;
    model.gravity = {0, 0, -g};
    Body nut = rigid("nut", m, {1, 1, J}, HingeKind::screw);
    nut.hinge.parameter = h;
    nut.hinge.parent = 0;
    model.bodies = {rigid("spindle", 5, {1, 1, 1}, HingeKind::fixed), nut};
    const Tree tree(std::move(model), path);
    Evaluation e(tree);
    const std::vector<double> q = {1.2}, u = {3.0}, force = {tau};
    std::vector<double> udot(1);
    tree.place(q, u, e);
    ASSERT_TRUE(tree.accelerate({force, {}, {}, {}}, udot, e));
    EXPECT_NEAR(udot[0], (tau - h * m * g) / (J + h * h * m), 1e-13);
    EXPECT_LT((tree.pose(e, 1).p - Vector3(0, 0, h * q[0])).norm(), 1e-15);
    EXPECT_LT((tree.motion(e, 1).linear - Vector3(0, 0, h * u[0])).norm(), 1e-15);
    // what the spindle feels: the weight and what accelerates the nut
    EXPECT_NEAR(tree.reaction(e, 1).resultant[2], m * (g + h * udot[0]), 1e-12);
  }
}

TEST(Singular, PositionsOfAGimbalAreReportedNotComputed) {
  Model model;
  model.bodies = {rigid("a", 1, {1, 1, 1}, HingeKind::gimbal)};
  const Tree tree(std::move(model));
  Evaluation e(tree);
  std::vector<double> udot(3);
  const std::vector<double> u = {0.1, 0.1, 0.1};
  for (const double q2 : {std::numbers::pi / 2, -std::numbers::pi / 2 + 1e-7}) {
    tree.place(std::vector<double>{0.2, q2, 0.3}, u, e);
    EXPECT_EQ(tree.accelerate({}, udot, e).singular, 0);
  }
  tree.place(std::vector<double>{0.2, 1.5, 0.3}, u, e);
  EXPECT_TRUE(tree.accelerate({}, udot, e));
  // the dof that cannot be solved may be prescribed
  tree.place(std::vector<double>{0.2, std::numbers::pi / 2, 0.3}, u, e);
  const std::vector<std::uint8_t> first = {1, 0, 0};
  EXPECT_TRUE(tree.accelerate({{}, {}, first, {}}, udot, e));
}

TEST(Singular, TwoPinsOnOneAxisWithNothingBetweenAreReported) {
  Model model;
  Body nothing = rigid("nothing", 0, {0, 0, 0}, HingeKind::pin);
  model.bodies = {nothing, rigid("wheel", 1, {1, 1, 2}, HingeKind::pin, 0)};
  const Tree tree(std::move(model));
  Evaluation e(tree);
  std::vector<double> udot(2);
  for (const double q : {0.0, 0.3, 1.1}) {
    tree.place(std::vector<double>{q, 2 * q}, std::vector<double>{0.4, 0.5}, e);
    EXPECT_EQ(tree.accelerate({}, udot, e).singular, 0);
  }
}

TEST(Singular, ABallThatIsTurnedAboutItsCentreThroughNothingIsReported) {
  // nothing but rounding is left of the ball's inertia where the massless body turns
  for (unsigned seed = 1; seed <= 40; ++seed) {
    RandomTree random(seed);
    Model model;
    const double more = 0.01 * seed;
    Body ball = rigid("ball", 3, {1 + more, 2 - more, 2.5 + 0.3 * more}, HingeKind::ball, 0);
    ball.hinge.outboard.pose.R = random.rotation();
    ball.hinge.inboard.pose.R = random.rotation();
    model.bodies = {rigid("nothing", 0, {0, 0, 0}, HingeKind::pin), ball};
    const Tree tree(std::move(model), Path::tree);
    Evaluation e(tree);
    std::vector<double> udot(4);
    for (int i = 0; i < 5; ++i) {
      tree.place(random.coordinates(tree), random.speeds(tree), e);
      EXPECT_EQ(tree.accelerate({}, udot, e).singular, 0) << seed;
    }
  }
}

TEST(Singular, NumbersThatAreNotFiniteAreReported) {
  Model model;
  model.bodies = {rigid("a", 1, {1, 1, 1}, HingeKind::ball)};
  const Tree tree(std::move(model));
  Evaluation e(tree);
  std::vector<double> udot(3);
  const std::vector<double> q = {0, 0, 0, 1}, tau = {0, NAN, 0};
  tree.place(q, std::vector<double>{1, 0, 0}, e);
  EXPECT_EQ(tree.accelerate({tau, {}, {}, {}}, udot, e).singular, 0);
  tree.place(q, std::vector<double>{INFINITY, 0, 0}, e);
  EXPECT_EQ(tree.accelerate({}, udot, e).singular, 0);
}

TEST(Mass, ThatIsSetChangesTheTreeAsTheModelWould) {
  RandomTree random(13);
  Model model = random.model(4);
  const Tree tree(model);
  Inertia less = model.bodies[2].inertia;
  less.mass *= 0.7;
  less.moment *= 0.6;
  less.inertia *= 0.8;
  model.bodies[2].inertia = less;
  const Tree other(model);
  Evaluation e(tree), o(other);
  const auto q = random.coordinates(tree), u = random.speeds(tree);
  std::vector<double> a(u.size()), b(u.size());
  e.set_inertia(2, less);
  e.set_gravity({0.1, 0.2, 0.3});
  o.set_gravity({0.1, 0.2, 0.3});
  tree.place(q, u, e);
  other.place(q, u, o);
  ASSERT_TRUE(tree.accelerate({}, a, e));
  ASSERT_TRUE(other.accelerate({}, b, o));
  EXPECT_EQ(a, b);
  EXPECT_EQ(totals(tree, e).mass, totals(other, o).mass);
  const Inertia c = composite_inertia(tree, e);
  const Totals t = totals(tree, e);
  EXPECT_NEAR(c.mass, t.mass, 1e-13);
  EXPECT_LT((c.moment - t.mass * t.centre).norm(), 1e-12);
}

TEST(Evaluation, AllocatesNothing) {
  RandomTree random(2);
  const Tree tree(random.model(8));
  Evaluation e(tree);
  const auto q = random.coordinates(tree), u = random.speeds(tree), tau = random.speeds(tree);
  std::vector<double> udot(u.size()), out(u.size()), impulse(u.size());
  const std::vector<NodeForce> nodes = {{{1, 6}, {random.vector(1), random.vector(1)}}};
  std::vector<std::uint8_t> locked(u.size(), 0);
  locked[0] = 1;
  const long before = testing::allocations();
  tree.place(q, u, e);
  const bool good = static_cast<bool>(tree.accelerate({tau, {}, locked, nodes}, udot, e));
  tree.forces(e, out);
  tree.specific_force(e, {2, 6});
  tree.pose(e, {2, 6});
  totals(tree, e);
  inverse_dynamics(tree, e, udot, nodes, out);
  impact(tree, e, q, u, locked, {}, {}, udot, impulse);
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_TRUE(good);
}

}  // namespace
}  // namespace vernier::multibody
