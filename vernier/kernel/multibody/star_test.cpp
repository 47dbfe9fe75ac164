// The star in lanes against the general sweeps, for every set of instructions of this machine.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/multibody/analysis.hpp"
#include "vernier/kernel/multibody/random_star_test.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::multibody {
namespace {

/// Trees made while it lives use this set.
class Use {
 public:
  explicit Use(const char* instructions) { ::setenv("VERNIER_INSTRUCTIONS", instructions, 1); }
  ~Use() { ::unsetenv("VERNIER_INSTRUCTIONS"); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
};

std::vector<const char*> sets() {
  std::vector<const char*> all;
  for (const auto set : {Instructions::sse2, Instructions::avx2, Instructions::avx512}) {
    if (set <= best_instructions()) all.push_back(vernier::name(set));
  }
  return all;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
  double scale = 1.0;
  for (const double x : b) scale = std::max(scale, std::abs(x));
  // some hundred operations, each rounded; the hinges of these models have moderate ratios of
  // inertia
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-11 * scale) << what << i;
}
std::vector<double> numbers(const Motion& m) {
  return {m.angular[0], m.angular[1], m.angular[2], m.linear[0], m.linear[1], m.linear[2]};
}
std::vector<double> numbers(const Force& f) {
  return {f.moment[0], f.moment[1], f.moment[2], f.resultant[0], f.resultant[1], f.resultant[2]};
}
std::vector<double> numbers(const Pose& p) {
  std::vector<double> all(p.R.data(), p.R.data() + 9);
  all.insert(all.end(), p.p.data(), p.p.data() + 3);
  return all;
}

/// Everything that can be asked of an accelerated tree.
void expect_same(const Tree& star, const Evaluation& a, const Tree& tree, const Evaluation& b) {
  std::vector<double> tau_a(tree.speeds()), tau_b(tree.speeds());
  star.forces(a, tau_a);
  tree.forces(b, tau_b);
  expect_near(tau_a, tau_b, "force ");
  for (int i = 0; i < static_cast<int>(tree.model().bodies.size()); ++i) {
    SCOPED_TRACE("body " + std::to_string(i));
    expect_near(numbers(star.pose(a, i)), numbers(tree.pose(b, i)), "pose ");
    expect_near(numbers(star.motion(a, i)), numbers(tree.motion(b, i)), "motion ");
    expect_near(numbers(star.reaction(a, i)), numbers(tree.reaction(b, i)), "reaction ");
    for (const int k : {0, NodeId::frame, NodeId::inboard, NodeId::outboard}) {
      const NodeId node{i, k};
      expect_near(numbers(star.pose(a, node)), numbers(tree.pose(b, node)), "node pose ");
      expect_near(numbers(star.motion(a, node)), numbers(tree.motion(b, node)), "node motion ");
      expect_near(numbers(star.specific_force(a, node)), numbers(tree.specific_force(b, node)),
                  "specific force ");
      expect_near(numbers(star.acceleration(a, node)), numbers(tree.acceleration(b, node)),
                  "acceleration ");
    }
  }
  const Totals x = totals(star, a), y = totals(tree, b);
  EXPECT_NEAR(x.kinetic, y.kinetic, 1e-12 * y.kinetic);
  EXPECT_TRUE(x.angular_momentum.isApprox(y.angular_momentum, 1e-12));
}

TEST(Star, AnswersAnalysisAsATreeDoes) {
  const Model model = random::star(45, {.modes = 3});
  const Tree star(model), tree(model, Path::tree);
  Evaluation a(star), b(tree);
  const random::State s = random::state(star, 46);
  star.place(s.q, s.u, a);
  tree.place(s.q, s.u, b);
  EXPECT_TRUE(mass_matrix(star, a).isApprox(mass_matrix(tree, b), 1e-13));
  EXPECT_TRUE(jacobian(star, a, {2, 0}).isApprox(jacobian(tree, b, {2, 0}), 1e-13));
  EXPECT_TRUE(inverse_mass_matrix(star, a).isApprox(inverse_mass_matrix(tree, b), 1e-11));
  const std::size_t n = star.speeds();
  std::vector<double> udot(n), forces_a(n), forces_b(n), jump_a(n), jump_b(n);
  for (std::size_t k = 0; k < n; ++k) udot[k] = std::sin(static_cast<double>(k));
  inverse_dynamics(star, a, udot, s.nodes, forces_a);
  inverse_dynamics(tree, b, udot, s.nodes, forces_b);
  expect_near(forces_a, forces_b, "inverse dynamics ");
  std::vector<std::uint8_t> locked(n);
  locked[star.block(1).u] = 1;
  ASSERT_TRUE(impact(star, a, s.q, s.u, locked, {}, {}, jump_a, forces_a));
  ASSERT_TRUE(impact(tree, b, s.q, s.u, locked, {}, {}, jump_b, forces_b));
  expect_near(jump_a, jump_b, "jump ");
  expect_near(forces_a, forces_b, "impulse ");
  // and after that the star is as before
  star.place(s.q, s.u, a);
  tree.place(s.q, s.u, b);
  const Loads loads{s.force, {}, {}, s.nodes};
  ASSERT_TRUE(star.accelerate(loads, jump_a, a));
  ASSERT_TRUE(tree.accelerate(loads, jump_b, b));
  expect_near(jump_a, jump_b, "udot ");
  expect_same(star, a, tree, b);
}

/// All that can be read of an accelerated tree, body by body.
std::vector<double> readings(const Tree& tree, const Evaluation& e) {
  std::vector<double> all;
  const auto add = [&](const std::vector<double>& v) { all.insert(all.end(), v.begin(), v.end()); };
  for (int i = 0; i < static_cast<int>(tree.model().bodies.size()); ++i) {
    add(numbers(tree.pose(e, i)));
    add(numbers(tree.motion(e, i)));
    add(numbers(tree.reaction(e, i)));
    add(numbers(tree.specific_force(e, {i, 0})));
  }
  return all;
}

// A run that is observed and one that is not must agree to the bit.
TEST(Star, ReadsTheSameBitsBeforeAndAfterAnAnalysis) {
  const Model model = random::star(47, {.modes = 3});
  const Tree star(model);
  ASSERT_EQ(star.path(), Path::star);
  const random::State s = random::state(star, 48);
  const Loads loads{s.force, {}, {}, s.nodes};
  std::vector<double> udot(star.speeds());
  Evaluation read_first(star), analysed_first(star), analysed_between(star);
  for (Evaluation* e : {&read_first, &analysed_first, &analysed_between}) {
    star.place(s.q, s.u, *e);
    if (e == &analysed_between) mass_matrix(star, *e);
    ASSERT_TRUE(star.accelerate(loads, udot, *e));
  }
  const std::vector<double> before = readings(star, read_first);
  totals(star, read_first);
  mass_matrix(star, read_first);
  EXPECT_EQ(readings(star, read_first), before);
  totals(star, analysed_first);
  mass_matrix(star, analysed_first);
  EXPECT_EQ(readings(star, analysed_first), before);
  EXPECT_EQ(readings(star, analysed_between), before);
}

void compare(const Model& model, unsigned seed, double prescribed) {
  const Tree tree(model, Path::tree);
  Evaluation general(tree);
  const random::State s = random::state(tree, seed, prescribed);
  const Loads loads{s.force, s.acceleration, s.prescribed, s.nodes};
  std::vector<double> expected(tree.speeds()), udot(tree.speeds());
  tree.place(s.q, s.u, general);
  ASSERT_TRUE(tree.accelerate(loads, expected, general));
  for (const char* set : sets()) {
    SCOPED_TRACE(set);
    const Use use(set);
    const Tree star(model);
    ASSERT_EQ(star.path(), Path::star);
    EXPECT_STREQ(star.instructions(), set);
    Evaluation evaluation(star);
    star.place(s.q, s.u, evaluation);
    ASSERT_TRUE(star.accelerate(loads, udot, evaluation));
    expect_near(udot, expected, "udot ");
    expect_same(star, evaluation, tree, general);
  }
}

TEST(Star, EqualsTheGeneralSweepsForARigidHub) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    compare(random::star(seed, {.free = seed % 3 != 0}), seed, 0.0);
  }
}

TEST(Star, EqualsTheGeneralSweepsForAFlexibleHubOfEveryOrder) {
  for (const int order : {0, 1, 2}) {
    for (const int modes : {1, 2, 5, 9}) {
      SCOPED_TRACE("order " + std::to_string(order) + ", modes " + std::to_string(modes));
      const unsigned seed = static_cast<unsigned>(10 * modes + order);
      compare(random::star(
                  seed, {.modes = modes, .order = order, .free = modes != 2, .full = modes == 5}),
              seed, 0.0);
    }
  }
}

TEST(Star, EqualsTheGeneralSweepsWithPrescribedSpeeds) {
  for (unsigned seed = 30; seed < 42; ++seed) {
    SCOPED_TRACE(seed);
    const int modes = static_cast<int>(seed % 4);
    compare(random::star(seed, {.modes = modes, .appendages = 11 + modes}), seed,
            seed % 3 == 0 ? 1.0 : 0.4);
  }
}

TEST(Star, FillsGroupsOfEverySize) {
  for (int appendages = 0; appendages <= 40; appendages += appendages < 20 ? 1 : 7) {
    SCOPED_TRACE(appendages);
    compare(random::star(50, {.modes = 2, .appendages = appendages}), 51, 0.2);
  }
}

TEST(Star, FollowsInertiaAndGravityThatChange) {
  Model model = random::star(60, {.modes = 3});
  const Tree star(model);
  Evaluation evaluation(star);
  const random::State s = random::state(star, 61);
  std::vector<double> udot(star.speeds()), expected(star.speeds());
  const Loads loads{s.force, {}, {}, s.nodes};
  for (const int body : {0, 9, 12}) {
    Inertia& inertia = model.bodies[static_cast<std::size_t>(body)].inertia;
    inertia.mass *= 0.8;
    inertia.moment *= 0.8;
    inertia.inertia *= 0.8;
    evaluation.set_inertia(body, inertia);
  }
  model.gravity = {1, 2, -3};
  evaluation.set_gravity(model.gravity);
  star.place(s.q, s.u, evaluation);
  ASSERT_TRUE(star.accelerate(loads, udot, evaluation));
  const Tree other(model, Path::tree);
  Evaluation general(other);
  other.place(s.q, s.u, general);
  ASSERT_TRUE(other.accelerate(loads, expected, general));
  expect_near(udot, expected, "udot ");
  expect_same(star, evaluation, other, general);
}

TEST(Star, SaysWhichGimbalIsSingular) {
  const Model model = random::star(70, {});
  for (const char* set : sets()) {
    const Use use(set);
    const Tree star(model);
    Evaluation evaluation(star);
    random::State s = random::state(star, 71);
    std::vector<double> udot(star.speeds());
    int gimbal = 0;
    while (model.bodies[static_cast<std::size_t>(gimbal)].hinge.kind != HingeKind::gimbal) ++gimbal;
    s.q[star.block(gimbal).q + 1] = 0.5 * M_PI;
    star.place(s.q, s.u, evaluation);
    EXPECT_EQ(star.accelerate({s.force, {}, {}, {}}, udot, evaluation).singular, gimbal) << set;
    // held, it can stand anywhere
    s.prescribed[star.block(gimbal).u] = 1;
    EXPECT_TRUE(star.accelerate({s.force, s.acceleration, s.prescribed, {}}, udot, evaluation));
  }
}

TEST(Star, ReportsAStateThatIsNotANumber) {
  const Tree star(random::star(80, {.modes = 2}));
  Evaluation evaluation(star);
  std::vector<double> udot(star.speeds());
  random::State s = random::state(star, 81);
  s.u[star.block(4).u] = NAN;
  star.place(s.q, s.u, evaluation);
  EXPECT_FALSE(star.accelerate({s.force, {}, {}, {}}, udot, evaluation));
}

TEST(Star, IsChosenOnlyForStars) {
  Model model = random::star(90, {});
  EXPECT_EQ(Tree(model).path(), Path::star);
  EXPECT_EQ(Tree(model, Path::tree).path(), Path::tree);
  model.bodies[3].hinge.parent = 4;
  EXPECT_EQ(Tree(model).path(), Path::tree);
}

TEST(Star, AllocatesNothing) {
  const Tree star(random::star(95, {.modes = 5}));
  Evaluation evaluation(star);
  const random::State s = random::state(star, 96, 0.3);
  std::vector<double> udot(star.speeds());
  const long before = testing::allocations();
  star.place(s.q, s.u, evaluation);
  static_cast<void>(
      star.accelerate({s.force, s.acceleration, s.prescribed, s.nodes}, udot, evaluation));
  for (int i = 0; i < 5; ++i) {
    static_cast<void>(star.reaction(evaluation, i));
    static_cast<void>(star.specific_force(evaluation, {i, 0}));
  }
  EXPECT_EQ(testing::allocations(), before);
}

}  // namespace
}  // namespace vernier::multibody
