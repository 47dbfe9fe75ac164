#pragma once

#include "vernier/kernel/multibody/tree.hpp"

namespace vernier::multibody {

/// Of the whole tree, in the ground frame.
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
/// Of a placed tree.
Totals totals(const Tree&, const Evaluation&) noexcept;
/// Mass, first moment and inertia of all bodies as they stand, about the origin of the ground.
Inertia composite_inertia(const Tree&, const Evaluation&) noexcept;

/// Inverse dynamics of a placed tree: the generalised forces that give udot (empty: zero) with
/// these node forces. What accelerate() left in the evaluation is lost.
void inverse_dynamics(const Tree&, Evaluation&, std::span<const double> udot,
                      std::span<const NodeForce>, std::span<double> tau) noexcept;
/// What inverse_dynamics gives for udot = 0.
void bias_forces(const Tree&, Evaluation&, std::span<const NodeForce>,
                 std::span<double> tau) noexcept;

/// Mass matrix of a placed tree by composite bodies: M udot + bias = tau. Allocates.
MatrixX mass_matrix(const Tree&, Evaluation&);
/// Its factors: M = (1 + L) D (1 + L)ᵀ with rows and columns in the order `order` (base first, the
/// hinge of a body before its modes); L strictly upper triangular by blocks, since tips are
/// eliminated first; D block diagonal by hinge and by modes of a body. Allocates.
struct Factors {
  MatrixX L, D;
  std::vector<std::size_t> order;
};
Factors factors(const Tree&, Evaluation&);
/// Inverse of the mass matrix, column by column through the recursion. Allocates.
MatrixX inverse_mass_matrix(const Tree&, Evaluation&);

/// Motion of a node (6 rows: angular, linear; node axes) by each speed. Allocates.
MatrixX jacobian(const Tree&, const Evaluation&, NodeId);

/// A sudden change of speeds: those with `locked` = 1 go to their `target` (empty: zero), the
/// others follow from the impulse; momenta are kept. Returns jumps in `du` and the impulses of the
/// locked speeds in `impulse`. `prescribed` speeds that are not locked keep theirs. Place the
/// evaluation again afterwards.
Solution impact(const Tree&, Evaluation&, std::span<const double> q, std::span<const double> u,
                std::span<const std::uint8_t> locked, std::span<const double> target,
                std::span<const std::uint8_t> prescribed, std::span<double> du,
                std::span<double> impulse) noexcept;

/// Frequencies of small undamped motion about rest at q: rad/s ascending, rigid motions as zeros;
/// with `prescribed` speeds held; gravity does not count. Spans may be empty. Allocates.
std::vector<double> frequencies(const Tree&, Evaluation&, std::span<const double> q,
                                std::span<const double> hinge_stiffness,
                                std::span<const std::uint8_t> prescribed);

}  // namespace vernier::multibody
