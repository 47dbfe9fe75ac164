#include "vernier/gateway/link/link.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/random.hpp"
#include "vernier/gateway/link/relay.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::link {
namespace {

using namespace std::chrono_literals;
using Time = std::chrono::steady_clock::time_point;

bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds within = 10s) {
  const auto end = std::chrono::steady_clock::now() + within;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

Settings server_settings() {
  Settings s;
  s.name = "facility";
  s.role = Role::server;
  s.control = s.data = {"127.0.0.1", "0"};
  s.period = {4'000'000, 1};
  s.send = 2;
  s.receive = 3;
  s.ping_interval = 20ms;
  s.ping_timeout = 700ms;
  s.delay_interval = 20ms;
  s.stale_periods = 1000;
  return s;
}
Settings client_settings(const channel::Address& control, const channel::Address& data) {
  Settings s = server_settings();
  s.name = "simulator";
  s.role = Role::client;
  s.control = control;
  s.data = data;
  s.period = {100'000'000, 1};
  s.send = 3;
  s.receive = 2;
  return s;
}
Settings client_settings(Link& server) {
  server.open();
  return client_settings(server.control_address(), server.data_address());
}
::testing::AssertionResult comes_up(Link& l) {
  if (eventually([&] { return l.state() == LinkState::up; })) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << name(l.state()) << ", " << l.status().last_error;
}
/// What is stored beside the format for this case.
std::string message(const std::string& name) {
  std::ifstream in(VERNIER_SOURCE_DIR "/formats/scp/bad/" + name + ".txt");
  std::string line;
  std::getline(in, line);
  EXPECT_FALSE(line.empty()) << name;
  return line;
}
bool ends(Link& l) {
  return eventually(
      [&] { return l.state() == LinkState::closed || l.state() == LinkState::broken; });
}
/// Sends until the other side has it.
bool passes(Link& from, Link& to, std::vector<double> v) {
  return eventually([&] {
    from.begin_step(1, from.now());
    from.send(v);
    const Received& r = to.receive();
    std::vector<double> got(r.bytes.size() / 8);
    unpack(r.bytes, std::span(got));
    return r.number > 0 && got == v;
  });
}

TEST(Link, CarriesVectorsBothWays) {
  Link server(server_settings());
  Link client(client_settings(server));
  EXPECT_TRUE(server.receive().stale);
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  EXPECT_TRUE(passes(client, server, {1.0, -2.5, 3e300}));
  EXPECT_TRUE(passes(server, client, {7.0, -0.0}));
  EXPECT_TRUE(eventually([&] { return !client.receive().fresh; }));  // the same again
  EXPECT_FALSE(client.receive().stale);
  EXPECT_EQ(server.status().peer, "simulator (vernier)");
  EXPECT_EQ(client.status().last_error, "");
  // both sides read the same clock here
  ASSERT_TRUE(eventually([&] { return client.quality().clock.ready; }));
  EXPECT_NEAR(static_cast<double>(client.quality().offset), 0.0, 20e6);  // a busy machine
  EXPECT_EQ(client.quality().session, server.quality().session);
  ASSERT_TRUE(eventually([&] {
    server.begin_step(41, server.now());
    return client.quality().steps.target_reference == 41;
  }));
  EXPECT_TRUE(client.quality().steps_known);
}

TEST(Link, CarriesBytes) {
  Settings s = server_settings();
  s.send_element = Element::uint8;
  s.receive_element = Element::int8;
  Link server(s);
  Settings c = client_settings(server);
  c.send_element = Element::int8;
  c.receive_element = Element::uint8;
  Link client(c);
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  const std::int8_t out[3] = {-128, 0, 127};
  std::int8_t in[3]{};
  ASSERT_TRUE(eventually([&] {
    client.send(out);
    const bool fresh = server.receive().fresh;
    unpack(server.receive().bytes, std::span(in));
    return fresh;
  }));
  EXPECT_TRUE(std::equal(std::begin(in), std::end(in), std::begin(out)));
}

TEST(Link, ListensOnThisMachineAloneUnlessToldOtherwise) {
  const Settings s;
  EXPECT_EQ(s.control.host, "127.0.0.1");
  EXPECT_EQ(s.data.host, "127.0.0.1");
}

TEST(Link, ASecondClientIsTurnedAwayAndComesInWhenTheFirstHasGone) {
  Link server(server_settings());
  server.start();
  Link second(client_settings(server));
  {
    Link first(client_settings(server));
    first.start();
    ASSERT_TRUE(comes_up(first));
    second.start();
    ASSERT_TRUE(eventually([&] { return second.status().quality.troubles > 0; }));
    EXPECT_EQ(second.status().last_error, message("busy"));
    EXPECT_EQ(first.state(), LinkState::up);
  }
  EXPECT_TRUE(comes_up(second));
  EXPECT_GE(server.status().quality.counters.refused, 1u);
  EXPECT_EQ(server.status().quality.counters.losses, 0u);  // the first said farewell
}

TEST(Link, ComesBackWhenTheServerDoes) {
  auto server = std::make_unique<Link>(server_settings());
  server->open();
  Settings s = server_settings();
  s.control = server->control_address();
  s.data = server->data_address();
  Link client(client_settings(*server));
  client.start();
  server->start();
  ASSERT_TRUE(comes_up(client));
  const std::uint32_t session = client.quality().session;
  server.reset();
  ASSERT_TRUE(ends(client));
  EXPECT_TRUE(client.receive().stale);
  server = std::make_unique<Link>(s);
  server->start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(eventually([&] { return client.quality().session != session; }));
  EXPECT_TRUE(passes(client, *server, {1, 2, 3}));
}

/// A client in a process of its own.
pid_t client_process(const Settings& s) {
  const pid_t child = fork();
  if (child == 0) {
    Link client(s);
    client.start();
    while (true) {
      client.begin_step(1, client.now());
      client.send(std::vector<double>{1, 2, 3});
      std::this_thread::sleep_for(5ms);
    }
  }
  return child;
}

TEST(Link, NoticesAPeerThatWasKilled) {
  Link server(server_settings());
  const pid_t child = client_process(client_settings(server));
  server.start();
  ASSERT_TRUE(comes_up(server));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(ends(server));
  EXPECT_EQ(server.status().quality.counters.losses, 1u);
  EXPECT_EQ(server.status().last_error, message("lost"));
  Link next(client_settings(server));
  next.start();
  EXPECT_TRUE(comes_up(next));
}

TEST(Link, NoticesAPeerThatIsFrozen) {
  Link server(server_settings());
  const pid_t child = client_process(client_settings(server));
  server.start();
  ASSERT_TRUE(comes_up(server));
  kill(child, SIGSTOP);
  const Time frozen = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually([&] { return server.state() == LinkState::degraded; }));
  EXPECT_TRUE(ends(server));
  const auto after = std::chrono::steady_clock::now() - frozen;
  EXPECT_LT(after, 700ms + 20ms + 1s);  // the machine may be busy
  EXPECT_GT(after, 600ms);
  EXPECT_EQ(server.status().last_error, message("silent"));
  EXPECT_EQ(server.status().quality.counters.timeouts, 1u);
  kill(child, SIGCONT);
  EXPECT_TRUE(comes_up(server));  // it noticed too, and came again
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

Link& opened(Link& l) {
  l.open();
  return l;
}

struct Impaired {
  Impaired()
      : server(server_settings()),
        relay(opened(server).control_address(), opened(server).data_address()),
        client(client_settings(relay.control(), relay.data())) {
    server.start();
    client.start();
  }
  Link server;
  Relay relay;
  Link client;
};

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
  Impaired i;
  ASSERT_TRUE(comes_up(i.client));
  ASSERT_TRUE(comes_up(i.server));
  i.relay.impair({.stalled = true});
  EXPECT_TRUE(ends(i.client));
  EXPECT_TRUE(ends(i.server));
  EXPECT_EQ(i.server.status().quality.counters.timeouts, 1u);
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
  s.ping_timeout = 5s;
  Link server(s);
  server.open();
  Relay relay(server.control_address(), server.data_address());
  Settings c = client_settings(relay.control(), relay.data());
  c.send = 16'000;
  c.ping_timeout = 5s;
  Link client(c);
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  relay.impair(Connection::data, Direction::to_server, {.stalled = true});
  std::vector<double> v(16'000);
  // more than all buffers on the way hold: nothing leaves any more
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
  EXPECT_EQ(client.state(), LinkState::up);  // control traffic is not held up
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
  s.ping_timeout = 5s;
  Link server(s);
  Settings c = client_settings(server);
  c.send = many;
  c.ping_timeout = 5s;
  Link client(c);
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  std::vector<double> v(many), got(many);
  std::vector<double> trips;
  for (int k = 0; k < 100; ++k) {
    v.back() = k;
    client.begin_step(k, client.now());
    client.send(v);
    std::this_thread::sleep_for(5ms);
    trips.push_back(client.quality().round_trip);
  }
  ASSERT_TRUE(eventually([&] {
    unpack(server.receive().bytes, std::span(got));
    return got.back() == 99.0;
  }));
  std::sort(trips.begin(), trips.end());
  EXPECT_LT(trips[50], 0.02);  // 800 kB take milliseconds; the machine may be busy
  EXPECT_EQ(client.quality().counters.losses, 0u);
}

// cuts, garbage, stalls and byte-wise delivery in any order: no crash, no stuck state
TEST(Link, SurvivesAnythingInAnyOrder) {
  Impaired i;
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

// -- strangers at the door --

channel::Descriptor knock(const channel::Address& a) {
  auto d = channel::connected(a, channel::Clock::now() + 2s);
  EXPECT_TRUE(d.has_value());
  return d ? std::move(*d) : channel::Descriptor();
}
void say(const channel::Descriptor& d, std::span<const std::byte> bytes) {
  EXPECT_EQ(::send(d.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

TEST(Link, StrangersAreNamedAndCounted) {
  Link server(server_settings());
  server.start();
  std::uint64_t refused = 0;
  const auto says = [&](const channel::Address& to, std::span<const std::byte> bytes) {
    const auto d = knock(to);
    say(d, bytes);
    ++refused;
    EXPECT_TRUE(eventually([&] { return server.status().quality.counters.refused == refused; }));
    return server.status().last_error;
  };
  const std::string_view web = "GET / HTTP/1.1\r\n";
  EXPECT_EQ(says(server.control_address(), std::as_bytes(std::span(web))), message("magic"));
  std::array<std::byte, header_bytes> frame;
  encode({.type = Type::hello, .payload = 0xffffffff}, frame);
  EXPECT_EQ(says(server.control_address(), frame), message("too_long"));
  encode({.type = Type::ping}, frame);
  EXPECT_EQ(says(server.control_address(), frame), message("no_greeting"));
  encode({.type = Type::hello}, frame);
  frame[4] = std::byte{2};
  EXPECT_EQ(says(server.control_address(), frame), message("version"));
  // a data connection without a control connection
  encode({.type = Type::hello, .session = 99}, frame);
  EXPECT_EQ(says(server.data_address(), frame), message("no_session"));
  Link client(client_settings(server));
  client.start();
  EXPECT_TRUE(comes_up(client));
}

TEST(Link, EveryBadFrameIsNamedAndTheLinkComesBack) {
  Impaired i;
  std::uint64_t bad = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(VERNIER_SOURCE_DIR "/formats/scp/bad")) {
    if (entry.path().extension() != ".hex") continue;
    ASSERT_TRUE(comes_up(i.client));
    ASSERT_TRUE(comes_up(i.server));
    std::ifstream in(entry.path());
    std::string word;
    std::getline(in, word);
    std::vector<std::byte> frame;
    while (in >> word) frame.push_back(static_cast<std::byte>(std::stoi(word, nullptr, 16)));
    i.relay.inject(Connection::data, Direction::to_server, frame);
    ++bad;
    ASSERT_TRUE(eventually([&] { return i.server.status().quality.counters.bad_frames == bad; }))
        << entry.path();
    EXPECT_EQ(i.server.status().last_error, message(entry.path().stem()));
    ASSERT_TRUE(eventually([&] { return i.client.status().quality.counters.losses == bad; }));
  }
  EXPECT_GE(bad, 10u);
}

TEST(Link, SaysThatTheOtherSideHasEnded) {
  Link server(server_settings());
  Link client(client_settings(server));
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  client.stop();
  ASSERT_TRUE(eventually([&] { return server.status().quality.troubles > 0; }));
  EXPECT_EQ(server.status().last_error, message("ended"));
  EXPECT_EQ(server.status().quality.counters.losses, 0u);
  client.start();
  EXPECT_TRUE(comes_up(client));
}

TEST(Link, TheTwoPortsInterchangedAreRefused) {
  Link server(server_settings());
  server.start();
  Link client(client_settings(server.data_address(), server.control_address()));
  client.start();
  ASSERT_TRUE(eventually([&] { return client.status().quality.troubles > 0; }));
  EXPECT_EQ(client.status().last_error, message("ports_interchanged"));
}

TEST(Link, SlowConnectionsDoNotKeepOthersOut) {
  Link server(server_settings());
  server.start();
  std::vector<channel::Descriptor> slow;
  for (int k = 0; k < 20; ++k) {
    slow.push_back(knock(server.control_address()));
    const std::byte one{'S'};
    say(slow.back(), {&one, 1});
  }
  Link client(client_settings(server));
  client.start();
  EXPECT_TRUE(comes_up(client));
  EXPECT_GE(server.status().quality.counters.turned_away, 12u);
}

TEST(Link, AKeyKeepsOthersOut) {
  const auto key = [](std::string_view s) {
    const auto b = std::as_bytes(std::span(s));
    return std::vector<std::byte>(b.begin(), b.end());
  };
  Settings s = server_settings();
  s.key = key("correct horse battery staple");
  Link server(s);
  server.start();
  for (const char* wrong : {"", "Correct horse battery staple"}) {
    Settings c = client_settings(server);
    c.key = key(wrong);
    Link client(c);
    client.start();
    ASSERT_TRUE(eventually([&] { return client.status().quality.troubles > 0; }));
    EXPECT_EQ(client.status().last_error, message(wrong[0] == 0 ? "no_key" : "key"));
    EXPECT_NE(client.state(), LinkState::up);
  }
  Settings c = client_settings(server);
  c.key = s.key;
  Link client(c);
  client.start();
  EXPECT_TRUE(comes_up(client));
}

TEST(Link, SaysWhatDoesNotFit) {
  Link server(server_settings());
  server.start();
  Settings c = client_settings(server);
  c.send = 4;
  Link client(c);
  client.start();
  ASSERT_TRUE(eventually([&] { return client.status().quality.troubles > 0; }));
  EXPECT_EQ(client.status().last_error, message("dimensions"));
}

TEST(Link, ComparesWhatTheVectorsMean) {
  Settings s = server_settings();
  s.interface_hash = 0xbb;
  Link server(s);
  Settings c = client_settings(server);
  c.interface_hash = 0xaa;
  server.start();
  Link client(c);
  client.start();
  ASSERT_TRUE(eventually([&] { return client.status().quality.troubles > 0; }));
  EXPECT_EQ(client.status().last_error, message("interface"));
  EXPECT_EQ(interface_hash(""), 0u);
  EXPECT_NE(interface_hash("two bodies"), interface_hash("three bodies"));
}

TEST(Link, SaysThatNobodyAnswers) {
  Link client(client_settings({"127.0.0.1", "1"}, {"127.0.0.1", "1"}));
  client.start();
  ASSERT_TRUE(eventually([&] { return client.status().quality.troubles > 0; }));
  EXPECT_EQ(client.status().last_error, message("nobody"));
}

TEST(Link, RefusesSettingsThatCannotBe) {
  const auto refused = [](auto change) {
    Settings s = server_settings();
    change(s);
    try {
      Link l(s);
      l.open();
    } catch (const ConfigurationError& e) {
      return rendered(e.diagnostics()).substr(0, 12);
    }
    return std::string();
  };
  EXPECT_EQ(refused([](Settings& s) { s.period = {}; }), "error[V5122]");
  EXPECT_EQ(refused([](Settings& s) { s.send = 200'000; }), "error[V5122]");
  EXPECT_EQ(refused([](Settings& s) { s.ping_timeout = s.ping_interval; }), "error[V5122]");
  EXPECT_EQ(refused([](Settings& s) { s.control = {"203.0.113.1", "1"}; }), "error[V5121]");
}

// -- the step side --

TEST(Link, TheStepSideDoesNotAllocate) {
  Link server(server_settings());
  Link client(client_settings(server));
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  const std::array<double, 2> v{1, 2};
  const long before = testing::allocations();
  for (int k = 0; k < 100; ++k) {
    server.begin_step(k, server.now());
    static_cast<void>(server.receive());
    server.send(v);
    static_cast<void>(server.quality());
  }
  EXPECT_EQ(testing::allocations(), before);
}

// sanitizers make system calls of their own
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
/// Every system call of the calling thread but write, exit and reading the clock ends the process.
void forbid_system_calls() {
  const auto offset = [](std::size_t at) { return static_cast<unsigned>(at); };
  std::vector<sock_filter> filter{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset(offsetof(seccomp_data, nr)))};
  for (const unsigned call : {SYS_write, SYS_exit_group, SYS_clock_gettime}) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(3);
}

TEST(Link, TheStepSideMakesNoSystemCallButTheWriteThatWakes) {
  const pid_t child = fork();
  if (child == 0) {
    Link server(server_settings());
    Link client(client_settings(server));
    server.start();
    client.start();
    if (!comes_up(client) || !comes_up(server)) _exit(2);
    const std::array<double, 3> v{1, 2, 3};
    forbid_system_calls();
    for (int k = 0; k < 1000; ++k) {
      client.begin_step(k, client.now());
      static_cast<void>(client.receive());
      client.send(v);
      static_cast<void>(client.quality());
      static_cast<void>(client.state());
    }
    syscall(SYS_exit_group, 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "a forbidden system call was made";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

}  // namespace
}  // namespace vernier::link
