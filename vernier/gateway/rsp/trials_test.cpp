// Client and server together, in virtual time. Longer trials: benchmarks/rsp_soak.
#include "vernier/gateway/rsp/trials.hpp"

#include "vernier/gateway/link/grid.hpp"
#include "vernier/gateway/link/network_model.hpp"
#include "vernier/gateway/rsp/hand_test.hpp"

namespace vernier::rsp {
namespace {

using namespace std::chrono_literals;

Experiment::Settings slow_swing() {
  Experiment::Settings s;
  s.server.period = {4'000'000, 1};
  s.server.limits = {hand::usual()};
  s.client.period = {100'000'000, 1};
  s.client.initial = 5s;
  s.motion = [](double t, std::span<Trajectory> b) {
    b[0].p = Vector3(0.2 * std::cos(0.5 * t), 0.2 * std::sin(0.5 * t), 0.1);
    b[0].v = Vector3(-0.1 * std::sin(0.5 * t), 0.1 * std::cos(0.5 * t), 0.0);
  };
  return s;
}

/// An experiment of which every step is checked.
struct Checked : Experiment {
  explicit Checked(const Experiment::Settings& s) : Experiment(s), check(s.server.limits, 0.004) {
    after_server = [this] {
      if (const std::string p = check.after(server()); !p.empty() && problem.empty()) problem = p;
    };
    join();
  }
  StreamCheck check;
  std::string problem;
};

TEST(Experiment, ClientAndServerRunStopAndRunAgain) {
  Checked e(slow_swing());
  e.run(20);
  EXPECT_EQ(e.server().state(), ServerState::running);
  EXPECT_EQ(e.client().state(), ClientState::running);
  EXPECT_NEAR(e.server().forerun(), 0.05, 0.004);
  EXPECT_EQ(e.server().counters().late, 0);
  e.stop = true;
  e.run(2);
  EXPECT_EQ(e.server().state(), ServerState::ready);
  EXPECT_EQ(e.client().state(), ClientState::waiting);
  e.stop = false;
  e.run(10);
  EXPECT_EQ(e.server().state(), ServerState::running);
  EXPECT_EQ(e.server().counters().runs, 2);
  EXPECT_EQ(e.problem, "");
}

TEST(Experiment, AHundredRunsWithoutANewServer) {
  Checked e(slow_swing());
  for (int k = 1; k <= 100; ++k) {
    e.run(7.0);
    ASSERT_EQ(e.server().counters().runs, k);
    switch (k % 4) {
      case 0:
        e.stop = true;
        e.run(2.0);
        e.stop = false;
        break;
      case 1:
        e.cut();
        e.run(2.0);
        e.join();
        break;
      case 2:
        e.replace_client();  // a new one that knows of no run
        e.run(2.0);
        break;
      default:
        e.join();
        e.run(2.0);
    }
  }
  EXPECT_EQ(e.problem, "");
}

TEST(Experiment, AServerThatRestartsIsNotTakenForTheOneBefore) {
  Checked e(slow_swing());
  e.run(8.0);
  ASSERT_EQ(e.client().state(), ClientState::running);
  e.replace_server();
  e.check.restart();
  e.run(0.3);
  EXPECT_NE(e.client().state(), ClientState::running);
  e.run(10.0);
  EXPECT_EQ(e.client().state(), ClientState::running);
}

TEST(Experiment, AClientThatPausesShortlyRejoinsAndOneThatPausesLongBeginsAnew) {
  for (const auto& [pause, runs] : {std::pair{0.15, 1}, {0.5, 2}, {5.0, 2}}) {
    Checked e(slow_swing());
    e.run(8.0);
    e.client_runs = false;
    e.run(pause);
    e.client_runs = true;
    e.run(15.0);
    // a simulation that was suspended stays behind: its steps continue where they stopped
    EXPECT_EQ(e.problem, "");
    EXPECT_GE(e.server().counters().runs, runs) << pause;
    EXPECT_EQ(e.server().state(), ServerState::running) << pause;
  }
}

TEST(Experiment, NetworksThatDelayLoseAndDoubleMakeNoJump) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const TrialResult r = random_trial(seed);
    EXPECT_EQ(r.problem, "") << seed;
  }
}

TEST(Experiment, OperationWithMishapsNeverSticks) { EXPECT_EQ(operation(7, 0.5).problem, ""); }

TEST(Drift, MakesCommandsLateWhenNothingIsDoneAboutIt) {
  // 100 ppm and 0.05 s: 500 s, minus the initial error of the step relation
  Experiment::Settings s = slow_swing();
  s.skew = 100e-6;
  Checked e(s);
  e.run(6.0);
  const double forerun = e.server().forerun();
  while (e.server().counters().late == 0 && e.now() < 1000.0) e.run(1.0);
  EXPECT_NEAR(e.now() - 6.0, forerun / 100e-6, 45.0);  // a server step is 40 s of drift
  EXPECT_EQ(e.problem, "");
}

TEST(Drift, IsGoneWithSynchronisation) {
  // 10 ppm, 10 Hz, ν = 0.5 over the network of the EPOS laboratory: the first late command after
  // 1.4 h without synchronization; with it none in a day, and the forerun within 0.2 ms
  const Period client{100'000'000, 1};
  link::ClockPair pair({.network = link::Network::epos, .skew = 10e-6, .wanders = true, .seed = 3});
  net::ClockFilter filter;
  link::StepGrid grid;
  grid.begin(client, 0, 0);
  std::int64_t due = 0;
  double origin = -1.0, free_late = -1.0, least = 1.0, most = -1.0;
  std::int64_t first = 0;
  double free_origin = 0.0;
  while (pair.now() < 86'400.0) {
    filter.add(pair.next());
    due = grid.next(filter.estimate(), due);
    const double t = static_cast<double>(due) * 1e-9;
    const double server = t - pair.true_offset(t);
    // the run begins when the estimate has converged, as after the minutes of an approach
    if (pair.now() < 600.0) continue;
    if (origin < 0.0) {
      origin = server;
      first = grid.step();
      free_origin = pair.now() - pair.true_offset(pair.now());
    }
    const double forerun = 0.05 + origin + 0.1 * static_cast<double>(grid.step() - first) - server;
    least = std::min(least, forerun);
    most = std::max(most, forerun);
    // a client on its own clock
    const double own = pair.now() - pair.true_offset(pair.now()) - free_origin;
    if (free_late < 0.0 && own - (pair.now() - 600.0) > 0.05) free_late = pair.now() - 600.0;
  }
  EXPECT_GT(least, 0.05 - 0.2e-3);
  EXPECT_LT(most, 0.05 + 0.2e-3);
  EXPECT_NEAR(free_late / 3600.0, 1.39, 0.1);
}

}  // namespace
}  // namespace vernier::rsp
