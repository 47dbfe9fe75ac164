#include "vernier/gateway/heartbeat/heartbeat.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <optional>

#include "vernier/base/diagnostic.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::heartbeat {
namespace {

using namespace std::chrono_literals;

struct Beat {
  std::uint32_t phase, count, none;
  std::uint64_t number;
  std::int64_t time;
  std::array<double, 4> values;
};

/// A supervisor that listens, at a port of its own.
class Listener {
 public:
  Listener() : socket_(socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof a;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&a), sizeof a), 0);
    EXPECT_EQ(getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&a), &size), 0);
    port_ = std::to_string(ntohs(a.sin_port));
  }
  const std::string& port() const { return port_; }

  /// What waits; on this machine a datagram is there as soon as it was sent.
  std::optional<Beat> next() {
    std::array<std::byte, 2048> b{};
    const ssize_t n = recv(socket_.get(), b.data(), b.size(), MSG_DONTWAIT);
    if (n < 0) return {};
    EXPECT_EQ(std::memcmp(b.data(), "VHB1", 4), 0);
    Beat beat{};
    std::memcpy(&beat.phase, b.data() + 4, 4);
    std::memcpy(&beat.number, b.data() + 8, 8);
    std::memcpy(&beat.time, b.data() + 16, 8);
    std::memcpy(&beat.count, b.data() + 24, 4);
    std::memcpy(&beat.none, b.data() + 28, 4);
    EXPECT_EQ(static_cast<std::size_t>(n), header_bytes + 8 * beat.count);
    std::memcpy(beat.values.data(), b.data() + 32, 8 * beat.count);
    return beat;
  }

 private:
  Descriptor socket_;
  std::string port_;
};

channel::Channels speed() {
  channel::Channels c;
  channel::Channel in;
  in.name = "speed";
  in.count = 2;
  c.inputs.push_back(in);
  return c;
}

TEST(Heartbeat, EachStepSendsItsNumberTheTimeAndTheValues) {
  Listener ear;
  Heartbeat h(speed(), {"alive", {"127.0.0.1", ear.port()}, {100, 1}});
  testing::Rig rig(h);
  rig.in("speed", 0) = 0.25;
  rig.in("speed", 1) = -1.5;
  const long before = testing::allocations();
  for (int i = 0; i < 3; ++i) rig.step(10ms);
  EXPECT_EQ(testing::allocations(), before);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    const auto beat = ear.next();
    ASSERT_TRUE(beat);
    EXPECT_EQ(beat->number, i);
    EXPECT_EQ(beat->phase, 0u);
    EXPECT_EQ(beat->time, static_cast<std::int64_t>(i - 1) * 10'000'000);
    ASSERT_EQ(beat->count, 2u);
    EXPECT_EQ(beat->values[0], 0.25);
    EXPECT_EQ(beat->values[1], -1.5);
  }
  rig.settle();
  EXPECT_EQ(rig.integer("heartbeat.sent"), 3);
}

TEST(Heartbeat, SaysThatTheRunComesToRestAndThriceThatItIsThere) {
  Listener ear;
  Heartbeat h({}, {"alive", {"127.0.0.1", ear.port()}, {100, 1}});
  testing::Rig rig(h);
  rig.step(10ms);
  h.rest(RestPhase::coming_to_rest);
  rig.step(10ms);
  h.rest(RestPhase::at_rest);
  h.rest(RestPhase::at_rest);
  for (const std::uint32_t phase : {0, 1, 2, 2, 2}) {
    const auto beat = ear.next();
    ASSERT_TRUE(beat);
    EXPECT_EQ(beat->phase, phase);
  }
  EXPECT_FALSE(ear.next());
  h.rest(RestPhase::running);
  rig.step(10ms);
  EXPECT_EQ(ear.next()->phase, 0u);
}

TEST(Heartbeat, DoesNotMindThatNobodyListens) {
  std::string port;
  {
    const Listener gone;
    port = gone.port();
  }
  Heartbeat h({}, {"alive", {"127.0.0.1", port}, {100, 1}});
  testing::Rig rig(h);
  for (int i = 0; i < 10; ++i) rig.step(10ms);
  rig.settle();
  EXPECT_EQ(rig.integer("heartbeat.sent") + rig.integer("heartbeat.unsent"), 10);
}

TEST(Heartbeat, RefusesAnAddressToWhichNothingCanBeSent) {
  Heartbeat h({}, {"alive", {"255.255.255.255", "42760"}, {100, 1}});
  try {
    h.initialize(Time{}, 0);
    FAIL() << "a broadcast needs a permission";
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list().front().code, "V5160");
  }
}

TEST(Heartbeat, Conforms) {
  Listener ear;
  Heartbeat h(speed(), {"alive", {"127.0.0.1", ear.port()}, {100, 1}});
  testing::expect_conforming(h, 10ms, [](testing::Rig& rig, int k) { rig.in("speed") = k; });
}

}  // namespace
}  // namespace vernier::heartbeat
