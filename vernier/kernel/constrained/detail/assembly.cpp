#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/parts.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {

using detail::ElementPlan;
using detail::Level;
using detail::NodePlan;
using detail::NodeWork;
using detail::RowKind;

Point Solver::Parts::point(const ElementPlan& plan, const Level& l,
                           double coefficient) const noexcept {
  Point p;
  p.time = l.time;
  p.c = coefficient;
  p.node_states = l.nodes.data();
  p.node_turns = turns.data();
  p.nodes = indices.data() + plan.nodes;
  p.scalar_values = l.values.data();
  p.scalar_rates = l.rates.data();
  p.scalars = indices.data() + plan.scalars;
  p.own = l.values.data() + plan.values;
  p.own_rates = l.rates.data() + plan.values;
  p.own_algebraic = l.algebraic.data() + plan.algebraic;
  p.drive_states = drive_states.data();
  p.drives = indices.data() + plan.drives;
  p.memory = memory.data() + plan.memory;
  return p;
}

void Solver::Parts::set_drives(double time) noexcept {
  for (std::size_t i = 0; i < drive_states.size(); ++i) {
    const int input = input_of_drive[i];
    drive_states[i] =
        input < 0 ? model.drives[i].function->at(time) : DriveState{inputs[input], 0.0, 0.0};
  }
}

void Solver::Parts::set_turns(const Level& l, double coefficient) noexcept {
  for (int i = 0; i < node_count; ++i) {
    const Vector3 o = l.nodes[i].omega * coefficient;
    turns[i] = {{1.0, o.z, -o.y, -o.z, 1.0, o.x, o.y, -o.x, 1.0}};
  }
}

void Solver::Parts::set_momenta(Level& l) noexcept {
  for (int i = 0; i < node_count; ++i) {
    const NodePlan& plan = node_plans[i];
    double* P = l.momenta.data() + 6 * i;
    if (!plan.dynamic) {
      for (int k = 0; k < 6; ++k) P[k] = 0.0;
      work[i].moment = {};
      work[i].inertia = {};
      continue;
    }
    const NodeState& n = l.nodes[i];
    NodeWork& w = work[i];
    w.inertia = rotated(n.R, plan.inertia);
    Vector3 beta = n.v * plan.mass, gamma = w.inertia * n.omega;
    if (plan.coupled) {
      w.moment = n.R * plan.moment;
      beta = plus_cross(beta, n.omega, w.moment);
      gamma = plus_cross(gamma, w.moment, n.v);
    }
    P[0] = beta.x, P[1] = beta.y, P[2] = beta.z;
    P[3] = gamma.x, P[4] = gamma.y, P[5] = gamma.z;
  }
  if (inertial.empty()) return;
  std::fill(l.momenta.begin() + 6 * node_count, l.momenta.end(), 0.0);
  for (const int e : inertial) {
    const ElementPlan& plan = plans[e];
    std::fill_n(local_residual.data(), plan.size, 0.0);
    plan.element->momentum(point(plan, l, c), {local_residual.data(), nullptr, plan.size});
    for (int i = 0; i < plan.node_count; ++i) {
      const int node = indices[plan.nodes + i];
      if (node == node_count) continue;
      for (int k = 0; k < 6; ++k) l.momenta[6 * node + k] += local_residual[6 * i + k];
    }
    const int own = plan.element->shape().own_row();
    for (int i = 0; i < plan.coordinates; ++i) {
      l.momenta[6 * node_count + plan.first_coordinate + i] += local_residual[own + i];
    }
  }
}

void Solver::Parts::set_scales(double coefficient, double momentum_coefficient) noexcept {
  if (coefficient == scaled_for && momentum_coefficient == scaled_for_momentum) return;
  scaled_for = coefficient;
  scaled_for_momentum = momentum_coefficient;
  for (int i = 0; i < size; ++i) {
    switch (kinds[i]) {
      case RowKind::force:
      case RowKind::moment:
      case RowKind::coordinate:
        row_scale[i] = row_base[i] * coefficient;
        column_scale[i] = column_base[i];
        break;
      case RowKind::constraint:
        row_scale[i] = row_base[i] / coefficient;
        column_scale[i] = column_base[i] / coefficient;
        break;
      case RowKind::other:
        row_scale[i] = row_base[i];
        column_scale[i] = column_base[i];
        break;
    }
  }
  for (std::size_t k = 0; k < table_factor.size(); ++k) {
    table_factor[k] = row_scale[factor_row[k]] * column_scale[factor_column[k]];
  }
}

void Solver::Parts::assemble_nodes(const Level& l, bool jacobian) noexcept {
  double* values = matrix;
  const double by_force = c / unit_mass, by_moment = by_force / unit_length;
  const double f_turn = by_force / unit_length, m_turn = by_moment / unit_length;
  const double inverse = 1.0 / c_momentum;
  const Vector3 g = model.gravity;
  double largest_force = 0.0, largest_moment = 0.0, momentum = 0.0, turning = 0.0, place = 0.0;
  for (int i = 0; i < node_count; ++i) {
    const NodePlan& plan = node_plans[i];
    if (!plan.dynamic && !plan.coupled) continue;
    const NodeState& n = l.nodes[i];
    const NodeWork& w = work[i];
    const double* P = l.momenta.data() + 6 * i;
    const double* rate = l.momentum_rates.data() + 6 * i;
    const Vector3 beta{P[0], P[1], P[2]};
    const Vector3 vb = cross(n.v, beta);
    const Vector3 weight = g * plan.mass, sg = cross(w.moment, g);
    double* r = rhs.data() + 6 * i;
    r[0] += by_force * (rate[0] - weight.x);
    r[1] += by_force * (rate[1] - weight.y);
    r[2] += by_force * (rate[2] - weight.z);
    r[3] += by_moment * (rate[3] + vb.x - sg.x);
    r[4] += by_moment * (rate[4] + vb.y - sg.y);
    r[5] += by_moment * (rate[5] + vb.z - sg.z);
    for (int k = 0; k < 3; ++k) {
      largest_force = std::max(largest_force, std::abs(rate[k]));
      largest_moment = std::max(largest_moment, std::abs(rate[3 + k]));
      momentum = std::max(momentum, std::abs(P[k]));
      turning = std::max(turning, std::abs(P[3 + k]));
    }
    place = std::max({place, std::abs(n.x.x), std::abs(n.x.y), std::abs(n.x.z)});
    largest_force =
        std::max({largest_force, std::abs(weight.x), std::abs(weight.y), std::abs(weight.z)});
    if (!jacobian) continue;

    const int* slot = plan.slots.data();
    const Matrix3& W = turns[i];
    const double m_force = plan.mass * inverse * by_force;
    values[slot[0]] += m_force;
    values[slot[1]] += m_force;
    values[slot[2]] += m_force;
    // γ by Δg': J (W + c skew(ω)) - c skew(Jω); W is nearly 1 - c skew(ω)
    const Vector3 o = n.omega * c, Jo = w.inertia * o;
    const Matrix3 T = {{W.a[0], W.a[1] - o.z, W.a[2] + o.y, W.a[3] + o.z, W.a[4], W.a[5] - o.x,
                        W.a[6] - o.y, W.a[7] + o.x, W.a[8]}};
    const Matrix3 J = {{w.inertia.xx, w.inertia.xy, w.inertia.xz, w.inertia.xy, w.inertia.yy,
                        w.inertia.yz, w.inertia.xz, w.inertia.yz, w.inertia.zz}};
    Matrix3 mm = J * T;
    const Matrix3 Jx = skew(Jo);
    for (int k = 0; k < 9; ++k) mm.a[k] = (mm.a[k] - Jx.a[k]) * inverse;
    if (plan.coupled) {
      const Vector3 s = w.moment;
      const Matrix3 S = skew(s), V = skew(n.v);
      // β by Δg': -(skew(s) W + c skew(ω) skew(s))
      const Matrix3 SW = S * W, OS = skew(o) * S, VS = V * S;
      Matrix3 fm;
      for (int k = 0; k < 9; ++k) fm.a[k] = -(SW.a[k] + OS.a[k]);
      const Matrix3 Vfm = V * fm, GS = skew(g * c) * S;
      for (int k = 0; k < 9; ++k) {
        mm.a[k] += VS.a[k] * (c * inverse) + Vfm.a[k] - GS.a[k];
        values[slot[12 + k]] += fm.a[k] * (inverse * f_turn);
      }
      // moment by Δv: skew(s) / c_p - skew(β) + m skew(v)
      const Matrix3 mf = skew(s * inverse - beta + n.v * plan.mass);
      for (int k = 0; k < 9; ++k) {
        if (k % 4 != 0) values[slot[21 + k]] += mf.a[k] * by_moment;
      }
    }
    for (int k = 0; k < 9; ++k) values[slot[3 + k]] += mm.a[k] * m_turn;
  }
  norms.force = largest_force;
  norms.moment = largest_moment;
  // what rounding leaves of rates that are differences, and of places far from the origin
  constexpr double rounding = 8.0 * 2.2e-16;
  const double relative = rounding / settings.tolerance;
  limits = {(force_floor / settings.tolerance + relative * momentum * inverse),
            (moment_floor / settings.tolerance +
             relative * (turning * inverse + momentum * unit_length * inverse)),
            relative * place};
}

void Solver::Parts::scatter(const ElementPlan& plan, bool jacobian, bool with_residual) noexcept {
  if (with_residual) {
    const int* row = rows.data() + plan.rows;
    for (int i = 0; i < plan.size; ++i) rhs[row[i]] += local_residual[i] * row_scale[row[i]];
    for (int i = 0; i < 6 * plan.node_count; i += 6) {
      const double* r = local_residual.data() + i;
      norms.force = std::max({norms.force, std::abs(r[0]), std::abs(r[1]), std::abs(r[2])});
      norms.moment = std::max({norms.moment, std::abs(r[3]), std::abs(r[4]), std::abs(r[5])});
    }
  }
  if (!jacobian) return;
  double* values = matrix + plan.slot_base;
  const double* local = local_jacobian.data();
  const int* from = table_local.data() + plan.locals;
  const int* slot = table_slot.data() + plan.slots;
  const double* factor = table_factor.data() + plan.factors;
  for (int k = 0; k < plan.last_entry - plan.first_entry; ++k) {
    values[slot[k]] += local[from[k]] * factor[k];
  }
}

/// Rates of the momenta an element adds, by the unknowns; into the matrix.
void Solver::Parts::assemble_momentum(const ElementPlan& plan, const Point& at) noexcept {
  const int n = plan.size;
  double* J = local_jacobian.data();
  std::fill_n(local_residual.data(), n, 0.0);
  std::fill_n(J, n * n, 0.0);
  plan.element->momentum(at, {local_residual.data(), J, n});
  const double inverse = 1.0 / c_momentum;
  for (int i = 0; i < plan.node_count; ++i) {
    const Vector3& v = at.node(i).v;
    double* row = J + 6 * i * n;
    for (int j = 0; j < n; ++j) {
      const Vector3 b{row[j], row[n + j], row[2 * n + j]}, vb = cross(v, b);
      row[j] *= inverse, row[n + j] *= inverse, row[2 * n + j] *= inverse;
      row[3 * n + j] = row[3 * n + j] * inverse + vb.x;
      row[4 * n + j] = row[4 * n + j] * inverse + vb.y;
      row[5 * n + j] = row[5 * n + j] * inverse + vb.z;
    }
  }
  const int own = plan.own_count > 0 ? plan.element->shape().own_row() : 0;
  for (int i = own * n; i < (own + plan.coordinates) * n; ++i) J[i] *= inverse;
  scatter(plan, true, false);
}

/// Held inputs as forces like any other, for schemes that do not split them off.
void Solver::Parts::assemble_held(const Level& l) noexcept {
  for (const int e : held) {
    const ElementPlan& plan = plans[e];
    std::fill(wrenches.begin(), wrenches.end(), Wrench{});
    plan.element->held_forces(point(plan, l, c),
                              {wrenches.data(), static_cast<std::size_t>(plan.node_count)});
    for (int i = 0; i < plan.node_count; ++i) {
      const auto& [F, M] = wrenches[i];
      const double f[6] = {F.x, F.y, F.z, M.x, M.y, M.z};
      const int* row = rows.data() + plan.rows + 6 * i;
      for (int k = 0; k < 6; ++k) rhs[row[k]] -= f[k] * row_scale[row[k]];
      norms.force = std::max({norms.force, std::abs(f[0]), std::abs(f[1]), std::abs(f[2])});
      norms.moment = std::max({norms.moment, std::abs(f[3]), std::abs(f[4]), std::abs(f[5])});
    }
  }
}

void Solver::Parts::assemble(const Level& l, bool jacobian) noexcept {
  std::fill(rhs.begin(), rhs.end(), 0.0);
  if (jacobian && linear_solver) linear_solver->clear();
  assemble_nodes(l, jacobian);
  for (const ElementPlan& plan : plans) {
    const int n = plan.size;
    const bool rates = by_velocities && plan.holonomic > 0;
    const Contribution out{local_residual.data(),
                           jacobian || rates ? local_jacobian.data() : nullptr, n};
    std::fill_n(local_residual.data(), n, 0.0);
    if (out.jacobian) std::fill_n(local_jacobian.data(), n * n, 0.0);
    const Point at = point(plan, l, c);
    if (rates) {
      set_constraint_rates(plan, at, out);
    } else {
      plan.element->evaluate(at, out);
    }
    scatter(plan, jacobian, true);
    if (plan.inertial && jacobian) assemble_momentum(plan, at);
  }
  for (int i = 0; i < coordinate_count; ++i) {
    const int row = value_columns[coordinate_values[i]];
    rhs[row] += l.momentum_rates[6 * node_count + i] * row_scale[row];
  }
  if (!settings.split_impulses) assemble_held(l);
  rhs[size] = 0.0;
  set_norms(l);
}

/// The largest residual of each kind against what is usual.
void Solver::Parts::set_norms(const Level& l) noexcept {
  force_reference = std::max(force_reference, norms.force);
  moment_reference = std::max({moment_reference, norms.moment, norms.force * 1e-3 * unit_length});
  double force = 0.0, moment = 0.0, constraint = 0.0, other = 0.0, unknown = 0.0;
  const int nodes_end = 6 * node_count;
  for (int i = 0; i < nodes_end; i += 6) {
    const double* r = rhs.data() + i;
    force = std::max({force, std::abs(r[0]), std::abs(r[1]), std::abs(r[2])});
    moment = std::max({moment, std::abs(r[3]), std::abs(r[4]), std::abs(r[5])});
  }
  bool finite = true;
  for (int i = nodes_end; i < size; ++i) {
    const double r = std::abs(rhs[i]);
    if (kinds[i] == RowKind::constraint) {
      constraint = std::max(constraint, r);
    } else {
      other = std::max(other, r);
    }
  }
  for (int i = 0; i < size; ++i) finite &= std::isfinite(rhs[i]);
  for (std::size_t i = 0; i < value_columns.size(); ++i) {
    const double s = 1.0 / column_scale[value_columns[i]];
    unknown = std::max({unknown, std::abs(l.rates[i]) * s, std::abs(l.values[i]) * s / c});
  }
  for (std::size_t i = 0; i < algebraic_columns.size(); ++i) {
    const int column = algebraic_columns[i];
    if (kinds[column] == RowKind::constraint) continue;
    unknown = std::max(unknown, std::abs(l.algebraic[i]) / column_scale[column]);
  }
  other_reference = std::max(other_reference, unknown);
  const double by_force = c / unit_mass;
  limits.force = by_force * (force_reference + limits.force) + 1e-300;
  limits.moment = by_force / unit_length * (moment_reference + limits.moment) + 1e-300;
  limits.constraint = (unit_length + limits.constraint) / c;
  norms.force = force / limits.force;
  norms.moment = moment / limits.moment;
  norms.constraint = constraint / limits.constraint;
  norms.other = other / (other_reference + 1e-300);
  norms.worst = std::max({norms.force, norms.moment, norms.constraint, norms.other});
  if (!finite) norms.worst = std::nan("");
}

}  // namespace vernier::constrained
