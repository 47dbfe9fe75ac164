// Commands that are late, early, duplicated, missing or wrong; halts; limits.
#include <algorithm>

#include "vernier/gateway/rsp/hand_test.hpp"

namespace vernier::rsp {
namespace {

using namespace hand;
using S = ServerState;

TEST(Commands, LateOnesAreAimedAtWhileEnoughIsLeft) {
  // late by a fraction of the interval of 25 steps; used when a quarter is left
  for (const auto& [share, used] :
       {std::pair{0.1, true}, {0.5, true}, {0.65, true}, {0.8, false}, {0.99, false}}) {
    Facility10 f;
    f.run_to(3);
    f.until(f.due(3) + static_cast<std::int64_t>(25 * share));
    EXPECT_EQ(f.server.state(), S::extrapolating);
    f.give(4);
    f.step();
    EXPECT_EQ(f.server.state(), used ? S::running : S::extrapolating) << share;
    EXPECT_EQ(f.server.counters().late, 1);
    EXPECT_LT(f.server.forerun(), 0.0);
    f.give(5);
    f.until(f.due(5));
    EXPECT_NEAR(f.x(), f.line(5).p[0], 1e-12);
  }
}

TEST(Commands, ThoseOfAnIntervalThatIsOverAreNeverReplayed) {
  for (const double share : {1.5, 2.5}) {
    Facility10 f;
    f.run_to(3);
    f.until(f.due(3) + static_cast<std::int64_t>(25 * share));
    f.give(4);
    f.step();
    EXPECT_EQ(f.server.state(), S::extrapolating);
    EXPECT_EQ(f.server.counters().late, 1);
  }
  Facility10 f;  // four intervals late: the run is over
  f.run_to(3);
  f.until(f.due(3) + 100);
  f.give(4);
  f.step();
  EXPECT_EQ(f.server.state(), S::halting);
}

TEST(Commands, EarlyOnesAreKeptUpToEight) {
  Facility10 f;
  f.run_to(1);  // 1 is being followed
  for (std::int64_t k = 2; k <= 10; ++k) f.give(k);
  f.step();
  EXPECT_EQ(f.server.counters().early, 1);  // 10 is nine ahead
  f.until(f.due(9));
  EXPECT_NEAR(f.x(), f.line(9).p[0], 1e-12);
  EXPECT_EQ(f.server.counters().late, 0);
  f.step();
  EXPECT_EQ(f.server.state(), S::extrapolating);
}

TEST(Commands, InAnyOrder) {
  Facility10 f;
  f.run_to(1);
  for (const std::int64_t k : {4, 2, 5, 3}) f.give(k);
  f.until(f.due(5));
  EXPECT_EQ(f.server.counters().rejoined, 0);
  EXPECT_NEAR(f.x(), f.line(5).p[0], 1e-12);
}

TEST(Commands, DoubledOnesCountOnce) {
  Facility10 f;
  f.run_to(3);
  f.give(4);
  f.give(4);
  f.give(3);
  f.give(1);
  f.step();
  EXPECT_EQ(f.server.counters().duplicates, 3);
  EXPECT_EQ(f.server.counters().late, 0);
  f.until(f.due(4));
  EXPECT_NEAR(f.x(), f.line(4).p[0], 1e-12);
}

TEST(Commands, AGapIsBridgedByOneLongerSegment) {
  Facility10 f;
  f.run_to(3);
  f.give(6);  // 4 and 5 are lost
  f.until(f.due(3));
  EXPECT_EQ(f.server.state(), S::running);
  EXPECT_EQ(f.server.target(), 106);
  f.give(4);  // too late to be used
  f.until(f.due(6));
  EXPECT_EQ(f.server.counters().extrapolated, 1);
  EXPECT_NEAR(f.x(), f.line(6).p[0], 1e-12);
}

TEST(Commands, AGapThatIsTooLongIsNot) {
  Facility10 f;
  f.run_to(3);
  f.give(7);
  f.until(f.due(3));
  EXPECT_EQ(f.server.state(), S::extrapolating);
  f.until(f.due(4));  // from here it is close enough
  EXPECT_EQ(f.server.state(), S::running);
  EXPECT_EQ(f.server.target(), 107);
}

TEST(Commands, ThoseOfOtherRunsAreDropped) {
  Facility10 f;
  f.run_to(3);
  Packet p = f.command(4, at(0.3, 0.4));
  p.run = 7;
  f.hand.give(p);
  p.kind = Kind::stop;
  f.hand.give(p);
  f.step();
  EXPECT_EQ(f.server.counters().other_run, 2);
  EXPECT_EQ(f.server.state(), S::running);
}

TEST(Commands, ThreeInARowThatAreNoNumbersEndTheRun) {
  const auto spoil = [](Facility10& f, std::int64_t k, int how) {
    Packet p = f.command(k, f.line(k));
    if (how == 0) p.states[0].v[1] = INFINITY;
    if (how == 1) p.states[0].q[0] = 0.01;
    if (how == 2) p.arguments[0] = static_cast<double>(f.due(k)) + 3.0;  // a different due time
    f.hand.give(p);
  };
  Facility10 f;
  f.run_to(3);
  spoil(f, 4, 0);
  spoil(f, 4, 1);
  f.give(4);
  f.until(f.due(3));
  EXPECT_EQ(f.server.state(), S::running);  // it was missing, and arrived
  EXPECT_EQ(f.server.counters().rejected, 2);
  for (int how = 0; how < 3; ++how) spoil(f, 5, how);
  f.step();
  EXPECT_EQ(f.server.state(), S::halting);
  EXPECT_EQ(f.server.end(), End::unusable);
}

TEST(Commands, AnAttitudeMayBeSentWithEitherSign) {
  Facility10 f;
  f.run_to(1);
  for (std::int64_t k = 2; k < 12; ++k) {
    Trajectory t = f.line(k);
    t.q = (k % 2 ? -1.0 : 1.0) *
          spatial::exponential(Vector3(0, 0.0005 * static_cast<double>(k - 1), 0));
    t.omega = Vector3(0, 0.005, 0);
    f.hand.give(f.command(k, t));
    f.until(f.due(k - 1));  // every step is checked for jumps
  }
  EXPECT_EQ(f.server.counters().rejected, 0);
}

TEST(Commands, WithoutAccelerationsWhenTheyWereAgreedAreNotUsed) {
  Facility10 f;
  f.run_to(3);
  Packet p = f.command(4, f.line(4));
  p.accelerations = true;
  f.hand.size = numbers(1, true);
  f.hand.give(p);
  f.step();
  EXPECT_EQ(f.server.counters().rejected, 1);
}

TEST(Limits, ACommandBeyondThemIsNotUsedAndNeverCutOff) {
  Facility10 f;
  f.run_to(3);
  f.hand.give(f.command(4, at(0.5, 0.05)));  // 0.4 m in 0.1 s
  f.until(f.due(3));
  EXPECT_EQ(f.server.state(), S::extrapolating);
  EXPECT_EQ(f.server.counters().rejected, 1);
  EXPECT_NEAR(f.v(), 0.05, 1e-9);
  const auto told = std::find_if(f.notes.begin(), f.notes.end(),
                                 [](const Note& x) { return x.kind == Note::Kind::rejected; });
  ASSERT_NE(told, f.notes.end());
  EXPECT_GT(told->values[0], told->values[1]);
}

TEST(Limits, MoreTimeIsGivenWhereThatIsConfigured) {
  ServerSettings s;
  s.on_limit = ServerSettings::OnLimit::scale;
  Facility10 f(s);
  f.run_to(3, 0.2);
  // a quarter farther than its speed reaches in 0.1 s, which requires 3 m/s²; in 0.125 s it
  // requires none
  const Trajectory ahead = at(f.line(3).p[0] + 0.025, 0.2);
  f.hand.give(f.command(4, ahead));
  f.until(f.due(3));
  EXPECT_EQ(f.server.state(), S::running);
  EXPECT_EQ(f.server.counters().rejected, 0);
  EXPECT_GT(f.server.postponed(), 0.0);
  const auto more = std::llround(f.server.postponed() / 0.004);
  f.until(f.due(4) + more);
  EXPECT_NEAR(f.x(), ahead.p[0], 1e-12);
}

TEST(Limits, ARunTowardsAWallEndsWhileThereIsRoomToStop) {
  ServerSettings s;
  s.limits = {usual()};
  s.limits[0].high[0] = 0.4;
  s.most_intervals = 7, s.most_time = 100.0;
  Facility10 f(s);
  f.run_to(3, 0.2);
  // commands continue into the wall: those that leave no way to halt are not used
  for (std::int64_t k = 4; k < 25; ++k) {
    f.give(k);
    f.until(f.due(k - 1));
  }
  EXPECT_GT(f.server.counters().rejected, 0);
  EXPECT_TRUE(f.reaches(S::ready, 2000));
  EXPECT_LT(f.x(), 0.4 + 1e-9);
  EXPECT_GT(f.x(), 0.2);
}

// -- the soft halt --

TEST(Halt, HasTheReferenceValues) {
  // v = 0.05 m/s, T = 2 s: σ and the distance after 0.5, 1 and 2 s
  ServerSettings s;
  s.shortest_halt = 2.0;
  Facility10 f(s);
  f.run_to(3);
  const double x0 = f.x();
  f.hand.give(f.stop());
  f.step();
  const double begin = f.x();
  EXPECT_NEAR(begin - x0, 0.05 * 0.004, 1e-12);
  f.step(125);
  EXPECT_NEAR(f.v(), 0.05 * 0.896484375, 1e-12);
  EXPECT_NEAR(f.x() - begin, 0.0242919921875, 1e-12);
  f.step(125);
  EXPECT_NEAR(f.v(), 0.025, 1e-12);
  EXPECT_NEAR(f.x() - begin, 0.0421875, 1e-12);
  f.step(250);
  EXPECT_EQ(f.v(), 0.0);
  EXPECT_NEAR(f.x() - begin, 0.05, 1e-12);
}

TEST(Halt, IsAsLongAsAccelerationAndJerkAsk) {
  // reference values: v 0.05, a 0.1, j 0.5: 0.9375 s, 0.0234 m
  ServerSettings s;
  s.limits = {usual()};
  s.limits[0].acceleration = 0.1, s.limits[0].jerk = 0.5;
  Facility10 f(s);
  f.run_to(3);
  const double before = f.x();
  f.hand.give(f.stop());
  f.step();
  const std::int64_t began = f.n;
  ASSERT_TRUE(f.reaches(S::halted, 1000));
  EXPECT_NEAR(static_cast<double>(f.n - began) * 0.004, 0.9375, 0.004);
  EXPECT_NEAR(f.x() - before, 0.0234 + 0.0002, 1e-4);
}

TEST(Halt, InTheMidstOfASegmentKeepsAccelerationsContinuous) {
  Facility10 f;  // approaching is a quintic: every step is checked for its jerk
  f.step(2);
  f.hand.give(f.init(6.0, at(1.0)));
  f.step(400);
  ASSERT_EQ(f.server.state(), S::approaching);
  const double a = f.server.commanded()[0].a[0];
  EXPECT_GT(std::abs(a), 0.05);
  f.hand.give(f.stop());
  f.step();
  EXPECT_NEAR(f.server.commanded()[0].a[0], a, 2.0 * 0.004);
  EXPECT_TRUE(f.reaches(S::halted, 1000));
}

TEST(Halt, AllBodiesStopTogetherAndOnTheirWay) {
  ServerSettings s;
  s.limits = {usual(), usual()};
  Facility10 f(s);
  f.step(2);
  Packet p = f.init(6.0, at(0.1, 0.1));
  p.states[1] = at(0.0);
  p.states[1].omega = Vector3(0, 0, 5 * degree);
  f.hand.give(p);
  f.step(5);
  f.until(f.start + 5);
  ASSERT_EQ(f.server.state(), S::extrapolating);
  f.hand.give(f.stop());
  f.step();
  const Trajectory a = f.server.commanded()[0], b = f.server.commanded()[1];
  bool together = true;
  while (f.server.state() == S::halting) {
    f.step();
    const bool stands = f.server.commanded()[0].v.norm() == 0.0;
    together = together && stands == (f.server.commanded()[1].omega.norm() == 0.0);
    if (stands) break;
    // the same fraction of the distance: both bodies are at the same path time
    const double linear = (f.server.commanded()[0].p - a.p).norm() / a.v.norm();
    const double turned =
        spatial::logarithm(spatial::product(f.server.commanded()[1].q, spatial::inverse(b.q)))
            .norm() /
        b.omega.norm();
    ASSERT_NEAR(linear, turned, 1e-9);
  }
  EXPECT_TRUE(together);
}

TEST(Halt, FollowsWhenTheServersStepsStoodStill) {
  Facility10 f;
  f.run_to(3);
  f.gap = true;
  f.step();
  EXPECT_EQ(f.server.state(), S::halting);
  EXPECT_EQ(f.server.end(), End::time_gap);
  EXPECT_EQ(f.server.counters().gaps, 1);
  // a count that jumps has the same effect
  Facility10 g;
  g.run_to(3);
  g.server.begin(g.n + 12, g.hand);
  EXPECT_EQ(g.server.end(), End::time_gap);
}

TEST(Curves, WithAccelerationsTheyAreContinuousToo) {
  for (const Curve curve : {Curve::quintic, Curve::kim_quintic}) {
    ServerSettings s;
    s.curve = curve;
    Facility10 f(s);
    f.accelerations = true;
    f.hand.size = numbers(1, true);
    const auto swing = [](double t) {
      Trajectory x = at(0.1 * std::cos(t), -0.1 * std::sin(t));
      x.a = Vector3(-0.1 * std::cos(t), 0, 0);
      x.q = spatial::turned(Vector3::UnitZ(), 0.1 * std::sin(t));
      x.omega = Vector3(0, 0, 0.1 * std::cos(t));
      x.alpha = Vector3(0, 0, -0.1 * std::sin(t));
      return x;
    };
    f.step(2);
    f.hand.give(f.init(6.0, swing(0.0)));
    f.step(5);
    double worst = 0.0;
    for (std::int64_t k = 1; k < 40; ++k) {
      f.hand.give(f.command(k, swing(0.1 * static_cast<double>(k))));
      f.until(f.due(k - 1) + 12);
      if (k == 1) continue;
      const double t = 0.1 * (static_cast<double>(k) - 1) + 12 * 0.004;
      worst = std::max(worst, (f.server.commanded()[0].p - swing(t).p).norm());
    }
    EXPECT_TRUE(f.server.is_smooth());
    EXPECT_LT(worst, 1e-9);  // h⁶/46080 of 0.1 m: 2e-12, and rounding
    EXPECT_EQ(f.server.counters().rejected, 0);
  }
}

TEST(Curves, WithoutThemTheirCubicsAreTaken) {
  Facility10 f;
  f.run_to(3);
  EXPECT_FALSE(f.server.is_smooth());
}

}  // namespace
}  // namespace vernier::rsp
