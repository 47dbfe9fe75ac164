#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vernier/kernel/constrained/element.hpp"

/// The elements of mechanisms: their parameters, and functions that make them. Drives are indices
/// in the model; -1: none. make() throws std::invalid_argument, in the user's terms, for invalid
/// parameters (a beam without length, a section that is not positive definite, a table that does
/// not increase).
namespace vernier::constrained {

inline constexpr int no_drive = -1;

/// A point of a node with its own axes, both in node axes; for the ground, in global axes.
struct Attachment {
  int node = ground;
  Vector3 offset{};
  Matrix3 axes =
      spatial::identity3<double>();  // axes of the joint to node axes; 3: the joint's axis
};

// Joints

enum class JointKind : std::uint8_t {
  spherical,    // points coincide
  revolute,     // turns about axis 3
  cylindrical,  // turns about and slides along axis 3
  prismatic,    // slides along axis 3
  planar,       // slides along axes 1 and 2, turns about axis 3
  universal,    // points coincide, axis 3 of a stays normal to axis 2 of b
  in_line,      // point of b on axis 3 of a
  in_plane,     // point of b in the plane normal to axis 3 of a
  distance,     // points `length` apart, or length drive
  clamp,        // nothing moves
  rotation,     // orientation of b in a follows three drives (a rotation vector); points free
  displacement  // point of b in axes of a follows three drives
};

/// Friction of a revolute or prismatic joint under its reaction: the Stribeck curve
///   f(v) = N (μ_c + (μ_s - μ_c) exp(-(v/v_s)²)) s(v / v_0) + viscous v
/// with s(x) = x between -1 and 1, where the joint sticks except for creep below v_0. N is the
/// reaction normal to the motion (times radius for a revolute) plus preload. f is an unknown of the
/// joint. It is implicit in v, but uses the reaction of the previous step, so friction lags it by
/// one step and always dissipates energy.
struct Friction {
  double coulomb = 0.0;         // μ_c
  double stiction = 0.0;        // μ_s >= μ_c
  double stribeck_speed = 1.0;  // v_s
  double viscous = 0.0;
  double preload = 0.0;     // N; N m for a revolute
  double radius = 0.0;      // m, revolute
  double smoothing = 1e-3;  // v_0, rad/s or m/s
};
/// A compliant stop of a revolute or prismatic joint. The damping force does not exceed the elastic
/// one: the stop never pulls, and its force starts at zero.
struct Stop {
  double lower = 0.0, upper = 0.0;
  double stiffness = 0.0, damping = 0.0;
};

struct Joint {
  JointKind kind = JointKind::revolute;
  Attachment a = {}, b = {};
  double length = 0.0;                                         // distance
  std::array<int, 3> drives = {no_drive, no_drive, no_drive};  // distance: the first
  std::optional<Friction> friction = {};
  std::optional<Stop> stop = {};
};
/// Measures: force (of the joint on b, axes of a), moment; where they exist, angle (unwrapped),
/// rate, position, speed along axis 3; friction.
std::unique_ptr<const Element> make(const Joint&);

/// A coordinate of two attachments: the angle about axis 3 (unwrapped) or the distance along it.
struct JointCoordinate {
  Attachment a = {}, b = {};
  bool angle = true;
};
/// first + ratio second = its initial value: gear (two angles), screw (angle and distance, ratio
/// rad/m), rack and pinion. The change of `drive` since the start is added to the right-hand side.
/// Measures: first, second, reaction (along the first).
struct Coupling {
  JointCoordinate first = {}, second = {};
  double ratio = 1.0;
  int drive = no_drive;
};
std::unique_ptr<const Element> make(const Coupling&);

// Force laws and elements that use them

/// A scalar law: force from elongation (or moment from angle) s and its rate.
struct Law {
  enum class Kind : std::uint8_t {
    linear,        // k s + d s'
    cubic,         // k s + k3 s³ + d s'
    table,         // force by s, linear interpolation, + d s'
    viscoelastic,  // standard solid: k s + k1 (s - z) + d s', z' = (s - z) / τ; own state z, 0 at
                   // first
    one_sided,     // k s + d s' if s > 0, |d s'| limited to k s; otherwise 0
  } kind = Kind::linear;
  double stiffness = 0.0, damping = 0.0, cubic = 0.0;
  double branch_stiffness = 0.0, relaxation_time = 0.0;  // viscoelastic
  double prestress = 0.0;                                // added
  std::vector<double> points = {}, forces = {};          // table
};

/// Six-dimensional: [force; moment] = C [ε; κ] + C_v [ε'; κ'], row major.
struct SixLaw {
  std::array<double, 36> stiffness{}, damping{};
};

/// An elastic element between two attachments: translation along the three axes of a, rotation
/// about them (rotation vector of b in a, less than half a turn, minus reference), each with a law.
/// Force and moment are work-conjugate to the coordinates, so springs conserve energy. Measures:
/// displacement, rotation, force, moment.
struct DeformableJoint {
  Attachment a = {}, b = {};
  std::array<std::optional<Law>, 3> translation = {}, rotation = {};
  std::array<int, 3> rest = {no_drive, no_drive, no_drive};       // m, drives
  std::array<int, 3> reference = {no_drive, no_drive, no_drive};  // rad, drives
  std::optional<SixLaw> full = {};                                // instead of single laws
};
std::unique_ptr<const Element> make(const DeformableJoint&);

/// A spring or strut along the line between two points, or a cable, which is slack when shortened.
/// Measures: length, rate, tension.
struct Rod {
  Attachment a = {}, b = {};
  double length = 0.0;  // at rest; s = ℓ - length
  int length_drive = no_drive;
  Law law = {};
  bool cable = false;  // only pulls
};
std::unique_ptr<const Element> make(const Rod&);

// Loads

/// dead: direction in global axes; follower: in the axes of the attachment; internal: on b, with
/// the opposite on a at the same point, in the axes of a. The force is the direction times the
/// drive. `held`: the drive is an input that is held over each step (exact impulses). Measures:
/// value.
struct Load {
  enum class Kind : std::uint8_t { dead, follower, internal } kind = Kind::dead;
  bool couple = false;
  Attachment a = {}, b = {};  // dead and follower: only b
  Vector3 direction = {};
  int drive = no_drive;
  bool held = false;
};
std::unique_ptr<const Element> make(const Load&);

/// Contact of a point of b with a plane (through a, normal axis 3) or a sphere about a. With
/// penetration δ (Hunt and Crossley): f = k δⁿ (1 + damping δ'), never pulling; Coulomb friction
/// along the sliding velocity v, regularized by v / √(v² + friction_speed²). Measures: penetration,
/// force, friction.
struct Contact {
  Attachment a = {}, b = {};
  double radius = 0.0;  // of a sphere about a; 0: a plane
  double tip_radius = 0.0;
  double stiffness = 0.0, exponent = 1.5, damping = 0.0;
  double friction = 0.0, friction_speed = 1e-3;
};
std::unique_ptr<const Element> make(const Contact&);

// Control and scalars

/// A PID controller on a joint coordinate: u = Kp (r - s) + Ki ∫(r - s) + Kd (r' - s'), as torque
/// (force) between a and b; continuous and implicit, or `held` at its value at the start of each
/// step. It has one own differential unknown if Ki is not zero. `limit`: bound of |u|; 0: none. At
/// the limit the integral is tracked back (anti-windup) with time constant Kp / Ki. Measures:
/// command, error, position.
struct Servo {
  JointCoordinate coordinate = {};
  int reference = no_drive;
  double proportional = 0.0, integral = 0.0, derivative = 0.0, limit = 0.0;
  bool held = false;
};
std::unique_ptr<const Element> make(const Servo&);

/// A linear state space between scalar nodes: x' = A x + B u, y = C x + D u, with E x' if E is
/// given. u are scalar nodes or drives; y sets scalar nodes: y_i - node_i = 0 is added to the row
/// of output node i.
struct StateSpace {
  int states = 0;
  std::vector<double> A = {}, B = {}, C = {}, D = {};      // row major; D may be empty: zeros
  std::vector<int> input_scalars = {}, input_drives = {};  // u: first these, then those
  std::vector<int> output_scalars = {};
  std::vector<double> E = {};        // empty: identity; may be singular
  std::vector<double> initial = {};  // x at the start; empty: zeros
};
std::unique_ptr<const Element> make(const StateSpace&);

/// Flow between two scalar nodes (or one and zero): conductance (v_a - v_b), capacity (v_a - v_b)',
/// or a source given by a drive; added to the rows of a (+) and b (-).
struct ScalarBranch {
  int a = -1, b = -1;
  double conductance = 0.0, capacity = 0.0;
  double cubic = 0.0;  // cubic (v_a - v_b)³: nonlinear resistors and orifices
  int source = no_drive;
};
std::unique_ptr<const Element> make(const ScalarBranch&);

/// Couples a joint coordinate to a scalar node: torque = constant × node, and constant × rate is
/// added to the row of the node (an ideal motor or a piston).
struct Transducer {
  JointCoordinate coordinate = {};
  int scalar = -1;
  double constant = 0.0;
};
std::unique_ptr<const Element> make(const Transducer&);

// Beams and modal bodies

/// Section: [n; m] = C [ε; κ] + C_v [ε'; κ'] in the axes of the section, 1 along the beam.
struct Section {
  std::array<double, 36> stiffness{};  // row major
  std::array<double, 36> damping{};
  double line_density = 0.0;             // kg/m, for lumped() of elements/section.hpp
  Vector3 line_centre{};                 // m, centre of mass
  spatial::Sym3<double> line_inertia{};  // kg m, per length, about the axis
};

/// A three-node finite-volume beam, geometrically exact and frame invariant
/// (docs/mathematics/constrained.md, section 4). It is curved and pre-twisted as the nodes and
/// section axes are in the initial state, which is free of stress except for `prestrain`. Measures,
/// in section axes, at the two evaluation points: force_1, moment_1, strain_1, curvature_1 and the
/// same with _2; deflection and turn of the last node relative to the first, against the reference.
struct Beam3 {
  std::array<int, 3> nodes{};
  std::array<Vector3, 3> offsets{};  // node axes
  std::array<Matrix3, 3> axes{spatial::identity3<double>(), spatial::identity3<double>(),
                              spatial::identity3<double>()};  // section axes to node axes
  std::array<Section, 2> sections{};                          // at ξ = ∓1/√3
  /// Reference states of the three nodes (the initial state of the model), which determine length
  /// and initial strain.
  std::array<NodeState, 3> reference{};
  std::array<std::array<double, 6>, 2> prestrain{};  // stretch, shear, twist, bending there
};
std::unique_ptr<const Element> make(const Beam3&);

/// A two-node beam with one evaluation point in the middle. Measures: force, moment, strain,
/// curvature there; deflection and turn as for Beam3.
struct Beam2 {
  std::array<int, 2> nodes{};
  std::array<Vector3, 2> offsets{};
  std::array<Matrix3, 2> axes{spatial::identity3<double>(), spatial::identity3<double>()};
  Section section{};
  std::array<NodeState, 2> reference{};
  bool correct_shear = true;  // 1/GA* = 1/GA + ℓ²/(12 EI)
  std::array<double, 6> prestrain{};
};
std::unique_ptr<const Element> make(const Beam2&);

/// Component modes on a node: small deformation φ q of a body about its frame, which is the node;
/// the modes have their own coordinates q. Integrals as in multibody::Modes (see modal_body() of
/// elements/modal_body.hpp), of points p, in node axes.
struct ModalBody {
  int node = 0;
  double mass = 0.0;
  Vector3 first_moment{};               // ∫ p dm
  spatial::Sym3<double> inertia{};      // about the node
  int modes = 0;                        // n, at most 256
  int order = 2;                        // 0, 1, 2: how far inertia follows the deformation
  std::vector<double> modal_mass;       // n × n, row major: ∫ φᵀ φ dm
  std::vector<double> modal_stiffness;  // n × n
  std::vector<double> modal_damping;    // n × n; empty: none
  std::vector<Vector3> S1;              // ∫ φ_i dm
  std::vector<Vector3> H0;              // ∫ p × φ_i dm
  std::vector<Matrix3> N0;              // ∫ (p·φ_i) - φ_i pᵀ dm; order >= 1
  std::vector<Vector3> H1;              // [i n + l]: ∫ φ_i × φ_l dm; order >= 1
  std::vector<Matrix3> J2;              // [i n + l]: ∫ (φ_i·φ_l) - φ_i φ_lᵀ dm; order 2
  std::vector<double> initial, initial_rates;  // empty: zeros
  Vector3 gravity{};                           // m/s², that of the model
  /// A point of the body: undeformed position and axes, in node axes; translation and rotation by
  /// each mode. Measures: NAME.deflection, and with a node NAME.force, NAME.moment of the body on
  /// it, in node axes.
  struct Station {
    std::string name;
    Vector3 place{};
    Matrix3 axes = spatial::identity3<double>();
    std::vector<Vector3> translation, rotation;
    int node = ground;  // node clamped there by six constraints; ground: none
  };
  std::vector<Station> stations;
};
/// Measures: coordinates, rates, and those of stations.
std::unique_ptr<const Element> make(const ModalBody&);

}  // namespace vernier::constrained
