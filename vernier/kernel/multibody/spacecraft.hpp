#pragma once

#include "vernier/kernel/multibody/analysis.hpp"
#include "vernier/kernel/multibody/tree.hpp"

/// The equipment of a spacecraft: laws of its hinges, actuators, sensors, wheels without a separate
/// body, and tanks that empty.
namespace vernier::multibody {

/// The force of a hinge along one speed u, added to the commanded force on a regular speed:
///
///   - stiffness (q - rest) - damping u - friction tanh(u / friction_speed)
///   beyond a stop by d > 0, against it: max(0, stop_stiffness d + stop_damping d' d/(d + 1e-3))
///
/// Friction is smooth, so a hinge creeps where a real one sticks: under a load f below `friction`
/// with speed friction_speed atanh(f / friction). Stops push and never pull; their force is
/// continuous.
struct HingeLaw {
  int body = 0;
  int speed = 0;  // index of the speed; springs and stops need a coordinate
  double stiffness = 0.0, rest = 0.0, damping = 0.0;
  double friction = 0.0, friction_speed = 1e-3;
  double lower = -1e300, upper = 1e300;  // stops
  double stop_stiffness = 0.0, stop_damping = 0.0;
};

/// A force at a node, in the node's axes.
struct Actuator {
  enum class Kind : std::uint8_t {
    thruster,  // one command, N, along `axis`; negative commands are zero
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
  std::vector<Feed> feeds;  // thruster: the tanks it draws from; none: no consumption
};

/// Measures the motion of a node.
struct Sensor {
  std::string name;
  NodeId at;
};

/// The reading of a sensor.
struct Reading {
  Vector3 position = Vector3::Zero();        // in the frame of the bus
  spatial::Quaternion attitude{0, 0, 0, 1};  // from the axes of the bus to its own
  Motion velocity;                           // relative to the ground, own axes
  Motion acceleration;                       // true, relative to the ground, own axes
  Vector3 specific_force = Vector3::Zero();  // acceleration less gravity, own axes
};

/// An axisymmetric balanced wheel without a separate body. Its mass and transverse inertia belong
/// to its carrier, its spin inertia does not. State: h = Js (g·ω_node + Ω).
struct Rotor {
  std::string name;
  NodeId at;
  Vector3 axis = Vector3::UnitZ();  // g, unit, node axes
  double inertia = 0.0;             // Js
  double speed = 0.0;               // Ω at the start, rad/s
  double friction = 0.0;            // N·m·s
};

/// Fuel that is part of a body. The body in the tree excludes fuel; a tank adds the fraction
/// fuel/full.mass of what a full tank adds. State: the remaining fuel, kg. Thrusters fade over the
/// last ten-thousandth of a tank.
///
/// Mass changes quasi-statically: it leaves with the local velocity and has no other effect. The
/// momentum that it carries through a nozzle is the thrust (the command); the force of its motion
/// to the nozzle is `jet_damping`.
struct Tank {
  std::string name;
  int body = 0;
  Inertia full;       // what the full tank adds to the body
  double fuel = 0.0;  // at the start; at most full.mass
};

/// The mass of a rigid body as given, for parameters that change it.
struct GivenMass {
  int body = 0;
  double mass = 0.0;
  Vector3 place = Vector3::Zero();  // centre of mass, or its first moment
  bool by_moment = false;           // `place` is the first moment
  Matrix3 inertia = Matrix3::Zero();
  bool about_centre = true;     // otherwise about the origin of the body frame
  std::vector<Matrix3> less{};  // inertia counted elsewhere (spin of wheels), about the origin
};
Inertia inertia_of(const GivenMass&) noexcept;

/// Modes as given, for parameters that change them: each has its own frequency and damping ratio.
struct GivenModes {
  int body = 0;
  std::vector<double> mass, frequency, ratio;  // by mode; rad/s, of critical

  double stiffness(std::size_t i) const noexcept { return mass[i] * frequency[i] * frequency[i]; }
  double damping(std::size_t i) const noexcept { return 2.0 * ratio[i] * frequency[i] * mass[i]; }
};

/// A number of the model that a state may replace (Spacecraft::State::parameters), and for which
/// derivatives are available.
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
/// gravity-gradient moment and modal forces.
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
  /// Coriolis forces on the bus of fuel that flows at ṁ on a straight path d from tank to nozzle:
  /// -2 ṁ ω × d, with the moment -2 ṁ (r_tank + d/2) × (ω × d).
  bool jet_damping = true;
  // Initial state: q and u in the order of Tree; empty: all zero.
  std::vector<double> q, u;
  std::vector<std::uint8_t> prescribed;  // of each speed at the start: 0 regular, 1 prescribed,
                                         // 2 locked (its speed is 0); empty: all regular
  std::vector<GivenMass> masses = {};    // of bodies that parameters change
  std::vector<GivenModes> modes = {};    // likewise
  std::vector<Parameter> parameters = {};
};

/// What is wrong with the modes at the start, of a valid model: coordinates outside their range of
/// validity (an error), and bodies that turn too fast for modal data without second-order
/// displacements (a warning): above a third of their lowest frequency.
std::vector<Finding> check_modes_at_start(const SpacecraftModel&);
/// All errors of the equipment; the tree has its own check().
std::vector<Finding> check(const SpacecraftModel&);

/// Totals of the whole spacecraft including rotors, in the ground frame.
struct SpacecraftTotals : Totals {
  double springs = 0.0;  // J, in springs and stops of hinges
  double fuel = 0.0;     // kg, part of `mass`
  double energy = 0.0;   // J: kinetic, deformation, springs and gravitational (central gravity too)
};

class SpacecraftEvaluation;

/// The equations of a spacecraft. Immutable: one object serves many states and threads, each with
/// its own SpacecraftEvaluation. Only the constructor allocates.
class Spacecraft {
 public:
  struct State {
    std::span<const double> q, u;      // of the tree
    std::span<const double> momentum;  // of each rotor: h
    std::span<const double> fuel;      // of each tank
    /// Values of model().parameters in sequence; empty: as in the model.
    std::span<const double> parameters = {};
  };
  /// Spans may be empty: none of this kind.
  struct Commands {
    std::span<const double> force;             // on every regular speed of the tree
    std::span<const double> acceleration;      // of every prescribed speed
    std::span<const std::uint8_t> prescribed;  // by speed
    std::span<const double> actuators;         // commands() elements
    std::span<const double> torque;            // of each rotor's motor, on the rotor
  };
  /// Rates of the state except q; for these see Tree::coordinate_rates().
  struct Rates {
    std::span<double> u, momentum, fuel;
  };

  /// @throws ConfigurationError with all errors of check(), of the tree and of the equipment.
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

  /// Computes poses and motions.
  void place(const State&, SpacecraftEvaluation&) const noexcept;
  /// Computes the rates of a placed spacecraft.
  Solution accelerate(const Commands&, const Rates&, SpacecraftEvaluation&) const noexcept;

  // For a placed spacecraft:
  SpacecraftTotals totals(const SpacecraftEvaluation&) const noexcept;
  double rotor_speed(const SpacecraftEvaluation&, int rotor) const noexcept;  // Ω
  /// Position, attitude and velocity of all sensors; other elements of a reading are unchanged.
  std::span<const Reading> see(SpacecraftEvaluation&) const noexcept;
  // For an accelerated spacecraft:
  /// All of all sensors.
  std::span<const Reading> sense(SpacecraftEvaluation&) const noexcept;
  /// The total force on each speed: for regular speeds commands and laws, for prescribed speeds the
  /// required force, including laws.
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
