#include "vernier/run/executive/executive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/executive/test_parts.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::executive {
namespace {

using namespace std::chrono_literals;
using namespace test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

double value(const Executive& run, std::string_view path, std::size_t i = 0) {
  const PortView* v = run.find(path);
  EXPECT_NE(v, nullptr) << path;
  return v ? v->element(i) : 0.0;
}

TEST(Executive, AdvancesContinuousPartsByTheStep) {
  Bench b(100ms);
  Clock& clock = b.add("clock", std::make_unique<Clock>());
  Executive run(b.take());
  run.initialize();
  EXPECT_EQ(run.run_until(at(0.25)), Ending::reached);
  EXPECT_EQ(run.now(), at(0.25));
  EXPECT_THAT(clock.steps, ElementsAre(std::pair(at(0.0), at(0.1)), std::pair(at(0.1), at(0.2)),
                                       std::pair(at(0.2), at(0.25))));
  EXPECT_EQ(value(run, "clock.y"), 0.25);
  // continuing does not repeat what happened at 0.25 s
  const std::size_t calls = clock.log.size();
  EXPECT_EQ(run.run_until(at(0.3)), Ending::reached);
  EXPECT_EQ(clock.log.size(), calls + 1);
}

TEST(Executive, HoldsTheOutputsOfSlowParts) {
  Bench b(100ms);
  Clock& slow = b.add("slow", std::make_unique<Clock>(Rate{4, 1}));
  Clock& late = b.add("late", std::make_unique<Clock>(Rate{4, 1}), 50ms);
  b.add("fast", std::make_unique<Clock>());
  Executive run(b.take());
  run.initialize();
  slow.log.clear();
  late.log.clear();
  EXPECT_EQ(run.run_until(at(0.7)), Ending::reached);
  EXPECT_EQ(value(run, "slow.y"), 0.5);
  EXPECT_EQ(value(run, "late.y"), 0.55);
  EXPECT_EQ(value(run, "fast.y"), 0.7);
  EXPECT_THAT(slow.log, ElementsAre(at(0.25), at(0.5)));
  EXPECT_THAT(late.log, ElementsAre(at(0.05), at(0.3), at(0.55)));
  // each advances a whole period at once
  EXPECT_THAT(slow.steps, ElementsAre(std::pair(at(0.0), at(0.25)), std::pair(at(0.25), at(0.5)),
                                      std::pair(at(0.5), at(0.75))));
}

TEST(Executive, TicksAt60HzDoNotDriftIn30Years) {
  const std::int64_t years = 30 * 365LL * 86400;
  Bench b(1h);
  Clock& clock = b.add("clock", std::make_unique<Clock>(Rate{60, 1}));
  Options options;
  options.start = Time{std::chrono::seconds(years)};
  Executive run(b.take(), {}, options);
  run.initialize();
  clock.log.clear();
  EXPECT_EQ(run.run_until(options.start + 2s), Ending::reached);
  ASSERT_EQ(clock.log.size(), 120u);
  for (int k = 1; k <= 120; ++k)
    EXPECT_EQ(clock.log[k - 1], options.start + Duration(k * 1'000'000'000LL / 60)) << k;
  EXPECT_EQ(clock.log[59], options.start + 1s);
  EXPECT_EQ(clock.log[119], options.start + 2s);
}

TEST(Executive, EveryoneSeesTheOthersAsOfTheStartOfTheStep) {
  // two integrators in a ring with held values: x1' = x2, x2' = -x1, explicit Euler
  Bench b(100ms);
  b.add("a", std::make_unique<Lag>(0.0, 1.0));
  b.add("b", std::make_unique<Lag>(0.0, 0.0));
  b.wire("a.y", "b.u", -1.0);
  b.wire("b.y", "a.u");
  Executive run(b.take());
  run.initialize();
  run.run_until(at(1.0));
  double x1 = 1.0, x2 = 0.0;
  for (int k = 0; k < 10; ++k) {
    const double y1 = x1, y2 = x2;
    x1 += y2 * seconds(Duration(100ms));
    x2 += -y1 * seconds(Duration(100ms));
  }
  EXPECT_EQ(value(run, "a.y"), x1);
  EXPECT_EQ(value(run, "b.y"), x2);
}

TEST(Executive, ComputesOutputsInTheOrderOfFeedthrough) {
  // added in reverse, so that the document's order would be wrong
  Bench b(100ms);
  b.add("last", std::make_unique<Scale>(2.0));
  b.add("middle", std::make_unique<Scale>(3.0));
  b.add("clock", std::make_unique<Clock>());
  b.wire("middle.y", "last.u");
  b.wire("clock.y", "middle.u");
  Executive run(b.take());
  run.initialize();
  run.run_until(at(0.5));
  EXPECT_EQ(value(run, "last.y"), 3.0);
}

TEST(Executive, LooksAtTheOutputWhereAnInputHasOneWholeWire) {
  Bench b(100ms);
  b.add("a", std::make_unique<Scale>(1.0, 5.0, 3));
  Scale& whole = b.add("whole", std::make_unique<Scale>(1.0, 0.0, 3));
  Scale& slice = b.add("slice", std::make_unique<Scale>(1.0));
  Scale& scaled = b.add("scaled", std::make_unique<Scale>(1.0, 0.0, 3));
  b.wire("a.y", "whole.u");
  b.wire("a.y", "slice.u").from_first = 2;
  b.wire("a.y", "scaled.u", 2.0);
  Executive run(b.take());
  const double* memory = run.find("a.y")->reals().data();
  EXPECT_EQ(whole.input(), memory);
  EXPECT_EQ(slice.input(), memory + 2);
  EXPECT_NE(scaled.input(), memory);
  run.initialize();
  EXPECT_EQ(value(run, "scaled.y", 1), 10.0);
}

TEST(Executive, AddsSeveralWiresWithGainsAndSlices) {
  Bench b(100ms);
  b.add("a", std::make_unique<Scale>(0.0, 1.0, 3));
  b.add("b", std::make_unique<Scale>(0.0, 10.0, 2));
  b.add("sum", std::make_unique<Scale>(1.0, 0.0, 4));
  b.plan.wires.reserve(4);
  auto& first = b.wire("a.y", "sum.u", 2.0);
  first.count = 3;  // sum[0:3] = 2 a
  auto& second = b.wire("b.y", "sum.u", -1.0);
  second.to_first = 2;
  second.count = 2;  // sum[2:4] -= b
  Executive run(b.take());
  run.initialize();
  EXPECT_EQ(value(run, "sum.y", 0), 2.0);
  EXPECT_EQ(value(run, "sum.y", 1), 2.0);
  EXPECT_EQ(value(run, "sum.y", 2), -8.0);
  EXPECT_EQ(value(run, "sum.y", 3), -10.0);
}

TEST(Executive, DelaysAConnectionByTime) {
  Bench b(100ms);
  b.add("clock", std::make_unique<Clock>());
  b.add("seen", std::make_unique<Scale>(1.0));
  b.add("defaulted", std::make_unique<Lag>(0.0));
  b.wire("clock.y", "seen.u", 1.0, 250ms);
  Executive run(b.take());
  run.initialize();
  run.run_until(at(0.2));
  EXPECT_EQ(value(run, "seen.y"), 0.0);  // nothing has arrived
  run.run_until(at(0.7));
  EXPECT_EQ(value(run, "seen.y"), 0.4);  // the last value not later than 0.45 s
  run.run_until(at(10.0));
  EXPECT_NEAR(value(run, "seen.y"), 9.7, 1e-12);
}

TEST(Executive, ADelayBreaksAnAlgebraicLoop) {
  const auto ring = [](Duration delay) {
    Bench b(100ms);
    b.add("a", std::make_unique<Scale>(1.0, 1.0));
    b.add("b", std::make_unique<Scale>(1.0));
    b.wire("a.y", "b.u");
    b.wire("b.y", "a.u", 1.0, delay);
    return b.take();
  };
  EXPECT_THROW(ring(0ms), ConfigurationError);
  Executive run(ring(100ms));
  run.initialize();
  EXPECT_EQ(value(run, "a.y"), 1.0);
  run.run_until(at(0.5));
  EXPECT_EQ(value(run, "a.y"), 6.0);  // counts ticks
}

TEST(Executive, NamesTheChainOfAnAlgebraicLoop) {
  Bench b;
  b.add("plant", std::make_unique<Scale>(1.0));
  b.add("sensors", std::make_unique<Scale>(1.0));
  b.wire("plant.y", "sensors.u").place = {"docking.xml", 33, 3, 1};
  b.wire("sensors.y", "plant.u").place = {"docking.xml", 36, 3, 1};
  Diagnostics problems;
  composition::arrange(b.plan, problems);
  ASSERT_EQ(problems.errors(), 1u);
  const Diagnostic& d = problems.list()[0];
  EXPECT_EQ(d.code, "V2110");
  EXPECT_EQ(d.message, "an algebraic loop: every output needs the next one at the same instant");
  EXPECT_THAT(d.body, ElementsAre("plant.y    → sensors.u   (line 33)",
                                  "sensors.y  → plant.u     (line 36)"));
  EXPECT_THAT(d.notes,
              ElementsAre("break it where the real system has a delay, for example on line "
                          "36: delay=\"1 tick\""));
}

TEST(Executive, CallsAPartTwiceWhenItsOutputsNeedEachOtherThroughAnother) {
  // a.free -> b.u, b.y -> a.u, a.bound = a.u: a loop between parts, but not between ports
  Description d;
  d.inputs = {real("u")};
  d.outputs = {real("free"), real("bound")};
  d.feedthrough = {{"bound", "u"}};
  Bench b(100ms);
  auto& a = b.add("a", std::make_unique<Scripted>(d));
  std::span<const double> u;
  std::span<double> free, bound;
  a.on_bind = [&](const Bindings& x) {
    u = x.real_input("u");
    free = x.real_output("free");
    bound = x.real_output("bound");
  };
  a.on_output = [&](Instant i) {
    free[0] = 1.0 + seconds(i.time);
    bound[0] = u[0];
    return Outcome::ok;
  };
  b.add("b", std::make_unique<Scale>(10.0));
  b.wire("a.free", "b.u");
  b.wire("b.y", "a.u");
  Executive run(b.take());
  run.initialize();
  EXPECT_EQ(value(run, "a.bound"), 10.0);
  run.run_until(at(1.0));
  EXPECT_EQ(value(run, "a.bound"), 20.0);
}

TEST(Executive, InitializesInPhasesUntilAllHaveSettled) {
  Description d;
  d.inputs = {real("u")};
  d.outputs = {real("y")};
  Bench b;
  auto& a = b.add("a", std::make_unique<Scripted>(d));
  b.add("b", std::make_unique<Scale>(2.0));
  std::span<const double> u;
  std::span<double> y;
  a.on_bind = [&](const Bindings& x) { u = x.real_input("u"), y = x.real_output("y"); };
  // solves y = 2 y - 3 by y := u - 3; settles after it has seen the other's answer to y = 3
  a.on_initialize = [&](Time, int phase) {
    a.state.x = phase == 0 ? 3.0 : u[0] / 2.0;
    return phase > 0 && u[0] == 6.0;
  };
  a.on_output = [&](Instant) {
    y[0] = a.state.x;
    return Outcome::ok;
  };
  b.wire("a.y", "b.u");
  b.wire("b.y", "a.u");
  Executive run(b.take());
  run.initialize();
  EXPECT_EQ(value(run, "b.y"), 6.0);

  Description never;
  Bench c;
  c.add("restless", std::make_unique<Scripted>(never)).on_initialize = [](Time, int) {
    return false;
  };
  Executive lost(c.take());
  try {
    lost.initialize();
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_STREQ(e.what(),
                 "error[V3120]: no consistent start was found for restless in 100 phases\n"
                 "   = see: vernier explain V3120\n"
                 "\n1 error\n");
  }
}

TEST(Executive, APacerThatFailsSaysWhy) {
  struct Full final : Pacer {
    Outcome wait_for(Time t) noexcept override {
      return t < at(0.3) ? Outcome::ok : Outcome::failed;
    }
    Fault fault() const noexcept override { return {"V7104", "", "the disk is full"}; }
  } full;
  Bench b(100ms);
  b.add("a", std::make_unique<Scripted>(Description{}));
  Executive run(b.take(), {&full});
  run.initialize();
  EXPECT_EQ(run.run_until(at(1.0)), Ending::failed);
  EXPECT_EQ(run.fault().code, "V7104");
  EXPECT_EQ(run.fault().message, "the disk is full");
}

TEST(Executive, ARunEndsWellWhenTimeIsOverAndClocksBeginAnewWhenItStoodStill) {
  struct Shared final : Pacer {
    Outcome wait_for(Time t) noexcept override {
      stood = t == at(0.2);
      return t < at(0.5) ? Outcome::ok : Outcome::failed;
    }
    bool over() const noexcept override { return true; }
    bool stood_still() noexcept override { return stood; }
    bool stood = false;
  } shared;
  struct Clock final : Pacer {
    void start(Time t) noexcept override { starts.push_back(t); }
    Outcome wait_for(Time) noexcept override { return Outcome::ok; }
    std::vector<Time> starts;
  } clock;
  Bench b(100ms);
  b.add("a", std::make_unique<Scripted>(Description{}));
  Executive run(b.take(), {&shared, &clock});
  run.initialize();
  EXPECT_EQ(run.run_until(at(1.0)), Ending::reached);
  EXPECT_EQ(run.now(), at(0.4));
  EXPECT_EQ(clock.starts, (std::vector<Time>{at(0.0), at(0.1)}));
}

TEST(Executive, FreezesAtAnInstantOfTheRunAndResumes) {
  const auto make = [] {
    Bench b(100ms);
    b.add("a", std::make_unique<Lag>(0.7, 1.0));
    b.add("b", std::make_unique<Lag>(0.3, 0.0));
    b.wire("a.y", "b.u");
    b.wire("b.y", "a.u", -1.0);
    return b.take();
  };
  Executive straight(make());
  straight.initialize();
  straight.run_until(at(1.0));

  Executive run(make());
  run.initialize();
  run.request_freeze(at(0.42));
  EXPECT_EQ(run.run_until(at(1.0)), Ending::frozen);
  EXPECT_EQ(run.now(), at(0.5));  // the next tick: freezing adds no instant
  EXPECT_EQ(run.run_until(at(1.0)), Ending::frozen);
  run.resume();
  EXPECT_EQ(run.run_until(at(1.0)), Ending::reached);
  EXPECT_EQ(value(run, "b.y"), value(straight, "b.y"));
}

TEST(Executive, StopsOnRequestAfterTheTick) {
  Bench b(100ms);
  Description d;
  auto& a = b.add("a", std::make_unique<Scripted>(d));
  Executive run(b.take());
  a.on_advance = [&run](Time, Time to) {
    if (to == at(0.3)) run.request_stop();
    return Advance{to};
  };
  run.initialize();
  EXPECT_EQ(run.run_until(at(1.0)), Ending::stopped);
  EXPECT_EQ(run.now(), at(0.3));
  run.resume();
  EXPECT_EQ(run.run_until(at(1.0)), Ending::reached);
}

TEST(Executive, StopsWithTheReasonOfAFailedPart) {
  Bench b(100ms);
  Description d;
  auto& a = b.add("link", std::make_unique<Scripted>(d));
  a.on_advance = [&a](Time from, Time to) {
    if (from < at(0.5)) return Advance{to};
    std::strcpy(a.the_fault.code, "V5101");
    std::strcpy(a.the_fault.text, "the peer has gone");
    return Advance{from, Outcome::failed};
  };
  Executive run(b.take());
  run.initialize();
  EXPECT_EQ(run.run_until(at(1.0)), Ending::failed);
  EXPECT_EQ(run.run_until(at(1.0)), Ending::failed);
  const Diagnostic f = run.fault();
  EXPECT_EQ(f.code, "V5101");
  EXPECT_EQ(f.message, "the peer has gone");
  EXPECT_THAT(f.notes, ElementsAre("in link at t = 0.600 s"));
}

TEST(Executive, NamesTheOutputThatFirstBecameNotANumber) {
  Bench b(100ms);
  b.add("follower", std::make_unique<Scale>(1.0));
  Description d;
  d.outputs = {real("torque", 3)};
  auto& a = b.add("wheels", std::make_unique<Scripted>(d));
  std::span<double> y;
  a.on_bind = [&y](const Bindings& x) { y = x.real_output("torque"); };
  a.on_output = [&y](Instant i) {
    y[1] = i.time >= at(0.4) ? std::numeric_limits<double>::quiet_NaN() : 1.0;
    return Outcome::ok;
  };
  b.wire("wheels.torque", "follower.u").from_first = 1;
  Executive run(b.take());
  run.initialize();
  EXPECT_EQ(run.run_until(at(1.0)), Ending::failed);
  EXPECT_EQ(run.fault().code, "V3107");
  EXPECT_EQ(run.fault().message, "wheels.torque[1] became not-a-number at t = 0.400 s");
  EXPECT_THAT(run.fault().notes, ElementsAre("with it at the same time: follower.y"));
}

// Oracle: the ticks of a part with this rate, which are those of tick().
TEST(Executive, TakesAStepThatIsNoWholeNumberOfNanoseconds) {
  Bench b(3030303ns);
  b.plan.step_rate = {330, 1};
  Clock& base = b.add("base", std::make_unique<Clock>());
  Clock& paced = b.add("paced", std::make_unique<Clock>(Rate{330, 1}));
  Executive run(b.take());
  run.initialize();
  base.log.clear();
  paced.log.clear();
  run.run_until(at(2.0));
  ASSERT_EQ(base.log.size(), 660u);
  EXPECT_EQ(base.log, paced.log);
  EXPECT_EQ(base.log[329], at(1.0));
  EXPECT_EQ(base.log.back(), at(2.0));
  const Snapshot saved = run.save();
  run.run_until(at(3.0));
  const std::vector<std::pair<Time, Time>> whole(base.steps.end() - 330, base.steps.end());
  base.steps.clear();
  run.restore(saved);
  run.run_until(at(3.0));
  EXPECT_EQ(base.steps, whole);
}

TEST(Executive, PrefersARateOverTheStepWhereNothingIsContinuous) {
  Bench b(100ms);
  Clock& c = b.add("clock", std::make_unique<Clock>(Rate{1, 1}));
  Executive run(b.take());
  run.initialize();
  c.log.clear();
  run.run_until(at(3.0));
  EXPECT_EQ(run.statistics().instants, 4u);  // 0, 1, 2, 3 s
}

TEST(Executive, AllocatesNothingWhileRunning) {
  Bench b(1ms);
  b.add("clock", std::make_unique<Clock>());
  for (int i = 0; i < 20; ++i) {
    const std::string n = "lag" + std::to_string(i);
    b.add(n, std::make_unique<Lag>(1.0, i));
    b.wire("clock.y", n + ".u", 1.0, i % 2 ? 0ms : 5ms);
  }
  Options options;
  options.measure_every = 1;
  struct Patient final : Pacer {
    Outcome wait_for(Time) noexcept override { return Outcome::ok; }
  } pacer;
  Executive run(b.take(), {&pacer}, options);
  run.initialize();
  const long before = testing::allocations();
  EXPECT_EQ(run.run_until(at(5.0)), Ending::reached);
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_EQ(run.statistics().ticks, 5001u);
  EXPECT_EQ(run.statistics().parts[3].calls, 5000u);
  EXPECT_GT(run.statistics().parts[3].measured, 4000u);
}

/// A mass of 1 kg under a constant force: exact.
class Mass final : public Small<std::array<double, 2>> {
 public:
  explicit Mass(double x) : x0_(x) {
    description_.inputs = {real("force")};
    description_.outputs = {real("x"), real("v")};
  }
  void bind(const Bindings& b) override {
    force_ = b.real_input("force");
    x_ = b.real_output("x");
    v_ = b.real_output("v");
  }
  bool initialize(Time, int) override {
    state = {x0_, 0.0};
    return true;
  }
  Outcome output(Instant) noexcept override {
    x_[0] = state[0];
    v_[0] = state[1];
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    const double h = seconds(to - from);
    state[0] += h * (state[1] + 0.5 * h * force_[0]);
    state[1] += h * force_[0];
    return {to};
  }

 private:
  double x0_;
  std::span<const double> force_;
  std::span<double> x_, v_;
};

TEST(Executive, HeldForcesAddEnergyAsTheDocumentsSay) {
  // docs/concepts/time-and-ticks.md: exp(omega^2 tau t), tau = 0.5 or 1.5 ticks, after 1 s at 1 kHz
  struct Row {
    double omega, held, delayed;
  };
  for (const Row& row : {Row{2, 1.002, 1.007}, Row{10, 1.05, 1.15}, Row{50, 3.5, 43}}) {
    for (const bool delay : {false, true}) {
      const double k = row.omega * row.omega / 2.0;
      Bench b(1ms);
      b.add("a", std::make_unique<Mass>(0.5));
      b.add("b", std::make_unique<Mass>(-0.5));
      for (const auto& [from, to, gain] :
           {std::tuple("a.x", "a.force", -k), std::tuple("b.x", "a.force", k),
            std::tuple("a.x", "b.force", k), std::tuple("b.x", "b.force", -k)})
        b.wire(from, to, gain, delay ? 1ms : 0ms);
      Executive run(b.take());
      const auto energy = [&] {
        const double d = value(run, "a.x") - value(run, "b.x");
        return 0.5 * (std::pow(value(run, "a.v"), 2) + std::pow(value(run, "b.v"), 2) + k * d * d);
      };
      run.initialize();
      const double before = energy();
      run.run_until(at(1.0));
      const double expected = delay ? row.delayed : row.held;
      EXPECT_NEAR(energy() / before / expected, 1.0, 0.02) << row.omega;  // the digits of the table
    }
  }
}

TEST(Meter, HearsWhatEveryPartCostsAtEveryInstant) {
  // a clock that only work advances: the costs are exact
  struct Tally final : Meter {
    std::int64_t now() noexcept override { return clock; }
    void spent(std::span<const std::int64_t> by_part) noexcept override {
      ++instants;
      for (std::size_t i = 0; i < by_part.size(); ++i) costs[i] += by_part[i];
    }
    std::int64_t clock = 0, costs[2] = {};
    int instants = 0;
  } meter;
  Bench b(10ms);
  Description d;
  d.abilities.reacts = true;
  auto& cheap = b.add("cheap", std::make_unique<Scripted>(Description{}));
  auto& dear = b.add("dear", std::make_unique<Scripted>(d));
  cheap.on_output = [&](Instant) { return meter.clock += 1, Outcome::ok; };
  dear.on_advance = [&](Time, Time to) { return meter.clock += 100, Advance{to}; };
  dear.on_react = [&](Instant at) {
    meter.clock += 1000;
    return at.microstep == 0 ? Outcome::changed : Outcome::ok;  // its outputs are computed again
  };
  dear.on_output = [&](Instant) { return meter.clock += 10'000, Outcome::ok; };
  Options options;
  options.meter = &meter;
  Executive run(b.take(), {}, options);
  run.initialize();
  meter.clock = 0;
  EXPECT_EQ(run.run_until(at(1.0)), Ending::reached);
  // the first advance belongs to the instant before, the last instant is not yet over
  EXPECT_EQ(meter.instants, 100);
  EXPECT_EQ(meter.costs[0], 100);
  EXPECT_EQ(meter.costs[1], 100 * 100 + 100 * 2 * 1000 + 100 * 2 * 10'000);
}

TEST(Executive, ReachesEveryThreadOfARun) {
  Bench b(10ms);
  b.add("clock", std::make_unique<Clock>());
  Executive run(b.take(), {}, {.threads = 4});
  std::atomic<int> calls{0};
  run.on_every_thread([](void* n) noexcept { ++*static_cast<std::atomic<int>*>(n); }, &calls);
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace vernier::executive
