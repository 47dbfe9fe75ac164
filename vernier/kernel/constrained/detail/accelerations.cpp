#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/saddle.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {

using detail::ElementPlan;
using detail::Level;
using detail::NodePlan;
using detail::RowKind;
using detail::Triplet;

namespace {

/// The same motion, `by` seconds later, nothing accelerating.
void drift_on(const Solver::Parts& p, const Level& from, double by, Level& to) {
  to.time = from.time + by;
  for (int i = 0; i < p.node_count; ++i) {
    const NodeState& n = from.nodes[i];
    to.nodes[i].x = plus_times(n.x, n.v, by);
    to.nodes[i].R = rotation(n.omega * by) * n.R;
  }
  for (const int v : p.coordinate_values) to.values[v] = from.values[v] + by * from.rates[v];
}

/// Rates of momenta if nothing accelerates.
std::vector<double> gyroscopic(Solver::Parts& p, const Level& l) {
  std::vector<double> rates(l.momenta.size(), 0.0);
  if (!p.inertial.empty()) {
    double fastest = 1e-3;
    for (int i = 0; i < p.node_count; ++i) {
      const auto& [x, R, v, w] = l.nodes[i];
      fastest = std::max({fastest, std::sqrt(dot(w, w)), std::sqrt(dot(v, v)) / p.unit_length});
    }
    for (const int v : p.coordinate_values) fastest = std::max(fastest, std::abs(l.rates[v]));
    const double e = 3e-3 / fastest;
    Level moved = l;
    for (const auto& [by, factor] :
         {std::pair(1.0, 8.0), std::pair(-1.0, -8.0), std::pair(2.0, -1.0), std::pair(-2.0, 1.0)}) {
      drift_on(p, l, by * e, moved);
      p.set_momenta(moved);
      for (std::size_t i = 0; i < rates.size(); ++i) {
        rates[i] += factor / (12.0 * e) * moved.momenta[i];
      }
    }
  }
  // of rigid bodies alone: exactly
  for (int i = 0; i < p.node_count; ++i) {
    const NodePlan& plan = p.node_plans[i];
    const bool alone = std::none_of(p.inertial.begin(), p.inertial.end(), [&](int e) {
      const auto& nodes = p.plans[e].element->shape().nodes;
      return std::find(nodes.begin(), nodes.end(), i) != nodes.end();
    });
    if (!alone || !plan.dynamic) continue;
    const auto& [x, R, v, w] = l.nodes[i];
    const Vector3 s = R * plan.moment, Jw = rotated(R, plan.inertia) * w;
    const Vector3 ws = cross(w, s), b = cross(w, ws), g = cross(ws, v) + cross(w, Jw);
    const double d[6] = {b.x, b.y, b.z, g.x, g.y, g.z};
    std::copy_n(d, 6, rates.data() + 6 * i);
  }
  return rates;
}

}  // namespace

void Solver::Parts::find_accelerations() {
  Level& l = newest();
  hold(0.0);
  if (!held.empty()) {
    // what held inputs change of the reactions
    solve_accelerations(false);
    next_held_reactions = l.algebraic;
  }
  solve_accelerations(true);
  if (held.empty()) return;
  for (std::size_t i = 0; i < l.algebraic.size(); ++i) {
    next_held_reactions[i] = l.algebraic[i] - next_held_reactions[i];
  }
  for (const ElementPlan& plan : plans) {
    for (int i = plan.holonomic; i < plan.algebraic_count; ++i) {
      next_held_reactions[plan.algebraic + i] = 0.0;
    }
  }
  if (settings.split_impulses) {
    take_reactions();
    add_impulses(l.momentum_rates, -1.0);
    held_known = false;
    held_reactions = next_held_reactions;
  }
}

void Solver::Parts::solve_accelerations(bool with_held) {
  Level& l = newest();
  std::fill(turns.begin(), turns.end(), spatial::identity3<double>());
  set_momenta(l);
  set_drives(l.time);
  const std::vector<double> free_rates = gyroscopic(*this, l);
  set_momenta(l);
  const std::vector<Triplet> M = detail::masses(*this, l);
  std::vector<double> rate(size, 0.0), drift(size, 0.0), r;
  for (const ElementPlan& plan : plans) {
    if (plan.holonomic == 0) continue;
    const auto n = static_cast<std::size_t>(plan.holonomic);
    const int row = plan.own_row + plan.own_count;
    plan.element->constraint_motion(point(plan, l, 1.0), {rate.data() + row, n},
                                    {drift.data() + row, n});
  }
  // first-order unknowns: rates where they occur, else values
  std::vector<char> mechanical(size, 0), by_value(size, 1);
  for (int i = 0; i < 6 * node_count; ++i) mechanical[i] = 1;
  for (const int v : coordinate_values) mechanical[value_columns[v]] = 1;
  std::vector<int> value_of(size, -1), algebraic_of(size, -1);
  for (std::size_t i = 0; i < value_columns.size(); ++i) {
    value_of[value_columns[i]] = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < algebraic_columns.size(); ++i) {
    algebraic_of[algebraic_columns[i]] = static_cast<int>(i);
  }
  for (const Triplet& t : detail::jacobian(*this, l, 0.0, r)) {
    if (t.value != 0.0) by_value[t.column] = 0;
  }
  for (int i = 0; i < size; ++i) {
    if (!mechanical[i] && value_of[i] >= 0 && by_value[i]) l.rates[value_of[i]] = 0.0;
  }

  std::vector<double> a(size, 0.0), b(size);  // accelerations at mechanical places
  std::vector<int> bad;
  double before = 0.0;
  for (int iteration = 0;; ++iteration) {
    std::vector<double> at_one;
    const std::vector<Triplet> J0 = detail::jacobian(*this, l, 0.0, r);
    const std::vector<Triplet> J1 = detail::jacobian(*this, l, 1.0, at_one);
    std::vector<Triplet> all;
    for (int i = 0; i < size; ++i) b[i] = kinds[i] == RowKind::constraint ? drift[i] : r[i];
    for (int i = 0; i < node_count; ++i) {
      const double* P = l.momenta.data() + 6 * i;
      const Vector3 vb = cross(l.nodes[i].v, {P[0], P[1], P[2]});
      const Vector3 weight = model.gravity * node_plans[i].mass;
      const Vector3 sg = cross(l.nodes[i].R * node_plans[i].moment, model.gravity);
      Vector3 F = weight, T = sg - vb;
      if (with_held && !held.empty()) {
        const double* u = next_held_rates.data() + 6 * i;
        F += Vector3{u[0], u[1], u[2]};
        T += Vector3{u[3], u[4], u[5]};
      }
      const double f[6] = {F.x, F.y, F.z, T.x, T.y, T.z};
      for (int k = 0; k < 6; ++k) b[6 * i + k] += free_rates[6 * i + k] - f[k];
    }
    for (int i = 0; i < coordinate_count; ++i) {
      b[value_columns[coordinate_values[i]]] += free_rates[6 * node_count + i];
    }
    for (const Triplet& t : M) {
      all.push_back(t);
      b[t.row] += t.value * a[t.column];
    }
    for (const Triplet& t : J0) {
      if (mechanical[t.column] || kinds[t.row] == RowKind::constraint) continue;
      if (value_of[t.column] >= 0 && by_value[t.column]) continue;
      all.push_back(t);
    }
    for (int sign : {1, -1}) {
      for (const Triplet& t : sign > 0 ? J1 : J0) {
        const double v = sign * t.value;
        if (kinds[t.row] == RowKind::constraint) {
          if (sign < 0 || !mechanical[t.column]) continue;
          all.push_back(t);
          b[t.row] += t.value * a[t.column];
        } else if (!mechanical[t.column] && value_of[t.column] >= 0 && by_value[t.column]) {
          all.push_back({t.row, t.column, v});
        }
      }
    }
    double most = 0.0;
    for (const double x : b) most = std::max(most, std::abs(x));
    if (iteration > 0 && (most <= 1e-14 * before || iteration == 30)) break;
    before = std::max(before, most);
    if (most == 0.0) break;
    if (!detail::solve_once(size, all, b, bad)) {
      std::vector<std::string> names;
      for (const int row : bad) names.push_back(row_name(row));
      throw AssemblyProblem(AssemblyProblem::Kind::singular,
                            "accelerations and reactions are not determined", names, 0.0);
    }
    double change = 0.0, unknown = 0.0;
    for (int i = 0; i < size; ++i) {
      double* to = &a[i];
      if (algebraic_of[i] >= 0) {
        to = &l.algebraic[algebraic_of[i]];
      } else if (!mechanical[i]) {
        to = by_value[i] ? &l.values[value_of[i]] : &l.rates[value_of[i]];
      }
      *to -= b[i];
      change = std::max(change, std::abs(b[i]));
      unknown = std::max(unknown, std::abs(*to));
    }
    if (change <= 1e-13 * unknown) break;
  }

  l.momentum_rates = free_rates;
  std::vector<double> Ma(size, 0.0);
  for (const Triplet& t : M) Ma[t.row] += t.value * a[t.column];
  for (int i = 0; i < 6 * node_count; ++i) {
    const NodePlan& plan = node_plans[i / 6];
    l.momentum_rates[i] = plan.dynamic || plan.coupled ? l.momentum_rates[i] + Ma[i] : 0.0;
  }
  for (int i = 0; i < coordinate_count; ++i) {
    l.momentum_rates[6 * node_count + i] += Ma[value_columns[coordinate_values[i]]];
  }
}

}  // namespace vernier::constrained
