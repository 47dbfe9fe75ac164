#include "vernier/gateway/link/impairment.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "vernier/gateway/link/packets.hpp"

namespace vernier::link {
namespace {

TEST(Impairment, IsReadAsPeopleWriteIt) {
  const auto p = parsed_impairment("delay 5ms, jitter 1 ms loss 1% reorder stall 2s at 10s cut");
  ASSERT_TRUE(p) << p.error();
  EXPECT_EQ(p->steady.delay, 0.005);
  EXPECT_EQ(p->steady.jitter, 0.001);
  EXPECT_EQ(p->steady.loss, 0.01);
  EXPECT_EQ(p->steady.reorder, 0.1);
  EXPECT_TRUE(p->steady.ragged);
  EXPECT_EQ(p->stall->length, 2.0);
  EXPECT_EQ(p->stall->at, 10.0);
  ASSERT_TRUE(p->cut);
  EXPECT_FALSE(p->cut->at);
  EXPECT_EQ(parsed_impairment("bytes")->steady.piece, 1u);
  EXPECT_EQ(parsed_impairment("reorder 0.25 network epos")->steady.reorder, 0.25);
  EXPECT_TRUE(parsed_impairment(""));
}

TEST(Impairment, RefusesWhatItDoesNotUnderstand) {
  for (const char* text : {"slow", "delay", "delay fast", "delay -5ms", "delay 5kg", "loss 120%",
                           "loss nan", "stall", "cut at", "network moon", "jitter 1e9"}) {
    EXPECT_FALSE(parsed_impairment(text)) << text;
  }
  EXPECT_EQ(parsed_impairment("delay 5kg").error(),
            "delay needs a time such as 5ms, up to an hour, not \"5kg\"");
}

struct Spy {
  int stalls = 0, ends = 0, cuts = 0;
  void impair(const Impairment& i) { ++(i.stalled ? stalls : ends); }
  void cut() { ++cuts; }
};

TEST(Impairment, StallsAtAThirdAndCutsAtTwoThirds) {
  Spy spy;
  ImpairmentSchedule s(*parsed_impairment("stall 2s cut"), 30.0);
  for (double t = 0.0; t < 30.0; t += 0.5) {
    s.follow(t, spy);
    EXPECT_EQ(spy.stalls, t >= 10.0 ? 1 : 0);
    EXPECT_EQ(spy.ends, t >= 12.0 ? 1 : 0);
    EXPECT_EQ(spy.cuts, t >= 20.0 ? 1 : 0);
  }
}

// Without the privileges, the reason is given; with them, bytes arrive complete although packets
// are lost and overtake each other.
TEST(PacketNetwork, CarriesTcpThroughLossAndDisorderOrSaysWhyNot) {
  auto made = PacketNetwork::made(7);
  if (!made) {
    EXPECT_NE(made.error().find(": "), std::string::npos) << made.error();
    return;
  }
  PacketNetwork& net = **made;
  Impairment i;
  i.delay = 0.0005;
  i.loss = 0.02;
  i.reorder = 0.1;
  net.impair(i);
  Descriptor listener, near, far;
  net.in(0, [&] { listener = std::move(*net::listening({PacketNetwork::addresses[0], "0"})); });
  const auto soon = net::Clock::now() + std::chrono::seconds(20);
  const net::Address there{PacketNetwork::addresses[0], std::to_string(net::port_of(listener))};
  net.in(1, [&] {
    auto c = net::connected(there, soon);
    if (c) near = std::move(*c);
  });
  ASSERT_TRUE(near);
  far = std::move(*net::accepted(listener, soon));
  std::string sent, received;
  for (int k = 0; k < 20'000; ++k) sent += static_cast<char>('a' + k % 23);
  std::size_t gone = 0;
  while (received.size() < sent.size() && net::Clock::now() < soon) {
    // a few hundred bytes at a time, to make many packets
    const std::size_t n = std::min<std::size_t>(sent.size() - gone, 400);
    const ssize_t w = n > 0 ? write(near.get(), sent.data() + gone, n) : 0;
    if (w > 0) gone += static_cast<std::size_t>(w);
    char buffer[4096];
    const ssize_t r = read(far.get(), buffer, sizeof buffer);
    if (r > 0) received.append(buffer, static_cast<std::size_t>(r));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  EXPECT_EQ(received, sent);
  EXPECT_GT(net.counts().carried, 50u);
}

}  // namespace
}  // namespace vernier::link
