#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/parts.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

// Inputs that are held over a step act as exact impulses. Constraints answer a jump of such a force
// with a jump of reactions, which the scheme must not see either: what enters is the force without
// the part that constraints take up, u - Φᵀν, and the reactions are what is solved for plus ν.
namespace vernier::constrained {

using detail::ElementPlan;
using detail::Level;

void Solver::Parts::hold(double h) noexcept {
  if (held.empty()) return;
  set_drives(newest().time + 0.5 * h);
  std::fill(next_held_reactions.begin(), next_held_reactions.end(), 0.0);
  add_held(0.5 * h);
}

void Solver::Parts::add_held(double half) noexcept {
  const Level& base = newest();
  for (int i = 0; i < node_count; ++i) {
    const NodeState& n = base.nodes[i];
    middle[i] = {plus_times(n.x, n.v, half), cgr_rotation(n.omega * half) * n.R, n.v, n.omega};
  }
  for (std::size_t i = 0; i < base.values.size(); ++i) {
    middle_values[i] = base.values[i] + half * base.rates[i];
  }
  std::fill(next_held_rates.begin(), next_held_rates.end(), 0.0);
  for (const int e : held) {
    const ElementPlan& plan = plans[e];
    Point p = point(plan, base, c);
    p.time = base.time + half;
    p.node_states = middle.data();
    p.own = middle_values.data() + plan.values;
    std::fill(wrenches.begin(), wrenches.end(), Wrench{});
    plan.element->held_forces(p, {wrenches.data(), static_cast<std::size_t>(plan.node_count)});
    for (int i = 0; i < plan.node_count; ++i) {
      const int node = indices[plan.nodes + i];
      if (node == node_count) continue;
      const auto& [F, M] = wrenches[i];
      const double f[6] = {F.x, F.y, F.z, M.x, M.y, M.z};
      for (int k = 0; k < 6; ++k) next_held_rates[6 * node + k] += f[k];
    }
  }
}

const std::vector<double>& Solver::Parts::held_now() noexcept {
  // by drives as the last step left them
  if (!held_known) {
    next_held_reactions = held_reactions;
    add_held(0.0);
    take_reactions();
    held_rates = next_held_rates;
    held_known = true;
  }
  return held_rates;
}

void Solver::Parts::add_impulses(std::span<double> momenta, double h) const noexcept {
  for (std::size_t i = 0; i < momenta.size(); ++i) momenta[i] += h * next_held_rates[i];
}

void Solver::Parts::take_reactions() noexcept {
  // Φᵀν at the middle of the step: reactions are linear in the multipliers
  const Level& base = newest();
  for (const ElementPlan& plan : plans) {
    if (plan.holonomic == 0) continue;
    const double* nu = next_held_reactions.data() + plan.algebraic;
    Point p = point(plan, base, c);
    p.node_states = middle.data();
    p.own = middle_values.data() + plan.values;
    p.own_algebraic = local_algebraic.data();
    for (const double sign : {1.0, -1.0}) {
      for (int i = 0; i < plan.algebraic_count; ++i) {
        const bool reaction = sign > 0.0 && i < plan.holonomic;
        local_algebraic[i] = base.algebraic[plan.algebraic + i] + (reaction ? nu[i] : 0.0);
      }
      std::fill_n(local_residual.data(), plan.size, 0.0);
      plan.element->evaluate(p, {local_residual.data(), nullptr, plan.size});
      for (int i = 0; i < plan.node_count; ++i) {
        const int node = indices[plan.nodes + i];
        if (node == node_count) continue;
        for (int k = 0; k < 6; ++k) {
          next_held_rates[6 * node + k] -= sign * local_residual[6 * i + k];
        }
      }
      const double* own = local_residual.data() + plan.size - plan.algebraic_count - plan.own_count;
      for (int i = 0; i < plan.coordinates; ++i) {
        next_held_rates[6 * node_count + plan.first_coordinate + i] -= sign * own[i];
      }
    }
  }
}

void Solver::Parts::share_held(Level& l) noexcept {
  held_waits = false;
  if (!algebraic_columns.empty()) {
    for (int i = 0; i < 6 * node_count; ++i) held_answer[i] = row_scale[i] * next_held_rates[i];
    std::fill(held_answer.begin() + 6 * node_count, held_answer.end(), 0.0);
    linear_solver->solve({held_answer.data(), static_cast<std::size_t>(size)});
    for (const ElementPlan& plan : plans) {
      for (int i = 0; i < plan.holonomic; ++i) {
        const int column = algebraic_columns[plan.algebraic + i];
        next_held_reactions[plan.algebraic + i] = held_answer[column] * column_scale[column];
      }
    }
    take_reactions();
  }
  // into what the residual was computed from, and into the residual
  add_impulses(momentum_history, held_time);
  finish_kinematics(l);
  const double by = held_time / c_momentum;
  for (int i = 0; i < 6 * node_count; ++i) rhs[i] -= row_scale[i] * by * next_held_rates[i];
  for (int i = 0; i < coordinate_count; ++i) {
    const int row = value_columns[coordinate_values[i]];
    rhs[row] -= row_scale[row] * by * next_held_rates[6 * node_count + i];
  }
}

}  // namespace vernier::constrained
