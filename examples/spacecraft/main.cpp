// The dynamics alone, as a library: a bus with a panel on a sprung pin joint, a thruster and an
// accelerometer.
#include <cstdio>
#include <vector>

#include "vernier/kernel/multibody/spacecraft.hpp"

using namespace vernier::multibody;

int main() {
  SpacecraftModel model;
  Body bus;
  bus.name = "bus";
  bus.inertia = {120.0, Vector3::Zero(), Vector3(40, 50, 30).asDiagonal()};
  bus.hinge.kind = HingeKind::free;
  Node nozzle;
  nozzle.name = "nozzle";
  nozzle.pose.p = {0, 0, -0.8};
  bus.nodes = {nozzle};
  Body panel;
  panel.name = "panel";
  panel.inertia = {30.0, Vector3(0, 0, 12.0), Vector3(9, 9, 1).asDiagonal()};
  panel.hinge.kind = HingeKind::pin;  // rotates about z of the node to which it is attached
  panel.hinge.parent = 0;
  panel.hinge.outboard.pose.p = {0, 0, 0.9};
  model.tree.bodies = {bus, panel};
  model.laws = {{.body = 1, .speed = 0, .stiffness = 2.0}};
  model.actuators = {{"engine", Actuator::Kind::thruster, {0, 0}, Vector3::UnitZ(), {}}};
  model.sensors = {{"accelerometer", {0, 0}}};

  const Spacecraft craft(model);
  SpacecraftEvaluation evaluation(craft);  // work space: one for each thread
  std::vector<double> q = craft.model().q, u = craft.model().u, udot(u.size());
  const std::vector<double> thrust = {15.0};
  q.back() = 0.1;  // the panel is rotated by 0.1 rad

  craft.place({.q = q, .u = u, .momentum = {}, .fuel = {}}, evaluation);
  Spacecraft::Commands commands;
  commands.actuators = thrust;
  const Solution solved = craft.accelerate(commands, {udot, {}, {}}, evaluation);
  const Reading felt = craft.sense(evaluation)[0];
  std::printf("%zu degrees of freedom, solved %s\n", u.size(), solved ? "well" : "badly");
  // 15 N on 150 kg; k q (1/J + 1/J') between the panel and the bus, 1 and 30 kg m^2
  std::printf("accelerometer %.6f m/s^2, panel %.6f rad/s^2\n", felt.specific_force.z(),
              udot.back());
}
