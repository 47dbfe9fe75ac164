#include <algorithm>
#include <cmath>
#include <map>

#include "vernier/kernel/constrained/detail/saddle.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {

using detail::ElementPlan;
using detail::Level;
using detail::NodePlan;
using detail::power_near;
using detail::RowKind;
using detail::Triplet;

namespace detail {

std::vector<Triplet> masses(Solver::Parts& p, const Level& l) {
  std::vector<Triplet> all;
  const auto block = [&](int row, int column, const Matrix3& m) {
    for (int k = 0; k < 9; ++k) {
      if (m.a[k] != 0.0) all.push_back({row + k / 3, column + k % 3, m.a[k]});
    }
  };
  std::vector<char> inertia(p.node_count, 0);
  for (int i = 0; i < p.node_count; ++i) {
    const NodePlan& plan = p.node_plans[i];
    if (!plan.dynamic) continue;
    inertia[i] = 1;
    const Matrix3& R = l.nodes[i].R;
    const Vector3 s = R * plan.moment;
    const auto J = rotated(R, plan.inertia);
    for (int k = 0; k < 3; ++k) all.push_back({6 * i + k, 6 * i + k, plan.mass});
    block(6 * i, 6 * i + 3, skew(-s));
    block(6 * i + 3, 6 * i, skew(s));
    block(6 * i + 3, 6 * i + 3, {{J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz}});
  }
  for (const int e : p.inertial) {
    const ElementPlan& plan = p.plans[e];
    const int n = plan.size;
    std::fill_n(p.local_residual.data(), n, 0.0);
    std::fill_n(p.local_jacobian.data(), n * n, 0.0);
    plan.element->momentum(p.point(plan, l, 0.0),
                           {p.local_residual.data(), p.local_jacobian.data(), n});
    for (int i = 0; i < plan.node_count; ++i) {
      if (p.indices[plan.nodes + i] < p.node_count) inertia[p.indices[plan.nodes + i]] = 1;
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int row = p.rows[plan.rows + i], column = p.rows[plan.rows + j];
        const double m = p.local_jacobian[i * n + j];
        if (m != 0.0 && row < p.size && column < p.size) all.push_back({row, column, m});
      }
    }
  }
  // what has no mass: so little that it follows constraints at no force
  constexpr double little = 1e-9;
  for (int i = 0; i < p.node_count; ++i) {
    for (int k = 0; k < 6 && !inertia[i]; ++k) {
      const double arm = k < 3 ? 1.0 : p.unit_length * p.unit_length;
      all.push_back({6 * i + k, 6 * i + k, little * p.unit_mass * arm});
    }
  }
  std::vector<char> heavy(p.size, 0);
  for (const Triplet& t : all) heavy[t.row] |= t.row == t.column ? 1 : 0;
  for (const int v : p.coordinate_values) {
    const int row = p.value_columns[v];
    if (!heavy[row]) all.push_back({row, row, little * p.unit_mass});
  }
  return all;
}

void constraint_motions(Solver::Parts& p, const Level& l, std::vector<double>& rate,
                        std::vector<double>& drift) {
  rate.assign(p.size, 0.0);
  drift.assign(p.size, 0.0);
  for (const ElementPlan& plan : p.plans) {
    if (plan.holonomic == 0) continue;
    const auto n = static_cast<std::size_t>(plan.holonomic);
    const int row = plan.own_row + plan.own_count;
    plan.element->constraint_motion(p.point(plan, l, 1.0), {rate.data() + row, n},
                                    {drift.data() + row, n});
  }
}

void refuse_not_finite(const Solver::Parts& p, std::span<const double> rows) {
  std::vector<std::string> names;
  for (int i = 0; i < p.size; ++i) {
    if (!std::isfinite(rows[i])) names.push_back(p.row_name(i));
  }
  throw AssemblyProblem(AssemblyProblem::Kind::not_finite,
                        "the equations have no finite numbers at the start", names, 0.0);
}

std::vector<Triplet> jacobian(Solver::Parts& p, const Level& l, double c,
                              std::vector<double>& residual) {
  std::vector<Triplet> all;
  residual.assign(p.size + 1, 0.0);
  for (const ElementPlan& plan : p.plans) {
    const int n = plan.size;
    std::fill_n(p.local_residual.data(), n, 0.0);
    std::fill_n(p.local_jacobian.data(), n * n, 0.0);
    plan.element->evaluate(p.point(plan, l, c),
                           {p.local_residual.data(), p.local_jacobian.data(), n});
    for (int i = 0; i < n; ++i) {
      const int row = p.rows[plan.rows + i];
      residual[row] += p.local_residual[i];
      for (int j = 0; j < n; ++j) {
        const int column = p.rows[plan.rows + j];
        const double v = p.local_jacobian[i * n + j];
        if (v != 0.0 && row < p.size && column < p.size) all.push_back({row, column, v});
      }
    }
  }
  return all;
}

}  // namespace detail

void Solver::Parts::equilibrate_rows() {
  constexpr double typical = 1e-3;
  const Level& l = newest();
  std::vector<double> r;
  std::vector<Triplet> J = detail::jacobian(*this, l, typical, r);
  for (Triplet t : detail::masses(*this, l)) {
    t.value /= typical;
    J.push_back(t);
  }
  std::fill(row_base.begin(), row_base.end(), 1.0);
  std::fill(column_base.begin(), column_base.end(), 1.0);
  for (int i = 0; i < 6 * node_count; ++i) {
    const bool force = kinds[i] == RowKind::force;
    row_base[i] = 1.0 / (force ? unit_mass : unit_mass * unit_length);
    column_base[i] = force ? 1.0 : 1.0 / unit_length;
  }
  // own coordinates by their masses
  for (const Triplet& t : detail::masses(*this, l)) {
    if (kinds[t.row] == RowKind::coordinate && t.row == t.column && t.value > 0.0) {
      column_base[t.row] = power_near(std::sqrt(unit_mass / t.value));
      row_base[t.row] = column_base[t.row] / unit_mass;
    }
  }
  // constraints by their largest gradient
  std::vector<double> most(size, 0.0);
  for (const Triplet& t : J) {
    if (kinds[t.row] == RowKind::constraint && kinds[t.column] != RowKind::constraint) {
      most[t.row] = std::max(most[t.row], std::abs(t.value) / typical * column_base[t.column]);
    }
  }
  for (int i = 0; i < size; ++i) {
    if (kinds[i] != RowKind::constraint) continue;
    row_base[i] = most[i] > 0.0 ? 1.0 / power_near(most[i]) : 1.0;
    column_base[i] = row_base[i] * unit_mass;
  }
  // the others by their entries, rows and columns in turn
  for (int round = 0; round < 4; ++round) {
    scaled_for = 0.0;
    set_scales(typical, typical);
    std::vector<double> row(size, 0.0), column(size, 0.0);
    for (const Triplet& t : J) {
      const double v = std::abs(t.value) * row_scale[t.row] * column_scale[t.column];
      row[t.row] = std::max(row[t.row], v);
      column[t.column] = std::max(column[t.column], v);
    }
    for (int i = 0; i < size; ++i) {
      if (kinds[i] != RowKind::other) continue;
      if (row[i] > 0.0) row_base[i] /= power_near(std::sqrt(row[i]));
      if (column[i] > 0.0) column_base[i] /= power_near(std::sqrt(column[i]));
    }
  }
  scaled_for = 0.0;
  find_floors();
}

/// Forces cannot be had better than stiffness times what places are rounded by.
void Solver::Parts::find_floors() {
  const Level& l = newest();
  std::vector<double> r;
  double force = 0.0, moment = 0.0;
  std::vector<Triplet> J0 = detail::jacobian(*this, l, 0.0, r);
  for (Triplet& t : J0) t.value = -t.value;
  const std::vector<Triplet> J1 = detail::jacobian(*this, l, 1.0, r);
  J0.insert(J0.end(), J1.begin(), J1.end());
  std::vector<double> stiff(size, 0.0);
  for (const Triplet& t : J0) {
    if (t.column < 6 * node_count && t.row < 6 * node_count) {
      stiff[t.row] =
          std::max(stiff[t.row], std::abs(t.value) * (t.column % 6 < 3 ? unit_length : 1.0));
    }
  }
  for (int i = 0; i < 6 * node_count; ++i) {
    double& to = kinds[i] == RowKind::force ? force : moment;
    to = std::max(to, stiff[i]);
  }
  constexpr double rounding = 8.0 * 2.2e-16;
  force_floor = rounding * force;
  moment_floor = rounding * moment;
}

/// Where elements put their entries, each table once: a long chain then reads few of them.
void Solver::Parts::share_tables(std::span<const int> slots) {
  table_local.clear();
  table_slot.clear();
  factor_row.clear();
  factor_column.clear();
  std::map<std::vector<int>, int> locals, places;
  std::map<std::vector<double>, int> factors;  // by what scales are made of
  for (ElementPlan& plan : plans) {
    const auto first = entry_local.begin() + plan.first_entry;
    const auto last = entry_local.begin() + plan.last_entry;
    const auto [of_locals, fresh_locals] =
        locals.try_emplace({first, last}, static_cast<int>(table_local.size()));
    if (fresh_locals) table_local.insert(table_local.end(), first, last);
    plan.locals = of_locals->second;

    std::vector<int> at;
    std::vector<double> scales;
    for (int k = plan.first_entry; k < plan.last_entry; ++k) {
      at.push_back(slots[entry_place[k]]);
      const int row = entry_row[k], column = entry_column[k];
      scales.insert(scales.end(), {row_base[row], static_cast<double>(kinds[row]),
                                   column_base[column], static_cast<double>(kinds[column])});
    }
    plan.slot_base = at.empty() ? 0 : *std::min_element(at.begin(), at.end());
    for (int& s : at) s -= plan.slot_base;
    const auto [of_slots, fresh_slots] =
        places.try_emplace(at, static_cast<int>(table_slot.size()));
    if (fresh_slots) table_slot.insert(table_slot.end(), at.begin(), at.end());
    plan.slots = of_slots->second;

    const auto [of_factors, fresh_factors] =
        factors.try_emplace(scales, static_cast<int>(factor_row.size()));
    plan.factors = of_factors->second;
    if (!fresh_factors) continue;
    factor_row.insert(factor_row.end(), entry_row.begin() + plan.first_entry,
                      entry_row.begin() + plan.last_entry);
    factor_column.insert(factor_column.end(), entry_column.begin() + plan.first_entry,
                         entry_column.begin() + plan.last_entry);
  }
  table_factor.assign(factor_row.size(), 0.0);
  scaled_for = 0.0;
}

void Solver::Parts::use_slots(std::span<const int> slots) {
  share_tables(slots);
  for (std::size_t i = 0; i < node_plans.size(); ++i) {
    for (std::size_t k = 0; k < 30; ++k) {
      const int place = node_places[30 * i + k];
      node_plans[i].slots[k] = place < 0 ? -1 : slots[place];
    }
  }
}

void Solver::Parts::find_pivots() {
  std::vector<int> plain(pattern.entries.size());
  for (std::size_t k = 0; k < plain.size(); ++k) plain[k] = static_cast<int>(k);
  use_slots(plain);
  linear_solver.reset();
  // Matrices of short and long steps, and of the whole mechanism turned about: pivots that are
  // good in all of these do not depend on where axes happen to point at the start.
  std::vector<std::vector<double>> samples;
  Level l = newest();
  const auto sample = [&](double coefficient) {
    samples.emplace_back(plain.size(), 0.0);
    matrix = samples.back().data();
    c = c_momentum = coefficient;
    set_scales(c, c_momentum);
    set_turns(l, c);
    set_momenta(l);
    assemble(l, true);
  };
  for (const double coefficient : {1e-4, 1e-3, 1e-2}) sample(coefficient);
  const std::size_t untouched = samples.size();
  for (const Vector3& by :
       {Vector3{0.7, -0.4, 0.5}, Vector3{-0.5, 1.1, 0.3}, Vector3{0.2, 0.6, -1.3}}) {
    const Matrix3 R = rotation(by);
    for (int i = 0; i < node_count; ++i) {
      const auto& [x, Q, v, w] = newest().nodes[i];
      l.nodes[i] = {R * x, R * Q, R * v, R * w};
    }
    sample(1e-3);
  }
  try {
    linear_solver.emplace(pattern, samples);
  } catch (const sparse::Singular&) {
    samples.resize(untouched);
    try {
      linear_solver.emplace(pattern, samples);
    } catch (const sparse::Singular& s) {
      std::vector<std::string> names;
      for (const int row : s.rows) names.push_back(row_name(row));
      throw AssemblyProblem(AssemblyProblem::Kind::singular,
                            "the equations do not determine the motion", names, 0.0);
    }
  }
  matrix = linear_solver->values().data();
  use_slots(linear_solver->slots());
  c = c_momentum = 1e-3;
  set_scales(c, c_momentum);
  set_momenta(newest());
}

}  // namespace vernier::constrained
