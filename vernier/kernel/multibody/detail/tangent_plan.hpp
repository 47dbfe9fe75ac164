#pragma once

#include "vernier/kernel/multibody/detail/surroundings_plan.hpp"

/// The equipment of a spacecraft and the plan of its derivatives, as plain data for units compiled
/// for special instruction sets.
namespace vernier::multibody::detail {

struct PlainActuator {
  enum Kind { thruster, force, moment, wrench } kind = force;
  int node = 0;  // in Layout::nodes
  int command = 0;
  double axis[3] = {};      // unit
  int feed = 0, feeds = 0;  // first and number of its feeds
  int carrier = 0;          // link that carries the nozzle
  double nozzle[3] = {};    // in the working frame of its carrier
};
struct PlainFeed {
  int tank = 0;
  double flow = 0.0;
};
struct PlainTank {
  int link = 0;
  double capacity = 0.0;  // kg
  double centre[3] = {};  // in the working frame
  Mass each;              // what one kilogram adds to the link
};
struct PlainRotor {
  int node = 0;
  double axis[3] = {};
  double inertia = 0.0, friction = 0.0;
};
struct PlainSensor {
  int node = 0;  // in Layout::nodes
  bool on_bus = false;
  double frame[9] = {};              // axes of the body in those of the working frame
  double attitude[4] = {};           // of the node in the body, undeformed, scalar last
  const double* rotation = nullptr;  // by mode, body axes, 3 each; null: the modes do not move it
};
struct PlainCraft {
  const NodeRecord* nodes;
  const PlainActuator* actuators;
  const PlainFeed* feeds;
  /// The tanks are followed by directions in which parameters change the inertia of a link; `each`
  /// is the change per unit.
  const PlainTank* tanks;
  const PlainRotor* rotors;
  const PlainSensor* sensors;
  int actuator_count, tank_count, inertia_count, rotor_count, sensor_count;
  int bus;        // link
  int bus_frame;  // in Layout::nodes
  bool burns, jet_damping;
  double mu;                   // of central gravity, or 0
  const unsigned char* posed;  // by link: its pose relative to the ground or the bus is needed
};

constexpr int slope_lanes = 8;  // directions per sweep

/// Up to eight directions. `moved` are the links that they move, in outward order; `involved` are
/// these and all links between them and the ground.
struct Sweep {
  int directions[slope_lanes];  // columns of the Jacobian
  int count = 0;
  const int* moved = nullptr;
  int moved_count = 0;
  const int* involved = nullptr;
  int involved_count = 0;
  const unsigned char* is_moved = nullptr;  // by link
  const unsigned char* bent = nullptr;      // by link: a direction is of its own modes
  const unsigned char* deformed =
      nullptr;             // by link: a direction is a modal coordinate, not a rate
  bool equipment = false;  // a direction concerns the equipment
};

/// The first column of each kind of direction.
struct Directions {
  int q = 0, u = 0, momentum = 0, fuel = 0, force = 0, acceleration = 0, commands = 0, torque = 0,
      inertia = 0, count = 0;
};

/// The point, and memory. `slopes` is working memory of slope_bytes().
struct TangentPoint {
  LayoutView layout;
  PlainCraft craft;
  Directions at;
  const Mass* masses;
  const double *q, *u, *momentum, *fuel, *commands, *torque, *udot;
  void* values;         // workspace of the sweeps with numbers, placed and accelerated
  const double *R, *p;  // poses of links, 9 and 3 each
  double* wrench;       // by link, 6 each: forces of actuators
  double* modal;        // by mode, likewise
  double gravity[3];
  void* slopes;
};

/// The results of a sweep: derivatives by its directions, eight per row.
struct SweepResult {
  double* force;     // by speed: acting less required force
  double* momentum;  // rates of rotors
  double* fuel;      // rates of tanks
  double* qdot;      // by coordinate
};

/// Derivatives of the observations by the directions of a sweep, eight per row.
struct Observed {
  double* speed;     // of rotors
  double* effort;    // by speed: the required force
  double* reading;   // reading_size by sensor: as in Reading
  double* totals;    // totals_size; the caller adds the energy of springs
  double* reaction;  // 6 by link, at its inboard node: moment, then force
};

struct TangentCode {
  /// Memory for one point.
  unsigned long (*slope_bytes)(const LayoutView&, const PlainCraft&, const Directions&) noexcept;
  /// Called once per point, before its sweeps.
  void (*begin)(const TangentPoint&) noexcept;
  void (*sweep)(const TangentPoint&, const Sweep&, const SweepResult&) noexcept;
  /// The same including derivatives of the accelerations, eight per speed: all observations. The
  /// sweep must move everything.
  void (*observe)(const TangentPoint&, const Sweep&, const double* udot, const SweepResult&,
                  const Observed&) noexcept;
  /// The mass matrix: element [i n + j].
  void (*mass)(const TangentPoint&, double* M) noexcept;
  /// x := M⁻¹ x for eight right-hand sides in each of `blocks` blocks of n rows; M = LᵀDL, with
  /// zeros for speeds that are not regular. ways[first[i]] to ways[first[i + 1]] are the speeds
  /// between speed i and the ground. Rows of speeds that are not regular are neither read nor
  /// written.
  void (*solve)(const double* L, const double* inverse_pivots, const int* order, const int* ways,
                const int* first, const double* regular, int n, double* x, int blocks) noexcept;
};

extern const TangentCode tangent_sse2, tangent_avx2, tangent_avx512;

}  // namespace vernier::multibody::detail
