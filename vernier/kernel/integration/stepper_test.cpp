#include "vernier/kernel/integration/stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vernier/base/diagnostic.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/formula_system.hpp"

namespace vernier::integration {
namespace {

using testing::Dual;
using testing::FormulaSystem;
using testing::Terms;

hybrid::Signal state(std::string name, double initial) {
  hybrid::Signal s;
  s.name = std::move(name);
  s.initial = std::vector<double>{initial};
  return s;
}

// x1' = -2 t x1^2 + (x2 - 1), x2' = cos(t) x2; exact: x2 = exp(sin t). Not linear, not autonomous,
// no closed form for x1, which is compared with itself at a tiny step.
FormulaSystem test_system() {
  return FormulaSystem({.states = {state("x1", 1.0), state("x2", 1.0)},
                        .locations = {{"only", [](const Terms& e, Dual* r) {
                                         r[0] = -2.0 * e.t * e.x[0] * e.x[0] + (e.x[1] - 1.0);
                                         r[1] = cos(e.t) * e.x[1];
                                       }}}});
}

struct Course {
  std::vector<double> x, low, rate;
  std::unique_ptr<hybrid::Workspace> workspace;
  Trail trail;
  Equations equations;

  Course(const hybrid::System& system, std::vector<double> start) : x(std::move(start)) {
    low.resize(x.size());
    rate.resize(x.size());
    workspace = system.workspace();
    trail.x = x;
    trail.low = low;
    trail.rate = rate;
    equations = {&system, 0.0, {}, {}, workspace.get()};
  }

  // from t to end by steps of the method's own choice
  bool to(Stepper& stepper, double t, double end) {
    while (end - t > 1e-14) {
      if (!trail.rate_known) equations.rate(t, x, rate);
      if (stepper.step(equations, t, end - t, trail) != StepOutcome::done) return false;
      stepper.accept(trail);
      t += stepper.length();
      ++steps;
    }
    return true;
  }
  int steps = 0;
};

// Error at t = 1 with steps of 1/count, tolerances so wide that the control never interferes.
double error_with(const std::string& method, int count) {
  const FormulaSystem system = test_system();
  const auto end = [&](const std::string& m, int n) {
    const auto stepper = make_stepper(system.spec(), {m, 1e6, 1e6, 1.0 / n});
    Course run(system, {1.0, 1.0});
    run.trail.step = 1.0;
    EXPECT_TRUE(run.to(*stepper, 0.0, 1.0));
    return run.x;
  };
  static const std::vector<double> reference = end("dopri5", 2000);  // error below 1e-15
  const std::vector<double> x = end(method, count);
  return std::hypot(x[0] - reference[0], x[1] - std::exp(std::sin(1.0)));
}

double order_of(const std::string& method, int count) {
  return std::log2(error_with(method, count) / error_with(method, 2 * count));
}

TEST(Stepper, ConvergesWithItsOrder) {
  EXPECT_NEAR(order_of("euler", 200), 1.0, 0.1);
  EXPECT_NEAR(order_of("rk4", 20), 4.0, 0.3);
  EXPECT_NEAR(order_of("dopri5", 10), 5.0, 0.4);
  EXPECT_NEAR(order_of("rodas", 20), 4.0, 0.3);
}

// Largest error of the dense output inside one step of length h, against tiny steps.
double dense_error(const std::string& method, double h) {
  const FormulaSystem system = test_system();
  const auto stepper = make_stepper(system.spec(), {method, 1e6, 1e6, h});
  Course run(system, {1.0, 1.0});
  run.trail.step = h;
  run.equations.rate(0.0, run.x, run.rate);
  EXPECT_EQ(stepper->step(run.equations, 0.0, h, run.trail), StepOutcome::done);
  stepper->prepare_dense(run.equations);
  double worst = 0.0;
  std::vector<double> x(2);
  for (double part : {0.2, 0.5, 0.8}) {
    stepper->interpolate(part * h, x);
    worst = std::max(worst, std::abs(x[1] - std::exp(std::sin(part * h))));
  }
  return worst;
}

TEST(Stepper, DenseOutputHasTheOrderPromised) {
  // one step: the local error goes with one power more
  EXPECT_NEAR(std::log2(dense_error("dopri5", 0.4) / dense_error("dopri5", 0.2)), 5.0, 0.5);
  EXPECT_NEAR(std::log2(dense_error("rk4", 0.2) / dense_error("rk4", 0.1)), 4.0, 0.5);
  EXPECT_NEAR(std::log2(dense_error("rodas", 0.2) / dense_error("rodas", 0.1)), 4.0, 0.6);
  EXPECT_NEAR(std::log2(dense_error("euler", 0.02) / dense_error("euler", 0.01)), 2.0, 0.2);
}

TEST(Stepper, DenseOutputMeetsBothEndsAndItsOwnDerivative) {
  const FormulaSystem system = test_system();
  for (const std::string_view method : methods()) {
    const auto stepper = make_stepper(system.spec(), {std::string(method), 1e6, 1e6, 0.1});
    Course run(system, {1.0, 1.0});
    run.trail.step = 0.1;
    run.equations.rate(0.0, run.x, run.rate);
    ASSERT_EQ(stepper->step(run.equations, 0.0, 0.1, run.trail), StepOutcome::done);
    stepper->prepare_dense(run.equations);
    std::vector<double> a(2), b(2), rate(2);
    stepper->interpolate(0.0, a);
    EXPECT_EQ(a, run.x) << method;
    stepper->interpolate(0.1, a);
    EXPECT_NEAR(a[0], stepper->x()[0], 1e-15) << method;
    EXPECT_NEAR(a[1], stepper->x()[1], 1e-15) << method;
    for (double s : {0.013, 0.05, 0.09}) {
      stepper->interpolate(s - 1e-6, a);
      stepper->interpolate(s + 1e-6, b);
      stepper->interpolate_rate(s, rate);
      for (int i = 0; i < 2; ++i) EXPECT_NEAR(rate[i], (b[i] - a[i]) / 2e-6, 1e-8) << method;
    }
  }
}

TEST(Stepper, KeepsTheToleranceOnALongFlow) {
  // harmonic oscillator, 100 turns; without conditions the control aims at a hundredth of 1e-9
  const FormulaSystem system({.states = {state("x", 1.0), state("v", 0.0)},
                              .locations = {{"only", [](const Terms& e, Dual* r) {
                                               r[0] = e.x[1];
                                               r[1] = -e.x[0];
                                             }}}});
  const auto stepper = make_stepper(system.spec(), {});
  Course run(system, {1.0, 0.0});
  const double end = 200.0 * std::numbers::pi;
  ASSERT_TRUE(run.to(*stepper, 0.0, end));
  EXPECT_NEAR(run.x[0], std::cos(end), 1e-7);
  EXPECT_NEAR(run.x[1], -std::sin(end), 1e-7);
}

TEST(Stepper, ManySmallStepsLoseNothing) {
  // x' = 1 by a million steps of a number that is not binary: with plain sums the error would be
  // near 1e-11
  const FormulaSystem system({.states = {state("x", 0.0)},
                              .locations = {{"only", [](const Terms&, Dual* r) { r[0] = 1.0; }}}});
  const auto stepper = make_stepper(system.spec(), {"euler", 1.0, 1.0, 0.0});
  Course run(system, {0.0});
  run.rate[0] = 1.0;
  for (int k = 0; k < 1'000'000; ++k) {
    ASSERT_EQ(stepper->step(run.equations, 0.0, 0.1, run.trail), StepOutcome::done);
    stepper->accept(run.trail);
    run.rate[0] = 1.0;
  }
  EXPECT_EQ(run.x[0], 100000.0);
}

TEST(Stepper, RodasTakesAStiffSystemInFewSteps) {
  // Prothero and Robinson: x' = -1e6 (x - cos t) - sin t, x = cos t
  const auto make = [] {
    return FormulaSystem(
        {.states = {state("x", 1.0)}, .locations = {{"only", [](const Terms& e, Dual* r) {
                                                       r[0] = -1e6 * (e.x[0] - cos(e.t)) - sin(e.t);
                                                     }}}});
  };
  const FormulaSystem system = make();
  const auto stiff = make_stepper(system.spec(), {"rodas", 1e-6, 1e-6, 0.0});
  Course run(system, {1.0});
  ASSERT_TRUE(run.to(*stiff, 0.0, 10.0));
  EXPECT_NEAR(run.x[0], std::cos(10.0), 1e-6);
  EXPECT_LT(run.steps, 2000);  // an explicit method needs about 1e6 / 3.3 per second
}

TEST(Stepper, RodasFollowsTheVanDerPolOscillator) {
  // mu = 1000 (Hairer and Wanner, Solving ODEs II, IV.10 in their scaling eps = 1e-6):
  // y1(2) = 0.1706167732170483e1, y2(2) = -0.8928097010247975
  const FormulaSystem system({.states = {state("y1", 2.0), state("y2", -0.66)},
                              .locations = {{"only", [](const Terms& e, Dual* r) {
                                               r[0] = e.x[1];
                                               r[1] = ((1.0 - e.x[0] * e.x[0]) * e.x[1] - e.x[0]) /
                                                      1e-6;
                                             }}}});
  const auto stiff = make_stepper(system.spec(), {"rodas", 1e-7, 1e-7, 0.0});
  Course run(system, {2.0, -0.66});
  ASSERT_TRUE(run.to(*stiff, 0.0, 2.0));
  EXPECT_NEAR(run.x[0], 1.706167732170483, 1e-6);
  EXPECT_NEAR(run.x[1], -0.8928097010247975, 1e-6);
  EXPECT_LT(run.steps, 20000);  // at most 1e6 / 3.3 per second for an explicit one
}

TEST(Stepper, NormalisesUnitVectorsAndOnlyThose) {
  // a plane rotation of a unit vector, and a growing state that is none
  const FormulaSystem system({.states = {state("a", 1.0), state("b", 0.0), state("c", 1.0)},
                              .locations = {{"only",
                                             [](const Terms& e, Dual* r) {
                                               r[0] = -e.x[1];
                                               r[1] = e.x[0];
                                               r[2] = e.x[2];
                                             }}},
                              .unit_vectors = {{0, 2}}});
  const auto stepper = make_stepper(system.spec(), {"rk4", 1.0, 1.0, 0.1});
  Course run(system, {1.0, 0.0, 1.0});
  ASSERT_TRUE(run.to(*stepper, 0.0, 100.0));
  EXPECT_NEAR(std::hypot(run.x[0], run.x[1]), 1.0, 4e-16);
  EXPECT_NEAR(run.x[2] / std::exp(100.0), 1.0, 1e-4);
}

TEST(Stepper, ShortensAStepThatLeavesTheDomain) {
  // x' = -sqrt(x): a long first step would ask for the root of a negative number
  const FormulaSystem system(
      {.states = {state("x", 1.0)},
       .locations = {{"only", [](const Terms& e, Dual* r) { r[0] = -1.0 * sqrt(e.x[0]); }}}});
  const auto stepper = make_stepper(system.spec(), {"dopri5", 1e-6, 1e-6, 0.0});
  Course run(system, {1.0});
  run.trail.step = 5.0;
  ASSERT_TRUE(run.to(*stepper, 0.0, 1.9));
  EXPECT_NEAR(run.x[0], 0.05 * 0.05, 1e-6);  // (1 - t/2)^2
}

TEST(Stepper, SaysWhenTheFlowIsNotANumber) {
  const FormulaSystem system(
      {.states = {state("x", 1.0)},
       .locations = {{"only", [](const Terms& e, Dual* r) { r[0] = sqrt(0.5 - e.t); }}}});
  for (const std::string_view method : methods()) {
    const auto stepper = make_stepper(system.spec(), {std::string(method), 1e-6, 1e-6, 0.01});
    Course run(system, {1.0});
    EXPECT_FALSE(run.to(*stepper, 0.0, 1.0)) << method;
  }
}

TEST(Stepper, DoesNotAllocate) {
  const FormulaSystem system = test_system();
  for (const std::string_view method : methods()) {
    const auto stepper = make_stepper(system.spec(), {std::string(method), 1e-9, 1e-9, 0.01});
    Course run(system, {1.0, 1.0});
    const long before = testing::allocations();
    run.to(*stepper, 0.0, 0.1);
    EXPECT_EQ(testing::allocations(), before) << method;
  }
}

TEST(Stepper, RefusesWhatIsNotPossible) {
  const FormulaSystem system = test_system();
  const auto code = [&](const Settings& s) {
    try {
      make_stepper(system.spec(), s);
    } catch (const ConfigurationError& e) {
      return e.diagnostics().list().at(0).code;
    }
    return std::string("accepted");
  };
  EXPECT_EQ(code({}), "accepted");
  EXPECT_EQ(code({.method = "dopri54"}), "V3130");
  EXPECT_EQ(code({.rtol = 0.0}), "V3131");
  EXPECT_EQ(code({.atol = -1.0}), "V3131");
  EXPECT_EQ(code({.step = std::nan("")}), "V3131");
}

}  // namespace
}  // namespace vernier::integration
