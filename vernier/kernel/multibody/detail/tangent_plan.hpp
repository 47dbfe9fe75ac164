#pragma once

#include "vernier/kernel/multibody/detail/layout.hpp"

/// What stands around a tree, and how its derivatives are found, as plain data for units that are
/// compiled for special instruction sets.
namespace vernier::multibody::detail {

struct PlainActuator {
  enum Kind { thruster, force, moment, wrench } kind = force;
  int node = 0;  // in Layout::nodes
  int command = 0;
  double axis[3] = {};      // unit
  int feed = 0, feeds = 0;  // first and number of its feeds
  int carrier = 0;          // link; of a nozzle
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
  Mass each;              // what a kilogram of it adds to the link
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
  const double* rotation = nullptr;  // of the modes, body axes, 3 each; null: they do not move it
};
struct PlainCraft {
  const NodeRecord* nodes;
  const PlainActuator* actuators;
  const PlainFeed* feeds;
  /// After the tanks follow directions in which the inertia of a link changes (parameters); `each`
  /// is what the unit of one adds.
  const PlainTank* tanks;
  const PlainRotor* rotors;
  const PlainSensor* sensors;
  int actuator_count, tank_count, inertia_count, rotor_count, sensor_count;
  int bus;        // link
  int bus_frame;  // in Layout::nodes
  bool burns, jet_damping;
  double mu;                   // of central gravity, or 0
  const unsigned char* posed;  // by link: its place relative to the ground or the bus matters
};

constexpr int slope_lanes = 8;          // directions that are followed together
constexpr double thrust_fading = 1e-4;  // share of a tank with which thrust fades

/// Up to eight directions. Links that move by them are `moved`, in outward order; with all that is
/// between them and the ground they are `involved`.
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
  bool equipment = false;  // a direction is of what stands around the tree
};

/// Where the directions begin: columns of the Jacobian.
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
  double* wrench;       // by link, 6 each: what actuators do
  double* modal;        // by mode, likewise
  double gravity[3];
  void* slopes;
};

/// What a sweep finds: derivatives by its directions, eight for each row.
struct SweepResult {
  double* force;     // by speed: of what acts less what is needed
  double* momentum;  // rates of rotors
  double* fuel;      // rates of tanks
  double* qdot;      // by coordinate
};

/// What can be seen of a spacecraft, by the directions of a sweep: eight for each row.
struct Observed {
  double* speed;     // of rotors
  double* effort;    // by speed: what is needed
  double* reading;   // reading_size by sensor: as in Reading
  double* totals;    // totals_size, see below
  double* reaction;  // 6 by link, at its inboard node: moment, then force
};
constexpr int reading_size = 22;
/// Rows of Observed::totals; springs, and their share of energy, are left to the caller.
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

struct TangentCode {
  /// Memory for one point.
  unsigned long (*slope_bytes)(const LayoutView&, const PlainCraft&, const Directions&) noexcept;
  /// Once for each point, before its sweeps.
  void (*begin)(const TangentPoint&) noexcept;
  void (*sweep)(const TangentPoint&, const Sweep&, const SweepResult&) noexcept;
  /// The same with slopes of the accelerations too, eight for each speed: everything that is seen.
  /// The sweep must move everything.
  void (*observe)(const TangentPoint&, const Sweep&, const double* udot, const SweepResult&,
                  const Observed&) noexcept;
  /// The mass matrix: element [i n + j].
  void (*mass)(const TangentPoint&, double* M) noexcept;
  /// x := M⁻¹ x for eight right-hand sides each in `blocks` blocks of n rows; M = LᵀDL, with zeros
  /// for speeds that are not regular; ways[first[i]] to ways[first[i + 1]]: the speeds between
  /// speed i and the ground. Rows of speeds that are not regular are neither read nor written.
  void (*solve)(const double* L, const double* inverse_pivots, const int* order, const int* ways,
                const int* first, const double* regular, int n, double* x, int blocks) noexcept;
};

extern const TangentCode tangent_sse2, tangent_avx2, tangent_avx512;

}  // namespace vernier::multibody::detail
