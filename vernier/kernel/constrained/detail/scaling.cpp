#include <algorithm>
#include <cmath>
#include <map>

#include "vernier/kernel/constrained/detail/start.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained::detail {

std::vector<Triplet> masses(Equations& eq, const Level& l) {
  const MechanismLayout& p = eq.plan();
  Scratch& w = eq.work();
  std::vector<Triplet> all;
  const auto block = [&](int row, int column, const Matrix3& m) {
    for (int k = 0; k < 9; ++k) {
      if (m.a[k] != 0.0) all.push_back({row + k / 3, column + k % 3, m.a[k]});
    }
  };
  std::vector<char> inertia(p.node_count, 0);
  for (int i = 0; i < p.node_count; ++i) {
    const NodePlan& plan = p.nodes[i];
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
    const ElementPlan& plan = p.elements[e];
    const int n = plan.size;
    std::fill_n(w.local_residual.data(), n, 0.0);
    std::fill_n(w.local_jacobian.data(), n * n, 0.0);
    plan.element->momentum(eq.point(plan, l, 0.0),
                           {w.local_residual.data(), w.local_jacobian.data(), n});
    for (int i = 0; i < plan.node_count; ++i) {
      if (p.indices[plan.nodes + i] < p.node_count) inertia[p.indices[plan.nodes + i]] = 1;
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int row = p.rows[plan.rows + i], column = p.rows[plan.rows + j];
        const double m = w.local_jacobian[i * n + j];
        if (m != 0.0 && row < p.size && column < p.size) all.push_back({row, column, m});
      }
    }
  }
  // Massless nodes and coordinates get a mass so small that they follow the constraints with
  // negligible force.
  constexpr double little = 1e-9;
  for (int i = 0; i < p.node_count; ++i) {
    for (int k = 0; k < 6 && !inertia[i]; ++k) {
      const double arm = k < 3 ? 1.0 : p.scales.length * p.scales.length;
      all.push_back({6 * i + k, 6 * i + k, little * p.scales.mass * arm});
    }
  }
  std::vector<char> heavy(p.size, 0);
  for (const Triplet& t : all) heavy[t.row] |= t.row == t.column ? 1 : 0;
  for (const int v : p.coordinate_values) {
    const int row = p.value_columns[v];
    if (!heavy[row]) all.push_back({row, row, little * p.scales.mass});
  }
  return all;
}

void constraint_motions(Equations& eq, const Level& l, std::vector<double>& rate,
                        std::vector<double>& drift) {
  const MechanismLayout& p = eq.plan();
  rate.assign(p.size, 0.0);
  drift.assign(p.size, 0.0);
  for (const ElementPlan& plan : p.elements) {
    if (plan.holonomic == 0) continue;
    const auto n = static_cast<std::size_t>(plan.holonomic);
    const int row = plan.own_row + plan.own_count;
    plan.element->constraint_motion(eq.point(plan, l, 1.0), {rate.data() + row, n},
                                    {drift.data() + row, n});
  }
}

void refuse_not_finite(const MechanismLayout& p, std::span<const double> rows) {
  std::vector<std::string> names;
  for (int i = 0; i < p.size; ++i) {
    if (!std::isfinite(rows[i])) names.push_back(p.row_name(i));
  }
  throw AssemblyProblem(AssemblyProblem::Kind::not_finite,
                        "the equations have no finite numbers at the start", names, 0.0);
}

std::vector<Triplet> jacobian(Equations& eq, const Level& l, double c,
                              std::vector<double>& residual) {
  const MechanismLayout& p = eq.plan();
  Scratch& w = eq.work();
  std::vector<Triplet> all;
  residual.assign(p.size + 1, 0.0);
  for (const ElementPlan& plan : p.elements) {
    const int n = plan.size;
    std::fill_n(w.local_residual.data(), n, 0.0);
    std::fill_n(w.local_jacobian.data(), n * n, 0.0);
    plan.element->evaluate(eq.point(plan, l, c),
                           {w.local_residual.data(), w.local_jacobian.data(), n});
    for (int i = 0; i < n; ++i) {
      const int row = p.rows[plan.rows + i];
      residual[row] += w.local_residual[i];
      for (int j = 0; j < n; ++j) {
        const int column = p.rows[plan.rows + j];
        const double v = w.local_jacobian[i * n + j];
        if (v != 0.0 && row < p.size && column < p.size) all.push_back({row, column, v});
      }
    }
  }
  return all;
}

void Start::equilibrate_rows() {
  constexpr double typical = 1e-3;
  Scales& scales = plan_.scales;
  const Level& l = state_.history[0];
  std::vector<double> r;
  // Scales by the units of the model, so that the condition does not depend on the step
  // (docs/mathematics/constrained.md, section 5, "Scaling").
  std::vector<Triplet> J = jacobian(eq_, l, typical, r);
  for (Triplet t : masses(eq_, l)) {
    t.value /= typical;
    J.push_back(t);
  }
  std::fill(scales.row.begin(), scales.row.end(), 1.0);
  std::fill(scales.column.begin(), scales.column.end(), 1.0);
  for (int i = 0; i < 6 * plan_.node_count; ++i) {
    const bool force = plan_.kinds[i] == RowKind::force;
    scales.row[i] = 1.0 / (force ? scales.mass : scales.mass * scales.length);
    scales.column[i] = force ? 1.0 : 1.0 / scales.length;
  }
  // Own coordinates are scaled by their masses.
  for (const Triplet& t : masses(eq_, l)) {
    if (plan_.kinds[t.row] == RowKind::coordinate && t.row == t.column && t.value > 0.0) {
      scales.column[t.row] = power_near(std::sqrt(scales.mass / t.value));
      scales.row[t.row] = scales.column[t.row] / scales.mass;
    }
  }
  // Constraints are scaled by their largest gradient.
  std::vector<double> most(plan_.size, 0.0);
  for (const Triplet& t : J) {
    if (plan_.kinds[t.row] == RowKind::constraint && plan_.kinds[t.column] != RowKind::constraint) {
      most[t.row] = std::max(most[t.row], std::abs(t.value) / typical * scales.column[t.column]);
    }
  }
  for (int i = 0; i < plan_.size; ++i) {
    if (plan_.kinds[i] != RowKind::constraint) continue;
    scales.row[i] = most[i] > 0.0 ? 1.0 / power_near(most[i]) : 1.0;
    scales.column[i] = scales.row[i] * scales.mass;
  }
  // Other unknowns are equilibrated by their entries, rows and columns alternately.
  for (int round = 0; round < 4; ++round) {
    work_.scales.c = 0.0;
    eq_.set_coefficients(typical, typical);
    std::vector<double> row(plan_.size, 0.0), column(plan_.size, 0.0);
    for (const Triplet& t : J) {
      const double v = std::abs(t.value) * work_.scales.row[t.row] * work_.scales.column[t.column];
      row[t.row] = std::max(row[t.row], v);
      column[t.column] = std::max(column[t.column], v);
    }
    for (int i = 0; i < plan_.size; ++i) {
      if (plan_.kinds[i] != RowKind::other) continue;
      if (row[i] > 0.0) scales.row[i] /= power_near(std::sqrt(row[i]));
      if (column[i] > 0.0) scales.column[i] /= power_near(std::sqrt(column[i]));
    }
  }
  work_.scales.c = 0.0;
  find_floors();
}

/// Forces cannot be more accurate than stiffness times the rounding of positions.
void Start::find_floors() {
  Scales& scales = plan_.scales;
  const Level& l = state_.history[0];
  std::vector<double> r;
  double force = 0.0, moment = 0.0;
  std::vector<Triplet> J0 = jacobian(eq_, l, 0.0, r);
  for (Triplet& t : J0) t.value = -t.value;
  const std::vector<Triplet> J1 = jacobian(eq_, l, 1.0, r);
  J0.insert(J0.end(), J1.begin(), J1.end());
  std::vector<double> stiff(plan_.size, 0.0);
  for (const Triplet& t : J0) {
    if (t.column < 6 * plan_.node_count && t.row < 6 * plan_.node_count) {
      stiff[t.row] =
          std::max(stiff[t.row], std::abs(t.value) * (t.column % 6 < 3 ? scales.length : 1.0));
    }
  }
  for (int i = 0; i < 6 * plan_.node_count; ++i) {
    double& to = plan_.kinds[i] == RowKind::force ? force : moment;
    to = std::max(to, stiff[i]);
  }
  constexpr double rounding = 8.0 * 2.2e-16;
  scales.force_floor = rounding * force;
  scales.moment_floor = rounding * moment;
}

/// Builds the maps from elements to the matrix. Equal maps are stored once, so a long chain uses
/// few of them, which stay in the cache.
void MechanismLayout::share_tables(std::span<const int> slots) {
  tables.local.clear();
  tables.slot.clear();
  tables.factor_row.clear();
  tables.factor_column.clear();
  std::map<std::vector<int>, int> locals, places;
  std::map<std::vector<double>, int> factors;  // keyed by the scales and kinds of rows and columns
  for (ElementPlan& plan : elements) {
    const auto first = entries.local.begin() + plan.first_entry;
    const auto last = entries.local.begin() + plan.last_entry;
    const auto [of_locals, fresh_locals] =
        locals.try_emplace({first, last}, static_cast<int>(tables.local.size()));
    if (fresh_locals) tables.local.insert(tables.local.end(), first, last);
    plan.locals = of_locals->second;

    std::vector<int> at;
    std::vector<double> factor;
    for (int k = plan.first_entry; k < plan.last_entry; ++k) {
      at.push_back(slots[entries.place[k]]);
      const int row = entries.row[k], column = entries.column[k];
      factor.insert(factor.end(), {scales.row[row], static_cast<double>(kinds[row]),
                                   scales.column[column], static_cast<double>(kinds[column])});
    }
    plan.slot_base = at.empty() ? 0 : *std::min_element(at.begin(), at.end());
    for (int& s : at) s -= plan.slot_base;
    const auto [of_slots, fresh_slots] =
        places.try_emplace(at, static_cast<int>(tables.slot.size()));
    if (fresh_slots) tables.slot.insert(tables.slot.end(), at.begin(), at.end());
    plan.slots = of_slots->second;

    const auto [of_factors, fresh_factors] =
        factors.try_emplace(factor, static_cast<int>(tables.factor_row.size()));
    plan.factors = of_factors->second;
    if (!fresh_factors) continue;
    tables.factor_row.insert(tables.factor_row.end(), entries.row.begin() + plan.first_entry,
                             entries.row.begin() + plan.last_entry);
    tables.factor_column.insert(tables.factor_column.end(),
                                entries.column.begin() + plan.first_entry,
                                entries.column.begin() + plan.last_entry);
  }
}

void MechanismLayout::use_slots(std::span<const int> slots) {
  share_tables(slots);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t k = 0; k < 30; ++k) {
      const int place = entries.node_places[30 * i + k];
      nodes[i].slots[k] = place < 0 ? -1 : slots[place];
    }
  }
}

void Start::use_slots(std::span<const int> slots) {
  plan_.use_slots(slots);
  work_.scales.factor.assign(plan_.tables.factor_row.size(), 0.0);
  work_.scales.c = 0.0;
}

void Start::find_pivots() {
  std::vector<int> plain(plan_.entries.pattern.entries.size());
  for (std::size_t k = 0; k < plain.size(); ++k) plain[k] = static_cast<int>(k);
  use_slots(plain);
  // Sample matrices for short and long steps, and for the whole mechanism rotated: pivots that are
  // good in all samples do not depend on the initial direction of axes.
  std::vector<std::vector<double>> samples;
  Level l = state_.history[0];
  const auto sample = [&](double c) {
    samples.emplace_back(plain.size(), 0.0);
    eq_.set_coefficients(c, c);
    eq_.set_turns(l, c);
    eq_.set_momenta(l);
    eq_.assemble(l, Constraints::positions, samples.back().data());
  };
  for (const double c : {1e-4, 1e-3, 1e-2}) sample(c);
  const std::size_t untouched = samples.size();
  for (const Vector3& by :
       {Vector3{0.7, -0.4, 0.5}, Vector3{-0.5, 1.1, 0.3}, Vector3{0.2, 0.6, -1.3}}) {
    const Matrix3 R = rotation(by);
    for (int i = 0; i < plan_.node_count; ++i) {
      const auto& [x, Q, v, w] = state_.node(i);
      l.nodes[i] = {R * x, R * Q, R * v, R * w};
    }
    sample(1e-3);
  }
  const sparse::Pattern& pattern = plan_.entries.pattern;
  try {
    plan_.elimination.emplace(pattern, samples);
  } catch (const sparse::Singular&) {
    samples.resize(untouched);
    try {
      plan_.elimination.emplace(pattern, samples);
    } catch (const sparse::Singular& s) {
      std::vector<std::string> names;
      for (const int row : s.rows) names.push_back(plan_.row_name(row));
      throw AssemblyProblem(AssemblyProblem::Kind::singular,
                            "the equations do not determine the motion", names, 0.0);
    }
  }
  plan_.use_slots(plan_.elimination->slots());
  eq_.set_momenta(state_.history[0]);
  state_.c = 1e-3;
}

}  // namespace vernier::constrained::detail
