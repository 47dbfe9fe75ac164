#include "vernier/gateway/link/partner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/link/link_rig_test.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::link {
namespace {

using testing::Rig;

channel::Channels channels(const char* in, std::uint32_t in_count, const char* out,
                           std::uint32_t out_count, const char* unit) {
  channel::Channels c;
  c.inputs.resize(1);
  c.inputs[0].name = in;
  c.inputs[0].count = in_count;
  c.inputs[0].initial = std::vector<double>(in_count);
  EXPECT_TRUE(channel::set_unit(c.inputs[0], unit));
  c.outputs.resize(1);
  c.outputs[0].name = out;
  c.outputs[0].count = out_count;
  EXPECT_TRUE(channel::set_unit(c.outputs[0], unit));
  return c;
}

PartnerSettings server_partner() {
  PartnerSettings s;
  s.link.name = "facility";
  s.link.role = Role::server;
  s.link.control = s.link.data = {"127.0.0.1", "0"};
  s.link.ping_interval = 20ms;
  s.link.ping_timeout = 60s;
  s.link.stale_periods = 1000;
  return s;
}
PartnerSettings client_partner(Partner& server) {
  server.link().open();
  PartnerSettings s = server_partner();
  s.link.name = "simulator";
  s.link.role = Role::client;
  s.link.control = server.link().control_address();
  s.link.data = server.link().data_address();
  s.rate = {10, 1};
  return s;
}

TEST(Partner, KeepsTheComponentContract) {
  Partner partner(channels("command", 2, "state", 3, "1"), server_partner());
  testing::expect_conforming(partner, 4ms, [](Rig& r, int k) { r.in("command") = k; });
  EXPECT_TRUE(partner.description().abilities.faces_world);
  EXPECT_EQ(partner.description().rate, (Rate{250, 1}));
}

TEST(Partner, TwoRunsExchangeTheirSignalsInSi) {
  Partner server(channels("measured", 2, "desired", 3, "1"), server_partner());
  // the client's document is in degrees, and degrees are sent; the server's takes plain numbers
  Partner client(channels("desired", 3, "measured", 2, "deg"), client_partner(server));
  Rig s(server), c(client);
  EXPECT_EQ(s.out("desired"), 0.0);
  c.in("desired", 2) = std::numbers::pi;
  s.in("measured", 1) = 90.0;
  ASSERT_TRUE(eventually([&] {
    c.step(100ms);
    s.step(4ms);
    return s.out("desired", 2) > 1.0 && c.out("measured", 1) > 0.1;
  }));
  EXPECT_NEAR(s.out("desired", 2), 180.0, 1e-12);  // one division, rounded
  EXPECT_NEAR(c.out("measured", 1), std::numbers::pi / 2, 1e-15);
  EXPECT_EQ(s.integer("link.state"), static_cast<std::int64_t>(LinkState::up));
  EXPECT_EQ(s.byte_output("link.stale")[0], 0);
  ASSERT_TRUE(eventually([&] {
    c.step(100ms);
    s.step(4ms);
    return s.out("link.acquisition_to_output") > 0.0 && s.out("link.dead_time") > 0.0 &&
           s.integer("link.target_step") != 0 && s.integer("link.received") > 0;
  }));
  EXPECT_LT(std::abs(s.out("link.offset")), 1.0);  // the same clock, however busy the machine
  bool came_up = false;
  for (const Entry& e : s.journal().entries()) came_up |= server.tell(e).to == "up";
  EXPECT_TRUE(came_up);
}

/// The reasons of all events of the link so far.
std::string told(const Partner& p, const Rig& rig) {
  std::string all;
  for (const Entry& e : rig.journal().entries())
    all += p.tell(e).to + " " + p.tell(e).reason + "\n";
  return all;
}

TEST(Partner, EventsNameThePeerAndCountRefusedAttempts) {
  PartnerSettings settings = server_partner();
  const std::string_view key = "sixteen bytes or more", other = "another sixteen bytes";
  const auto bytes = [](std::string_view k) {
    const auto b = std::as_bytes(std::span(k));
    return std::vector<std::byte>(b.begin(), b.end());
  };
  settings.link.key = bytes(key);
  Partner server(channels("a", 1, "b", 1, "1"), settings);
  PartnerSettings right = client_partner(server), wrong = right;
  right.link.key = bytes(key);
  wrong.link.key = bytes(other);
  Rig s(server);
  {
    Partner stranger(channels("b", 1, "a", 1, "1"), wrong);
    Rig c(stranger);
    ASSERT_TRUE(eventually([&] {
      s.step(4ms);
      return told(server, s).find("V5136: refused ") != std::string::npos;
    }));
    EXPECT_NE(told(server, s).find(" from 127.0.0.1:"), std::string::npos) << told(server, s);
  }
  Partner client(channels("b", 1, "a", 1, "1"), right);
  Rig c(client);
  ASSERT_TRUE(eventually([&] {
    s.step(4ms);
    c.step(100ms);
    return told(server, s).find("up with 127.0.0.1:") != std::string::npos &&
           told(client, c).find("up with " + net::text(right.link.control)) != std::string::npos;
  })) << told(server, s)
      << told(client, c);
  EXPECT_EQ(told(server, s).find("computes"), std::string::npos);
}

TEST(Partner, TellsThatThePeerComputesDifferently) {
  PartnerSettings settings = server_partner();
  settings.link.computing = {Arithmetic::fastest, Instructions::avx2};
  Partner server(channels("a", 1, "b", 1, "1"), settings);
  Partner client(channels("b", 1, "a", 1, "1"), client_partner(server));
  Rig s(server), c(client);
  const auto both = [&](const char* there, const char* here) {
    return std::string(", which computes with arithmetic ") + there +
           ", this side with arithmetic " + here + ": the bits of a repeated run may differ";
  };
  ASSERT_TRUE(eventually([&] {
    s.step(4ms);
    c.step(100ms);
    return told(server, s).find("up with") != std::string::npos &&
           told(client, c).find("up with") != std::string::npos;
  }));
  EXPECT_NE(told(server, s).find(both("\"reproducible\"", "\"fastest\" on avx2")),
            std::string::npos)
      << told(server, s);
  EXPECT_NE(told(client, c).find(both("\"fastest\" on avx2", "\"reproducible\"")),
            std::string::npos)
      << told(client, c);
}

// the build is text that peers have always shown: old ones connect, and programs that are not
// Vernier are not judged
TEST(Link, SaysInItsBuildHowItComputes) {
  using enum Instructions;
  EXPECT_EQ(build_text({}), "vernier");
  for (const Instructions i : {sse2, avx2, avx512}) {
    const Computing c{Arithmetic::fastest, i};
    EXPECT_LT(build_text(c).size(), sizeof(Hello::build));
    const auto back = computing_of(build_text(c));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->arithmetic, Arithmetic::fastest);
    EXPECT_EQ(back->instructions, i);
  }
  EXPECT_EQ(computing_of("vernier")->arithmetic, Arithmetic::reproducible);
  EXPECT_FALSE(computing_of("scp_client.py"));
  EXPECT_FALSE(computing_of(""));
}

TEST(Partner, DoesNotChangeItsOutputsWithinAStep) {
  Partner server(channels("a", 1, "b", 1, "1"), server_partner());
  Partner client(channels("b", 1, "a", 1, "1"), client_partner(server));
  Rig s(server), c(client);
  ASSERT_TRUE(eventually([&] {
    c.in("b") = 1.0;
    c.step(100ms);
    s.step(4ms);
    return s.out("b") == 1.0;
  }));
  const double before = s.out("b");
  for (int k = 0; k < 50; ++k) {
    c.in("b") = 2.0 + k;
    c.step(100ms);
    std::this_thread::sleep_for(1ms);
    s.settle();
    EXPECT_EQ(s.out("b"), before);
  }
}

TEST(Partner, HoldsWhatItHasWhenTheOtherSideGoes) {
  Partner server(channels("a", 1, "b", 1, "1"), server_partner());
  auto client = std::make_unique<Partner>(channels("b", 1, "a", 1, "1"), client_partner(server));
  Rig s(server);
  {
    Rig c(*client);
    c.in("b") = 5.0;
    ASSERT_TRUE(eventually([&] {
      c.step(100ms);
      s.step(4ms);
      return s.out("b") == 5.0;
    }));
  }
  client.reset();
  ASSERT_TRUE(eventually([&] {
    s.step(4ms);
    return s.byte_output("link.stale")[0] == 1;
  }));
  EXPECT_EQ(s.out("b"), 5.0);
  EXPECT_EQ(server.advance(s.now(), s.now() + 4ms).outcome, Outcome::held);
  EXPECT_EQ(s.integer("link.losses"), 0);  // it sent BYE
}

TEST(Partner, StopsTheRunWhenAskedTo) {
  PartnerSettings settings = server_partner();
  settings.stop_when_lost = true;
  Partner server(channels("a", 1, "b", 1, "1"), settings);
  server.link().open();
  Relay relay(server.link().control_address(), server.link().data_address());
  PartnerSettings c = client_partner(server);
  c.link.control = relay.control();
  c.link.data = relay.data();
  Partner client(channels("b", 1, "a", 1, "1"), c);
  Rig s(server), r(client);
  ASSERT_TRUE(eventually([&] { return server.link().state() == LinkState::up; }));
  EXPECT_NE(server.advance(s.now(), s.now() + 4ms).outcome, Outcome::failed);
  relay.cut();
  ASSERT_TRUE(eventually(
      [&] { return server.advance(s.now(), s.now() + 4ms).outcome == Outcome::failed; }));
  EXPECT_STREQ(server.fault().code, "V5140");
  EXPECT_STREQ(server.fault().text,
               "the link \"facility\" was lost at t = 0 s: the connection is lost");
}

TEST(Partner, CarriesSmallNumbersAsBytes) {
  PartnerSettings settings = server_partner();
  settings.link.receive_element = Element::int8;
  settings.link.send_element = Element::uint8;
  Partner server(channels("a", 1, "b", 3, "1"), settings);
  settings = client_partner(server);
  settings.link.send_element = Element::int8;
  settings.link.receive_element = Element::uint8;
  Partner client(channels("b", 3, "a", 1, "1"), settings);
  Rig s(server), c(client);
  c.in("b", 0) = -3.4;
  c.in("b", 1) = 1000.0;
  c.in("b", 2) = std::nan("");
  s.in("a") = 300.0;
  ASSERT_TRUE(eventually([&] {
    c.step(100ms);
    s.step(4ms);
    return s.out("b", 0) != 0.0 && c.out("a") != 0.0;
  }));
  EXPECT_EQ(s.out("b", 0), -3.0);
  EXPECT_EQ(s.out("b", 1), 127.0);
  EXPECT_EQ(s.out("b", 2), 0.0);
  EXPECT_EQ(c.out("a"), 255.0);
}

TEST(Partner, SaysWhenTheOtherSideDoesNotCome) {
  PartnerSettings settings = server_partner();
  settings.patience = 50ms;
  std::string told;
  settings.notice = [&](const std::string& s) { told = s; };
  Partner server(channels("a", 1, "b", 1, "1"), settings);
  try {
    const Rig rig(server);
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list()[0].code, "V5142");
  }
  EXPECT_TRUE(told.starts_with("waiting for \"facility\" at 127.0.0.1:")) << told;
}

/// A client whose server is never started.
PartnerSettings alone() {
  PartnerSettings s;
  s.link.name = "f";
  s.link.role = Role::client;
  s.rate = {100, 1};
  return s;
}

TEST(ServerTime, IsThisMachinesUntilTheServersIsKnown) {
  Partner client(channels("b", 1, "a", 1, "1"), alone());
  ServerTime time(client.link(), period_of({100, 1}));
  EXPECT_EQ(time.planned(7), 0);
  time.start(Time{1s}, 5'000'000'000);
  EXPECT_EQ(time.due(Time{1s + 4ms}, 5'000'000'000), 5'004'000'000);  // between two steps
  for (int k = 1; k <= 20; ++k)
    EXPECT_EQ(time.due(Time{1s + k * 10ms}, 5'000'000'000), 5'000'000'000 + k * 10'000'000);
  EXPECT_EQ(time.grid().step(), 20);
  EXPECT_EQ(time.planned(5'190'030'000), 5'190'000'000);
  EXPECT_EQ(time.planned(5'200'030'000), 5'200'000'000);
  EXPECT_FALSE(time.grid().engaged());
}

TEST(ServerTime, IsOfferedByAClientThatFollows) {
  PartnerSettings settings = alone();
  EXPECT_EQ(Partner(channels("b", 1, "a", 1, "1"), settings).time_base(), nullptr);
  settings.follow = true;
  EXPECT_NE(Partner(channels("b", 1, "a", 1, "1"), settings).time_base(), nullptr);
  settings.link.role = Role::server;  // others follow it
  EXPECT_EQ(Partner(channels("b", 1, "a", 1, "1"), settings).time_base(), nullptr);
}

TEST(Partner, TakesThePriorityOfARealTimeRunUnlessItHasOne) {
  PartnerSettings settings = alone();
  Partner plain(channels("b", 1, "a", 1, "1"), settings);
  plain.set_priority(60);
  EXPECT_EQ(plain.link().settings().priority, 60);
  settings.link.priority = 5;
  Partner chosen(channels("b", 1, "a", 1, "1"), settings);
  chosen.set_priority(60);
  EXPECT_EQ(chosen.link().settings().priority, 5);
}

}  // namespace
}  // namespace vernier::link
