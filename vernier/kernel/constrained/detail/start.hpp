#pragma once

#include <span>
#include <vector>

#include "vernier/kernel/constrained/detail/saddle.hpp"
#include "vernier/kernel/constrained/detail/step.hpp"

namespace vernier::constrained::detail {

/// Finds a consistent start: positions, velocities, accelerations with reactions; then scales and
/// pivots for it. The plan and the state, blank but for its inputs, are of one mechanism, of which
/// nothing else is in use yet. Each function may throw AssemblyProblem.
class Start {
 public:
  Start(MechanismLayout&, State&);

  /// As the model has it; units of the model.
  void begin(double time);
  /// The nearest positions on the constraints.
  void assemble_mechanism();
  /// Positions at rest instead, on the constraints (equilibrium.cpp).
  void find_rest(int load_steps);
  /// All the rest: velocities, accelerations, reactions, scales, elimination.
  void find_motion();

 private:
  void find_units();
  void begin_memory();
  // accelerations.cpp
  /// Accelerations, reactions and rates of what is of first order.
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
