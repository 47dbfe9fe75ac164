#include "vernier/model/automaton/automaton.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "vernier/testing/allocations.hpp"
#include "vernier/testing/files.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier::automaton {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::filesystem::path good(const std::string& name) {
  return std::filesystem::path(VERNIER_SOURCE_DIR) / "formats/hybrid/good" / (name + ".xml");
}

std::unique_ptr<hybrid::System> made(const Type& type, const ParameterValues& values = {}) {
  Diagnostics problems;
  const Parameters p("it", type.parameters, values, 1, {}, problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  return type.system(p);
}

Type type_of(const std::string& text) {
  Diagnostics problems;
  Type type = parse_type(text, "it.xml", problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  return type;
}

/// A system with memory for all that can be asked of it.
struct Bench {
  explicit Bench(std::unique_ptr<hybrid::System> s) : system(std::move(s)) {
    const hybrid::SystemSpec& spec = system->spec();
    for (const auto& signal : spec.states)
      x.insert(x.end(), signal.initial->begin(), signal.initial->end());
    for (const auto& signal : spec.inputs) {
      u.insert(u.end(), signal.count, 0.0);
      if (signal.initial)
        std::copy(signal.initial->begin(), signal.initial->end(), u.end() - signal.count);
    }
    for (const auto& a : spec.automata) mode.push_back(a.initial);
    present.resize(spec.events.size());
    scratch = system->workspace();
  }
  explicit Bench(const std::string& name) : Bench(made(read(name))) {}

  static Type read(const std::string& name) {
    Diagnostics problems;
    Type t = read_type(good(name), problems);
    EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
    return t;
  }

  hybrid::Point point() const { return {0.0, x, mode, u}; }
  std::vector<double> flow() {
    std::vector<double> r(x.size());
    system->flow(point(), r, *scratch);
    return r;
  }
  std::vector<double> output() {
    std::vector<double> r(size(system->spec().outputs));
    system->output(point(), r, *scratch);
    return r;
  }
  std::vector<double> guards() {
    std::vector<double> r(system->spec().guards, -7.0);
    system->guards(point(), r, *scratch);
    return r;
  }
  /// The name of the enabled transition; empty: none.
  std::string enabled() {
    std::vector<int> chosen(mode.size(), -5);
    const bool any = system->select(point(), present, chosen, *scratch);
    EXPECT_EQ(any, chosen[0] >= 0);
    return any ? system->spec().automata[0].transitions[static_cast<std::size_t>(chosen[0])].name
               : "";
  }
  /// Takes the enabled transition; returns the labels emitted.
  std::vector<std::string> jump() {
    std::vector<int> chosen(mode.size());
    EXPECT_TRUE(system->select(point(), present, chosen, *scratch));
    std::vector<double> next = x;
    std::vector<int> next_mode = mode;
    std::vector<std::uint8_t> emitted(present.size(), 0);
    hybrid::Jump j{next, next_mode, emitted};
    system->jump(point(), chosen, j, *scratch);
    x = next;
    mode = next_mode;
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < emitted.size(); ++i) {
      if (emitted[i]) labels.push_back(system->spec().events[i].name);
    }
    return labels;
  }
  const std::string& location() const {
    return system->spec().automata[0].locations[static_cast<std::size_t>(mode[0])];
  }

  std::unique_ptr<hybrid::System> system;
  std::vector<double> x, u;
  std::unique_ptr<hybrid::Workspace> scratch;
  std::vector<int> mode;
  std::vector<std::uint8_t> present;
};

const std::string head = "<hybridsystem name=\"It\" version=\"1\">";

// Kleene's tables for x = NaN: unknown and false is false, unknown or true is true.
TEST(Automaton, IsUndecidedWhereAComparisonWithNotANumberMatters) {
  const std::pair<const char*, bool> cases[] = {
      {"sqrt(x) > 2", true},
      {"not sqrt(x) > 2", true},
      {"sqrt(x) >= 2 and y > 0", true},
      {"sqrt(x) >= 2 and y < 0", false},
      {"sqrt(x) < 2 or y > 0", false},
      {"sqrt(x) <= 2 or y < 0", true},
      {"not (sqrt(x) > 2 and y < 0)", false},
      {"not (sqrt(x) > 2 or y < 0)", true},
      {"y > 0", false},
  };
  for (const auto& [condition, undecided] : cases) {
    std::string escaped;
    for (const char c : std::string(condition))
      escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    Bench it(made(type_of(
        head +
        "<states><state name=\"x\" initial=\"-1\"/><state name=\"y\" initial=\"1\"/></states>"
        "<initial location=\"A\"/><location><name>A</name>"
        "<diffequation state=\"x\">0</diffequation><diffequation state=\"y\">0</diffequation>"
        "<transitions><transition><name>t</name><domain>" +
        escaped +
        "</domain><reset><destination>A</destination></reset></transition></transitions>"
        "</location></hybridsystem>")));
    EXPECT_EQ(it.system->undecided(it.point(), it.present, *it.scratch), undecided) << condition;
    it.x[0] = 9.0;
    EXPECT_FALSE(it.system->undecided(it.point(), it.present, *it.scratch)) << condition;
  }
}

TEST(Automaton, ComputesWhatTheDocumentSays) {
  Bench ball("bouncing_ball");
  EXPECT_THAT(ball.x, ElementsAre(1.0, 0.0));
  ball.x = {0.5, -2.0};
  EXPECT_THAT(ball.flow(), ElementsAre(-2.0, -9.81));
  EXPECT_THAT(ball.output(), ElementsAre(0.5, -2.0));
  EXPECT_THAT(ball.guards(), ElementsAre(0.5, -2.0));  // h - 0, v - 0
  EXPECT_EQ(ball.enabled(), "");
  ball.x = {0.0, -2.0};
  EXPECT_EQ(ball.enabled(), "bounce");
  ball.jump();
  EXPECT_THAT(ball.x, ElementsAre(0.0, 1.6));
  EXPECT_EQ(ball.enabled(), "");  // rising: the truth now, not the place
}

TEST(Automaton, TellsWhichEquationHasNoValueAndWhy) {
  Bench b(
      made(type_of("<hybridsystem name=\"A\" version=\"1\">"
                   "<constants><constant name=\"w0\" value=\"100\"/></constants>"
                   "<inputs><input name=\"gain\" default=\"2\"/></inputs>"
                   "<states><state name=\"v\" initial=\"0\"/><state name=\"w\" initial=\"3\"/>"
                   "</states><location><name>L</name>\n"
                   "<diffequation state=\"v\">sqrt(w)</diffequation>\n"
                   "<diffequation state=\"w\">gain/(w - w0)</diffequation>"
                   "</location></hybridsystem>")));
  Fault why;
  EXPECT_FALSE(b.system->explain(b.point(), why, *b.scratch));
  b.x[1] = 100.0;
  ASSERT_TRUE(b.system->explain(b.point(), why, *b.scratch));
  EXPECT_STREQ(why.text,
               "\ndivision by zero: w - 100 is 0\nin the equation of w, it.xml:3: gain/(w - w0)");
  b.x[1] = -1.0;
  ASSERT_TRUE(b.system->explain(b.point(), why, *b.scratch));
  EXPECT_STREQ(why.text,
               "\nsqrt has no value there: w is -1\nin the equation of v, it.xml:2: sqrt(w)");
  b.u[0] = NAN;  // then somebody else is to blame
  EXPECT_FALSE(b.system->explain(b.point(), why, *b.scratch));
}

TEST(Automaton, TellsWhichOutputOrResetHasNoValueAndWhy) {
  Bench b(
      made(type_of("<hybridsystem name=\"A\" version=\"1\">"
                   "<states><state name=\"v\" initial=\"1\"/><state name=\"w\" size=\"2\" "
                   "initial=\"3\"/></states><outputs><output name=\"y\"/></outputs>"
                   "<initial location=\"L\"/><location><name>L</name>"
                   "<diffequation state=\"v\">0</diffequation>"
                   "<diffequation state=\"w\">[0, 0]</diffequation>\n"
                   "<outputmap output=\"y\">1/w[0]</outputmap><transitions><transition>"
                   "<name>go</name><domain>v &lt; 0</domain><reset><destination>L</destination>"
                   "<statereset state=\"v\">1</statereset>\n"
                   "<statereset state=\"w\">[1, sqrt(v)]</statereset>"
                   "</reset></transition></transitions></location></hybridsystem>")));
  Fault why;
  EXPECT_FALSE(b.system->explain(b.point(), why, *b.scratch));
  b.x[1] = 0.0;
  ASSERT_TRUE(b.system->explain(b.point(), why, *b.scratch));
  EXPECT_STREQ(why.text, "\ndivision by zero: w[0] is 0\nin the output y, it.xml:2: 1/w[0]");
  b.x = {-4.0, 3.0, 3.0};
  const int chosen[] = {0};
  ASSERT_TRUE(b.system->explain_jump(b.point(), chosen, why, *b.scratch));
  EXPECT_STREQ(why.text,
               "\nsqrt has no value there: v is -4\nin the reset of w[1] by the transition go, "
               "it.xml:3: [1, sqrt(v)]");
  b.x[0] = 4.0;
  EXPECT_FALSE(b.system->explain_jump(b.point(), chosen, why, *b.scratch));
  const int none[] = {-1};
  EXPECT_FALSE(b.system->explain_jump(b.point(), none, why, *b.scratch));
}

TEST(Automaton, UsesOutputsAsIntermediateValues) {
  Bench battery("battery");
  battery.u = {100.0};
  const double v = 18 + 10.6 * 0.6;
  EXPECT_THAT(battery.output(), ElementsAre(v));
  EXPECT_THAT(battery.flow(), ElementsAre(2.7e-4 * (100.0 - 20) / v, 0.0));
}

TEST(Automaton, TakesTransitionsAndEmitsTheirEvents) {
  Bench battery("battery");
  EXPECT_EQ(battery.location(), "Nominal");
  battery.x = {0.96, 1.0};
  EXPECT_THAT(battery.jump(), IsEmpty());
  EXPECT_EQ(battery.location(), "Payload");
  EXPECT_THAT(battery.x, ElementsAre(0.96, 0.0));  // C keeps its value
  EXPECT_EQ(battery.enabled(), "");
  battery.present[0] = 1;  // endPayload
  EXPECT_EQ(battery.enabled(), "ended");
  battery.jump();
  battery.present[0] = 0;
  battery.x[0] = 0.1;
  EXPECT_THAT(battery.jump(), ElementsAre("low"));
  EXPECT_EQ(battery.location(), "Safe");
}

TEST(Automaton, ShowsItsLocationsAndTransitionsAsWritten) {
  Diagnostics problems;
  const Type type = read_type(
      std::filesystem::path(VERNIER_SOURCE_DIR) / "missions/aausat2/supervisor.xml", problems);
  ASSERT_TRUE(type.machine);
  const StateMachine& m = *type.machine;
  EXPECT_EQ(m.initial, "Start");
  ASSERT_EQ(m.locations.size(), 3u);
  EXPECT_EQ(m.locations[1].name, "Detumbling");
  EXPECT_EQ(m.locations[1].place.line, 62);
  ASSERT_EQ(m.transitions.size(), 3u);
  const StateMachine::Transition &first = m.transitions[0], &back = m.transitions[2];
  EXPECT_EQ(first.name, "filters at rest");
  EXPECT_EQ(first.from, "Start");
  EXPECT_EQ(first.to, "Detumbling");
  EXPECT_EQ(first.condition, "slow > 0");
  EXPECT_EQ(first.reset, "f = gauss*b/pole");
  EXPECT_EQ(first.place.line, 51);
  EXPECT_EQ(back.label, "telecommand");
  EXPECT_EQ(back.condition, "");
}

TEST(Automaton, EvaluatesAllResetsBeforeAssigningAny) {
  Bench cradle("cradle");
  cradle.x = {0, 0, 1, 1, 1, 0.5, -0.5, 0, 0, 0};
  EXPECT_EQ(cradle.enabled(), "hit12");
  cradle.jump();
  EXPECT_EQ(cradle.x[5], -0.5);
  EXPECT_EQ(cradle.x[6], 0.5);
}

TEST(Automaton, TriesTransitionsByPriorityThenInDocumentOrder) {
  const std::string text =
      head +
      "<states><state name=\"x\"/></states><events><event name=\"e\" direction=\"in\"/></events>"
      "<location><name>L</name><diffequation state=\"x\">1</diffequation><transitions>"
      "<transition><name>late</name><domain>x &gt; "
      "0</domain><reset><destination>L</destination></reset></transition>"
      "<transition priority=\"-1\"><name>soon</name><inevent>e</inevent><domain>x &gt; 1</domain>"
      "<reset><destination>L</destination></reset></transition>"
      "<transition priority=\"-1\"><name>second</name><inevent>e</inevent><domain>x &gt; "
      "0.5</domain>"
      "<reset><destination>L</destination></reset></transition>"
      "</transitions></location></hybridsystem>";
  Bench b(made(type_of(text)));
  EXPECT_EQ(b.enabled(), "");
  b.x = {2.0};
  EXPECT_EQ(b.enabled(), "late");
  b.present[0] = 1;
  EXPECT_EQ(b.enabled(), "soon");  // the event triggers, the domain is a condition
  b.x = {0.7};
  EXPECT_EQ(b.enabled(), "second");
  b.x = {-1.0};
  EXPECT_EQ(b.enabled(), "");
  // only what can trigger by itself is watched for crossings
  EXPECT_EQ(b.system->spec().guards, 1u);
}

TEST(Automaton, TellsBothSidesOfWhatDecided) {
  Bench ball("bouncing_ball");
  ball.x = {-1e-12, -3.0};
  double sides[2];
  ball.system->witness(ball.point(), 0, 0, std::span<double, 2>(sides), *ball.scratch);
  EXPECT_THAT(sides, ElementsAre(-1e-12, 0.0));
  Bench battery("battery");
  battery.mode = {1};
  battery.system->witness(battery.point(), 0, 3, std::span<double, 2>(sides), *battery.scratch);
  EXPECT_TRUE(std::isnan(sides[0]));  // an event alone
  EXPECT_EQ(battery.system->spec().automata[0].transitions[3].condition, "on endPayload");
  EXPECT_EQ(battery.system->spec().automata[0].transitions[0].condition, "C > HFull");
}

/// The default of the base class, central differences, as the oracle.
void expect_tangent_is_that_of_differences(Bench& b, const std::vector<double>& dx,
                                           const std::vector<double>& du) {
  const auto& spec = b.system->spec();
  std::vector<double> xdot(b.x.size()), y(size(spec.outputs)), z(spec.guards);
  std::vector<double> xdot2 = xdot, y2 = y, z2 = z;
  const hybrid::Direction d{0.0, dx, du};
  b.system->tangent(b.point(), d, {xdot, y, z}, *b.scratch);
  b.system->hybrid::System::tangent(b.point(), d, {xdot2, y2, z2}, *b.scratch);
  // truncation and rounding of central differences balance at about eps^(2/3)
  const auto compare = [](const std::vector<double>& a, const std::vector<double>& e) {
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], e[i], 1e-8 * (1 + std::abs(e[i]))) << i;
  };
  compare(xdot, xdot2);
  compare(y, y2);
  compare(z, z2);
}

TEST(Automaton, DifferentiatesExactly) {
  Bench body("rigid_body");
  body.x = {0.3, -0.2, 0.9};
  expect_tangent_is_that_of_differences(body, {1.0, 0.4, -0.3}, {});
  Bench tanks("two_tanks");
  tanks.x = {0.7, 1.2};
  expect_tangent_is_that_of_differences(tanks, {0.3, -0.8}, {});
  Bench battery("battery");
  battery.u = {35.0};
  expect_tangent_is_that_of_differences(battery, {0.1, 0.2}, {3.0});
  Bench spin("spin");
  spin.x = {0.1, 0.2, 0.3, 0.9};
  expect_tangent_is_that_of_differences(spin, {0.4, 0.3, 0.2, 0.1}, {0.5, 0.6, 0.7});
}

TEST(Automaton, TakesAnEmptyDirectionAsStandingStill) {
  Bench battery("battery");
  std::vector<double> xdot(2, 5.0);
  battery.system->tangent(battery.point(), {}, {xdot, {}, {}}, *battery.scratch);
  EXPECT_THAT(xdot, ElementsAre(0.0, 0.0));
}

TEST(Automaton, KnowsWhichOutputFollowsWhichInput) {
  const Bench spin("spin"), plant("plant"), on_off("on_off");
  EXPECT_THAT(spin.system->spec().feedthrough, IsEmpty());
  EXPECT_THAT(plant.system->spec().feedthrough, IsEmpty());
  Bench b(made(
      type_of(head +
              "<inputs><input name=\"a\"/><input name=\"b\" size=\"2\"/></inputs>"
              "<outputs><output name=\"y\"/><output name=\"z\" size=\"2\"/></outputs>"
              "<location><name>L</name><outputmap output=\"y\">2*z[1]</outputmap>"
              "<outputmap output=\"z[0]\">a</outputmap><outputmap output=\"z[1]\">b[1]</outputmap>"
              "</location></hybridsystem>")));
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& f : b.system->spec().feedthrough) pairs.emplace_back(f.output, f.input);
  EXPECT_THAT(pairs, ::testing::UnorderedElementsAre(std::pair(0u, 1u), std::pair(1u, 0u),
                                                     std::pair(1u, 1u)));
  b.u = {3.0, 4.0, 5.0};
  EXPECT_THAT(b.output(), ElementsAre(10.0, 3.0, 5.0));
  EXPECT_THAT(b.system->spec().automata, IsEmpty());  // nothing to switch: no modes
}

TEST(Automaton, TakesConstantsInitialValuesAndLocationAsParameters) {
  const Type type = Bench::read("battery");
  const auto find = [&](const std::string& name) {
    for (const ParameterSpec& s : type.parameters) {
      if (s.name == name) return s;
    }
    ADD_FAILURE() << name;
    return ParameterSpec{};
  };
  EXPECT_EQ(find("HFull").initial, "0.95");
  EXPECT_EQ(find("C").initial, "0.6");
  EXPECT_THAT(find("location").choices, ElementsAre("Nominal", "Payload", "Safe"));
  EXPECT_EQ(type.name, "Battery");

  Bench changed(made(type, {{"HFull", {"0.7"}}, {"C", {"0.65"}}, {"location", {"Safe"}}}));
  EXPECT_THAT(changed.x, ElementsAre(0.65, 1.0));
  EXPECT_EQ(changed.location(), "Safe");
  changed.mode = {0};
  changed.x = {0.75, 1.0};
  EXPECT_EQ(changed.enabled(), "toPayload");
  Bench plain(made(type));
  plain.x = {0.75, 1.0};
  EXPECT_EQ(plain.enabled(), "");
}

TEST(Automaton, ConvertsValuesToSi) {
  const Type type = Bench::read("integrate_and_fire");
  Bench b(made(type));
  EXPECT_THAT(b.flow(), ElementsAre(1.5 / 0.02));  // 20 ms
  Bench slow(made(type, {{"tau", {"0.1 s"}}}));
  EXPECT_THAT(slow.flow(), ElementsAre(1.5 / 0.1));
}

TEST(Automaton, EmbedsChangingDimensions) {
  Bench rocket("stages");
  const auto& system = dynamic_cast<const AutomatonSystem&>(*rocket.system);
  ASSERT_EQ(rocket.x.size(), 4u);  // and one that holds the mass
  EXPECT_EQ(rocket.system->spec().states[3].name, "m_held");
  EXPECT_THAT(system.inactive_states(0), IsEmpty());
  EXPECT_THAT(system.inactive_states(1), ElementsAre(0u));
  EXPECT_THAT(system.inactive_outputs(1), ElementsAre(1u));
  EXPECT_THAT(rocket.output(), ElementsAre(10000.0, 150.0));
  rocket.x = {-1e-9, 100.0, 50.0, 0.0};
  EXPECT_THAT(rocket.jump(), ElementsAre("separated"));
  EXPECT_EQ(rocket.location(), "Coast");
  EXPECT_THAT(rocket.x, ElementsAre(0.0, 100.0, 50.0, 100.0 - 1e-9));
  EXPECT_THAT(rocket.flow(), ElementsAre(0.0, -9.81, 100.0, 0.0));
  EXPECT_THAT(rocket.output(), ElementsAre(0.0, 100.0 - 1e-9));  // as before the jump
}

TEST(Automaton, HasUnitVectors) {
  const Bench spin("spin");
  ASSERT_EQ(spin.system->spec().unit_vectors.size(), 1u);
  EXPECT_EQ(spin.system->spec().unit_vectors[0].count, 4u);
  EXPECT_EQ(spin.system->spec().inputs[0].frame, "body");
  EXPECT_EQ(spin.u[2], 0.1);
}

// an angle random walk in deg/√h is 1/60 of as many degrees per √s, by definition
TEST(Automaton, TellsFiltersWhatNoiseToAssume) {
  const hybrid::Noise noise = made(Bench::read("gyro"))->spec().noise;
  const double degree = M_PI / 180.0, angle = 0.15 * degree / 60.0,
               bias = 0.3 * degree / 3600.0 / 60.0;
  ASSERT_EQ(noise.process.size(), 3u);
  EXPECT_NEAR(noise.process[0], angle * angle, 1e-15 * angle * angle);
  EXPECT_EQ(noise.process[1], 0.0);
  EXPECT_NEAR(noise.process[2], bias * bias, 1e-15 * bias * bias);
  EXPECT_THAT(noise.measurement, ::testing::ElementsAre(0.02 * degree, 10e-6, 30e-6, 0.0));
  const auto none = made(Bench::read("plant"))->spec().noise;
  EXPECT_TRUE(none.process.empty() && none.measurement.empty());
}

TEST(Automaton, ComputesNoOutputThatIsNotWanted) {
  const auto system = made(type_of(R"(<hybridsystem name="two" version="1">
    <inputs><input name="u"/></inputs>
    <outputs><output name="root"/><output name="twice"/></outputs>
    <initial location="only"/>
    <location><name>only</name>
      <outputmap output="root">sqrt(u)</outputmap>
      <outputmap output="twice">2*u</outputmap>
    </location></hybridsystem>)"));
  const hybrid::OutputSet twice = hybrid::output_bit(1);
  system->prepare_outputs(twice);
  const auto w = system->workspace();
  const std::vector<double> u{9.0};
  std::vector<double> y{-1.0, -1.0};
  system->output({.u = u, .outputs = twice}, y, *w);
  EXPECT_THAT(y, ElementsAre(-1.0, 18.0));
  system->output({.u = u}, y, *w);
  EXPECT_THAT(y, ElementsAre(3.0, 18.0));
}

// lanes, tangents and jacobians against single calls and differences, in every location, with the
// constants in the code and with all of them adjustable
TEST(Automaton, KeepsThePromisesOfSystemsInEveryLocation) {
  for (const auto& entry : std::filesystem::directory_iterator(good("on_off").parent_path())) {
    const Type type = Bench::read(entry.path().stem());
    ParameterValues adjustable;
    const auto plain = made(type);
    for (const ParameterSpec& s : type.parameters) {
      const auto named = [&](const hybrid::Signal& x) { return x.name == s.name; };
      const auto& states = plain->spec().states;
      if (s.kind != ParameterKind::real || std::any_of(states.begin(), states.end(), named))
        continue;
      adjustable[s.name].adjustable = true;
    }
    const auto tuned = made(type, adjustable);
    EXPECT_EQ(tuned->spec().parameters.size(), adjustable.size()) << entry.path();
    for (hybrid::System* system : {plain.get(), tuned.get()})
      for (std::size_t o = 0; o < system->spec().outputs.size(); ++o)
        system->prepare_outputs(hybrid::output_bit(o));
    for (const hybrid::System* system : {plain.get(), tuned.get()}) {
      SCOPED_TRACE(entry.path().stem().string() + (system == tuned.get() ? ", adjustable" : ""));
      testing::SystemRig rig(*system), reference(*plain);
      for (std::size_t i = 0; i < rig.x.size(); ++i) rig.x[i] += 0.013 + 0.01 * double(i);
      for (std::size_t i = 0; i < rig.u.size(); ++i) rig.u[i] += 0.11 + 0.02 * double(i);
      reference.x = rig.x;
      reference.u = rig.u;
      const std::size_t locations =
          rig.mode.empty() ? 1 : system->spec().automata[0].locations.size();
      for (std::size_t l = 0; l < locations; ++l) {
        if (!rig.mode.empty()) rig.mode[0] = reference.mode[0] = static_cast<int>(l);
        testing::expect_conforming(rig, 1e-5);
        for (const hybrid::Signal& s : system->spec().states) {
          const auto rate = rig.rate(s.name), same = reference.rate(s.name);
          for (std::size_t i = 0; i < rate.size(); ++i)
            EXPECT_NEAR(rate[i], same[i], 1e-13 * std::abs(same[i]) + 1e-300) << s.name;
        }
      }
    }
  }
}

TEST(Automaton, DoesNotAllocateAndMayBeUsedByManyThreads) {
  Bench cradle("cradle");
  const auto exercise = [&](Bench& b, const hybrid::System& s) {
    std::vector<double> x = cradle.x, xdot(x.size()), y(2), z(s.spec().guards);
    const auto workspace = s.workspace();
    hybrid::Workspace& scratch = *workspace;
    std::vector<int> mode{0}, chosen{0};
    std::vector<std::uint8_t> none;
    double sides[2];
    double sum = 0.0;
    const long before = testing::allocations();
    for (int k = 0; k < 2000; ++k) {
      x[0] = 1e-3 * k;
      const hybrid::Point p{0.0, x, mode, b.u};
      s.flow(p, xdot, scratch);
      s.output(p, y, scratch);
      s.guards(p, z, scratch);
      if (s.select(p, none, chosen, scratch)) {
        hybrid::Jump j{xdot, mode, none};
        s.jump(p, chosen, j, scratch);
        s.witness(p, 0, chosen[0], std::span<double, 2>(sides), scratch);
      }
      s.tangent(p, {0.0, x, {}}, {xdot, y, z}, scratch);
      sum += xdot[5] + y[0] + z[0];
    }
    EXPECT_EQ(testing::allocations(), before);
    return sum;
  };
  const double alone = exercise(cradle, *cradle.system);
  std::vector<double> sums(4, 0.0);
  std::vector<std::thread> threads;
  for (double& sum : sums) threads.emplace_back([&] { sum = exercise(cradle, *cradle.system); });
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(sums, ElementsAre(alone, alone, alone, alone));
}

TEST(Automaton, StandsALongChainOfOutputs) {
  const int n = 5000;
  std::string text = head + "<outputs>";
  for (int i = 0; i < n; ++i) text += "<output name=\"y" + std::to_string(i) + "\"/>";
  text += "</outputs><location><name>L</name>";
  for (int i = 0; i < n; ++i) {
    text += "<outputmap output=\"y" + std::to_string(i) + "\">" +
            (i + 1 < n ? "1 + y" + std::to_string(i + 1) : "0.5") + "</outputmap>";
  }
  Bench b(made(type_of(text + "</location></hybridsystem>")));
  EXPECT_EQ(b.output()[0], n - 0.5);
}

TEST(Automaton, TellsNoMoreThanTwoHundredOfTenThousandMistakes) {
  std::string text = head + "<states>";
  for (int i = 0; i < 3000; ++i) text += "<state name=\"variable" + std::to_string(i) + "\"/>";
  text += "</states><location><name>L</name>";
  for (int i = 0; i < 10'000; ++i) {
    text += "<diffequation state=\"variabel" + std::to_string(i) + "\">qqqq" + std::to_string(i) +
            "</diffequation>";
  }
  text += "</location></hybridsystem>";
  Diagnostics problems;
  const Type type = parse_type(text, "it.xml", problems);
  EXPECT_FALSE(type.system);
  EXPECT_LE(problems.errors(), 200u);
}

TEST(Automaton, RefusesDeepBrackets) {
  Diagnostics problems;
  parse_type(head +
                 "<outputs><output name=\"y\"/></outputs><location><name>L</name><outputmap "
                 "output=\"y\">" +
                 std::string(50'000, '(') + "</outputmap></location></hybridsystem>",
             "it.xml", problems);
  EXPECT_THAT(rendered(problems), HasSubstr("error[V1301]"));
}

TEST(Automaton, ServesCompositionsThroughTheCatalogue) {
  Catalogue catalogue;
  add_to(catalogue);
  const DocumentKind* kind = catalogue.document("hybridsystem");
  ASSERT_TRUE(kind);
  EXPECT_EQ(kind->instance, InstanceKind::system);
  Diagnostics problems;
  EXPECT_EQ(kind->read(testing::content(good("relay")), "relay.xml", problems).name, "Relay");
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  EXPECT_FALSE(kind->read("<hybridsystem/>", "none.xml", problems).system);
  EXPECT_GT(problems.errors(), 0u);
}

}  // namespace
}  // namespace vernier::automaton
