#pragma once

#include <span>

#include "vernier/kernel/constrained/detail/scratch.hpp"

namespace vernier::constrained::detail {

/// Scales of the rows of a node, and of these by turns; and one over the momenta's coefficient.
struct NodeFactors {
  NodeFactors(const Scales& s, double c, double c_momentum) noexcept
      : force(c / s.mass),
        moment(force / s.length),
        force_turn(force / s.length),
        moment_turn(moment / s.length),
        inverse(1.0 / c_momentum) {}
  double force, moment, force_turn, moment_turn, inverse;
};

/// In what constraints hold. Schemes of several stages would lose orders if they held in the
/// positions of each stage.
enum class Constraints : std::uint8_t { positions, velocities };

/// The equations of a mechanism about a state, which stays as it is, evaluated in a workspace.
/// Every function leaves its results there; each says in what.
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
  /// Drives at a time.
  void set_drives(double time) noexcept;
  /// Drives as the last step left them.
  void keep_drives() noexcept { work_.drives = state_.drives; }
  /// Turns (Point::turn) of a step that begins at a level, in its first order.
  void set_turns(const Level&, double c) noexcept;
  void clear_turns() noexcept { work_.turns = plan_.no_turns; }
  /// y = c y' + history, momenta likewise with a coefficient of their own; and scales for these.
  void set_coefficients(double c, double c_momentum) noexcept;
  /// β, γ, p of a level; moments and inertias of nodes in global axes too.
  void set_momenta(Level&) noexcept;
  /// The scaled residual into rhs, its norms and, unless `matrix` is null, the matrix, which is 0
  /// before. Momenta and their rates are up to date.
  void assemble(const Level&, Constraints, double* matrix) noexcept;
  /// The same into the values of the linear solver.
  void assemble_matrix(const Level&, Constraints) noexcept;

  // held.cpp
  /// What held inputs add to the rates of momenta in the step of length h that begins now.
  void hold(double h) noexcept;
  /// The same where the mechanism now stands, less what constraints take up; for reading.
  void hold_now() noexcept;
  void add_impulses(std::span<double> momenta, double h) const noexcept;
  /// Takes the part off that constraints take up, by held.reactions.
  void take_reactions() noexcept;

  // velocities.cpp
  /// Accelerations of all nodes, from their momenta; drives as the last step left them.
  void find_accelerations() noexcept;
  /// Φ of all holonomic constraints, into rhs at their rows, otherwise 0, unscaled; the largest.
  double constraint_values(const Level&) noexcept;
  /// Φ_q v + Φ_t likewise.
  void constraint_rates(const Level&) noexcept;
  /// By the matrix now factorized: positions, velocities onto the constraints.
  void correct_positions(Level&) noexcept;
  void correct_velocities(Level&) noexcept;

 protected:
  const MechanismLayout& plan_;
  const State& state_;
  Scratch& work_;
  double c_, c_momentum_ = 1.0;

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
  /// ∂Φ/∂t of an element, added; by differences along the rates of its drives.
  void add_drive_rates(const ElementPlan&, const Point&, double* to) noexcept;
  void solve_constraints() noexcept;
};

}  // namespace vernier::constrained::detail
