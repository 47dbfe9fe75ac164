#pragma once

#include "vernier/kernel/multibody/tree.hpp"

namespace vernier::multibody {

/// Totals of the tree, in the ground frame.
struct Totals {
  double mass = 0.0;
  double kinetic = 0.0;        // J
  double deformation = 0.0;    // J, of the modes
  double gravitational = 0.0;  // J, of uniform gravity: -(Σ m r)·g
  Vector3 momentum = Vector3::Zero();
  Vector3 angular_momentum = Vector3::Zero();  // about the ground's origin
  Vector3 centre = Vector3::Zero();            // of mass
  Vector3 centre_velocity = Vector3::Zero();
};
/// Requires a placed tree.
Totals totals(const Tree&, const Evaluation&) noexcept;
/// Mass, first moment and inertia of all bodies in their current configuration, about the origin of
/// the ground.
Inertia composite_inertia(const Tree&, const Evaluation&) noexcept;

/// Inverse dynamics of a placed tree: the generalised forces that produce udot (empty: zero) with
/// these node forces. Overwrites the results of accelerate() in the evaluation.
void inverse_dynamics(const Tree&, Evaluation&, std::span<const double> udot,
                      std::span<const NodeForce>, std::span<double> tau) noexcept;
/// inverse_dynamics() for udot = 0.
void bias_forces(const Tree&, Evaluation&, std::span<const NodeForce>,
                 std::span<double> tau) noexcept;

/// The mass matrix of a placed tree by the composite-rigid-body method: M udot + bias = tau.
/// Allocates.
MatrixX mass_matrix(const Tree&, Evaluation&);
/// The innovations factorization of the mass matrix (Jain and Man, eq. (3.3); see tree.hpp):
/// M = (1 + L) D (1 + L)ᵀ with rows and columns in the order `order` (base first, the hinge of a
/// body before its modes). L is strictly upper triangular by blocks, because tips are eliminated
/// first; D is block diagonal by hinge and by modes of a body. Allocates.
struct Factors {
  MatrixX L, D;
  std::vector<std::size_t> order;
};
Factors factors(const Tree&, Evaluation&);
/// Inverse of the mass matrix, column by column through the recursion. Allocates.
MatrixX inverse_mass_matrix(const Tree&, Evaluation&);

/// The Jacobian of a node: its motion (6 rows: angular, linear; node axes) by each speed.
/// Allocates.
MatrixX jacobian(const Tree&, const Evaluation&, NodeId);

/// A sudden change of speeds: those with `locked` = 1 jump to their `target` (empty: zero), the
/// others follow from the impulse; momenta are conserved. Returns the jumps in `du` and the
/// impulses of the locked speeds in `impulse`. `prescribed` speeds that are not locked keep their
/// value. Place the evaluation again afterwards.
Solution impact(const Tree&, Evaluation&, std::span<const double> q, std::span<const double> u,
                std::span<const std::uint8_t> locked, std::span<const double> target,
                std::span<const std::uint8_t> prescribed, std::span<double> du,
                std::span<double> impulse) noexcept;

/// Frequencies of small undamped motion about rest at q: rad/s, ascending, zeros for rigid motions.
/// `prescribed` speeds are held, gravity is ignored. Spans may be empty. Allocates.
std::vector<double> frequencies(const Tree&, Evaluation&, std::span<const double> q,
                                std::span<const double> hinge_stiffness,
                                std::span<const std::uint8_t> prescribed);

}  // namespace vernier::multibody
