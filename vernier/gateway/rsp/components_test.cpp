#include "vernier/gateway/rsp/components.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::rsp {
namespace {

using namespace std::chrono_literals;
using testing::Rig;

ServerSideSettings server_settings() {
  ServerSideSettings s;
  s.side.link.name = "simulator";
  s.side.link.role = link::Role::server;
  s.side.link.control = s.side.link.data = {"127.0.0.1", "0"};
  s.side.link.ping_timeout = 60s;  // the machine may be busy
  s.side.bodies = {"servicer", "target"};
  Limits l;
  l.low = Vector3(-5, -5, -5);
  l.high = Vector3(5, 5, 5);
  l.speed = l.acceleration = 0.5, l.jerk = 2.0;
  l.rate = l.angular_acceleration = 0.35, l.angular_jerk = 1.4;
  s.server.limits = {l, l};
  s.server.most_intervals = 7, s.server.most_time = 10.0;  // the machine may be busy
  s.home.resize(2);
  s.home[1].p = Vector3(2, 0, 0);
  return s;
}

ClientSideSettings client_settings(ServerSide& server) {
  server.link().open();
  ClientSideSettings s;
  s.side = server_settings().side;
  s.side.link.role = link::Role::client;
  s.side.link.name = "facility";
  s.side.link.control = server.link().control_address();
  s.side.link.data = server.link().data_address();
  s.side.rate = {10, 1};
  s.client.initial = 4s;
  return s;
}

void upright(Rig& r) {
  for (const char* body : {"servicer", "target"}) r.in(std::string(body) + ".attitude", 3) = 1.0;
}

TEST(ServerSide, KeepsTheComponentContract) {
  ServerSide server(server_settings());
  testing::expect_conforming(server, 4ms,
                             [](Rig& r, int k) { r.in("measured.servicer.position") = 0.001 * k; });
  EXPECT_TRUE(server.description().abilities.faces_world);
}

TEST(ClientSide, KeepsTheComponentContract) {
  ServerSide nobody(server_settings());
  ClientSide client(client_settings(nobody));
  testing::expect_conforming(client, 100ms, [](Rig& r, int k) {
    upright(r);
    r.in("servicer.position") = 0.001 * k;
  });
}

TEST(ServerSide, HoldsWhereTheFacilityIsUntilThereIsARun) {
  ServerSide server(server_settings());
  Rig rig(server);
  EXPECT_EQ(rig.out("target.position"), 2.0);  // home, while there are no measurements
  EXPECT_EQ(rig.out("target.attitude", 3), 1.0);
  EXPECT_EQ(rig.integer("rsp.state"), 0);
}

/// Steps both sides manually: the link is real, the clock of the steps is not.
TEST(Sides, ARunGoesOverARealLinkAndEndsInRest) {
  ServerSide server(server_settings());
  ClientSide client(client_settings(server));
  Rig s(server), c(client);
  upright(c);
  c.in("servicer.position") = 0.05;
  c.in("target.position") = 2.0;
  // an ideal facility
  const auto facility = [&] {
    for (const char* body : {"servicer", "target"}) {
      for (const char* what : {".position", ".velocity", ".attitude", ".rate"}) {
        const std::string port = std::string(body) + what;
        const auto from = s.reals(port);
        for (std::size_t i = 0; i < from.size(); ++i) s.in("measured." + port, i) = from[i];
      }
    }
  };
  // as the executive does: outputs at the beginning of a step, their effects at its end
  Time server_time{}, client_time{};
  const auto step = [](Component& side, Time& t, Duration by) {
    EXPECT_NE(side.output({t}), Outcome::failed);
    EXPECT_NE(side.advance(t, t + by).outcome, Outcome::failed);
    t += by;
  };
  const auto until = [&](const std::function<bool()>& holds) {
    for (int k = 0; k < 3000; ++k) {
      if (holds()) return true;
      step(client, client_time, 100ms);
      std::this_thread::sleep_for(1ms);  // for packets to arrive
      for (int i = 0; i < 25; ++i) {
        step(server, server_time, 4ms);
        facility();
      }
      std::this_thread::sleep_for(1ms);
    }
    return false;
  };
  const auto story_of = [](Rig& r, const Side& side) {
    std::string all;
    for (const Entry& e : r.journal().entries()) {
      const Telling t = side.tell(e);
      all += t.kind + ' ' + t.from + '>' + t.to + ' ' + t.reason + '\n';
    }
    return all;
  };
  ASSERT_TRUE(until([&] { return c.integer("rsp.state") == 4; }))
      << story_of(s, server) << story_of(c, client);
  EXPECT_EQ(c.out("running"), 1.0);
  EXPECT_GE(c.integer("rsp.run"), 1);  // a busy machine may need more than one
  // on a busy machine all commands may be late, and are still used
  ASSERT_TRUE(until([&] { return s.integer("rsp.commands") >= 5; })) << story_of(s, server);
  EXPECT_NEAR(s.out("servicer.position"), 0.05, 1e-6);
  ASSERT_TRUE(until([&] { return c.out("measured.servicer.position") > 0.049; }));
  c.in("stop") = 1.0;
  ASSERT_TRUE(until([&] { return c.integer("rsp.state") == 1 && s.integer("rsp.state") == 1; }));
  EXPECT_EQ(c.out("running"), 0.0);
  EXPECT_EQ(s.integer("rsp.end"), 1);
  EXPECT_EQ(s.out("servicer.velocity"), 0.0);
  // the journal describes what happened
  const std::string story = story_of(s, server);
  for (const char* part : {"rsp idle>ready", "rsp ready>approaching", ">running",
                           "the run ends: the client stopped it", "rsp halting>halted"}) {
    EXPECT_NE(story.find(part), std::string::npos) << part << " in\n" << story;
  }
  // the same facility serves the next run
  c.in("stop") = 0.0;
  const std::int64_t runs = s.integer("rsp.runs");
  EXPECT_TRUE(until([&] { return s.integer("rsp.runs") > runs; }));
}

TEST(ServerSide, AMeasurementThatIsNoNumberIsAFault) {
  ServerSide server(server_settings());
  Rig rig(server);
  rig.step(4ms);
  rig.in("measured.target.rate", 1) = std::nan("");
  rig.step(4ms);
  rig.step(4ms);
  EXPECT_EQ(rig.integer("rsp.state"), static_cast<int>(ServerState::fault));
  EXPECT_EQ(rig.out("target.position"), 2.0);  // held
  rig.in("measured.target.rate", 1) = 0.0;
  rig.step(4ms);
  rig.step(4ms);
  EXPECT_EQ(rig.integer("rsp.state"), static_cast<int>(ServerState::idle));
}

std::string code_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const ConfigurationError& e) {
    return e.diagnostics().list().front().code;
  }
  return "";
}

TEST(Sides, RefuseSettingsThatCannotBe) {
  EXPECT_EQ(code_of([] { ServerSide s(server_settings()); }), "");
  const auto server_with = [](const std::function<void(ServerSideSettings&)>& change) {
    return code_of([&] {
      ServerSideSettings s = server_settings();
      change(s);
      ServerSide side(std::move(s));
    });
  };
  EXPECT_EQ(server_with([](auto& s) { s.side.bodies.clear(); }), "V5150");
  EXPECT_EQ(server_with([](auto& s) { s.server.limits[1].jerk = 0.0; }), "V5150");
  EXPECT_EQ(server_with([](auto& s) { s.server.limits[0].high[2] = -5.0; }), "V5150");
  EXPECT_EQ(server_with([](auto& s) { s.server.limits[0].speed = INFINITY; }), "V5150");
  EXPECT_EQ(server_with([](auto& s) { s.server.most_intervals = 8; }), "V5150");
  EXPECT_EQ(server_with([](auto& s) { s.server.most_ahead = 0.5; }), "V5150");
  EXPECT_EQ(server_with([](auto& s) { s.side.rate = {0, 1}; }), "V5122");
  ServerSide server(server_settings());
  const auto client_with = [&](const std::function<void(ClientSideSettings&)>& change) {
    return code_of([&] {
      ClientSideSettings s = client_settings(server);
      change(s);
      ClientSide side(std::move(s));
    });
  };
  EXPECT_EQ(client_with([](auto& s) { s.client.initial = 1ms; }), "V5151");
  EXPECT_EQ(client_with([](auto& s) { s.client.nu = {3, 2}; }), "V5151");
  EXPECT_EQ(client_with([](auto& s) { s.client.answer = 0.0; }), "V5151");
  EXPECT_EQ(client_with([](auto& s) { s.side.bodies.resize(9, "b"); }), "V5151");
}

}  // namespace
}  // namespace vernier::rsp
