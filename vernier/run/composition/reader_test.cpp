#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::composition {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path formats = VERNIER_SOURCE_DIR "/formats/interconnection";

/// A directory for the documents of one test.
class Reading : public ::testing::Test {
 protected:
  Reading() { write("part.xml", "<hybridsystem name='Part'/>"); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  Composition read(const std::string& inside) const {
    const auto file =
        write("top.xml", "<interconnection name='top'>" + inside + "</interconnection>");
    Diagnostics warnings;
    return read_composition(file, catalogue_, warnings);
  }
  /// The codes of all problems, in order.
  std::vector<std::string> codes(const std::string& inside) const {
    std::vector<std::string> list;
    try {
      read(inside);
    } catch (const ConfigurationError& e) {
      for (const Diagnostic& d : e.diagnostics().list()) list.push_back(d.code);
    }
    return list;
  }

  TemporaryFolder folder_;
  const Catalogue catalogue_ = [] {
    Catalogue c;
    const auto unread = [](std::string, const std::filesystem::path&, Diagnostics&) {
      return Type{};
    };
    c.add(DocumentKind{"hybridsystem", "equations", InstanceKind::system, unread});
    c.add(DocumentKind{"mechanism", "bodies", InstanceKind::component, unread});
    c.add(DocumentKind{"ioconnector", "the outside", InstanceKind::connector, unread});
    return c;
  }();
};

std::string text(const Connection& c) {
  std::ostringstream out;
  out << c.from.text << " -> " << c.to.text << " * " << c.gain;
  if (c.delay_ticks) out << " after " << c.delay_ticks << " ticks";
  if (c.delay.count()) out << " after " << c.delay.count() << " ns";
  return out.str();
}

std::vector<std::string> texts(const std::vector<Connection>& list) {
  std::vector<std::string> out;
  for (const Connection& c : list) out.push_back(text(c));
  return out;
}

TEST(Formats, TheGoodExampleIsReadCompletely) {
  Diagnostics warnings;
  const Composition c = read_composition(formats / "good/feedback.xml", {}, warnings);
  EXPECT_EQ(warnings.list().size(), 0u);
  EXPECT_EQ(c.name, "feedback");
  EXPECT_EQ(c.description,
            "A plant, a relay around it and a counter; every switching time has a closed form.");
  ASSERT_EQ(c.instances.size(), 3u);
  EXPECT_EQ(c.instances[1].name, "relay");
  EXPECT_EQ(c.instances[1].file.filename(), "relay.xml");
  EXPECT_EQ(c.instances[1].island, "loop");
  ASSERT_EQ(c.islands.size(), 1u);
  EXPECT_EQ(c.islands[0].settings.rtol, 1e-10);
  EXPECT_EQ(c.documents.size(), 4u);
  EXPECT_EQ(c.documents[0], formats / "good/feedback.xml");
  EXPECT_THAT(
      texts(c.connections),
      ElementsAre("relay.y -> plant.u * 1", "ext.offset -> plant.u * 1", "plant.y -> relay.u * 1"));
  ASSERT_EQ(c.inputs.size(), 1u);
  EXPECT_THAT(c.inputs[0].value, ElementsAre(0.25));
  EXPECT_EQ(c.run.stop, 20s);
  EXPECT_EQ(c.run.step, 100ms);
  ASSERT_EQ(c.records.size(), 3u);
  EXPECT_EQ(c.records[2].signals, "counter.count");
  EXPECT_EQ(c.records[2].rate, (Rate{10, 1}));
  ASSERT_EQ(c.reports.size(), 2u);
  EXPECT_EQ(c.reports[1].kind, Report::Kind::maximum);
  EXPECT_EQ(c.reports[1].signal.instance, "plant");  // through the export
  ASSERT_EQ(c.checks.size(), 2u);
  EXPECT_EQ(c.checks[0].kind, Check::Kind::below);
  EXPECT_EQ(c.checks[1].from, Time(16s));
  ASSERT_EQ(c.figures.size(), 1u);
  EXPECT_EQ(c.figures[0].curves[1].signal.text, "relay.y");
}

TEST(Formats, NestedCompositionsAreFlattened) {
  Diagnostics warnings;
  const Composition c = read_composition(formats / "good/two-loops.xml", {}, warnings);
  std::vector<std::string> names;
  for (const Instance& i : c.instances) names.push_back(i.name);
  EXPECT_THAT(names, ElementsAre("sum", "first.plant", "first.relay", "first.counter",
                                 "second.plant", "second.relay", "second.counter"));
  EXPECT_THAT(
      texts(c.connections),
      ElementsAre("first.relay.y -> first.plant.u * 1", "first.plant.y -> first.relay.u * 1",
                  "second.relay.y -> second.plant.u * 1", "second.plant.y -> second.relay.u * 1",
                  "first.y -> sum.u * 0.5", "second.y -> sum.u * 0.5",
                  "ext.first.offset -> first.plant.u * 1",
                  "first.y -> second.plant.u * 0.1 after 1 ticks"));
  EXPECT_EQ(c.connections[4].from.instance, "first.plant");
  EXPECT_EQ(c.connections[4].from.port, "y");
  ASSERT_EQ(c.inputs.size(), 1u);
  EXPECT_EQ(c.inputs[0].name, "first.offset");
  EXPECT_EQ(c.instances[5].parameters.at("high").text, "3.5");
  ASSERT_EQ(c.islands.size(), 2u);
  EXPECT_EQ(c.islands[1].name, "second.loop");
  EXPECT_EQ(c.instances[4].island, "second.loop");
  EXPECT_EQ(c.reports[1].signal.instance, "first.counter");
  EXPECT_TRUE(c.checks.empty());  // those of nested compositions apply only to them
}

/// Every bad example produces exactly the text stored with it.
TEST(Formats, TheBadExamplesAnswerWithTheirMessages) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(formats / "bad");
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    if (entry.path().extension() != ".xml") continue;
    ++count;
    const std::filesystem::path file = entry.path().filename();
    std::string said = "nothing\n";
    try {
      Diagnostics warnings;
      read_composition(file, {}, warnings);
    } catch (const ConfigurationError& e) {
      said = rendered(e.diagnostics());
    }
    std::filesystem::path beside = file;
    beside.replace_extension(".txt");
    if (std::getenv("VERNIER_WRITE_EXPECTED")) std::ofstream(beside) << said;
    EXPECT_EQ(said, testing::content(beside)) << file;
  }
  std::filesystem::current_path(before);
  EXPECT_GE(count, 15);
}

TEST_F(Reading, ALoneModelIsACompositionOfOne) {
  Diagnostics warnings;
  const Composition c =
      read_composition(write("my model.xml", "<hybridsystem name='M'/>"), catalogue_, warnings);
  ASSERT_EQ(c.instances.size(), 1u);
  EXPECT_EQ(c.instances[0].name, "my_model");
  EXPECT_EQ(c.instances[0].kind, Instance::Kind::system);
  EXPECT_EQ(c.run.stop, 10s);
  ASSERT_EQ(c.records.size(), 1u);
  EXPECT_EQ(c.records[0].signals, "*");
}

TEST_F(Reading, TheCatalogueSaysWhatALoneDocumentIs) {
  Diagnostics warnings;
  const auto kind = [&](const std::string& root) {
    const auto file = write("one.xml", "<" + root + " name='M'/>");
    return read_composition(file, catalogue_, warnings).instances.at(0).kind;
  };
  EXPECT_EQ(kind("hybridsystem"), InstanceKind::system);
  EXPECT_EQ(kind("mechanism"), InstanceKind::component);
  EXPECT_EQ(kind("ioconnector"), InstanceKind::connector);
}

TEST_F(Reading, AMisspeltRootIsNotTakenForAModel) {
  const auto said = [&](const std::string& root) {
    Diagnostics warnings;
    try {
      read_composition(write("a.xml", "<" + root + " name='a'/>"), catalogue_, warnings);
    } catch (const ConfigurationError& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(said("interconection"), HasSubstr("V1204"));
  EXPECT_THAT(said("interconection"), HasSubstr("did you mean <interconnection>?"));
  EXPECT_THAT(said("mechansim"), HasSubstr("V2102"));
  EXPECT_THAT(said("mechansim"), HasSubstr("did you mean <mechanism>?"));
  EXPECT_THAT(said("notes"), HasSubstr("= <ioconnector>: the outside"));
}

TEST_F(Reading, SlicesOfNestedInputsAndExportsMeetElementByElement) {
  write("inner.xml", R"(<interconnection name='inner'>
    <input name='u' value='1 2 3 4'/>
    <system id='a' file='part.xml'/>
    <system id='b' file='part.xml'/>
    <connect from='ext.u[0:2]' to='a.p'/>
    <connect from='ext.u[1:4]' to='b.p[2:5]' gain='3'/>
    <export name='y' from='a.q[4:8]'/>
  </interconnection>)");
  const Composition c = read(R"(
    <composition id='in' file='inner.xml'/>
    <system id='s' file='part.xml'/>
    <connect from='s.v' to='in.u[0:3]' gain='2' delay='5 ms'/>
    <connect from='in.y[1]' to='s.w'/>)");
  // u[0:3] comes from s.v, u[3] keeps its value
  EXPECT_THAT(
      texts(c.connections),
      ElementsAre("in.y[1] -> s.w * 1", "s.v[0:2] -> in.a.p * 2 after 5000000 ns",
                  "s.v[1:3] -> in.b.p[2:4] * 6 after 5000000 ns", "ext.in.u[3] -> in.b.p[4] * 3"));
  EXPECT_EQ(c.connections[0].from.instance, "in.a");
  EXPECT_EQ(c.connections[0].from.first, 5u);
  EXPECT_EQ(c.connections[0].from.last, 6u);
}

TEST_F(Reading, NestingGoesThroughSeveralLevels) {
  write("one.xml", R"(<interconnection name='one'><input name='u'/><system id='a' file='part.xml'/>
    <connect from='ext.u' to='a.p' delay='1 tick'/><export name='y' from='a.q'/></interconnection>)");
  write("two.xml", R"(<interconnection name='two'><composition id='x' file='one.xml'/>
    <composition id='z' file='one.xml'/><connect from='x.y' to='z.u'/></interconnection>)");
  const Composition c = read(R"(<composition id='t' file='two.xml' node='rt-01'/>
    <connect from='t.z.y' to='t.x.u' delay='2 ticks'/><set path='t.x.a.k' value='7'/>)");
  EXPECT_THAT(texts(c.connections), ElementsAre("t.x.a.q -> t.z.a.p * 1 after 1 ticks",
                                                "t.z.y -> t.x.a.p * 1 after 3 ticks"));
  EXPECT_EQ(c.instances[0].parameters.at("k").text, "7");
  EXPECT_EQ(c.instances[0].node, "rt-01");
  EXPECT_TRUE(c.inputs.empty());
}

TEST_F(Reading, ReplicasBelongToAnInstance) {
  const Composition c =
      read(R"(<system id='a' file='part.xml' replicas='2'/><system id='b' file='part.xml'/>)");
  EXPECT_EQ(c.instances[0].replicas, 2u);
  EXPECT_EQ(c.instances[1].replicas, 1u);
}

TEST_F(Reading, TheLongestInstanceNameWins) {
  write("bus.xml",
        "<interconnection name='bus'><system id='w' file='part.xml'/></interconnection>");
  const Composition c =
      read(R"(<composition id='bus' file='bus.xml'/><system id='s' file='part.xml'/>
    <connect from='bus.w.speed[1]' to='s.u'/>)");
  EXPECT_EQ(c.connections[0].from.instance, "bus.w");
  EXPECT_EQ(c.connections[0].from.port, "speed");
}

TEST_F(Reading, FilesAreFoundBesideTheDocumentThatNamesThem) {
  std::filesystem::create_directories(folder_ / "sub");
  write("sub/deep.xml", "<hybridsystem name='D'/>");
  write("sub/bus.xml", R"(<interconnection name='bus'><system id='d' file='deep.xml'>
      <parameter name='table'>a.csv</parameter></system></interconnection>)");
  const Composition c = read("<composition id='b' file='sub/bus.xml'/>");
  EXPECT_EQ(c.instances[0].file, folder_ / "sub/deep.xml");
  EXPECT_EQ(c.instances[0].parameters.at("table").place.file, (folder_ / "sub/bus.xml").string());
}

TEST_F(Reading, StimuliAreEventsOrValuesInSI) {
  const Composition c = read(R"(<input name='rate' unit='deg/s'/><system id='s' file='part.xml'/>
    <stimulus at='252 s' event='telecommand'/><stimulus at='1 min' event='s.go'/>
    <stimulus at='2' input='rate' value='180'/><stimulus at='3' input='s.u' value='1 2 km'/>)");
  ASSERT_EQ(c.stimuli.size(), 4u);
  EXPECT_EQ(c.stimuli[0].at, Time(252s));
  EXPECT_EQ(c.stimuli[0].to.instance, "");
  EXPECT_EQ(c.stimuli[0].to.port, "telecommand");
  EXPECT_FALSE(c.stimuli[0].value);
  EXPECT_EQ(c.stimuli[1].to.instance, "s");
  EXPECT_NEAR(c.stimuli[2].value->front(), 3.14159265358979, 1e-14);
  EXPECT_EQ(c.stimuli[2].to.instance, "ext");
  EXPECT_THAT(*c.stimuli[3].value, ElementsAre(1000.0, 2000.0));
}

TEST_F(Reading, IslandsTakeFromTheRunWhatTheyDoNotSay) {
  write("bus.xml",
        "<interconnection name='bus'><island id='i'/><run rtol='1e-3' stop='1 "
        "s'/></interconnection>");
  const Composition c = read(
      "<island id='a' atol='1e-7'/><composition id='b' file='bus.xml'/><run rtol='1e-5' "
      "integrator='rk4'/>");
  ASSERT_EQ(c.islands.size(), 2u);
  EXPECT_EQ(c.islands[0].settings.rtol, 1e-5);
  EXPECT_EQ(c.islands[0].settings.atol, 1e-7);
  EXPECT_EQ(c.islands[1].settings.rtol, 1e-5);
  EXPECT_EQ(c.islands[1].settings.integrator, "rk4");
}

TEST_F(Reading, AllProblemsAreReportedAtOnce) {
  EXPECT_THAT(codes("<system id='a'/><system id='b' file='none.xml'/><connect from='c.x' "
                    "to='a'/><run step='0'/>"),
              ElementsAre("V2003", "V2004", "V2007", "V2006", "V2013"));
}

TEST_F(Reading, ADocumentThatMultipliesItselfIsRefused) {
  // 12 levels, each nesting the next four times: 16 million instances
  std::string inside = "<system id='s' file='part.xml'/>";
  for (int level = 0; level < 12; ++level) {
    const std::string name = "level" + std::to_string(level) + ".xml";
    write(name, "<interconnection name='l'>" + inside + "</interconnection>");
    inside.clear();
    for (const char* id : {"a", "b", "c", "d"}) {
      inside += std::string("<composition id='") + id + "' file='" + name + "'/>";
    }
  }
  EXPECT_THAT(codes(inside), ::testing::Contains("V2018"));
}

class Setting : public Reading {};

TEST_F(Setting, ChangesParametersRunAndInputs) {
  Composition c = read(
      "<input name='u' unit='km' value='1 2'/><island id='i'/><island id='j' rtol='1e-4'/>"
      "<system id='s' file='part.xml'/>");
  set_value(c, "s.mass=4.1kg");
  set_value(c, "run.stop = 5 min");
  set_value(c, "run.seed=42");
  set_value(c, "run.arithmetic=fastest");
  EXPECT_THROW(set_value(c, "run.arithmetic=quick"), ConfigurationError);
  set_value(c, "run.rtol=1e-6");
  set_value(c, "ext.u=3 4");
  EXPECT_EQ(c.instances[0].parameters.at("mass").text, "4.1kg");
  EXPECT_EQ(c.run.stop, 300s);
  EXPECT_EQ(c.run.seed, 42u);
  EXPECT_EQ(c.run.arithmetic, Arithmetic::fastest);
  EXPECT_EQ(c.islands[0].settings.rtol, 1e-6);
  EXPECT_EQ(c.islands[1].settings.rtol, 1e-4);  // given explicitly
  EXPECT_THAT(c.inputs[0].value, ElementsAre(3000.0, 4000.0));
}

TEST_F(Setting, RefusesWhatIsNotThereAndSuggests) {
  Composition c = read("<system id='plant' file='part.xml'/>");
  const auto said = [&](const char* assignment) {
    try {
      set_value(c, assignment);
    } catch (const ConfigurationError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(said("plnt.mass=1"), HasSubstr("did you mean plant.mass?"));
  EXPECT_THAT(said("run.stp=1"), HasSubstr("did you mean run.stop?"));
  EXPECT_THAT(said("plant.mass"), HasSubstr("V2021"));
  EXPECT_THAT(said("run.stop=10 kg"), HasSubstr("V2005"));
  EXPECT_THAT(said("run.rtol=0"), HasSubstr("V2013"));
  EXPECT_THAT(said("=3"), HasSubstr("V2021"));
}

}  // namespace
}  // namespace vernier::composition
