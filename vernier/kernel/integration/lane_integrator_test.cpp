#include "vernier/kernel/integration/lane_integrator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "vernier/base/random.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/formula_system.hpp"

namespace vernier::integration {
namespace {

using testing::Dual;
using testing::FormulaSystem;
using testing::Terms;

struct LoneEvents final : Listener {
  void passed(std::size_t, std::span<const double>, std::span<const int>) noexcept override {}
  void crossing(std::span<const double>, std::span<const int>) noexcept override {}
  void fired(const Firing& f) noexcept override { times.push_back(f.t); }
  void accumulating(double) noexcept override {}
  std::vector<double> times;
};

struct LaneEvents final : LaneListener {
  void fired(std::size_t state, const Firing& f) noexcept override { times[state].push_back(f.t); }
  std::map<std::size_t, std::vector<double>> times;
};

bool equal_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// Each state in lanes against the Integrator that has it alone: states, modes, events, endings.
void expect_alike(const hybrid::System& system, const Settings& settings,
                  const std::vector<std::vector<double>>& starts, double end,
                  const std::vector<std::vector<double>>& inputs = {}, const Limits& limits = {}) {
  LaneIntegrator lanes(system, settings, starts.size());
  std::vector<int> mode;
  for (const auto& a : system.spec().automata) mode.push_back(a.initial);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    lanes.set(k, starts[k], mode);
    if (!inputs.empty()) lanes.set_inputs(k, inputs[k]);
  }
  LaneEvents heard;
  // in two calls: the second begins where the first ended, with its guess of the step
  lanes.advance(Time{}, 0.0, 0.5 * end, limits, &heard);
  lanes.advance(Time{}, 0.5 * end, end, limits, &heard);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    Integrator alone(system, settings);
    alone.set(starts[k], mode);
    LoneEvents listener;
    std::vector<std::int64_t> emitted(system.spec().events.size());
    const std::vector<double> none(hybrid::size(system.spec().inputs));
    const std::vector<double>& u = inputs.empty() ? none : inputs[k];
    alone.begin(limits);
    Arrival arrival = alone.advance(Time{}, 0.0, 0.5 * end, u, emitted, false, true, listener);
    alone.begin(limits);
    arrival = alone.advance(Time{}, 0.5 * end, end, u, emitted, false, true, listener);
    EXPECT_TRUE(equal_bits(lanes.x(k), alone.x())) << "state " << k;
    EXPECT_TRUE(std::equal(lanes.mode(k).begin(), lanes.mode(k).end(), alone.mode().begin()));
    EXPECT_EQ(lanes.arrival(k).status, arrival.status) << "state " << k;
    EXPECT_EQ(lanes.arrival(k).t, arrival.t) << "state " << k;
    EXPECT_EQ(heard.times[k], listener.times) << "state " << k;
  }
}

std::vector<std::vector<double>> random_starts(std::size_t count, std::size_t n, double size) {
  Random random(3);
  std::vector<std::vector<double>> starts(count, std::vector<double>(n));
  for (auto& s : starts)
    for (double& v : s) v = size * (2.0 * random.uniform() - 1.0);
  return starts;
}

// Duffing's oscillator, driven: no conditions, steps that differ from state to state
TEST(LaneIntegrator, GivesEveryStateTheBitsItHasAlone) {
  const FormulaSystem duffing({.states = {{.name = "x"}, {.name = "v"}},
                               .inputs = {{.name = "u"}},
                               .locations = {{"only", [](const Terms& e, Dual* r) {
                                                r[0] = e.x[1];
                                                r[1] = e.x[0] - e.x[0] * e.x[0] * e.x[0] -
                                                       0.1 * e.x[1] + e.u[0] * cos(1.2 * e.t);
                                              }}}});
  std::vector<std::vector<double>> inputs;
  for (int k = 0; k < 37; ++k) inputs.push_back({0.02 * k});
  for (const double rtol : {1e-3, 1e-6, 1e-9})
    expect_alike(duffing, {.rtol = rtol, .atol = rtol}, random_starts(37, 2, 2.0), 20.0, inputs);
  expect_alike(duffing, {.step = 0.05}, random_starts(5, 2, 2.0), 3.0);
}

// a quaternion that turns, so that landing normalises it
TEST(LaneIntegrator, KeepsUnitVectors) {
  const FormulaSystem turning({.states = {{.name = "q", .count = 4}},
                               .locations = {{"only",
                                              [](const Terms& e, Dual* r) {
                                                const Dual w = 1.0 + 0.5 * sin(e.t);
                                                r[0] = 0.5 * w * e.x[3];
                                                r[1] = 0.5 * w * e.x[2];
                                                r[2] = -0.5 * w * e.x[1];
                                                r[3] = -0.5 * w * e.x[0];
                                              }}},
                               .unit_vectors = {{0, 4, hybrid::UnitVector::Kind::quaternion}}});
  auto starts = random_starts(11, 4, 1.0);
  for (auto& s : starts) {
    double square = 0.0;
    for (const double v : s) square += v * v;
    for (double& v : s) v /= std::sqrt(square);
  }
  expect_alike(turning, {}, starts, 10.0);
}

FormulaSystem ball() {
  return FormulaSystem({.states = {{.name = "h"}, {.name = "v"}},
                        .locations = {{"flying",
                                       [](const Terms& e, Dual* r) {
                                         r[0] = e.x[1];
                                         r[1] = -9.81 - 0.02 * e.x[1];
                                       }}},
                        .transitions = {{.name = "bounce",
                                         .condition = {{testing::state(0), testing::number(0.0),
                                                        FormulaSystem::Comparison::less_equal},
                                                       {testing::state(1), testing::number(0.0),
                                                        FormulaSystem::Comparison::less}},
                                         .reset = [](const double* before, double* after) {
                                           after[0] = 0.0;
                                           after[1] = -0.8 * before[1];
                                         }}}});
}

// events at other times in every lane, and accumulations that end single states
TEST(LaneIntegrator, FindsTheEventsOfEveryState) {
  const FormulaSystem system = ball();
  std::vector<std::vector<double>> starts;
  for (int k = 0; k < 21; ++k) starts.push_back({0.5 + 0.3 * k, 0.1 * k});
  expect_alike(system, {.rtol = 1e-6, .atol = 1e-6}, starts, 4.0);
  expect_alike(system, {.rtol = 1e-6, .atol = 1e-6}, starts, 30.0);
}

// a thermostat: modes differ between states and change
TEST(LaneIntegrator, MovesStatesBetweenModes) {
  const FormulaSystem system(
      {.states = {{.name = "T"}, {.name = "phase"}},
       .locations = {{"on",
                      [](const Terms& e, Dual* r) {
                        r[0] = 30.0 - e.x[0] + sin(e.x[1]);
                        r[1] = Dual(1.0);
                      }},
                     {"off",
                      [](const Terms& e, Dual* r) {
                        r[0] = -0.5 * e.x[0];
                        r[1] = Dual(1.0);
                      }}},
       .transitions = {{.name = "hot",
                        .from = 0,
                        .to = 1,
                        .condition = {{testing::state(0), testing::number(21.0),
                                       FormulaSystem::Comparison::greater}}},
                       {.name = "cold",
                        .from = 1,
                        .to = 0,
                        .condition = {{testing::state(0), testing::number(19.0),
                                       FormulaSystem::Comparison::less}}}}});
  std::vector<std::vector<double>> starts;
  for (int k = 0; k < 50; ++k) starts.push_back({10.0 + 0.2 * k, 0.37 * k});
  expect_alike(system, {}, starts, 8.0);
}

// x' = x², which ends at 1/x(0): some states arrive, others cannot
TEST(LaneIntegrator, EndsStatesThatCannotGoOnAndNoOthers) {
  const FormulaSystem system(
      {.states = {{.name = "x"}},
       .locations = {{"only", [](const Terms& e, Dual* r) { r[0] = e.x[0] * e.x[0]; }}}});
  std::vector<std::vector<double>> starts;
  for (int k = 0; k < 19; ++k) starts.push_back({0.1 * k - 0.5});
  expect_alike(system, {}, starts, 2.0);
  expect_alike(system, {}, starts, 2.0, {}, {.steps = 30});
}

TEST(LaneIntegrator, TakesOtherMethodsOneStateAfterTheOther) {
  const FormulaSystem system = ball();
  std::vector<std::vector<double>> starts;
  for (int k = 0; k < 9; ++k) starts.push_back({0.5 + 0.3 * k, 0.0});
  expect_alike(system, {.method = "rk4", .step = 0.01}, starts, 2.0);
  expect_alike(system, {.method = "rodas"}, starts, 2.0);
}

TEST(LaneIntegrator, SettlesStatesThatWereSetWhereATransitionIsEnabled) {
  const FormulaSystem system = ball();
  LaneIntegrator lanes(system, {}, 3);
  const std::vector<int> mode{0};
  for (std::size_t k = 0; k < 3; ++k)
    lanes.set(k, std::vector<double>{0.0, k == 1 ? -5.0 : 1.0}, mode);
  EXPECT_TRUE(lanes.settle(Time{}));
  EXPECT_EQ(lanes.x(0)[1], 1.0);
  EXPECT_EQ(lanes.x(1)[1], 4.0);
}

TEST(LaneIntegrator, AllocatesNothingAfterConstruction) {
  const FormulaSystem system = ball();
  LaneIntegrator lanes(system, {.rtol = 1e-6, .atol = 1e-6}, 20);
  for (std::size_t k = 0; k < 20; ++k)
    lanes.set(k, std::vector<double>{1.0 + 0.1 * static_cast<double>(k), 0.0}, std::vector<int>{0});
  const long before = testing::allocations();
  EXPECT_EQ(lanes.advance(Time{}, 0.0, 1.5), 20u);
  EXPECT_EQ(testing::allocations(), before);
}

}  // namespace
}  // namespace vernier::integration
