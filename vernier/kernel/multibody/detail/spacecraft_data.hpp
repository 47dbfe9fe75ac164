#pragma once

#include <optional>
#include <vector>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/multibody/detail/nodes.hpp"
#include "vernier/kernel/multibody/detail/surroundings_plan.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody::detail {

/// All forces on one body, which are combined into one force at its frame.
struct LoadBank {
  int body = 0;
  std::size_t modes = 0, first_q = 0, first_u = 0;  // of the modes, in q and u
  bool shortens = false;
  NodeBank pushed, twisted;
  std::size_t push_at = 0, twist_at = 0;  // offsets of its forces in the working memory
  bool gravity = false;
};

/// Where the commands of one actuator go: offsets in the working memory, elements `stride` apart.
struct ActuatorPath {
  Actuator::Kind kind = Actuator::Kind::force;
  std::size_t command = 0;
  std::size_t push = 0, push_stride = 0;
  std::size_t twist = 0, twist_stride = 0;
  Matrix3 R0 = Matrix3::Identity();
  Vector3 direction = Vector3::Zero();  // thruster: R0 axis
  int carrier = 0;
  Vector3 nozzle = Vector3::Zero();  // on the carrier
};

struct RotorPath {
  std::size_t twist = 0, stride = 0;
  Matrix3 R0 = Matrix3::Identity();
};

struct SensorBank {
  int body = 0;
  std::size_t modes = 0, first_q = 0, first_u = 0;
  bool shortens = false;
  NodeBank nodes;
  std::vector<std::size_t> sensors = {};  // by node
  std::size_t found_at = 0;
};

struct LawPath {
  HingeLaw law;
  std::size_t u = 0;
  std::optional<std::size_t> q;
};

/// The body that carries a node, and the node.
struct Carried {
  int body = ground;
  Node node;
};
Carried carried(const Model&, NodeId);

/// The penetration of a stop: positive beyond the upper one, negative beyond the lower one.
template <class T>
T beyond_stop(const HingeLaw& l, const T& q) noexcept {
  return q > l.upper ? q - l.upper : q < l.lower ? q - l.lower : T(0.0);
}
/// The force of a hinge law (see HingeLaw), with or without derivatives.
template <class T>
T law_force(const HingeLaw& l, const T& q, const T& u) noexcept {
  using elementary::tanh;
  T f = -l.stiffness * (q - l.rest) - l.damping * u;
  if (l.friction != 0.0) f -= l.friction * tanh(u / l.friction_speed);
  const T d = beyond_stop(l, q);
  if (d > T(0.0) || d < T(0.0)) {
    const double sign = d > T(0.0) ? 1.0 : -1.0;
    const T depth = d * sign, damped = l.stop_damping * sign * u * depth / (depth + stop_onset);
    const T push = l.stop_stiffness * depth + damped;
    if (push > T(0.0)) f -= sign * push;
  }
  return f;
}
double law_energy(const HingeLaw&, double q) noexcept;

}  // namespace vernier::multibody::detail

namespace vernier::multibody {

struct Spacecraft::Data {
  Data(SpacecraftModel, Path, Arithmetic);

  SpacecraftModel model;
  Tree tree;
  const detail::NodeKernels* kernels;
  std::vector<std::size_t> command;
  std::size_t commands = 0;
  std::vector<detail::LawPath> laws;
  std::vector<detail::LoadBank> loads;
  std::vector<detail::ActuatorPath> actuators;
  std::vector<detail::RotorPath> rotors;
  std::vector<detail::SensorBank> sensors;
  std::vector<int> varying;        // bodies with tanks or adjustable mass, each once
  std::vector<double> parameters;  // values of the model
  std::vector<double> momentum;    // of rotors at the start
  std::size_t pushes = 0, founds = 0;
  std::size_t bus_load = 0;  // index of the bus in `loads`; jet damping acts there
  bool burns = false;        // some thruster draws fuel
  bool weightless = false;   // no gravity of any kind
};

struct SpacecraftEvaluation::Data {
  explicit Data(const Spacecraft&);

  Evaluation tree;
  std::vector<double> q, u, udot, momentum, fuel;
  std::vector<double> tau, pushes, founds;
  std::vector<double> products;  // of bodies that shorten: see Carrier::eta
  // What parameters can change
  std::vector<Inertia> inertias;  // by body, without fuel
  std::vector<GivenMass> masses;
  std::vector<detail::LawPath> laws;
  struct Turning {
    double inertia, friction;
  };
  std::vector<Turning> rotors;
  std::vector<GivenModes> modes;
  /// The deviation of a mode from the model: forces -K η - D η' in addition to those of the tree.
  struct Softer {
    std::size_t q, u;
    double K = 0.0, D = 0.0;
  };
  std::vector<Softer> softer;  // for all modes of `modes`, in sequence
  std::vector<double> set_parameters;
  std::vector<double> set_fuel;  // fuel of each tank that the inertias contain
  std::vector<double> fade, thrust;
  std::vector<NodeForce> nodes;
  std::vector<Reading> readings;
};

}  // namespace vernier::multibody

namespace vernier::multibody::detail {

/// The inertia of a body including the fuel in its tanks.
Inertia with_fuel(const Spacecraft::Data&, const SpacecraftEvaluation::Data&, int body) noexcept;
/// Applies parameters; true if the inertia of a body changed.
bool take_parameters(const Spacecraft::Data&, std::span<const double>,
                     SpacecraftEvaluation::Data&) noexcept;

}  // namespace vernier::multibody::detail
