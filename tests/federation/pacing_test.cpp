#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/federation/virtual_time.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/spacefom/central_clock.hpp"
#include "vernier/run/realtime/report.hpp"

namespace vernier::spacefom::test {
namespace {

using executive::Ending;
using realtime::Cause;
using realtime::Late;
using realtime::LatePolicy;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string blamed(const Lived& l, std::size_t i) {
  return realtime::blame(l.frames.late_frames.at(i), {"plant", "federate"}, l.others);
}

/// A Master that paces, and Moon; or a Master, Pacer and Moon. All in steps of 1 s, each of which
/// costs 10 ms.
std::vector<Role> federation(int federates, double rate, LatePolicy late = {}) {
  std::vector<Role> all;
  all.push_back({.name = "Earth"});
  if (federates == 3) all.push_back({.name = "Pacer"});
  Role& pacer = all.back();
  pacer.pacing = true;
  pacer.rate = rate;
  pacer.late = late;
  all.push_back({.name = "Moon"});
  return all;
}
std::size_t pacing(const std::vector<Role>& all) { return all.size() - 2; }

/// One tick costs so much; the others wait for it in earnest.
auto overrun(std::int64_t tick, std::int64_t ns, int others) {
  return [=](std::int64_t k) {
    if (k != tick) return 10 * ms;
    keep_waiting(others);
    return ns;
  };
}

/// Lets a federation run again when a member stands still.
class Resumer {
 public:
  Resumer() = default;
  ~Resumer() { stood(); }
  int stood() {
    over_.store(true);
    if (thread_.joinable()) thread_.join();
    return stood_;
  }
  std::atomic<FederateComponent*> member{nullptr};

 private:
  void work() {
    using namespace std::chrono_literals;
    while (!over_.load()) {
      std::this_thread::sleep_for(1ms);
      if (!member.load() || stood_ > 0 || member.load()->federate().mode() != Mode::freeze)
        continue;
      ++stood_;
      member.load()->federate().request(Mode::running);
    }
  }
  int stood_ = 0;
  std::atomic<bool> over_{false};
  std::thread thread_{[this] { work(); }};
};

std::string name(const char* what, int federates) {
  return std::string(what) + " " + std::to_string(federates);
}

TEST(Pacing, TiesTheTimeOfAllToTheClockAtAnyRate) {
  for (const int n : {2, 3})
    for (const double rate : {1.0, 4.0, 0.5}) {
      const auto roles = federation(n, rate);
      const auto lived = live(name("rate", n), roles, 20.0);
      const Lived& pacer = lived[pacing(roles)];
      const auto period = static_cast<std::int64_t>(1000.0 / rate) * ms;
      EXPECT_EQ(pacer.ending, Ending::reached) << pacer.fault.message << pacer.thrown;
      EXPECT_EQ(pacer.frames.late, 0u);
      ASSERT_EQ(pacer.entered.size(), 20u);
      for (int k = 0; k < 20; ++k) EXPECT_EQ(pacer.entered[k], k * period);
      // others enter T + step when the pacer has asked for T: 10 ms behind its tick T
      const Lived& moon = lived.back();
      ASSERT_GE(moon.entered.size(), 18u);
      for (int k = 2; k < 18; ++k) EXPECT_EQ(moon.entered[k], (k - 1) * period + 10 * ms);
    }
}

TEST(Pacing, GoesAsFastAsTheSlowestWithoutIt) {
  for (const int n : {2, 3}) {
    auto roles = federation(n, 0.0);
    roles.back().cost = [](std::int64_t) { return 30 * ms; };
    const auto lived = live(name("fast", n), roles, 20.0);
    for (const Lived& l : lived) {
      EXPECT_EQ(l.fault.message + l.thrown, "");
      ASSERT_GE(l.entered.size(), 18u);
      // each tick costs what it costs Moon
      for (int k = 3; k < 18; ++k) EXPECT_EQ(l.entered[k] - l.entered[k - 1], 30 * ms);
    }
  }
}

TEST(Pacing, StrictEndsWithTheFirstLateFrameAndNamesWhoHeldItBack) {
  for (const int n : {2, 3}) {
    auto roles = federation(n, 1.0, {.kind = Late::strict});
    roles.back().cost = overrun(5, 2500 * ms, n - 1);  // it begins at 4.01 s
    const auto lived = live(name("strict", n), roles, 20.0);
    const Lived& pacer = lived[pacing(roles)];
    EXPECT_EQ(pacer.ending, Ending::failed);
    EXPECT_EQ(pacer.fault.code, "V4101");
    ASSERT_EQ(pacer.frames.late, 1u);
    EXPECT_EQ(blamed(pacer, 0), "waiting for the federation, which was held back by Moon");
    EXPECT_THAT(pacer.fault.notes.at(0), HasSubstr("held back by Moon"));
    // whoever is left does not run on without a clock
    const Lived& moon = lived.back();
    if (n == 2) {
      EXPECT_EQ(moon.ending, Ending::reached) << moon.fault.message;  // the Master ended it
    } else {
      // it sees so itself, or the Master did first and shut the federation down
      EXPECT_TRUE(moon.fault.code == "V5335" || moon.fault.code == "V5336") << moon.fault.code;
      EXPECT_THAT(moon.fault.message, HasSubstr("Pacer left"));
    }
  }
}

TEST(Pacing, CatchesUpAfterAFederateThatOverranOnce) {
  for (const int n : {2, 3})
    for (const Late kind : {Late::catch_up, Late::elastic}) {
      auto roles = federation(n, 1.0, {.kind = kind});
      roles.back().cost = overrun(5, 3300 * ms, n - 1);
      const auto lived = live(name("once", n), roles, 20.0);
      const Lived& pacer = lived[pacing(roles)];
      EXPECT_EQ(pacer.ending, Ending::reached) << pacer.fault.message;
      EXPECT_EQ(pacer.frames.late_by[static_cast<int>(Cause::federation)], pacer.frames.late);
      EXPECT_GE(pacer.frames.late, 2u);
      ASSERT_EQ(pacer.others.size(), 1u);
      EXPECT_EQ(pacer.others[0].name, "Moon");
      EXPECT_EQ(pacer.others[0].late, pacer.frames.late);
      // no frame is lost, and the grid is where it was
      EXPECT_EQ(pacer.frames.frames, 20u);
      EXPECT_EQ(pacer.entered.back(), 19'000 * ms);
    }
}

TEST(Pacing, SlipsInsteadWhenItIsTold) {
  auto roles = federation(2, 1.0, {.kind = Late::slip});
  roles.back().cost = overrun(5, 3300 * ms, 1);
  const auto lived = live("slipping", roles, 20.0);
  EXPECT_EQ(lived[0].ending, Ending::reached) << lived[0].fault.message;
  EXPECT_EQ(lived[0].frames.late, 1u);
  EXPECT_EQ(lived[0].entered.back(), 19'000 * ms + lived[0].frames.slipped);
  // tick 5 of Moon lasts from 4.01 s to 7.31 s; that of the pacer has until 6 s
  EXPECT_EQ(lived[0].frames.slipped, 1310 * ms);
}

TEST(Pacing, AFederateThatIsAlwaysTooSlowIsBorneOrEndsItAtTheLimit) {
  const auto slow = [](std::int64_t k) {
    if (k == 3) keep_waiting(1);
    return 1500 * ms;
  };
  auto roles = federation(2, 1.0);
  roles.back().cost = slow;
  auto lived = live("slow", roles, 20.0);
  EXPECT_EQ(lived[0].ending, Ending::reached);
  EXPECT_GE(lived[0].frames.late, 18u);
  EXPECT_EQ(lived[0].frames.late_by[static_cast<int>(Cause::federation)], lived[0].frames.late);
  EXPECT_GT(lived[0].frames.worst_lag, 8000 * ms);  // half a second more with each frame

  roles = federation(2, 1.0, {.kind = Late::elastic, .in_a_row = 4});
  roles.back().cost = slow;
  lived = live("limited", roles, 20.0);
  EXPECT_EQ(lived[0].ending, Ending::failed);
  EXPECT_EQ(lived[0].fault.code, "V4107");
  EXPECT_EQ(lived[0].fault.message, "stopped: 4 late frames in a row (policy)");
  EXPECT_EQ(lived[0].frames.late, 4u);
}

TEST(Pacing, ALatePacerIsToldFromALateFederation) {
  // Moon keeps to the clock too, as with --rt
  auto roles = federation(3, 1.0);
  roles[1].cost = overrun(8, 2700 * ms, 2);
  roles[2].rate = 1.0;
  roles[2].cost = [](std::int64_t k) { return k == 14 ? 1200 * ms : 10 * ms; };
  const auto lived = live("late pacer", roles, 20.0);
  const Lived &pacer = lived[1], &moon = lived[2];
  EXPECT_EQ(pacer.ending, Ending::reached) << pacer.fault.message;
  EXPECT_EQ(blamed(pacer, 0), "work of plant");
  EXPECT_EQ(pacer.frames.late_by[static_cast<int>(Cause::work)], 2u);
  EXPECT_EQ(blamed(moon, 0), "waiting for the federation, whose pace is set by Pacer");
  EXPECT_GE(moon.frames.late_by[static_cast<int>(Cause::pacing)], 1u);
  EXPECT_EQ(moon.frames.late_by[static_cast<int>(Cause::work)], 1u);  // tick 14
  EXPECT_EQ(pacer.entered.back(), 19'000 * ms);
}

TEST(Pacing, AFreezeIsOnACommonBoundaryAndNothingIsCaughtUpBehindIt) {
  for (const int n : {2, 3}) {
    auto roles = federation(n, 1.0, {.kind = Late::strict});
    roles.back().step = 250'000;
    // asked for by the Master at 5 s; somebody lets it run again when all stand
    roles[0].each = [](FederateComponent& m, std::int64_t k) {
      if (k == 5) m.federate().request(Mode::freeze);
    };
    Resumer resumer;
    roles.back().each = [&](FederateComponent& m, std::int64_t) { resumer.member.store(&m); };
    constexpr std::int64_t resumed = 3'600'000 * ms;
    const auto lived = live(name("freeze", n), roles, 20.0, resumed);
    EXPECT_EQ(resumer.stood(), 1);
    const Lived& pacer = lived[pacing(roles)];
    EXPECT_EQ(pacer.ending, Ending::reached) << pacer.fault.message;
    EXPECT_EQ(pacer.frames.late, 0u);
    EXPECT_EQ(pacer.frames.frames, 20u);
    ASSERT_EQ(pacer.frozen.size(), 1u);
    const Ticks at = pacer.frozen[0];
    EXPECT_EQ(at % 1'000'000, 0);
    EXPECT_GT(at, 5'000'000);
    for (const Lived& l : lived) EXPECT_THAT(l.frozen, ElementsAre(at));
    // the tick in which time stood still has its whole period behind the freeze, and so on
    const auto tick = static_cast<std::size_t>(at / 1'000'000);
    EXPECT_EQ(pacer.entered[tick], static_cast<std::int64_t>(tick) * 1000 * ms);
    for (std::size_t k = tick + 1; k < 20; ++k)
      EXPECT_EQ(pacer.entered[k], resumed + static_cast<std::int64_t>(k - tick) * 1000 * ms);
  }
}

TEST(Pacing, AFederationThatIsFrozenFirstBeginsOnTheGrid) {
  auto roles = federation(2, 1.0, {.kind = Late::strict});
  Resumer resumer;
  roles.back().made = [&](FederateComponent& m) {
    m.federate().request(Mode::freeze);
    resumer.member.store(&m);
  };
  const auto lived = live("frozen first", roles, 3.0);
  EXPECT_EQ(resumer.stood(), 1);
  EXPECT_EQ(lived[0].fault.message + lived[0].thrown, "");
  EXPECT_THAT(lived[0].entered, ElementsAre(0, 1000 * ms, 2000 * ms));
}

/// Master and Moon, each with its own central clock or none; what they said.
std::vector<std::string> with_clocks(const std::string& federation,
                                     const std::function<std::int64_t()>& earth,
                                     const std::function<std::int64_t()>& moon) {
  std::vector<std::string> said(2);
  const auto run = [&](int i, const std::function<std::int64_t()>& clock) {
    Settings s;
    s.federation = federation;
    s.name = s.type = i == 0 ? "Earth" : "Moon";
    s.patience = std::chrono::seconds(200);
    s.central_clock = clock;
    s.central_lead = std::chrono::milliseconds(50);
    s.master = s.pacing = s.root_publisher = i == 0;
    if (i == 0) {
      s.federates = {"Moon"};
      s.steps.least_common = s.steps.step;
    }
    Federate f(s);
    if (i == 0) {
      const std::size_t root =
          f.publish("HLAobjectRoot.ReferenceFrame", "Root", {"name", "parent_name"}, true);
      for (const std::size_t a : {0u, 1u}) {
        Octets bytes;
        put_string(a == 0 ? "Root" : "", bytes);
        f.set(root, a, bytes);
      }
    }
    try {
      if (f.join() && f.begin()) said[i] = std::to_string(f.ran_at());
    } catch (const ConfigurationError& e) {
      said[i] = rendered(e.diagnostics().list().front());
    }
    f.resign();
  };
  std::thread other([&] { run(1, moon); });
  run(0, earth);
  other.join();
  return said;
}

std::int64_t utc() { return central_clock("system")(); }

TEST(CentralClock, LetsAllBeginAtTheInstantThatTheMasterNamed) {
  const std::int64_t before = utc();
  const auto said = with_clocks("central", utc, utc);
  EXPECT_EQ(said[0], said[1]);
  const std::int64_t at = std::stoll(said[0]);
  EXPECT_GE(at, before + 50 * ms);
  EXPECT_GE(utc(), at);
}

TEST(CentralClock, RefusesAMasterWithoutOneAndClocksThatDiffer) {
  EXPECT_THAT(with_clocks("no clock", {}, utc)[1],
              StartsWith("error[V5337]: the Master of no clock does not use central timing "
                         "equipment, which Moon needs"));
  const auto said = with_clocks("two clocks", utc, [] { return utc() - 3'600'000 * ms; });
  EXPECT_THAT(said[1],
              ::testing::ContainsRegex("^error.V5337.: the federation runs in 3[56].. s by "
                                       "the central clock of Moon"));
  EXPECT_EQ(said[0].find("error"), std::string::npos);
  EXPECT_THROW(central_clock("/dev/no-such-clock"), ConfigurationError);
  EXPECT_THROW(central_clock("/dev/null"), ConfigurationError);
  EXPECT_TRUE(names_central_clock("/dev/ptp0"));
  EXPECT_FALSE(names_central_clock("sundial"));
}

TEST(Pacing, InWallTimeTheWaitIsMeasuredAndItsCauseIsNamed) {
  using namespace std::chrono_literals;
  using WallClock = std::chrono::steady_clock;
  std::atomic<WallClock::duration> worked{WallClock::duration::max()};  // Earth, last
  Diagnostics problems;
  const auto document = [&](const std::string& text) {
    const auto d = parse_federate(text, "federate.xml", problems);
    EXPECT_TRUE(d) << rendered(problems);
    return *d;
  };
  const auto run = [](const FederateDocument& d, realtime::FramePacer* pacer, auto each) {
    executive::test::Bench b{20ms};
    auto& plant = b.add("plant", std::make_unique<executive::test::Scripted>(Description{}));
    auto& member = b.add("federate", std::make_unique<FederateComponent>(d));
    plant.on_advance = [&](Time from, Time to) {
      each(from.time_since_epoch() / 20ms);
      return Advance{to};
    };
    std::vector<Pacer*> pacers = member.pacers();
    if (pacer) pacers.push_back(pacer);
    executive::Executive exec(b.take(), pacers, {.real_time = true, .meter = pacer});
    if (pacer) pacer->know(exec.parts());
    exec.initialize();
    EXPECT_NE(exec.run_until(Time{500ms}), Ending::failed) << exec.fault().message;
    member.federate().resign();
  };
  const auto leader = document(
      "<federate name=\"Earth\"><federation name=\"wall\" patience=\"200 s\"/>"
      "<role master=\"yes\" pacing=\"yes\" root=\"yes\"/>"
      "<time step=\"20 ms\" lcts=\"20 ms\" epoch=\"TJDS 1000\" cte=\"system\" cte_lead=\"60 "
      "ms\"/>"
      "<require federate=\"Moon\"/><publish><frame name=\"Root\"/></publish></federate>");
  const auto other = document(
      "<federate name=\"Moon\"><federation name=\"wall\" patience=\"200 s\"/>"
      "<time step=\"20 ms\" pacer=\"Earth\" cte=\"system\"/></federate>");
  realtime::FramePacer pacer({.grid = {.step = 20ms}});
  std::thread moon([&] {
    run(other, nullptr, [&](std::int64_t k) {
      const auto end = WallClock::now() + 100s;
      const auto idle = [&] { return WallClock::now().time_since_epoch() - worked.load(); };
      // until the other one has done nothing but wait for long, in part before it looked at its
      // clock
      while (k == 10 && idle() < 250ms && WallClock::now() < end) std::this_thread::sleep_for(5ms);
    });
  });
  const auto began = WallClock::now();
  run(leader, &pacer, [&](std::int64_t) { worked.store(WallClock::now().time_since_epoch()); });
  // 25 frames, not before the lead of the central clock
  EXPECT_GE(WallClock::now() - began, 560ms);
  moon.join();
  const auto others = pacer.others();
  ASSERT_FALSE(others.empty());
  EXPECT_EQ(others[0].name, "Moon");
  EXPECT_GE(others[0].longest, 100 * ms);
  EXPECT_GE(others[0].late, 1u);
  EXPECT_GE(pacer.statistics().held.max(), 100 * ms);
}

}  // namespace
}  // namespace vernier::spacefom::test
