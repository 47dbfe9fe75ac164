#include "vernier/run/realtime/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vernier::realtime {
namespace {

using namespace std::chrono_literals;
using Level = MachineFinding::Level;
using ::testing::HasSubstr;

constexpr double period = 4e6;  // ns

Machine good_machine() {
  Machine m;
  m.host = "rt-01";
  m.kernel = "6.1.0-rt";
  m.cpus = 4;
  m.usable = {0, 1, 2, 3};
  m.preempt_rt = true;
  m.clock_source = "tsc";
  m.rt_runtime_us = 950'000;
  m.isolated = "2-3";
  for (int cpu = 0; cpu < 4; ++cpu) m.governors.push_back({cpu, "performance"});
  return m;
}
const std::vector<Privilege> all_given{{"locked memory", true, "all", ""},
                                       {"real-time priority", true, "SCHED_FIFO 80", ""}};

const MachineFinding* find(const std::vector<MachineFinding>& all, std::string_view name) {
  for (const MachineFinding& f : all)
    if (f.name == name) return &f;
  return nullptr;
}

Histogram around(std::int64_t ns) {
  Histogram h;
  for (int i = 0; i < 1000; ++i) h.add(ns);
  return h;
}

TEST(Doctor, FindsNothingWrongWithAGoodMachine) {
  std::vector<MachineFinding> all = examined(good_machine(), all_given);
  for (const MachineFinding& f : all) EXPECT_EQ(f.level, Level::good) << f.name;
  all.push_back(judged_wake_up(around(19'000), period, 10));
  EXPECT_EQ(all.back().value, "p99 19.0 µs, max 19.0 µs in 10 s; budget 80.0 µs at 250 Hz");
  const Verdict v = concluded(all, period);
  EXPECT_TRUE(v.fit);
  EXPECT_EQ(v.words, "fit for 250 Hz");
}

TEST(Doctor, SaysWhyAndHowToFix) {
  struct Case {
    std::string name, value, fix;
    Level level;
    std::function<void(Machine&)> spoil;
  };
  const std::vector<Case> cases{
      {"CPU frequency", "CPUs 2-3 use governor \"powersave\"", "cpupower -c 2-3", Level::bad,
       [](Machine& m) { m.governors[2].name = m.governors[3].name = "powersave"; }},
      {"isolated CPUs", "none", "isolcpus=3", Level::warning, [](Machine& m) { m.isolated = ""; }},
      {"CPUs", "only one may be used", "taskset", Level::warning,
       [](Machine& m) { m.usable = {0}; }},
      {"throttling", "may use 50 % of a CPU", "sched_rt_runtime_us", Level::bad,
       [](Machine& m) { m.rt_runtime_us = 500'000; }},
      {"clock", "hpet", "clocksource=tsc", Level::bad, [](Machine& m) { m.clock_source = "hpet"; }},
      {"kernel", "not PREEMPT_RT", "linux-image-rt", Level::warning,
       [](Machine& m) { m.preempt_rt = false; }},
      {"virtual machine", "yes", "pin the virtual CPUs", Level::warning,
       [](Machine& m) { m.hypervisor = true; }}};
  for (const Case& c : cases) {
    Machine m = good_machine();
    c.spoil(m);
    const std::vector<MachineFinding> all = examined(m, all_given);
    const MachineFinding* f = find(all, c.name);
    ASSERT_TRUE(f) << c.name;
    EXPECT_EQ(f->level, c.level) << c.name;
    EXPECT_THAT(f->value, HasSubstr(c.value));
    EXPECT_THAT(f->fix, HasSubstr(c.fix));
    EXPECT_FALSE(f->why.empty());
    EXPECT_TRUE(concluded(all, period).fit);
  }
}

TEST(Doctor, WithoutPriorityNothingIsFit) {
  const std::vector<Privilege> refused{{"locked memory", false, "refused", "ask"},
                                       {"real-time priority", false, "refused", "ask"}};
  const Verdict v = concluded(examined(good_machine(), refused), period);
  EXPECT_FALSE(v.fit);
  EXPECT_EQ(v.words, "not fit for 250 Hz, two things to fix");
}

TEST(Doctor, JudgesWakeUpByTheLengthOfAFrame) {
  EXPECT_EQ(judged_wake_up(around(75'000), period, 1).level, Level::good);
  EXPECT_EQ(judged_wake_up(around(75'000), period / 4, 1).level, Level::warning);
  EXPECT_EQ(judged_wake_up(around(900'000), period, 1).level, Level::bad);
}

TEST(Doctor, JudgesTheLongestWakeUpOfMany) {
  const auto with = [](std::int64_t longest) {
    Histogram h = around(50'000);
    h.add(longest);
    return judged_wake_up(h, period, 1);
  };
  EXPECT_EQ(with(390'000).level, Level::good);     // below 10 % of a frame
  EXPECT_EQ(with(450'000).level, Level::warning);  // within the 30 % that work leaves free
  EXPECT_EQ(with(1'300'000).level, Level::bad);
  const MachineFinding lost = with(4'282'000);  // a whole frame
  EXPECT_EQ(lost.level, Level::bad);
  EXPECT_THAT(lost.why, HasSubstr("a frame began 107 % of its length late"));
  EXPECT_EQ(concluded({lost}, period).words, "not fit for 250 Hz, one thing to fix");
}

TEST(Doctor, JudgesCostByWhatStaysFree) {
  const auto costing = [](std::int64_t ns) {
    Health h;
    h.grid = {.step = 4ms};
    h.parts = {"cheap", "plant"};
    h.frames.cost = around(ns);
    h.frames.parts = {around(10), around(ns)};
    return judged_cost(h, "docking.xml");
  };
  EXPECT_EQ(costing(1'200'000).level, Level::good);
  EXPECT_THAT(costing(1'200'000).value, HasSubstr("docking.xml: 1.200 ms of 4.000 ms"));
  EXPECT_EQ(costing(3'000'000).level, Level::warning);
  EXPECT_EQ(costing(5'000'000).level, Level::bad);
  EXPECT_THAT(costing(5'000'000).why, HasSubstr("plant takes 5.000 ms"));
}

TEST(Doctor, MeasuresFramesThatDoNothing) {
  const Health h = measured(2ms, 100ms, {.priority = 10});
  EXPECT_EQ(h.frames.frames, 50u);
  EXPECT_FALSE(h.privileges.empty());
  EXPECT_GT(h.machine.cpus, 0);
}

}  // namespace
}  // namespace vernier::realtime
