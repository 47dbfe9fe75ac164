// What is wrong with models that programs make, and that no document can have: the reader says it
// in words of its own, at the place. Word for word, because tests/cli/messages_test.py counts on
// it.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody {
namespace {

SpacecraftModel good() {
  SpacecraftModel m;
  Body b;
  b.name = "bus";
  b.inertia = {10.0, Vector3::Zero(), Matrix3::Identity()};
  b.nodes.emplace_back();
  b.nodes[0].name = "seat";
  m.tree.bodies.push_back(b);
  return m;
}

std::string complaint(const std::function<void(SpacecraftModel&)>& spoil) {
  SpacecraftModel m = good();
  spoil(m);
  try {
    const Spacecraft made(m);
  } catch (const ConfigurationError& e) {
    const std::string text = rendered(e.diagnostics().list().front());
    return text.substr(0, text.find('\n'));
  }
  return "no complaint";
}

TEST(Findings, AreSaidWordForWord) {
  EXPECT_EQ(complaint([](auto&) {}), "no complaint");
  EXPECT_EQ(complaint([](auto& m) { m.tree.bodies[0].hinge.parent = 7; }),
            "error[V1602]: body \"bus\" is joined to body 7, which does not exist");
  EXPECT_EQ(complaint([](auto& m) { m.tree.bodies[0].nodes[0].phi_t.setZero(3, 2); }),
            "error[V1604]: body \"bus\": node \"seat\" of body \"bus\" has 2 mode shapes, but the "
            "body has 0 modes");
  EXPECT_EQ(complaint([](auto& m) { m.tree.bodies[0].nodes[0].pose.R(0, 0) = 2.0; }),
            "error[V1611]: node \"seat\" of body \"bus\" has axes that are not a rotation");
  EXPECT_EQ(complaint([](auto& m) { m.tree.bodies.clear(); }),
            "error[V1612]: the model has no bodies");
  EXPECT_EQ(complaint([](auto& m) {
              m.sensors.push_back({"gyro", {0, 3}});
            }),
            "error[V1660]: sensor gyro is at a node that no body has");
  EXPECT_EQ(
      complaint([](auto& m) {
        HingeLaw l;
        l.stiffness = 1.0;
        m.laws.push_back(l);
      }),
      "error[V1661]: the hinge of bus turns freely: springs and stops need an angle or a distance");
  EXPECT_EQ(complaint([](auto& m) {
              m.rotors.push_back({"w1", {0, 0}, Vector3::UnitZ(), 0.0, 0.0, 0.0});
            }),
            "error[V1662]: wheel w1: its inertia must be positive");
  EXPECT_EQ(complaint([](auto& m) {
              m.tanks.push_back({"main", 0, {2.0, Vector3::Zero(), Matrix3::Identity()}, 3.0});
            }),
            "error[V1663]: tank main: its fuel must be between zero and what a full tank holds");
  EXPECT_EQ(complaint([](auto& m) { m.u.assign(6, std::numeric_limits<double>::quiet_NaN()); }),
            "error[V1664]: the initial state is not finite");
}

}  // namespace
}  // namespace vernier::multibody
