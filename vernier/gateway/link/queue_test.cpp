#include <gtest/gtest.h>

#include <thread>

#include "vernier/gateway/link/frame.hpp"
#include "vernier/gateway/link/link_rig_test.hpp"
#include "vernier/gateway/link/plan.hpp"

namespace vernier::link {
namespace {

Settings settings(Role role) {
  Settings s;
  s.role = role;
  s.control = s.data = {"127.0.0.1", "0"};
  s.period = {4'000'000, 1};
  s.send = s.receive = 1;
  s.ping_timeout = std::chrono::seconds(60);  // the machine may be busy
  return s;
}

TEST(LinkQueue, NoVectorIsPassedOverUntilItIsFull) {
  Settings ss = settings(Role::server);
  ss.queue = 7;  // eight with the one being read
  Link server(ss);
  server.start();
  Settings cs = settings(Role::client);
  cs.control = server.control_address();
  cs.data = server.data_address();
  Link client(cs);
  client.start();
  ASSERT_TRUE(eventually(
      [&] { return client.state() == LinkState::up && server.state() == LinkState::up; }));

  // one by one, so that none replaces another before it is sent
  const auto send = [&](double x) {
    const std::uint64_t before = server.quality().counters.received;
    client.send(std::array{x});
    return eventually([&] { return server.quality().counters.received > before; });
  };
  for (int k = 1; k <= 3; ++k) ASSERT_TRUE(send(k));
  for (int k = 1; k <= 3; ++k) {
    const Received& r = server.receive();
    ASSERT_TRUE(r.fresh);
    double x = 0.0;
    unpack(r.bytes, std::span(&x, 1));
    EXPECT_EQ(x, k);
    EXPECT_EQ(r.session, server.quality().session);
  }
  EXPECT_FALSE(server.receive().fresh);
  double last = 0.0;  // a vector that is not fresh is the last again
  unpack(server.received().bytes, std::span(&last, 1));
  EXPECT_EQ(last, 3.0);

  for (int k = 0; k < 12; ++k) ASSERT_TRUE(send(10 + k));
  int taken = 0;
  while (server.receive().fresh) ++taken;
  EXPECT_EQ(taken, 8);
  ASSERT_TRUE(send(100));
  EXPECT_TRUE(server.receive().fresh);
  // the next output reports the four that found no room
  EXPECT_TRUE(eventually([&] {
    server.begin_step(1, 0);
    return server.quality().counters.missed == 4;
  }));
}

TEST(StepPlan, CountsStepsAndSeesWhenTheClockRanAway) {
  StepPlan plan({4'000'000, 1});
  plan.begin(1000);
  EXPECT_EQ(plan.step(), 0);
  EXPECT_EQ(plan.planned(), 1000);
  plan.begin(4'100'000);
  EXPECT_EQ(plan.step(), 1);
  EXPECT_EQ(plan.planned(), 4'001'000);  // not when it began
  EXPECT_FALSE(plan.overran() || plan.gap());
  plan.begin(13'000'000);
  EXPECT_TRUE(plan.overran());
  EXPECT_FALSE(plan.gap());
  plan.begin(100'000'000);
  EXPECT_TRUE(plan.gap());
  EXPECT_EQ(plan.planned(), 100'000'000);  // the plan restarts
  EXPECT_EQ(plan.step(), 3);
  plan.restart();
  plan.begin(7);
  EXPECT_EQ(plan.step(), 0);
  EXPECT_FALSE(plan.gap());
}

}  // namespace
}  // namespace vernier::link
