#include "vernier/kernel/constrained/solver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "vernier/kernel/constrained/detail/equations.hpp"
#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/mechanisms_test.hpp"
#include "vernier/kernel/constrained/rotation.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::constrained {
namespace {

using End = StepReport::End;

TEST(Solver, StartsAPendulumWithItsAccelerationAndReaction) {
  Solver s(pendulum(), {});
  s.initialize();
  EXPECT_EQ(s.equations(), 17);
  EXPECT_EQ(s.rows(), 11);
  const auto [a, w] = s.accelerations()[0];
  // θ'' = -g / 1.01 about z, from the horizontal; what gravity does not accelerate the hinge holds
  EXPECT_NEAR(w.z, -gravity / 1.01, 1e-12);
  EXPECT_NEAR(a.y, -gravity / 1.01, 1e-12);
  EXPECT_NEAR(a.x, 0.0, 1e-12);
  double measures[8];
  s.measure(0, measures);
  EXPECT_NEAR(measures[1], gravity * (1.0 - 1.0 / 1.01), 1e-12);
}

TEST(Solver, SwingsAPendulum) {
  Solver s(pendulum(), {});
  s.initialize();
  for (int i = 0; i < 2000; ++i) {
    const StepReport r = s.step(1e-3);
    ASSERT_EQ(r.end, End::converged) << i << " " << s.row_name(r.worst_row) << " " << r.residual;
    ASSERT_LE(r.iterations, 2);
  }
  const Swing e = swing(1.01, 2.0);
  EXPECT_NEAR(s.node(0).x.x, std::sin(e.theta), 5e-5);
  EXPECT_NEAR(s.node(0).x.y, -std::cos(e.theta), 5e-5);
  EXPECT_NEAR(s.node(0).omega.z, e.omega, 1e-4);
  EXPECT_LT(s.constraint_violation(), 1e-12);
  EXPECT_LT(s.constraint_rate_violation(), 1e-4);
}

TEST(Solver, DoesNotAllocateInTheLoop) {
  for (const Scheme scheme : all_schemes) {
    Model m = pendulum();
    add_torque(m);
    Solver s(std::move(m), {.scheme = scheme, .project_velocities = true});
    s.initialize();
    std::vector<std::byte> state(s.state_bytes());
    const long before = testing::allocations();
    for (int i = 0; i < 20; ++i) {
      s.inputs()[0] = 0.1 * i;
      EXPECT_EQ(s.step(1e-3).end, End::converged);
    }
    s.save(state);
    s.restart();
    s.step(1e-3);
    s.load(state);
    EXPECT_TRUE(s.project());
    s.step(2e-3);
    double measures[16];
    s.measure(0, measures);
    const double sum = s.kinetic_energy() + s.potential_energy() + s.constraint_violation() +
                       s.constraint_rate_violation() + s.momentum().x + s.angular_momentum().x +
                       s.accelerations()[0].linear.x;
    EXPECT_TRUE(std::isfinite(sum));
    EXPECT_EQ(testing::allocations() - before, 0);
  }
}

TEST(Solver, ResumesToTheBit) {
  for (const Scheme scheme : all_schemes) {
    Model m = chain(4);
    add_torque(m);
    Solver a(m, {.scheme = scheme}), b(m, {.scheme = scheme});
    a.initialize();
    b.initialize();
    for (int i = 0; i < 300; ++i) {
      a.inputs()[0] = std::sin(0.1 * i);
      ASSERT_NE(a.step(i < 200 ? 1e-3 : 2e-3).end, End::failed);
    }
    std::vector<std::byte> state(a.state_bytes());
    a.save(state);
    b.load(state);
    for (int i = 0; i < 50; ++i) {
      a.inputs()[0] = b.inputs()[0] = 0.3 * i;
      a.step(2e-3);
      b.step(2e-3);
    }
    std::vector<std::byte> at_a(a.state_bytes()), at_b(b.state_bytes());
    a.save(at_a);
    b.save(at_b);
    EXPECT_EQ(std::memcmp(at_a.data(), at_b.data(), at_a.size()), 0);
  }
}

/// Keeps a node's height, or pushes it, by something that is no number from a time on.
class Nothing final : public Element {
 public:
  explicit Nothing(bool constrains, double from = 0.0) : from_(from) {
    shape_.nodes = {0};
    shape_.algebraic = shape_.holonomic = constrains ? 1 : 0;
  }
  const Shape& shape() const noexcept override { return shape_; }
  void evaluate(const Point& at, const Contribution& out) const noexcept override {
    if (at.time >= from_) out.residual[shape_.holonomic > 0 ? 6 : 1] = std::nan("");
  }

 private:
  Shape shape_;
  double from_;
};

TEST(Solver, NamesTheRowThatIsNoNumberWhateverWasSolvedBefore) {
  Model m = pendulum();
  m.add("ghost", "user", std::make_shared<Nothing>(false, 5.5e-3));
  Solver s(std::move(m), {});
  s.initialize();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(s.step(1e-3).end, End::converged);
  const StepReport r = s.step(1e-3);
  EXPECT_EQ(r.end, End::failed);
  EXPECT_EQ(s.row_name(r.worst_row), "force equilibrium of node 'bob' along y");
}

TEST(Solver, RefusesAStartWithoutNumbers) {
  for (const bool constrains : {true, false}) {
    Model m = pendulum();
    m.gravity = {};  // at rest: nothing else in the equations is other than zero
    m.add("ghost", "user", std::make_shared<Nothing>(constrains));
    Solver s(std::move(m), {});
    try {
      s.initialize();
      FAIL() << constrains;
    } catch (const AssemblyProblem& p) {
      EXPECT_EQ(p.kind, AssemblyProblem::Kind::not_finite);
      ASSERT_EQ(p.names.size(), 1U);
      EXPECT_EQ(p.names[0], constrains ? "constraint 1 of user 'ghost'"
                                       : "force equilibrium of node 'bob' along y");
    }
    EXPECT_TRUE(!constrains || std::isnan(s.constraint_violation()));
  }
}

/// Largest row sum of the matrix times that of its inverse.
double condition(const Solver& s, double c) {
  const detail::MechanismLayout& plan = s.mechanism().plan();
  detail::Scratch work(plan);
  detail::Equations equations(plan, s.state(), work);
  Level here = s.state().history[0];
  equations.keep_drives();
  equations.set_coefficients(c, c);
  equations.set_turns(here, c);
  equations.set_momenta(here);
  equations.assemble_matrix(here, detail::Constraints::positions);
  const auto n = static_cast<std::size_t>(plan.size);
  std::vector<double> sums(n), inverse(n), unit(n);
  const std::vector<sparse::Entry>& entries = plan.entries.pattern.entries;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    sums[entries[k].row] += std::abs(work.linear->values()[work.linear->slots()[k]]);
  }
  EXPECT_TRUE(work.linear->factorize().usable);
  for (std::size_t j = 0; j < n; ++j) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[j] = 1.0;
    work.linear->solve(unit);
    for (std::size_t i = 0; i < n; ++i) inverse[i] += std::abs(unit[i]);
  }
  return *std::max_element(sums.begin(), sums.end()) *
         *std::max_element(inverse.begin(), inverse.end());
}

TEST(Solver, ConditionDoesNotDependOnTheStep) {
  // unscaled it grows as h⁻²: ten decades between these
  Solver s(pendulum(), {});
  s.initialize();
  const double at = condition(s, 1e-2);
  EXPECT_LT(at, 2e3);  // inertia 0.01 of 1 kg m² is in it
  for (const double c : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    EXPECT_NEAR(condition(s, c) / at, 1.0, 0.02);
  }
}

TEST(Solver, NamesRows) {
  Solver s(pendulum(), {});
  EXPECT_EQ(s.row_name(4), "moment equilibrium of node 'bob' about y");
  EXPECT_EQ(s.row_name(0), "force equilibrium of node 'bob' along x");
  EXPECT_EQ(s.row_name(7), "constraint 2 of revolute 'hinge'");
}

TEST(Solver, PutsAMechanismTogetherFromARoughGuess) {
  Model m = pendulum();
  m.nodes[0].position = {0.9, 0.2, 0.1};
  m.nodes[0].orientation = rotation(Vector3{0.2, -0.1, 0.3});
  m.nodes[0].velocity = {0.3, 1.0, 0.2};
  Solver s(m, {});
  s.initialize();
  EXPECT_LT(s.constraint_violation(), 1e-13);
  EXPECT_LT(s.constraint_rate_violation(), 1e-13);
  const NodeState& n = s.node(0);
  EXPECT_NEAR(n.x.z, 0.0, 1e-13);
  EXPECT_NEAR(n.v.y, n.omega.z * n.x.x, 1e-13);
  EXPECT_GT(n.x.y, 0.0);  // nearer to what was given than the other side
}

TEST(Solver, RefusesConstraintsThatSayTheSameTwice) {
  Model m = pendulum();
  Joint again;
  again.b = {.node = 0, .offset = {-1.0, 0.0, 0.0}};
  m.add("again", "revolute", make(again));
  Solver s(m, {});
  try {
    s.initialize();
    FAIL();
  } catch (const AssemblyProblem& p) {
    EXPECT_EQ(p.kind, AssemblyProblem::Kind::redundant);
    EXPECT_THAT(p.names, ::testing::UnorderedElementsAre("hinge", "again"));
  }
}

TEST(Solver, RefusesConstraintsThatContradict) {
  Model m = pendulum();
  Joint other;
  other.b = {.node = 0, .offset = {-1.0, 0.0, 0.0}};
  other.a.offset = {0.0, 0.0, 0.25};
  m.add("other", "revolute", make(other));
  Solver s(m, {});
  try {
    s.initialize();
    FAIL();
  } catch (const AssemblyProblem& p) {
    EXPECT_EQ(p.kind, AssemblyProblem::Kind::conflicting);
    EXPECT_THAT(p.names, ::testing::UnorderedElementsAre("hinge", "other"));
    EXPECT_NEAR(p.gap, 0.125, 1e-3);  // both give way by half
  }
}

TEST(Solver, RefusesWhatCannotBeClosed) {
  // a bar of 1 m from the origin to a point 3 m away that another bar of 1 m should reach
  Model m = pendulum();
  Joint far;
  far.kind = JointKind::distance;
  far.length = 1.0;
  far.a.offset = {3.0, 0.0, 0.0};
  far.b.node = 0;
  m.nodes[0].position = {std::cos(0.3), std::sin(0.3), 0.0};
  m.nodes[0].orientation = rotation(Vector3{0.0, 0.0, 0.3});
  m.add("far", "distance", make(far));
  Solver s(m, {});
  try {
    s.initialize();
    FAIL();
  } catch (const AssemblyProblem& p) {
    EXPECT_EQ(p.kind, AssemblyProblem::Kind::apart);
    EXPECT_THAT(p.names, ::testing::Contains("far"));
    EXPECT_GT(p.gap, 0.3);
    EXPECT_LT(p.gap, 1.01);
  }
}

TEST(Solver, FindsRestOfAPendulum) {
  Solver s(pendulum(), {});
  s.equilibrate();
  EXPECT_NEAR(s.node(0).x.x, 0.0, 1e-9);
  EXPECT_NEAR(s.node(0).x.y, -1.0, 1e-9);
  for (int i = 0; i < 100; ++i) s.step(1e-3);
  EXPECT_NEAR(s.node(0).x.x, 0.0, 1e-9);
}

}  // namespace
}  // namespace vernier::constrained
