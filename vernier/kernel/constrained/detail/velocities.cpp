#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/equations.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained::detail {

namespace {

/// J⁻¹ v for a symmetric positive definite J.
Vector3 solved_velocities(const spatial::Sym3<double>& J, const Vector3& v) noexcept {
  const Vector3 a{J.xx, J.xy, J.xz}, b{J.xy, J.yy, J.yz}, d{J.xz, J.yz, J.zz};
  const Vector3 bd = cross(b, d), da = cross(d, a), ab = cross(a, b);
  const double inverse = 1.0 / dot(a, bd);
  return Vector3{dot(bd, v), dot(da, v), dot(ab, v)} * inverse;
}

}  // namespace

void Equations::find_accelerations() noexcept {
  const bool split = plan_.splits_impulses();
  if (split) {
    keep_drives();
    hold_now();
  }
  for (int i = 0; i < plan_.node_count; ++i) {
    work_.accelerations[i] = acceleration(i, split ? work_.held.rates.data() + 6 * i : nullptr);
  }
}

/// `held`: contribution that is not in the rates of momenta of the newest level; or null.
Acceleration Equations::acceleration(int node, const double* held) const noexcept {
  const NodePlan& plan = plan_.nodes[node];
  if (!plan.dynamic) return {};
  const Level& l = state_.history[0];
  const NodeState& n = l.nodes[node];
  const double* r = l.momentum_rates.data() + 6 * node;
  const double* P = l.momenta.data() + 6 * node;
  Vector3 F{r[0], r[1], r[2]}, M{r[3], r[4], r[5]};
  if (held) {
    F += Vector3{held[0], held[1], held[2]};
    M += Vector3{held[3], held[4], held[5]};
  }
  // Euler's equations about the centre of mass: Jc ω' = γ' - b × β' + v × β - ω × Jc ω.
  const Vector3 s = n.R * plan.moment, b = s * (1.0 / plan.mass);
  const auto J = rotated(n.R, plan.inertia);
  const double bs = dot(b, s);
  const spatial::Sym3<double> Jc = {J.xx - bs + b.x * s.x, J.yy - bs + b.y * s.y,
                                    J.zz - bs + b.z * s.z, J.xy + b.x * s.y,
                                    J.xz + b.x * s.z,      J.yz + b.y * s.z};
  const Vector3& w = n.omega;
  Acceleration a;
  a.angular =
      solved_velocities(Jc, M - cross(b, F) + cross(n.v, {P[0], P[1], P[2]}) - cross(w, Jc * w));
  a.linear = (F - cross(a.angular, s) - cross(w, cross(w, s))) * (1.0 / plan.mass);
  return a;
}

double Equations::constraint_values(const Level& l) noexcept {
  std::fill(work_.rhs.begin(), work_.rhs.end(), 0.0);
  double* local = work_.local_residual.data();
  double most = 0.0;
  for (const ElementPlan& plan : plan_.elements) {
    if (plan.holonomic == 0) continue;
    std::fill_n(local, plan.size, 0.0);
    plan.element->evaluate(point(plan, l, 1.0), {local, nullptr, plan.size});
    const double* phi = local + plan.local_constraint_row();
    for (int i = 0; i < plan.holonomic; ++i) {
      work_.rhs[plan.constraint_row() + i] = phi[i];
      most = larger(most, std::abs(phi[i]));
    }
  }
  return most;
}

/// Adds Φ_q v; c Φ_q is in local_jacobian.
void Equations::add_velocity_rates(const ElementPlan& plan, const Point& at,
                                   double* to) const noexcept {
  const int n = plan.size, first = plan.local_constraint_row(), own = plan.local_own_row();
  const double inverse = 1.0 / at.c;
  for (int i = 0; i < plan.holonomic; ++i) {
    const double* J = work_.local_jacobian.data() + (first + i) * n;
    double sum = 0.0;
    for (int k = 0; k < plan.node_count; ++k, J += 6) {
      const auto& [x, R, v, w] = at.node(k);
      sum += J[0] * v.x + J[1] * v.y + J[2] * v.z + J[3] * w.x + J[4] * w.y + J[5] * w.z;
    }
    J = work_.local_jacobian.data() + (first + i) * n + own;
    for (int k = 0; k < plan.coordinates; ++k) sum += J[k] * at.own_rates[k];
    to[i] += sum * inverse;
  }
}

void Equations::constraint_rates(const Level& l) noexcept {
  std::fill(work_.rhs.begin(), work_.rhs.end(), 0.0);
  const Contribution out{work_.local_residual.data(), work_.local_jacobian.data()};
  for (const ElementPlan& plan : plan_.elements) {
    if (plan.holonomic == 0) continue;
    const int n = plan.size;
    double* to = work_.rhs.data() + plan.constraint_row();
    std::fill_n(out.residual, n, 0.0);
    std::fill_n(out.jacobian, n * n, 0.0);
    const Point at = point(plan, l, 1.0);
    plan.element->evaluate(at, {out.residual, out.jacobian, n});
    add_velocity_rates(plan, at, to);
    add_drive_rates(plan, at, to);
  }
}

void Equations::evaluate_rates(const ElementPlan& plan, const Point& at,
                               const Contribution& out) noexcept {
  double* to = work_.rhs.data() + plan.constraint_row();  // rows of this element: still 0
  add_drive_rates(plan, at, to);
  std::fill_n(out.residual, plan.size, 0.0);
  plan.element->evaluate(at, out);
  add_velocity_rates(plan, at, to);
  // add_residual() divides rows of constraints by c
  double* r = out.residual + plan.local_constraint_row();
  for (int i = 0; i < plan.holonomic; ++i) {
    r[i] = to[i] * at.c;
    to[i] = 0.0;
  }
}

void Equations::add_drive_rates(const ElementPlan& plan, const Point& at, double* to) noexcept {
  const auto& of = plan.element->shape().drives;
  std::vector<DriveState>& drives = work_.drives;
  double fastest = 0.0;
  for (const int d : of) fastest = std::max(fastest, std::abs(drives[d].rate));
  if (fastest == 0.0) return;
  double* local = work_.local_residual.data();
  const double* phi = local + plan.local_constraint_row();
  for (const int d : of) work_.drive_values[d] = drives[d].value;
  const double e = 1e-4 / fastest;
  // Central differences of fourth order.
  for (const double side : {1.0, -1.0, 2.0, -2.0}) {
    for (const int d : of) drives[d].value = work_.drive_values[d] + side * e * drives[d].rate;
    std::fill_n(local, plan.size, 0.0);
    plan.element->evaluate(at, {local, nullptr, plan.size});
    const double factor = std::abs(side) == 1.0 ? 8.0 * side : -0.5 * side;
    for (int i = 0; i < plan.holonomic; ++i) to[i] += factor * phi[i] / (12.0 * e);
  }
  for (const int d : of) drives[d].value = work_.drive_values[d];
}

/// Replaces the constraint violations in rhs by the change that closes them, with the current
/// factorization.
void Equations::solve_constraints() noexcept {
  for (int i = 0; i < plan_.size; ++i) {
    work_.rhs[i] *= plan_.kinds[i] == RowKind::constraint ? plan_.scales.row[i] : 0.0;
  }
  work_.linear->solve({work_.rhs.data(), static_cast<std::size_t>(plan_.size)});
}

void Equations::correct_positions(Level& l) noexcept {
  const double enough = 1e-14 * plan_.scales.length, turn = -1.0 / plan_.scales.length;
  for (int round = 0; round < 3 && constraint_values(l) > enough; ++round) {
    solve_constraints();
    const double* d = work_.rhs.data();
    for (int i = 0; i < plan_.node_count; ++i, d += 6) {
      NodeState& n = l.nodes[i];
      n.x -= Vector3{d[0], d[1], d[2]};
      n.R = cgr_rotation(Vector3{d[3] * turn, d[4] * turn, d[5] * turn}) * n.R;
    }
    for (const int v : plan_.coordinate_values) {
      const int column = plan_.value_columns[v];
      l.values[v] -= work_.rhs[column] * work_.scales.column[column];
    }
  }
  set_momenta(l);
}

void Equations::correct_velocities(Level& l) noexcept {
  constraint_rates(l);
  solve_constraints();
  const double* d = work_.rhs.data();
  const double turn = 1.0 / plan_.scales.length;
  for (int i = 0; i < plan_.node_count; ++i, d += 6) {
    l.nodes[i].v -= Vector3{d[0], d[1], d[2]};
    l.nodes[i].omega -= Vector3{d[3] * turn, d[4] * turn, d[5] * turn};
  }
  for (const int v : plan_.coordinate_values) {
    const int column = plan_.value_columns[v];
    l.rates[v] -= work_.rhs[column] * work_.scales.column[column];
  }
  set_momenta(l);
}

}  // namespace vernier::constrained::detail
