#include "vernier/run/realtime/frames.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/executive/test_parts.hpp"
#include "vernier/run/realtime/ports.hpp"
#include "vernier/run/realtime/report.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::realtime {
namespace {

using namespace std::chrono_literals;
using executive::Ending;
using executive::test::Bench;
using executive::test::Clock;
using executive::test::Scripted;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t ms = 1'000'000, us = 1'000;

/// Time that advances only when something sleeps or works.
class VirtualClock final : public realtime::Clock {
 public:
  std::int64_t now() noexcept override { return now_; }
  void sleep_until(std::int64_t ns) noexcept override {
    ++sleeps;
    now_ = std::max(now_, ns) + (on_wake ? on_wake(ns) : 0);
  }
  void work(std::int64_t ns) noexcept { now_ += ns; }

  std::function<std::int64_t(std::int64_t)> on_wake;  // how late it wakes
  int sleeps = 0;

 private:
  std::int64_t now_ = 1'000'000 * ms;
};

std::int64_t frame_at(Time t) { return t.time_since_epoch() / 4ms; }

/// A run at 250 Hz with two components of known cost, in virtual time.
struct TimedRun {
  explicit TimedRun(LatePolicy late = {}, double rate = 1.0, Duration spin = {},
                    bool faces_world = false)
      : pacer({.grid = {.step = 4ms}, .rate = rate, .spin = spin, .late = late}, clock) {
    Bench b(4ms);
    Description d;
    plant = &b.add("plant", std::make_unique<Scripted>(d));
    d.abilities.faces_world = faces_world;
    control = &b.add("control", std::make_unique<Scripted>(d));
    plant->on_advance = [this](Time from, Time to) {
      clock.work(plant_cost ? plant_cost(frame_at(from)) : 400 * us);
      return Advance{to};
    };
    control->on_output = [this](Instant at) {
      clock.work(control_cost ? control_cost(frame_at(at.time)) : 100 * us);
      return Outcome::ok;
    };
    exec = std::make_unique<executive::Executive>(
        b.take(), std::vector<Pacer*>{&pacer},
        executive::Options{.real_time = true, .meter = &pacer});
    pacer.know(exec->parts());
    exec->initialize();
  }
  Ending run(int frames) { return exec->run_until(Time{frames * 4ms}); }
  const FrameStatistics& seen() const { return pacer.statistics(); }

  VirtualClock clock;
  FramePacer pacer;
  std::function<std::int64_t(std::int64_t)> plant_cost, control_cost;
  Scripted* plant = nullptr;
  Scripted* control = nullptr;
  std::unique_ptr<executive::Executive> exec;
};

/// A usual cost, except in one frame.
auto overrun(std::int64_t frame, std::int64_t ns) {
  return [=](std::int64_t k) { return k == frame ? ns : 400 * us; };
}

TEST(Histogram, AnswersQuantilesToTheWidthOfABucket) {
  Histogram h;
  for (int i = 1; i <= 100'000; ++i) h.add(i * 10, i, Time{Duration(i)});
  EXPECT_EQ(h.count(), 100'000u);
  EXPECT_EQ(h.max(), 1'000'000);
  EXPECT_EQ(h.max_frame(), 100'000);
  EXPECT_EQ(h.max_time(), Time{100'000ns});
  EXPECT_NEAR(h.mean(), 500'005.0, 1e-6);
  // a bucket is at most 1/32 as wide as its values
  EXPECT_NEAR(static_cast<double>(h.quantile(0.5)), 500'000.0, 500'000.0 / 32);
  EXPECT_NEAR(static_cast<double>(h.quantile(0.99)), 990'000.0, 990'000.0 / 32);
  EXPECT_EQ(h.quantile(1.0), 1'000'000);
}

TEST(Histogram, HasABucketForEveryDuration) {
  for (std::int64_t v = 0; v < 1 << 20; v += 1 + v / 100) {
    const std::size_t i = Histogram::bucket(v);
    ASSERT_LE(Histogram::lower(i), v);
    ASSERT_GE(Histogram::upper(i), v);
  }
  EXPECT_EQ(Histogram::bucket(std::numeric_limits<std::int64_t>::max()), Histogram::buckets - 1);
  Histogram h;
  EXPECT_EQ(h.quantile(0.5), 0);
  h.add(-5);
  EXPECT_EQ(h.max(), 0);
}

TEST(Grid, CountsTicksOfStepsAndRates) {
  const Grid steps{.step = 4ms, .origin = Time{1ms}};
  EXPECT_EQ(steps.number(Time{1ms}), 0);
  EXPECT_EQ(steps.number(Time{0ms}), -1);
  EXPECT_EQ(steps.number(Time{1ms + 1000 * 4ms - 1ns}), 999);
  const Grid rate{.rate = {30, 1}};
  for (const std::int64_t k : {0LL, 1LL, 29LL, 30LL, 100'000'000'000LL}) {
    EXPECT_EQ(rate.number(rate.tick(k)), k);
    EXPECT_EQ(rate.number(rate.tick(k + 1) - 1ns), k);
  }
}

TEST(Grid, IsTheFastestThatTicks) {
  Bench slow_base(100ms);
  slow_base.add("link", std::make_unique<Clock>(Rate{250, 1}));
  slow_base.add("slow", std::make_unique<Clock>(Rate{1, 1}));
  EXPECT_EQ(grid_of(slow_base.plan).period(), 0.004);
  slow_base.add("plant", std::make_unique<Clock>());
  EXPECT_EQ(grid_of(slow_base.plan).period(), 0.004);
  Bench fast_base(1ms);
  fast_base.add("plant", std::make_unique<Clock>());
  fast_base.add("link", std::make_unique<Clock>(Rate{250, 1}));
  EXPECT_FALSE(grid_of(fast_base.plan).rate.periodic());
  // nothing needs the base step: the frames follow the rate
  Bench none(1ms);
  none.add("slow", std::make_unique<Clock>(Rate{1, 1}));
  EXPECT_EQ(grid_of(none.plan).period(), 1.0);
}

TEST(FramePacer, KeepsEveryFrameOnItsGrid) {
  TimedRun r;
  r.clock.on_wake = [](std::int64_t) { return 20 * us; };
  const std::int64_t began = r.clock.now();
  EXPECT_EQ(r.run(1000), Ending::reached);
  EXPECT_EQ(r.seen().frames, 1000u);
  EXPECT_EQ(r.seen().late, 0u);
  // 1000 frames of 4 ms, each woken 20 us late: nothing accumulates. The last one includes output
  EXPECT_EQ(r.clock.now() - began, 4000 * ms + 20 * us + 100 * us);
  EXPECT_EQ(r.seen().wake_up.max(), 20 * us);
  EXPECT_EQ(r.seen().wake_up.count(), 999u);  // no sleep before the first
  EXPECT_EQ(r.pacer.last().cost, 500 * us);
  EXPECT_EQ(r.pacer.last().margin, 4 * ms - 520 * us);
  EXPECT_EQ(r.seen().parts[0].max(), 400 * us);
  EXPECT_EQ(r.seen().parts[1].max(), 100 * us);
  EXPECT_EQ(r.seen().rest.max(), 0);
  EXPECT_NEAR(r.seen().load(), 520.0 / 4000.0, 1e-3);
}

TEST(FramePacer, ScalesRealTime) {
  TimedRun half({}, 0.5);
  const std::int64_t began = half.clock.now();
  EXPECT_EQ(half.run(250), Ending::reached);
  EXPECT_EQ(half.clock.now() - began, 2000 * ms + 100 * us);
  EXPECT_THROW(FramePacer({.rate = 0.0}), ConfigurationError);
  EXPECT_THROW(FramePacer({.rate = -std::numeric_limits<double>::infinity()}), ConfigurationError);
}

TEST(FramePacer, SpinsTheLastBitOfASleep) {
  TimedRun r({}, 1.0, 60us);
  std::vector<std::int64_t> targets;
  targets.reserve(100);
  r.clock.on_wake = [&](std::int64_t ns) {
    targets.push_back(ns);
    return 70 * us;  // later than the margin: begins at once
  };
  const std::int64_t began = r.clock.now();
  EXPECT_EQ(r.run(3), Ending::reached);
  EXPECT_THAT(targets, ElementsAre(began + 4 * ms - 60 * us, began + 8 * ms - 60 * us,
                                   began + 12 * ms - 60 * us));
  EXPECT_EQ(r.seen().wake_up.max(), 10 * us);
}

TEST(FramePacer, DoesWhatComesBetweenTwoTicksInTheFrameBefore) {
  VirtualClock clock;
  FramePacer pacer({.grid = {.step = 4ms}}, clock);
  pacer.start(Time{});
  EXPECT_EQ(pacer.wait_for(Time{1ms}), Outcome::ok);
  EXPECT_EQ(pacer.wait_for(Time{3999us}), Outcome::ok);
  EXPECT_EQ(clock.sleeps, 0);
  EXPECT_EQ(pacer.wait_for(Time{4ms}), Outcome::ok);
  EXPECT_EQ(clock.sleeps, 1);
  EXPECT_EQ(pacer.statistics().frames, 1u);
}

// -- overruns of 0.5, 1.5 and 10 periods ----------------------------------------------------------

TEST(LatePolicies, BearHalfAPeriodWithoutALateFrame) {
  for (const Late kind : {Late::strict, Late::elastic, Late::catch_up, Late::slip}) {
    TimedRun r({.kind = kind});
    r.plant_cost = overrun(50, 2 * ms);
    EXPECT_EQ(r.run(100), Ending::reached);
    EXPECT_EQ(r.seen().frames, 100u);
    EXPECT_EQ(r.seen().late, 0u);
  }
}

TEST(LatePolicies, StrictStopsAtTheFirst) {
  for (const std::int64_t cost : {6 * ms, 40 * ms}) {
    TimedRun r({.kind = Late::strict});
    r.plant_cost = overrun(50, cost);
    EXPECT_EQ(r.run(100), Ending::failed);
    EXPECT_EQ(r.seen().frames, 51u);
    const Diagnostic d = r.exec->fault();
    EXPECT_EQ(d.code, "V4101");
    EXPECT_EQ(d.message, "stopped: frame 50 was late (policy strict)");
    EXPECT_THAT(d.notes[0], HasSubstr("work of plant"));
  }
}

TEST(LatePolicies, CatchUpFollowsAtOnceUntilItIsOnTheGrid) {
  TimedRun r({.kind = Late::catch_up});
  r.plant_cost = overrun(50, 6 * ms);
  const std::int64_t began = r.clock.now();
  EXPECT_EQ(r.run(100), Ending::reached);
  // frame 50 ends 2.1 ms late; frame 51 starts there and is in time again
  EXPECT_EQ(r.seen().late, 1u);
  EXPECT_EQ(r.seen().behind, 1u);
  EXPECT_EQ(r.clock.now() - began, 400 * ms + 100 * us);

  TimedRun ten({.kind = Late::catch_up});
  ten.plant_cost = overrun(50, 40 * ms);
  EXPECT_EQ(ten.run(100), Ending::reached);
  // it ends 36.1 ms late, each frame takes 0.5 ms and regains 3.5: late while more than 3.5 behind
  EXPECT_EQ(ten.seen().late, 1u + 10u);
  EXPECT_EQ(ten.seen().behind, 11u);
  EXPECT_EQ(ten.seen().frames, 100u);
  for (const Frame& f : ten.seen().late_frames) {
    EXPECT_EQ(f.cause, Cause::work);
    EXPECT_EQ(f.culprit, 0u);
  }
  EXPECT_EQ(ten.seen().worst_lag, 36 * ms + 100 * us);
}

TEST(LatePolicies, ElasticIsBackInTheComputedNumberOfFrames) {
  TimedRun r({.kind = Late::elastic, .in_a_row = 20});
  r.plant_cost = overrun(50, 40 * ms);
  const std::int64_t began = r.clock.now();
  EXPECT_EQ(r.run(100), Ending::reached);
  // 36.1 ms late, at most 5 frames per period: each regains 3.2 ms, so 36.1 / 3.2 → 12 frames
  EXPECT_EQ(r.seen().behind, 12u);
  EXPECT_EQ(r.seen().frames, 100u);
  EXPECT_EQ(r.clock.now() - began, 400 * ms + 100 * us);
  TimedRun once({.kind = Late::elastic});
  once.plant_cost = overrun(50, 6 * ms);
  EXPECT_EQ(once.run(100), Ending::reached);
  EXPECT_EQ(once.seen().late, 1u);
}

TEST(LatePolicies, ElasticEndsTheRunAtItsLimits) {
  TimedRun r({.kind = Late::elastic});  // 10 in a row
  r.plant_cost = overrun(50, 40 * ms);
  EXPECT_EQ(r.run(100), Ending::failed);
  EXPECT_EQ(r.seen().in_a_row, 10u);
  EXPECT_EQ(r.exec->fault().code, "V4107");
  EXPECT_EQ(r.exec->fault().message, "stopped: 10 late frames in a row (policy)");

  TimedRun often({.kind = Late::elastic, .in_a_row = 5, .in_window = 20, .window = 10s});
  often.plant_cost = [](std::int64_t k) { return k % 10 == 0 ? 5 * ms : 400 * us; };
  EXPECT_EQ(often.run(10000), Ending::failed);
  EXPECT_EQ(often.seen().late, 21u);
  EXPECT_THAT(often.exec->fault().message, HasSubstr("more than 20 late frames within 10 s"));

  TimedRun seldom({.kind = Late::elastic, .in_a_row = 5, .in_window = 20, .window = 500ms});
  seldom.plant_cost = often.plant_cost;
  EXPECT_EQ(seldom.run(1000), Ending::reached);
  EXPECT_EQ(seldom.seen().late, 100u);
}

TEST(LatePolicies, SlipMovesTheGrid) {
  TimedRun r({.kind = Late::slip});
  r.plant_cost = overrun(50, 40 * ms);
  const std::int64_t began = r.clock.now();
  EXPECT_EQ(r.run(100), Ending::reached);
  EXPECT_EQ(r.seen().late, 1u);
  EXPECT_EQ(r.seen().behind, 0u);
  EXPECT_EQ(r.seen().slipped, 36 * ms + 100 * us);
  EXPECT_EQ(r.clock.now() - began, 436 * ms + 200 * us);
  EXPECT_EQ(r.seen().frames, 100u);
}

TEST(LatePolicies, ReadAndWriteTheirNames) {
  EXPECT_EQ(parsed_policy("elastic:3,0")->in_window, 0);
  EXPECT_EQ(text(*parsed_policy("elastic:3")), "elastic:3,100");
  for (const char* good : {"strict", "catch-up", "slip", "elastic:10,100"})
    EXPECT_EQ(text(*parsed_policy(good)), good);
  for (const char* bad : {"", "late", "strict:3", "elastic:", "elastic:0", "elastic:3,",
                          "elastic:3,x", "elastic:99999999999999999999"})
    EXPECT_FALSE(parsed_policy(bad)) << bad;
}

// -- causes of late frames --

TEST(Attribution, BlamesWhoExceededItsUsualMost) {
  TimedRun r;
  r.control_cost = [](std::int64_t k) { return k == 70 ? 5 * ms : 100 * us; };
  // the plant is always the more expensive of the two
  r.plant_cost = [](std::int64_t) { return 2 * ms; };
  EXPECT_EQ(r.run(100), Ending::reached);
  ASSERT_EQ(r.seen().late_frames.size(), 2u);
  const Frame& f = r.seen().late_frames[0];
  EXPECT_EQ(f.number, 70);
  EXPECT_EQ(f.culprit, 1u);
  EXPECT_EQ(f.cause, Cause::work);
  EXPECT_EQ(blame(f, {"plant", "control"}), "work of control");
  // the next frame is late only because of this one
  EXPECT_EQ(blame(r.seen().late_frames[1], {"plant", "control"}),
            "work of control, after an earlier late frame");
}

TEST(Attribution, TellsAWakeUpFromWork) {
  TimedRun r;
  int wakes = 0;
  r.clock.on_wake = [&](std::int64_t) { return ++wakes == 60 ? 3900 * us : 20 * us; };
  EXPECT_EQ(r.run(100), Ending::reached);
  ASSERT_EQ(r.seen().late, 1u);
  EXPECT_EQ(r.seen().late_frames[0].cause, Cause::wake_up);
  EXPECT_EQ(r.seen().late_frames[0].wake_up, 3900 * us);
  EXPECT_EQ(r.seen().late_by[static_cast<int>(Cause::wake_up)], 1u);
}

TEST(Attribution, BlamesWhatIsTooDearFromTheBeginning) {
  TimedRun r;
  r.plant_cost = [](std::int64_t) { return 5 * ms; };  // usual, and too much
  EXPECT_EQ(r.run(20), Ending::reached);
  EXPECT_EQ(r.seen().late, 20u);
  EXPECT_EQ(r.seen().late_by[static_cast<int>(Cause::work)], 20u);
  for (const Frame& f : r.seen().late_frames) EXPECT_EQ(f.culprit, 0u);
}

TEST(Attribution, CallsItWaitingWhereTheWorldIsFaced) {
  TimedRun r({}, 1.0, {}, true);
  r.control_cost = [](std::int64_t k) { return k == 70 ? 5 * ms : 100 * us; };
  EXPECT_EQ(r.run(100), Ending::reached);
  ASSERT_EQ(r.seen().late, 1u);
  EXPECT_EQ(r.seen().late_frames[0].cause, Cause::wait);
}

/// A component that shares time with others, and may have to wait for them.
class Sharing final : public executive::test::Small<executive::test::One>,
                      public PacerSource,
                      public Pacer {
 public:
  explicit Sharing(VirtualClock& c) : clock_(c) { description_.abilities.faces_world = true; }
  void bind(const Bindings&) override {}
  std::vector<Pacer*> pacers() override { return {this}; }
  bool withholds_time() const noexcept override { return true; }
  Outcome wait_for(Time t) noexcept override {
    const std::int64_t frame = frame_at(t) - 1;
    clock_.work(sending ? sending(frame) : 50 * us);
    kept_ = keep ? keep(frame) : Kept{10 * us, "Moon", false};
    clock_.work(kept_.ns);
    stood_ = frame == freeze_in;
    if (stood_) clock_.work(60'000 * ms);
    return Outcome::ok;
  }
  Kept kept() const noexcept override { return kept_; }
  bool stood_still() noexcept override { return stood_; }

  std::function<Kept(std::int64_t)> keep;
  std::function<std::int64_t(std::int64_t)> sending;
  std::int64_t freeze_in = -1;

 private:
  VirtualClock& clock_;
  Kept kept_;
  bool stood_ = false;
};

struct SharedRun {
  explicit SharedRun(LatePolicy late = {}) : pacer({.grid = {.step = 4ms}, .late = late}, clock) {
    Bench b(4ms);
    plant = &b.add("plant", std::make_unique<Scripted>(Description{}));
    plant->on_advance = [this](Time from, Time to) {
      clock.work(plant_cost ? plant_cost(frame_at(from)) : 400 * us);
      return Advance{to};
    };
    others = &b.add("federate", std::make_unique<Sharing>(clock));
    exec = std::make_unique<executive::Executive>(
        b.take(), std::vector<Pacer*>{others, &pacer},
        executive::Options{.real_time = true, .meter = &pacer});
    pacer.know(exec->parts());
    exec->initialize();
  }
  Ending run(int frames) { return exec->run_until(Time{frames * 4ms}); }
  std::string blamed(std::size_t i) const {
    return blame(pacer.statistics().late_frames.at(i), {"plant", "federate"}, pacer.others());
  }

  VirtualClock clock;
  FramePacer pacer;
  Scripted* plant = nullptr;
  Sharing* others = nullptr;
  std::function<std::int64_t(std::int64_t)> plant_cost;
  std::unique_ptr<executive::Executive> exec;
};

/// Waits between the work of two parts, as exchanges between nodes do.
struct Waiting final : executive::Observer {
  explicit Waiting(TimedRun& r) : run(r) {}
  TimedRun& run;
  void sample(Instant at, bool) noexcept override {
    const std::int64_t ns = frame_at(at.time) == 40 ? 5 * ms : 20 * us;
    run.pacer.waited_for(1, ns);
    run.clock.work(ns);
  }
};

TEST(Frames, TellOwnWorkAndWaitingForAnotherNodeApart) {
  TimedRun r;
  r.pacer.know_nodes({"a", "b"});
  r.plant_cost = [](std::int64_t k) { return k == 20 ? 5 * ms : 400 * us; };
  Waiting waiting(r);
  r.exec->observe(waiting, {});
  EXPECT_EQ(r.run(60), Ending::reached);
  ASSERT_EQ(r.seen().late, 2u);
  EXPECT_EQ(r.seen().late_frames[0].cause, Cause::work);
  EXPECT_EQ(blame(r.seen().late_frames[1], {"plant", "control"}, {}, r.pacer.nodes()),
            "waiting for node b");
  EXPECT_EQ(r.seen().held.max(), 5 * ms);
  EXPECT_EQ(r.pacer.last_waits()[1], 20 * us);
  EXPECT_EQ(r.pacer.last_waits()[0], 0);
  r.exec->remove(waiting);
}

TEST(SharedTime, TellsOwnWorkSendingTheFederationAndItsPacingApart) {
  SharedRun r;
  r.plant_cost = overrun(20, 5 * ms);
  r.others->sending = [](std::int64_t k) { return k == 40 ? 5 * ms : 50 * us; };
  r.others->keep = [](std::int64_t k) -> Pacer::Kept {
    if (k == 60) return {6 * ms, "Moon", false};
    if (k == 80) return {6 * ms, "Earth", true};
    if (k == 90) return {6 * ms, nullptr, false};
    return {10 * us, "Earth", true};
  };
  const long before = testing::allocations();
  EXPECT_EQ(r.run(100), Ending::reached);
  EXPECT_EQ(testing::allocations(), before);
  ASSERT_EQ(r.pacer.statistics().late, 5u);
  EXPECT_EQ(r.blamed(0), "work of plant");
  EXPECT_EQ(r.blamed(1), "waiting of federate");
  EXPECT_EQ(r.blamed(2), "waiting for the federation, which was held back by Moon");
  EXPECT_EQ(r.blamed(3), "waiting for the federation, whose pace is set by Earth");
  EXPECT_EQ(r.blamed(4), "waiting for the federation");
  EXPECT_THAT(r.pacer.statistics().late_by, ElementsAre(0, 1, 0, 1, 2, 1, 0, 0, 0));
  const std::vector<Other> others = r.pacer.others();
  ASSERT_EQ(others.size(), 2u);
  EXPECT_EQ(others[0].name, "Earth");
  EXPECT_EQ(others[0].held, 98u);
  EXPECT_EQ(others[0].late, 1u);
  EXPECT_EQ(others[1].longest, 6 * ms);
  EXPECT_EQ(r.pacer.statistics().held.max(), 6 * ms);
  EXPECT_EQ(r.pacer.statistics().rest.max(), 0);  // none of it is attributed to the executive
  Health h;
  h.grid = {.step = 4ms};
  h.parts = {"plant", "federate"};
  h.frames = r.pacer.statistics();
  h.shares_time = true;
  h.others = others;
  EXPECT_EQ(verdict(h),
            "5 of 100 frames late: work 1, wake-up 0, wait 1, federation 2, pacing 1 (Earth 1, "
            "Moon 1)");
  const std::string page = report_html(h, "x", "", {});
  for (const char* part : {"held back by Moon", "kept by the federation",
                           "<td>Moon</td><td>1</td><td>1</td><td>6.000 ms</td>"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(SharedTime, BlamesWhoAlwaysHoldsItBackAndForTheFramesBehind) {
  SharedRun always;
  always.others->keep = [](std::int64_t) -> Pacer::Kept { return {5 * ms, "Moon", false}; };
  EXPECT_EQ(always.run(20), Ending::reached);
  EXPECT_EQ(always.pacer.statistics().late_by[static_cast<int>(Cause::federation)], 20u);
  EXPECT_EQ(always.pacer.others()[0].late, 20u);

  SharedRun once({.kind = Late::elastic, .in_a_row = 3});
  once.others->keep = [](std::int64_t k) -> Pacer::Kept {
    return {k == 50 ? 40 * ms : 10 * us, "Moon", false};
  };
  EXPECT_EQ(once.run(100), Ending::failed);
  EXPECT_EQ(once.blamed(2),
            "waiting for the federation, which was held back by Moon, after an earlier late frame");
  const Diagnostic d = once.exec->fault();
  EXPECT_EQ(d.code, "V4107");
  EXPECT_THAT(d.notes[0], HasSubstr("waiting for the federation, which was held back by Moon"));
  EXPECT_THAT(d.notes[1], HasSubstr("that federate does not keep up"));
}

TEST(SharedTime, NeitherJumpsNorCatchesUpWhenItStoodStill) {
  SharedRun r({.kind = Late::strict});
  r.others->freeze_in = 50;
  const std::int64_t began = r.clock.now();
  EXPECT_EQ(r.run(100), Ending::reached);
  EXPECT_EQ(r.pacer.statistics().late, 0u);
  EXPECT_EQ(r.pacer.statistics().frames, 100u);
  // frame 50 takes a minute and 460 us longer: after the freeze it has its whole period
  EXPECT_EQ(r.clock.now() - began, 60'400 * ms + 460 * us);
}

// -- around it --

TEST(FramePacer, GoesOnSanelyAfterAFreeze) {
  TimedRun r({.kind = Late::strict});
  r.exec->request_freeze(Time{200ms});
  EXPECT_EQ(r.run(100), Ending::frozen);
  r.clock.work(60'000 * ms);  // a minute later
  r.exec->resume();
  EXPECT_EQ(r.run(100), Ending::reached);
  EXPECT_EQ(r.seen().late, 0u);
  EXPECT_EQ(r.seen().frames, 100u);
  EXPECT_EQ(r.pacer.last().number, 99);
}

TEST(FramePacer, FollowsAnotherClock) {
  // the other clock is 1000 ppm slower
  struct Slow final : TimeBase {
    void start(Time t, std::int64_t now) noexcept override {
      time = t;
      origin = now;
    }
    std::int64_t due(Time t, std::int64_t) noexcept override {
      return origin + (t - time).count() / 1000 * 1001;
    }
    Time time{};
    std::int64_t origin = 0;
  } base;
  VirtualClock clock;
  FramePacer pacer({.grid = {.step = 4ms}}, clock, &base);
  pacer.start(Time{});
  const std::int64_t began = clock.now();
  for (int k = 1; k <= 250; ++k) EXPECT_EQ(pacer.wait_for(Time{k * 4ms}), Outcome::ok);
  EXPECT_EQ(clock.now() - began, 1001 * ms);
}

TEST(FramePacer, DoesNotAllocateEvenWhenEverythingIsLate) {
  TimedRun r;
  r.plant_cost = [](std::int64_t) { return 5 * ms; };
  const long before = testing::allocations();
  EXPECT_EQ(r.run(2000), Ending::reached);
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_EQ(r.seen().late_frames.size(), kept_late);
}

TEST(FramePorts, ShowTheLastFrameThatIsOver) {
  VirtualClock clock;
  FramePacer pacer({.grid = {.step = 4ms}}, clock);
  Bench b(4ms);
  auto& plant = b.add("plant", std::make_unique<Scripted>(Description{}));
  plant.on_advance = [&](Time, Time to) {
    clock.work(to == Time{8ms} ? 5 * ms : 1 * ms);
    return Advance{to};
  };
  auto& ports = b.add("frame", std::make_unique<FramePorts>(std::vector<std::string>{"plant"}));
  executive::Executive run(b.take(), {&pacer}, {.real_time = true, .meter = &pacer});
  pacer.know(run.parts());
  ports.attach(pacer, run.parts());
  run.initialize();
  const auto value = [&](const char* path) { return run.find(path)->element(0); };
  EXPECT_EQ(run.run_until(Time{4ms}), Ending::reached);
  EXPECT_EQ(value("frame.number"), 0);
  EXPECT_EQ(value("frame.cost"), 0.001);
  EXPECT_EQ(value("frame.margin"), 0.003);
  EXPECT_EQ(value("frame.late"), 0);
  EXPECT_EQ(run.run_until(Time{8ms}), Ending::reached);
  EXPECT_EQ(value("frame.number"), 1);
  EXPECT_EQ(value("frame.cost_of.plant"), 0.005);
  EXPECT_EQ(value("frame.lag"), 0.001);
  EXPECT_EQ(value("frame.late"), 1);
  EXPECT_EQ(value("frame.late_frames"), 1);
  EXPECT_EQ(value("frame.cause"), 1);
  // and observers are told
  struct Ear final : executive::Observer {
    void sample(Instant, bool) noexcept override {}
    void note(std::size_t, std::span<const Entry> e) noexcept override {
      if (count++ == 0) entry = e.front();
    }
    Entry entry;
    int count = 0;
  } ear;
  run.observe(ear, {});
  EXPECT_EQ(run.run_until(Time{40ms}), Ending::reached);
  ASSERT_EQ(ear.count, 1);
  const Telling t = ports.tell(ear.entry);
  EXPECT_EQ(t.kind + " " + t.to + " " + t.reason, "late frame 1 by 1.000 ms: work of plant");
  EXPECT_TRUE(t.warning);
  // at the time that the summary and frames.h5 have
  EXPECT_EQ(ear.entry.at.time, pacer.statistics().late_frames.front().time);
}

TEST(FramePorts, KeepTheComponentContract) {
  FramePorts ports({"plant", "bus.wheel"});
  vernier::testing::expect_conforming(ports, 10ms, [](vernier::testing::Rig&, int) {});
}

TEST(Report, IsOnePageWithEverythingInIt) {
  TimedRun r;
  r.plant_cost = overrun(50, 40 * ms);
  EXPECT_EQ(r.run(100), Ending::reached);
  Health h;
  h.grid = {.step = 4ms};
  h.parts = {"plant<1>", "control"};
  h.frames = r.seen();
  h.privileges = {{"real-time priority", false, "refused: Operation not permitted", "ask for it"}};
  const std::string page = report_html(h, "a & b", "now", {{"arm", "dead time", "39 ms"}});
  for (const char* part :
       {"<!doctype html>", "a &amp; b", "250 Hz", "PASS: 11 of 100 frames late: work 11", "<svg",
        "plant&lt;1&gt;", "deadline", "refused: Operation not permitted", "39 ms", "frame 50"})
    EXPECT_THAT(page, HasSubstr(part));
  // the axis of counts: its name, and a tick at each power of ten up to 100 frames
  for (const char* tick : {">frames</text>", ">1</text>", ">10</text>"})
    EXPECT_THAT(page, HasSubstr(tick));
  for (const char* foreign : {"http://", "https://", "src=", "<script"})
    EXPECT_THAT(page, ::testing::Not(HasSubstr(foreign)));
  h.broken = true;
  EXPECT_THAT(report_html(h, "x", "", {}), HasSubstr("FAIL"));
}

}  // namespace
}  // namespace vernier::realtime
