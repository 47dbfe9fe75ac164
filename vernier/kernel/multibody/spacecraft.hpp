#pragma once

#include "vernier/kernel/multibody/tree.hpp"

/// What stands around the bodies of a spacecraft: laws of its hinges, actuators, sensors, wheels
/// without a body of their own, tanks that empty.
namespace vernier::multibody {

/// Force of a hinge along one speed, added to what is commanded: a spring about `rest`, a damper,
/// dry friction (smooth below `stiction_speed`), and stops that push back beyond a limit.
struct HingeLaw {
  int body = 0;
  int speed = 0;  // of the hinge's speeds; springs and stops need one that has a coordinate
  double stiffness = 0.0, rest = 0.0, damping = 0.0;
  double friction = 0.0, friction_speed = 1e-3;  // friction * tanh(u / friction_speed)
  double lower = -1e300, upper = 1e300;          // stops
  double stop_stiffness = 0.0, stop_damping = 0.0;
};

/// A force at a node, in the node's axes.
struct Actuator {
  enum class Kind : std::uint8_t {
    thruster,  // one command, N, along `axis`
    force,     // three commands, N
    moment,    // three commands, N·m
    wrench     // six commands: moment, then force
  };
  std::string name;
  Kind kind = Kind::force;
  NodeId at;
  Vector3 axis = Vector3::UnitZ();
  struct Feed {
    int tank = 0;       // index
    double flow = 0.0;  // kg/s per N
  };
  std::vector<Feed> feeds;  // thruster: the tanks it empties; none: it costs nothing
};

/// Sees the motion of a node: position and attitude in the frame of the body `bus`, velocity,
/// acceleration and specific force in its own axes.
struct Sensor {
  std::string name;
  NodeId at;
};

/// An axisymmetric balanced wheel without a body of its own; its mass and transverse inertia are
/// part of its carrier, its spin inertia is not. State: h = Js (g·ω_node + Ω).
struct Rotor {
  std::string name;
  NodeId at;
  Vector3 axis = Vector3::UnitZ();  // g, unit, node axes
  double inertia = 0.0;             // Js
  double speed = 0.0;               // Ω at the start, rad/s
  double friction = 0.0;            // N·m·s
};

/// Fuel that is part of a body: its inertia is that of the body without fuel plus fuel/full of the
/// difference to the body with a full tank. State: the fuel left, kg.
struct Tank {
  std::string name;
  int body = 0;
  Inertia full;       // what the full tank adds to the body
  double fuel = 0.0;  // at the start; at most full.mass
};

/// Gravity of a point mass, as forces on each body: order zero and gradient both come of it.
struct CentralGravity {
  double mu = 0.0;  // m³/s²; the centre is at the ground's origin
};

struct SpacecraftModel {
  Model tree;
  int bus = 0;  // the body whose frame sensors and reports refer to
  std::vector<HingeLaw> laws;
  std::vector<Actuator> actuators;
  std::vector<Sensor> sensors;
  std::vector<Rotor> rotors;
  std::vector<Tank> tanks;
  std::optional<CentralGravity> central_gravity;
  // initial state: q and u as Tree lays them out; empty: all zero
  std::vector<double> q, u;
  std::vector<std::uint8_t> prescribed;  // of each speed at the start: 0 regular, 1 prescribed,
                                         // 2 locked (its speed is 0); empty: all regular
};

}  // namespace vernier::multibody
