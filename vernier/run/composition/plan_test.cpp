#include "vernier/run/composition/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "vernier/base/text.hpp"
#include "vernier/run/composition/detail/external.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::composition {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// x' = u, y = x + k u, with options for the tests.
class Line final : public hybrid::System {
 public:
  explicit Line(hybrid::SystemSpec s) : spec_(std::move(s)) { spec_.work = 64; }
  const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const hybrid::Point&, std::span<double> xdot,
            hybrid::Workspace&) const noexcept override {
    for (double& v : xdot) v = 0.0;
  }
  void output(const hybrid::Point&, std::span<double> y,
              hybrid::Workspace&) const noexcept override {
    for (double& v : y) v = 0.0;
  }

 private:
  hybrid::SystemSpec spec_;
};

/// Has the ports of a system, and does nothing.
class Shell final : public Component {
 public:
  explicit Shell(std::unique_ptr<hybrid::System> s) : system_(std::move(s)) {
    const hybrid::SystemSpec& spec = system_->spec();
    const auto port = [](const hybrid::Signal& x) {
      Port p;
      p.name = x.name;
      p.unit = x.unit;
      p.count = x.count;
      p.initial = x.initial;
      return p;
    };
    for (const auto& x : spec.inputs) description_.inputs.push_back(port(x));
    for (const auto& x : spec.outputs) description_.outputs.push_back(port(x));
    for (const auto& d : spec.feedthrough)
      description_.feedthrough.push_back({spec.outputs[d.output].name, spec.inputs[d.input].name});
    for (const auto& e : spec.events) {
      Port p;
      p.name = e.name;
      p.scalar = Scalar::integer;
      p.flow = Flow::event;
      if (e.in) description_.inputs.push_back(p);
      if (e.out) description_.outputs.push_back(p);
    }
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  std::unique_ptr<hybrid::System> system_;
  Description description_;
};

hybrid::Signal signal(std::string name, std::string unit = "1", std::uint32_t count = 1,
                      std::optional<std::vector<double>> initial = {}) {
  hybrid::Signal s;
  s.name = std::move(name);
  s.unit = std::move(unit);
  s.count = count;
  s.initial = std::move(initial);
  return s;
}

/// A composition built with a few calls.
struct Sketch {
  Catalogue catalogue;
  Composition composition;
  Diagnostics problems;

  Sketch() {
    composition.name = "sketch";
    catalogue.set_island([](std::unique_ptr<hybrid::System> s, const IslandSettings&) {
      return std::make_unique<Shell>(std::move(s));
    });
  }
  void type(const std::string& name, const hybrid::SystemSpec& spec) {
    Type t;
    t.name = name;
    t.system = [spec](const Parameters&) { return std::make_unique<Line>(spec); };
    catalogue.add(std::move(t));
  }
  Instance& add(const std::string& name, const std::string& type_name,
                const std::string& island = "") {
    Instance i;
    i.name = name;
    i.type = type_name;
    i.island = island;
    i.place = {"sketch.xml", static_cast<int>(composition.instances.size()) + 2, 3, 1};
    return composition.instances.emplace_back(std::move(i));
  }
  static Endpoint end(const std::string& text) {
    Endpoint e;
    e.text = text;
    std::string path = text;
    if (const auto bracket = path.find('['); bracket != std::string::npos) {
      const std::string range = path.substr(bracket + 1, path.size() - bracket - 2);
      const auto colon = range.find(':');
      e.first = static_cast<std::uint32_t>(std::stoul(range));
      e.last = colon == std::string::npos
                   ? e.first + 1
                   : static_cast<std::uint32_t>(std::stoul(range.substr(colon + 1)));
      path.resize(bracket);
    }
    const auto dot = path.rfind('.');
    e.instance = dot == std::string::npos ? "" : path.substr(0, dot);
    e.port = path.substr(dot == std::string::npos ? 0 : dot + 1);
    e.place = {"sketch.xml", 40, 5, 1};
    return e;
  }
  Connection& connect(const std::string& from, const std::string& to, int line = 30) {
    Connection c;
    c.from = end(from);
    c.to = end(to);
    c.place = {"sketch.xml", line, 3, 1};
    return composition.connections.emplace_back(std::move(c));
  }
  void map(const std::string& from, const std::string& to) {
    composition.event_maps.push_back(
        {.from = end(from), .to = end(to), .place = {"sketch.xml", 50, 3, 1}});
  }
  Plan plan() { return make_plan(composition, catalogue, problems); }

  /// "V2121 message" for each problem.
  std::vector<std::string> complaints() {
    try {
      plan();
    } catch (const ConfigurationError&) {
    }
    std::vector<std::string> all;
    for (const Diagnostic& d : problems.list()) {
      std::string s = d.code + " " + d.message;
      if (!d.mark.empty()) s += " | " + d.mark;
      for (const std::string& n : d.notes) s += " | " + n;
      all.push_back(s);
    }
    return all;
  }
};

std::vector<std::string> wires(const Plan& plan) {
  std::vector<std::string> all;
  for (const Wire& w : plan.wires) {
    const auto& from = plan.parts[w.from_part];
    const auto& to = plan.parts[w.to_part];
    all.push_back(path(from, from.component->description().outputs[w.from]) + " -> " +
                  path(to, to.component->description().inputs[w.to]));
  }
  return all;
}

hybrid::SystemSpec plant() {
  hybrid::SystemSpec s;
  s.states = {signal("x", "m", 3)};
  s.inputs = {signal("force", "N", 3), signal("wind", "m/s", 1, {{0.0}})};
  s.outputs = {signal("position", "m", 3), signal("pose", "1", 7)};
  return s;
}

hybrid::SystemSpec controller() {
  hybrid::SystemSpec s;
  s.inputs = {signal("position", "m", 3)};
  s.outputs = {signal("force", "N", 3)};
  s.feedthrough = {{0, 0}};
  return s;
}

struct Loop : Sketch {
  Loop(const std::string& island_a, const std::string& island_b) {
    type("plant", plant());
    type("controller", controller());
    add("plant", "plant", island_a);
    add("control", "controller", island_b);
    connect("plant.position", "control.position");
    connect("control.force", "plant.force");
  }
};

TEST(Plan, NamesDoNotDependOnIslands) {
  Loop apart("own", "own"), together("craft", "craft"), plain("", "");
  const Plan a = apart.plan(), b = together.plan(), c = plain.plan();
  ASSERT_EQ(a.parts.size(), 2u);
  ASSERT_EQ(b.parts.size(), 1u);
  EXPECT_EQ(b.parts[0].name, "island craft");
  EXPECT_THAT(b.parts[0].instances, ElementsAre("plant", "control"));
  ASSERT_EQ(c.parts.size(), 1u);
  EXPECT_EQ(c.parts[0].name, "island of plant");
  const auto paths = [](const Plan& plan) {
    std::vector<std::string> all;
    for (const Part& p : plan.parts)
      for (const Port& o : p.component->description().outputs) all.push_back(path(p, o));
    return all;
  };
  EXPECT_EQ(paths(a), paths(b));
  EXPECT_EQ(paths(a), paths(c));
  EXPECT_THAT(wires(a),
              ElementsAre("plant.position -> control.position", "control.force -> plant.force"));
  EXPECT_TRUE(b.wires.empty());
  EXPECT_TRUE(together.problems.list().empty());
  EXPECT_TRUE(plain.problems.list().empty());
}

TEST(Plan, WarnsOfARingBetweenPartsThatAreIntegratedApart) {
  Loop apart("own", "own");
  EXPECT_THAT(apart.complaints(),
              ElementsAre(HasSubstr("V2130 plant and control act on each other but are integrated "
                                    "apart: what goes between them is held for up to 100 ms")));
  ASSERT_EQ(apart.problems.list().size(), 1u);
  EXPECT_THAT(apart.problems.list()[0].body,
              ElementsAre("plant.position  → control.position   (line 30)",
                          "control.force   → plant.force        (line 30)"));

  // sampling and delays are intentional; a one-way connection is not a ring
  Loop sampled("own", ""), delayed("own", "own"), forward("own", "own");
  sampled.composition.instances[1].rate = {10, 1};
  delayed.composition.connections[1].delay_ticks = 1;
  forward.composition.connections.pop_back();
  forward.composition.inputs.push_back({"push", "N", {0.0, 0.0, 0.0}, {}});
  forward.connect("ext.push", "plant.force");
  for (Loop* s : {&sampled, &delayed, &forward}) EXPECT_TRUE(s->complaints().empty());
}

TEST(Plan, UndelayedConnectionsJoinSystemsIntoIslands) {
  hybrid::SystemSpec link = controller();
  link.inputs = {signal("force", "N", 3)};
  const auto islands = [&link](const std::vector<std::string>& names, int delayed = -1) {
    Sketch s;
    s.type("link", link);
    for (std::size_t i = 0; i < names.size(); ++i)
      s.add(std::string(1, static_cast<char>('a' + i)), "link", names[i]);
    s.composition.inputs.push_back({"push", "N", {0.0, 0.0, 0.0}, {}});
    s.connect("ext.push", "a.force");
    for (std::size_t i = 1; i < names.size(); ++i) {
      Connection& c = s.connect(std::string(1, static_cast<char>('a' + i - 1)) + ".force",
                                std::string(1, static_cast<char>('a' + i)) + ".force");
      if (static_cast<int>(i) == delayed) c.delay_ticks = 1;
    }
    std::vector<std::string> parts;
    for (const Part& p : s.plan().parts)
      if (p.prefix != "ext.") parts.push_back(p.name + ": " + joined(p.instances, " "));
    return parts;
  };
  EXPECT_THAT(islands({"", "", ""}), ElementsAre("island of a: a b c"));
  EXPECT_THAT(islands({"", "", "", ""}, 2), ElementsAre("island of a: a b", "island of c: c d"));
  EXPECT_THAT(islands({"", "own", ""}), ElementsAre("a: a", "b: b", "c: c"));
  // next to one named island, systems belong to it; between two, to neither
  EXPECT_THAT(islands({"", "x", ""}), ElementsAre("island x: a b c"));
  EXPECT_THAT(islands({"x", "", "", "y"}), ElementsAre("a: a", "island of b: b c", "d: d"));
}

TEST(Plan, ASystemWithARateIsSampledByItself) {
  Loop s("", "");
  s.composition.instances[1].rate = {10, 1};
  s.composition.instances[1].offset = 5ms;
  const Plan p = s.plan();
  ASSERT_EQ(p.parts.size(), 2u);
  EXPECT_EQ(p.parts[1].rate, (Rate{10, 1}));
  EXPECT_EQ(p.parts[1].offset, 5ms);
  Loop t("craft", "craft");
  t.composition.instances[1].rate = {10, 1};
  EXPECT_THAT(t.complaints(), ElementsAre(HasSubstr("V2106 control has a rate, so it cannot share "
                                                    "the island \"craft\"")));
}

TEST(Plan, InputsInsideAnIslandAreShownWhereTheyAreAskedFor) {
  Loop s("", "");
  s.composition.reports.push_back({"push", Sketch::end("plant.force"), Report::Kind::last, ""});
  s.composition.connections[1].gain = -1.0;
  const Plan p = s.plan();
  std::vector<std::string> outputs;
  for (const Port& o : p.parts[0].component->description().outputs) outputs.push_back(o.name);
  EXPECT_THAT(outputs, ElementsAre("plant.position", "plant.pose", "control.force", "plant.force"));
}

TEST(Plan, ClustersAreJoinedByWhatArrivesAtOnce) {
  Loop s("own", "own");
  hybrid::SystemSpec emits, waits;
  emits.events = {{"go", false, true}};
  waits.events = {{"go", true, false}};
  s.type("emits", emits);
  s.type("waits", waits);
  s.add("a", "emits");
  s.add("b", "waits");
  s.add("alone", "emits");
  s.map("a.go", "b.go");
  s.composition.inputs.push_back({"push", "N", {0.0, 0.0, 0.0}, {}});
  s.composition.inputs.push_back({"gust", "m/s", {0.0}, {}});
  s.connect("ext.push", "plant.force");
  s.connect("ext.gust", "plant.wind");
  Stimulus gust;
  gust.at = Time{2s};
  gust.to = Sketch::end("ext.gust");
  gust.value = {{4.0}};
  s.composition.stimuli = {gust};
  const Plan p = s.plan();
  std::map<std::uint32_t, std::string> clusters;
  for (const Part& part : p.parts) clusters[part.cluster] += part.name + " ";
  std::vector<std::string> list;
  for (const auto& [number, names] : clusters) list.push_back(names);
  // an input that no stimulus changes does not join clusters
  EXPECT_THAT(list, ElementsAre("plant control ext.gust ", "a b ", "alone ", "ext.push "));
}

TEST(Plan, AnIslandOfOneIsTheInstance) {
  Loop s("craft", "own");
  const Plan p = s.plan();
  EXPECT_EQ(p.parts[0].name, "plant");
}

TEST(Plan, OrdersTheControllerAfterThePlant) {
  Sketch s;
  s.type("plant", plant());
  s.type("controller", controller());
  s.add("control", "controller", "own");
  s.add("plant", "plant", "own");
  s.connect("plant.position", "control.position");
  s.connect("control.force", "plant.force");
  const Plan p = s.plan();
  ASSERT_EQ(p.order.size(), 2u);
  EXPECT_EQ(p.order[0].part, 1u);
  EXPECT_LT(p.order[0].level, p.order[1].level);
}

TEST(Plan, ADelayedConnectionOfAnIslandGoesAround) {
  Loop s("craft", "craft");
  s.composition.connections[1].delay_ticks = 1;
  const Plan p = s.plan();
  ASSERT_EQ(p.wires.size(), 1u);
  EXPECT_EQ(p.wires[0].delay, 100ms);
  EXPECT_THAT(wires(p), ElementsAre("control.force -> plant.force"));
}

TEST(Plan, AnInputMayBeFedFromInsideAndOutsideOfItsIsland) {
  Loop s("craft", "craft");
  s.composition.inputs.push_back({"push", "N", {1.0, 2.0, 3.0}, {}});
  s.connect("ext.push", "plant.force");
  const Plan p = s.plan();
  EXPECT_THAT(wires(p), ElementsAre("ext.push -> plant.force"));
  EXPECT_EQ(p.parts[1].name, "ext.push");
}

TEST(Plan, RefusesWhatDoesNotFit) {
  Loop s("", "");
  s.connect("plant.position", "plant.wind", 52);
  s.connect("plant.pose[0:3]", "control.position", 53);
  s.connect("plant.position[1:3]", "control.position", 54);
  EXPECT_THAT(
      s.complaints(),
      ElementsAre(
          "V2121 plant.position (3 × m) cannot feed plant.wind (1 × m/s) | m is a length, a "
          "velocity (m/s) was expected | 3 elements are given, 1 expected",
          "V2121 plant.pose[0:3] (3 × 1) cannot feed control.position (3 × m) | it has no unit, a "
          "length (m) was expected | did you mean plant.position (3 × m)?",
          "V2121 plant.position[1:3] (2 × m) cannot feed control.position (3 × m) | 2 elements are "
          "given, 3 expected | did you mean plant.position (3 × m)?"));
}

TEST(Plan, SuggestsTheNearestName) {
  Loop s("", "");
  s.connect("plant.positoin", "control.position");
  s.connect("plnat.position", "control.position");
  s.connect("control.force", "plant.position");
  s.connect("plant.force", "plant.force");
  s.connect("plant.position[2:5]", "control.position");
  s.add("third", "plnt");
  EXPECT_THAT(s.complaints(),
              ElementsAre("V2101 there is no type \"plnt\" | did you mean plant?",
                          "V2112 plant has no output \"positoin\" | did you mean plant.position?",
                          "V2007 there is no instance \"plnat\" | did you mean plant?",
                          "V2113 plant.position is an output: nothing can be connected to it",
                          "V2113 plant.force is an input: nothing can be taken from it",
                          "V2114 \"plant.position[2:5]\" asks for elements that are not there | "
                          "plant.position is 3 × "
                          "m: its elements are 0 to 2"));
}

TEST(Plan, OneMistakeIsReportedOnce) {
  Loop s("", "");
  s.composition.instances[0].type = "plent";
  EXPECT_THAT(s.complaints(),
              ElementsAre("V2101 there is no type \"plent\" | did you mean plant?"));
  Loop t("", "");
  t.composition.connections[0].from = Sketch::end("plant.pose");
  EXPECT_THAT(t.complaints(), ElementsAre(HasSubstr("V2121")));
}

TEST(Plan, RefusesAnInputWithoutAnyValue) {
  Loop s("", "");
  s.composition.connections.pop_back();
  EXPECT_THAT(
      s.complaints(),
      ElementsAre("V2104 input plant.force (3 × N) has no default and is connected to nothing | "
                  "would fit: control.force"));
  Loop t("craft", "craft");
  t.composition.connections[1].from = Sketch::end("control.force[0:2]");
  t.composition.connections[1].to = Sketch::end("plant.force[1:3]");
  EXPECT_THAT(t.complaints(),
              ElementsAre("V2104 element 0 of input plant.force has no default and is connected to "
                          "nothing"));
}

TEST(Plan, WarnsOfAForgottenConnectionOnly) {
  Loop s("", "");
  EXPECT_TRUE(s.complaints().empty());  // plant.wind: nothing here gives a wind
  hybrid::SystemSpec weather;
  weather.outputs = {signal("wind", "m/s")};
  s.type("weather", weather);
  s.add("weather", "weather");
  EXPECT_THAT(
      s.complaints(),
      ElementsAre("V2105 input plant.wind is connected to nothing and stays at its default 0 "
                  "m/s | would fit: weather.wind"));
  EXPECT_EQ(s.problems.errors(), 0u);

  // a gust that is used elsewhere indicates nothing
  Loop t("", "");
  hybrid::SystemSpec gusts;
  gusts.outputs = {signal("gust", "m/s")};
  t.type("gusts", gusts);
  t.add("gusts", "gusts");
  EXPECT_EQ(t.complaints().size(), 1u);
  t.add("second", "plant");
  t.connect("control.force", "second.force");
  t.connect("gusts.gust", "second.wind");
  t.problems = {};
  EXPECT_TRUE(t.complaints().empty());
}

TEST(Plan, RefusesAnAlgebraicLoopInAndOutOfIslands) {
  for (const char* island : {"", "one"}) {
    Sketch s;
    s.type("controller", controller());
    hybrid::SystemSpec sensor = controller();
    sensor.inputs = {signal("force", "N", 3)};
    sensor.outputs = {signal("position", "m", 3)};
    s.type("sensor", sensor);
    s.add("control", "controller", island);
    s.add("sensor", "sensor", island);
    s.connect("sensor.position", "control.position", 33);
    s.connect("control.force", "sensor.force", 36);
    s.complaints();
    ASSERT_EQ(s.problems.list().size(), 1u);
    const Diagnostic& d = s.problems.list()[0];
    EXPECT_EQ(d.code, "V2110");
    EXPECT_THAT(d.body,
                ::testing::UnorderedElementsAre("sensor.position  → control.position   (line 33)",
                                                "control.force    → sensor.force       (line 36)"));
    s.composition.connections[1].delay_ticks = 1;
    s.problems = {};
    EXPECT_TRUE(s.complaints().empty());
  }
}

TEST(Plan, ConnectsEventsByLabelUnlessMapped) {
  hybrid::SystemSpec emits, waits;
  emits.events = {{"on", false, true}};
  waits.events = {{"on", true, false}, {"off", true, false}};
  Sketch s;
  s.type("emits", emits);
  s.type("waits", waits);
  s.add("a", "emits");
  s.add("b", "emits");
  s.add("c", "waits");
  EXPECT_THAT(wires(s.plan()), ElementsAre("a.on -> c.on", "b.on -> c.on"));
  s.map("a.on", "c.off");
  EXPECT_THAT(wires(s.plan()), ElementsAre("a.on -> c.off", "b.on -> c.on"));
}

TEST(Plan, EventsOfAnIslandKeepTheirPaths) {
  hybrid::SystemSpec emits, waits;
  emits.events = {{"on", false, true}};
  waits.events = {{"on", true, false}};
  Sketch s;
  s.type("emits", emits);
  s.type("waits", waits);
  s.add("a", "emits", "one");
  s.add("b", "waits", "one");
  s.add("c", "waits");
  Stimulus command;
  command.at = Time{1s};
  command.to = Sketch::end("on");
  s.composition.stimuli.push_back(command);
  const Plan p = s.plan();
  EXPECT_THAT(wires(p), ElementsAre("a.on -> c.on", "ext.on -> b.on", "ext.on -> c.on"));

  command.to = Sketch::end("onn");
  s.composition.stimuli.push_back(command);
  EXPECT_THAT(s.complaints(),
              ElementsAre("V2115 nothing waits for the event \"onn\" | did you mean on?"));
}

TEST(Plan, AnyMapIsPossibleInsideAnIsland) {
  hybrid::SystemSpec emits, waits;
  emits.events = {{"go", false, true}, {"on", false, true}};
  waits.events = {{"on", true, false}, {"off", true, false}};
  Sketch s;
  s.type("emits", emits);
  s.type("waits", waits);
  s.add("a", "emits", "one");
  s.add("b", "waits", "one");
  // one emitter reaches both events, the other only one of them
  s.map("a.go", "b.off");
  s.map("a.go", "b.on");
  s.map("a.on", "b.on");
  const Plan p = s.plan();
  EXPECT_TRUE(s.problems.list().empty());
  const Description& d = p.parts[0].component->description();
  std::vector<std::string> ports;
  for (const Port& o : d.outputs) ports.push_back(path(p.parts[0], o));
  for (const Port& i : d.inputs) ports.push_back(path(p.parts[0], i));
  EXPECT_THAT(ports, ElementsAre("a.go", "a.on", "b.on", "b.off"));
}

TEST(Plan, StimuliBelongToTheOutside) {
  Loop s("", "");
  Stimulus gust;
  gust.at = Time{2s};
  gust.to = Sketch::end("plant.wind");
  gust.value = {{4.0}};
  s.composition.stimuli = {gust};
  const Plan p = s.plan();
  EXPECT_EQ(wires(p).back(), "ext.plant.wind -> plant.wind");
  gust.to = Sketch::end("plant.force[1]");
  s.composition.stimuli = {gust};
  EXPECT_THAT(
      s.complaints(),
      ElementsAre("V2126 plant.force[1] is connected: a stimulus cannot set it | add an input "
                  "to the composition, and connect it there as well"));
}

TEST(Plan, SaysWhatIsObservedInVain) {
  Loop s("", "");
  s.composition.records.push_back({"plant.*", {}, {}});
  s.composition.records.push_back({"plant.positio", {}, {}});
  s.composition.reports.push_back({"far", Sketch::end("plant.positn"), Report::Kind::last, ""});
  EXPECT_THAT(
      s.complaints(),
      ElementsAre("V2112 plant has no port \"positn\" | did you mean plant.position?",
                  "V2128 \"plant.positio\" matches nothing, so nothing is recorded for it | did "
                  "you mean plant.position?"));
}

TEST(Plan, RefusesDelaysAndRatesOutOfRange) {
  Loop s("", "");
  s.composition.connections[0].delay = 1000h * 1000;
  s.composition.instances[0].rate = {2'000'000'000, 7};
  EXPECT_THAT(s.complaints(), ElementsAre(HasSubstr("V2116"), HasSubstr("V2117")));
}

TEST(Plan, RefusesAnIslandThatIsDividedBetweenNodes) {
  Loop joined("", ""), named("craft", "craft"), own("own", "own"), delayed("", ""), half("", "");
  for (Loop* s : {&joined, &named, &own, &delayed, &half}) {
    s->composition.instances[0].node = "left";
    s->composition.instances[1].node = s == &half ? "" : "right";
  }
  for (Connection& c : delayed.composition.connections) c.delay_ticks = 1;
  const std::string divided =
      "V2119 plant and control are integrated together, but are on different nodes: left and right "
      "| an island runs on one node: give both the same one | or ";
  EXPECT_THAT(joined.complaints(),
              ElementsAre(divided + "integrate them separately: add island=\"own\" to one of them, "
                                    "or a delay, such as delay=\"1 tick\", to what connects them"));
  EXPECT_THAT(named.complaints(),
              ElementsAre(divided + "take one of them out of the island \"craft\""));
  // what runs by itself may be anywhere, and its values arrive at the same instant
  EXPECT_EQ(own.plan().parts.size(), 2u);
  EXPECT_EQ(delayed.plan().parts.size(), 2u);
  // one without a node goes with the others
  EXPECT_EQ(half.plan().parts.size(), 1u);
}

TEST(Plan, GivesAnIslandTheMostReplicasOfItsMembers) {
  Loop joined("", ""), own("own", "own");
  for (Loop* s : {&joined, &own}) s->composition.instances[1].replicas = 3;
  EXPECT_EQ(joined.plan().parts[0].replicas, 3u);
  EXPECT_EQ(own.plan().parts[0].replicas + own.plan().parts[1].replicas, 4u);
}

TEST(Plan, ChecksAThousandInstances) {
  Sketch s;
  hybrid::SystemSpec spec = controller();
  spec.feedthrough.clear();
  spec.inputs = {signal("force", "N", 3)};
  s.type("cell", spec);
  for (int i = 0; i < 1000; ++i) s.add("c" + std::to_string(i), "cell", i % 2 ? "own" : "all");
  for (int i = 0; i < 1000; ++i)
    s.connect("c" + std::to_string(i) + ".force", "c" + std::to_string((i + 2) % 1000) + ".force");
  const Plan p = s.plan();
  EXPECT_EQ(p.parts.size(), 501u);
}

TEST(External, ActsAtItsTimesAndConforms) {
  Port u, e;
  u.name = "u";
  u.count = 2;
  u.initial = {{0.5, 0.25}};
  e.name = "go";
  e.flow = Flow::event;
  e.scalar = Scalar::integer;
  detail::External ext({u, e}, {{Time{2s}, 0, 1, {7.0}}, {Time{1s}, 1, 0, {}}});
  testing::Rig rig(ext);
  EXPECT_EQ(ext.horizon(Time{}), Time{1s});
  rig.run(500ms, 1s);
  EXPECT_EQ(rig.emitted("go"), 1);
  EXPECT_EQ(rig.out("u", 1), 0.25);
  rig.run(500ms, 1s);
  EXPECT_EQ(rig.out("u", 0), 0.5);
  EXPECT_EQ(rig.out("u", 1), 7.0);
  EXPECT_EQ(ext.horizon(Time{2s}), Time::max());

  detail::External again({u, e}, {{Time{2s}, 0, 1, {7.0}}, {Time{1s}, 1, 0, {}}});
  testing::expect_conforming(again, 30ms, [](testing::Rig&, int) {});
}

}  // namespace
}  // namespace vernier::composition
