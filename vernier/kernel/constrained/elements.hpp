#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vernier/kernel/constrained/element.hpp"

/// The elements a mechanism is made of: parameters, and functions that make them. Drives are given
/// by their numbers in the model; -1: none. make() throws std::invalid_argument, in the user's
/// terms, for parameters that no element can have (a beam without length, a section that is not
/// positive definite, a table that does not rise).
namespace vernier::constrained {

inline constexpr int no_drive = -1;

/// A point of a node with axes of its own, both in node axes. Of the ground: global.
struct Attachment {
  int node = ground;
  Vector3 offset{};
  Matrix3 axes =
      spatial::identity3<double>();  // axes of the joint to node axes; 3: the joint's axis
};

// -- joints --------------------------------------------------------------------------------------

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

/// Friction of a revolute or prismatic joint, by its reaction: Stribeck curve
///   f(v) = N (μ_c + (μ_s - μ_c) exp(-(v/v_s)²)) s(v / v_0) + viscous v
/// with s(x) = x between -1 and 1, there it sticks, but for a creep below v_0; N the reaction
/// normal to the motion (times radius for a revolute) plus preload. f is an unknown of the joint.
/// Implicit in v; the reaction is that of the step before, so the friction follows it with an error
/// of one step and always takes energy out.
struct Friction {
  double coulomb = 0.0;         // μ_c
  double stiction = 0.0;        // μ_s >= μ_c
  double stribeck_speed = 1.0;  // v_s
  double viscous = 0.0;
  double preload = 0.0;     // N; N m for a revolute
  double radius = 0.0;      // m, revolute
  double smoothing = 1e-3;  // v_0, rad/s or m/s
};
/// A compliant stop of a revolute or prismatic joint. The damping force is at most as large as the
/// elastic one: it never pulls, and begins at zero.
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
/// Measures: force (of the joint on b, axes of a), moment; revolute and others that have them:
/// angle (unwrapped), rate, position, speed along axis 3; friction.
std::unique_ptr<const Element> make(const Joint&);

/// A coordinate of two attachments: the angle about axis 3 (unwrapped) or the distance along it.
struct JointCoordinate {
  Attachment a = {}, b = {};
  bool angle = true;
};
/// first + ratio second = their value at the start: gear (two angles), screw (angle and distance,
/// ratio rad/m), rack and pinion. What `drive` has changed by since the start is added to the right
/// side. Measures: first, second, reaction (along the first).
struct Coupling {
  JointCoordinate first = {}, second = {};
  double ratio = 1.0;
  int drive = no_drive;
};
std::unique_ptr<const Element> make(const Coupling&);

// -- laws and what follows them ------------------------------------------------------------------

/// One-dimensional: force from elongation (or moment from angle) s and its rate.
struct Law {
  enum class Kind : std::uint8_t {
    linear,        // k s + d s'
    cubic,         // k s + k3 s³ + d s'
    table,         // force over s, straight lines between points, + d s'
    viscoelastic,  // standard solid: k s + k1 (s - z) + d s', z' = (s - z) / τ; own state z, 0 at
                   // first
    one_sided,     // k s + d s' where s > 0, |d s'| at most k s; else none
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

/// Between two attachments: translational along the three axes of a, rotational about them
/// (rotation vector of b in a, less than half a turn; minus reference), each with a law. Force and
/// moment are those that do the laws' work: springs store what they are given. Measures:
/// displacement, rotation, force, moment.
struct DeformableJoint {
  Attachment a = {}, b = {};
  std::array<std::optional<Law>, 3> translation = {}, rotation = {};
  std::array<int, 3> rest = {no_drive, no_drive, no_drive};       // m, drives
  std::array<int, 3> reference = {no_drive, no_drive, no_drive};  // rad, drives
  std::optional<SixLaw> full = {};                                // instead of single laws
};
std::unique_ptr<const Element> make(const DeformableJoint&);

/// A spring or strut along the line between two points; slack when shortened: a cable. Measures:
/// length, rate, tension.
struct Rod {
  Attachment a = {}, b = {};
  double length = 0.0;  // at rest; s = ℓ - length
  int length_drive = no_drive;
  Law law = {};
  bool cable = false;  // only pulls
};
std::unique_ptr<const Element> make(const Rod&);

// -- loads ---------------------------------------------------------------------------------------

/// dead: direction in global axes; follower: in the axes of the attachment; internal: on b, and its
/// opposite on a at the same point, in the axes of a. Size: direction times the drive. `held`: the
/// drive is an input that is held over each step (exact impulses). Measures: value.
struct Load {
  enum class Kind : std::uint8_t { dead, follower, internal } kind = Kind::dead;
  bool couple = false;
  Attachment a = {}, b = {};  // dead and follower: b alone
  Vector3 direction = {};
  int drive = no_drive;
  bool held = false;
};
std::unique_ptr<const Element> make(const Load&);

/// Point of b against a plane (through a, normal axis 3) or a sphere about a. With penetration δ
/// (Hunt and Crossley): f = k δⁿ (1 + damping δ'), never pulling; Coulomb friction along the
/// sliding velocity v with the smooth sign v / √(v² + friction_speed²). Measures: penetration,
/// force, friction.
struct Contact {
  Attachment a = {}, b = {};
  double radius = 0.0;  // of a sphere about a; 0: a plane
  double tip_radius = 0.0;
  double stiffness = 0.0, exponent = 1.5, damping = 0.0;
  double friction = 0.0, friction_speed = 1e-3;
};
std::unique_ptr<const Element> make(const Contact&);

// -- control and scalars -------------------------------------------------------------------------

/// u = Kp (r - s) + Ki ∫(r - s) + Kd (r' - s'), on a joint coordinate, as torque (force) between a
/// and b; continuous and implicit, or `held` at its value at the start of each step. One own
/// differential unknown if Ki is not zero. `limit`: |u| at most; 0: none; at the limit the integral
/// follows what the limit allows, with time constant Kp / Ki. Measures: command, error, position.
struct Servo {
  JointCoordinate coordinate = {};
  int reference = no_drive;
  double proportional = 0.0, integral = 0.0, derivative = 0.0, limit = 0.0;
  bool held = false;
};
std::unique_ptr<const Element> make(const Servo&);

/// A linear state space between scalar nodes: x' = A x + B u, y = C x + D u, with E x' if given. u
/// are scalar nodes or drives; y sets scalar nodes: y_i - node_i = 0 is put into the row of output
/// node i.
struct StateSpace {
  int states = 0;
  std::vector<double> A = {}, B = {}, C = {}, D = {};      // row major; D may be empty: zeros
  std::vector<int> input_scalars = {}, input_drives = {};  // u: first these, then those
  std::vector<int> output_scalars = {};
  std::vector<double> E = {};        // empty: identity; may be singular
  std::vector<double> initial = {};  // x at the start; empty: zeros
};
std::unique_ptr<const Element> make(const StateSpace&);

/// flow through a two-port between scalar nodes (or one and zero): conductance (v_a - v_b),
/// capacity (v_a - v_b)', or a source given by a drive; into the rows of a (+) and b (-).
struct ScalarBranch {
  int a = -1, b = -1;
  double conductance = 0.0, capacity = 0.0;
  double cubic = 0.0;  // cubic (v_a - v_b)³: nonlinear resistors and orifices
  int source = no_drive;
};
std::unique_ptr<const Element> make(const ScalarBranch&);

/// Couples a joint coordinate to a scalar node: torque = constant × node; its row gets back-effect
/// constant × rate (an ideal motor or a piston).
struct Transducer {
  JointCoordinate coordinate = {};
  int scalar = -1;
  double constant = 0.0;
};
std::unique_ptr<const Element> make(const Transducer&);

// -- beams and modal bodies ----------------------------------------------------------------------

/// Section: [n; m] = C [ε; κ] + C_v [ε'; κ'] in the axes of the section, 1 along the beam.
struct Section {
  std::array<double, 36> stiffness{};  // row major
  std::array<double, 36> damping{};
  double line_density = 0.0;             // kg/m, for lumped() of elements/section.hpp
  Vector3 line_centre{};                 // m, centre of mass
  spatial::Sym3<double> line_inertia{};  // kg m, per length, about the axis
};

/// Three-node finite-volume beam, geometrically exact and frame invariant. Curved and pre-twisted
/// as the nodes and section axes stand in the model's start, which is free of stress but for
/// `prestrain`. Measures, in section axes, at the two evaluation points: force_1, moment_1,
/// strain_1, curvature_1 and the same with _2; deflection and turn of the last node seen from the
/// first, against the reference.
struct Beam3 {
  std::array<int, 3> nodes{};
  std::array<Vector3, 3> offsets{};  // node axes
  std::array<Matrix3, 3> axes{spatial::identity3<double>(), spatial::identity3<double>(),
                              spatial::identity3<double>()};  // section axes to node axes
  std::array<Section, 2> sections{};                          // at ξ = ∓1/√3
  /// Reference places of the three nodes (the model's start), from which length and initial strain
  /// follow.
  std::array<NodeState, 3> reference{};
  std::array<std::array<double, 6>, 2> prestrain{};  // stretch, shear, twist, bending there
};
std::unique_ptr<const Element> make(const Beam3&);

/// One evaluation point in the middle of two nodes. Measures: force, moment, strain, curvature
/// there; deflection, turn as of Beam3.
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

/// Component modes on a node: small deformation φ q of a body about its frame, which the node
/// carries; the modes have coordinates q of their own. Integrals as of multibody::Modes (see
/// modal_body() of elements/modal_body.hpp), of points p, in node axes.
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
  /// A point of the body: place and axes undeformed, in node axes; translation and rotation by each
  /// mode. Measures: NAME.deflection, and with a node NAME.force, NAME.moment of the body on it, in
  /// node axes.
  struct Station {
    std::string name;
    Vector3 place{};
    Matrix3 axes = spatial::identity3<double>();
    std::vector<Vector3> translation, rotation;
    int node = ground;  // the node that is clamped there by six constraints; ground: none
  };
  std::vector<Station> stations;
};
/// Measures: coordinates, rates, and those of stations.
std::unique_ptr<const Element> make(const ModalBody&);

}  // namespace vernier::constrained
