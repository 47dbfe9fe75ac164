#pragma once

#include "vernier/kernel/multibody/analysis.hpp"
#include "vernier/kernel/multibody/tree.hpp"

/// What stands around the bodies of a spacecraft: laws of its hinges, actuators, sensors, wheels
/// without a body of their own, tanks that empty.
namespace vernier::multibody {

/// Force of a hinge along one speed u, added to what is commanded on a regular one:
///
///   - stiffness (q - rest) - damping u - friction tanh(u / friction_speed)
///   beyond a stop by d > 0, against it: max(0, stop_stiffness d + stop_damping d' d/(d + 1e-3))
///
/// Friction is smooth, so a hinge creeps where a real one sticks: with load f below `friction` at
/// friction_speed atanh(f / friction). Stops push and never pull; their force is continuous.
struct HingeLaw {
  int body = 0;
  int speed = 0;  // of the hinge's speeds; springs and stops need one that has a coordinate
  double stiffness = 0.0, rest = 0.0, damping = 0.0;
  double friction = 0.0, friction_speed = 1e-3;
  double lower = -1e300, upper = 1e300;  // stops
  double stop_stiffness = 0.0, stop_damping = 0.0;
};

/// A force at a node, in the node's axes.
struct Actuator {
  enum class Kind : std::uint8_t {
    thruster,  // one command, N, along `axis`; it pushes only: below zero is zero
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

/// Sees the motion of a node.
struct Sensor {
  std::string name;
  NodeId at;
};

/// What a sensor reads.
struct Reading {
  Vector3 position = Vector3::Zero();        // in the frame of the bus
  spatial::Quaternion attitude{0, 0, 0, 1};  // from the axes of the bus to its own
  Motion velocity;                           // relative to the ground, own axes
  Motion acceleration;                       // true, relative to the ground, own axes
  Vector3 specific_force = Vector3::Zero();  // acceleration less gravity, own axes
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

/// Fuel that is part of a body. The inertia of the body in the tree is that without fuel; with it,
/// fuel/full.mass of what a full tank adds. State: the fuel left, kg. Thrusters that a tank feeds
/// fade with its last ten-thousandth.
///
/// Mass changes quasi-statically: it leaves with the velocity of the place where it was, and
/// changes nothing else. The momentum that it takes through a nozzle is the thrust (the command);
/// what its way there costs is `jet_damping`.
struct Tank {
  std::string name;
  int body = 0;
  Inertia full;       // what the full tank adds to the body
  double fuel = 0.0;  // at the start; at most full.mass
};

/// The mass of a rigid body as it was given, for parameters that change it.
struct GivenMass {
  int body = 0;
  double mass = 0.0;
  Vector3 place = Vector3::Zero();  // centre of mass, or its first moment
  bool by_moment = false;           // which of them
  Matrix3 inertia = Matrix3::Zero();
  bool about_centre = true;     // else about the origin of the body frame
  std::vector<Matrix3> less{};  // what is counted elsewhere (spin of wheels), about the origin
};
Inertia inertia_of(const GivenMass&) noexcept;

/// Modes as they were given, for parameters that change them: each has a frequency and a damping
/// ratio of its own.
struct GivenModes {
  int body = 0;
  std::vector<double> mass, frequency, ratio;  // by mode; rad/s, of critical

  double stiffness(std::size_t i) const noexcept { return mass[i] * frequency[i] * frequency[i]; }
  double damping(std::size_t i) const noexcept { return 2.0 * ratio[i] * frequency[i] * mass[i]; }
};

/// A number of the model that a state may replace (Spacecraft::State::parameters), and by which
/// derivatives are known.
struct Parameter {
  enum class Kind : std::uint8_t {
    mass,     // of a body in SpacecraftModel::masses; kg
    place,    // its centre or first moment; three numbers
    inertia,  // as given: xx yy zz xy xz yz
    stiffness,
    damping,
    friction,  // of a law
    rotor_inertia,
    rotor_friction,
    frequency,  // of all modes of a body
    ratio       // their damping
  };
  std::string name, unit;
  Kind kind = Kind::mass;
  int index = 0;          // in SpacecraftModel::masses, laws, rotors or modes
  std::size_t count = 1;  // numbers
};

/// Gravity of a point mass, from the potential of each body to second order in its size: force,
/// moment (gravity gradient) and modal forces.
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
  /// Coriolis forces of fuel on its straight way d from tank to nozzle, at ṁ, on the bus:
  /// -2 ṁ ω × d, with the moment -2 ṁ (r_tank + d/2) × (ω × d).
  bool jet_damping = true;
  // initial state: q and u as Tree lays them out; empty: all zero
  std::vector<double> q, u;
  std::vector<std::uint8_t> prescribed;  // of each speed at the start: 0 regular, 1 prescribed,
                                         // 2 locked (its speed is 0); empty: all regular
  std::vector<GivenMass> masses = {};    // of bodies that parameters change
  std::vector<GivenModes> modes = {};    // likewise
  std::vector<Parameter> parameters = {};
};

/// Everything that is wrong with what stands around the tree; the tree itself has its own check().
std::vector<Finding> check(const SpacecraftModel&);

/// Of the whole spacecraft, rotors included, in the ground frame.
struct SpacecraftTotals : Totals {
  double springs = 0.0;  // J, in springs and stops of hinges
  double fuel = 0.0;     // kg, part of `mass`
  double energy = 0.0;   // J: kinetic, deformation, springs and gravitational (central gravity too)
};

class SpacecraftEvaluation;

/// Equations of a spacecraft. Immutable: one serves many states and threads, each with its own
/// SpacecraftEvaluation. Nothing below the constructor allocates.
class Spacecraft {
 public:
  struct State {
    std::span<const double> q, u;      // of the tree
    std::span<const double> momentum;  // of each rotor: h
    std::span<const double> fuel;      // of each tank
    /// Elements of model().parameters one after the other; empty: as in the model.
    std::span<const double> parameters = {};
  };
  /// Spans may be empty: nothing of that kind.
  struct Commands {
    std::span<const double> force;             // on every regular speed of the tree
    std::span<const double> acceleration;      // of every prescribed speed
    std::span<const std::uint8_t> prescribed;  // by speed
    std::span<const double> actuators;         // commands() elements
    std::span<const double> torque;            // of each rotor's motor, on the rotor
  };
  /// Rates of the state but q, whose rates Tree::coordinate_rates has.
  struct Rates {
    std::span<double> u, momentum, fuel;
  };

  /// @throws ConfigurationError with all errors of check(), of the tree and around it.
  explicit Spacecraft(SpacecraftModel, Path = Path::automatic,
                      Arithmetic = Arithmetic::reproducible);
  ~Spacecraft();
  Spacecraft(Spacecraft&&) noexcept;
  Spacecraft& operator=(Spacecraft&&) noexcept;

  const SpacecraftModel& model() const noexcept;  // q, u and prescribed complete
  const Tree& tree() const noexcept;
  std::size_t commands() const noexcept;                // elements of all actuators' commands
  std::size_t command(int actuator) const noexcept;     // the first of its commands
  double momentum_at_start(int rotor) const noexcept;   // h of its speed and the initial state
  std::span<const double> parameters() const noexcept;  // as in the model

  /// Where everything is and how it moves.
  void place(const State&, SpacecraftEvaluation&) const noexcept;
  /// Rates of a placed spacecraft.
  Solution accelerate(const Commands&, const Rates&, SpacecraftEvaluation&) const noexcept;

  // Of a placed spacecraft:
  SpacecraftTotals totals(const SpacecraftEvaluation&) const noexcept;
  double rotor_speed(const SpacecraftEvaluation&, int rotor) const noexcept;  // Ω
  /// Position, attitude and velocity of all sensors; the rest of a reading is kept from before.
  std::span<const Reading> see(SpacecraftEvaluation&) const noexcept;
  // Of an accelerated one:
  /// All of all sensors.
  std::span<const Reading> sense(SpacecraftEvaluation&) const noexcept;
  /// Total force on each speed: on regular ones commands and laws, on prescribed ones what is
  /// needed, laws included.
  void efforts(const SpacecraftEvaluation&, std::span<double> tau) const noexcept;

  struct Data;
  const Data& data() const noexcept { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// Working memory and results of evaluations of one spacecraft.
class SpacecraftEvaluation {
 public:
  explicit SpacecraftEvaluation(const Spacecraft&);
  ~SpacecraftEvaluation();
  SpacecraftEvaluation(SpacecraftEvaluation&&) noexcept;
  SpacecraftEvaluation& operator=(SpacecraftEvaluation&&) noexcept;

  Evaluation& tree() noexcept;
  const Evaluation& tree() const noexcept;

  struct Data;
  Data& data() noexcept { return *data_; }
  const Data& data() const noexcept { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::multibody
