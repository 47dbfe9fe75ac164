#include "vernier/model/island/island.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/hybrid/compose.hpp"
#include "vernier/testing/accuracy_cases.hpp"
#include "vernier/testing/formula_system.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::island {
namespace {

using namespace std::chrono_literals;
using testing::Dual;
using ::testing::ElementsAre;
using testing::FormulaSystem;
using ::testing::HasSubstr;
using testing::Rig;
using testing::Terms;
using enum FormulaSystem::Comparison;

hybrid::Signal scalar(std::string name, double initial) {
  hybrid::Signal s;
  s.name = std::move(name);
  s.initial = std::vector<double>{initial};
  return s;
}

std::unique_ptr<Component> case_island(const std::string& name, const IslandSettings& s = {}) {
  return make_island(testing::accuracy_case(name).make(), s);
}

// x' = u, two locations: leaves "slow" when u > 1 or on "go", returns on "back"; y = x + 2 u.
std::unique_ptr<hybrid::System> driven() {
  const auto flow = [](const Terms& e, Dual* r) { r[0] = e.u[0]; };
  const auto output = [](const Terms& e, Dual* r) {
    r[0] = e.x[0] + 2.0 * e.u[0];
    r[1] = e.x[0];
  };
  return std::make_unique<FormulaSystem>(FormulaSystem::Model{
      .states = {scalar("x", 0.0)},
      .inputs = {scalar("u", 0.5)},
      .outputs = {scalar("y", 0.0), scalar("state", 0.0)},
      .locations = {{"slow", flow, output}, {"fast", flow, output}},
      .transitions =
          {{"over", 0, 1, {{testing::input(0), testing::number(1.0), greater}}, {}, "", "left"},
           {"told", 0, 1, {}, {}, "go", "left"},
           {"return", 1, 0, {}, {}, "back", ""}},
      .feedthrough = {{0, 0}}});
}

std::vector<std::string> names(const std::vector<Port>& ports) {
  std::vector<std::string> result;
  for (const Port& p : ports) result.push_back(p.name);
  return result;
}

TEST(Island, HasThePortsOfItsSystemItsEventsAndItsModes) {
  const auto lone = make_island(driven(), {});
  EXPECT_THAT(names(lone->description().inputs), ElementsAre("u", "go", "back"));
  EXPECT_THAT(names(lone->description().outputs), ElementsAre("y", "state", "mode", "left", "x"));
  ASSERT_EQ(lone->description().feedthrough.size(), 1u);
  EXPECT_EQ(lone->description().feedthrough[0].output, "y");
  EXPECT_TRUE(lone->description().abilities.reacts);

  const auto composed = case_island("composition");
  EXPECT_THAT(names(composed->description().inputs), ElementsAre("u", "on"));
  EXPECT_THAT(names(composed->description().outputs),
              ElementsAre("plant.y", "relay.y", "counter.n", "y", "relay.mode", "counter.mode",
                          "off", "on", "plant.x"));
}

TEST(Island, Conforms) {
  const auto lone = make_island(driven(), {});
  testing::expect_conforming(*lone, 10ms, [](Rig& rig, int k) {
    rig.in("u") = k % 7 == 3 ? 1.5 : std::sin(k);
    if (k % 5 == 0) rig.send("back");
    if (k % 11 == 0) rig.send("go");
  });
  for (const char* integrator : {"dopri5", "rk4", "euler", "rodas"}) {
    IslandSettings s;
    s.integrator = integrator;
    s.step = 0.01;
    const auto composed = case_island("composition", s);
    testing::expect_conforming(*composed, 100ms,
                               [](Rig& rig, int k) { rig.in("u") = 0.25 + 0.01 * (k % 3); });
    const auto ball = case_island("bouncing ball", s);
    testing::expect_conforming(*ball, 10ms, [](Rig&, int) {});
  }
}

TEST(Island, ReactsToEventsAndToInputs) {
  const auto island = make_island(driven(), {});
  Rig rig(*island);
  EXPECT_EQ(rig.react(), 0);
  rig.send("back");  // nobody waits for it here: lost
  EXPECT_EQ(rig.react(), 0);
  rig.send("go");
  EXPECT_EQ(rig.react(), 1);
  EXPECT_EQ(rig.integer("mode"), 1);
  EXPECT_EQ(rig.emitted("left"), 1);
  EXPECT_EQ(rig.react(), 0);
  rig.send("back");
  rig.send("back");  // two before anyone looked are one
  EXPECT_EQ(rig.react(), 1);
  EXPECT_EQ(rig.integer("mode"), 0);
  rig.in("u") = 1.5;
  EXPECT_EQ(rig.react(), 1);
  EXPECT_EQ(rig.emitted("left"), 2);
}

TEST(Island, ShowsACommandThatIsUndoneAtOnce) {
  // sent back to "slow" while u > 1: both transitions at one instant, and both are told
  const auto island = make_island(driven(), {});
  Rig rig(*island);
  rig.in("u") = 2.0;
  rig.react();
  rig.journal().clear();
  rig.send("back");
  EXPECT_EQ(rig.react(), 2);
  EXPECT_EQ(rig.integer("mode"), 1);
  const auto entries = rig.journal().entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].at.time, entries[1].at.time);
  EXPECT_LT(entries[0].at.microstep, entries[1].at.microstep);
}

TEST(Island, ExactForHeldInputs) {
  const auto island = make_island(driven(), {});
  Rig rig(*island);
  rig.in("u") = 0.75;
  rig.run(100ms, 2s);
  EXPECT_NEAR(rig.out("state"), 1.5, 1e-15);
  EXPECT_EQ(rig.out("y"), rig.out("state") + 1.5);
}

TEST(Island, StopsAtTheNanosecondAfterAnEventAndTellsItsExactTime) {
  const auto island = case_island("thermostat");
  Rig rig(*island);
  EXPECT_TRUE(island->description().abilities.stops_early);
  const Advance a = island->advance(Time{}, Time{10s});
  EXPECT_EQ(a.outcome, Outcome::ok);
  const double exact = testing::accuracy_case("thermostat").events[0].t;
  EXPECT_EQ(a.reached.time_since_epoch().count(),
            static_cast<std::int64_t>(std::ceil(exact * 1e9)));
  ASSERT_EQ(rig.journal().entries().size(), 1u);
  const Entry& e = rig.journal().entries()[0];
  EXPECT_EQ(e.at.time, a.reached);
  EXPECT_LE(e.remainder, 0.0);
  EXPECT_GT(e.remainder, -1e-9);
  EXPECT_NEAR(seconds(e.at.time) + e.remainder, exact, 1e-9);
}

TEST(Island, InRealTimeGoesToTheEndOfTheTick) {
  IslandSettings s;
  s.stops_early = false;
  const auto island = case_island("thermostat", s);
  Rig rig(*island);
  EXPECT_FALSE(island->description().abilities.stops_early);
  EXPECT_EQ(island->advance(Time{}, Time{10s}).reached, Time{10s});
  ASSERT_EQ(rig.journal().entries().size(), 4u);
  const Entry& e = rig.journal().entries()[2];
  EXPECT_NEAR(seconds(e.at.time) + e.remainder, testing::accuracy_case("thermostat").events[2].t,
              1e-9);
}

TEST(Island, TellsTransitionsWithTheirReason) {
  const auto island = case_island("composition");
  Rig rig(*island);
  rig.run(100ms, 6s);
  const auto entries = rig.journal().entries();
  ASSERT_EQ(entries.size(), 3u);
  const Telling first = island->tell(entries[0]);
  EXPECT_EQ(first.subject, "relay");
  EXPECT_EQ(first.kind, "transition");
  EXPECT_EQ(first.from, "On");
  EXPECT_EQ(first.to, "Off");
  EXPECT_THAT(first.reason, HasSubstr("toOff at 3"));
  EXPECT_EQ(first.transition, "toOff");
  const Telling third = island->tell(entries[2]);
  EXPECT_EQ(third.subject, "counter");
  EXPECT_EQ(third.reason, "count");
  Entry foreign;
  foreign.item = 1 << 30;
  EXPECT_TRUE(island->tell(foreign).kind.empty());
}

TEST(Island, ExplainsAnInstantaneousLoop) {
  const auto flow = [](const Terms&, Dual* r) { r[0] = 1.0; };
  const FormulaSystem::Model model{
      .states = {scalar("x", 0.0)},
      .locations = {{"hold", flow}, {"fire", flow}},
      .transitions = {{"toFire", 0, 1, {{testing::state(0), testing::number(0.5), greater}}},
                      {"toHold", 1, 0, {{testing::state(0), testing::number(0.5), greater}}}}};
  const auto island = make_island(std::make_unique<FormulaSystem>(model), {});
  Rig rig(*island);
  EXPECT_EQ(island->advance(Time{}, Time{1s}).outcome, Outcome::failed);
  EXPECT_STREQ(island->fault().code, "V3110");
  EXPECT_STREQ(island->fault().text,
               " switches 1 000 times at t = 0.5 s between \"hold\" and \"fire\" "
               "(transition toFire: toFire; toHold: toHold)\n"
               "usual cause: enter and leave conditions meet. Give them a gap");
}

TEST(Island, ExplainsAnAccumulation) {
  const auto island = case_island("bouncing ball");
  Rig rig(*island);
  Time now{};
  Advance a{now};
  while (a.outcome != Outcome::failed) {
    rig.journal().clear();
    island->react({now});
    a = island->advance(now, now + 10s);
    now = a.reached;
    ASSERT_LT(now, Time{5s});
  }
  EXPECT_STREQ(island->fault().code, "V3111");
  EXPECT_THAT(island->fault().text, HasSubstr("ever faster towards t = 4.0637127688"));
  EXPECT_THAT(island->fault().text, HasSubstr("bounce"));
}

TEST(Island, WarnsOfAnAccumulationWhenAskedTo) {
  IslandSettings s;
  s.zeno = "warn";
  const auto island = case_island("water tank", s);
  Rig rig(*island);
  Time now{};
  while (now < Time{6s} - 1ns) now = island->advance(now, Time{6s} - 1ns).reached;
  Telling last;
  for (const Entry& e : rig.journal().entries()) {
    if (island->tell(e).warning) last = island->tell(e);
  }
  EXPECT_TRUE(last.warning);
  EXPECT_THAT(last.reason, HasSubstr("accumulate towards t = 6 s"));
}

TEST(Island, NamesTheStateThatIsNotANumber) {
  hybrid::Signal w = scalar("w", 0.0);
  w.count = 2;
  w.initial = std::vector<double>{0.0, 1.0};
  const FormulaSystem::Model model{.states = {w},
                                   .locations = {{"only", [](const Terms& e, Dual* r) {
                                                    r[0] = 1.0;
                                                    r[1] = sqrt(0.5 - e.x[0]);
                                                  }}}};
  const auto island = make_island(std::make_unique<FormulaSystem>(model), {});
  Rig rig(*island);
  EXPECT_EQ(island->advance(Time{}, Time{1s}).outcome, Outcome::failed);
  EXPECT_STREQ(island->fault().code, "V3107");
  EXPECT_STREQ(island->fault().subject, "w[1]");
  EXPECT_STREQ(island->fault().text, " became not-a-number at t = 0.5 s");
}

TEST(Island, TellsInfiniteFromNotANumber) {
  const FormulaSystem::Model model{
      .states = {scalar("w", 1.0)},
      .locations = {{"only", [](const Terms& e, Dual* r) { r[0] = 1e308 * (1e308 * e.x[0]); }}}};
  const auto island = make_island(std::make_unique<FormulaSystem>(model), {});
  Rig rig(*island);
  EXPECT_EQ(island->advance(Time{}, Time{1s}).outcome, Outcome::failed);
  EXPECT_STREQ(island->fault().code, "V3107");
  EXPECT_STREQ(island->fault().text, " became infinite at t = 0 s");
}

// Two states, of which the second decays a thousand million times faster.
TEST(Island, NamesTheStateThatIsStiff) {
  const FormulaSystem::Model model{.states = {scalar("slow", 1.0), scalar("fast", 1.0)},
                                   .locations = {{"only", [](const Terms& e, Dual* r) {
                                                    r[0] = -1.0 * e.x[0];
                                                    r[1] = -1e9 * (e.x[1] - e.x[0]);
                                                  }}}};
  const auto island = make_island(std::make_unique<FormulaSystem>(model), {});
  Rig rig(*island);
  EXPECT_EQ(island->advance(Time{}, Time{1s}).outcome, Outcome::failed);
  EXPECT_STREQ(island->fault().code, "V3106");
  EXPECT_STREQ(island->fault().subject, "fast");
  EXPECT_THAT(island->fault().text, HasSubstr("\nit follows its own changes in about 1e-09 s\n"));
}

// Knows why it fails: x grows until the root of 0.5 - x is none.
class Complaining final : public FormulaSystem {
 public:
  using FormulaSystem::FormulaSystem;
  bool explain(const hybrid::Point& p, Fault& c, hybrid::Workspace&) const noexcept override {
    if (p.x[0] < 0.49) return false;
    c.set(Category::numerics, "V3140", "x is as far as it goes");
    return true;
  }
};

TEST(Island, LetsTheSystemExplainWhyItFails) {
  for (const char* inputs : {"hold", "linear"}) {
    std::vector<hybrid::Part> parts;
    parts.push_back({"part",
                     std::make_unique<Complaining>(
                         FormulaSystem::Model{.states = {scalar("x", 0.0), scalar("y", 0.0)},
                                              .inputs = {scalar("u", 1.0)},
                                              .locations = {{"only",
                                                             [](const Terms& e, Dual* r) {
                                                               r[0] = e.u[0];
                                                               r[1] = sqrt(0.5 - e.x[0]);
                                                             }}}}),
                     {}});
    const auto island = make_island(hybrid::compose(std::move(parts), {}), {.inputs = inputs});
    Rig rig(*island);
    EXPECT_EQ(island->advance(Time{}, Time{1s}).outcome, Outcome::failed);
    EXPECT_STREQ(island->fault().code, "V3140");
    EXPECT_STREQ(island->fault().text, "x is as far as it goes at t = 0.5 s");
  }
}

TEST(Island, RefusesSettingsThatAreNotPossible) {
  EXPECT_THROW(case_island("thermostat", {.integrator = "heun"}), ConfigurationError);
  EXPECT_THROW(case_island("thermostat", {.rtol = -1.0}), ConfigurationError);
  EXPECT_THROW(case_island("thermostat", {.zeno = "hope"}), ConfigurationError);
}

TEST(Island, CallsItsModeLocationWhenTheSystemHasAnOutputOfThatName) {
  const auto flow = [](const Terms&, Dual* r) { r[0] = 1.0; };
  const auto output = [](const Terms& e, Dual* r) { r[0] = e.x[0]; };
  const FormulaSystem::Model model{
      .states = {scalar("x", 0.0)},
      .outputs = {scalar("mode", 0.0)},
      .locations = {{"a", flow, output}, {"b", flow, output}},
      .transitions = {{"ab", 0, 1, {{testing::state(0), testing::number(0.5), greater}}}}};
  const auto island = make_island(std::make_unique<FormulaSystem>(model), {});
  EXPECT_THAT(names(island->description().outputs), ElementsAre("mode", "location", "x"));
}

}  // namespace
}  // namespace vernier::island
