#include "vernier/model/multibody_loops/mechanism.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "vernier/model/multibody_loops/assembly.hpp"
#include "vernier/model/multibody_loops/reader.hpp"
#include "vernier/testing/files.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::multibody_loops {
namespace {

using namespace std::chrono_literals;
using testing::Rig;

const std::filesystem::path good =
    std::filesystem::path(VERNIER_SOURCE_DIR) / "formats/constrained/good";

std::unique_ptr<Component> made(const std::string& content, const ParameterValues& values = {}) {
  Diagnostics problems;
  const auto source = parse_source(content, good / "test.xml", problems);
  EXPECT_EQ(rendered(problems), "");
  if (!source) return {};
  const Type type = type_of(source);
  const Parameters p("it", type.parameters, values, 1, {}, problems);
  EXPECT_EQ(rendered(problems), "");
  return type.component(p);
}

std::unique_ptr<Component> document(const char* name, const ParameterValues& values = {}) {
  return made(testing::content(good / name), values);
}

TEST(Mechanism, CountsItsEquationsAsUsersDo) {
  const auto c = document("pendulum.xml");
  EXPECT_EQ(static_cast<const Mechanism&>(*c).solver().equations(), 17);
}

// sampled torque 30 (π - θ) - 8 ω at 1 kHz; exact sampled response by Runge-Kutta integration of
// the one-dimensional equation, to all digits shown
TEST(Mechanism, APendulumStandsUpUnderASampledTorque) {
  const auto c = document("pendulum.xml");
  Rig rig(*c);
  const std::map<int, double> expected{
      {100, 0.354415}, {200, 1.048401}, {500, 2.622249}, {1000, 3.157825}, {2000, 3.142971}};
  for (int k = 0; k <= 2000; ++k) {
    rig.settle();
    const double angle = rig.out("hinge.angle"), rate = rig.out("rod.rate", 2);
    if (const auto at = expected.find(k); at != expected.end()) {
      EXPECT_NEAR(angle, at->second, 3e-6) << k;  // impulse splitting: 2.2e-6 rad at this step
    }
    if (k == 100) {
      EXPECT_NEAR(rate, 6.05353, 1e-4);
    }
    rig.in("torque") = 30.0 * (std::numbers::pi - angle) - 8.0 * rate;
    rig.step(1ms);
  }
  EXPECT_EQ(rig.out("unconverged"), 0.0);
  EXPECT_LT(rig.out("constraint_violation"), 1e-10);
}

// Two bodies that tumble in space, on a ball joint and a universal joint, with one iteration per
// step, so that the joints are not closed. Oracle: the points and axes of both joints, recomputed
// from the recorded positions and attitudes.
TEST(Mechanism, ReportsTheConstraintViolationOfItsPositionsAndAttitudes) {
  const auto c = made(R"xml(<!DOCTYPE mechanism SYSTEM "constrained.dtd">
<mechanism name="open" version="1">
  <gravity uniform="0 0 -9.81 m/s^2"/>
  <settings rate="50 Hz" budget="1" tolerance="1e-12"/>
  <node name="upper" position="0.3 0.1 -0.2 m" turned="x 20 deg"/>
  <body name="upper_mass" node="upper" mass="0.5 kg"><inertia about="centre" unit="kg*m^2" xx="1e-3" yy="2e-3" zz="2.5e-3"/></body>
  <node name="lower" position="0.7 0.3 -0.1 m" turned="y -30 deg"/>
  <body name="lower_mass" node="lower" mass="0.8 kg"><inertia about="centre" unit="kg*m^2" xx="4e-3" yy="3e-3" zz="2e-3"/></body>
  <joint name="ball" kind="spherical"><end node="ground"/><end node="upper" offset="-0.2 -0.1 0.1 m"/></joint>
  <joint name="cross" kind="universal"><end node="upper" offset="0.2 0.1 0 m"/><end node="lower" offset="-0.3 0 0.1 m"/></joint>
</mechanism>)xml");
  Rig rig(*c);
  // attitude: from global to node axes, scalar last; the columns of R are the node's axes
  const auto rotation = [&](const std::string& node) {
    const auto q = [&](int i) { return rig.out(node + ".attitude", i); };
    return Eigen::Quaterniond(q(3), q(0), q(1), q(2)).toRotationMatrix();
  };
  const auto position = [&](const std::string& node) {
    const auto x = [&](int i) { return rig.out(node + ".position", i); };
    return Eigen::Vector3d(x(0), x(1), x(2));
  };
  double most = 0.0, out_of_plane = 0.0, axes = 0.0;
  for (int k = 0; k <= 100; ++k) {
    rig.settle();
    const Eigen::Matrix3d U = rotation("upper"), L = rotation("lower");
    const Eigen::Vector3d u = position("upper"), l = position("lower");
    const Eigen::Vector3d ball = u + U * Eigen::Vector3d(-0.2, -0.1, 0.1);
    const Eigen::Vector3d cross =
        l + L * Eigen::Vector3d(-0.3, 0.0, 0.1) - u - U * Eigen::Vector3d(0.2, 0.1, 0.0);
    // a universal joint keeps axis 3 of the first end normal to axis 2 of the second
    const double angle = std::abs(U.col(2).dot(L.col(1)));
    const double expected =
        std::max({ball.cwiseAbs().maxCoeff(), cross.cwiseAbs().maxCoeff(), angle});
    // rounding of positions of 1 m and of attitudes
    ASSERT_NEAR(rig.out("constraint_violation"), expected, 1e-14) << k;
    most = std::max(most, expected);
    axes = std::max(axes, angle);
    out_of_plane = std::max(out_of_plane, std::abs(U(0, 2)));
    rig.step(20ms);
  }
  EXPECT_GT(most, 1e-6);  // nine decimals above the tolerance of the comparison
  EXPECT_GT(axes, 1e-9);
  EXPECT_GT(out_of_plane, 0.1);
}

TEST(Mechanism, AStationKeepsTheAxesItsNodeStandsWith) {
  std::string text = testing::content(good / "array.xml");
  const std::string flat = R"(eta="0.1 0 0")", tip = R"(<node name="tip" )";
  ASSERT_NE(text.find(flat), std::string::npos);
  ASSERT_NE(text.find(tip), std::string::npos);
  text.replace(text.find(flat), flat.size(), R"(eta="0 0 0")");  // not bent at the start
  text.replace(text.find(tip), tip.size(), R"(<node name="tip" turned="z 90 deg" )");
  const auto c = made(text);
  Rig rig(*c);
  rig.settle();
  EXPECT_NEAR(rig.out("tip.attitude", 2), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(rig.out("tip.attitude", 3), std::sqrt(0.5), 1e-12);
}

TEST(Mechanism, OutputsTellTheMotionInTheAxesOfOthers) {
  const auto c = made(R"xml(<mechanism name="m" version="1">
    <node name="n" turned="x 90 deg" velocity="1 2 3 m/s" rate="0.1 0.2 0.3 rad/s"/>
    <body name="b" node="n" mass="2 kg"><inertia about="centre" unit="kg*m^2" xx="1" yy="1" zz="1"/></body>
    </mechanism>)xml");
  Rig rig(*c);
  rig.settle();
  // q_BN of a turn by 90 degrees about x, scalar last
  EXPECT_NEAR(rig.out("n.attitude", 0), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(rig.out("n.attitude", 3), std::sqrt(0.5), 1e-15);
  EXPECT_EQ(rig.out("n.velocity", 1), 2.0);
  EXPECT_NEAR(rig.out("n.rate", 1), 0.3, 1e-15);
  EXPECT_NEAR(rig.out("n.rate", 2), -0.2, 1e-15);
  EXPECT_NEAR(rig.out("kinetic_energy"), 14.0 + 0.5 * 0.14, 1e-12);
  EXPECT_NEAR(rig.out("momentum", 2), 6.0, 1e-12);
  rig.run(10ms, 1s);
  EXPECT_NEAR(rig.out("n.position", 2), 3.0, 1e-9);
}

TEST(Mechanism, TicksAreDividedIntoEvenSteps) {
  const auto a = document("pendulum.xml", {{"angle", {"1 rad"}}}),
             b = document("pendulum.xml", {{"angle", {"1 rad"}}});
  Rig one(*a), ten(*b);
  one.run(1ms, 200ms);
  ten.run(10ms, 200ms);
  EXPECT_EQ(one.out("hinge.angle"), ten.out("hinge.angle"));
  // a third of a step, then more than one
  Rig odd(*a);
  odd.step(333'333ns);
  odd.step(1'666'667ns);
  odd.run(1ms, 198ms);
  EXPECT_NEAR(odd.out("hinge.angle"), one.out("hinge.angle"), 1e-5);
}

TEST(Mechanism, ABudgetOfIterationsIsKeptAndItsRestCounted) {
  const std::string text = testing::content(good / "pendulum.xml");
  const std::string with = R"(<settings budget="1" tolerance="1e-16")";
  const std::size_t at = text.find("<settings");
  const auto c = made(text.substr(0, at) + with + text.substr(at + 9), {{"angle", {"2 rad"}}});
  Rig rig(*c);
  for (int k = 0; k < 20; ++k) rig.step(1ms);
  rig.settle();
  EXPECT_EQ(rig.out("iterations"), 1.0);
  EXPECT_GT(rig.out("unconverged"), 0.0);
  EXPECT_GT(rig.out("residual"), 0.0);
  EXPECT_EQ(c->advance(rig.now(), rig.now() + 1ms).outcome, Outcome::held);
}

TEST(Mechanism, AnInputThatIsNoNumberFailsByName) {
  const auto c = document("pendulum.xml");
  Rig rig(*c);
  rig.run(1ms, 5ms);
  const auto before = rig.save();
  rig.in("torque") = std::nan("");
  EXPECT_EQ(c->advance(rig.now(), rig.now() + 1ms).outcome, Outcome::failed);
  const Fault& f = c->fault();
  EXPECT_EQ(
      "error[" + std::string(f.code) + "]: " + f.subject + f.text,
      "error[V3212]: torque is not a number at t = 0.005 s\nwhat is connected to it gives nan; the "
      "mechanism stays as it was then");
  EXPECT_EQ(rig.save(), before);
}

TEST(Mechanism, ADriveThatBecomesNoNumberFailsByName) {
  const auto c = made(R"xml(<mechanism name="m" version="1">
    <node name="n"/>
    <body name="b" node="n" mass="2 kg"><inertia about="centre" unit="kg*m^2" xx="1" yy="1" zz="1"/></body>
    <function name="pull" unit="N" value="sqrt(0.0105 - t)"/>
    <force name="f" direction="1 0 0" size="pull"><end node="n"/></force></mechanism>)xml");
  Rig rig(*c);
  rig.run(1ms, 10ms);
  const Advance a = c->advance(rig.now(), rig.now() + 1ms);
  EXPECT_EQ(a.outcome, Outcome::failed);
  EXPECT_EQ(a.reached, rig.now());
  EXPECT_STREQ(c->fault().code, "V3211");
  EXPECT_STREQ(c->fault().subject, "pull");
}

// redundancy is found before; numbers nearly dependent may still come here
TEST(Mechanism, VelocitiesThatCannotBeAreToldAtTheirJoint) {
  Definition d;
  d.places["crank"] = {.file = "x.xml", .line = 7, .column = 4};
  using Problem = constrained::AssemblyProblem;
  const Problem p(Problem::Kind::velocities, "no velocities satisfy 'crank'", {"crank"}, 0.2);
  EXPECT_EQ(
      rendered(in_words(p, d).diagnostics()),
      "error[V3203]: no velocities satisfy 'crank': 0.2 (m/s or rad/s) are left\n  --> x.xml:7:4\n"
      "   = velocities and rates of the nodes, or the drives, contradict the joints\n"
      "   = see: vernier explain V3203\n\n1 error in x.xml\n");
}

TEST(Mechanism, KeepsTheComponentContract) {
  const auto c = document("pendulum.xml", {{"angle", {"0.3 rad"}}});
  testing::expect_conforming(*c, 1ms,
                             [](Rig& r, int k) { r.in("torque") = 3.0 * std::sin(0.7 * k); });
}

TEST(Mechanism, ARobotOfBeamsKeepsTheComponentContract) {
  const auto c = document("robot.xml");
  EXPECT_EQ(static_cast<const Mechanism&>(*c).solver().equations(), 84);
  testing::expect_conforming(*c, 1ms, [](Rig&, int) {});
}

}  // namespace
}  // namespace vernier::multibody_loops
