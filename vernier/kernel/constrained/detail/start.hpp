#pragma once

#include <span>
#include <vector>

#include "vernier/kernel/constrained/detail/saddle.hpp"
#include "vernier/kernel/constrained/detail/step.hpp"

namespace vernier::constrained::detail {

/// Finds a consistent initial state: positions, velocities, accelerations with reactions; then
/// scales and pivots for it. The plan and the state, which is blank except for its inputs, belong
/// to one mechanism that is not in use yet. Each function may throw AssemblyProblem.
class Start {
 public:
  Start(MechanismLayout&, State&);

  /// Sets the state as given in the model, and the units of the model.
  void begin(double time);
  /// Finds the nearest positions on the constraints.
  void assemble_mechanism();
  /// Alternatively, finds static equilibrium on the constraints (equilibrium.cpp).
  void find_rest(int load_steps);
  /// Finds velocities, accelerations and reactions, then scales and elimination.
  void find_motion();

 private:
  void find_units();
  void begin_memory();
  // accelerations.cpp
  /// Finds accelerations, reactions and rates of first-order unknowns.
  void find_accelerations();
  void solve_accelerations(const std::vector<double>* held);
  // scaling.cpp
  void equilibrate_rows();
  void find_floors();
  void find_pivots();
  void use_slots(std::span<const int>);

  MechanismLayout& plan_;
  State& state_;
  Scratch work_;
  Equations eq_;
};

}  // namespace vernier::constrained::detail
