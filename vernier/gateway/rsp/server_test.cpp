#include "vernier/gateway/rsp/simulated.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace vernier::rsp {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

Limits usual() {
  Limits l;
  l.low = Vector3(-5, -5, -5);
  l.high = Vector3(5, 5, 5);
  l.speed = 0.5, l.acceleration = 0.5, l.jerk = 2.0;
  l.rate = 20 * degree, l.angular_acceleration = 20 * degree, l.angular_jerk = 80 * degree;
  return l;
}

TEST(Experiment, ClientAndServerRunStopAndRunAgain) {
  Experiment::Settings s;
  s.server.period = {4'000'000, 1};
  s.server.limits = {usual()};
  s.client.period = {100'000'000, 1};
  s.client.initial = std::chrono::seconds(5);
  s.motion = [](double t, std::span<Trajectory> b) {
    b[0].p = Vector3(0.2 * std::cos(0.5 * t), 0.2 * std::sin(0.5 * t), 0.1);
    b[0].v = Vector3(-0.1 * std::sin(0.5 * t), 0.1 * std::cos(0.5 * t), 0.0);
  };
  Experiment e(s);
  e.join();
  e.run(20);
  EXPECT_EQ(e.server().state(), ServerState::running);
  EXPECT_EQ(e.client().state(), ClientState::running);
  EXPECT_NEAR(e.server().forerun(), 0.05, 0.004);
  EXPECT_EQ(e.server().counters().late, 0);
  e.stop = true;
  e.run(2);
  EXPECT_EQ(e.server().state(), ServerState::ready);
  EXPECT_EQ(e.client().state(), ClientState::waiting);
  EXPECT_EQ(e.server().end(), End::stopped);
  e.stop = false;
  e.run(10);
  EXPECT_EQ(e.server().state(), ServerState::running);
  EXPECT_EQ(e.server().counters().runs, 2);
}

}  // namespace
}  // namespace vernier::rsp
