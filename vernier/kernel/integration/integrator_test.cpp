#include "vernier/kernel/integration/integrator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "vernier/kernel/hybrid/compose.hpp"
#include "vernier/testing/accuracy_cases.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/formula_system.hpp"

namespace vernier::integration {
namespace {

using testing::Dual;
using testing::FormulaSystem;
using testing::Terms;
using enum FormulaSystem::Comparison;

struct Heard final : Listener {
  void passed(std::size_t, std::span<const double>, std::span<const int>) noexcept override {}
  void crossing(std::span<const double>, std::span<const int>) noexcept override {}
  std::vector<Firing> firings;
  int accumulations = 0;
  Heard() { firings.reserve(10000); }
  void fired(const Firing& f) noexcept override { firings.push_back(f); }
  void accumulating(double) noexcept override { ++accumulations; }
};

hybrid::Signal scalar(std::string name, double initial) {
  hybrid::Signal s;
  s.name = std::move(name);
  s.initial = std::vector<double>{initial};
  return s;
}

struct Outcome {
  Arrival arrival;
  std::vector<Firing> firings;
  std::vector<double> x;
  int accumulations = 0;
};

Outcome run(const hybrid::System& system, double end, bool stop_at_accumulation = true,
            const Settings& settings = {}) {
  Integrator integrator(system, settings);
  Heard heard;
  std::vector<double> u;
  for (const hybrid::Signal& s : system.spec().inputs) u.push_back(s.initial->at(0));
  std::vector<std::int64_t> emitted(system.spec().events.size());
  Outcome o;
  o.arrival = integrator.advance(Time{}, 0.0, end, u, emitted, false, stop_at_accumulation, heard);
  o.firings = heard.firings;
  o.x.assign(integrator.x().begin(), integrator.x().end());
  o.accumulations = heard.accumulations;
  return o;
}

TEST(Integrator, StopsAtAnAccumulationAndEstimatesItsLimit) {
  const auto ball = testing::accuracy_case("bouncing ball").make();
  Integrator integrator(*ball, {});
  Heard heard;
  const Arrival a = integrator.advance(Time{}, 0.0, 10.0, {}, {}, false, true, heard);
  EXPECT_EQ(a.status, Status::accumulation);
  // closed form: (1 + e)/(1 - e) sqrt(2 h/g), e = 0.8
  EXPECT_NEAR(a.t + integrator.zeno().ahead(), 9.0 * std::sqrt(2.0 / 9.81), 1e-11);
}

TEST(Integrator, ReportsAnAccumulationOnceWhenAskedToGoOn) {
  const auto tank = testing::accuracy_case("water tank").make();
  const Outcome o = run(*tank, 7.0, false);
  EXPECT_EQ(o.arrival.status, Status::accumulation);  // the limit of events in one call
  EXPECT_EQ(o.accumulations, 1);
  EXPECT_NEAR(o.arrival.t, 6.0, 1e-9);
}

TEST(Integrator, StopsAfterAHundredEventsInOneCall) {
  const auto spikes = testing::accuracy_case("integrate and fire").make();
  EXPECT_EQ(run(*spikes, 10.0).arrival.status, Status::accumulation);
  EXPECT_EQ(run(*spikes, 10.0, false).arrival.status, Status::arrived);
  EXPECT_EQ(run(*spikes, 1.0).arrival.status, Status::arrived);
}

TEST(Integrator, StopsAnInstantaneousLoop) {
  const auto flow = [](const Terms&, Dual* r) { r[0] = 1.0; };
  const FormulaSystem system(
      {.states = {scalar("x", 0.0)},
       .locations = {{"hold", flow}, {"fire", flow}},
       .transitions = {{"toFire", 0, 1, {{testing::state(0), testing::number(0.5), greater}}},
                       {"toHold", 1, 0, {{testing::state(0), testing::number(0.5), greater}}}}});
  const Outcome o = run(system, 1.0);
  EXPECT_EQ(o.arrival.status, Status::instantaneous_loop);
  EXPECT_EQ(o.firings.size(), 1000u);
  EXPECT_NEAR(o.arrival.t, 0.5, 1e-12);
}

TEST(Integrator, NamesTheStateThatIsNotANumber) {
  const FormulaSystem system({.states = {scalar("a", 0.0), scalar("b", 1.0)},
                              .locations = {{"only", [](const Terms& e, Dual* r) {
                                               r[0] = 1.0;
                                               r[1] = sqrt(0.5 - e.x[0]);
                                             }}}});
  for (const char* method : {"dopri5", "rk4", "euler", "rodas"}) {
    Settings s{.method = method, .rtol = 1e-6, .atol = 1e-6, .step = 0.01};
    Integrator integrator(system, s);
    Heard heard;
    const Arrival a = integrator.advance(Time{}, 0.0, 1.0, {}, {}, false, true, heard);
    EXPECT_EQ(a.status, Status::not_finite) << method;
    EXPECT_EQ(integrator.culprit(), 1u) << method;
    EXPECT_NEAR(a.t, 0.5, 0.02) << method;
  }
}

TEST(Integrator, GivesUpWhenTheStepCannotBecomeSmaller) {
  // x' = x^2 reaches infinity at t = 1
  const FormulaSystem system(
      {.states = {scalar("x", 1.0)},
       .locations = {{"only", [](const Terms& e, Dual* r) { r[0] = e.x[0] * e.x[0]; }}}});
  const Outcome o = run(system, 2.0);
  EXPECT_TRUE(o.arrival.status == Status::step_too_small || o.arrival.status == Status::not_finite);
  EXPECT_NEAR(o.arrival.t, 1.0, 1e-6);
}

TEST(Integrator, BoundsItsSteps) {
  const FormulaSystem system(
      {.states = {scalar("x", 1.0)},
       .locations = {{"only", [](const Terms& e, Dual* r) { r[0] = -1e6 * e.x[0]; }}}});
  Integrator integrator(system, {.method = "rk4", .rtol = 1.0, .atol = 1.0, .step = 1e-6});
  Heard heard;
  Limits limits;
  limits.steps = 1000;
  integrator.begin(limits);
  const Arrival a = integrator.advance(Time{}, 0.0, 1.0, {}, {}, false, true, heard);
  EXPECT_EQ(a.status, Status::too_many_steps);
  EXPECT_NEAR(a.t, 1e-3, 1e-8);
}

TEST(Integrator, ResetsOnTheStateBeforeTheTransition) {
  // x := y, y := x swaps
  const FormulaSystem system({.states = {scalar("x", 1.0), scalar("y", 2.0)},
                              .locations = {{"a",
                                             [](const Terms&, Dual* r) {
                                               r[0] = 0.0;
                                               r[1] = 0.0;
                                             }},
                                            {"b",
                                             [](const Terms&, Dual* r) {
                                               r[0] = 0.0;
                                               r[1] = 0.0;
                                             }}},
                              .transitions = {{"swap", 0, 1, {}, [](const double* x, double* next) {
                                                 next[0] = x[1];
                                                 next[1] = x[0];
                                               }}}});
  Integrator integrator(system, {});
  Heard heard;
  EXPECT_TRUE(integrator.react(Time{}, {}, {}, {}, 1, heard));
  EXPECT_FALSE(integrator.react(Time{}, {}, {}, {}, 2, heard));
  EXPECT_EQ(integrator.x()[0], 2.0);
  EXPECT_EQ(integrator.x()[1], 1.0);
}

TEST(Integrator, EmittedLabelsArePresentOneMicrostepLater) {
  const auto system = testing::accuracy_case("composition").make();
  const Outcome o = run(*system, 6.0);
  ASSERT_EQ(o.firings.size(), 3u);
  EXPECT_EQ(o.firings[1].microstep, 1u);  // the relay
  EXPECT_EQ(o.firings[2].microstep, 2u);  // the counter
  EXPECT_EQ(o.firings[1].t, o.firings[2].t);
  EXPECT_EQ(o.x[1], 1.0);
}

TEST(Integrator, GivesTheSameTrajectoryInAnyGrouping) {
  const auto flat = testing::accuracy_case("composition").make();
  // plant || (relay || counter)
  std::vector<hybrid::Part> pair;
  pair.push_back({"relay", testing::make_relay()});
  pair.push_back({"counter", testing::make_counter()});
  std::vector<hybrid::Part> parts;
  parts.push_back({"plant", testing::make_plant()});
  parts.push_back({"rest", hybrid::compose(std::move(pair), {})});
  const std::vector<hybrid::MatrixBlock> wires = {{{1, "relay.y"}, {0, "u"}},
                                                  {{hybrid::End::outside, "u"}, {0, "u"}},
                                                  {{0, "y"}, {1, "relay.u"}}};
  const auto nested = hybrid::compose(std::move(parts), wires, {{scalar("u", 0.25)}, {}});
  // counter || relay || plant: the states change places
  std::vector<hybrid::Part> turned;
  turned.push_back({"counter", testing::make_counter()});
  turned.push_back({"relay", testing::make_relay()});
  turned.push_back({"plant", testing::make_plant()});
  const std::vector<hybrid::MatrixBlock> turned_wires = {
      {{1, "y"}, {2, "u"}}, {{hybrid::End::outside, "u"}, {2, "u"}}, {{2, "y"}, {1, "u"}}};
  const auto permuted = hybrid::compose(std::move(turned), turned_wires, {{scalar("u", 0.25)}, {}});
  const Outcome a = run(*flat, 20.0);
  const Outcome b = run(*nested, 20.0);
  const Outcome c = run(*permuted, 20.0);
  EXPECT_EQ(a.x, b.x);  // to the bit: the same operations in the same order
  EXPECT_EQ(a.x[0], c.x[1]);
  EXPECT_EQ(a.x[1], c.x[0]);
  ASSERT_EQ(a.firings.size(), b.firings.size());
  ASSERT_EQ(a.firings.size(), c.firings.size());
  for (std::size_t k = 0; k < a.firings.size(); ++k) {
    EXPECT_EQ(a.firings[k].t, b.firings[k].t);
    EXPECT_EQ(a.firings[k].t, c.firings[k].t);
  }
}

TEST(Integrator, ACompositionOfOneIsThatOne) {
  const auto& thermostat = testing::accuracy_case("thermostat");
  std::vector<hybrid::Part> one;
  one.push_back({"", thermostat.make()});
  const Outcome a = run(*thermostat.make(), 50.0);
  const Outcome b = run(*hybrid::compose(std::move(one), {}), 50.0);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.firings.size(), b.firings.size());
}

// Counts how often its guards are asked.
class Counting final : public FormulaSystem {
 public:
  using FormulaSystem::FormulaSystem;
  void guards(const hybrid::Point& p, std::span<double> z,
              hybrid::Workspace& s) const noexcept override {
    ++asked;
    FormulaSystem::guards(p, z, s);
  }
  mutable int asked = 0;
};

TEST(Integrator, AsksNoConditionsWhereOnlyEventsTrigger) {
  const auto flow = [](const Terms&, Dual* r) { r[0] = 1.0; };
  const Counting system(
      {.states = {scalar("x", 0.0)},
       .locations = {{"watch", flow}, {"rest", flow}},
       .transitions = {
           {"toRest", 0, 1, {{testing::state(0), testing::number(0.5), greater}}},
           {"wake", 1, 0, {{testing::state(0), testing::number(0.2), greater}}, {}, "up"}}});
  Integrator integrator(system, {});
  Heard heard;
  std::vector<std::int64_t> emitted(1);
  integrator.advance(Time{}, 0.0, 1.0, {}, emitted, false, true, heard);
  ASSERT_EQ(heard.firings.size(), 1u);
  const int asked = system.asked;
  EXPECT_GT(asked, 0);
  integrator.advance(Time{std::chrono::seconds(1)}, 0.0, 1.0, {}, emitted, false, true, heard);
  EXPECT_EQ(system.asked, asked);
}

// Counts slopes of which more digits were wanted than a search for events needs.
class CountingExact final : public FormulaSystem {
 public:
  CountingExact(Model m, int& exact) : FormulaSystem(std::move(m)), exact_(exact) {}
  void tangent(const hybrid::Point& p, const hybrid::Direction& d, const hybrid::Tangent& wanted,
               hybrid::Workspace& s) const noexcept override {
    if (!wanted.approximate) ++exact_;
    FormulaSystem::tangent(p, d, wanted, s);
  }

 private:
  int& exact_;
};

// Exact derivatives of a multibody tree are its whole Jacobian, whichever direction is wanted.
TEST(Integrator, LooksForEventsWithApproximateSlopes) {
  const auto flow = [](const Terms&, Dual* r) { r[0] = 1.0; };
  int exact = 0;
  std::vector<hybrid::Part> parts;
  parts.push_back(
      {"", std::make_unique<CountingExact>(
               FormulaSystem::Model{
                   .states = {scalar("x", 0.0)},
                   .locations = {{"before", flow}, {"after", flow}},
                   .transitions =
                       {{"leave", 0, 1, {{testing::state(0), testing::number(0.5), greater}}}}},
               exact)});
  const Outcome found = run(*hybrid::compose(std::move(parts), {}), 1.0);
  EXPECT_EQ(found.firings.size(), 1u);
  EXPECT_EQ(exact, 0);
}

TEST(Integrator, ResumesToTheBit) {
  const auto system = testing::accuracy_case("navigation").make();
  Integrator one(*system, {});
  Heard heard;
  const auto step = [&](Integrator& i, int k) {
    const Time origin{Duration(100'000'000LL * k)};
    i.advance(origin, 0.0, 0.1, {}, {}, false, true, heard);
  };
  for (int k = 0; k < 55; ++k) step(one, k);
  std::vector<std::byte> image(one.state_bytes());
  one.save(image);
  for (int k = 55; k < 120; ++k) step(one, k);
  Integrator other(*system, {});
  other.load(image);
  for (int k = 55; k < 120; ++k) step(other, k);
  std::vector<std::byte> a(image.size()), b(image.size());
  one.save(a);
  other.save(b);
  EXPECT_TRUE(a == b);
}

TEST(Integrator, DoesNotAllocate) {
  const auto system = testing::accuracy_case("thermostat").make();
  Integrator integrator(*system, {});
  Heard heard;
  const long before = testing::allocations();
  integrator.advance(Time{}, 0.0, 20.0, {}, {}, false, true, heard);
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_GT(heard.firings.size(), 4u);
}

}  // namespace
}  // namespace vernier::integration
