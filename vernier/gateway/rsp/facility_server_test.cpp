#include "vernier/gateway/rsp/facility_server.hpp"

#include <algorithm>

#include "vernier/gateway/rsp/hand_test.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::rsp {
namespace {

using namespace hand;
using S = ServerState;

std::ptrdiff_t count(const std::vector<Kind>& all, Kind k) {
  return std::count(all.begin(), all.end(), k);
}

// -- every row of the state table --

TEST(FacilityServer, IsIdleUntilLinkAndFacilityAreReady) {
  Facility10 f;
  f.hand.is_up = false;
  f.step(5);
  EXPECT_EQ(f.server.state(), S::idle);
  EXPECT_TRUE(f.sent.empty());
  f.hand.is_up = true;
  f.ready = false;
  f.step(2);
  EXPECT_EQ(f.server.state(), S::idle);
  f.ready = true;
  f.step(2);
  EXPECT_EQ(f.server.state(), S::ready);
  // at once, then every second
  f.sent.clear();
  f.step(1000);
  EXPECT_EQ(count(f.sent, Kind::ready), 4);
  EXPECT_EQ(count(f.sent, Kind::feedback), 996);
  f.ready = false;
  f.step(2);
  EXPECT_EQ(f.server.state(), S::idle);
}

TEST(FacilityServer, FollowsAFacilityThatDoesNotFollowIt) {
  Facility10 f;
  f.ready = false;
  f.step(2);
  f.measured[0] = at(0.7);
  f.server.observe({false, false, f.measured});
  f.server.begin(++f.n, f.hand);
  EXPECT_EQ(f.x(), 0.7);
  EXPECT_EQ(f.v(), 0.0);
}

TEST(FacilityServer, AnInitializationIsAcknowledgedAndTheInitialStateReachedInItsStep) {
  Facility10 f;
  f.step(2);
  f.hand.give(f.init(6.0, at(0.1, 0.05)));
  f.step(5);
  EXPECT_EQ(f.server.state(), S::approaching);
  f.step(5);
  EXPECT_GE(count(f.sent, Kind::init_ack), 1);
  EXPECT_EQ(f.server.run(), 1);
  f.give(1);
  f.until(f.start - 1);
  EXPECT_EQ(f.server.state(), S::approaching);
  f.step();
  EXPECT_EQ(f.server.state(), S::running);
  EXPECT_NEAR(f.x(), 0.1, 1e-15);
  EXPECT_NEAR(f.v(), 0.05, 1e-15);
}

TEST(FacilityServer, AnInitializationThatIsRepeatedIsAnsweredAgain) {
  Facility10 f;
  f.step(2);
  const Packet init = f.init();
  f.hand.give(init);
  f.step(10);
  const auto before = count(f.sent, Kind::init_ack);
  f.hand.give(init);
  f.step(5);
  EXPECT_GT(count(f.sent, Kind::init_ack), before);
  EXPECT_EQ(f.server.counters().runs, 1);
}

TEST(FacilityServer, GoesOnWithoutCommandWhenNoneIsThereAtTheBeginning) {
  Facility10 f;
  f.step(2);
  f.hand.give(f.init(6.0, at(0.1, 0.05)));
  f.step(5);
  f.until(f.start);
  EXPECT_EQ(f.server.state(), S::extrapolating);
  f.step(10);
  EXPECT_NEAR(f.x(), 0.1 + 0.05 * 0.04, 1e-12);  // no acceleration was commanded
  f.give(1);
  f.step();
  EXPECT_EQ(f.server.state(), S::running);
  EXPECT_EQ(f.server.counters().late, 1);
  EXPECT_EQ(f.server.counters().rejoined, 1);
  f.until(f.due(1));
  EXPECT_NEAR(f.x(), f.line(1).p[0], 1e-12);
}

TEST(FacilityServer, RunsFromCommandToCommandAndIsInEachExactly) {
  Facility10 f;
  f.run_to(1);
  const auto turning = [&](std::int64_t k) {
    Trajectory t = at(0.1 + 0.005 * static_cast<double>(k), 0.05);
    t.q = spatial::exponential(Vector3(0.0005 * static_cast<double>(k - 1), 0, 0));
    t.omega = Vector3(k > 1 ? 0.005 : 0.0, 0, 0);
    return t;
  };
  for (std::int64_t k = 2; k < 20; ++k) {
    f.hand.give(f.command(k, turning(k)));
    f.until(f.due(k - 1));
    const Trajectory t = turning(k - 1), &now = f.server.commanded()[0];
    EXPECT_NEAR((now.p - t.p).norm() + (now.v - t.v).norm(), 0.0, 1e-13) << k;
    EXPECT_NEAR((now.q - t.q).norm() + (now.omega - t.omega).norm(), 0.0, 1e-13) << k;
    f.step(20);
  }
  EXPECT_EQ(f.server.counters().extrapolated, 0);
}

TEST(FacilityServer, EndsARunWithoutCommandsAfterThreeIntervals) {
  Facility10 f;
  f.run_to(3);
  f.until(f.due(3) + 74);
  EXPECT_EQ(f.server.state(), S::extrapolating);
  EXPECT_EQ(f.server.counters().extrapolated, 3);
  f.step();
  EXPECT_EQ(f.server.state(), S::halting);
  EXPECT_EQ(f.server.end(), End::silent);
  f.step();
  EXPECT_EQ(f.last.kind, Kind::feedback);
  EXPECT_EQ(f.last.arguments[5], static_cast<double>(End::silent));
  EXPECT_TRUE(f.reaches(S::ready, 1000));
}

TEST(FacilityServer, EndsARunWithoutCommandsAfterASecond) {
  ServerSettings s;
  s.most_intervals = 7;
  s.most_time = 0.25;
  Facility10 f(s);
  f.run_to(3);
  f.until(f.due(3) + 62);
  EXPECT_EQ(f.server.state(), S::extrapolating);
  f.step();
  EXPECT_EQ(f.server.state(), S::halting);
}

TEST(FacilityServer, ComesToRestSaysSoAndIsReadyAgain) {
  Facility10 f;
  f.run_to(3);
  f.hand.give(f.stop());
  f.step();
  EXPECT_EQ(f.server.state(), S::halting);
  EXPECT_EQ(f.server.end(), End::stopped);
  f.sent.clear();
  ASSERT_TRUE(f.reaches(S::halted, 1000));
  EXPECT_EQ(f.v(), 0.0);
  EXPECT_EQ(f.last.kind, Kind::halted);
  EXPECT_EQ(f.last.arguments[0], static_cast<double>(End::stopped));
  f.step();
  EXPECT_EQ(f.server.state(), S::ready);
  f.step(5);
  EXPECT_GE(count(f.sent, Kind::ready), 1);
  EXPECT_EQ(count(f.sent, Kind::halted), 3);
  // and again, if the client has not received it
  f.hand.give(f.stop());
  f.step(2);
  EXPECT_EQ(f.last.kind, Kind::halted);
}

/// Brings a new server into the given state.
void bring(Facility10& f, S state) {
  switch (state) {
    case S::idle:
      f.hand.is_up = false;
      f.step(2);
      f.hand.is_up = true;  // the link is lost in the step in which it would come up
      break;
    case S::ready:
      f.step(2);
      break;
    case S::approaching:
      f.step(2);
      f.hand.give(f.init(6.0, at(0.1, 0.05)));
      f.step(700);
      break;
    case S::running:
      f.run_to(3);
      f.step(10);
      break;
    case S::extrapolating:
      f.run_to(3);
      f.until(f.due(3) + 20);
      break;
    case S::halting:
      f.run_to(3);
      f.hand.give(f.stop());
      f.step(20);
      break;
    case S::halted:
      f.run_to(3);
      f.hand.give(f.stop());
      f.reaches(S::halted, 1000);
      break;
    case S::fault:
      f.run_to(3);
      f.fault = true;
      f.step(5);
      break;
  }
  if (state != S::idle) {
    ASSERT_EQ(f.server.state(), state);
  }
}

constexpr S all_server_states[] = {S::idle,          S::ready,   S::approaching, S::running,
                                   S::extrapolating, S::halting, S::halted,      S::fault};

TEST(FacilityServer, ALinkLostInAnyStateEndsInRest) {
  for (const S state : all_server_states) {
    Facility10 f;
    bring(f, state);
    f.hand.is_up = false;
    f.fault = false;
    f.step(1500);
    EXPECT_EQ(f.server.state(), S::idle) << name(state);
    EXPECT_EQ(f.v(), 0.0);
    // a new session can begin
    f.hand.is_up = true;
    ++f.hand.number;
    f.step(2);
    EXPECT_EQ(f.server.state(), S::ready) << name(state);
    f.hand.give(f.init(6.0));
    f.step(6);
    EXPECT_EQ(f.server.state(), S::approaching) << name(state);
  }
}

TEST(FacilityServer, AnotherSessionIsAnotherClient) {
  Facility10 f;
  f.run_to(3);
  ++f.hand.number;  // so fast that it never appeared down
  f.step();
  EXPECT_EQ(f.server.state(), S::halting);
  EXPECT_EQ(f.server.end(), End::lost);
}

TEST(FacilityServer, AFaultInAnyStateEndsInRestAndStaysUntilItIsOver) {
  for (const S state : all_server_states) {
    Facility10 f;
    bring(f, state);
    f.fault = true;
    f.sent.clear();
    f.step(1500);
    EXPECT_EQ(f.server.state(), S::fault) << name(state);
    EXPECT_EQ(f.v(), 0.0);
    EXPECT_GE(count(f.sent, Kind::fault), 5) << name(state);
    f.hand.give(f.init(6.0));
    f.step(6);
    EXPECT_EQ(f.nak.arguments[0], static_cast<double>(Refusal::busy));
    f.fault = false;
    f.step(5);
    EXPECT_EQ(f.server.state(), S::ready) << name(state);
  }
}

TEST(FacilityServer, AFacilityThatIsNoLongerReadyEndsTheRun) {
  Facility10 f;
  f.run_to(3);
  f.ready = false;
  f.step(2);
  EXPECT_EQ(f.server.state(), S::halting);
  EXPECT_EQ(f.server.end(), End::faulty);
  f.ready = true;
  EXPECT_TRUE(f.reaches(S::ready, 1000));
}

TEST(FacilityServer, IsClosedAndOpenedByItsProgram) {
  Facility10 f;
  f.run_to(3);
  EXPECT_FALSE(f.server.at_rest());
  f.server.close();
  std::int64_t steps = 0;
  for (; steps < 2000 && !f.server.at_rest(); ++steps) f.step();
  EXPECT_TRUE(f.server.at_rest());
  EXPECT_LE(static_cast<double>(steps) * 0.004, f.server.longest_halt() + 8 * 0.004);
  EXPECT_EQ(f.v(), 0.0);
  EXPECT_EQ(f.server.end(), End::closed);
  EXPECT_EQ(std::count(f.sent.begin(), f.sent.end(), Kind::halted), 3) << "the client was told";
  // no run begins until it is opened
  f.step(100);
  EXPECT_EQ(f.server.state(), S::idle);
  f.hand.give(f.init());
  f.step(2);
  EXPECT_EQ(f.nak.arguments[0], static_cast<double>(Refusal::busy));
  f.server.open();
  EXPECT_TRUE(f.reaches(S::ready, 3));
}

// -- the checks of an initialization --

TEST(FacilityServer, RefusesWhatItCannotDoWithTheReasonTheValueAndTheLimit) {
  const double nan = std::nan("");
  struct Case {
    Refusal reason;
    std::function<void(Packet&)> change;
    double value, limit;  // ignored when the limit is 0
  };
  const std::vector<Case> cases = {
      {Refusal::run, [](Packet& p) { p.run = 0; }, 0, 0},
      {Refusal::run, [](Packet& p) { p.run = std::int64_t{1} << 52; }, 0, 0},
      {Refusal::bodies, [](Packet& p) { p.bodies = 2; }, 2, 1},
      {Refusal::not_a_number, [&](Packet& p) { p.states[0].p[1] = nan; }, 0, 0},
      {Refusal::not_a_number, [](Packet& p) { p.states[0].q[3] = 1.1; }, 0, 0},
      {Refusal::not_a_number, [](Packet& p) { p.arguments[0] += 0.5; }, 0, 0},
      {Refusal::too_late, [](Packet& p) { p.arguments[0] -= 400; }, 0.4, 1.0},
      {Refusal::too_far, [](Packet& p) { p.arguments[0] += 200000; }, 802.0, 600.0},
      {Refusal::ratio, [](Packet& p) { p.arguments[1] = 3e6; }, 0.003, 0.004},
      {Refusal::ratio, [](Packet& p) { p.arguments[1] = 0.0; }, 0, 0},
      {Refusal::forerun, [](Packet& p) { p.arguments[3] = 1.25; }, 1.25, 1.0},
      {Refusal::turn,
       [](Packet& p) { p.states[0].q = spatial::turned(Vector3::UnitX(), 175 * degree); },
       175 * degree, 170 * degree},
      {Refusal::position, [](Packet& p) { p.states[0].p[2] = 5.5; }, 0, 0},
      {Refusal::speed, [](Packet& p) { p.states[0].v[1] = 0.6; }, 0, 0},
      {Refusal::acceleration, [](Packet& p) { p.states[0].p[0] = 0.5; }, 0, 0},
      {Refusal::jerk, [](Packet& p) { p.states[0].p[0] = 0.3; }, 0, 0},
      {Refusal::rate, [](Packet& p) { p.states[0].omega[1] = 0.5; }, 0, 0},
      {Refusal::angular_acceleration,
       [](Packet& p) { p.states[0].q = spatial::turned(Vector3::UnitY(), 20 * degree); }, 0, 0},
      {Refusal::angular_jerk,
       [](Packet& p) { p.states[0].q = spatial::turned(Vector3::UnitY(), 12 * degree); }, 0, 0}};
  for (const Case& c : cases) {
    // of the limits, only the tested one is active
    ServerSettings s;
    s.limits = {usual()};
    Limits& l = s.limits[0];
    const std::pair<Refusal, double*> limits[] = {
        {Refusal::speed, &l.speed},
        {Refusal::acceleration, &l.acceleration},
        {Refusal::jerk, &l.jerk},
        {Refusal::rate, &l.rate},
        {Refusal::angular_acceleration, &l.angular_acceleration},
        {Refusal::angular_jerk, &l.angular_jerk}};
    for (const auto& [reason, limit] : limits) {
      if (c.reason >= Refusal::position && reason != c.reason) *limit *= 1000.0;
    }
    Facility10 f(s);
    f.hand.size = numbers(2, false);
    f.step(2);
    Packet p = f.init(2.0);
    c.change(p);
    f.hand.give(p);
    f.step(6);
    EXPECT_EQ(f.server.state(), S::ready) << words(c.reason);
    EXPECT_EQ(f.nak.kind, Kind::init_nak);
    EXPECT_EQ(f.nak.run, p.run);
    EXPECT_EQ(f.nak.arguments[0], static_cast<double>(c.reason)) << words(c.reason);
    if (c.limit != 0.0) {
      EXPECT_NEAR(f.nak.arguments[1], c.value, 1e-9) << words(c.reason);
      EXPECT_NEAR(f.nak.arguments[2], c.limit, 1e-9) << words(c.reason);
    } else if (c.reason >= Refusal::position && c.reason <= Refusal::angular_jerk) {
      EXPECT_GT(std::abs(f.nak.arguments[1]), f.nak.arguments[2]);
      EXPECT_GT(f.nak.arguments[2], 0.0);
    }
    EXPECT_EQ(f.server.counters().refused, 1);
    // the same request is answered again but not counted; a corrected one is accepted
    f.hand.give(p);
    f.step(6);
    if (c.reason != Refusal::run) {
      EXPECT_EQ(f.server.counters().refused, 1);
    }
    f.hand.give(f.init(6.0));
    f.step(6);
    EXPECT_EQ(f.server.state(), S::approaching) << words(c.reason);
  }
}

TEST(FacilityServer, RefusesAnInitializationWithoutKnowingTheClientsSteps) {
  Facility10 f;
  f.step(2);
  f.hand.known = false;
  f.hand.give(f.init());
  f.step(2);
  EXPECT_EQ(f.nak.arguments[0], static_cast<double>(Refusal::reference));
}

TEST(FacilityServer, ASecondInitializationEndsTheRunThatIsGoingOn) {
  Facility10 f;
  f.run_to(3);
  f.hand.give(f.init());
  f.step();
  EXPECT_EQ(f.nak.arguments[0], static_cast<double>(Refusal::busy));
  EXPECT_EQ(f.server.state(), S::halting);
  EXPECT_EQ(f.server.end(), End::lost);
}

TEST(FacilityServer, AStopBeforeTheAnswerTakesTheInitializationBack) {
  Facility10 f;
  f.step(2);
  f.hand.give(f.init(500.0));  // checking it takes some steps
  f.step(2);
  f.hand.give(f.stop());
  f.step(300);
  EXPECT_EQ(f.server.state(), S::ready);
  EXPECT_GE(count(f.sent, Kind::halted), 1);
  EXPECT_EQ(count(f.sent, Kind::init_ack), 0);
}

TEST(FacilityServer, AWayThatSwingsBackTooFarIsRefused) {
  // from rest at 0 to 0.1 m with 0.1 m/s in 30 s, the quintic passes through -0.5147 m
  for (const auto& [low, taken] : {std::pair{-0.50, false}, {-0.53, true}}) {
    ServerSettings s;
    s.limits = {usual()};
    s.limits[0].low[0] = low;
    Facility10 f(s);
    f.step(2);
    f.hand.give(f.init(30.0, at(0.1, 0.1)));
    f.step(20);
    EXPECT_EQ(f.server.state(), taken ? S::approaching : S::ready) << low;
    if (taken) continue;
    EXPECT_EQ(f.nak.arguments[0], static_cast<double>(Refusal::position));
    EXPECT_EQ(f.nak.arguments[2], low);
    EXPECT_LT(f.nak.arguments[1], low);
  }
}

TEST(FacilityServer, ALongWayIsCheckedAPartPerStepAndAllOfItBeforeItIsTaken) {
  Facility10 f;
  f.step(2);
  f.hand.give(f.init(590.0, at(3.0)));
  f.step(100);
  EXPECT_EQ(f.server.state(), S::ready);
  f.step(100);
  EXPECT_EQ(f.server.state(), S::approaching);
  EXPECT_EQ(f.server.counters().refused, 0);
}

TEST(FacilityServer, DoesNotAllocateInItsSteps) {
  Facility10 f;
  f.run_to(3);
  std::vector<double> command(f.hand.size), room;
  encode(f.command(4, f.line(4)), command);
  struct Quiet final : Transport {
    std::span<const double> waiting;
    std::size_t size = 0;
    bool up() const noexcept override { return true; }
    std::uint32_t session() const noexcept override { return 1; }
    const link::StepMap* steps() const noexcept override { return nullptr; }
    Vector next() noexcept override { return {std::exchange(waiting, {}), 0.0}; }
    std::size_t room() const noexcept override { return size; }
    void send(std::span<const double>) noexcept override {}
  } quiet;
  quiet.size = f.hand.size;
  quiet.waiting = command;
  const long before = testing::allocations();
  // through a junction, into extrapolation and a halt
  for (int i = 0; i < 400; ++i) {
    f.server.begin(++f.n, quiet);
    f.server.send(quiet);
  }
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_EQ(f.server.end(), End::silent);
}

}  // namespace
}  // namespace vernier::rsp
