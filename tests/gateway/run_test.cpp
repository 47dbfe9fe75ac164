// Whole runs with connectors, from documents, by the executive.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/component/pacer.hpp"
#include "vernier/gateway/connector/connector.hpp"
#include "vernier/gateway/lines/line_server.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/run/executive/executive.hpp"

extern char** environ;

namespace vernier {
namespace {

using namespace std::chrono_literals;

const std::filesystem::path examples = VERNIER_SOURCE_DIR "/examples";

Catalogue catalogue(connector::Notice notice = {}) {
  Catalogue c;
  automaton::add_to(c);
  connector::add_connectors(c, {.notice = std::move(notice)});
  c.set_island(island::make_island);
  return c;
}

composition::Composition read(const std::filesystem::path& path) {
  Diagnostics warnings;
  return composition::read_composition(path, {}, warnings);
}

composition::Instance& instance(composition::Composition& c, const std::string& name) {
  for (auto& i : c.instances) {
    if (i.name == name) return i;
  }
  throw std::out_of_range(name);
}

/// Everything that some ports show, at every instant of a run.
class Trace final : public executive::Observer {
 public:
  Trace(executive::Executive& e, const std::vector<std::string>& paths) : executive_(e) {
    for (const auto& p : paths) {
      const auto* view = e.find(p);
      EXPECT_NE(view, nullptr) << p;
      if (view) views_.push_back(view);
    }
    e.observe(*this, {});
  }
  ~Trace() override { executive_.remove(*this); }
  void sample(Instant at, bool last) noexcept override {
    if (!last) return;  // a peer shows what is after an event, not what was before
    values.push_back(static_cast<double>(at.time.time_since_epoch().count()));
    for (const auto* v : views_) {
      for (std::uint32_t i = 0; i < v->port->count; ++i) values.push_back(v->element(i));
    }
  }
  std::vector<double> values;

 private:
  executive::Executive& executive_;
  std::vector<const executive::PortView*> views_;
};

struct Ran {
  std::vector<double> trace;
  executive::Ending ending{};
  std::string fault;
  std::uint64_t early_returns = 0;
};

Ran run(const composition::Composition& c, const Catalogue& types,
        const std::vector<std::string>& paths, const std::function<void(Time)>& at_second = {}) {
  Diagnostics problems;
  composition::Plan plan = composition::make_plan(c, types, problems);
  std::vector<Pacer*> pacers;
  for (auto& part : plan.parts) {
    if (auto* source = dynamic_cast<PacerSource*>(part.component.get())) {
      for (Pacer* p : source->pacers()) pacers.push_back(p);
    }
  }
  const Time stop{plan.stop};
  executive::Executive e(std::move(plan), pacers);
  Ran ran;
  Trace trace(e, paths);
  e.initialize();
  for (Time t{}; t < stop && (t == Time{} || ran.ending == executive::Ending::reached);) {
    t = std::min(stop, t + 1s);
    ran.ending = e.run_until(t);
    if (at_second && ran.ending == executive::Ending::reached) at_second(t);
  }
  if (ran.ending == executive::Ending::failed) ran.fault = e.fault().code + " " + e.fault().message;
  ran.early_returns = e.statistics().early_returns;
  ran.trace = trace.values;
  return ran;
}

/// The system of an instance behind the line protocol, and the composition that reaches it there.
class Moved {
 public:
  Moved(composition::Composition& c, const std::string& name, const Catalogue& types) {
    composition::Instance& i = instance(c, name);
    Diagnostics problems;
    const Type type = automaton::read_type(i.file, problems);
    const Parameters parameters(name, type.parameters, i.parameters, 1, {}, problems);
    problems.throw_if_errors();
    component_ = types.island()(type.system(parameters), c.run.island);
    server_ = std::make_unique<lines::LineServer>(
        *component_, lines::ServerSettings{.name = name, .address = {"127.0.0.1", "0"}});
    const auto file = folder_ / (name + "_connector.xml");
    std::ofstream(file) << lines::connector_document(component_->description(), name,
                                                     server_->address());
    i.kind = composition::Instance::Kind::connector;
    i.file = file;
    i.parameters.clear();
    i.island.clear();
    thread_ = std::thread([this] { ending = server_->serve(); });
  }
  ~Moved() { finish(); }
  void finish() {
    if (thread_.joinable()) {
      server_->stop();
      thread_.join();
    }
  }
  lines::LineServer::Ending ending{};

 private:
  std::unique_ptr<Component> component_;
  std::unique_ptr<lines::LineServer> server_;
  TemporaryFolder folder_;
  std::thread thread_;
};

const std::vector<std::string> relay_ports{"plant.y1", "relay.y2", "counter.count"};

TEST(GatewayRun, AModelOnTheOtherSideOfTheLineGivesTheSameBits) {
  const Catalogue types = catalogue();
  auto c = read(examples / "relay/sampled.xml");
  const Ran here = run(c, types, relay_ports);
  ASSERT_EQ(here.ending, executive::Ending::reached) << here.fault;
  Moved plant(c, "plant", types);
  const Ran there = run(c, types, relay_ports);
  ASSERT_EQ(there.ending, executive::Ending::reached) << there.fault;
  EXPECT_EQ(there.early_returns, here.early_returns);
  EXPECT_TRUE(there.trace == here.trace);
}

TEST(GatewayRun, SoDoTwoOfThemWithEvents) {
  const Catalogue types = catalogue();
  auto c = read(examples / "relay/sampled.xml");
  const Ran here = run(c, types, relay_ports);
  Moved plant(c, "plant", types), relay(c, "relay", types);
  const Ran there = run(c, types, relay_ports);
  ASSERT_EQ(there.ending, executive::Ending::reached) << there.fault;
  EXPECT_EQ(there.early_returns, here.early_returns);
  EXPECT_TRUE(there.trace == here.trace);
  EXPECT_EQ(there.trace.back(), 3.0);  // switched on three times before 20 s
}

// a ball stops the step of everyone at each bounce: whoever has gone too far is brought back
TEST(GatewayRun, EarlyStopsAndRollBackCrossTheLine) {
  const TemporaryFolder folder;
  std::ofstream(folder / "follower.xml") << R"(<hybridsystem name="Follower" version="1">
  <inputs><input name="height" unit="m"/></inputs>
  <states><state name="x" unit="m"/></states>
  <outputs><output name="shown" unit="m"/></outputs>
  <location>
    <name>Follow</name>
    <diffequation state="x" unit="1">(height - x)/0.2</diffequation>
    <outputmap output="shown">x</outputmap>
  </location>
</hybridsystem>)";
  const auto file = folder / "bounce.xml";
  std::ofstream(file) << R"(<interconnection name="bounce" version="1">
  <system id="ball" file=")" VERNIER_SOURCE_DIR
                         R"(/formats/hybrid/good/bouncing_ball.xml" island="own"/>
  <system id="plant" file="follower.xml" island="own"/>
  <connect from="ball.height" to="plant.height"/>
  <run stop="3 s" step="50 ms"/>
</interconnection>)";
  const Catalogue types = catalogue();
  const std::vector<std::string> ports{"ball.height", "plant.shown"};
  const Ran here = run(read(file), types, ports);
  ASSERT_EQ(here.ending, executive::Ending::reached) << here.fault;
  EXPECT_GE(here.early_returns, 6u);  // reference values: 0.45, 1.17, 1.75 s, and on
  for (const std::vector<std::string>& which :
       {std::vector<std::string>{"ball"}, std::vector<std::string>{"plant"},
        std::vector<std::string>{"ball", "plant"}}) {
    auto c = read(file);
    std::vector<std::unique_ptr<Moved>> moved;
    for (const auto& name : which) moved.push_back(std::make_unique<Moved>(c, name, types));
    const Ran there = run(c, types, ports);
    ASSERT_EQ(there.ending, executive::Ending::reached) << there.fault;
    EXPECT_EQ(there.early_returns, here.early_returns);
    EXPECT_TRUE(there.trace == here.trace) << which.size() << " " << which.front();
  }
}

/// examples/lines/peer.py, ended with the test.
class Python {
 public:
  explicit Python(const std::string& address) {
    std::string words[] = {"python3", examples / "lines/peer.py", address};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    EXPECT_EQ(posix_spawnp(&pid_, "python3", nullptr, nullptr, arguments, environ), 0);
  }
  ~Python() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

/// Runs examples/lines/loop.xml at a free port, with the Python peer.
Ran run_tank(const std::function<void(Time, Python&)>& at_second = {}) {
  std::unique_ptr<Python> peer;
  const Catalogue types = catalogue([&](const std::string& told) {
    // waiting for "tank" at 127.0.0.1:40123 (200 s)
    const auto from = told.find("127.");
    peer = std::make_unique<Python>(told.substr(from, told.find(' ', from) - from));
  });
  auto c = read(examples / "lines/loop.xml");
  composition::set_value(c, "tank.listen=127.0.0.1:0");
  composition::set_value(c, "tank.patience=200s");
  composition::set_value(c, "tank.timeout=200s");
  return run(c, types, {"tank.level", "valve.flow"}, [&](Time t) {
    if (at_second) at_second(t, *peer);
  });
}

TEST(GatewayRun, APythonPeerIsKeptBetweenItsLimitsByAHybridSystem) {
  const Ran ran = run_tank();
  ASSERT_EQ(ran.ending, executive::Ending::reached) << ran.fault;
  double highest = 0.0, lowest_after = 9.0;
  for (std::size_t i = 0; i + 2 < ran.trace.size(); i += 3) {
    highest = std::max(highest, ran.trace[i + 1]);
    if (ran.trace[i] > 10e9) lowest_after = std::min(lowest_after, ran.trace[i + 1]);
  }
  // the valve sees the level every 100 ms; it moves by at most exp(-0.05) of its distance meanwhile
  EXPECT_GE(highest, 1.5);
  EXPECT_LE(highest, 1.5 + 0.5 * (1 - std::exp(-0.05)));
  EXPECT_LE(lowest_after, 1.0);
  EXPECT_GE(lowest_after, 1.0 * std::exp(-0.05));
}

TEST(GatewayRun, APeerKilledInTheRunEndsItWithAReasonAndKeepsWhatWasSeen) {
  const Ran ran = run_tank([](Time t, Python& peer) {
    if (t == Time{5s}) peer.kill();
  });
  EXPECT_EQ(ran.ending, executive::Ending::failed);
  EXPECT_EQ(ran.fault.substr(0, 5), "V5106") << ran.fault;
  EXPECT_GE(ran.trace.size(), 3u * 50u);
}

TEST(GatewayRun, ARecordingGoesThroughARunIntoAFile) {
  const TemporaryFolder folder;
  const auto file = folder / "replayed.csv";
  auto c = read(examples / "csv/replay.xml");
  composition::set_value(c, "log.file=" + file.string());
  const Ran ran = run(c, catalogue(), {"gyro.omega"});
  ASSERT_EQ(ran.ending, executive::Ending::reached) << ran.fault;
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  // to degrees, half way between rows, and twice a second; x/f*f is not always x in the last digit
  std::istringstream lines(text.str());
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "t,omega[0],omega[1],omega[2]");
  const double expected[7][4] = {{0, 0, 9, -4},  {0.5, 5, 9, -4},  {1, 10, 9, -4}, {1.5, 10, 8, -4},
                                 {2, 10, 7, -4}, {2.5, 10, 7, -4}, {3, 10, 7, -4}};
  for (const auto& row : expected) {
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream fields(line);
    for (const double x : row) {
      double y = -1.0;
      fields >> y;
      fields.ignore(1);
      EXPECT_NEAR(y, x, 1e-14) << line;
    }
  }
  EXPECT_FALSE(std::getline(lines, line));
}

}  // namespace
}  // namespace vernier
