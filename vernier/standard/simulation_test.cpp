#include "vernier/standard/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/session/session.hpp"
#include "vernier/standard/catalogue.hpp"

namespace vernier {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const fs::path source = VERNIER_SOURCE_DIR;

/// x'' = -100 x from x = 1: x = cos(10 t).
const fs::path oscillator = source / "examples/oscillator/oscillator.xml";
/// Wheels, jets, events, delays: all kinds of state.
const fs::path cubesat = source / "missions/aausat2/aausat2.xml";

std::uint64_t bits(double v) { return std::bit_cast<std::uint64_t>(v); }

/// A heater switched on by an input: T' = (u - T) / 10, T = u (1 - exp(-t/10)).
class Heater {
 public:
  Heater() {
    std::ofstream(file()) << R"(<?xml version="1.0"?>
<hybridsystem name="heater" version="1">
  <inputs><input name="u" default="0"/></inputs>
  <states><state name="T" initial="0"/></states>
  <outputs><output name="y"/><output name="sum"/></outputs>
  <location>
    <name>On</name>
    <diffequation state="T">(u-T)/10</diffequation>
    <outputmap output="y">T</outputmap>
    <outputmap output="sum">T+u</outputmap>
  </location>
</hybridsystem>
)";
  }
  fs::path file() const { return folder_.path() / "heater.xml"; }
  fs::path runs() const { return folder_.path() / "runs"; }

 private:
  TemporaryFolder folder_;
};

TEST(Simulation, FollowsTheClosedFormOfAnOscillator) {
  Simulation s(oscillator);
  EXPECT_EQ(s.time(), 0.0);
  for (const double t : {0.5, 1.0, 2.0}) {
    s.run_until(t);
    EXPECT_EQ(s.time(), t);
    EXPECT_NEAR(s.read("mass.position")[0], std::cos(10.0 * t), 1e-5);
  }
}

TEST(Simulation, CutIntoPiecesGivesTheBitsOfTheWhole) {
  Simulation whole(cubesat, {.until = 60.0}), pieces(cubesat, {.until = 60.0});
  whole.run_until(60.0);
  pieces.step();
  EXPECT_GT(pieces.time(), 0.0);
  pieces.step(7);
  pieces.run_until(17.3);
  while (!pieces.ended()) pieces.step();
  EXPECT_EQ(pieces.time(), 60.0);
  std::size_t compared = 0;
  for (const SignalInformation& i : whole.signals()) {
    const std::vector<double> a = whole.read(i.path), b = pieces.read(i.path);
    ASSERT_EQ(a.size(), i.elements) << i.path;
    for (std::size_t k = 0; k < a.size(); ++k, ++compared)
      EXPECT_EQ(bits(a[k]), bits(b[k])) << i.path;
  }
  EXPECT_GT(compared, 50u);
}

TEST(Simulation, ContinuesFromASavedStateToTheBit) {
  Simulation s(cubesat), other(cubesat);
  s.run_until(20.0);
  const Simulation::State state = s.save();
  s.run_until(40.0);
  const std::vector<double> omega = s.read("body.omega");
  s.restore(state);
  EXPECT_EQ(s.time(), 20.0);
  s.run_until(40.0);
  EXPECT_EQ(s.read("body.omega"), omega);
  // another simulation of the same document accepts it too
  other.restore(state);
  other.run_until(40.0);
  EXPECT_EQ(other.read("body.omega"), omega);
  // and so does a run, from a file
  TemporaryFolder folder;
  const fs::path file = folder.path() / "t=20.vchk";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(state.data()),
             static_cast<std::streamsize>(state.size()));
  Simulation third(cubesat, {.from = file});
  EXPECT_TRUE(third.warnings().list().empty()) << rendered(third.warnings());
  EXPECT_EQ(third.time(), 20.0);
  third.run_until(40.0);
  EXPECT_EQ(third.read("body.omega"), omega);
}

TEST(Simulation, WritesReplaceWhatAnInputSeesUntilTheyAreReleased) {
  const Heater heater;
  Simulation s(heater.file());
  s.write("ext.u", 2.0);
  EXPECT_THAT(s.read("ext.u"), ElementsAre(2.0));
  s.run_until(5.0);
  EXPECT_NEAR(s.read("heater.y")[0], 2.0 * (1.0 - std::exp(-0.5)), 1e-5);
  const double reached = s.read("heater.y")[0];
  s.release("ext.u");
  s.run_until(10.0);
  EXPECT_NEAR(s.read("heater.y")[0], reached * std::exp(-0.5), 1e-5);
}

TEST(Simulation, WhatIsWrittenIsPartOfItsState) {
  const Heater heater;
  Simulation s(heater.file());
  const Simulation::State free = s.save();
  s.write("ext.u", 2.0);
  const Simulation::State held = s.save();
  s.restore(free);
  s.run_until(5.0);
  EXPECT_EQ(s.read("heater.y")[0], 0.0);
  s.restore(held);
  s.run_until(5.0);
  EXPECT_NEAR(s.read("heater.y")[0], 2.0 * (1.0 - std::exp(-0.5)), 1e-5);
}

TEST(Simulation, SetChangesParametersBeforeTheStart) {
  const Heater heater;
  Simulation s(heater.file(), {.set = {"ext.u = 3"}});
  s.run_until(1.0);
  EXPECT_NEAR(s.read("heater.y")[0], 3.0 * (1.0 - std::exp(-0.1)), 1e-5);
}

TEST(Simulation, SendsEvents) {
  // a wheel of Cassini that is commanded to lock rotates with its bus from then on
  Simulation s(source / "missions/cassini/cassini.xml", {.until = 3.0});
  s.run_until(1.0);
  s.send("plant.wheel1.lock");
  s.run_until(2.0);
  EXPECT_EQ(s.read("plant.wheel1.turn.mode")[0], 2.0);
}

TEST(Simulation, ObserversSeeTicksOfTheirRateAndChangeNothing) {
  Simulation watched(oscillator), alone(oscillator);
  std::vector<double> times, values;
  watched.observe(
      {"mass.position"},
      [&](double t, std::span<const double> v) {
        times.push_back(t);
        values.push_back(v[0]);
      },
      "8 Hz");
  watched.run_until(1.0);
  alone.run_until(1.0);
  ASSERT_EQ(times.size(), 8u);
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_EQ(times[k], 0.125 * static_cast<double>(k + 1));
    EXPECT_NEAR(values[k], std::cos(10.0 * times[k]), 1e-5);
  }
  EXPECT_EQ(bits(watched.read("mass.position")[0]), bits(alone.read("mass.position")[0]));
  // after restoring an earlier state they see it again
  const Simulation::State state = watched.save();
  watched.run_until(2.0);
  watched.restore(state);
  times.clear();
  watched.run_until(2.0);
  EXPECT_EQ(times.size(), 8u);
}

TEST(Simulation, WhatAnObserverThrowsEndsTheCallAndNotTheRun) {
  Simulation s(oscillator);
  int calls = 0;
  s.observe({"mass.position"}, [&](double, std::span<const double>) {
    if (++calls == 3) throw std::logic_error("enough");
  });
  EXPECT_THROW(s.run_until(1.0), std::logic_error);
  EXPECT_LT(s.time(), 1.0);
  s.run_until(1.0);
  EXPECT_EQ(s.time(), 1.0);
}

TEST(Simulation, StopsAtTheNextInstantAndContinues) {
  Simulation s(oscillator);
  s.observe({}, [&](double t, std::span<const double>) {
    if (t < 0.5) s.stop();
  });
  int calls = 0;
  for (; s.time() < 1.0; ++calls) s.run_until(1.0);
  EXPECT_GT(calls, 2);
  EXPECT_NEAR(s.read("mass.position")[0], std::cos(10.0), 1e-5);
}

TEST(Simulation, RunsToTheEndAndAnswersWhatTheDocumentAskedFor) {
  TemporaryFolder folder;
  Simulation s(oscillator, {.results = folder.path()});
  const SimulationSummary summary = s.run();
  EXPECT_EQ(summary.result, session::Result::finished);
  EXPECT_EQ(summary.reached, s.time());
  EXPECT_FALSE(summary.checks.empty());
  for (const CheckedValue& c : summary.checks) EXPECT_TRUE(c.kept) << c.name;
  EXPECT_TRUE(s.ended());
  const record::ResultReader results = s.results();
  const record::Signal* x = results.find("mass.position");
  ASSERT_NE(x, nullptr);
  const record::Series series = results.read(*x);
  ASSERT_EQ(series.time.size(), series.values.size());
  ASSERT_GT(series.time.size(), 10u);
  for (std::size_t k = 0; k < series.time.size(); ++k)
    EXPECT_NEAR(series.values[k], std::cos(10.0 * series.time[k]), 1e-4);
  EXPECT_EQ(series.values.back(), s.read("mass.position")[0]);
  EXPECT_THROW(s.step(), ConfigurationError);
}

TEST(Simulation, OfADocumentWithoutAnEndRunsForAsLongAsItIsAsked) {
  const Heater heater;
  const fs::path document = heater.file().parent_path() / "endless.xml";
  std::ofstream(document) << R"(<?xml version="1.0"?>
<interconnection name="endless" version="1">
  <input name="u" value="1"/>
  <system id="heater" file="heater.xml"/>
  <connect from="ext.u" to="heater.u"/>
</interconnection>
)";
  Simulation s(document);
  s.run_until(1000.0);
  EXPECT_EQ(s.time(), 1000.0);
  EXPECT_FALSE(s.ended());
  EXPECT_THROW(s.run(), ConfigurationError);
}

TEST(Simulation, SaysWhatIsWrongAndWhere) {
  const Heater heater;
  try {
    Simulation(heater.file(), {.set = {"heater.z = 1"}});
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().errors(), 1u);
  }
  const fs::path bad = source / "formats/hybrid/bad";
  std::size_t refused = 0;
  for (const auto& entry : fs::recursive_directory_iterator(bad)) {
    if (entry.path().extension() != ".xml") continue;
    try {
      Simulation(entry.path(), {.until = 1.0});
    } catch (const ConfigurationError& e) {
      const Diagnostic& first = e.diagnostics().list().front();
      EXPECT_FALSE(first.code.empty());
      refused += first.place.line > 0 && first.place.column > 0;
    }
  }
  EXPECT_GT(refused, 5u);
  Simulation s(heater.file());
  try {
    s.read("heater.yy");
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_THAT(e.what(), HasSubstr("heater.y"));
  }
  EXPECT_THROW(s.write("ext.u", {1.0, 2.0}), ConfigurationError);
  EXPECT_THROW(s.observe({"heater.y"}, {}, "often"), ConfigurationError);
  EXPECT_THROW(s.restore(Simulation::State(100)), ConfigurationError);
  EXPECT_THROW(s.results(), ConfigurationError);
  s.run_until(1.0);
  EXPECT_EQ(s.time(), 1.0);
}

TEST(Simulation, FailsWithTheComponentAndTheTimeAndCanBeRestored) {
  const Heater heater;
  Simulation s(heater.file());
  s.run_until(1.0);
  const Simulation::State good = s.save();
  s.write("ext.u", std::nan(""));
  try {
    s.run_until(2.0);
    FAIL();
  } catch (const SimulationFailure& e) {
    EXPECT_FALSE(e.diagnostic().code.empty());
    EXPECT_THAT(e.what(), HasSubstr("heater"));
  }
  EXPECT_THROW(s.save(), ConfigurationError);
  s.restore(good);
  s.run_until(2.0);
  EXPECT_EQ(s.time(), 2.0);
  EXPECT_EQ(s.read("heater.y")[0], 0.0);
}

TEST(Simulation, ListsItsSignalsWithUnits) {
  Simulation s(cubesat);
  bool found = false;
  for (const SignalInformation& i : s.signals()) {
    if (i.path != "body.omega" || !i.output) continue;
    found = true;
    EXPECT_EQ(i.unit, "rad/s");
    EXPECT_EQ(i.elements, 3u);
    EXPECT_FALSE(i.event);
  }
  EXPECT_TRUE(found);
}

TEST(Simulation, SeveralRunAtOnceInOneProcess) {
  TemporaryFolder folder;
  std::vector<std::vector<double>> omega(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < omega.size(); ++k)
      threads.emplace_back([&, k] {
        Simulation s(cubesat, {.until = 20.0, .results = folder.path() / std::to_string(k % 2)});
        s.run();
        omega[k] = s.read("body.omega");
      });
  }
  Simulation alone(cubesat);
  alone.run_until(20.0);
  for (const auto& o : omega) EXPECT_EQ(o, alone.read("body.omega"));
}

TEST(Simulation, IsRepeatedFromItsFolderToTheBit) {
  const Heater heater;
  Simulation s(heater.file(), {.until = 4.0, .results = heater.runs()});
  s.write("ext.u", 1.0);  // before time passes
  s.run_until(1.0);
  s.write("ext.u", 2.0);
  s.run_until(2.0);
  s.release("ext.u");
  s.run();
  session::Again again = session::repeated(s.results().file().parent_path());
  again.options.runs = heater.runs();
  Diagnostics problems;
  session::Session second(
      session::prepare(again.document, again.options.changes, standard_catalogue(), problems),
      again.options, problems);
  second.run();
  const record::ResultReader first = s.results(), repeated(second.folder());
  for (const char* path : {"heater.y", "heater.sum"}) {
    const record::Series a = first.read(*first.find(path)), b = repeated.read(*repeated.find(path));
    EXPECT_EQ(a.time, b.time) << path;
    EXPECT_EQ(a.values, b.values) << path;
  }
}

TEST(Simulation, LoadsNativeCodeOnlyIfItIsTrusted) {
  const TemporaryFolder folder;
  const std::string build =
      "cc -std=c11 -fPIC -shared -I'" VERNIER_SOURCE_DIR "/vernier/gateway/plugin' -o '" +
      (folder / "lowpass.so").string() + "' '" VERNIER_SOURCE_DIR "/examples/plugin/lowpass.c' -lm";
  ASSERT_EQ(std::system(build.c_str()), 0);
  const fs::path document = folder / "lowpass.xml";
  fs::copy_file(source / "examples/plugin/lowpass.xml", document);
  try {
    Simulation(document, {.until = 1.0});
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list().front().code, "V7601");
  }
  Simulation s(document, {.set = {"ext.in = 1 2 3 V"}, .trust = {folder / "lowpass.so"}});
  s.run_until(5.0);
  EXPECT_NEAR(s.read("lowpass.filtered")[1], 2.0 * (1.0 - std::exp(-10.0)), 1e-4);
  // a catalogue that is made without permission reads the document and cannot run it
  Diagnostics problems;
  session::Prepared read = session::prepare(document, {}, standard_catalogue(), problems);
  ASSERT_EQ(problems.warnings(), 1u);
  EXPECT_EQ(problems.list().front().code, "V7603");
  EXPECT_THROW(session::Session(std::move(read), {.keep = false}, problems), ConfigurationError);
}

TEST(Simulation, WritesFilesOfTheDocumentWhereTheyMayBe) {
  const TemporaryFolder folder;
  const fs::path document = source / "examples/csv/replay.xml";
  Simulation s(document, {.results = folder / "runs"});
  const fs::path run = s.run().folder;
  EXPECT_TRUE(fs::exists(run / "outputs/rates.csv"));
  const std::string set = "log.file = " + (folder / "rates.csv").string();
  EXPECT_THROW(Simulation(document, {.set = {set}}), ConfigurationError);
  Simulation(document, {.set = {set}, .allow_write = {folder.path()}}).run();
  EXPECT_TRUE(fs::exists(folder / "rates.csv"));
}

TEST(Simulation, WhatIsRecordedCannotGoBack) {
  const Heater heater;
  Simulation s(heater.file(), {.results = heater.runs()});
  s.run_until(1.0);
  const Simulation::State state = s.save();
  EXPECT_THROW(s.restore(state), ConfigurationError);
  const SimulationSummary summary = s.finish();
  EXPECT_EQ(summary.reached, 1.0);
  EXPECT_TRUE(fs::exists(summary.folder / "manifest.json"));
}

}  // namespace
}  // namespace vernier
