// However a run ends, what moves comes to rest first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vernier/component/rest.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/executive/test_parts.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::executive {
namespace {

using namespace std::chrono_literals;
using namespace test;
using ::testing::HasSubstr;

struct Carriage {
  double x = 0.0, v = 1.0;
  bool resting = false;
};

/// A carriage that moves at 1 m/s, and brakes with 2 m/s² when it is to come to rest.
class Trolley final : public Small<Carriage>, public ComesToRest {
 public:
  explicit Trolley(Rate rate = {100, 1}, bool brakes = true) : brakes_(brakes) {
    description_.inputs = {real("u", 1, {{0.0}})};
    description_.outputs = {real("x"), real("v")};
    description_.rate = rate;
  }
  void bind(const Bindings& b) override {
    x_ = b.real_output("x");
    v_ = b.real_output("v");
  }
  bool initialize(Time, int) override {
    state = {};
    return true;
  }
  Outcome output(Instant) noexcept override {
    x_[0] = state.x;
    v_[0] = state.v;
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    const double h = seconds(to - from);
    const double before = state.v;
    if (state.resting && brakes_) state.v = std::max(0.0, state.v - 2.0 * h);
    if (!state.resting) state.v = std::min(1.0, state.v + 2.0 * h);
    state.x += 0.5 * (before + state.v) * h;
    return {to};
  }
  bool at_rest() const noexcept override { return state.v == 0.0; }
  void begin_rest(Duration l) noexcept override {
    state.resting = true;
    leaders = l;
  }
  void end_rest() noexcept override { state.resting = false; }
  Duration longest_rest() const noexcept override { return 600ms; }
  std::string motion() const override { return "1 m/s"; }
  Duration leaders{};

 private:
  bool brakes_;
  std::span<double> x_, v_;
};

/// Fails, or writes something that is not a number, from 1 s on; in a phase of the tick.
class Frail final : public Small<One> {
 public:
  enum class Where { output, react, advance, nan } where;
  explicit Frail(Where w, Rate rate = {}) : where(w) {
    description_.outputs = {real("y")};
    description_.rate = rate;
    description_.abilities.reacts = true;
  }
  void bind(const Bindings& b) override { y_ = b.real_output("y"); }
  Outcome output(Instant at) noexcept override {
    ++calls;
    if (at.time >= Time(1s) && where == Where::output) return Outcome::failed;
    y_[0] = at.time >= Time(1s) && where == Where::nan ? std::numeric_limits<double>::quiet_NaN()
                                                       : seconds(at.time);
    return Outcome::ok;
  }
  Outcome react(Instant at) noexcept override {
    return at.time >= Time(1s) && where == Where::react ? Outcome::failed : Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    if (from >= Time(1s) && where == Where::advance) return {from, Outcome::failed};
    return {to};
  }
  int calls = 0;

 private:
  std::span<double> y_;
};

/// Stands still, but says three words before it rests.
class Parting final : public Small<One>, public ComesToRest {
 public:
  void bind(const Bindings&) override {}
  Advance advance(Time, Time to) noexcept override {
    if (closing && words > 0) --words;
    return {to};
  }
  bool at_rest() const noexcept override { return !closing || words == 0; }
  void begin_rest(Duration) noexcept override { closing = true; }
  void end_rest() noexcept override { closing = false; }
  Duration longest_rest() const noexcept override { return 100ms; }
  std::string motion() const override { return "it speaks"; }
  bool closing = false;
  int words = 3;
};

/// Every speed that the trolley shows, and the phases that a listener hears.
class Ear final : public Small<One>, public RestListener {
 public:
  void bind(const Bindings&) override {}
  void rest(RestPhase p) noexcept override {
    if (heard < 16) phases[heard++] = p;
  }
  RestPhase phases[16] = {};
  std::size_t heard = 0;
};

class Speeds final : public Observer {
 public:
  explicit Speeds(const PortView& v) : v_(v) { all.reserve(10'000); }
  void sample(Instant at, bool last) noexcept override {
    if (last && all.size() < all.capacity()) all.emplace_back(at.time, v_.element(0));
  }
  std::vector<std::pair<Time, double>> all;

 private:
  const PortView& v_;
};

struct Yard {
  explicit Yard(std::unique_ptr<Component> other = {}, bool brakes = true, int threads = 1) {
    Bench bench(10ms);
    trolley = &bench.add("trolley", std::make_unique<Trolley>(Rate{100, 1}, brakes));
    ear = &bench.add("ear", std::make_unique<Ear>());
    if (other) bench.add("other", std::move(other));
    run = std::make_unique<Executive>(bench.take(), std::vector<Pacer*>{},
                                      Options{.threads = threads});
    run->initialize();
    speeds = std::make_unique<Speeds>(*run->find("trolley.v"));
    run->observe(*speeds, {});
  }
  /// The speed falls to zero with 2 m/s², sample by sample.
  void expect_soft() const {
    ASSERT_GT(speeds->all.size(), 2u);
    for (std::size_t i = 1; i < speeds->all.size(); ++i) {
      const auto& [t0, v0] = speeds->all[i - 1];
      const auto& [t1, v1] = speeds->all[i];
      EXPECT_LE(std::abs(v1 - v0), 2.0 * seconds(t1 - t0) + 1e-12) << seconds(t1);
    }
    EXPECT_EQ(speeds->all.back().second, 0.0);
  }
  Trolley* trolley;
  Ear* ear;
  std::unique_ptr<Executive> run;
  std::unique_ptr<Speeds> speeds;
};

TEST(Rest, TicksContinuePastTheEndUntilEverythingIsAtRest) {
  Yard y;
  EXPECT_EQ(y.run->longest_rest(), 600ms);
  ASSERT_EQ(y.run->run_until(Time(1s)), Ending::reached);
  EXPECT_TRUE(y.run->moving());
  EXPECT_TRUE(y.run->come_to_rest({}));
  EXPECT_EQ(y.run->now(), Time(1500ms));
  EXPECT_EQ(y.run->motion(), "");
  y.expect_soft();
  ASSERT_EQ(y.ear->heard, 2u);
  EXPECT_EQ(y.ear->phases[0], RestPhase::coming_to_rest);
  EXPECT_EQ(y.ear->phases[1], RestPhase::at_rest);
}

TEST(Rest, AStopComesToRestToo) {
  Yard y;
  ASSERT_EQ(y.run->run_until(Time(400ms)), Ending::reached);
  y.run->request_stop();
  ASSERT_EQ(y.run->run_until(Time(10s)), Ending::stopped);
  EXPECT_TRUE(y.run->come_to_rest({}));
  EXPECT_EQ(y.run->now(), Time(900ms));
  y.expect_soft();
}

TEST(Rest, AfterAFreezeItMovesAgain) {
  Yard y;
  y.run->request_freeze(Time(300ms));
  ASSERT_EQ(y.run->run_until(Time(2s)), Ending::frozen);
  EXPECT_TRUE(y.run->come_to_rest({}));
  EXPECT_EQ(y.trolley->state.v, 0.0);
  y.run->end_rest();
  y.run->resume();
  ASSERT_EQ(y.run->run_until(Time(2s)), Ending::reached);
  EXPECT_EQ(y.trolley->state.v, 1.0);
  EXPECT_EQ(y.ear->phases[2], RestPhase::running);
}

TEST(Rest, IfNothingMovesNoTimePasses) {
  Yard y;
  ASSERT_EQ(y.run->run_until(Time(1s)), Ending::reached);
  ASSERT_TRUE(y.run->come_to_rest({}));
  const Time now = y.run->now();
  const std::size_t rows = y.speeds->all.size();
  EXPECT_TRUE(y.run->come_to_rest({}));
  EXPECT_EQ(y.run->now(), now);
  EXPECT_EQ(y.speeds->all.size(), rows);
  EXPECT_EQ(y.ear->phases[y.ear->heard - 1], RestPhase::at_rest);
}

TEST(Rest, WhatDoesNotComeToRestInTimeIsReported) {
  Yard y({}, false);
  ASSERT_EQ(y.run->run_until(Time(1s)), Ending::reached);
  EXPECT_FALSE(y.run->come_to_rest({}));
  EXPECT_EQ(y.run->now(), Time(1600ms));
  EXPECT_EQ(y.run->motion(), "trolley: 1 m/s");
  EXPECT_EQ(y.ear->phases[1], RestPhase::still_moving);
}

TEST(Rest, APartThatFailsIsLeftOutAndTheOthersComeToRest) {
  using Where = Frail::Where;
  for (const int threads : {1, 3}) {
    for (const Rate rate : {Rate{}, Rate{50, 1}}) {
      for (const Where where : {Where::output, Where::react, Where::advance, Where::nan}) {
        SCOPED_TRACE(static_cast<int>(where));
        auto frail = std::make_unique<Frail>(where, rate);
        Frail* other = frail.get();
        Yard y(std::move(frail), true, threads);
        ASSERT_EQ(y.run->run_until(Time(5s)), Ending::failed);
        const int calls = other->calls;
        const std::string code = y.run->fault().code;
        EXPECT_EQ(code, where == Where::nan ? "V3107" : "V3101");
        EXPECT_TRUE(y.run->come_to_rest({}));
        y.expect_soft();
        EXPECT_EQ(y.run->fault().code, code) << "the first failure is the one that counts";
        if (where != Where::nan) {
          EXPECT_EQ(other->calls, calls);
          EXPECT_EQ(y.run->find("other.y")->element(0),
                    where == Where::output ? (rate.periodic() ? 0.98 : 0.99) : 1.0);
        }
        EXPECT_EQ(y.run->run_until(Time(5s)), Ending::failed) << "it has failed, and stays so";
      }
    }
  }
}

TEST(Rest, AFailureWithoutMotionEndsTheTickAsEver) {
  auto frail = std::make_unique<Frail>(Frail::Where::output);
  Yard y(std::move(frail));
  y.run->request_freeze(Time(100ms));
  ASSERT_EQ(y.run->run_until(Time(2s)), Ending::frozen);
  ASSERT_TRUE(y.run->come_to_rest({}));
  const std::size_t rows = y.speeds->all.size();
  y.run->resume();
  // at rest, it does not begin to move: end_rest() was not called
  ASSERT_EQ(y.run->run_until(Time(2s)), Ending::failed);
  EXPECT_EQ(y.run->now(), Time(1s));
  EXPECT_GT(y.speeds->all.size(), rows);
}

TEST(Rest, ARunThatFailedCanBeRestoredWithAllItsParts) {
  Yard y(std::make_unique<Frail>(Frail::Where::advance));
  ASSERT_EQ(y.run->run_until(Time(500ms)), Ending::reached);
  const Snapshot half = y.run->save();
  ASSERT_EQ(y.run->run_until(Time(5s)), Ending::failed);
  ASSERT_TRUE(y.run->come_to_rest({}));
  y.run->restore(half);
  EXPECT_EQ(y.trolley->state.v, 1.0);
  ASSERT_EQ(y.run->run_until(Time(5s)), Ending::failed);
  EXPECT_EQ(y.run->now(), Time(1s)) << "the part was there again, and failed again";
}

TEST(Rest, AStateSavedAtRestContinuesAsTheRunItselfDoes) {
  const auto end = [](bool restored) {
    Yard y;
    y.run->request_freeze(Time(300ms));
    EXPECT_EQ(y.run->run_until(Time(2s)), Ending::frozen);
    EXPECT_TRUE(y.run->come_to_rest({}));
    if (restored)
      y.run->restore(y.run->save());
    else
      y.run->end_rest();
    y.run->resume();
    EXPECT_EQ(y.run->run_until(Time(1200ms)), Ending::reached);
    return y.trolley->state.x;
  };
  EXPECT_EQ(end(true), end(false));
}

TEST(Rest, EachLearnsHowLongTheOthersMayTake) {
  Bench bench(10ms);
  bench.add("a", std::make_unique<Trolley>());
  const Trolley& second = bench.add("b", std::make_unique<Trolley>(Rate{}));
  Executive run(bench.take());
  run.initialize();
  EXPECT_EQ(run.longest_rest(), 1200ms);
  ASSERT_EQ(run.run_until(Time(100ms)), Ending::reached);
  EXPECT_TRUE(run.come_to_rest({}));
  EXPECT_EQ(second.leaders, 600ms);
}

TEST(Rest, ComingToRestDoesNotAllocate) {
  Yard y(std::make_unique<Frail>(Frail::Where::advance));
  const long before = vernier::testing::allocations();
  const Ending ending = y.run->run_until(Time(5s));
  const bool rests = y.run->come_to_rest({});
  EXPECT_EQ(vernier::testing::allocations(), before);
  EXPECT_EQ(ending, Ending::failed);
  EXPECT_TRUE(rests);
}

TEST(Rest, IsAwaitedOfWhatStoodStillUntilItWasAsked) {
  Bench bench(10ms);
  Parting& parting = bench.add("parting", std::make_unique<Parting>());
  Executive run(bench.take(), {});
  run.initialize();
  EXPECT_EQ(run.run_until(Time(1s)), Ending::reached);
  EXPECT_FALSE(run.moving());
  EXPECT_TRUE(run.come_to_rest({}));
  EXPECT_EQ(parting.words, 0);
  EXPECT_EQ(run.now(), Time(1030ms));
}

}  // namespace
}  // namespace vernier::executive
