#include <algorithm>
#include <cmath>
#include <utility>

#include "vernier/kernel/constrained/detail/start.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

// Consistent initial state in three stages: positions, velocities, then accelerations with
// reactions (docs/mathematics/constrained.md, section 7).
namespace vernier::constrained::detail {

namespace {

using Kind = AssemblyProblem::Kind;

/// Φ_q at given positions: columns of nodes and own coordinates.
std::vector<Triplet> gradients(Equations& eq, const Level& l) {
  const MechanismLayout& p = eq.plan();
  Scratch& w = eq.work();
  std::vector<Triplet> all;
  eq.clear_turns();
  for (const ElementPlan& plan : p.elements) {
    if (plan.holonomic == 0) continue;
    const int n = plan.size, first = n - plan.algebraic_count;
    std::fill_n(w.local_residual.data(), n, 0.0);
    std::fill_n(w.local_jacobian.data(), n * n, 0.0);
    plan.element->evaluate(eq.point(plan, l, 1.0),
                           {w.local_residual.data(), w.local_jacobian.data(), n});
    const int own = first - plan.own_count;
    for (int i = 0; i < plan.holonomic; ++i) {
      for (int j = 0; j < own + plan.coordinates; ++j) {
        if (j >= 6 * plan.node_count && j < own) continue;  // scalars
        const int column = p.rows[plan.rows + j];
        const double v = w.local_jacobian[(first + i) * n + j];
        if (column < p.size && v != 0.0) all.push_back({p.rows[plan.rows + first + i], column, v});
      }
    }
  }
  return all;
}

/// The elements and nodes to which rows belong, in this order.
std::vector<std::string> names_of(const MechanismLayout& p, const std::vector<int>& rows) {
  std::vector<std::string> names;
  for (const int row : rows) {
    for (std::size_t e = 0; e < p.elements.size(); ++e) {
      const ElementPlan& plan = p.elements[e];
      const int own = plan.own_row, end = own + plan.own_count + plan.algebraic_count;
      if (row < own || row >= end) continue;
      const std::string& name = p.model.elements[e].name;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (row < 6 * p.node_count) {
      const std::string& name = p.model.nodes[row / 6].name;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "'" : i + 1 == names.size() ? " and '" : ", '") + names[i] + "'";
  }
  return text;
}

std::vector<int> dependent(Equations& eq, const Level& l) {
  const MechanismLayout& p = eq.plan();
  std::vector<Triplet> g = gradients(eq, l);
  std::vector<int> number(p.size, -1), rows;
  for (int i = 0; i < p.size; ++i) {
    if (p.kinds[i] == RowKind::constraint) {
      number[i] = static_cast<int>(rows.size());
      rows.push_back(i);
    }
  }
  for (Triplet& t : g) {
    if (t.column < 6 * p.node_count && t.column % 6 >= 3) t.value /= p.scales.length;
    t.row = number[t.row];
  }
  std::vector<int> all;
  for (const auto& group : dependent_rows(g, static_cast<int>(rows.size()), p.size)) {
    for (const int r : group) all.push_back(rows[r]);
  }
  return all;
}

/// Weights of position changes: 1 for displacements, the square of the length of the model for
/// rotations.
std::vector<double> weights(const MechanismLayout& p) {
  std::vector<double> w(p.size, 1.0);
  for (int i = 0; i < p.node_count; ++i) {
    for (int k = 0; k < 6; ++k) {
      w[6 * i + k] = p.model.nodes[i].weight * (k < 3 ? 1.0 : p.scales.length * p.scales.length);
    }
  }
  return w;
}

// [W Φ_qᵀ; Φ_q -soft]: `soft` keeps the matrix regular if constraints are redundant.
std::vector<Triplet> saddle(const MechanismLayout& p, const std::vector<Triplet>& g, double soft) {
  std::vector<Triplet> all;
  const std::vector<double> w = weights(p);
  for (int i = 0; i < p.size; ++i) {
    all.push_back({i, i, p.kinds[i] == RowKind::constraint ? -soft : w[i]});
  }
  for (const Triplet& t : g) {
    all.push_back(t);
    all.push_back({t.column, t.row, t.value});
  }
  return all;
}

void move(const MechanismLayout& p, Level& l, const double* d, double s) {
  for (int i = 0; i < p.node_count; ++i, d += 6) {
    NodeState& n = l.nodes[i];
    n.x += Vector3{d[0], d[1], d[2]} * s;
    n.R = renormalized(rotation(Vector3{d[3], d[4], d[5]} * s) * n.R);
  }
}

/// Reports constraints that remain violated by w.rhs, at most `gap`; `least` is the smaller of the
/// initial and the current gap.
[[noreturn]] void refuse_open(Equations& eq, const Level& start, double gap, double least) {
  const MechanismLayout& p = eq.plan();
  const Scratch& w = eq.work();
  // The worst first.
  std::vector<std::pair<double, int>> open;
  for (int i = 0; i < p.size; ++i) {
    if (std::abs(w.rhs[i]) > 0.01 * gap) open.emplace_back(-std::abs(w.rhs[i]), i);
  }
  std::sort(open.begin(), open.end());
  std::vector<int> worst;
  for (const auto& o : open) worst.push_back(o.second);
  const std::vector<int> at_start = dependent(eq, start);
  worst.insert(worst.end(), at_start.begin(), at_start.end());
  const auto names = names_of(p, worst);
  if (!at_start.empty())
    throw AssemblyProblem(
        Kind::conflicting,
        listed(names) + (names.size() > 1 ? " contradict each other" : " cannot be satisfied"),
        names, gap);
  throw AssemblyProblem(Kind::apart, listed(names) + " cannot be closed", names, least);
}

/// Stage 1: min ½|q - q0|²_W subject to Φ = 0, by Newton's method on the Lagrange conditions with
/// limited steps.
void assemble_positions(Equations& eq, Level& l) {
  const MechanismLayout& p = eq.plan();
  const Scratch& work = eq.work();
  const Level start = l;
  const std::vector<double> w = weights(p);
  const double enough = 1e-13 * p.scales.length;
  std::vector<double> multipliers(p.size, 0.0), step(p.size), phi(p.size);
  std::vector<int> bad;
  double gap = eq.constraint_values(l), moved = 0.0, first_gap = gap;
  for (int iteration = 0; iteration < 100; ++iteration) {
    if (gap <= enough && (iteration == 0 || moved < 1e-7)) return;
    if (!std::isfinite(gap)) break;
    phi.assign(work.rhs.begin(), work.rhs.begin() + p.size);
    const std::vector<Triplet> g = gradients(eq, l);
    for (int i = 0; i < p.size; ++i) step[i] = -phi[i];
    for (int i = 0; i < p.node_count; ++i) {
      const NodeState &a = start.nodes[i], &b = l.nodes[i];
      const Vector3 dx = b.x - a.x, turn = rotation_vector(times_transposed(b.R, a.R));
      const double d[6] = {dx.x, dx.y, dx.z, turn.x, turn.y, turn.z};
      for (int k = 0; k < 6; ++k) step[6 * i + k] = -w[6 * i + k] * d[k];
    }
    for (const int v : p.coordinate_values) {
      step[p.value_columns[v]] = -w[p.value_columns[v]] * (l.values[v] - start.values[v]);
    }
    for (const Triplet& t : g) step[t.column] -= t.value * multipliers[t.row];
    if (!solve_once(p.size, saddle(p, g, 1e-9), step, bad)) break;
    double most = 0.0;
    for (int i = 0; i < 6 * p.node_count; ++i) {
      most = std::max(most, std::abs(step[i]) / (i % 6 < 3 ? p.scales.length : 1.0));
    }
    const double s = most > 0.5 ? 0.5 / most : 1.0;
    move(p, l, step.data(), s);
    for (const int v : p.coordinate_values) l.values[v] += s * step[p.value_columns[v]];
    for (int i = 0; i < p.size; ++i) {
      if (p.kinds[i] == RowKind::constraint) multipliers[i] += s * step[i];
    }
    moved = most;
    gap = eq.constraint_values(l);
    if (gap <= 100.0 * enough && iteration > 30) return;
  }
  if (gap <= 1e-10 * p.scales.length) return;
  if (!std::isfinite(gap)) refuse_not_finite(p, work.rhs);
  refuse_open(eq, start, gap, std::min(gap, first_gap));
}

double rate_violation(const std::vector<Triplet>& g, const std::vector<double>& v,
                      const std::vector<double>& rate, std::vector<double>& each) {
  each = rate;
  for (const Triplet& t : g) each[t.row] += t.value * v[t.column];
  double most = 0.0;
  for (const double e : each) most = larger(most, std::abs(e));
  return most;
}

/// Stage 2: nearest velocities that satisfy Φ_q v = -Φ_t.
void assemble_velocities(Equations& eq, Level& l) {
  const MechanismLayout& p = eq.plan();
  std::vector<double> rate, drift, v(p.size, 0.0), each;
  constraint_motions(eq, l, rate, drift);
  const std::vector<Triplet> g = gradients(eq, l);
  double size = 1e-3;
  for (int i = 0; i < p.node_count; ++i) {
    const auto& [x, R, u, o] = l.nodes[i];
    const double d[6] = {u.x, u.y, u.z, o.x, o.y, o.z};
    std::copy_n(d, 6, v.data() + 6 * i);
    for (const double c : d) size = std::max(size, std::abs(c));
  }
  for (const double r : rate) size = std::max(size, std::abs(r));
  for (const int k : p.coordinate_values) v[p.value_columns[k]] = l.rates[k];
  std::vector<int> bad;
  double gap = rate_violation(g, v, rate, each);
  for (int iteration = 0; iteration < 5 && gap > 1e-14 * size; ++iteration) {
    std::vector<double> step(p.size, 0.0);
    for (int i = 0; i < p.size; ++i) step[i] = -each[i];
    if (!solve_once(p.size, saddle(p, g, 1e-12), step, bad)) break;
    for (int i = 0; i < p.size; ++i) {
      if (p.kinds[i] != RowKind::constraint) v[i] += step[i];
    }
    gap = rate_violation(g, v, rate, each);
  }
  if (!std::isfinite(gap)) refuse_not_finite(p, each);
  if (gap > 1e-8 * size) {
    std::vector<int> rows;
    for (int i = 0; i < p.size; ++i) {
      if (std::abs(each[i]) > 0.01 * gap) rows.push_back(i);
    }
    const auto names = names_of(p, rows);
    throw AssemblyProblem(Kind::velocities, "no velocities satisfy " + listed(names), names, gap);
  }
  for (int i = 0; i < p.node_count; ++i) {
    const double* d = v.data() + 6 * i;
    l.nodes[i].v = {d[0], d[1], d[2]};
    l.nodes[i].omega = {d[3], d[4], d[5]};
  }
  for (const int k : p.coordinate_values) l.rates[k] = v[p.value_columns[k]];
}

}  // namespace

std::vector<std::string> redundant(Equations& eq, const Level& l) {
  return names_of(eq.plan(), dependent(eq, l));
}

Start::Start(MechanismLayout& plan, State& state)
    : plan_(plan), state_(state), work_(plan), eq_(plan_, state_, work_) {}

// The length of a model is the largest of its extent, its radii of gyration and the lever arms of
// its joints; the mass is the mean of its bodies. Both are rounded to powers of two.
void Start::find_units() {
  double length = 0.0, mass = 0.0;
  int bodies = 0;
  Vector3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (int i = 0; i < plan_.node_count; ++i) {
    const Vector3& x = state_.node(i).x;
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
    const NodePlan& n = plan_.nodes[i];
    if (!(n.mass > 0.0)) continue;
    mass += n.mass;
    ++bodies;
    length = std::max(length, std::sqrt(std::max(0.0, trace(n.inertia) / n.mass)));
  }
  if (plan_.node_count > 1) length = std::max(length, std::sqrt(dot(high - low, high - low)));
  // Lever arms of joints: the gradient by rotations relative to that by displacements.
  std::vector<double> by_x(plan_.size, 0.0), by_turn(plan_.size, 0.0);
  for (const Triplet& t : gradients(eq_, state_.history[0])) {
    if (t.column >= 6 * plan_.node_count) continue;
    double& to = (t.column % 6 < 3 ? by_x : by_turn)[t.row];
    to = std::max(to, std::abs(t.value));
  }
  for (int i = 0; i < plan_.size; ++i) {
    if (by_x[i] > 0.0) length = std::max(length, by_turn[i] / by_x[i]);
  }
  plan_.scales.length = length > 0.0 && std::isfinite(length) ? power_near(length) : 1.0;
  plan_.scales.mass = bodies > 0 ? power_near(mass / bodies) : 1.0;
}

void Start::begin(double time) {
  Level& l = state_.history[0];
  l.time = time;
  for (int i = 0; i < plan_.node_count; ++i) {
    const Node& n = plan_.model.nodes[i];
    l.nodes[i] = {n.position, renormalized(n.orientation), n.velocity, n.angular_velocity};
  }
  for (int i = 0; i < plan_.scalar_count; ++i) {
    l.values[i] = plan_.model.scalars[i].value;
    l.rates[i] = plan_.model.scalars[i].rate;
  }
  for (const ElementPlan& plan : plan_.elements) {
    const std::vector<double>& initial = plan.element->shape().initial;
    const int q = plan.coordinates, y = plan.differential;
    for (int i = 0; i < plan.own_count && !initial.empty(); ++i) {
      l.values[plan.values + i] = i < q ? initial[i] : initial[2 * q + i - q];
      l.rates[plan.values + i] = i < q ? initial[q + i] : initial[2 * q + y + i - q];
    }
  }
  eq_.set_drives(time);
  find_units();
  // Quantities that elements measure from the initial state (gears) must be known while positions
  // are assembled.
  begin_memory();
}

void Start::begin_memory() {
  for (const ElementPlan& plan : plan_.elements) {
    plan.element->begin(eq_.point(plan, state_.history[0], 1.0), plan_.memory_of(plan, state_));
  }
}

void Start::assemble_mechanism() {
  Level& l = state_.history[0];
  assemble_positions(eq_, l);
  begin_memory();
  const std::vector<std::string> names = redundant(eq_, l);
  if (!names.empty()) {
    throw AssemblyProblem(Kind::redundant, listed(names) + " constrain the same motion", names,
                          0.0);
  }
  find_units();
}

void Start::find_motion() {
  assemble_velocities(eq_, state_.history[0]);
  find_accelerations();
  // Friction depends on the reactions, so the memory is set again and the accelerations are solved
  // again if it changed.
  const std::vector<double> before = state_.memory;
  begin_memory();
  if (state_.memory != before) {
    find_accelerations();
    begin_memory();
  }
  equilibrate_rows();
  find_pivots();
  state_.drives = work_.drives;
  state_.rates_valid = true;
  start_auxiliary(plan_, state_, work_);
}

}  // namespace vernier::constrained::detail
