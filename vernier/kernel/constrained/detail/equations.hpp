#pragma once

#include <span>

#include "vernier/kernel/constrained/detail/scratch.hpp"

namespace vernier::constrained::detail {

/// Scales of the rows of a node, for displacements and rotations, and the inverse of the momentum
/// coefficient.
struct NodeFactors {
  NodeFactors(const Scales& s, double c, double c_momentum) noexcept
      : force(c / s.mass),
        moment(force / s.length),
        force_turn(force / s.length),
        moment_turn(moment / s.length),
        inverse(1.0 / c_momentum) {}
  double force, moment, force_turn, moment_turn, inverse;
};

/// Whether constraints are imposed on positions or velocities. Multi-stage schemes would lose order
/// with positions at each stage.
enum class Constraints : std::uint8_t { positions, velocities };

/// The equations of a mechanism about a constant state, evaluated in a workspace. Every function
/// states where in the workspace its results are.
class Equations {
 public:
  Equations(const MechanismLayout& plan, const State& state, Scratch& work) noexcept
      : plan_(plan), state_(state), work_(work), c_(state.c) {}

  const MechanismLayout& plan() const noexcept { return plan_; }
  const State& state() const noexcept { return state_; }
  Scratch& work() const noexcept { return work_; }

  Point point(const ElementPlan& of, const Level& l, double c) const noexcept {
    return plan_.point(of, state_, l, c, work_.drives.data(), work_.turns.data());
  }

  // assembly.cpp
  /// Evaluates the drives at a time.
  void set_drives(double time) noexcept;
  /// Uses the drives of the last step.
  void keep_drives() noexcept { work_.drives = state_.drives; }
  /// W (Point::turn) of a step that begins at a level, to first order.
  void set_turns(const Level&, double c) noexcept;
  void clear_turns() noexcept { work_.turns = plan_.no_turns; }
  /// Sets c of y = c y' + history, the coefficient of the momenta, and the scales.
  void set_coefficients(double c, double c_momentum) noexcept;
  /// Computes β, γ, p of a level, and moments and inertias of nodes in global axes.
  void set_momenta(Level&) noexcept;
  /// Computes the scaled residual in rhs, its norms and, unless `matrix` is null, the matrix, which
  /// must be 0 before. Momenta and their rates must be up to date.
  void assemble(const Level&, Constraints, double* matrix) noexcept;
  /// The same, with the matrix of the linear solver.
  void assemble_matrix(const Level&, Constraints) noexcept;

  // held.cpp
  /// The contribution of held inputs to the rates of momenta in a step of length h that begins now.
  void hold(double h) noexcept;
  /// The same in the current configuration, less the part that constraints carry; for outputs.
  void hold_now() noexcept;
  void add_impulses(std::span<double> momenta, double h) const noexcept;
  /// Subtracts the part that constraints carry, held.reactions.
  void take_reactions() noexcept;

  // velocities.cpp
  /// Accelerations of all nodes from their momenta, with the drives of the last step.
  void find_accelerations() noexcept;
  /// Computes Φ of all holonomic constraints, unscaled, in their rows of rhs (other rows 0);
  /// returns the largest.
  double constraint_values(const Level&) noexcept;
  /// The same for Φ_q v + Φ_t.
  void constraint_rates(const Level&) noexcept;
  /// Project positions and velocities onto the constraints, with the current factorization.
  void correct_positions(Level&) noexcept;
  void correct_velocities(Level&) noexcept;

 protected:
  const MechanismLayout& plan_;
  const State& state_;
  Scratch& work_;
  double c_, c_P_ = 1.0;  // of set_coefficients(); P: for the momenta

 private:
  void assemble_nodes(const Level&, double* matrix) noexcept;
  void assemble_inertia(int node, const Level&, const NodeFactors&, double* matrix) noexcept;
  void assemble_momentum(const ElementPlan&, const Point&, double* matrix) noexcept;
  void assemble_held(const Level&) noexcept;
  void add_residual(const ElementPlan&) noexcept;
  void add_jacobian(const ElementPlan&, double* matrix) noexcept;
  void set_norms(const Level&) noexcept;
  double unknown_size(const Level&) const noexcept;
  void add_held(double half) noexcept;
  Acceleration acceleration(int node, const double* held) const noexcept;
  void add_velocity_rates(const ElementPlan&, const Point&, double* to) const noexcept;
  /// evaluate(), with c (Φ_q v + Φ_t) in the rows of Φ.
  void evaluate_rates(const ElementPlan&, const Point&, const Contribution&) noexcept;
  /// Adds ∂Φ/∂t of an element, by differences along the rates of its drives.
  void add_drive_rates(const ElementPlan&, const Point&, double* to) noexcept;
  void solve_constraints() noexcept;
};

}  // namespace vernier::constrained::detail
