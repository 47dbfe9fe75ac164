// missions/cassini as users run it: documents, plan, executive. The oracles are conservation, the
// rocket equation and what the documents ask for.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/random.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/model/multibody_tree/type.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/testing/rig.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier {
namespace {

using namespace std::chrono_literals;
using Eigen::Vector3d;
using executive::Ending;
using executive::Executive;

composition::Plan planned(const char* file, const std::vector<std::string>& set = {}) {
  Diagnostics problems;
  composition::Composition c = composition::read_composition(
      std::string(VERNIER_SOURCE_DIR "/missions/cassini/") + file, {}, problems);
  for (const std::string& s : set) composition::set_value(c, s);
  Catalogue catalogue;
  automaton::add_to(catalogue);
  multibody_tree::add_to(catalogue);
  catalogue.set_island(island::make_island);
  composition::Plan plan = make_plan(c, catalogue, problems);
  EXPECT_TRUE(problems.list().empty()) << rendered(problems);
  return plan;
}

double number(Executive& e, const std::string& port) { return e.find(port)->reals()[0]; }
Vector3d vector(Executive& e, const std::string& port) {
  const auto v = e.find(port)->reals();
  return {v[0], v[1], v[2]};
}
void run_to(Executive& e, Duration t) {
  ASSERT_EQ(e.run_until(Time(t)), Ending::reached) << rendered(e.fault());
}

multibody::SpacecraftModel plant() {
  Diagnostics problems;
  const auto source =
      multibody_tree::read_source(VERNIER_SOURCE_DIR "/missions/cassini/plant.xml", problems);
  problems.throw_if_errors();
  return source->made(Parameters("plant", source->parameters(), {}, 1, {}, problems)).model;
}

TEST(Cassini, HasTheDegreesOfFreedomOfThePaper) {
  const multibody::SpacecraftModel m = plant();
  std::size_t hinges = 0, modes = 0, appendages = 0;
  double dry = 0.0, propellant = 0.0;
  for (const multibody::Body& b : m.tree.bodies) {
    dry += b.inertia.mass;
    if (b.name == "huygens") continue;
    hinges += multibody::speeds(b.hinge.kind);
    modes += b.mode_count();
    appendages += b.hinge.parent == 0 ? 1 : 0;
  }
  for (const multibody::Tank& t : m.tanks) propellant += t.full.mass;
  EXPECT_EQ(appendages, 10u);
  EXPECT_EQ(hinges, 6u + 14u);
  EXPECT_EQ(modes, 5u);
  EXPECT_NEAR(propellant / (dry + propellant), 0.68, 0.005);
}

// Saved and loaded in the middle of a burn, with a wheel that locks and the probe let go.
TEST(Cassini, IsAConformingComponent) {
  Diagnostics problems;
  const Type type =
      multibody_tree::read_type(VERNIER_SOURCE_DIR "/missions/cassini/plant.xml", problems);
  const auto plant = island::make_island(testing::made_system(type), {.rtol = 1e-7, .atol = 1e-7});
  testing::expect_conforming(*plant, 20ms, [](testing::Rig& rig, int k) {
    rig.in("main_engine.thrust") = 445.0;
    rig.in("r1_up.thrust") = 1.0 + std::sin(0.3 * k);
    rig.in("wheel1.turn_torque") = 0.1;
    rig.in("hpsp.x_acceleration") = 0.01 * std::cos(0.1 * k);
    if (k == 20 || k == 60) rig.send("wheel3.lock");
    if (k == 40 || k == 80) rig.send("wheel3.free");
    if (k == 70) rig.send("huygens.free");
  });
}

// Eight states side by side have the bits of one, and the derivatives of the rates are exact: all
// thrusters fire, since differences see both sides of a thruster at zero.
TEST(Cassini, IsAConformingSystem) {
  Diagnostics problems;
  const Type type =
      multibody_tree::read_type(VERNIER_SOURCE_DIR "/missions/cassini/plant.xml", problems);
  const auto system = testing::made_system(type);
  testing::SystemRig rig(*system);
  for (double& u : rig.u) u += 0.3;
  // places of metres that hardly move: their differences are known to 1e-9
  testing::expect_conforming(rig, 1e-5, 1e-9);
}

TEST(Cassini, FliesItsTimeline) {
  Executive e(planned("cassini.xml"));
  e.initialize();
  const double full = number(e, "plant.mass");

  // the slew is done, and so is the scan, which ends where it began
  run_to(e, 395s);
  EXPECT_LT(number(e, "navigation.error_angle"), 1e-3);
  EXPECT_NEAR(number(e, "plant.hpsp.x"), 0.0, 1e-6);
  EXPECT_NEAR(number(e, "plant.hpsp.y_rate"), 0.0, 1e-6);

  // the burn: fuel by thrust and specific impulse, speed by the rocket equation but for the
  // turning of the first seconds
  run_to(e, 525s);
  const double exhaust = 308.0 * 9.80665, burnt = 445.0 * 120.0 / exhaust;
  EXPECT_NEAR(full - number(e, "plant.mass"), burnt, 1e-6);
  const double gained = vector(e, "plant.centre_velocity").norm();
  const double ideal = exhaust * std::log(full / (full - burnt));
  EXPECT_LT(gained, ideal);
  EXPECT_NEAR(gained, ideal, 0.002 * ideal);
  // the gimbal points at the centre of mass, which is beside the engine
  EXPECT_NEAR(number(e, "plant.engineA.y"), -0.1566, 0.01);

  // wheel 3 seizes at 600 s: what it had goes into the bus
  run_to(e, 600s);
  const double spin = number(e, "plant.wheel3.turn_rate");
  EXPECT_GT(spin, 80.0);
  const Vector3d before = vector(e, "plant.angular_momentum");
  const double energy = number(e, "plant.kinetic_energy");
  run_to(e, 600s + 100ms);
  EXPECT_EQ(number(e, "plant.wheel3.turn_rate"), 0.0);
  EXPECT_LT((vector(e, "plant.angular_momentum") - before).norm(), 1e-9 * before.norm());
  EXPECT_NEAR(energy - number(e, "plant.kinetic_energy"), 0.5 * 0.16 * spin * spin, 20.0);
  EXPECT_GT(vector(e, "plant.bus.rate").norm(), 1e-3);

  // the three wheels that are left point again
  run_to(e, 895s);
  EXPECT_LT(number(e, "navigation.error_angle"), 1e-3);
  EXPECT_EQ(vector(e, "plant.huygens.position").norm(), 0.0);

  // Huygens leaves with both momenta kept; the thrusters need a moment to fire
  run_to(e, 900s);
  const Vector3d p = vector(e, "plant.momentum");
  run_to(e, 900s + 200ms);
  EXPECT_LT((vector(e, "plant.momentum") - p).norm(), 1e-3);  // thrusters: 8 N for 0.1 s at most
  EXPECT_NEAR(vector(e, "plant.huygens.velocity").z(), 0.33, 0.02);
  EXPECT_NEAR(vector(e, "plant.huygens.rate").z(), 7.0 * 2.0 * M_PI / 60.0, 0.02);

  run_to(e, 1500s);
  EXPECT_LT(number(e, "navigation.error_angle"), 5e-4);
  // 600 s at a third of a metre each second, in a frame that turned with the bus meanwhile
  EXPECT_NEAR(vector(e, "plant.huygens.position").norm(), 600.0 * 0.33, 12.0);
}

TEST(Cassini, KeepsBothMomentaWithoutForcesFromOutside) {
  Executive e(planned("coast.xml"));
  e.initialize();
  const Vector3d p = vector(e, "sc.plant.momentum"), l = vector(e, "sc.plant.angular_momentum");
  double energy = 0.0, spin = 0.0;
  for (const Duration t : {Duration(100s), Duration(100s + 100ms), Duration(200s),
                           Duration(200s + 300ms), Duration(260s)}) {
    run_to(e, t);
    EXPECT_LT((vector(e, "sc.plant.momentum") - p).norm(), 1e-11 * p.norm());
    EXPECT_LT((vector(e, "sc.plant.angular_momentum") - l).norm(), 1e-8 * l.norm());
    const double now = number(e, "sc.plant.energy");
    // the wheel gives its energy up, but for 10 J that the motors of the others do in 0.1 s
    if (t == 100s + 100ms) {
      EXPECT_NEAR(energy - now, 0.5 * 0.16 * spin * spin, 10.0);
    }
    // the device gives the probe 0.33 m/s and seven turns a minute
    if (t == 200s + 300ms) {
      EXPECT_NEAR(now - energy, 0.5 * 300.0 * 0.33 * 0.33 + 0.5 * 160.0 * 0.733 * 0.733, 10.0);
    }
    energy = now;
    spin = number(e, "sc.plant.wheel3.turn_rate");
  }
}

TEST(Cassini, ResumesToTheBitWithALockedWheel) {
  Executive a(planned("coast.xml")), b(planned("coast.xml"));
  a.initialize();
  run_to(a, 101s);
  const auto image = a.save();
  run_to(a, 104s);
  b.initialize();
  b.restore(image);
  run_to(b, 104s);
  for (const char* port : {"sc.plant.bus.quaternion", "sc.plant.bus.eta_rate",
                           "sc.plant.wheel1.turn_rate", "sc.plant.imu.specific_force"}) {
    const auto x = a.find(port)->reals(), y = b.find(port)->reals();
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end())) << port;
  }
  EXPECT_EQ(b.find("sc.plant.wheel3.turn.mode")->integers()[0], 2);
}

// The spacecraft of the paper, before the probe, which hangs at a free hinge, makes it a tree.
// Oracle: the general recursion.
TEST(Cassini, WithoutItsProbeIsAStarThatAgreesWithTheTree) {
  multibody::Model m = plant().tree;
  ASSERT_EQ(m.bodies.back().name, "huygens");
  m.bodies.pop_back();
  const multibody::Tree star(m), tree(m, multibody::Path::tree);
  ASSERT_EQ(star.path(), multibody::Path::star);
  ASSERT_EQ(tree.path(), multibody::Path::tree);
  ASSERT_EQ(star.speeds(), 25u);
  multibody::Evaluation in_lanes(star), one_by_one(tree);
  Random random(1);
  std::vector<double> q(star.coordinates()), u(25), force(25), a(25), b(25);
  for (int k = 0; k < 20; ++k) {
    for (auto* v : {&q, &u, &force}) std::ranges::generate(*v, [&] { return random.normal(); });
    star.normalise(q);
    star.place(q, u, in_lanes);
    tree.place(q, u, one_by_one);
    ASSERT_TRUE(star.accelerate({force, {}, {}, {}}, a, in_lanes));
    ASSERT_TRUE(tree.accelerate({force, {}, {}, {}}, b, one_by_one));
    const double largest =
        std::abs(*std::ranges::max_element(b, {}, [](double x) { return std::abs(x); }));
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-10 * largest) << i;
  }
}

}  // namespace
}  // namespace vernier
