#include "vernier/model/facility/facility.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "vernier/kernel/spatial/segment.hpp"
#include "vernier/model/facility/reader.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::facility {
namespace {

using namespace std::chrono_literals;
using testing::Rig;

const std::filesystem::path document =
    std::filesystem::path(VERNIER_SOURCE_DIR) / "formats/facility/good/epos.xml";

Installation epos(const ParameterValues& values = {}) {
  Diagnostics problems;
  const auto source = read_source(document, problems);
  EXPECT_EQ(rendered(problems), "");
  const Parameters p("epos", source->parameters(), values, 7, {}, problems);
  return source->made(p);
}

/// Where the bodies are at home, 9.6 m apart along y of Hill, and a motion from there.
struct Motions {
  double along = 9.6;
  spatial::Vector3 p = spatial::Vector3(0.0, -9.6002, 0.0), v = spatial::Vector3::Zero();
  spatial::Quaternion q = spatial::Quaternion(0, 0, 0, 1);
  spatial::Vector3 rate = spatial::Vector3::Zero();
};

void command(Rig& rig, const Motions& servicer) {
  for (std::size_t i = 0; i < 3; ++i) {
    rig.in("servicer.position", i) = servicer.p[static_cast<Eigen::Index>(i)];
    rig.in("servicer.velocity", i) = servicer.v[static_cast<Eigen::Index>(i)];
    rig.in("servicer.rate", i) = servicer.rate[static_cast<Eigen::Index>(i)];
  }
  for (std::size_t i = 0; i < 4; ++i)
    rig.in("servicer.attitude", i) = servicer.q[static_cast<Eigen::Index>(i)];
  for (std::size_t i = 0; i < 3; ++i) rig.in("target.position", i) = 0.0;
  for (std::size_t i = 0; i < 4; ++i) rig.in("target.attitude", i) = i == 3 ? 1.0 : 0.0;
}

/// What is measured at home, as a command.
Motions at_home(Rig& rig) {
  rig.settle();
  Motions m;
  m.p = spatial::Vector3(rig.reals("measured.servicer.position").data());
  m.q = spatial::Quaternion(rig.reals("measured.servicer.attitude").data());
  return m;
}

std::int64_t mode(const Rig& rig) { return rig.integer("state"); }
constexpr std::int64_t following = 2, faulty = 3;

std::string last_reason(Facility& f, Rig& rig) {
  for (std::size_t i = rig.journal().entries().size(); i-- > 0;) {
    const Telling t = f.tell(rig.journal().entries()[i]);
    if (t.kind == "fault") return t.reason;
  }
  return {};
}

TEST(Facility, AtHomeTheMockUpsFaceEachOther) {
  Facility f(epos());
  Rig rig(f);
  const Motions m = at_home(rig);
  EXPECT_NEAR(m.p[1], -9.6, 2e-3);
  EXPECT_NEAR(m.p[0], 0.0, 1e-12);  // both robots are alike
  EXPECT_NEAR(m.p[2], 0.0, 1e-12);
  EXPECT_NEAR(std::abs(m.q[3]), 1.0, 1e-12);
  EXPECT_NEAR(std::abs(rig.reals("measured.target.attitude")[3]), 1.0, 1e-12);
  EXPECT_EQ(mode(rig), 1);
}

TEST(Facility, CommandsFarAwayDoNotMoveIt) {
  Facility f(epos());
  Rig rig(f);
  Motions m = at_home(rig);
  m.p[1] += 0.5;
  command(rig, m);
  rig.run(4ms, 200ms);
  EXPECT_EQ(mode(rig), 1);
  EXPECT_EQ(rig.out("use.rate"), 0.0);
}

// who commands lets his commands follow what is measured until `ready`, a step late: the last of
// them may jump by as much as the measurement does
TEST(Facility, TakesOverWhenCommandsHaveSettled) {
  Facility f(epos());
  Rig rig(f);
  Motions m = at_home(rig);
  m.p[1] += 0.004;
  command(rig, m);
  rig.step(4ms);
  rig.settle();
  EXPECT_TRUE(rig.byte_output("ready")[0]);
  EXPECT_EQ(mode(rig), 1);
  m.p[1] -= 0.001;
  command(rig, m);
  rig.run(4ms, 1200ms);
  rig.settle();
  EXPECT_EQ(mode(rig), following) << last_reason(f, rig);
  EXPECT_NEAR(rig.out("measured.servicer.position", 1), m.p[1], 1e-9);  // it has faded in
  EXPECT_NEAR(rig.out("target.rail"), 10.0 - 0.003, 1e-4);
}

TEST(Facility, StaysAtHomeWhenNobodyCommands) {
  Facility f(epos());
  Rig rig(f);
  rig.run(4ms, 2s);
  EXPECT_EQ(mode(rig), following);
  EXPECT_NEAR(rig.out("target.rail"), 10.0, 1e-4);  // stand has four digits
  EXPECT_LT(rig.out("use.rate"), 1e-9);
}

// a cubic ramp of position and a turn: with exact joints, what is measured is what was commanded
// eight steps ago, in all components
TEST(Facility, MeasuresWhatWasCommandedEightStepsAgo) {
  Facility f(epos());
  Rig rig(f);
  Motions from = at_home(rig);
  command(rig, from);
  rig.run(4ms, 1200ms);  // over the fading
  ASSERT_EQ(mode(rig), following);
  spatial::Trajectory a, b;
  a.p = from.p, a.q = from.q;
  b.p = from.p + Vector3(0.3, -2.0, 0.4);
  b.v = Vector3(0.01, 0.1, -0.02);
  b.q = spatial::exponential(Vector3(0.2, 0.1, -0.3));
  b.omega = Vector3(0.01, 0.02, 0.03);
  const spatial::Segment path(a, b, 8.0, spatial::Curve::quintic);
  for (int k = 0; k < 2000; ++k) {
    const spatial::Trajectory now = path.at(0.004 * k);
    command(rig, {.p = now.p, .v = now.v, .q = now.q, .rate = now.omega});
    rig.step(4ms);
    rig.settle();
    ASSERT_EQ(mode(rig), following) << k << last_reason(f, rig);
    // after the step from k the outputs are those of step k + 1
    const spatial::Trajectory then = path.at(std::max(0.0, 0.004 * (k + 1 - 8)));
    ASSERT_LT((Vector3(rig.reals("measured.servicer.position").data()) - then.p).norm(), 1e-11);
    ASSERT_LT((Vector3(rig.reals("measured.servicer.velocity").data()) - then.v).norm(), 1e-9);
    ASSERT_LT((Vector3(rig.reals("measured.servicer.rate").data()) - then.omega).norm(), 1e-9);
    spatial::Quaternion q(rig.reals("measured.servicer.attitude").data());
    if (q.dot(then.q) < 0.0) q = -q;
    ASSERT_LT((q - then.q).norm(), 1e-11);
    ASSERT_LT(Vector3(rig.reals("measured.target.position").data()).norm(), 1e-11);
  }
  EXPECT_GT(rig.out("target.rail"), 11.9);  // it went away by 2 m
}

TEST(Facility, JointsThatLagSettleOnConstantVelocity) {
  Installation i = epos();
  i.bandwidth = 2.0 * 3.14159 * 4.0;
  Facility f(i);
  Rig rig(f);
  Motions m = at_home(rig);
  command(rig, m);
  rig.run(4ms, 1200ms);
  double y = m.p[1], v = 0.0;
  for (int k = 0; k < 1000; ++k) {  // 0.4 m/s² for 0.5 s, then steady
    v = std::min(0.2, v + 0.4 * 0.004);
    m.p[1] = y += 0.004 * v;
    m.v[1] = v;
    command(rig, m);
    rig.step(4ms);
  }
  rig.settle();
  ASSERT_EQ(mode(rig), following) << last_reason(f, rig);
  // feed-forward: no lag but the delay; seven steps behind the last command
  EXPECT_NEAR(rig.out("measured.servicer.position", 1), y - 7 * 0.004 * v, 1e-6);
  EXPECT_NEAR(rig.out("measured.servicer.velocity", 1), v, 1e-6);
}

/// Drives the rail with a constant acceleration up to a speed; true while following.
bool drive(double acceleration, double speed, Facility& f, Rig& rig, double& reached) {
  Motions m = at_home(rig);
  command(rig, m);
  rig.run(4ms, 1200ms);
  double v = 0.0;
  for (int k = 0; k < 400; ++k) {
    v = std::min(speed, v + acceleration * 0.004);
    m.p[1] -= 0.004 * v;  // the servicer goes back: the rail goes out
    m.v[1] = -v;
    command(rig, m);
    rig.step(4ms);
    reached = v;
  }
  rig.settle();
  return mode(rig) == following && last_reason(f, rig).empty();
}

TEST(Facility, LimitsAreHitExactly) {
  double v = 0.0;
  for (const auto& [a, speed, good] :
       {std::tuple(0.999999, 1.4, true), {1.0, 1.4, true}, {1.00001, 1.4, false}}) {
    Facility f(epos());
    Rig rig(f);
    EXPECT_EQ(drive(a, speed, f, rig, v), good) << a;
    if (good) continue;
    EXPECT_EQ(rig.integer("incident.kind"), static_cast<std::int64_t>(Trouble::acceleration));
    EXPECT_EQ(rig.integer("incident.robot"), 1);
    EXPECT_EQ(rig.integer("incident.joint"), 0);
    EXPECT_NEAR(rig.out("incident.value"), 1.00001, 1e-8);
    EXPECT_EQ(rig.out("incident.limit"), 1.0);
    EXPECT_EQ(last_reason(f, rig), "target rail: acceleration 1.00001 m/s^2, limit 1 m/s^2");
  }
  Installation slow = epos();
  slow.robots[1].joints[0].rate = 0.25;
  for (const auto& [speed, good] : {std::pair(0.25, true), {0.2501, false}}) {
    Facility f(slow);
    Rig rig(f);
    EXPECT_EQ(drive(0.9, speed, f, rig, v), good) << speed;
    if (good) continue;
    EXPECT_EQ(last_reason(f, rig), "target rail: rate 0.2501 m/s, limit 0.25 m/s");
  }
  Installation shortened = epos();
  shortened.robots[1].joints[0].maximum = 10.05;
  Facility f(shortened);
  Rig rig(f);
  EXPECT_FALSE(drive(0.9, 0.1, f, rig, v));
  EXPECT_EQ(rig.integer("incident.kind"), static_cast<std::int64_t>(Trouble::maximum));
  EXPECT_NEAR(rig.out("incident.value"), 10.05, 0.1 * 0.004);
  EXPECT_LT(rig.out("target.rail"), 10.05 + 0.1 * 0.1 / 2.0);  // brakes with 1 m/s²
}

TEST(Facility, AFaultStopsTheJointsAndResetBringsThemHome) {
  Facility f(epos());
  Rig rig(f);
  Motions m = at_home(rig);
  command(rig, m);
  rig.run(4ms, 1200ms);
  for (int k = 0; k < 250; ++k) {
    const double v = std::min(0.2, 0.0016 * k);
    m.p[1] -= 0.004 * v;
    m.v[1] = -v;
    command(rig, m);
    rig.step(4ms);
  }
  rig.send("trip");
  rig.step(4ms);
  rig.settle();
  EXPECT_EQ(mode(rig), faulty);
  EXPECT_EQ(last_reason(f, rig), "tripped from outside");
  const double at = rig.out("target.rail");
  rig.run(4ms, 400ms);
  const double rest = rig.out("target.rail");
  // what the chain still holds, and 0.2²/2 m of braking
  EXPECT_NEAR(rest - at, 0.2 * 0.032 + 0.02, 2e-3);
  rig.run(4ms, 100ms);
  EXPECT_EQ(rig.out("target.rail"), rest);
  rig.send("reset");
  rig.step(4ms);
  rig.settle();
  EXPECT_EQ(mode(rig), 0);
  rig.run(4ms, 1s);
  rig.send("trip");  // on the way, and at once a reset: it waits until they stand
  rig.step(4ms);
  rig.send("reset");
  rig.step(4ms);
  rig.settle();
  EXPECT_EQ(mode(rig), faulty);
  for (int k = 0; k < 500 && mode(rig) == faulty; ++k) rig.step(4ms), rig.settle();
  EXPECT_EQ(mode(rig), 0);
  for (int k = 0; k < 5000 && mode(rig) == 0; ++k) rig.step(4ms), rig.settle();
  EXPECT_EQ(mode(rig), 1);
  rig.run(4ms, 40ms);
  EXPECT_EQ(rig.out("target.rail"), 10.0);
}

/// Why it stops on a way that no limit of a joint ends.
std::string reason_of(const Vector3& by, double turn) {
  Installation i = epos();
  for (Robot& r : i.robots) {
    for (Joint& j : r.joints)
      j.rate = 1e9, j.acceleration = 1e12, j.minimum = -1e3, j.maximum = 1e3;
  }
  Facility f(i);
  Rig rig(f);
  Motions m = at_home(rig);
  command(rig, m);
  rig.run(4ms, 1200ms);
  const Vector3 from = m.p;
  for (int k = 1; k <= 1000; ++k) {
    m.p = from + by * (k / 1000.0);
    m.q = spatial::turned(Vector3::UnitZ(), turn * (k / 1000.0));
    command(rig, m);
    rig.step(4ms);
  }
  return last_reason(f, rig);
}

TEST(Facility, NamesWhatCannotBeMade) {
  EXPECT_EQ(reason_of(Vector3(0.1, 0, 0), 0.3), "");
  EXPECT_EQ(reason_of(Vector3(std::nan(""), 0, 0), 0.0),
            "a command is not a state: not finite, or an attitude that is none");
  // in steps of 9.4 mm from 9.5997 m
  EXPECT_EQ(reason_of(Vector3(0, 9.4, 0), 0.0), "the bodies come too near: 0.293696 m < 0.3 m");
  // up by 2 m: the forearm rises to where the hand points
  EXPECT_TRUE(reason_of(Vector3(4, 0, 0), 0.0).starts_with("servicer: singular, wrist: "));
  // nose down: the hand comes in line with the forearm
  EXPECT_TRUE(
      reason_of(Vector3::Zero(), 2.0).starts_with("servicer: singular, wrist: axes 4 and 6"));
}

TEST(Facility, ACommandOutOfReachAtOnceIsNamedWithTheReach) {
  Facility f(epos());
  Rig rig(f);
  Motions m = at_home(rig);
  command(rig, m);
  rig.run(4ms, 1200ms);
  m.p[0] += 4.5;
  command(rig, m);
  rig.step(4ms);
  rig.settle();
  EXPECT_EQ(rig.integer("incident.kind"), static_cast<std::int64_t>(Trouble::workspace));
  EXPECT_NEAR(rig.out("incident.limit"), 1.25 + std::hypot(1.1, 0.055), 1e-12);
  EXPECT_GT(rig.out("incident.value"), rig.out("incident.limit"));
  EXPECT_TRUE(last_reason(f, rig).starts_with("servicer: out of reach, the wrist would be "));
}

TEST(Facility, MeasuresWithTheNoiseThatWasAskedFor) {
  ParameterValues v;
  v["position_noise"] = {"1 mm", "", {}};
  v["attitude_noise"] = {"0.1 deg", "", {}};
  Facility f(epos(v));
  Rig rig(f);
  double p2 = 0.0, a2 = 0.0;
  constexpr int n = 2000;
  for (int k = 0; k < n; ++k) {
    rig.step(4ms);
    rig.settle();
    p2 += std::pow(rig.out("measured.target.position", 0), 2);
    a2 += std::pow(2.0 * rig.out("measured.target.attitude", 1), 2);
  }
  // standard deviation of a standard deviation: 1/sqrt(2 n) = 1.6 %; five of them
  EXPECT_NEAR(std::sqrt(p2 / n), 1e-3, 8e-5);
  EXPECT_NEAR(std::sqrt(a2 / n), 0.1 * 3.14159265 / 180.0, 8e-5 * 1.8);
}

TEST(Facility, HomesFromWhereItIsParkedWithinItsShare) {
  Installation i = epos();
  i.robots[0].joints[1].parked = 1.0;
  i.robots[1].joints[0].parked = 2.0;
  Facility f(i);
  Rig rig(f);
  rig.settle();
  EXPECT_EQ(mode(rig), 0);
  double rate = 0.0, acceleration = 0.0;
  for (int k = 0; k < 20000 && mode(rig) == 0; ++k) {
    rig.step(4ms);
    rig.settle();
    rate = std::max(rate, rig.out("use.rate"));
    acceleration = std::max(acceleration, rig.out("use.acceleration"));
  }
  EXPECT_EQ(mode(rig), 1);
  EXPECT_LE(std::max(rate, acceleration), 0.2001);
  EXPECT_GE(std::max(rate, acceleration), 0.199);  // the slowest joint uses it up
}

TEST(Facility, AModeThatIsNotThereIsAFault) {
  Facility f(epos());
  Rig rig(f);
  rig.step(4ms);
  f.load(std::vector(f.description().state_bytes, std::byte{0x41}));  // as of a damaged checkpoint
  rig.settle();
  EXPECT_EQ(mode(rig), faulty);
}

TEST(Facility, KeepsTheComponentContract) {
  Installation i = epos();
  i.position_noise = 1e-4;
  i.attitude_noise = 1e-4;
  i.bandwidth = 30.0;
  i.delay = 0.02;
  Facility f(i);
  testing::expect_conforming(f, 4ms, [](Rig& r, int k) {
    Motions m;
    m.p[0] = 1e-4 * k * k / 100.0;
    command(r, m);
    if (k == 20) r.send("trip");
    if (k == 30) r.send("reset");
  });
}

}  // namespace
}  // namespace vernier::facility
