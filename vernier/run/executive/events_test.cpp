#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "vernier/run/executive/executive.hpp"
#include "vernier/run/executive/test_parts.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::executive {
namespace {

using namespace std::chrono_literals;
using namespace test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::int64_t count(const Executive& run, std::string_view path) {
  return run.find(path)->integers()[0];
}

/// Records the instants it is shown and one value at each.
class Trace final : public Observer {
 public:
  explicit Trace(const PortView* v) : view_(v) { rows.reserve(100000); }
  void sample(Instant at, bool last) noexcept override {
    rows.push_back({at, last, view_->element(0)});
  }
  void note(std::size_t part, std::span<const Entry> entries) noexcept override {
    for (const Entry& e : entries) notes.emplace_back(part, e);
  }
  struct Row {
    Instant at;
    bool last;
    double value;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;
  std::vector<std::pair<std::size_t, Entry>> notes;

 private:
  const PortView* view_;
};

struct Level {
  double value;
  bool upwards;
};

/// The plant of the worked example: x' = -x/2 + u, y = x. Stops where x crosses one of its levels,
/// computed in closed form, at the next whole nanosecond.
class Plant final : public Small<One> {
 public:
  explicit Plant(std::vector<Level> levels, bool rewinds = true) : levels_(std::move(levels)) {
    description_.inputs = {real("u")};
    description_.outputs = {real("y")};
    description_.abilities.stops_early = true;
    description_.abilities.rewinds = rewinds;
  }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    y_ = b.real_output("y");
    journal_ = &b.journal();
  }
  Outcome output(Instant) noexcept override {
    y_[0] = state.x;
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    const double goal = 2.0 * u_[0];
    Duration first = to - from;
    for (const Level& level : levels_) {
      const double ratio = (goal - state.x) / (goal - level.value);
      if ((goal > state.x) != level.upwards || !(ratio > 1.0)) continue;  // never, or already there
      const double ns = std::ceil(2e9 * std::log(ratio));
      if (ns > 0.0 && ns < static_cast<double>(first.count()))
        first = Duration(static_cast<std::int64_t>(ns));
    }
    state.x = goal + (state.x - goal) * std::exp(-0.5 * seconds(first));
    ++calls;
    journal_->note({.at = {from + first}, .kind = 1});
    return {from + first};
  }
  int calls = 0;

 private:
  std::vector<Level> levels_;
  std::span<const double> u_;
  std::span<double> y_;
  Journal* journal_ = nullptr;
};

struct Switch {
  std::int64_t on = 1, emitted = 0;
};

/// On: y = 2, until u >= 3. Off: y = 0, until u <= 1, then emits `on`.
class Relay final : public Small<Switch> {
 public:
  Relay() {
    description_.inputs = {real("u")};
    description_.outputs = {real("y"), event("on")};
    description_.abilities.reacts = true;
    times.reserve(1000);
  }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    y_ = b.real_output("y");
    on_ = b.integer_output("on");
  }
  Outcome output(Instant) noexcept override {
    y_[0] = state.on ? 2.0 : 0.0;
    on_[0] = state.emitted;
    return Outcome::ok;
  }
  Outcome react(Instant at) noexcept override {
    if (state.on ? u_[0] < 3.0 : u_[0] > 1.0) return Outcome::ok;
    state.on = !state.on;
    state.emitted += state.on;
    times.push_back(at);
    return Outcome::changed;
  }
  std::vector<Instant> times;

 private:
  std::span<const double> u_;
  std::span<double> y_;
  std::span<std::int64_t> on_;
};

struct Counted {
  std::int64_t seen = 0, n = 0;
};

/// n: how often it received `on`.
class Counter final : public Small<Counted> {
 public:
  explicit Counter(Rate rate = {}) {
    description_.inputs = {event("on")};
    description_.outputs = {integer("n"), integer("seen")};
    description_.abilities.reacts = true;
    description_.rate = rate;
    times.reserve(1000);
  }
  void bind(const Bindings& b) override {
    on_ = b.integer_input("on");
    n_ = b.integer_output("n");
    seen_ = b.integer_output("seen");
  }
  Outcome output(Instant) noexcept override {
    n_[0] = state.n;
    seen_[0] = state.seen;
    return Outcome::ok;
  }
  Outcome react(Instant at) noexcept override {
    if (on_[0] == state.seen) return Outcome::ok;
    state.seen = on_[0];
    ++state.n;
    times.push_back(at);
    return Outcome::changed;
  }
  std::vector<Instant> times;

 private:
  std::span<const std::int64_t> on_;
  std::span<std::int64_t> n_, seen_;
};

/// The worked example of composition: a plant, a relay and a counter, in any order.
struct Example {
  Bench bench;
  Plant* plant;
  Relay* relay;
  Counter* counter;

  explicit Example(Duration step, bool reversed = false) : bench(step) {
    const std::vector<Level> levels{{3.0, true}, {1.0, false}};
    const auto p = [&] { plant = &bench.add("plant", std::make_unique<Plant>(levels)); };
    const auto r = [&] { relay = &bench.add("relay", std::make_unique<Relay>()); };
    const auto c = [&] { counter = &bench.add("counter", std::make_unique<Counter>()); };
    if (reversed)
      c(), r(), p();
    else
      p(), r(), c();
    bench.add("bias", std::make_unique<Scale>(0.0, 0.25));
    bench.wire("relay.y", "plant.u");
    bench.wire("bias.y", "plant.u");
    bench.wire("plant.y", "relay.u");
    bench.wire("relay.on", "counter.on");
  }
};

/// y = t + gain u at any time, by dense output; counts its steps.
class Ramp final : public Small<One> {
 public:
  explicit Ramp(double gain = 0.0) : gain_(gain) {
    description_.inputs = {real("u", 1, {{0.0}})};
    description_.outputs = {real("y")};
    description_.feedthrough = {{"y", "u"}};
    description_.abilities.dense = true;
    steps.reserve(1000);
  }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    y_ = b.real_output("y");
  }
  Outcome output(Instant at) noexcept override { return sample(at.time); }
  Outcome sample(Time at) noexcept override {
    y_[0] = seconds(at) + gain_ * u_[0];
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    steps.push_back(seconds(to - from));
    return {to};
  }
  std::vector<double> steps;

 private:
  double gain_;
  std::span<const double> u_;
  std::span<double> y_;
};

TEST(Events, TheComponentsOfTheseTestsConform) {
  Plant plant({{3.0, true}, {1.0, false}});
  testing::expect_conforming(plant, 10ms, [](testing::Rig& r, int k) { r.in("u") = k % 7; });
  Relay relay;
  testing::expect_conforming(relay, 10ms, [](testing::Rig& r, int k) { r.in("u") = k % 5; });
  Counter counter;
  testing::expect_conforming(counter, 10ms, [](testing::Rig& r, int k) {
    if (k % 3 == 0) r.send("on");
  });
  Lag lag(0.4, 1.0);
  testing::expect_conforming(lag, 10ms, [](testing::Rig& r, int k) { r.in("u") = k % 5; });
  Scale scale(2.0, 1.0);
  testing::expect_conforming(scale, 10ms, [](testing::Rig& r, int k) { r.in("u") = k % 5; });
}

TEST(EarlyReturn, FindsTheSwitchingTimesAtAnyStep) {
  // closed form (reference): Off at 2 ln 3, On 2 ln 5 later, then On phases of 2 ln(7/3)
  std::vector<double> expected{2.0 * std::log(3.0)};
  for (int k = 0; k < 6; ++k)
    expected.push_back(expected.back() + 2.0 * std::log(k % 2 ? 7.0 / 3.0 : 5.0));
  EXPECT_NEAR(expected[1], 5.41610040220442, 1e-13);
  EXPECT_NEAR(expected[3], 10.3295719478470, 1e-12);
  for (const Duration step : {Duration(1s), Duration(100ms), Duration(7ms)}) {
    Example e(step);
    const Relay& relay = *e.relay;
    const Counter& counter = *e.counter;
    Executive run(e.bench.take());
    run.initialize();
    EXPECT_EQ(run.run_until(at(16.0)), Ending::reached);
    ASSERT_EQ(relay.times.size(), 6u);
    for (std::size_t k = 0; k < 6; ++k) {
      // each switch is less than a nanosecond late, and the delays accumulate
      const double late = seconds(relay.times[k].time) - expected[k];
      EXPECT_GE(late, -1e-12) << k;
      EXPECT_LE(late, 1e-9 * static_cast<double>(k + 1)) << k;
    }
    ASSERT_EQ(counter.times.size(), 3u);
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(counter.times[n].time, relay.times[2 * n + 1].time);
      EXPECT_EQ(counter.times[n].microstep, relay.times[2 * n + 1].microstep + 1);
    }
    EXPECT_EQ(run.statistics().early_returns, 6u);
    EXPECT_EQ(count(run, "counter.n"), 3);
  }
}

TEST(EarlyReturn, IsNotUsedInRealTimeAndEventsAreHeardAtTheNextTick) {
  Example e(100ms);
  Options options;
  options.real_time = true;
  Executive run(e.bench.take(), {}, options);
  run.initialize();
  run.run_until(at(6.0));
  ASSERT_EQ(e.relay->times.size(), 2u);
  EXPECT_EQ(e.relay->times[0].time, at(2.2));  // the tick after 2.197 s
  EXPECT_EQ(run.statistics().early_returns, 0u);
}

TEST(EarlyReturn, DoesNotDependOnTheOrderOfParts) {
  Example a(1s), b(1s, true);
  Executive one(a.bench.take()), two(b.bench.take());
  one.initialize();
  two.initialize();
  one.run_until(at(16.0));
  two.run_until(at(16.0));
  EXPECT_EQ(a.relay->times, b.relay->times);
  EXPECT_EQ(a.plant->state.x, b.plant->state.x);
}

/// Several plants that only stop, each at its own levels; their common input joins them.
Bench several(bool last_rewinds, std::vector<Plant*>& plants) {
  Bench b(1s);
  b.add("bias", std::make_unique<Scale>(0.0, 1.0));
  for (int i = 0; i < 4; ++i) {
    const std::string name = "p" + std::to_string(i);
    std::vector<Level> levels;
    for (int k = 1; k < 20; ++k) levels.push_back({0.1 * k + 0.01 * i, true});
    plants.push_back(&b.add(name, std::make_unique<Plant>(levels, i != 1 || last_rewinds)));
    b.wire("bias.y", name + ".u");
  }
  return b;
}

TEST(EarlyReturn, BringsAllPartsToTheEarliestEvent) {
  for (const bool all_rewind : {true, false}) {
    std::vector<Plant*> plants;
    Bench b = several(all_rewind, plants);
    Executive run(b.take());
    EXPECT_TRUE(run.plan().clusters[0].early_return);
    Trace trace(run.find("p0.y"));
    run.observe(trace, {});
    run.initialize();
    run.run_until(at(3.0));
    // every level crossed is an instant of the run: x = 2 (1 - exp(-t/2))
    std::vector<Time> events;
    for (int i = 0; i < 4; ++i)
      for (int k = 1; k < 20; ++k) {
        const double t = -2.0 * std::log(1.0 - (0.1 * k + 0.01 * i) / 2.0);
        if (t < 3.0) events.push_back(at(t));
      }
    std::sort(events.begin(), events.end());
    std::vector<Time> instants;
    std::size_t rows = 0;
    for (const Trace::Row& r : trace.rows) {
      rows += r.last;
      if (r.last && r.at.time.time_since_epoch() % 1s != 0ns) instants.push_back(r.at.time);
    }
    EXPECT_EQ(trace.rows.size(), rows + events.size());  // including those before an event
    ASSERT_EQ(instants.size(), events.size());
    for (std::size_t k = 0; k < events.size(); ++k)
      EXPECT_LE(std::abs((instants[k] - events[k]).count()), 100) << k;  // rounding of 70 steps
    for (const Plant* p : plants) EXPECT_NEAR(p->state.x, 2.0 * (1.0 - std::exp(-1.5)), 1e-12);
    EXPECT_GT(run.statistics().repeated, 50u);
    // the journal contains nothing of a repeated step
    for (const auto& [part, entry] : trace.notes) EXPECT_LE(entry.at.time, at(3.0));
    std::size_t of_first = 0;
    for (const auto& [part, entry] : trace.notes) of_first += part == 1;
    EXPECT_EQ(of_first, rows - 1);
  }
}

TEST(EarlyReturn, IsGivenUpWhereTwoPartsCannotGoBack) {
  Bench b(1s);
  b.add("bias", std::make_unique<Scale>(0.0, 1.0));
  for (const char* name : {"a", "b"}) {
    b.add(name, std::make_unique<Plant>(std::vector<Level>{{0.5, true}}, false));
    b.wire("bias.y", std::string(name) + ".u");
  }
  Executive run(b.take());
  EXPECT_FALSE(run.plan().clusters[0].early_return);
  EXPECT_THAT(run.plan().notes, ElementsAre(HasSubstr("a, b cannot go back")));
  run.initialize();
  EXPECT_EQ(run.run_until(at(3.0)), Ending::reached);
  EXPECT_EQ(run.statistics().instants, 4u);
}

TEST(EarlyReturn, APartThatStopsUnannouncedIsAFault) {
  Bench b(100ms);
  Description d;
  b.add("liar", std::make_unique<Scripted>(d)).on_advance = [](Time from, Time) {
    return Advance{from + 10ms};
  };
  Executive run(b.take());
  run.initialize();
  EXPECT_EQ(run.run_until(at(1.0)), Ending::failed);
  EXPECT_EQ(rendered(run.fault()),
            "error[V3103]: liar stopped before the end of the step without having announced it, at "
            "t = 0.100 s\n"
            "   = a component that does so says stops_early in its abilities\n"
            "   = see: vernier explain V3103\n");
}

TEST(EarlyReturn, APartThatDoesNotGetOnIsAFault) {
  for (const bool real_time : {false, true}) {
    Bench b(100ms);
    Description d;
    d.abilities.stops_early = true;
    b.add("stuck", std::make_unique<Scripted>(d)).on_advance = [](Time from, Time to) {
      return Advance{std::min(to, std::max(from, at(0.25)))};
    };
    Options options;
    options.real_time = real_time;
    Executive run(b.take(), {}, options);
    run.initialize();
    EXPECT_EQ(run.run_until(at(1.0)), Ending::failed);
    EXPECT_EQ(run.fault().code, "V3104");
    EXPECT_THAT(run.fault().message, HasSubstr("stuck does not get beyond t = 0."));
  }
}

TEST(Reactions, SeeOneSnapshotWhateverTheOrder) {
  // both read the other's value at once: they swap
  Bench b(100ms);
  Description d;
  d.inputs = {real("u")};
  d.outputs = {real("y")};
  d.abilities.reacts = true;
  std::vector<std::span<const double>> u(2);
  std::vector<std::span<double>> y(2);
  for (std::size_t i = 0; i < 2; ++i) {
    auto& s = b.add(i ? "b" : "a", std::make_unique<Scripted>(d));
    s.on_bind = [&u, &y, i](const Bindings& x) {
      u[i] = x.real_input("u");
      y[i] = x.real_output("y");
    };
    s.on_initialize = [&s, i](Time, int) {
      s.state.x = static_cast<double>(i) + 1.0;
      return true;
    };
    s.on_output = [&s, &y, i](Instant) {
      y[i][0] = s.state.x;
      return Outcome::ok;
    };
    s.on_react = [&s, &u, i](Instant now) {
      if (now.time != at(0.3) || now.microstep > 0) return Outcome::ok;
      s.state.x = u[i][0];
      return Outcome::changed;
    };
  }
  b.wire("a.y", "b.u");
  b.wire("b.y", "a.u");
  Executive run(b.take());
  run.initialize();
  run.run_until(at(0.5));
  EXPECT_EQ(run.find("a.y")->reals()[0], 2.0);
  EXPECT_EQ(run.find("b.y")->reals()[0], 1.0);
}

TEST(Reactions, HappenBeforeTimePasses) {
  Bench b(100ms);
  b.add("high", std::make_unique<Scale>(0.0, 5.0));
  Relay& relay = b.add("relay", std::make_unique<Relay>());
  b.wire("high.y", "relay.u");
  Executive run(b.take());
  run.initialize();
  EXPECT_THAT(relay.times, ElementsAre(Instant{Time{}, 0}));
  EXPECT_EQ(run.find("relay.y")->reals()[0], 0.0);
}

TEST(Reactions, AreShownBeforeAndAfter) {
  Example e(1s);
  Executive run(e.bench.take());
  Trace every(run.find("relay.y")), coarse(run.find("relay.y")), blind(run.find("relay.y"));
  run.observe(every, {});
  run.observe(coarse, {.rate = {1, 4}});
  run.observe(blind, {.rate = {1, 4}, .events = false});
  run.initialize();
  run.run_until(at(4.0));
  const Time off = e.relay->times[0].time;
  using Row = Trace::Row;
  EXPECT_THAT(every.rows,
              ElementsAre(Row{{at(0)}, true, 2.0}, Row{{at(1)}, true, 2.0}, Row{{at(2)}, true, 2.0},
                          Row{{off}, false, 2.0}, Row{{off, 1}, true, 0.0}, Row{{at(3)}, true, 0.0},
                          Row{{at(4)}, true, 0.0}));
  EXPECT_THAT(coarse.rows, ElementsAre(Row{{at(0)}, true, 2.0}, Row{{off}, false, 2.0},
                                       Row{{off, 1}, true, 0.0}, Row{{at(4)}, true, 0.0}));
  EXPECT_THAT(blind.rows, ElementsAre(Row{{at(0)}, true, 2.0}, Row{{at(4)}, true, 0.0}));
  run.remove(every);
  run.run_until(at(5.0));
  EXPECT_EQ(every.rows.size(), 7u);
}

TEST(Clusters, AreSampledBetweenTheirInstantsWithoutOneMore) {
  for (const bool exactly : {true, false}) {
    Bench b(1s);
    Ramp& ramp = b.add("ramp", std::make_unique<Ramp>());
    b.add("twice", std::make_unique<Ramp>(2.0));
    b.wire("ramp.y", "twice.u");
    Executive run(b.take());
    Trace trace(run.find("twice.y"));
    run.observe(trace, {.rate = {2, 3}, .exactly = exactly, .cluster = 0});  // every 1.5 s
    run.initialize();
    run.run_until(at(3.0));
    std::vector<double> seen;
    for (const Trace::Row& r : trace.rows) seen.push_back(r.value);
    // y = t for the first, and t + 2 u for the second, with u as of the same time
    EXPECT_THAT(seen, ElementsAre(0.0, exactly ? 4.5 : 6.0, 9.0));
    EXPECT_THAT(ramp.steps, ElementsAre(1.0, 1.0, 1.0));
  }
}

TEST(Clusters, WithoutDenseOutputServeWithTheirNextInstant) {
  for (const bool exactly : {true, false}) {
    Bench b(1s);
    Clock& clock = b.add("clock", std::make_unique<Clock>());
    Executive run(b.take());
    Trace trace(run.find("clock.y"));
    run.observe(trace, {.rate = {2, 3}, .exactly = exactly, .cluster = 0});  // every 1.5 s
    run.initialize();
    run.run_until(at(3.0));
    std::vector<double> seen, times;
    for (const Trace::Row& r : trace.rows) {
      seen.push_back(r.value);
      times.push_back(seconds(r.at.time));
    }
    EXPECT_THAT(seen, ElementsAre(0.0, 2.0, 3.0));
    EXPECT_EQ(seen, times);
    EXPECT_EQ(clock.steps.size(), 3u);
  }
}

TEST(Clusters, HaveInstantsOfTheirOwn) {
  // ticks of rates, events, stimuli and arriving events of one cluster do not affect the other
  Bench b(1s);
  Clock& clock = b.add("clock", std::make_unique<Clock>());
  b.add("fast", std::make_unique<Clock>(Rate{7, 1}));
  Example e(1s);
  for (auto& part : e.bench.plan.parts) b.plan.parts.push_back(std::move(part));
  for (composition::Wire w : e.bench.plan.wires) {
    w.from_part += 2;
    w.to_part += 2;
    b.plan.wires.push_back(w);
  }
  Executive run(b.take());
  ASSERT_EQ(run.plan().clusters.size(), 3u);
  run.initialize();
  clock.log.clear();
  run.run_until(at(3.0));
  EXPECT_THAT(clock.log, ElementsAre(at(1.0), at(2.0), at(3.0)));
  EXPECT_EQ(e.relay->times.size(), 1u);
}

TEST(Clusters, AreFrozenAtAnInstantOfAll) {
  Example e(1s);
  Clock& clock = e.bench.add("clock", std::make_unique<Clock>());
  Executive run(e.bench.take());
  run.initialize();
  run.request_freeze(at(2.1));  // the relay switches at 2.197 s, which the clock does not see
  EXPECT_EQ(run.run_until(at(5.0)), Ending::frozen);
  EXPECT_EQ(run.now(), at(3.0));
  EXPECT_EQ(clock.log.back(), at(3.0));
}

TEST(Reactions, WithoutEndAreAFaultThatNamesThem) {
  Bench b(100ms);
  Description d;
  d.abilities.reacts = true;
  auto& s = b.add("supervisor", std::make_unique<Scripted>(d));
  Journal* journal = nullptr;
  s.on_bind = [&journal](const Bindings& x) { journal = &x.journal(); };
  s.on_react = [&](Instant now) {
    if (now.time < at(0.2)) return Outcome::ok;
    journal->note({.at = now, .kind = 1});
    return Outcome::changed;
  };
  s.on_tell = [](const Entry&) {
    Telling t;
    t.from = "hold";
    t.to = "fire";
    t.reason = "error > 0.01";
    return t;
  };
  Executive run(b.take());
  run.initialize();
  EXPECT_EQ(run.run_until(at(1.0)), Ending::failed);
  EXPECT_EQ(run.fault().code, "V3110");
  EXPECT_EQ(run.fault().message,
            "supervisor switches more than 1000 times at t = 0.200 s between \"hold\" and \"fire\" "
            "(error > 0.01)");
}

TEST(Reactions, EventsOfSeveralAddUpAndSlowReceiversMissNone) {
  Bench b(100ms);
  Description d;
  d.outputs = {event("on")};
  d.abilities.reacts = true;
  std::vector<std::span<std::int64_t>> out(2);
  for (std::size_t i = 0; i < 2; ++i) {
    auto& s = b.add(i ? "b" : "a", std::make_unique<Scripted>(d));
    s.on_bind = [&out, i](const Bindings& x) { out[i] = x.integer_output("on"); };
    s.on_output = [&out, &s, i](Instant) {
      out[i][0] = static_cast<std::int64_t>(s.state.x);
      return Outcome::ok;
    };
    s.on_react = [&s](Instant now) {  // once a tick
      if (now.microstep > 0) return Outcome::ok;
      s.state.x += 1.0;
      return Outcome::changed;
    };
  }
  Counter& slow = b.add("slow", std::make_unique<Counter>(Rate{1, 1}));
  b.wire("a.on", "slow.on");
  b.wire("b.on", "slow.on");
  Executive run(b.take());
  run.initialize();
  run.run_until(at(2.0));
  EXPECT_EQ(slow.state.seen, 2 * 21);  // both at each of 21 ticks; seen at 0, 1 and 2 s
  // at 0 s those of the same time; at 1 and 2 s first those since, then those of the same time
  EXPECT_EQ(slow.times.size(), 5u);
}

TEST(Reactions, ADelayedEventArrivesExactly) {
  Bench b(1s);
  Example e(1s);
  e.bench.plan.wires.back().delay = 123456789ns;
  Executive run(e.bench.take());
  run.initialize();
  run.run_until(at(7.0));
  ASSERT_EQ(e.counter->times.size(), 1u);
  EXPECT_EQ(e.counter->times[0].time, e.relay->times[1].time + 123456789ns);
}

TEST(Reactions, PredictedEventsBecomeInstants) {
  Bench b(1s);
  Description d;
  d.abilities.predicts = true;
  auto& s = b.add("timer", std::make_unique<Scripted>(d));
  s.on_horizon = [](Time now) { return now < at(1.3) ? at(1.3) : Time::max(); };
  std::vector<Time> log;
  s.on_output = [&log](Instant i) {
    log.push_back(i.time);
    return Outcome::ok;
  };
  Executive run(b.take());
  run.initialize();
  log.clear();
  run.run_until(at(2.0));
  EXPECT_THAT(log, ElementsAre(at(1.0), at(1.3), at(2.0)));
}

TEST(Streams, CarryMessagesAndCountLosses) {
  Bench b(100ms);
  Port out, in;
  out.name = in.name = "frames";
  out.flow = in.flow = Flow::stream;
  out.capacity = 4;
  Description d, r;
  d.outputs = {out};
  r.inputs = {in};
  r.rate = {1, 1};
  r.abilities.reacts = true;
  auto& sender = b.add("sender", std::make_unique<Scripted>(d));
  auto& receiver = b.add("receiver", std::make_unique<Scripted>(r));
  Stream* stream = nullptr;
  StreamReader* reader = nullptr;
  sender.on_bind = [&stream](const Bindings& x) { stream = &x.stream_output("frames"); };
  receiver.on_bind = [&reader](const Bindings& x) { reader = &x.stream_input("frames"); };
  sender.on_advance = [&stream](Time, Time to) {
    const auto n = static_cast<std::byte>(to.time_since_epoch() / 100ms);
    stream->push(to, {&n, 1});
    return Advance{to};
  };
  std::vector<int> got;
  receiver.on_react = [&](Instant) {
    Message m;
    while (reader->pop(m)) got.push_back(static_cast<int>(m.content[0]));
    return Outcome::ok;
  };
  composition::Wire w;
  w.from_part = 0;
  w.to_part = 1;
  b.plan.wires.push_back(w);
  Executive run(b.take());
  run.initialize();
  run.run_until(at(2.0));
  EXPECT_THAT(got, ElementsAre(7, 8, 9, 10, 17, 18, 19, 20));  // four fit, six a second are lost
  EXPECT_EQ(run.statistics().messages_lost, 12u);
}

}  // namespace
}  // namespace vernier::executive
