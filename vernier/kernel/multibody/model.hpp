#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/finding.hpp"
#include "vernier/kernel/multibody/hinge_facts.hpp"
#include "vernier/kernel/spatial/attitude.hpp"

/// The parts of trees of rigid and flexible bodies. All quantities of a body are in its own axes,
/// at the origin of its own frame; angular parts come first. SI units.
namespace vernier::multibody {

using spatial::Matrix3;
using spatial::Vector3;
using Matrix3X = Eigen::Matrix<double, 3, Eigen::Dynamic>;  // a column for each mode
using MatrixX = Eigen::MatrixXd;

/// The pose of frame B in frame A: x_A = R x_B + p.
struct Pose {
  Matrix3 R = Matrix3::Identity();
  Vector3 p = Vector3::Zero();
};

/// Mass, first moment of mass and inertia, both about the origin of the body frame.
struct Inertia {
  double mass = 0.0;                  // m
  Vector3 moment = Vector3::Zero();   // s0 = m c
  Matrix3 inertia = Matrix3::Zero();  // J0 = ∫ skew(p)ᵀ skew(p) dm
};

/// The place of the pair (i, l), i >= l, of modes in an array by pairs, and their number.
constexpr std::size_t pair_of(std::size_t i, std::size_t l) noexcept { return i * (i + 1) / 2 + l; }
constexpr std::size_t pairs_of(std::size_t modes) noexcept { return modes * (modes + 1) / 2; }

/// Modal integrals of a flexible body whose points are displaced by φ η + ½ Σ g_il η_i η_l. Column
/// i of a matrix, or element i of a vector, belongs to mode i. g is the shortening of bent parts;
/// it gives spinning bodies their geometric stiffness.
struct Modes {
  int order = 2;               // 0, 1, 2: how far the mass matrix follows the deformation
  Matrix3X S1;                 // ∫ φ dm
  Matrix3X H0;                 // ∫ skew(p) φ dm
  MatrixX mass;                // Mff = ∫ φᵀ φ dm
  MatrixX stiffness, damping;  // K, D
  std::vector<Matrix3> N0;     // ∫ (p·φ_i) I - φ_i pᵀ dm; order >= 1
  std::vector<Matrix3X> H1;    // ∫ skew(φ_i) φ dm; order >= 1
  std::vector<Matrix3> J2;     // [i n + l]: ∫ (φ_i·φ_l) I - φ_i φ_lᵀ dm; order 2
  // By pair; both empty if g is not known. They need J2, and order 1 or 2, which are then the same.
  std::vector<Vector3> S2;  // ∫ g_il dm
  std::vector<Matrix3> N2;  // ∫ (p·g_il) I - g_il pᵀ dm
  /// Range of validity: the largest root mean square deflection of a mode, in radii of gyration of
  /// the body about the origin of its frame.
  double limit = 0.5;

  bool shortens() const noexcept { return order > 0 && !S2.empty(); }
  std::size_t count() const noexcept { return static_cast<std::size_t>(S1.cols()); }
};

/// A point of a body with its own axes, for hinges, actuators and sensors.
struct Node {
  std::string name;
  Pose pose;            // undeformed, in the body frame
  Matrix3X phi_t;       // translation by each mode; no columns: the modes do not move it
  Matrix3X phi_r;       // small rotation by each mode
  Matrix3X phi_2 = {};  // g by each pair; no columns: zero
};

constexpr int ground = -1;

/// Joins a node of the parent (outboard) to a node of the body it belongs to (inboard); both frames
/// coincide at zero coordinates. Quaternions are those of kernel/spatial, q_IO: from the axes of
/// the outboard node to the axes of the inboard one. A hinge force is what the parent exerts on the
/// child along +q.
struct Hinge {
  std::string name;
  HingeKind kind = HingeKind::free;
  int parent = ground;               // index of the body
  Node outboard;                     // on the parent or the ground
  Node inboard;                      // on the body
  std::array<double, 6> rotor = {};  // inertia of geared rotors, r² J, per speed
  double parameter = 0.0;            // for kinds that have one (HingeFacts): the pitch of a screw
};

struct Body {
  std::string name;
  Inertia inertia;
  std::optional<Modes> modes;
  Hinge hinge;
  std::vector<Node> nodes;  // for actuators and sensors

  std::size_t mode_count() const noexcept { return modes ? modes->count() : 0; }
};

/// Bodies in any order; each is connected by one hinge to another body or to the ground, without
/// loops.
struct Model {
  std::string name;
  Vector3 gravity = Vector3::Zero();  // uniform, in ground axes
  std::vector<Body> bodies;
};

/// A point mass of a body, for modal integrals; shape: 3 rows, a column for each mode.
struct Lump {
  double mass = 0.0;
  Vector3 p = Vector3::Zero();
  Matrix3X shape;
  Matrix3 inertia = Matrix3::Zero();  // about p, if the lump rotates with `rotation`
  Matrix3X rotation;                  // no columns: it does not rotate
  Matrix3X second = {};               // g by each pair; no columns: zero
};
/// Rigid inertia and modal integrals (order 2) of a body given by point masses, whose shapes all
/// have a column for each mode; S2 and N2 if a lump has second-order shapes. Stiffness and damping
/// stay zero.
Inertia rigid_inertia(const std::vector<Lump>&);
Modes modal_integrals(const std::vector<Lump>&);
/// The second-order shapes of lump `to` on a straight beam that starts at `from`, whose own are
/// known: g_il(to) = g_il(from) - e ∫ φ_i'·φ_l' ds with the transverse slopes φ' of cubic shapes
/// through the translations and rotations of both. An end without shapes does not move.
Matrix3X shortened(const Lump& from, const Lump& to);
/// The largest |η_i| in the range of validity.
double modal_bound(const Inertia&, const Modes&, std::size_t mode) noexcept;

/// All findings, errors first: loops, missing parents, numbers that are not finite, wrong sizes,
/// inertia that is not positive definite or violates the triangle inequality (a warning), modal
/// integrals that violate their identities, massless leaves with hinges that can move. Each has the
/// index of its body.
std::vector<Finding> check(const Model&);

}  // namespace vernier::multibody
