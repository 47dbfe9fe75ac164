// Simulator, RSP, robots: the whole chain in virtual time, with a peer, a network and an operator
// that do their worst. VERNIER_TRIAL_HOURS sets the length, else eight minutes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "vernier/base/random.hpp"
#include "vernier/gateway/rsp/simulated.hpp"
#include "vernier/model/facility/reader.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier {
namespace {

using namespace std::chrono_literals;
using facility::Facility;
using rsp::ServerState;
using spatial::Vector3;

constexpr double dt = 0.004;
constexpr double degree = 3.14159265358979323846 / 180.0;

facility::Installation robots() {
  Diagnostics problems;
  const auto source = facility::read_source(
      std::string(VERNIER_SOURCE_DIR) + "/missions/epos/robots.xml", problems);
  const Parameters p("robots", source->parameters(), {}, 1, {}, problems);
  return source->made(p);
}

rsp::Experiment::Settings settings(std::uint64_t seed) {
  rsp::Experiment::Settings s;
  rsp::Limits l;  // those of missions/epos/server.xml
  l.low = Vector3(-2, -24, -2);
  l.high = Vector3(2, 24, 2);
  l.speed = 1.0, l.acceleration = 0.6, l.jerk = 4.0;
  l.rate = 10 * degree, l.angular_acceleration = 20 * degree, l.angular_jerk = 200 * degree;
  s.server.period = link::period_of({250, 1});
  s.server.limits = {l, l};
  s.server.curve = rsp::Curve::kim;
  s.client.period = link::period_of({10, 1});
  s.client.bodies = 2;
  s.client.initial = 8s;
  s.seed = seed;
  s.motion = [](double t, std::span<rsp::Trajectory> bodies) {
    // to and fro along the rail and across, both turning a little
    const double w = 0.3;
    bodies[0].p = Vector3(0.3 * std::sin(w * t), -9.0 - std::cos(0.2 * t), 0.4 * std::cos(w * t));
    bodies[0].v =
        Vector3(0.3 * w * std::cos(w * t), 0.2 * std::sin(0.2 * t), -0.4 * w * std::sin(w * t));
    for (std::size_t i = 0; i < 2; ++i) {
      const double a = 0.1 + 0.05 * static_cast<double>(i), x = a * std::sin(w * t);
      bodies[i].q = spatial::exponential(Vector3(x, 0.0, 0.0));
      bodies[i].omega = Vector3(a * w * std::cos(w * t), 0.0, 0.0);
    }
  };
  return s;
}

/// The chain, and what must never happen in it.
class Chain {
 public:
  explicit Chain(std::uint64_t seed)
      : robots_(robots()), rig_(robots_), experiment_(settings(seed)) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string name = i == 0 ? "servicer" : "target";
      const auto in = [&](const char* what) { return &rig_.in(name + what); };
      const auto out = [&](const char* what) {
        return rig_.real_output("measured." + name + what).data();
      };
      in_[i] = {in(".position"), in(".velocity"), in(".attitude"), in(".rate")};
      out_[i] = {out(".position"), out(".velocity"), out(".attitude"), out(".rate")};
    }
    experiment_.ready = false;
    experiment_.after_server = [this] { step(); };
    experiment_.join();
  }

  rsp::Experiment& experiment() { return experiment_; }
  testing::Rig& rig() { return rig_; }
  bool following() const { return mode_ == 2; }

  double worst_step = 0.0, worst_change = 0.0;  // m off the velocity; m/s²
  long steps = 0;
  std::map<ServerState, long> seen;
  std::string trouble;

 private:
  void step() {
    const auto commanded = experiment_.server().commanded();
    for (std::size_t i = 0; i < 2; ++i) {
      Vector3::Map(in_[i][0]) = commanded[i].p;
      Vector3::Map(in_[i][1]) = commanded[i].v;
      spatial::Quaternion::Map(in_[i][2]) = commanded[i].q;
      Vector3::Map(in_[i][3]) = commanded[i].omega;
      const bool went_on = following() && steps > 0;
      if (went_on) {
        worst_step = std::max(
            worst_step,
            (commanded[i].p - last_[i].p - 0.5 * dt * (commanded[i].v + last_[i].v)).norm());
        worst_change = std::max(worst_change, (commanded[i].v - last_[i].v).norm() / dt);
      }
      last_[i] = commanded[i];
    }
    rig_.step(4ms);
    rig_.settle();
    ++steps;
    ++seen[experiment_.server().state()];
    mode_ = rig_.integer("state");
    const std::int64_t kind = rig_.integer("incident.kind");
    if (kind != 0 && kind != static_cast<std::int64_t>(facility::Trouble::tripped) &&
        trouble.empty()) {
      for (const Entry& e : rig_.journal().entries()) {
        if (const Telling t = robots_.tell(e); t.kind == "fault") trouble = t.reason;
      }
    }
    rig_.journal().clear();
    experiment_.ready = rig_.byte_output("ready")[0] != 0;
    experiment_.fault = mode_ == 3;
    std::array<rsp::Trajectory, 2> measured;
    for (std::size_t i = 0; i < 2; ++i) {
      measured[i].p = Vector3(out_[i][0]);
      measured[i].v = Vector3(out_[i][1]);
      measured[i].q = spatial::Quaternion(out_[i][2]);
      measured[i].omega = Vector3(out_[i][3]);
    }
    experiment_.server().observe({experiment_.ready, experiment_.fault, measured});
  }

  Facility robots_;
  testing::Rig rig_;
  rsp::Experiment experiment_;
  std::array<std::array<double*, 4>, 2> in_{};
  std::array<std::array<const double*, 4>, 2> out_{};
  std::array<rsp::Trajectory, 2> last_;
  std::int64_t mode_ = 0;
};

void expect_sound(const Chain& c) {
  EXPECT_EQ(c.trouble, "");  // no fault but those that were asked for
  EXPECT_LT(c.worst_step, 0.6 * dt * dt);
  EXPECT_LT(c.worst_change, 0.6 * (1 + 1e-6));
}

TEST(Chain, RobotsMakeAWholeRun) {
  Chain c(1);
  c.experiment().run(60.0);
  EXPECT_EQ(c.experiment().server().state(), ServerState::running);
  EXPECT_TRUE(c.following());
  EXPECT_EQ(c.experiment().server().counters().extrapolated, 0);
  EXPECT_GT(c.seen[ServerState::running], 12000);
  expect_sound(c);
}

TEST(Chain, TroubleOfAllKindsNeitherBreaksALimitNorStopsItForGood) {
  const char* hours = std::getenv("VERNIER_TRIAL_HOURS");  // NOLINT(concurrency-mt-unsafe)
  const double length = hours ? 3600.0 * std::strtod(hours, nullptr) : 480.0;
  Chain c(2);
  rsp::Experiment& e = c.experiment();
  const rsp::Impairment bad{.delay = 0.002,
                            .jitter = 0.003,
                            .loss = 0.002,
                            .doubled = 0.005,
                            .slow = 0.01,
                            .slowness = 0.2,
                            .garbage = 0.003};
  e.server_end().impairment = e.client_end().impairment = bad;
  Random random(7);
  long runs = 0;
  while (e.now() < length) {
    e.run(2.0 + 20.0 * random.uniform());
    switch (random.bits() % 6) {
      case 0:  // the cable
        e.cut();
        e.run(0.05 + 4.0 * random.uniform());
        e.join();
        break;
      case 1:  // the simulator is killed, and started again
        e.cut();
        e.run(0.5);
        e.replace_client();
        break;
      case 2:  // it ends, and wants to go on later
        e.stop = true;
        e.run(1.0 + 2.0 * random.uniform());
        e.stop = false;
        e.replace_client();
        break;
      case 3:  // it stands still
        e.client_runs = false;
        e.run(2.0 * random.uniform());
        e.client_runs = true;
        break;
      case 4:  // somebody trips the robots, and resets them
        c.rig().send("trip");
        e.run(1.0 + random.uniform());
        c.rig().send("reset");
        e.run(12.0);
        e.replace_client();
        break;
      default:  // a good time: a run must get going
        e.server_end().impairment = e.client_end().impairment = {};
        e.replace_client();
        e.run(25.0);
        ASSERT_EQ(e.server().state(), ServerState::running) << "stuck at " << e.now() << " s";
        ASSERT_TRUE(c.following());
        e.server_end().impairment = e.client_end().impairment = bad;
        ++runs;
        break;
    }
    ASSERT_EQ(c.trouble, "") << "at " << e.now() << " s";
  }
  EXPECT_GT(runs, 1);
  EXPECT_GT(e.server().counters().extrapolated, 10);
  EXPECT_GT(c.seen[ServerState::halting], 100);
  EXPECT_GT(c.seen[ServerState::fault], 100);
  expect_sound(c);
  if (hours)
    std::printf(
        "%.2f h, %ld steps, %lld runs, largest step off the velocity %.2g m, change of velocity "
        "%.3g m/s^2\n",
        e.now() / 3600, c.steps, static_cast<long long>(e.server().counters().runs), c.worst_step,
        c.worst_change);
}

}  // namespace
}  // namespace vernier
