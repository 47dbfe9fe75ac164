#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/parts.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {

using detail::ElementPlan;
using detail::Formula;
using detail::Level;
using detail::Method;
using detail::NodeWork;
using detail::RowKind;

namespace {

constexpr double keeps = 0.1;             // a Jacobian that contracts by this is kept
constexpr double to_and_fro = 0.8;        // of the least residual so far: more leads nowhere
constexpr double reference_decay = 0.99;  // of the magnitudes residuals are compared with
constexpr long renormalize_every = 256;   // steps

int stage_count(Method m) {
  if (m == Method::esdirk3) return 3;
  return m == Method::sdirk2 || m == Method::composite ? 2 : 1;
}

}  // namespace

void Solver::Parts::finish_kinematics(Level& l) noexcept {
  set_momenta(l);
  const double inverse = 1.0 / c_momentum;
  for (std::size_t i = 0; i < l.momenta.size(); ++i) {
    l.momentum_rates[i] = (l.momenta[i] - momentum_history[i]) * inverse;
  }
}

void Solver::Parts::update(Level& l) noexcept {
  const double* d = rhs.data();
  const double turn = 1.0 / unit_length;
  for (int i = 0; i < node_count; ++i, d += 6) {
    NodeState& n = l.nodes[i];
    NodeWork& w = work[i];
    n.v -= Vector3{d[0], d[1], d[2]};
    n.x = plus_times(w.x_history, n.v, c);
    w.correction -= Vector3{d[3] * turn, d[4] * turn, d[5] * turn};
    const Vector3 g = w.correction * c;
    const Matrix3 R = cgr_rotation(g);
    n.R = R * w.R_predicted;
    n.omega = cgr_tangent_times(g, w.correction) + R * w.omega_predicted;
  }
  for (std::size_t i = 0; i < l.values.size(); ++i) {
    const int column = value_columns[i];
    l.rates[i] -= rhs[column] * column_scale[column];
    l.values[i] = value_history[i] + c * l.rates[i];
  }
  for (std::size_t i = 0; i < l.algebraic.size(); ++i) {
    const int column = algebraic_columns[i];
    l.algebraic[i] -= rhs[column] * column_scale[column];
  }
  finish_kinematics(l);
}

int Solver::Parts::worst_row() const noexcept {
  const double by_kind[] = {limits.force, limits.moment, other_reference + 1e-300,
                            other_reference + 1e-300, limits.constraint};
  int worst = -1;
  double most = -1.0;
  for (int i = 0; i < size; ++i) {
    const double r = std::abs(residual[i]) / by_kind[static_cast<int>(kinds[i])];
    if (!(r <= most)) {
      most = std::isfinite(r) ? r : 1e300;
      worst = i;
    }
  }
  return worst;
}

StepReport Solver::Parts::solve(Level& l) noexcept {
  StepReport report;
  double before = 0.0, best = 1e300;
  int age = -1;  // iterations since the Jacobian was taken; -1: none
  const double limit = settings.tolerance;
  finish_kinematics(l);
  for (;;) {
    const bool last = report.iterations >= settings.iterations_most;
    const bool check =
        last || (report.iterations > 0 && report.iterations >= settings.iterations_least);
    bool fresh = age < 0 || age >= settings.reuse || report.contraction > keeps;
    // a residual alone where the step is likely to end: what is factorized stays so
    assemble(l, fresh && !check);
    report.residual = norms.worst;
    if (report.iterations > 0) report.contraction = norms.worst / (before + 1e-300);
    before = norms.worst;
    if (!std::isfinite(norms.worst)) break;
    if (check && norms.worst <= limit) return report;
    residual = rhs;
    if (last) break;
    if (check) {
      fresh = fresh || report.contraction > keeps;
      if (fresh) assemble(l, true);
    }
    if (fresh) {
      if (!linear_solver->factorize().usable) break;
      age = 0;
    } else {
      ++age;
    }
    linear_solver->solve({rhs.data(), static_cast<std::size_t>(size)});
    // to and fro across a kink (friction that changes sides, a stop): half the way
    if (report.iterations >= 2 && norms.worst > to_and_fro * best) {
      for (double& x : rhs) x *= 0.5;
    }
    best = std::min(best, norms.worst);
    double turned = 0.0, moved = 0.0;
    for (int i = 0; i < 6 * node_count; i += 6) {
      for (int k = 0; k < 3; ++k) {
        moved = std::max(moved, std::abs(rhs[i + k]));
        turned = std::max(turned, std::abs(rhs[i + 3 + k]));
      }
    }
    update(l);
    ++report.iterations;
    if (settings.accept_unconverged && report.iterations >= settings.iterations_most) {
      // not evaluated again: what is left is of second order in the correction
      const double correction = c / unit_length * std::max(moved, turned);
      if (!std::isfinite(correction)) break;
      report.residual = norms.worst * std::min(1.0, (age == 0 ? 10.0 * correction : keeps));
      if (report.residual > limit) {
        report.end = StepReport::End::accepted;
        report.worst_row = worst_row();
      }
      return report;
    }
  }
  report.end = StepReport::End::failed;
  report.worst_row = worst_row();
  return report;
}

void Solver::Parts::hold(double h) noexcept {
  if (held.empty()) return;
  const Level& base = newest();
  const double half = 0.5 * h;
  set_drives(base.time + half);
  std::fill(node_wrenches.begin(), node_wrenches.end(), Wrench{});
  for (const int e : held) {
    const ElementPlan& plan = plans[e];
    for (int i = 0; i < plan.node_count; ++i) {
      const int node = indices[plan.nodes + i];
      if (node == node_count) continue;
      const NodeState& n = base.nodes[node];
      middle[node] = {plus_times(n.x, n.v, half), cgr_rotation(n.omega * half) * n.R, n.v, n.omega};
    }
    Point p = point(plan, base, c);
    p.node_states = middle.data();
    p.time = base.time + half;
    std::fill(wrenches.begin(), wrenches.end(), Wrench{});
    plan.element->held_forces(p, {wrenches.data(), static_cast<std::size_t>(plan.node_count)});
    for (int i = 0; i < plan.node_count; ++i) {
      Wrench& to = node_wrenches[indices[plan.nodes + i]];
      to.force += wrenches[i].force;
      to.moment += wrenches[i].moment;
    }
  }
}

void Solver::Parts::add_impulses(std::span<double> momenta, double h) const noexcept {
  for (int i = 0; i < node_count; ++i) {
    double* P = momenta.data() + 6 * i;
    const Wrench& w = node_wrenches[i];
    P[0] += h * w.force.x, P[1] += h * w.force.y, P[2] += h * w.force.z;
    P[3] += h * w.moment.x, P[4] += h * w.moment.y, P[5] += h * w.moment.z;
  }
}

StepReport Solver::Parts::step(double h) noexcept {
  StepReport report;
  if (!(h > 0.0) || !std::isfinite(h)) {
    report.end = StepReport::End::failed;
    return report;
  }
  const Method m = method(h);
  const int count = stage_count(m);
  const double force = force_reference, moment = moment_reference, other = other_reference;
  const std::array<double, 3> references{force, moment, other};
  force_reference *= reference_decay;
  moment_reference *= reference_decay;
  other_reference *= reference_decay;
  // Several stages lose orders if constraints hold in the positions of each of them: there they
  // hold in velocities, and positions are corrected at the end by what little they are off.
  by_velocities = count > 1;
  const bool split = settings.split_impulses && !held.empty();
  hold(h);
  Level& to = working();
  for (int stage = 0; stage < count; ++stage) {
    const Formula f = formula(m, stage, h);
    c = f.c;
    c_momentum = f.c_momentum;
    set_scales(c, c_momentum);
    predict(f, h, to);
    if (split) add_impulses(momentum_history, f.fraction * h);
    set_drives(to.time);
    const StepReport one = solve(to);
    report.iterations += one.iterations;
    report.contraction = std::max(report.contraction, one.contraction);
    if (one.residual > report.residual || !std::isfinite(one.residual)) {
      report.residual = one.residual;
      report.worst_row = one.worst_row;
    }
    if (static_cast<int>(one.end) > static_cast<int>(report.end)) {
      report.end = one.end;
      report.worst_row = one.worst_row;
    }
    if (report.end == StepReport::End::failed) {
      set_drives(newest().time);
      by_velocities = false;
      force_reference = references[0];
      moment_reference = references[1];
      other_reference = references[2];
      return report;
    }
    if (stage + 1 < count) stages[stage] = to;
  }
  if (by_velocities) correct_positions(to);
  by_velocities = false;
  end_step(h, m);
  return report;
}

void Solver::Parts::end_step(double h, Method m) noexcept {
  Level& to = working();
  if (settings.split_impulses && !held.empty()) {
    for (int i = 0; i < 4; ++i) add_impulses(levels[order[i]].momenta, h);
  }
  std::rotate(order.begin(), order.end() - 1, order.end());
  // after a jump the rates before it are of no use
  past = rates_valid ? std::min(past + 1, 3) : 0;
  rates_valid = true;
  ++steps;
  if (steps % renormalize_every == 0) {
    for (int i = 0; i < node_count; ++i) to.nodes[i].R = renormalized(to.nodes[i].R);
  }
  if (settings.scheme == Scheme::generalized_alpha ||
      settings.scheme == Scheme::generalized_alpha_second) {
    advance_auxiliary(m, h, levels[order[1]], to);
  }
  if (settings.project_velocities) correct_velocities(to);
  bool jump = false;
  for (const ElementPlan& plan : plans) {
    jump |= plan.element->accept(
        point(plan, to, c),
        {memory.data() + plan.memory, static_cast<std::size_t>(plan.element->shape().memory)});
  }
  const auto corner = std::upper_bound(corners.begin(), corners.end(), to.time - h);
  if (corner != corners.end() && *corner <= to.time) jump = true;
  if (jump) {
    past = 0;
    rates_valid = false;
  }
}

}  // namespace vernier::constrained
