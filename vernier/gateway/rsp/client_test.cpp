#include "vernier/gateway/rsp/client.hpp"

#include "vernier/gateway/rsp/hand_test.hpp"

namespace vernier::rsp {
namespace {

using namespace std::chrono_literals;
using namespace hand;
using C = ClientState;

/// A 10 Hz client of a 250 Hz server that the test simulates.
struct Simulator {
  explicit Simulator(ClientSettings s = {}) : client(completed(s)) {
    hand.map = {{25, 1}, 0, 0};
    hand.size = numbers(1, false);
  }
  static ClientSettings completed(ClientSettings s) {
    s.period = {100'000'000, 1};
    s.initial = 2s;
    return s;
  }
  void step(int count = 1) {
    for (; count > 0; --count) {
      hand.out.clear();
      client.begin(++n, hand);
      for (const Client::Note& x : client.notes()) notes.push_back(x);
      running_in_step = client.simulating();
      client.send(hand, {states, start, stop});
    }
  }
  void say(Kind kind, std::array<double, 6> arguments = {}, std::int64_t run = -1) {
    Packet p;
    p.kind = kind;
    p.run = run < 0 ? client.run() : run;
    p.arguments = arguments;
    hand.give(p);
  }
  void feedback(ServerState s) { say(Kind::feedback, {static_cast<double>(s)}); }
  std::optional<Packet> sent() const {
    return hand.out.empty() ? std::nullopt : std::optional(hand.out.back());
  }

  void bring(C state) {
    if (state == C::offline) {
      hand.is_up = false;
      step();
      return;
    }
    step();
    if (state == C::waiting) return;
    say(Kind::ready, {}, 0);
    step();
    if (state == C::asking) return;
    say(Kind::init_ack);
    step();
    if (state == C::counting) return;
    while (client.state() != C::running) step();
    if (state == C::running) return;
    stop = true;
    step();
  }

  Hand hand;
  std::vector<Trajectory> states{at(0.3, 0.01)};
  bool start = true, stop = false, running_in_step = false;
  std::int64_t n = -1;
  Client client;
  std::vector<Client::Note> notes;
};

constexpr C all_states[] = {C::offline,  C::waiting, C::asking,
                            C::counting, C::running, C::stopping};

TEST(Client, GoesThroughARunAsThePaperDoes) {
  Simulator s;
  EXPECT_EQ(s.client.state(), C::offline);
  s.step();
  EXPECT_EQ(s.client.state(), C::waiting);
  EXPECT_FALSE(s.sent());
  s.hand.map = {{25, 1}, 1, 40};  // client step 1 is server step 40
  s.say(Kind::ready, {}, 7);
  s.step();
  EXPECT_EQ(s.client.state(), C::asking);
  // (9): 20 steps of 0.1 s from step 1; (11): 40 + 20 · 25; (10): + ceil(1.5 · 25)
  ASSERT_TRUE(s.sent());
  EXPECT_EQ(s.sent()->kind, Kind::init);
  EXPECT_EQ(s.sent()->run, 8);
  EXPECT_EQ(s.sent()->step, 21);
  EXPECT_EQ(s.sent()->arguments, (std::array<double, 6>{578, 100e6, 1, 0.5, 2, 0}));
  EXPECT_EQ(s.sent()->states[0].p[0], 0.3);
  s.step();  // repeated unchanged until it is answered
  EXPECT_EQ(s.sent()->step, 21);
  s.say(Kind::init_ack);
  s.step();
  EXPECT_EQ(s.client.state(), C::counting);
  EXPECT_FALSE(s.sent());
  while (s.n < 20) {
    s.step();
    EXPECT_FALSE(s.running_in_step);
  }
  s.step();  // n_init,c: still in the initial state, then advances
  EXPECT_TRUE(s.running_in_step);
  EXPECT_EQ(s.client.state(), C::counting);
  EXPECT_FALSE(s.sent());
  s.step();
  EXPECT_EQ(s.client.state(), C::running);
  ASSERT_TRUE(s.sent());
  EXPECT_EQ(s.sent()->kind, Kind::state);
  EXPECT_EQ(s.sent()->step, 22);
  EXPECT_EQ(s.sent()->arguments[0], 603.0);
  s.stop = true;
  s.step();
  EXPECT_EQ(s.client.state(), C::stopping);
  EXPECT_FALSE(s.client.simulating());
  EXPECT_EQ(s.sent()->kind, Kind::stop);
  s.step();
  EXPECT_EQ(s.sent()->kind, Kind::stop);
  s.say(Kind::halted, {1});
  s.step();
  EXPECT_EQ(s.client.state(), C::waiting);
  EXPECT_EQ(s.client.counters().runs, 1);
}

TEST(Client, ALostLinkInAnyStateStopsTheModel) {
  for (const C state : all_states) {
    for (const bool renewed : {false, true}) {  // down, or a new session at once
      Simulator s;
      s.bring(state);
      EXPECT_EQ(s.client.state(), state);
      s.hand.is_up = renewed;
      s.hand.number += renewed;
      s.step();
      EXPECT_FALSE(s.client.simulating());
      EXPECT_EQ(s.client.state(), renewed ? C::waiting : C::offline) << name(state);
    }
  }
}

TEST(Client, AStopInAnyStateEndsInWaiting) {
  for (const C state : all_states) {
    Simulator s;
    s.bring(state);
    s.stop = true;
    s.step();
    EXPECT_FALSE(s.client.simulating()) << name(state);
    const bool asks = state != C::offline && state != C::waiting;
    EXPECT_EQ(s.client.state(), asks ? C::stopping : state) << name(state);
    s.hand.is_up = true;
    s.step(110);  // no answer for 10 s
    EXPECT_EQ(s.client.state(), C::waiting) << name(state);
    s.say(Kind::ready);
    s.step();
    EXPECT_EQ(s.client.state(), C::waiting);  // stop is still requested
    s.stop = false;
    s.step();
    EXPECT_EQ(s.client.state(), C::asking);
  }
}

TEST(Client, AFaultInAnyStateStopsTheModel) {
  for (const C state : all_states) {
    if (state == C::offline) continue;
    Simulator s;
    s.bring(state);
    s.say(Kind::fault);
    s.step();
    EXPECT_FALSE(s.client.simulating());
    EXPECT_EQ(s.client.state(), C::waiting) << name(state);
    EXPECT_EQ(s.client.remote().state, ServerState::fault);
  }
}

TEST(Client, ARefusalIsToldAndAskedAgainAfterASecond) {
  Simulator s;
  s.bring(C::asking);
  s.say(Kind::init_nak, {static_cast<double>(Refusal::speed), 0.71, 0.5, 0});
  s.step();
  EXPECT_EQ(s.client.state(), C::waiting);
  EXPECT_EQ(s.client.counters().refused, 1);
  const auto& told = s.notes.back().kind == Client::Note::Kind::state ? s.notes[s.notes.size() - 2]
                                                                      : s.notes.back();
  EXPECT_EQ(told.kind, Client::Note::Kind::refused);
  EXPECT_EQ(told.item, static_cast<int>(Refusal::speed));
  EXPECT_EQ(told.values[0], 0.71);
  const std::int64_t run = s.client.run();
  for (int k = 0; k < 9; ++k) {
    s.say(Kind::ready);
    s.step();
    EXPECT_EQ(s.client.state(), C::waiting) << k;
  }
  s.say(Kind::ready);
  s.step();
  EXPECT_EQ(s.client.state(), C::asking);
  EXPECT_GT(s.client.run(), run);
}

TEST(Client, NoAnswerForTwoSecondsIsARefusal) {
  Simulator s;
  s.bring(C::asking);
  s.step(19);
  EXPECT_EQ(s.client.state(), C::asking);
  s.step();
  EXPECT_EQ(s.client.state(), C::waiting);
  EXPECT_EQ(s.client.counters().refused, 1);
}

TEST(Client, HearsFromTheFeedbackWhatItMissed) {
  Simulator s;  // READY, INIT_ACK and HALTED may be replaced in transit
  s.bring(C::waiting);
  s.feedback(ServerState::ready);
  s.step();
  EXPECT_EQ(s.client.state(), C::asking);
  s.say(Kind::feedback, {static_cast<double>(ServerState::approaching)}, s.client.run() - 1);
  s.step();
  EXPECT_EQ(s.client.state(), C::asking);  // of another run
  s.feedback(ServerState::approaching);
  s.step();
  EXPECT_EQ(s.client.state(), C::counting);
  while (s.client.state() != C::running) s.step();
  s.feedback(ServerState::halting);
  s.step();
  EXPECT_EQ(s.client.state(), C::stopping);
  EXPECT_FALSE(s.client.simulating());
  s.feedback(ServerState::ready);
  s.step();
  EXPECT_EQ(s.client.state(), C::waiting);
}

TEST(Client, AReadyFromBeforeItsRunSaysNothingOfIt) {
  Simulator s;
  s.bring(C::running);
  s.say(Kind::ready, {}, s.client.run() - 1);
  s.step();
  EXPECT_EQ(s.client.state(), C::running);
  s.say(Kind::ready);
  s.step();
  EXPECT_NE(s.client.state(), C::running);
}

TEST(Client, DoesNotAskWithoutKnowingTheServersSteps) {
  Simulator s;
  s.hand.known = false;
  s.step();
  s.say(Kind::ready, {}, 0);
  s.step(5);
  EXPECT_EQ(s.client.state(), C::waiting);
  s.hand.known = true;
  s.step();
  EXPECT_EQ(s.client.state(), C::asking);
}

TEST(Client, ARunOfAGivenLengthEndsByItselfAndBeginsAgainWhenAsked) {
  ClientSettings settings;
  settings.duration = 500ms;
  Simulator s(settings);
  s.bring(C::running);
  const std::int64_t begin = s.client.start().client_step;
  while (s.client.state() == C::running) s.step();
  EXPECT_EQ(s.n, begin + 5);
  EXPECT_EQ(s.sent()->kind, Kind::stop);
  s.say(Kind::halted, {1});
  s.step();
  s.say(Kind::ready);
  s.step(3);
  EXPECT_EQ(s.client.state(), C::waiting);
  s.start = false;
  s.step();
  s.start = true;
  s.step();
  EXPECT_EQ(s.client.state(), C::asking);
}

TEST(Client, WhatIsNoPacketOfAServerIsCounted) {
  Simulator s;
  s.bring(C::running);
  s.hand.in.push_back(std::vector<double>(38, 0.5));
  s.say(Kind::init);
  s.say(Kind::feedback, {99.0});
  s.step();
  EXPECT_EQ(s.client.counters().malformed, 2);
  EXPECT_EQ(s.client.state(), C::running);
}

}  // namespace
}  // namespace vernier::rsp
