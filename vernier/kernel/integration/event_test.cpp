#include "vernier/kernel/integration/event_locator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "vernier/kernel/integration/integrator.hpp"
#include "vernier/testing/formula_system.hpp"

namespace vernier::integration {
namespace {

using testing::Dual;
using ::testing::ElementsAre;
using testing::FormulaSystem;
using ::testing::IsEmpty;
using testing::Terms;
using enum FormulaSystem::Comparison;

struct Firings final : Listener {
  void passed(std::size_t, std::span<const double>, std::span<const int>) noexcept override {}
  void crossing(std::span<const double>, std::span<const int>) noexcept override {}
  std::vector<Firing> firings;
  void fired(const Firing& f) noexcept override { firings.push_back(f); }
  void accumulating(double) noexcept override {}
};

hybrid::Signal time_state() {
  hybrid::Signal s;
  s.name = "s";
  return s;
}

// A clock s' = 1 that leaves its location when the condition holds, and stays away.
FormulaSystem clock(std::vector<FormulaSystem::Atom> condition) {
  const auto flow = [](const Terms&, Dual* r) { r[0] = 1.0; };
  return FormulaSystem({.states = {time_state()},
                        .locations = {{"before", flow}, {"after", flow}},
                        .transitions = {{"leave", 0, 1, std::move(condition)}}});
}

// When a clock leaves, within one step to `end`; nothing: not.
std::vector<double> leaves(std::vector<FormulaSystem::Atom> condition, double end) {
  const FormulaSystem system = clock(std::move(condition));
  Settings settings;
  settings.method = "rk4";  // one step for the whole way
  Integrator integrator(system, settings);
  Firings heard;
  const Arrival a = integrator.advance(Time{}, 0.0, end, {}, {}, false, true, heard);
  EXPECT_EQ(a.status, Status::arrived);
  std::vector<double> times;
  for (const Firing& f : heard.firings) times.push_back(f.t);
  return times;
}

FormulaSystem::Formula of_time(Dual (*f)(Dual)) {
  return [f](const Terms& e) { return f(e.x[0]); };
}

MATCHER_P(AtOrJustAfter, t, "") { return arg >= t - 1e-15 && arg - t < 1e-14 * std::max(1.0, t); }

TEST(EventLocator, FindsACrossingToTheLastBits) {
  EXPECT_THAT(leaves({{testing::state(0), testing::number(0.3), greater_equal}}, 1.0),
              ElementsAre(AtOrJustAfter(0.3)));
  EXPECT_THAT(leaves({{of_time([](Dual s) { return s * s; }), testing::number(0.5), greater}}, 1.0),
              ElementsAre(AtOrJustAfter(std::sqrt(0.5))));
}

TEST(EventLocator, FindsTwoCrossingsInsideOneSubinterval) {
  // a dip of depth 1e-6 below zero, 2 ms wide, in a step of one second
  const auto dip = [](Dual s) { return (s - 0.4321) * (s - 0.4321); };
  EXPECT_THAT(leaves({{of_time(dip), testing::number(1e-6), less}}, 1.0),
              ElementsAre(AtOrJustAfter(0.4311)));
}

TEST(EventLocator, DoesNotInventOneForANearMiss) {
  const auto dip = [](Dual s) { return (s - 0.4321) * (s - 0.4321) + 1e-9; };
  EXPECT_THAT(leaves({{of_time(dip), testing::number(0.0), less}}, 1.0), IsEmpty());
}

TEST(EventLocator, FollowsAConditionThatWavesWithinTheStep) {
  // sin(40 s) > 0.99 first at asin(0.99)/40, in a step that sees only a clock
  const auto wave = [](Dual s) { return sin(40.0 * s); };
  EXPECT_THAT(leaves({{of_time(wave), testing::number(0.99), greater}}, 1.0),
              ElementsAre(AtOrJustAfter(std::asin(0.99) / 40.0)));
}

TEST(EventLocator, AsksTheWholeConditionBetweenRoots) {
  // s >= 0.2 and s >= 0.7: the first root alone is no event
  EXPECT_THAT(leaves({{testing::state(0), testing::number(0.2), greater_equal},
                      {testing::state(0), testing::number(0.7), greater_equal}},
                     1.0),
              ElementsAre(AtOrJustAfter(0.7)));
  // s >= 0.2 and s <= 0.1: never
  EXPECT_THAT(leaves({{testing::state(0), testing::number(0.2), greater_equal},
                      {testing::state(0), testing::number(0.1), less_equal}},
                     1.0),
              IsEmpty());
}

TEST(EventLocator, StrictAndNonStrictBothHoldWhereTheEventIsPlaced) {
  for (const auto comparison : {greater, greater_equal}) {
    const FormulaSystem system = clock({{testing::state(0), testing::number(0.1), comparison}});
    Integrator integrator(system, {});
    Firings heard;
    integrator.advance(Time{}, 0.0, 1.0, {}, {}, true, true, heard);
    ASSERT_EQ(heard.firings.size(), 1u);
    EXPECT_GE(integrator.x()[0], 0.1);
  }
}

TEST(EventLocator, AConditionOnItsBoundaryAtTheStartCountsFromTheNextInstantOn) {
  // s > 0 is false at 0 and true from then on
  const auto times = leaves({{testing::state(0), testing::number(0.0), greater}}, 1.0);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_GT(times[0], 0.0);
  EXPECT_LT(times[0], 1e-14);
  // s < 0 is false at 0 and stays so
  EXPECT_THAT(leaves({{testing::state(0), testing::number(0.0), less}}, 1.0), IsEmpty());
}

TEST(EventLocator, TouchingIsEnoughForANonStrictCondition) {
  // (s - 1/2)^2 <= 0 holds at one instant, which is a sub-point of the step
  const auto touch = [](Dual s) { return (s - 0.5) * (s - 0.5); };
  EXPECT_THAT(leaves({{of_time(touch), testing::number(0.0), less_equal}}, 1.0),
              ElementsAre(AtOrJustAfter(0.5)));
  EXPECT_THAT(leaves({{of_time(touch), testing::number(0.0), less}}, 1.0), IsEmpty());
}

}  // namespace
}  // namespace vernier::integration
