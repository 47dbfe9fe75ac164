#include <algorithm>
#include <cmath>

#include "vernier/base/require.hpp"
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
constexpr double most_turn = 0.5;         // rad, of one careful iteration
constexpr int most_pieces = 64;           // of a step that fails as a whole

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
  const Level& base = newest();
  for (int i = 0; i < node_count; ++i, d += 6) {
    NodeState& n = l.nodes[i];
    NodeWork& w = work[i];
    n.v -= Vector3{d[0], d[1], d[2]};
    n.x = plus_times(w.x_history, n.v, c);
    // the unknown is the turn itself, over c: Δg' = G(g)⁻¹ of it
    Vector3 g = plus_times(w.g_history, w.rate, c);
    w.rate -= cgr_inverse_tangent_times(g, Vector3{d[3] * turn, d[4] * turn, d[5] * turn});
    g = plus_times(w.g_history, w.rate, c);
    n.R = cgr_rotation(g) * base.nodes[i].R;
    n.omega = cgr_tangent_times(g, w.rate);
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

void Solver::Parts::refresh_turns() noexcept {
  for (int i = 0; i < node_count; ++i) {
    // ω = G(g) g', g = history + c g': Δω by the turn θ = G Δg over c, that is 1 + c (∂G g') G⁻¹
    const Vector3 r = work[i].rate, g = plus_times(work[i].g_history, r, c);
    const double q = 1.0 / (4.0 + dot(g, g)), k = 2.0 * c * q;
    const Vector3 a = plus_times(r, cross(g, r), 0.5) * (-4.0 * q * k), e = r * k, h = g * 0.5;
    // the derivative acts as a gᵀ - skew(e), G⁻¹ as 1 - skew(h) + h hᵀ
    const double hh = 1.0 + dot(h, h), eh = dot(e, h);
    const Vector3 b = a * (2.0 * hh) - cross(e, h);
    turns[i] = {{1.0 - eh + b.x * h.x + h.x * e.x, b.x * h.y + h.x * e.y + e.z,
                 b.x * h.z + h.x * e.z - e.y, b.y * h.x + h.y * e.x - e.z,
                 1.0 - eh + b.y * h.y + h.y * e.y, b.y * h.z + h.y * e.z + e.x,
                 b.z * h.x + h.z * e.x + e.y, b.z * h.y + h.z * e.y - e.x,
                 1.0 - eh + b.z * h.z + h.z * e.z}};
  }
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
    bool fresh = age < 0 || careful || age >= settings.reuse || report.contraction > keeps;
    if (fresh && !check) refresh_turns();
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
      if (fresh) {
        refresh_turns();
        assemble(l, true);
      }
    }
    if (fresh) {
      if (!linear_solver->factorize([&] { assemble(l, true); }).usable) break;
      age = 0;
      if (held_waits) share_held(l);
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
    const double turn = turned * c / unit_length;
    if (careful && turn > most_turn) {
      for (double& d : rhs) d *= most_turn / turn;
    }
    update(l);
    ++report.iterations;
    if (settings.accept_unconverged && report.iterations >= settings.iterations_most) {
      // not evaluated again: what is left is of second order in the correction
      const double correction = c / unit_length * std::max(moved, turned);
      if (!std::isfinite(correction)) break;
      report.residual = norms.worst * std::min(1.0, (age == 0 ? 3.0 * correction : keeps));
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

StepReport Solver::Parts::step(double h) noexcept {
  require(linear_solver.has_value());  // initialize() or equilibrate() before
  StepReport report;
  report.end = StepReport::End::failed;
  if (!(h > 0.0) || !std::isfinite(h)) return report;
  if (settings.local_error > 0.0) return step_varying(h);
  report = attempt(h);
  if (report.end != StepReport::End::failed || settings.accept_unconverged) return report;
  // again in pieces, more carefully where that fails too
  const double end = newest().time + h;
  int iterations = report.iterations;
  const auto again = [&](double piece) {
    careful = true;
    report = attempt(piece);
    careful = false;
    iterations += report.iterations;
    report.iterations = iterations;
    return report.end != StepReport::End::failed;
  };
  // of schemes without a past, which short steps among long ones would upset
  save(backup.data());
  in_pieces = true;
  for (int pieces = 2; pieces <= most_pieces; pieces *= 2) {
    bool done = true;
    for (int i = 0; i < pieces && done; ++i) {
      report = attempt(h / pieces);
      iterations += report.iterations;
      done = report.end != StepReport::End::failed || again(h / pieces);
    }
    if (done) {
      newest().time = end;
      report.iterations = iterations;
      past = 0;
      in_pieces = false;
      return report;
    }
    load(backup.data());
  }
  in_pieces = false;
  return report;
}

StepReport Solver::Parts::attempt(double h) noexcept {
  StepReport report;
  const Method m = method(h);
  const int count = stage_count(m);
  const double force = force_reference, moment = moment_reference, other = other_reference;
  const double coefficient = c;
  kept_drives = drive_states;
  force_reference *= reference_decay;
  moment_reference *= reference_decay;
  other_reference *= reference_decay;
  // Several stages lose orders if constraints hold in the positions of each of them: there they
  // hold in velocities, and positions are corrected at the end by what little they are off.
  by_velocities = count > 1;
  const bool split = settings.split_impulses && !held.empty();
  hold(h);
  held_waits = split;
  Level& to = working();
  for (int stage = 0; stage < count; ++stage) {
    Formula f = formula(m, stage, h);
    if (careful && stage == 0) f.before = nullptr;
    c = f.c;
    c_momentum = f.c_momentum;
    set_scales(c, c_momentum);
    predict(f, h, to);
    if (split) {
      held_time = f.fraction * h;
      if (stage == 0) {
        for (std::size_t i = 0; i < to.algebraic.size(); ++i) to.algebraic[i] -= held_reactions[i];
      } else {
        add_impulses(momentum_history, held_time);
      }
    }
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
    if (stage + 1 == count && error_limit > 0.0 && report.end != StepReport::End::failed) {
      last_error = local_error(to, h);
      if (!(last_error <= error_limit)) report.end = StepReport::End::failed;
    }
    if (report.end == StepReport::End::failed) {
      by_velocities = false;
      c = coefficient;
      drive_states = kept_drives;
      force_reference = force;
      moment_reference = moment;
      other_reference = other;
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
    held_known = false;
    held_reactions.swap(next_held_reactions);
    for (std::size_t i = 0; i < to.algebraic.size(); ++i) to.algebraic[i] += held_reactions[i];
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
  // a change of step leaves velocities off the constraints
  const bool changed =
      settings.local_error > 0.0 && past > 0 && std::abs(h - levels[order[1]].step) > 1e-9 * h;
  if (settings.project_velocities || changed) correct_velocities(to);
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
