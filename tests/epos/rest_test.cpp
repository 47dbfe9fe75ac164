// A facility is ended at any moment of a flight, in any way: it must come to rest softly. The
// executive, the robots of the EPOS mission and both sides of RSP, in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "vernier/base/random.hpp"
#include "vernier/component/port_name.hpp"
#include "vernier/component/rest.hpp"
#include "vernier/gateway/rsp/simulated.hpp"
#include "vernier/model/facility/reader.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/executive/test_parts.hpp"

namespace vernier {
namespace {

using namespace std::chrono_literals;
using executive::Ending;
using executive::Executive;
using executive::test::Bench;
using executive::test::One;
using executive::test::Small;
using rsp::ServerState;
using rsp::Trajectory;
using spatial::Vector3;

constexpr double dt = 0.004;
constexpr double degree = 3.14159265358979323846 / 180.0;
constexpr const char* bodies[] = {"servicer", "target"};

facility::Installation installation(bool at_home) {
  Diagnostics problems;
  const auto source = facility::read_source(
      std::string(VERNIER_SOURCE_DIR) + "/missions/epos/robots.xml", problems);
  const Parameters p("robots", source->parameters(), {}, 1, {}, problems);
  facility::Installation i = source->made(p);
  if (at_home)
    for (auto& robot : i.robots)
      for (auto& joint : robot.joints) joint.parked = joint.home;
  return i;
}

rsp::Limits limits() {
  rsp::Limits l;  // those of missions/epos/server.xml
  l.low = Vector3(-2, -24, -2);
  l.high = Vector3(2, 24, 2);
  l.speed = 1.0, l.acceleration = 0.6, l.jerk = 4.0;
  l.rate = 10 * degree, l.angular_acceleration = 20 * degree, l.angular_jerk = 200 * degree;
  return l;
}

/// `smooth`: the simulator sends accelerations, and the curves have continuous ones.
rsp::Experiment::Settings settings(std::uint64_t seed, bool smooth) {
  rsp::Experiment::Settings s;
  s.server.period = link::period_of({250, 1});
  s.server.limits = {limits(), limits()};
  s.server.curve = smooth ? rsp::Curve::quintic : rsp::Curve::kim;
  s.client.period = link::period_of({10, 1});
  s.client.bodies = 2;
  s.client.accelerations = smooth;
  s.client.initial = 4s;
  s.seed = seed;
  Random random(seed);
  const double along = 0.3 + 0.5 * random.uniform(), w = 0.4 + 0.3 * random.uniform(),
               across = 0.2 * random.uniform(), turn = 0.15 * random.uniform();
  s.motion = [=](double t, std::span<Trajectory> to) {
    to[0].p = Vector3(across * std::sin(w * t), -9.6 - along * (1.0 - std::cos(w * t)), 0.0);
    to[0].v = Vector3(across * w * std::cos(w * t), -along * w * std::sin(w * t), 0.0);
    to[0].a = Vector3(-across * w * w * std::sin(w * t), -along * w * w * std::cos(w * t), 0.0);
    for (std::size_t i = 0; i < 2; ++i) {
      to[i].q = spatial::exponential(Vector3(turn * std::sin(w * t), 0.0, 0.0));
      to[i].omega = Vector3(turn * w * std::cos(w * t), 0.0, 0.0);
      to[i].alpha = Vector3(-turn * w * w * std::sin(w * t), 0.0, 0.0);
    }
  };
  return s;
}

/// The facility's side of RSP, as rsp::ServerSide is it, with the simulator and the network between
/// them in virtual time; and what the motion that it commands must keep to.
class Simulator final : public Small<One>, public ComesToRest {
 public:
  Simulator(std::uint64_t seed, bool smooth)
      : experiment_(settings(seed, smooth)), smooth_(smooth) {
    using executive::test::real;
    for (const std::string name : bodies) {
      for (const bool measured : {true, false}) {
        auto& ports = measured ? description_.inputs : description_.outputs;
        const std::string n = (measured ? "measured." : "") + name;
        for (const char* what : {".position", ".velocity", ".rate"})
          ports.push_back(real(n + what, 3));
        ports.push_back(real(n + ".attitude", 4));
      }
    }
    Port ready{.name = "ready"}, fault{.name = "fault"};
    ready.scalar = fault.scalar = Scalar::boolean;
    description_.inputs.push_back(ready);
    description_.inputs.push_back(fault);
    description_.rate = {250, 1};
    experiment_.ready = false;
    experiment_.after_server = [this] { observe(); };
    experiment_.join();
    experiment_.run(0.5 * dt);  // from here on, one step of the server in each of ours
  }

  void bind(const Bindings& b) override {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto in = [&](const char* what) {
        return b.real_input(PortName{"measured.", bodies[i], what}).data();
      };
      const auto out = [&](const char* what) {
        return b.real_output(PortName{bodies[i], what}).data();
      };
      in_[i] = {in(".position"), in(".velocity"), in(".attitude"), in(".rate")};
      out_[i] = {out(".position"), out(".velocity"), out(".attitude"), out(".rate")};
    }
    ready_ = b.byte_input("ready");
    fault_ = b.byte_input("fault");
  }
  Outcome output(Instant) noexcept override {
    for (std::size_t i = 0; i < 2; ++i) {
      const Trajectory& t = server().commanded()[i];
      Vector3::Map(out_[i][0]) = t.p;
      Vector3::Map(out_[i][1]) = t.v;
      spatial::Quaternion::Map(out_[i][2]) = t.q;
      Vector3::Map(out_[i][3]) = t.omega;
    }
    return Outcome::ok;
  }
  Advance advance(Time, Time to) noexcept override {
    experiment_.ready = ready_[0] != 0;
    experiment_.fault = fault_[0] != 0;
    experiment_.run(dt);
    return {to};
  }

  bool at_rest() const noexcept override { return server().at_rest(); }
  void begin_rest(Duration) noexcept override { experiment_.server().close(); }
  void end_rest() noexcept override { experiment_.server().open(); }
  Duration longest_rest() const noexcept override {
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(server().longest_halt() + 8.0 * dt));
  }
  std::string motion() const override { return "the bodies"; }

  const rsp::FacilityServer& server() const noexcept {
    return const_cast<rsp::Experiment&>(experiment_).server();  // NOLINT(*const-cast)
  }
  rsp::Experiment& experiment() noexcept { return experiment_; }
  double speed() const noexcept {
    double most = 0.0;
    for (const Trajectory& t : server().commanded())
      most = std::max({most, t.v.norm(), t.omega.norm()});
    return most;
  }

  // shares of the limits, and m that a step is off its velocity
  double acceleration = 0.0, jerk = 0.0, jump = 0.0;

 private:
  void observe() {
    std::array<Trajectory, 2> measured;
    const rsp::Limits l = limits();
    for (std::size_t i = 0; i < 2; ++i) {
      const Trajectory& now = server().commanded()[i];
      const Trajectory& before = last_[i];
      if (follows_) {
        const auto more = [](double& most, double x) { most = std::max(most, x); };
        more(acceleration, (now.v - before.v).norm() / dt / l.acceleration);
        more(acceleration, (now.omega - before.omega).norm() / dt / l.angular_acceleration);
        if (smooth_) more(jerk, (now.a - before.a).norm() / dt / l.jerk);
        if (smooth_) more(jerk, (now.alpha - before.alpha).norm() / dt / l.angular_jerk);
        more(jump, (now.p - before.p - 0.5 * dt * (now.v + before.v)).norm());
      }
      last_[i] = now;
      if (!in_[i][0]) continue;
      measured[i].p = Vector3(in_[i][0]);
      measured[i].v = Vector3(in_[i][1]);
      measured[i].q = spatial::Quaternion(in_[i][2]);
      measured[i].omega = Vector3(in_[i][3]);
    }
    // what follows the measured state of robots on their way home is not a command
    follows_ = experiment_.ready;
    experiment_.server().observe({experiment_.ready, experiment_.fault, measured});
  }

  rsp::Experiment experiment_;
  bool smooth_, follows_ = false;
  std::array<Trajectory, 2> last_;
  std::array<std::array<const double*, 4>, 2> in_{};
  std::array<std::array<double*, 4>, 2> out_{};
  std::span<const std::uint8_t> ready_, fault_;
};

enum class Way { stop, until, freeze, output, react, advance, not_a_number, pacer };
constexpr int ways = 8;

/// Another component, which fails at a given time.
class Culprit final : public Small<One> {
 public:
  Culprit(Way way, Time when, Rate rate) : way_(way), when_(when) {
    description_.outputs = {executive::test::real("y")};
    description_.rate = rate;
    description_.abilities.reacts = true;
  }
  void bind(const Bindings& b) override { y_ = b.real_output("y"); }
  Outcome output(Instant at) noexcept override {
    const bool now = at.time >= when_;
    y_[0] = now && way_ == Way::not_a_number ? std::numeric_limits<double>::quiet_NaN() : 1.0;
    return now && way_ == Way::output ? Outcome::failed : Outcome::ok;
  }
  Outcome react(Instant at) noexcept override {
    return at.time >= when_ && way_ == Way::react ? Outcome::failed : Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    if (from >= when_ && way_ == Way::advance) return {from, Outcome::failed};
    return {to};
  }

 private:
  Way way_;
  Time when_;
  std::span<double> y_;
};

/// A recorder whose disk is full from a given time on.
class FullDisk final : public Pacer {
 public:
  explicit FullDisk(Time when) : when_(when) {}
  Outcome wait_for(Time t) noexcept override { return t >= when_ ? Outcome::failed : Outcome::ok; }

 private:
  Time when_;
};

/// Simulator, robots, and something else.
struct Hall {
  Hall(std::uint64_t seed, Way way, Time when, bool smooth, bool at_home, Rate rate)
      : disk(way == Way::pacer ? when : Time::max()) {
    Bench bench(4ms);
    simulator = &bench.add("simulator", std::make_unique<Simulator>(seed, smooth));
    robots = &bench.add("robots", std::make_unique<facility::Facility>(installation(at_home)));
    bench.add("other", std::make_unique<Culprit>(way, when, rate));
    for (const std::string b : bodies) {
      for (const char* what : {".position", ".velocity", ".attitude", ".rate"}) {
        bench.wire("simulator." + b + what, "robots." + b + what);
        bench.wire("robots.measured." + b + what, "simulator.measured." + b + what);
      }
    }
    bench.wire("robots.ready", "simulator.ready");
    bench.wire("robots.fault", "simulator.fault");
    run = std::make_unique<Executive>(bench.take(), std::vector<Pacer*>{&disk});
    run->initialize();
  }

  void expect_rest() const {
    EXPECT_EQ(simulator->speed(), 0.0);
    EXPECT_TRUE(robots->at_rest()) << robots->motion();
    EXPECT_LE(simulator->acceleration, 1.0 + 1e-6);
    EXPECT_LE(simulator->jerk, 1.0 + 1e-6);
    EXPECT_LE(simulator->jump, limits().acceleration * dt * dt);
    EXPECT_EQ(run->find("robots.incident.kind")->element(0), 0.0) << "a limit of a joint";
  }

  FullDisk disk;
  Simulator* simulator;
  facility::Facility* robots;
  std::unique_ptr<Executive> run;
};

/// Ends a flight; returns how long it took to come to rest, s.
double end_flight(std::uint64_t trial) {
  Random random(trial * 7919 + 1);
  const Way way = static_cast<Way>(trial % ways);
  const bool smooth = random.bits() % 2 == 0, at_home = random.bits() % 8 != 0;
  const Rate rate = random.bits() % 2 == 0 ? Rate{} : Rate{100, 1};
  const Time when(Duration(
      4'000'000 * static_cast<std::int64_t>((at_home ? 2500.0 : 6000.0) * random.uniform())));
  SCOPED_TRACE("trial " + std::to_string(trial) + ", way " + std::to_string(trial % ways) + " at " +
               std::to_string(seconds(when)) + " s");
  Hall h(trial, way, when, smooth, at_home, rate);
  if (way == Way::stop || way == Way::freeze) {
    h.run->request_freeze(when);
    EXPECT_EQ(h.run->run_until(Time(60s)), Ending::frozen);
    if (way == Way::stop) {
      h.run->resume();
      h.run->request_stop();
      EXPECT_EQ(h.run->run_until(Time(60s)), Ending::stopped);
    }
  } else {
    EXPECT_EQ(h.run->run_until(way == Way::until ? when : Time(60s)),
              way == Way::until ? Ending::reached : Ending::failed);
  }
  const Time began = h.run->now();
  const bool moved = h.run->moving();
  EXPECT_TRUE(h.run->come_to_rest({})) << h.run->motion();
  h.expect_rest();
  const double took = seconds(h.run->now() - began);
  EXPECT_LE(took, seconds(h.run->longest_rest()));
  if (way != Way::freeze) return moved ? took : 0.0;

  // it continues: the same simulator flies again, and is stopped in the midst of that
  h.run->end_rest();
  h.run->resume();
  const std::int64_t flown = h.simulator->server().counters().runs;
  EXPECT_EQ(h.run->run_until(h.run->now() + (at_home ? 7s : 25s)), Ending::reached);
  EXPECT_GT(h.simulator->server().counters().runs, flown);
  EXPECT_TRUE(h.run->moving());
  EXPECT_TRUE(h.run->come_to_rest({})) << h.run->motion();
  h.expect_rest();
  return took;
}

TEST(EndOfAFlight, IsSoftInEveryWayAndAtAnyMoment) {
  int moved = 0;
  double longest = 0.0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    const double took = end_flight(trial);
    moved += took > 0.0;
    longest = std::max(longest, took);
    if (HasFailure()) return;
  }
  EXPECT_GT(moved, 120) << "most of the moments must be in motion";
  std::printf("%d of 200 in motion, the longest took %.2f s\n", moved, longest);
}

/// Commands that never come to rest: to and fro along the rail.
class Tireless final : public Small<One> {
 public:
  Tireless() {
    using executive::test::real;
    description_.outputs = {real("position", 3), real("velocity", 3)};
    description_.rate = {250, 1};
  }
  void bind(const Bindings& b) override {
    position_ = b.real_output("position");
    velocity_ = b.real_output("velocity");
  }
  Outcome output(Instant at) noexcept override {
    const double t = std::max(0.0, seconds(at.time) - 1.0), w = 0.5;
    position_[1] = -9.6 - 0.4 * (1.0 - std::cos(w * t));
    velocity_[1] = -0.4 * w * std::sin(w * t);
    return Outcome::ok;
  }

 private:
  std::span<double> position_, velocity_;
};

TEST(EndOfAFlight, RobotsThatNobodyBringsToRestBrakeByThemselves) {
  for (const auto when : {4s, 5s, 7s}) {
    Bench bench(4ms);
    bench.add("commands", std::make_unique<Tireless>());
    auto& robots = bench.add("robots", std::make_unique<facility::Facility>(installation(true)));
    bench.wire("commands.position", "robots.servicer.position");
    bench.wire("commands.velocity", "robots.servicer.velocity");
    Executive run(bench.take());
    run.initialize();
    ASSERT_EQ(run.run_until(Time(when)), Ending::reached);
    ASSERT_EQ(run.find("robots.state")->element(0), 2.0) << "they follow";
    ASSERT_TRUE(run.moving());
    EXPECT_NE(robots.motion().find("rail at 0."), std::string::npos) << robots.motion();
    const executive::Snapshot moving = run.save();
    EXPECT_TRUE(run.come_to_rest({})) << run.motion();
    EXPECT_EQ(run.find("robots.fault")->element(0), 0.0);
    EXPECT_LE(run.find("robots.use.acceleration")->element(0), 1.0);
    EXPECT_EQ(run.find("robots.ready")->element(0), 0.0) << "it does not follow commands now";
    const Time rested = run.now();
    const executive::Snapshot still = run.save();
    // to the bit from the checkpoint before, and when it continues it waits for commands that agree
    run.restore(moving);
    EXPECT_TRUE(run.come_to_rest({}));
    EXPECT_EQ(run.now(), rested);
    for (std::size_t i = 0; i < still.sections.size(); ++i)
      EXPECT_EQ(run.save().sections[i].bytes, still.sections[i].bytes) << still.sections[i].path;
    run.end_rest();
    run.resume();
    ASSERT_EQ(run.run_until(run.now() + 40ms), Ending::reached);
    EXPECT_EQ(run.find("robots.state")->element(0), 1.0);
  }
}

}  // namespace
}  // namespace vernier
