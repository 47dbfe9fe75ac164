#pragma once

#include "vernier/kernel/multibody/detail/layout.hpp"
#include "vernier/kernel/multibody/detail/node_view.hpp"

/// What stands around a tree, as plain data for the code in lanes: hinge laws, actuators, rotors,
/// tanks. Numbers that parameters can change are in SurroundingsPoint.
namespace vernier::multibody::detail {

struct LawPlan {
  int u = 0, q = -1;  // q: -1 if the speed has no coordinate
  bool stops = false;
  double rest, friction_speed, lower, upper, stop_stiffness, stop_damping;
};
struct ActuatorPlan {
  enum Kind { thruster, force, moment, wrench } kind = force;
  int command = 0;
  // Where its forces go: as in ActuatorPath.
  std::size_t push = 0, push_stride = 0, twist = 0, twist_stride = 0;
  double R0[9], direction[3];
  int feed = 0, feeds = 0;  // first and number of its feeds
  int carrier = -1;         // NodeRecord of the body frame; -1: the bus
  double nozzle[3];         // on the carrier
};
struct FeedPlan {
  int tank = 0;
  double flow = 0.0;
};
struct TankPlan {
  double capacity = 0.0;  // kg
  int carrier = -1;       // as for actuators
  double centre[3];
  double moment[3], inertia[9];  // of the full tank
};
struct RotorPlan {
  const NodeRecord* node = nullptr;
  std::size_t twist = 0, stride = 0;
  double axis[3], R0[9];
};
/// All forces on one body: LoadBank.
struct LoadPlan {
  const NodeRecord* frame = nullptr;
  std::size_t modes = 0, first_q = 0, first_u = 0;
  bool shortens = false;
  const NodeView* pushed = nullptr;  // null: no nodes
  const NodeView* twisted = nullptr;
  std::size_t push_at = 0, twist_at = 0;
};
/// A body whose inertia changes: its own and that of its tanks.
struct VaryingPlan {
  int link = 0;
  const int* tanks = nullptr;
  int tank_count = 0;
  double R[9], p[3];              // its working frame
  double hinge_R[9], hinge_p[3];  // its inboard node
};

/// All sensors on one body: SensorBank.
struct SensorPlan {
  const NodeRecord* frame = nullptr;
  std::size_t modes = 0, first_q = 0, first_u = 0;
  bool shortens = false, on_bus = false;
  const NodeView* nodes = nullptr;
  const std::size_t* sensors = nullptr;  // by node
};

struct SurroundingsPlan {
  const LawPlan* laws;
  const ActuatorPlan* actuators;
  const FeedPlan* feeds;
  const TankPlan* tanks;
  const RotorPlan* rotors;
  const LoadPlan* loads;
  const VaryingPlan* varying;
  const SensorPlan* sensors;
  const int* softer;  // q and u of each mode whose stiffness and damping parameters change
  int law_count, actuator_count, tank_count, rotor_count, load_count, varying_count, sensor_count,
      softer_count;
  const NodeRecord* nodes;  // of the layout
  int bus_frame;            // NodeRecord
  const int* posed;         // links whose poses are needed, outward
  int posed_count;
  bool burns, jet_damping;
  double gravity[3], mu;  // mu: of central gravity, or 0
  std::size_t pushes;     // numbers in SurroundingsPoint::pushes
};

/// Eight states and what belongs to them: element i of lane l of an array is at [8 i + l]. Arrays
/// are aligned to a cache line.
struct SurroundingsPoint {
  const double *q, *u, *momentum, *fuel;
  // What parameters can change.
  const double* laws;      // stiffness, damping, friction of each
  const double* rotors;    // inertia, friction of each
  const double* softer;    // K, D of each: see SpacecraftEvaluation::Data::Softer
  const double* inertias;  // of each varying body, without fuel: mass, moment, inertia by rows
  // Null: none of this kind.
  const double *force, *commands, *torque;
  double *R, *p;  // of working frames of links in the ground frame, 9 and 3 each
  double *tau, *pushes, *fade, *thrust, *products;
  double* loads;  // moment and resultant of each, without `jet`
  double* jet;    // the same, on the bus
  double *momentum_rate, *fuel_rate;
};

/// What can be read of accelerated states, likewise in lanes.
struct LaneReadings {
  double* speeds;     // of rotors
  double* efforts;    // by speed: Spacecraft::efforts()
  double* readings;   // reading_size by sensor: as in Reading
  double* totals;     // totals_size; central gravity is not in its potential
  double* reactions;  // 6 by body: moment and resultant
};
constexpr int reading_size = 22;
/// Rows of totals, as in SpacecraftTotals.
enum TotalsRow {
  total_mass,
  total_kinetic,
  total_deformation,
  total_springs,
  total_gravitational,
  total_energy,
  total_momentum,
  total_angular_momentum = total_momentum + 3,
  total_centre = total_angular_momentum + 3,
  total_centre_velocity = total_centre + 3,
  totals_size = total_centre_velocity + 3
};

constexpr double thrust_fading = 1e-4;  // fraction of a tank over which thrust fades
constexpr double stop_onset = 1e-3;     // rad or m; depth over which the damping of stops sets in

}  // namespace vernier::multibody::detail
