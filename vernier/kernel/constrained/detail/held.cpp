#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/step.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

// Inputs that are held over a step act as exact impulses. Constraints respond to a jump of such a
// force with a jump of reactions, which the scheme must not see either. So the force without the
// part that constraints carry, u - Φᵀν, enters, and the reactions are the solution plus ν
// (docs/mathematics/constrained.md, section 5, "Held inputs").
namespace vernier::constrained::detail {

void Equations::hold(double h) noexcept {
  if (plan_.held.empty()) return;
  set_drives(state_.time() + 0.5 * h);
  std::fill(work_.held.reactions.begin(), work_.held.reactions.end(), 0.0);
  add_held(0.5 * h);
}

void Equations::add_held(double half) noexcept {
  const Level& base = state_.history[0];
  auto& [middle, middle_values, rates, reactions, wrenches, answer, algebraic] = work_.held;
  for (int i = 0; i < plan_.node_count; ++i) {
    const NodeState& n = base.nodes[i];
    middle[i] = {plus_times(n.x, n.v, half), cgr_rotation(n.omega * half) * n.R, n.v, n.omega};
  }
  for (std::size_t i = 0; i < base.values.size(); ++i) {
    middle_values[i] = base.values[i] + half * base.rates[i];
  }
  std::fill(rates.begin(), rates.end(), 0.0);
  for (const int e : plan_.held) {
    const ElementPlan& plan = plan_.elements[e];
    Point p = point(plan, base, c_);
    p.time = base.time + half;
    p.node_states = middle.data();
    p.own = middle_values.data() + plan.values;
    std::fill(wrenches.begin(), wrenches.end(), Wrench{});
    plan.element->held_forces(p, {wrenches.data(), static_cast<std::size_t>(plan.node_count)});
    for (int i = 0; i < plan.node_count; ++i) {
      const int node = plan_.indices[plan.nodes + i];
      if (node == plan_.node_count) continue;
      const auto& [F, M] = wrenches[i];
      const double f[6] = {F.x, F.y, F.z, M.x, M.y, M.z};
      for (int k = 0; k < 6; ++k) rates[6 * node + k] += f[k];
    }
  }
}

void Equations::hold_now() noexcept {
  work_.held.reactions = state_.held_reactions;
  add_held(0.0);
  take_reactions();
}

void Equations::add_impulses(std::span<double> momenta, double h) const noexcept {
  for (std::size_t i = 0; i < momenta.size(); ++i) momenta[i] += h * work_.held.rates[i];
}

void Equations::take_reactions() noexcept {
  // Φᵀν at the middle of the step; reactions are linear in the multipliers.
  const Level& base = state_.history[0];
  HeldWork& held = work_.held;
  double* local = work_.local_residual.data();
  for (const ElementPlan& plan : plan_.elements) {
    if (plan.holonomic == 0) continue;
    const double* nu = held.reactions.data() + plan.algebraic;
    Point p = point(plan, base, c_);
    p.node_states = held.middle.data();
    p.own = held.middle_values.data() + plan.values;
    p.own_algebraic = held.algebraic.data();
    for (const double sign : {1.0, -1.0}) {
      for (int i = 0; i < plan.algebraic_count; ++i) {
        const bool reaction = sign > 0.0 && i < plan.holonomic;
        held.algebraic[i] = base.algebraic[plan.algebraic + i] + (reaction ? nu[i] : 0.0);
      }
      std::fill_n(local, plan.size, 0.0);
      plan.element->evaluate(p, {local, nullptr, plan.size});
      for (int i = 0; i < plan.node_count; ++i) {
        const int node = plan_.indices[plan.nodes + i];
        if (node == plan_.node_count) continue;
        for (int k = 0; k < 6; ++k) held.rates[6 * node + k] -= sign * local[6 * i + k];
      }
      const double* own = local + plan.local_own_row();
      double* to = held.rates.data() + 6 * plan_.node_count + plan.first_coordinate;
      for (int i = 0; i < plan.coordinates; ++i) to[i] -= sign * own[i];
    }
  }
}

void Step::share_held(Level& l, double time) noexcept {
  HeldWork& held = work_.held;
  const ScaleTable& scales = work_.scales;
  const int nodes_end = 6 * plan_.node_count;
  if (!plan_.algebraic_columns.empty()) {
    for (int i = 0; i < nodes_end; ++i) held.answer[i] = scales.row[i] * held.rates[i];
    std::fill(held.answer.begin() + nodes_end, held.answer.end(), 0.0);
    work_.linear->solve({held.answer.data(), static_cast<std::size_t>(plan_.size)});
    for (const ElementPlan& plan : plan_.elements) {
      for (int i = 0; i < plan.holonomic; ++i) {
        const int column = plan_.algebraic_columns[plan.algebraic + i];
        held.reactions[plan.algebraic + i] = held.answer[column] * scales.column[column];
      }
    }
    take_reactions();
  }
  // Update the history from which the residual was computed, and the residual.
  add_impulses(work_.momentum_history, time);
  finish_kinematics(l);
  const double by = time / c_P_;
  for (int i = 0; i < nodes_end; ++i) work_.rhs[i] -= scales.row[i] * by * held.rates[i];
  for (int i = 0; i < plan_.coordinate_count; ++i) {
    const int row = plan_.value_columns[plan_.coordinate_values[i]];
    work_.rhs[row] -= scales.row[row] * by * held.rates[nodes_end + i];
  }
}

}  // namespace vernier::constrained::detail
