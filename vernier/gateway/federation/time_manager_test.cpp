#include "vernier/gateway/federation/time_manager.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <map>
#include <string>

#include "vernier/gateway/federation/callbacks.hpp"

namespace vernier::federation {
namespace {

using enum AdvanceKind;

Stamp at(std::int64_t t) { return {t}; }
Stamp real(double t) { return {std::bit_cast<std::int64_t>(t)}; }

/// A federation whose federates record what they are told: "R5" regulation enabled at 5, "C5"
/// constrained, "G5" granted, "m3" message 3 (in either order), "x3" retraction of number 3.
struct Clocked {
  explicit Clocked(TimeKind kind = TimeKind::integer64)
      : time(kind, [this](Handle h, const Frame& f) { told[h] += word(*f) + " "; }) {}

  std::string word(Bytes f) const {
    const auto of = [](Stamp s) { return std::to_string(s.raw); };
    RegulationEnabled r;
    ConstrainedEnabled c;
    Granted g;
    Receive m;
    RetractionRequested x;
    switch (header(f)->kind) {
      case Kind::regulation_enabled:
        return read(f, r) ? "R" + of(r.time) : "?";
      case Kind::constrained_enabled:
        return read(f, c) ? "C" + of(c.time) : "?";
      case Kind::granted:
        return read(f, g) ? "G" + of(g.time) : "?";
      case Kind::retraction_requested:
        return read(f, x) ? "x" + std::to_string(x.retraction.number) : "?";
      default:
        return !read(f, m) ? "?"
                           : (m.received == Order::time_stamp ? "m" : "r") +
                                 std::to_string(m.interaction_class);
    }
  }
  std::string said(Handle h) { return std::exchange(told[h], {}); }
  /// Sends message number `id` to these federates, as a core would.
  void send(Handle from, std::uint32_t id, Stamp stamp, std::initializer_list<Handle> to) {
    const bool stamped = time.order_for_sending(from, stamp) == Order::time_stamp;
    if (stamped) time.sent(from, stamp, id);
    const Retraction r = stamped ? Retraction{from, id} : Retraction{};
    for (const Handle h : to) {
      const bool holds = stamped && time.constrained(h);
      const Frame f = frame(
          Receive{.interaction_class = id, .received = holds ? Order::time_stamp : Order::receive});
      holds ? time.hold(h, stamp, f, r) : time.pass(h, f, r);
    }
  }
  void both(Handle h, Stamp lookahead) {
    time.add(h);
    time.enable_constrained(h);
    time.enable_regulation(h, lookahead);
    told[h].clear();
  }

  std::map<Handle, std::string> told;
  TimeManager time;
};

template <class F>
Failure failure(F&& call) {
  try {
    call();
  } catch (const Refusal& r) {
    return r.failure;
  }
  return Failure::none;
}

TEST(TimeManager, TellsTimesFromOtherNumbers) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(valid(TimeKind::integer64, at(std::numeric_limits<std::int64_t>::max())));
  EXPECT_FALSE(valid(TimeKind::integer64, at(-1)));
  EXPECT_TRUE(valid(TimeKind::float64, real(std::numeric_limits<double>::max())));
  EXPECT_TRUE(valid(TimeKind::float64, real(5e-324)));
  for (const double bad : {-0.0, -1.0, inf, -inf, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(valid(TimeKind::float64, real(bad))) << bad;
  EXPECT_EQ(sum(TimeKind::integer64, at(3), at(4)), at(7));
  EXPECT_FALSE(sum(TimeKind::integer64, at(std::numeric_limits<std::int64_t>::max()), at(1)));
  EXPECT_EQ(sum(TimeKind::float64, real(0.5), real(0.25)), real(0.75));
  EXPECT_FALSE(sum(TimeKind::float64, real(1e308), real(1e308)));
}

TEST(TimeManager, GrantsAnUnconstrainedFederateAtOnce) {
  Clocked f;
  f.time.add(1);
  for (const auto how : {to, to_available, next, next_available, flush}) {
    f.time.advance(1, how, at(7));
    EXPECT_EQ(f.said(1), "G7 ");
  }
  EXPECT_FALSE(f.time.galt(1));
  EXPECT_FALSE(f.time.lits(1));
}

TEST(TimeManager, MovesTwoInLockStepWithMessagesBeforeGrants) {
  Clocked f;
  f.both(1, at(10));
  f.both(2, at(10));
  for (int k = 1; k < 5; ++k) {
    f.send(1, 2 * k, at(10 * k), {2});
    f.send(2, 2 * k + 1, at(10 * k), {1});
    f.time.advance(1, to, at(10 * k));
    EXPECT_EQ(f.said(1), "");  // the other may still send at this time
    f.time.advance(2, to, at(10 * k));
    EXPECT_EQ(f.said(1), "m" + std::to_string(2 * k + 1) + " G" + std::to_string(10 * k) + " ");
    EXPECT_EQ(f.said(2), "m" + std::to_string(2 * k) + " G" + std::to_string(10 * k) + " ");
  }
  EXPECT_EQ(f.time.galt(1), at(50));
}

TEST(TimeManager, AvailableAdvancesGoToTheBoundItself) {
  Clocked f;
  f.both(1, at(10));
  f.both(2, at(10));
  f.time.advance(1, to_available, at(10));
  EXPECT_EQ(f.said(1), "G10 ");
  f.send(2, 1, at(10), {1});  // may still arrive
  f.time.advance(1, next_available, at(20));
  EXPECT_EQ(f.said(1), "m1 G10 ");
  f.time.advance(1, to_available, at(21));
  EXPECT_EQ(f.said(1), "");
}

TEST(TimeManager, WithLookaheadZeroAGrantedTimeIsOver) {
  Clocked f;
  f.both(1, at(0));
  f.both(2, at(0));
  f.time.advance(1, to, at(5));
  EXPECT_EQ(failure([&] { f.time.order_for_sending(1, at(5)); }), Failure::InvalidLogicalTime);
  EXPECT_EQ(f.time.order_for_sending(1, at(6)), Order::time_stamp);
  f.time.advance(2, to_available, at(5));  // 2 advances to 5 and may then still send at 5
  EXPECT_EQ(f.said(1), "");
  EXPECT_EQ(f.said(2), "G5 ");
  EXPECT_EQ(f.time.order_for_sending(2, at(5)), Order::time_stamp);
  f.time.advance(2, to, at(5));
  EXPECT_EQ(f.said(2), "G5 ");
  EXPECT_EQ(f.said(1), "G5 ");
  f.time.advance(2, to_available, at(5));  // does not permit 5 again
  EXPECT_EQ(f.said(2), "G5 ");
  EXPECT_EQ(failure([&] { f.time.order_for_sending(2, at(5)); }), Failure::InvalidLogicalTime);
  EXPECT_EQ(f.time.lookahead(2), at(0));
}

TEST(TimeManager, NextGoesToTheNextMessageOrToTheEnd) {
  Clocked f;
  f.both(1, at(1));
  f.both(2, at(5));
  f.send(2, 7, at(8), {1});
  f.send(2, 8, at(8), {1});
  f.send(2, 9, at(12), {1});
  EXPECT_EQ(f.time.galt(1), at(5));
  EXPECT_EQ(f.time.lits(1), at(5));
  f.time.advance(1, next, at(20));
  EXPECT_EQ(f.said(1), "");
  f.time.advance(2, to, at(3));  // the bound is 8 now: not enough
  EXPECT_EQ(f.said(1), "");
  f.time.advance(2, next, at(30));
  EXPECT_EQ(f.said(1), "m7 m8 G8 ");
  EXPECT_EQ(f.said(2), "G3 ");
  f.time.advance(1, next, at(10));
  EXPECT_EQ(f.said(1), "G10 ");
}

TEST(TimeManager, FlushGivesAllAndGoesAsFarAsIsSafe) {
  Clocked f;
  f.both(1, at(1));
  f.both(2, at(5));
  f.send(2, 7, at(80), {1});
  f.send(2, 8, at(40), {1});
  f.time.advance(1, flush, at(30));
  EXPECT_EQ(f.said(1), "m8 m7 G5 ");
  f.time.disable_regulation(2);
  f.time.advance(1, flush, at(30));
  EXPECT_EQ(f.said(1), "G30 ");
}

TEST(TimeManager, EqualStampsComeBySenderThenAsSent) {
  Clocked f;
  f.both(1, at(1));
  f.both(2, at(1));
  f.both(3, at(1));
  f.send(3, 1, at(4), {1});
  f.send(2, 1, at(4), {1});
  f.send(3, 2, at(4), {1});
  f.send(2, 2, at(3), {1});
  for (const Handle h : {2, 3, 1}) f.time.advance(h, to, at(5));
  EXPECT_EQ(f.said(1), "m2 m1 m1 m2 G5 ");
}

TEST(TimeManager, ALateRegulatorStartsWhereNobodyHasItsMessagesBehind) {
  for (const bool also_constrained : {false, true}) {
    Clocked f;
    f.both(1, at(2));
    f.time.advance(1, to, at(100));
    f.said(1);
    f.time.add(2);
    if (also_constrained) f.time.enable_constrained(2);
    f.time.enable_regulation(2, at(10));
    // 1 has passed 100: the least stamp is 101
    EXPECT_EQ(f.said(2), also_constrained ? "C0 R91 " : "R91 ");
    EXPECT_EQ(f.time.order_for_sending(2, at(101)), Order::time_stamp);
    f.time.disable_regulation(2);
    f.time.advance(2, to, at(92));
    f.time.enable_regulation(2, at(0));
    EXPECT_EQ(f.said(2), "G92 R100 ");
    EXPECT_EQ(failure([&] { f.time.order_for_sending(2, at(100)); }), Failure::InvalidLogicalTime);
  }
  Clocked g(TimeKind::float64);
  g.both(1, real(0.5));
  g.time.advance(1, to, real(8.0));
  g.time.add(2);
  g.time.enable_regulation(2, real(0.25));
  EXPECT_EQ(g.time.time(2), real(8.0));
  g.time.disable_regulation(2);
  g.time.enable_regulation(2, real(0.0));
  EXPECT_EQ(failure([&] { g.time.order_for_sending(2, real(8.0)); }), Failure::InvalidLogicalTime);
}

TEST(TimeManager, WhoDoesNotKnowYetThatItRegulatesSendsInReceiveOrder) {
  Clocked f;
  f.both(1, at(10));
  EXPECT_EQ(f.time.order_for_sending(1, at(9), false), Order::receive);
  EXPECT_EQ(f.time.order_for_sending(1, at(10), false), Order::time_stamp);
}

TEST(TimeManager, RegulatingAndConstrainedWaitForWhoIsBehind) {
  Clocked f;
  f.both(1, at(20));  // slow
  f.both(2, at(50));
  f.time.advance(2, to_available, at(20));
  f.time.add(3);
  f.time.enable_constrained(3);
  EXPECT_EQ(f.said(3), "C0 ");
  f.send(1, 1, at(20), {3});
  f.time.enable_regulation(3, at(0));
  EXPECT_EQ(f.said(3), "m1 R20 ");
  // a federate that is ahead becomes constrained only when the others have caught up
  f.time.add(4);
  f.time.advance(4, to, at(60));
  f.time.enable_constrained(4);
  EXPECT_EQ(f.said(4), "G60 ");
  EXPECT_EQ(failure([&] { f.time.enable_constrained(4); }),
            Failure::RequestForTimeConstrainedPending);
  EXPECT_EQ(failure([&] { f.time.advance(4, to, at(61)); }),
            Failure::RequestForTimeConstrainedPending);
  f.time.remove(3);
  f.time.advance(1, to, at(45));
  EXPECT_EQ(f.said(4), "C60 ");
}

TEST(TimeManager, LookaheadShrinksWithTimeAndGrowsAtOnce) {
  Clocked f;
  f.both(1, at(10));
  f.time.modify_lookahead(1, at(4));
  EXPECT_EQ(f.time.lookahead(1), at(10));
  EXPECT_EQ(failure([&] { f.time.order_for_sending(1, at(9)); }), Failure::InvalidLogicalTime);
  f.time.advance(1, to, at(3));
  EXPECT_EQ(f.time.lookahead(1), at(7));
  f.time.advance(1, to, at(8));
  EXPECT_EQ(f.time.lookahead(1), at(4));
  EXPECT_EQ(f.time.order_for_sending(1, at(12)), Order::time_stamp);
  f.time.modify_lookahead(1, at(6));
  EXPECT_EQ(f.time.lookahead(1), at(6));
}

TEST(TimeManager, KeepsReceiveOrderMessagesUntilTheFederateAdvances) {
  Clocked f;
  f.both(1, at(1));
  f.time.add(2);
  f.send(2, 5, at(1), {1});  // not regulating: receive order
  EXPECT_EQ(f.said(1), "");
  f.time.advance(1, to, at(1));
  EXPECT_EQ(f.said(1), "r5 G1 ");
  f.send(2, 6, at(1), {1});
  f.time.enable_asynchronous(1);
  EXPECT_EQ(f.said(1), "r6 ");
  f.send(2, 7, at(1), {1});
  EXPECT_EQ(f.said(1), "r7 ");
  EXPECT_EQ(failure([&] { f.time.enable_asynchronous(1); }),
            Failure::AsynchronousDeliveryAlreadyEnabled);
  f.time.disable_asynchronous(1);
  EXPECT_EQ(failure([&] { f.time.disable_asynchronous(1); }),
            Failure::AsynchronousDeliveryAlreadyDisabled);
}

TEST(TimeManager, WhoIsConstrainedNoLongerGetsAllInReceiveOrder) {
  Clocked f;
  f.both(1, at(1));
  f.both(2, at(1));
  f.send(2, 1, at(9), {1});
  f.send(2, 2, at(5), {1});
  f.time.advance(1, to, at(7));
  EXPECT_EQ(f.said(1), "");
  f.time.disable_constrained(1);
  EXPECT_EQ(f.said(1), "r2 r1 G7 ");
}

TEST(TimeManager, RetractionTakesBackOrTells) {
  Clocked f;
  f.both(1, at(5));
  f.both(2, at(5));
  f.both(3, at(5));
  f.time.add(4);
  f.send(1, 1, at(9), {2, 3, 4});
  f.send(1, 2, at(8), {2});
  EXPECT_EQ(f.said(4), "r1 ");
  f.time.advance(3, flush, at(3));
  EXPECT_EQ(f.said(3), "m1 G3 ");
  f.time.retract(1, 1);
  EXPECT_EQ(f.said(2) + f.said(3) + f.said(4), "x1 x1 ");
  EXPECT_EQ(failure([&] { f.time.retract(1, 1); }), Failure::MessageCanNoLongerBeRetracted);
  EXPECT_EQ(failure([&] { f.time.retract(1, 3); }), Failure::InvalidMessageRetractionHandle);
  f.time.advance(1, to, at(4));  // the least stamp it may send is now 9
  EXPECT_EQ(failure([&] { f.time.retract(1, 2); }), Failure::MessageCanNoLongerBeRetracted);
  EXPECT_EQ(failure([&] { f.time.retract(4, 1); }), Failure::TimeRegulationIsNotEnabled);
}

TEST(TimeManager, ForgetsWhatCannotBeRetracted) {
  Clocked f;
  f.both(1, at(1));
  f.time.add(2);
  f.time.enable_constrained(2);
  f.said(2);
  f.send(1, 1, at(1'000'000), {2});
  std::uint32_t id = 2;
  for (int k = 1; k < 500; ++k) {
    f.send(1, id++, at(k), {2});
    f.time.advance(1, to, at(k));
  }
  f.time.retract(1, 1);
  EXPECT_EQ(failure([&] { f.time.retract(1, 5); }), Failure::MessageCanNoLongerBeRetracted);
  EXPECT_EQ(f.time.report(2).stamp_queue, 499u);
}

TEST(TimeManager, RefusesByTheNamesOfTheStandard) {
  Clocked f;
  f.both(1, at(5));
  f.both(2, at(5));
  f.time.add(3);
  auto& t = f.time;
  EXPECT_EQ(failure([&] { t.time(9); }), Failure::FederateNotExecutionMember);
  EXPECT_EQ(failure([&] { t.enable_regulation(1, at(1)); }), Failure::TimeRegulationAlreadyEnabled);
  EXPECT_EQ(failure([&] { t.enable_constrained(1); }), Failure::TimeConstrainedAlreadyEnabled);
  EXPECT_EQ(failure([&] { t.enable_regulation(3, at(-1)); }), Failure::InvalidLookahead);
  EXPECT_EQ(failure([&] { t.modify_lookahead(1, at(-1)); }), Failure::InvalidLookahead);
  EXPECT_EQ(failure([&] { t.disable_regulation(3); }), Failure::TimeRegulationIsNotEnabled);
  EXPECT_EQ(failure([&] { t.lookahead(3); }), Failure::TimeRegulationIsNotEnabled);
  EXPECT_EQ(failure([&] { t.modify_lookahead(3, at(1)); }), Failure::TimeRegulationIsNotEnabled);
  EXPECT_EQ(failure([&] { t.disable_constrained(3); }), Failure::TimeConstrainedIsNotEnabled);
  EXPECT_EQ(failure([&] { t.advance(1, to, at(-1)); }), Failure::InvalidLogicalTime);
  EXPECT_EQ(failure([&] { t.order_for_sending(3, at(-1)); }), Failure::InvalidLogicalTime);
  t.advance(3, to, at(4));
  EXPECT_EQ(failure([&] { t.advance(3, to, at(3)); }), Failure::LogicalTimeAlreadyPassed);
  t.advance(1, to, at(10));
  EXPECT_EQ(failure([&] { t.advance(1, to, at(11)); }), Failure::InTimeAdvancingState);
  EXPECT_EQ(failure([&] { t.modify_lookahead(1, at(1)); }), Failure::InTimeAdvancingState);
  t.disable_constrained(2);
  t.advance(2, to, at(3));
  t.disable_regulation(1);
  EXPECT_EQ(failure([&] { t.enable_regulation(1, at(1)); }), Failure::InTimeAdvancingState);
}

TEST(TimeManager, TheLastTimeCanBeReached) {
  const auto last = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t lookahead : {std::int64_t{0}, std::int64_t{1}, last}) {
    Clocked f;
    f.both(1, at(lookahead));
    f.both(2, at(lookahead));
    f.time.advance(1, to, at(last));
    f.time.advance(2, to, at(last));
    EXPECT_EQ(f.said(1), "G" + std::to_string(last) + " ");
    EXPECT_EQ(f.said(2), "G" + std::to_string(last) + " ");
    EXPECT_EQ(f.time.galt(1), at(last));
  }
}

TEST(TimeManager, StopsForASaveAndGoesOnAsBefore) {
  Clocked f;
  f.both(1, at(10));
  f.both(2, at(10));
  f.time.stop_at(at(10));
  EXPECT_FALSE(f.time.stopped());
  f.time.advance(1, to, at(10));
  f.time.advance(2, to, at(10));
  EXPECT_EQ(f.said(1), "G10 ");
  f.send(2, 1, at(28), {1});
  f.send(1, 1, at(25), {2});
  f.time.advance(1, to_available, at(28));
  EXPECT_FALSE(f.time.stopped());
  f.time.advance(2, to, at(18));
  EXPECT_TRUE(f.time.stopped());
  EXPECT_EQ(f.said(1), "");
  f.time.pause();
  std::vector<std::byte> saved;
  f.time.save(saved);
  f.time.go_on();
  EXPECT_EQ(f.said(1), "m1 G28 ");
  EXPECT_EQ(f.said(2), "G10 G18 ");
  EXPECT_EQ(failure([&] { f.time.stop_at(at(12)); }), Failure::LogicalTimeAlreadyPassed);

  Clocked g;
  for (std::size_t n = 0; n < saved.size(); ++n)
    EXPECT_FALSE(g.time.load(Bytes(saved).first(n))) << n;
  ASSERT_TRUE(g.time.load(saved));
  std::vector<std::byte> again;
  g.time.save(again);
  EXPECT_EQ(saved, again);
  g.time.retract(2, 1);
  g.time.go_on();
  EXPECT_EQ(g.said(1), "G28 ");
  EXPECT_EQ(g.said(2), "G18 ");
  g.time.advance(2, to, at(29));
  EXPECT_EQ(g.said(2), "m1 G29 ");
}

}  // namespace
}  // namespace vernier::federation
