#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/equations.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained::detail {

void Equations::set_drives(double time) noexcept {
  for (std::size_t i = 0; i < work_.drives.size(); ++i) {
    const int input = plan_.input_of_drive[i];
    work_.drives[i] = input < 0 ? plan_.model.drives[i].function->at(time)
                                : DriveState{state_.inputs[input], 0.0, 0.0};
  }
}

void Equations::set_turns(const Level& l, double coefficient) noexcept {
  for (int i = 0; i < plan_.node_count; ++i) {
    const Vector3 o = l.nodes[i].omega * coefficient;
    work_.turns[i] = {{1.0, o.z, -o.y, -o.z, 1.0, o.x, o.y, -o.x, 1.0}};
  }
}

void Equations::set_momenta(Level& l) noexcept {
  for (int i = 0; i < plan_.node_count; ++i) {
    const NodePlan& plan = plan_.nodes[i];
    double* P = l.momenta.data() + 6 * i;
    if (!plan.dynamic) {
      for (int k = 0; k < 6; ++k) P[k] = 0.0;
      work_.nodes[i].moment = {};
      work_.nodes[i].inertia = {};
      continue;
    }
    const NodeState& n = l.nodes[i];
    NodeWork& w = work_.nodes[i];
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
  std::fill(l.momenta.begin() + 6 * plan_.node_count, l.momenta.end(), 0.0);
  for (const int e : plan_.inertial) {
    const ElementPlan& plan = plan_.elements[e];
    std::fill_n(work_.local_residual.data(), plan.size, 0.0);
    plan.element->momentum(point(plan, l, c_), {work_.local_residual.data(), nullptr, plan.size});
    for (int i = 0; i < plan.node_count; ++i) {
      const int node = plan_.indices[plan.nodes + i];
      if (node == plan_.node_count) continue;
      for (int k = 0; k < 6; ++k) l.momenta[6 * node + k] += work_.local_residual[6 * i + k];
    }
    const int own = plan.local_own_row();
    for (int i = 0; i < plan.coordinates; ++i) {
      l.momenta[6 * plan_.node_count + plan.first_coordinate + i] += work_.local_residual[own + i];
    }
  }
}

void Equations::set_coefficients(double c, double c_momentum) noexcept {
  c_ = c;
  c_P_ = c_momentum;
  ScaleTable& to = work_.scales;
  if (c == to.c && c_momentum == to.c_momentum) return;
  to.c = c;
  to.c_momentum = c_momentum;
  const Scales& base = plan_.scales;
  for (int i = 0; i < plan_.size; ++i) {
    switch (plan_.kinds[i]) {
      case RowKind::force:
      case RowKind::moment:
      case RowKind::coordinate:
        to.row[i] = base.row[i] * c;
        to.column[i] = base.column[i];
        break;
      case RowKind::constraint:
        to.row[i] = base.row[i] / c;
        to.column[i] = base.column[i] / c;
        break;
      case RowKind::other:
        to.row[i] = base.row[i];
        to.column[i] = base.column[i];
        break;
    }
  }
  const Tables& tables = plan_.tables;
  for (std::size_t k = 0; k < to.factor.size(); ++k) {
    to.factor[k] = to.row[tables.factor_row[k]] * to.column[tables.factor_column[k]];
  }
}

void Equations::assemble_nodes(const Level& l, double* matrix) noexcept {
  const NodeFactors by(plan_.scales, c_, c_P_);
  const Vector3 g = plan_.model.gravity;
  double largest_force = 0.0, largest_moment = 0.0, momentum = 0.0, turning = 0.0, place = 0.0;
  for (int i = 0; i < plan_.node_count; ++i) {
    const NodePlan& plan = plan_.nodes[i];
    if (!plan.dynamic && !plan.coupled) continue;
    const NodeState& n = l.nodes[i];
    const double* P = l.momenta.data() + 6 * i;
    const double* rate = l.momentum_rates.data() + 6 * i;
    const Vector3 vb = cross(n.v, {P[0], P[1], P[2]});
    const Vector3 weight = g * plan.mass, sg = cross(work_.nodes[i].moment, g);
    double* r = work_.rhs.data() + 6 * i;
    // β' - m g and γ' + v × β - s × g (docs/mathematics/constrained.md, section 1).
    r[0] += by.force * (rate[0] - weight.x);
    r[1] += by.force * (rate[1] - weight.y);
    r[2] += by.force * (rate[2] - weight.z);
    r[3] += by.moment * (rate[3] + vb.x - sg.x);
    r[4] += by.moment * (rate[4] + vb.y - sg.y);
    r[5] += by.moment * (rate[5] + vb.z - sg.z);
    for (int k = 0; k < 3; ++k) {
      largest_force = std::max(largest_force, std::abs(rate[k]));
      largest_moment = std::max(largest_moment, std::abs(rate[3 + k]));
      momentum = std::max(momentum, std::abs(P[k]));
      turning = std::max(turning, std::abs(P[3 + k]));
    }
    place = std::max({place, std::abs(n.x.x), std::abs(n.x.y), std::abs(n.x.z)});
    largest_force =
        std::max({largest_force, std::abs(weight.x), std::abs(weight.y), std::abs(weight.z)});
    if (matrix) assemble_inertia(i, l, by, matrix);
  }
  work_.norms.force = largest_force;
  work_.norms.moment = largest_moment;
  // Rounding errors of rates, which are differences, and of positions far from the origin.
  constexpr double rounding = 8.0 * 2.2e-16;
  const double inverse = by.inverse, tolerance = plan_.settings.tolerance;
  const double relative = rounding / tolerance;
  const Scales& scales = plan_.scales;
  work_.limits = {(scales.force_floor / tolerance + relative * momentum * inverse),
                  (scales.moment_floor / tolerance +
                   relative * (turning * inverse + momentum * scales.length * inverse)),
                  relative * place};
}

/// ∂(β', γ' + v × β - s × g) / ∂(Δx', Δg') of one node.
inline void Equations::assemble_inertia(int node, const Level& l, const NodeFactors& by,
                                        double* matrix) noexcept {
  const NodePlan& plan = plan_.nodes[node];
  const NodeState& n = l.nodes[node];
  const NodeWork& w = work_.nodes[node];
  const double inverse = by.inverse;
  const int* slot = plan.slots.data();
  const Matrix3& W = work_.turns[node];
  const double m_force = plan.mass * inverse * by.force;
  matrix[slot[0]] += m_force;
  matrix[slot[1]] += m_force;
  matrix[slot[2]] += m_force;
  // γ by Δg': J (W + c skew(ω)) - c skew(Jω), with W ≈ 1 - c skew(ω).
  const Vector3 o = n.omega * c_, Jo = w.inertia * o;
  const Matrix3 T = {{W.a[0], W.a[1] - o.z, W.a[2] + o.y, W.a[3] + o.z, W.a[4], W.a[5] - o.x,
                      W.a[6] - o.y, W.a[7] + o.x, W.a[8]}};
  const Matrix3 J = {{w.inertia.xx, w.inertia.xy, w.inertia.xz, w.inertia.xy, w.inertia.yy,
                      w.inertia.yz, w.inertia.xz, w.inertia.yz, w.inertia.zz}};
  Matrix3 mm = J * T;
  const Matrix3 Jx = skew(Jo);
  for (int k = 0; k < 9; ++k) mm.a[k] = (mm.a[k] - Jx.a[k]) * inverse;
  if (plan.coupled) {
    const double* P = l.momenta.data() + 6 * node;
    const Vector3 beta{P[0], P[1], P[2]}, s = w.moment;
    const Matrix3 S = skew(s), V = skew(n.v);
    // β by Δg': -(skew(s) W + c skew(ω) skew(s)).
    const Matrix3 SW = S * W, OS = skew(o) * S, VS = V * S;
    Matrix3 fm;
    for (int k = 0; k < 9; ++k) fm.a[k] = -(SW.a[k] + OS.a[k]);
    const Matrix3 Vfm = V * fm, GS = skew(plan_.model.gravity * c_) * S;
    for (int k = 0; k < 9; ++k) {
      mm.a[k] += VS.a[k] * (c_ * inverse) + Vfm.a[k] - GS.a[k];
      matrix[slot[12 + k]] += fm.a[k] * (inverse * by.force_turn);
    }
    // Moment by Δv: skew(s)/c_p - skew(β) + m skew(v).
    const Matrix3 mf = skew(s * inverse - beta + n.v * plan.mass);
    for (int k = 0; k < 9; ++k) {
      if (k % 4 != 0) matrix[slot[21 + k]] += mf.a[k] * by.moment;
    }
  }
  for (int k = 0; k < 9; ++k) matrix[slot[3 + k]] += mm.a[k] * by.moment_turn;
}

/// Adds local_residual of an element to its rows.
inline void Equations::add_residual(const ElementPlan& plan) noexcept {
  const int* row = plan_.rows.data() + plan.rows;
  const double* local = work_.local_residual.data();
  const double* scale = work_.scales.row.data();
  for (int i = 0; i < plan.size; ++i) work_.rhs[row[i]] += local[i] * scale[row[i]];
  Norms& norms = work_.norms;
  for (int i = 0; i < 6 * plan.node_count; i += 6) {
    const double* r = local + i;
    norms.force = std::max({norms.force, std::abs(r[0]), std::abs(r[1]), std::abs(r[2])});
    norms.moment = std::max({norms.moment, std::abs(r[3]), std::abs(r[4]), std::abs(r[5])});
  }
}

/// Adds local_jacobian of an element to the matrix.
inline void Equations::add_jacobian(const ElementPlan& plan, double* matrix) noexcept {
  double* values = matrix + plan.slot_base;
  const double* local = work_.local_jacobian.data();
  const int* from = plan_.tables.local.data() + plan.locals;
  const int* slot = plan_.tables.slot.data() + plan.slots;
  const double* factor = work_.scales.factor.data() + plan.factors;
  for (int k = 0; k < plan.last_entry - plan.first_entry; ++k) {
    values[slot[k]] += local[from[k]] * factor[k];
  }
}

/// Adds the derivatives of an element's momentum rates to the matrix.
void Equations::assemble_momentum(const ElementPlan& plan, const Point& at,
                                  double* matrix) noexcept {
  const int n = plan.size;
  double* J = work_.local_jacobian.data();
  std::fill_n(work_.local_residual.data(), n, 0.0);
  std::fill_n(J, n * n, 0.0);
  plan.element->momentum(at, {work_.local_residual.data(), J, n});
  const double inverse = 1.0 / c_P_;
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
  const int own = plan.local_own_row();
  for (int i = own * n; i < (own + plan.coordinates) * n; ++i) J[i] *= inverse;
  add_jacobian(plan, matrix);
}

/// Held inputs as ordinary forces, for schemes that do not split impulses.
void Equations::assemble_held(const Level& l) noexcept {
  for (const int e : plan_.held) {
    const ElementPlan& plan = plan_.elements[e];
    std::fill(work_.held.wrenches.begin(), work_.held.wrenches.end(), Wrench{});
    plan.element->held_forces(point(plan, l, c_), {work_.held.wrenches.data(),
                                                   static_cast<std::size_t>(plan.node_count)});
    for (int i = 0; i < plan.node_count; ++i) {
      const auto& [F, M] = work_.held.wrenches[i];
      const double f[6] = {F.x, F.y, F.z, M.x, M.y, M.z};
      const int* row = plan_.rows.data() + plan.rows + 6 * i;
      for (int k = 0; k < 6; ++k) work_.rhs[row[k]] -= f[k] * work_.scales.row[row[k]];
      work_.norms.force =
          std::max({work_.norms.force, std::abs(f[0]), std::abs(f[1]), std::abs(f[2])});
      work_.norms.moment =
          std::max({work_.norms.moment, std::abs(f[3]), std::abs(f[4]), std::abs(f[5])});
    }
  }
}

void Equations::assemble_matrix(const Level& l, Constraints hold_in) noexcept {
  work_.linear->clear();
  assemble(l, hold_in, work_.linear->values().data());
}

void Equations::assemble(const Level& l, Constraints hold_in, double* matrix) noexcept {
  std::fill(work_.rhs.begin(), work_.rhs.end(), 0.0);
  assemble_nodes(l, matrix);
  for (const ElementPlan& plan : plan_.elements) {
    const int n = plan.size;
    const bool rates = hold_in == Constraints::velocities && plan.holonomic > 0;
    const Contribution out{work_.local_residual.data(),
                           matrix || rates ? work_.local_jacobian.data() : nullptr, n};
    std::fill_n(out.residual, n, 0.0);
    if (out.jacobian) std::fill_n(out.jacobian, n * n, 0.0);
    const Point at = point(plan, l, c_);
    if (rates) {
      evaluate_rates(plan, at, out);
    } else {
      plan.element->evaluate(at, out);
    }
    add_residual(plan);
    if (!matrix) continue;
    add_jacobian(plan, matrix);
    if (plan.inertial) assemble_momentum(plan, at, matrix);
  }
  for (int i = 0; i < plan_.coordinate_count; ++i) {
    const int row = plan_.value_columns[plan_.coordinate_values[i]];
    work_.rhs[row] += l.momentum_rates[6 * plan_.node_count + i] * work_.scales.row[row];
  }
  if (!plan_.settings.split_impulses) assemble_held(l);
  work_.rhs[plan_.size] = 0.0;
  set_norms(l);
}

/// The largest scaled value or rate of unknowns that are neither positions nor multipliers.
inline double Equations::unknown_size(const Level& l) const noexcept {
  const std::vector<double>& scale = work_.scales.column;
  double unknown = 0.0;
  for (std::size_t i = 0; i < plan_.value_columns.size(); ++i) {
    const double s = 1.0 / scale[plan_.value_columns[i]];
    unknown = std::max({unknown, std::abs(l.rates[i]) * s, std::abs(l.values[i]) * s / c_});
  }
  for (std::size_t i = 0; i < plan_.algebraic_columns.size(); ++i) {
    const int column = plan_.algebraic_columns[i];
    if (plan_.kinds[column] == RowKind::constraint) continue;
    unknown = std::max(unknown, std::abs(l.algebraic[i]) / scale[column]);
  }
  return unknown;
}

/// The largest residual of each kind relative to its running magnitude.
void Equations::set_norms(const Level& l) noexcept {
  References& usual = work_.references;
  Norms& norms = work_.norms;
  Limits& limits = work_.limits;
  const double length = plan_.scales.length;
  const double* rhs = work_.rhs.data();
  usual.force = std::max(usual.force, norms.force);
  usual.moment = std::max({usual.moment, norms.moment, norms.force * 1e-3 * length});
  double force = 0.0, moment = 0.0, constraint = 0.0, other = 0.0;
  const int nodes_end = 6 * plan_.node_count;
  for (int i = 0; i < nodes_end; i += 6) {
    const double* r = rhs + i;
    force = std::max({force, std::abs(r[0]), std::abs(r[1]), std::abs(r[2])});
    moment = std::max({moment, std::abs(r[3]), std::abs(r[4]), std::abs(r[5])});
  }
  bool finite = true;
  for (int i = nodes_end; i < plan_.size; ++i) {
    const double r = std::abs(rhs[i]);
    if (plan_.kinds[i] == RowKind::constraint) {
      constraint = std::max(constraint, r);
    } else {
      other = std::max(other, r);
    }
  }
  for (int i = 0; i < plan_.size; ++i) finite &= std::isfinite(rhs[i]);
  usual.other = std::max(usual.other, unknown_size(l));
  const double by_force = c_ / plan_.scales.mass;
  limits.force = by_force * (usual.force + limits.force) + 1e-300;
  limits.moment = by_force / length * (usual.moment + limits.moment) + 1e-300;
  limits.constraint = (length + limits.constraint) / c_;
  norms.force = force / limits.force;
  norms.moment = moment / limits.moment;
  norms.constraint = constraint / limits.constraint;
  norms.other = other / (usual.other + 1e-300);
  norms.worst = std::max({norms.force, norms.moment, norms.constraint, norms.other});
  if (!finite) norms.worst = std::nan("");
}

}  // namespace vernier::constrained::detail
