#include "vernier/model/multibody_loops/drives.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace vernier::multibody_loops {
namespace {

/// Rates are those of the values, wherever nothing jumps.
void expect_derivatives(const Function& f, std::initializer_list<double> times) {
  constexpr double h = 1e-5;
  for (const double t : times) {
    const auto a = f->at(t - h), m = f->at(t), b = f->at(t + h);
    EXPECT_NEAR(m.rate, (b.value - a.value) / (2.0 * h), 1e-7 * (1.0 + std::abs(m.rate))) << t;
    EXPECT_NEAR(m.acceleration, (b.rate - a.rate) / (2.0 * h),
                1e-6 * (1.0 + std::abs(m.acceleration)))
        << t;
  }
}

TEST(Drives, ARampGoesFromOneValueToTheOther) {
  const Function f = ramp(1.0, 4.0, 2.0, 3.5);
  EXPECT_EQ(f->at(0.0).value, 1.0);
  EXPECT_EQ(f->at(2.75).value, 2.5);
  EXPECT_EQ(f->at(9.0).value, 4.0);
  EXPECT_EQ(f->corners(), (std::vector<double>{2.0, 3.5}));
  expect_derivatives(f, {1.0, 2.2, 3.0, 4.0});
}

TEST(Drives, AStepIsThereAtItsTime) {
  const Function f = step(-1.0, 2.0, 0.5);
  EXPECT_EQ(f->at(0.4999).value, -1.0);
  EXPECT_EQ(f->at(0.5).value, 2.0);
  EXPECT_EQ(f->corners(), std::vector<double>{0.5});
}

TEST(Drives, ASineIsConstantOutsideItsTime) {
  const double ever = std::numeric_limits<double>::infinity();
  const Function f =
      sine({.offset = 1.0, .amplitude = 2.0, .omega = 3.0, .phase = 0.2, .begin = 1.0, .end = 2.0});
  EXPECT_EQ(f->at(0.0).value, 1.0 + 2.0 * std::sin(0.2));
  EXPECT_EQ(f->at(5.0).value, 1.0 + 2.0 * std::sin(3.2));
  EXPECT_EQ(f->at(5.0).rate, 0.0);
  expect_derivatives(f, {0.5, 1.3, 1.9, 2.5});
  const Function always = sine({.omega = 2.0, .begin = -ever, .end = ever});
  EXPECT_EQ(always->at(-0.3).value, std::sin(-0.6));
  EXPECT_TRUE(always->corners().empty());
}

TEST(Drives, ATableGoesThroughItsPoints) {
  const Function f = table({0.0, 1.0, 3.0}, {2.0, 4.0, -2.0});
  EXPECT_EQ(f->at(-1.0).value, 2.0);
  EXPECT_EQ(f->at(0.5).value, 3.0);
  EXPECT_EQ(f->at(1.0).value, 4.0);
  EXPECT_EQ(f->at(1.0).rate, -3.0);
  EXPECT_EQ(f->at(7.0).value, -2.0);
  expect_derivatives(f, {0.3, 2.0, 5.0});
}

TEST(Drives, ASplineIsSmoothThroughItsPointsAndStraightAtItsEnds) {
  const std::vector<double> times{0.0, 0.3, 0.35, 0.9, 1.4, 2.0};
  std::vector<double> values;
  for (const double t : times) values.push_back(std::sin(3.0 * t));
  const Function f = spline(times, values);
  for (std::size_t i = 0; i < times.size(); ++i)
    EXPECT_NEAR(f->at(times[i]).value, values[i], 1e-14);
  expect_derivatives(f, {0.1, 0.31, 0.5, 1.2, 1.9, 3.0});
  EXPECT_NEAR(f->at(1e-12).acceleration, 0.0, 1e-9);
  // two points: a straight line
  const Function line = spline({1.0, 2.0}, {3.0, 7.0});
  EXPECT_EQ(line->at(1.25).value, 4.0);
  EXPECT_EQ(line->at(1.25).acceleration, 0.0);
}

TEST(Drives, AFormulaHasItsOwnDerivatives) {
  expression::Graph graph;
  const auto t = graph.symbol(0);
  const auto term =
      graph.apply(expression::Operation::sin, graph.apply(expression::Operation::multiply, t, t));
  const Function f = formula(graph, term);
  ASSERT_TRUE(f);
  EXPECT_NEAR(f->at(0.7).value, std::sin(0.49), 1e-15);
  expect_derivatives(f, {0.2, 0.7, 1.4});
}

}  // namespace
}  // namespace vernier::multibody_loops
