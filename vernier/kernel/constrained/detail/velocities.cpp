#include <algorithm>
#include <cmath>

#include "vernier/base/require.hpp"
#include "vernier/kernel/constrained/detail/parts.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {

using detail::ElementPlan;
using detail::Level;
using detail::NodePlan;

namespace {

/// J⁻¹ v of a symmetric positive matrix.
Vector3 solved(const spatial::Sym3<double>& J, const Vector3& v) noexcept {
  const Vector3 a{J.xx, J.xy, J.xz}, b{J.xy, J.yy, J.yz}, d{J.xz, J.yz, J.zz};
  const Vector3 bd = cross(b, d), da = cross(d, a), ab = cross(a, b);
  const double inverse = 1.0 / dot(a, bd);
  return Vector3{dot(bd, v), dot(da, v), dot(ab, v)} * inverse;
}

}  // namespace

void Solver::Parts::accelerations(int node, Vector3& linear, Vector3& angular) noexcept {
  linear = angular = {};
  const NodePlan& plan = node_plans[node];
  if (!plan.dynamic) return;
  const Level& l = newest();
  const NodeState& n = l.nodes[node];
  const double* r = l.momentum_rates.data() + 6 * node;
  const double* P = l.momenta.data() + 6 * node;
  Vector3 F{r[0], r[1], r[2]}, M{r[3], r[4], r[5]};
  if (settings.split_impulses && !held.empty()) {
    const double* u = held_now().data() + 6 * node;
    F += Vector3{u[0], u[1], u[2]};
    M += Vector3{u[3], u[4], u[5]};
  }
  // about the centre of mass: Jc ω' = γ' - b × β' + v × β - ω × Jc ω
  const Vector3 s = n.R * plan.moment, b = s * (1.0 / plan.mass);
  const auto J = rotated(n.R, plan.inertia);
  const double bs = dot(b, s);
  const spatial::Sym3<double> Jc = {J.xx - bs + b.x * s.x, J.yy - bs + b.y * s.y,
                                    J.zz - bs + b.z * s.z, J.xy + b.x * s.y,
                                    J.xz + b.x * s.z,      J.yz + b.y * s.z};
  const Vector3& w = n.omega;
  angular = solved(Jc, M - cross(b, F) + cross(n.v, {P[0], P[1], P[2]}) - cross(w, Jc * w));
  linear = (F - cross(angular, s) - cross(w, cross(w, s))) * (1.0 / plan.mass);
}

double Solver::Parts::constraint_values(const Level& l) noexcept {
  std::fill(rhs.begin(), rhs.end(), 0.0);
  double most = 0.0;
  for (const ElementPlan& plan : plans) {
    if (plan.holonomic == 0) continue;
    std::fill_n(local_residual.data(), plan.size, 0.0);
    plan.element->evaluate(point(plan, l, 1.0), {local_residual.data(), nullptr, plan.size});
    const int first = plan.size - plan.algebraic_count;
    for (int i = 0; i < plan.holonomic; ++i) {
      rhs[plan.own_row + plan.own_count + i] = local_residual[first + i];
      most = detail::larger(most, std::abs(local_residual[first + i]));
    }
  }
  return most;
}

void Solver::Parts::add_velocity_rates(const ElementPlan& plan, const Point& at,
                                       double* to) const noexcept {
  const int n = plan.size, first = n - plan.algebraic_count, own = first - plan.own_count;
  const double inverse = 1.0 / at.c;
  for (int i = 0; i < plan.holonomic; ++i) {
    const double* J = local_jacobian.data() + (first + i) * n;
    double sum = 0.0;
    for (int k = 0; k < plan.node_count; ++k, J += 6) {
      const auto& [x, R, v, w] = at.node(k);
      sum += J[0] * v.x + J[1] * v.y + J[2] * v.z + J[3] * w.x + J[4] * w.y + J[5] * w.z;
    }
    J = local_jacobian.data() + (first + i) * n + own;
    for (int k = 0; k < plan.coordinates; ++k) sum += J[k] * at.own_rates[k];
    to[i] += sum * inverse;
  }
}

void Solver::Parts::constraint_rates(const Level& l) noexcept {
  std::fill(rhs.begin(), rhs.end(), 0.0);
  for (const ElementPlan& plan : plans) {
    if (plan.holonomic == 0) continue;
    double* to = rhs.data() + plan.own_row + plan.own_count;
    std::fill_n(local_residual.data(), plan.size, 0.0);
    std::fill_n(local_jacobian.data(), plan.size * plan.size, 0.0);
    const Point at = point(plan, l, 1.0);
    plan.element->evaluate(at, {local_residual.data(), local_jacobian.data(), plan.size});
    add_velocity_rates(plan, at, to);
    add_drive_rates(plan, at, to);
  }
}

void Solver::Parts::set_constraint_rates(const ElementPlan& plan, const Point& at,
                                         const Contribution& out) noexcept {
  double* to = rhs.data() + plan.own_row + plan.own_count;  // own rows of this element: still 0
  add_drive_rates(plan, at, to);
  std::fill_n(local_residual.data(), plan.size, 0.0);
  plan.element->evaluate(at, out);
  add_velocity_rates(plan, at, to);
  // scatter() divides rows of constraints by c
  double* r = local_residual.data() + plan.size - plan.algebraic_count;
  for (int i = 0; i < plan.holonomic; ++i) {
    r[i] = to[i] * at.c;
    to[i] = 0.0;
  }
}

void Solver::Parts::add_drive_rates(const ElementPlan& plan, const Point& at, double* to) noexcept {
  const auto& drives_of = plan.element->shape().drives;
  double fastest = 0.0;
  for (const int d : drives_of) fastest = std::max(fastest, std::abs(drive_states[d].rate));
  if (fastest == 0.0) return;
  const int n = plan.size, first = n - plan.algebraic_count;
  for (const int d : drives_of) drive_values[d] = drive_states[d].value;
  const double e = 1e-4 / fastest;
  // fourth order
  for (const double side : {1.0, -1.0, 2.0, -2.0}) {
    for (const int d : drives_of) {
      drive_states[d].value = drive_values[d] + side * e * drive_states[d].rate;
    }
    std::fill_n(local_residual.data(), n, 0.0);
    plan.element->evaluate(at, {local_residual.data(), nullptr, n});
    const double factor = std::abs(side) == 1.0 ? 8.0 * side : -0.5 * side;
    for (int i = 0; i < plan.holonomic; ++i)
      to[i] += factor * local_residual[first + i] / (12.0 * e);
  }
  for (const int d : drives_of) drive_states[d].value = drive_values[d];
}

void Solver::Parts::correct_positions(Level& l) noexcept {
  const double enough = 1e-14 * unit_length;
  for (int round = 0; round < 3 && constraint_values(l) > enough; ++round) {
    for (int i = 0; i < size; ++i) {
      rhs[i] *= kinds[i] == detail::RowKind::constraint ? row_base[i] : 0.0;
    }
    linear_solver->solve({rhs.data(), static_cast<std::size_t>(size)});
    const double* d = rhs.data();
    const double turn = -1.0 / unit_length;
    for (int i = 0; i < node_count; ++i, d += 6) {
      NodeState& n = l.nodes[i];
      n.x -= Vector3{d[0], d[1], d[2]};
      n.R = cgr_rotation(Vector3{d[3] * turn, d[4] * turn, d[5] * turn}) * n.R;
    }
    for (const int v : coordinate_values) {
      l.values[v] -= rhs[value_columns[v]] * column_scale[value_columns[v]];
    }
  }
  set_momenta(l);
}

void Solver::Parts::correct_velocities(Level& l) noexcept {
  constraint_rates(l);
  for (int i = 0; i < size; ++i) {
    rhs[i] *= kinds[i] == detail::RowKind::constraint ? row_base[i] : 0.0;
  }
  linear_solver->solve({rhs.data(), static_cast<std::size_t>(size)});
  const double* d = rhs.data();
  const double turn = 1.0 / unit_length;
  for (int i = 0; i < node_count; ++i, d += 6) {
    l.nodes[i].v -= Vector3{d[0], d[1], d[2]};
    l.nodes[i].omega -= Vector3{d[3] * turn, d[4] * turn, d[5] * turn};
  }
  for (const int v : coordinate_values) {
    l.rates[v] -= rhs[value_columns[v]] * column_scale[value_columns[v]];
  }
  set_momenta(l);
}

bool Solver::Parts::project() noexcept {
  require(linear_solver.has_value());
  // any coefficient will do: stiffness then adds to the masses that velocities are weighted with
  c = c_momentum = 1e-4;
  set_scales(c, c_momentum);
  Level& l = newest();
  set_turns(l, c);
  set_momenta(l);
  assemble(l, true);
  past = 0;
  rates_valid = false;
  if (!std::isfinite(norms.worst) || !linear_solver->factorize([&] { assemble(l, true); }).usable)
    return false;
  correct_velocities(l);
  return true;
}

}  // namespace vernier::constrained
