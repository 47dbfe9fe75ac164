// Links over a network that delays, stalls, disconnects and corrupts.
#include <gtest/gtest.h>

#include "vernier/base/random.hpp"
#include "vernier/gateway/link/link_rig_test.hpp"

namespace vernier::link {
namespace {

TEST(Link, SurvivesACut) {
  Impaired i;
  ASSERT_TRUE(comes_up(i.client));
  ASSERT_TRUE(comes_up(i.server));
  for (int k = 0; k < 3; ++k) {
    i.relay.cut();
    ASSERT_TRUE(eventually(
        [&] { return i.client.status().quality.counters.losses >= static_cast<unsigned>(k + 1); }));
    ASSERT_TRUE(comes_up(i.client));
    ASSERT_TRUE(comes_up(i.server));
    EXPECT_TRUE(passes(i.client, i.server, {1.0 * k, 2, 3}));
  }
}

TEST(Link, AStalledNetworkIsALostLink) {
  Impaired i(700ms);
  ASSERT_TRUE(comes_up(i.client));
  ASSERT_TRUE(comes_up(i.server));
  i.relay.impair({.stalled = true});
  EXPECT_TRUE(ends(i.client));
  EXPECT_TRUE(ends(i.server));
  EXPECT_GE(i.server.status().quality.counters.timeouts, 1u);
  i.relay.cut();
  i.relay.impair({});
  EXPECT_TRUE(comes_up(i.client));
}

TEST(Link, TakesBytesOneByOne) {
  Impaired i;
  i.relay.impair({.piece = 1});
  ASSERT_TRUE(comes_up(i.client));
  ASSERT_TRUE(comes_up(i.server));
  EXPECT_TRUE(passes(i.client, i.server, {1, 2, 3}));
  EXPECT_TRUE(passes(i.server, i.client, {4, 5}));
  EXPECT_EQ(i.server.status().quality.counters.bad_frames, 0u);
}

TEST(Link, ConnectionsMayOvertakeEachOther) {
  Impaired i;
  ASSERT_TRUE(comes_up(i.client));
  ASSERT_TRUE(comes_up(i.server));
  i.relay.impair(Connection::control, Direction::to_server, {.delay = 0.05, .jitter = 0.02});
  i.relay.impair(Connection::data, Direction::to_client,
                 {.delay = 0.03, .jitter = 0.02, .loss = 0.05});
  EXPECT_TRUE(passes(i.client, i.server, {1, 2, 3}));
  EXPECT_TRUE(passes(i.server, i.client, {4, 5}));
  EXPECT_EQ(i.client.status().quality.counters.losses, 0u);
}

TEST(Link, GarbageFromThePeerEndsTheLinkAndItComesBack) {
  Impaired i;
  ASSERT_TRUE(comes_up(i.client));
  ASSERT_TRUE(comes_up(i.server));
  const std::vector<std::byte> garbage(200, std::byte{0x5a});
  i.relay.inject(Connection::data, Direction::to_server, garbage);
  ASSERT_TRUE(eventually([&] { return i.server.status().quality.counters.bad_frames == 1; }));
  EXPECT_EQ(i.server.status().last_error, message("magic"));
  ASSERT_TRUE(eventually([&] { return i.client.status().quality.troubles > 0; }));
  EXPECT_EQ(i.client.status().last_error, message("misunderstood"));
  EXPECT_TRUE(comes_up(i.client));
  EXPECT_TRUE(passes(i.client, i.server, {1, 2, 3}));
}

TEST(Link, AFrameThatDoesNotEndIsGarbage) {
  Impaired i;
  ASSERT_TRUE(comes_up(i.client));
  ASSERT_TRUE(comes_up(i.server));
  std::array<std::byte, header_bytes> frame;
  encode({.type = Type::data,
          .payload = 24,
          .session = i.server.quality().session,
          .element = Element::real},
         frame);
  i.relay.inject(Connection::data, Direction::to_server, std::span(frame).first(40));
  ASSERT_TRUE(eventually([&] { return i.server.status().quality.counters.bad_frames == 1; }));
  EXPECT_EQ(i.server.status().last_error, message("incomplete"));
  EXPECT_TRUE(comes_up(i.client));
}

TEST(Link, TheNewestVectorReplacesOneThatCouldNotLeave) {
  Settings s = server_settings();
  s.receive = 16'000;
  Link server(s);
  server.open();
  Relay relay(server.control_address(), server.data_address());
  Settings c = client_settings(relay.control(), relay.data());
  c.send = 16'000;
  Link client(c);
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  relay.impair(Connection::data, Direction::to_server, {.stalled = true});
  std::vector<double> v(16'000);
  // more than all buffers on the path hold: then nothing can be sent
  std::uint64_t left = 0;
  auto since = std::chrono::steady_clock::now();
  ASSERT_TRUE(eventually([&] {
    v[0] += 1.0;
    client.send(v);
    const std::uint64_t sent = client.quality().counters.sent;
    if (sent != left) since = std::chrono::steady_clock::now();
    left = sent;
    return std::chrono::steady_clock::now() - since > 300ms;
  }));
  EXPECT_EQ(client.state(), LinkState::up);  // control traffic is not blocked
  const double newest = v[0];
  relay.impair({});
  ASSERT_TRUE(eventually([&] {
    std::vector<double> got(16'000);
    unpack(server.receive().bytes, std::span(got));
    return got[0] == newest;
  }));
  ASSERT_TRUE(eventually([&] { return client.quality().counters.replaced > 10; }));
}

TEST(Link, ALongVectorDoesNotHoldUpControlTraffic) {
  constexpr std::uint32_t many = 100'000;
  Settings s = server_settings();
  s.receive = many;
  Link server(s);
  Settings c = client_settings(server);
  c.send = many;
  Link client(c);
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  std::vector<double> v(many), got(many);
  for (int k = 0; k < 100; ++k) {
    v.back() = k;
    client.begin_step(k, client.now());
    client.send(v);
    std::this_thread::sleep_for(5ms);
  }
  ASSERT_TRUE(eventually([&] {
    unpack(server.receive().bytes, std::span(got));
    return got.back() == 99.0;
  }));
  EXPECT_EQ(client.quality().counters.losses, 0u);
}

// disconnects, garbage, stalls and byte-wise delivery in any order: no crash, no deadlock
TEST(Link, SurvivesAnythingInAnyOrder) {
  Impaired i(700ms);
  Random random(11);
  for (int k = 0; k < 60; ++k) {
    const auto c = random.bits() % 2 ? Connection::control : Connection::data;
    const auto d = random.bits() % 2 ? Direction::to_server : Direction::to_client;
    switch (random.bits() % 6) {
      case 0:
        i.relay.cut();
        break;
      case 1: {
        std::vector<std::byte> garbage(random.bits() % 300 + 1);
        for (auto& b : garbage) b = static_cast<std::byte>(random.bits());
        i.relay.inject(c, d, garbage);
        break;
      }
      case 2:
        i.relay.impair(c, d, {.delay = 0.05 * random.uniform(), .jitter = 0.01, .loss = 0.1});
        break;
      case 3:
        i.relay.impair(c, d, {.piece = random.bits() % 7 + 1});
        break;
      case 4:
        i.relay.impair(c, d, {.stalled = true});
        break;
      default:
        i.relay.refuse(random.bits() % 4 == 0);
        i.relay.impair({});
    }
    for (int step = 0; step < 10; ++step) {
      i.client.begin_step(step, i.client.now());
      i.client.send(std::vector<double>{1, 2, 3});
      static_cast<void>(i.client.receive());
      i.server.begin_step(step, i.server.now());
      i.server.send(std::vector<double>{1, 2});
      static_cast<void>(i.server.receive());
      std::this_thread::sleep_for(5ms);
    }
  }
  i.relay.impair({});
  i.relay.refuse(false);
  i.relay.cut();
  ASSERT_TRUE(eventually([&] { return i.client.state() != LinkState::up; }));
  EXPECT_TRUE(comes_up(i.client));
  EXPECT_TRUE(comes_up(i.server));
  EXPECT_TRUE(passes(i.client, i.server, {5, 6, 7}));
  EXPECT_TRUE(passes(i.server, i.client, {8, 9}));
}

}  // namespace
}  // namespace vernier::link
