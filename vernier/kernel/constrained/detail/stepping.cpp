#include <algorithm>
#include <cmath>

#include "vernier/base/require.hpp"
#include "vernier/kernel/constrained/detail/step.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained::detail {

namespace {

constexpr double keeps = 0.1;  // a Jacobian with this contraction is kept
constexpr double to_and_fro =
    0.8;  // relative to the least residual so far: above this, iterations oscillate
constexpr double reference_decay =
    0.99;  // per step, of the magnitudes that residuals are compared with
constexpr long renormalize_every = 256;  // steps
constexpr double most_turn = 0.5;        // rad, of one careful iteration
constexpr int most_pieces = 64;          // limit for the pieces of a failed step

int stages_of(Method m) {
  if (m == Method::esdirk3) return 3;
  return m == Method::sdirk2 || m == Method::composite ? 2 : 1;
}

/// Adds the report of a stage to that of the step.
void add_stage(StepReport& to, const StepReport& stage) noexcept {
  to.iterations += stage.iterations;
  to.contraction = std::max(to.contraction, stage.contraction);
  if (stage.residual > to.residual || !std::isfinite(stage.residual)) {
    to.residual = stage.residual;
    to.worst_row = stage.worst_row;
  }
  if (static_cast<int>(stage.end) > static_cast<int>(to.end)) {
    to.end = stage.end;
    to.worst_row = stage.worst_row;
  }
}

}  // namespace

// Multi-stage schemes lose order if constraints are imposed on the positions of each stage. There
// they are imposed on velocities, and positions are corrected at the end.
Step::Step(const MechanismLayout& plan, const State& from, Scratch& work, double h,
           Care care) noexcept
    : Equations(plan, from, work),
      h_(h),
      careful_(care == Care::careful_piece),
      method_(choose_method(care)),
      stage_count_(stages_of(method_)),
      hold_in_(stage_count_ > 1 ? Constraints::velocities : Constraints::positions) {}

void Step::finish_kinematics(Level& l) noexcept {
  set_momenta(l);
  const double inverse = 1.0 / c_P_;
  for (std::size_t i = 0; i < l.momenta.size(); ++i) {
    l.momentum_rates[i] = (l.momenta[i] - work_.momentum_history[i]) * inverse;
  }
}

void Step::update(Level& l) noexcept {
  const double* d = work_.rhs.data();
  const double turn = 1.0 / plan_.scales.length;
  const Level& base = state_.history[0];
  for (int i = 0; i < plan_.node_count; ++i, d += 6) {
    NodeState& n = l.nodes[i];
    NodeWork& w = work_.nodes[i];
    n.v -= Vector3{d[0], d[1], d[2]};
    n.x = plus_times(w.x_history, n.v, c_);
    // The unknown is the rotation θ divided by c: Δg' = G(g)⁻¹ θ/c.
    Vector3 g = plus_times(w.g_history, w.rate, c_);
    w.rate -= cgr_inverse_tangent_times(g, Vector3{d[3] * turn, d[4] * turn, d[5] * turn});
    g = plus_times(w.g_history, w.rate, c_);
    n.R = cgr_rotation(g) * base.nodes[i].R;
    n.omega = cgr_tangent_times(g, w.rate);
  }
  for (std::size_t i = 0; i < l.values.size(); ++i) {
    const int column = plan_.value_columns[i];
    l.rates[i] -= work_.rhs[column] * work_.scales.column[column];
    l.values[i] = work_.value_history[i] + c_ * l.rates[i];
  }
  for (std::size_t i = 0; i < l.algebraic.size(); ++i) {
    const int column = plan_.algebraic_columns[i];
    l.algebraic[i] -= work_.rhs[column] * work_.scales.column[column];
  }
  finish_kinematics(l);
}

void Step::refresh_turns() noexcept {
  for (int i = 0; i < plan_.node_count; ++i) {
    // ω = G(g) g' with g = history + c g'. Δω by θ/c, where θ = G Δg, is W = 1 + c (∂G g') G⁻¹.
    const Vector3 r = work_.nodes[i].rate, g = plus_times(work_.nodes[i].g_history, r, c_);
    const double q = 1.0 / (4.0 + dot(g, g)), k = 2.0 * c_ * q;
    const Vector3 a = plus_times(r, cross(g, r), 0.5) * (-4.0 * q * k), e = r * k, h = g * 0.5;
    // The derivative is a gᵀ - skew(e), and G⁻¹ is 1 - skew(h) + h hᵀ.
    const double hh = 1.0 + dot(h, h), eh = dot(e, h);
    const Vector3 b = a * (2.0 * hh) - cross(e, h);
    work_.turns[i] = {{1.0 - eh + b.x * h.x + h.x * e.x, b.x * h.y + h.x * e.y + e.z,
                       b.x * h.z + h.x * e.z - e.y, b.y * h.x + h.y * e.x - e.z,
                       1.0 - eh + b.y * h.y + h.y * e.y, b.y * h.z + h.y * e.z + e.x,
                       b.z * h.x + h.z * e.x + e.y, b.z * h.y + h.z * e.y - e.x,
                       1.0 - eh + b.z * h.z + h.z * e.z}};
  }
}

int Step::worst_row() const noexcept {
  const Limits& limits = work_.limits;
  const double other = work_.references.other + 1e-300;
  const double by_kind[] = {limits.force, limits.moment, other, other, limits.constraint};
  int worst = -1;
  double most = -1.0;
  for (int i = 0; i < plan_.size; ++i) {
    const double r = std::abs(work_.residual[i]) / by_kind[static_cast<int>(plan_.kinds[i])];
    if (!std::isfinite(r)) return i;
    if (r > most) {
      most = r;
      worst = i;
    }
  }
  return worst;
}

/// Newton's iteration from the prediction. held_time: duration of impulses that are not yet in the
/// history, because the first factorized matrix determines the part that constraints carry;
/// otherwise 0.
StepReport Step::solve(Level& l, double held_time) noexcept {
  StepReport report;
  const Settings& settings = plan_.settings;
  const double& worst = work_.norms.worst;
  double before = 0.0, best = 1e300;
  int age = -1;  // iterations since the Jacobian was evaluated; -1: none
  finish_kinematics(l);
  for (;;) {
    const bool last = report.iterations >= settings.iterations_most;
    const bool check =
        last || (report.iterations > 0 && report.iterations >= settings.iterations_least);
    bool fresh = age < 0 || careful_ || age >= settings.reuse || report.contraction > keeps;
    // If the step is likely to have converged, evaluate the residual only and keep the
    // factorization.
    linearize(l, fresh && !check);
    report.residual = worst;
    if (report.iterations > 0) report.contraction = worst / (before + 1e-300);
    before = worst;
    if (check && worst <= settings.tolerance) return report;
    // Keep the last finite residual for the report.
    if (std::isfinite(worst) || report.iterations == 0) work_.residual = work_.rhs;
    if (last || !std::isfinite(worst)) break;
    if (check) {
      fresh = fresh || report.contraction > keeps;
      if (fresh) linearize(l, true);
    }
    ++age;
    if (fresh) {
      if (!work_.linear->factorize([&] { assemble_matrix(l, hold_in_); }).usable) break;
      age = 0;
      if (held_time > 0.0) share_held(l, held_time);
      held_time = 0.0;
    }
    work_.linear->solve({work_.rhs.data(), static_cast<std::size_t>(plan_.size)});
    // Iterations that oscillate across a kink (friction that changes sign, a stop) are damped by
    // half.
    if (report.iterations >= 2 && worst > to_and_fro * best) scale_change(0.5);
    best = std::min(best, worst);
    const double change = limit_change();
    update(l);
    ++report.iterations;
    if (settings.accept_unconverged && report.iterations >= settings.iterations_most) {
      if (!std::isfinite(change)) break;
      // The residual is not evaluated again; it is of second order in the correction.
      report.residual = worst * std::min(1.0, (age == 0 ? 3.0 * change : keeps));
      if (report.residual > settings.tolerance) {
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

void Step::linearize(const Level& l, bool jacobian) noexcept {
  if (jacobian) {
    refresh_turns();
    assemble_matrix(l, hold_in_);
  } else {
    assemble(l, hold_in_, nullptr);
  }
}

void Step::scale_change(double by) noexcept {
  for (double& d : work_.rhs) d *= by;
}

/// Limits the change in rhs if it rotates too far for a careful step. Returns its size, relative to
/// the length of the model and in rad.
double Step::limit_change() noexcept {
  double turned = 0.0, moved = 0.0;
  for (int i = 0; i < 6 * plan_.node_count; i += 6) {
    for (int k = 0; k < 3; ++k) {
      moved = std::max(moved, std::abs(work_.rhs[i + k]));
      turned = std::max(turned, std::abs(work_.rhs[i + 3 + k]));
    }
  }
  const double length = plan_.scales.length, turn = turned * c_ / length;
  if (careful_ && turn > most_turn) scale_change(most_turn / turn);
  return c_ / length * std::max(moved, turned);
}

Trial Step::attempt(double error_limit) noexcept {
  Trial trial;
  const References& usual = state_.references;
  work_.references = {usual.force * reference_decay, usual.moment * reference_decay,
                      usual.other * reference_decay};
  hold(h_);
  for (int stage = 0; stage < stage_count_; ++stage) {
    add_stage(trial.report, solve_stage(stage));
    const bool last = stage + 1 == stage_count_;
    if (last && error_limit > 0.0 && !trial.failed()) {
      trial.error = local_error(work_.next);
      if (!(trial.error <= error_limit)) trial.report.end = StepReport::End::failed;
    }
    if (trial.failed()) return trial;
    if (!last) work_.stages[stage] = work_.next;
  }
  if (hold_in_ == Constraints::velocities) correct_positions(work_.next);
  return trial;
}

StepReport Step::solve_stage(int stage) noexcept {
  const Formula f = formula(stage);
  set_coefficients(f.c, f.c_momentum);
  Level& to = work_.next;
  predict(f, to);
  double held_time = plan_.splits_impulses() ? f.fraction * h_ : 0.0;
  if (held_time > 0.0 && stage == 0) {
    for (std::size_t i = 0; i < to.algebraic.size(); ++i) {
      to.algebraic[i] -= state_.held_reactions[i];
    }
  } else if (held_time > 0.0) {
    add_impulses(work_.momentum_history, held_time);
    held_time = 0.0;
  }
  set_drives(to.time);
  return solve(to, held_time);
}

void Step::accept(State& s) noexcept {
  if (plan_.splits_impulses()) {
    for (int i = 0; i < History::length; ++i) add_impulses(s.history[i].momenta, h_);
    s.held_reactions.swap(work_.held.reactions);
    std::vector<double>& algebraic = work_.next.algebraic;
    for (std::size_t i = 0; i < algebraic.size(); ++i) algebraic[i] += s.held_reactions[i];
  }
  s.history.push(work_.next);
  s.references = work_.references;
  s.drives = work_.drives;
  s.c = c_;
  // After a jump the earlier rates cannot be used.
  s.past = s.rates_valid ? std::min(s.past + 1, History::length - 1) : 0;
  s.rates_valid = true;
  ++s.steps;
  Level& to = s.history[0];
  if (s.steps % renormalize_every == 0) {
    for (int i = 0; i < plan_.node_count; ++i) to.nodes[i].R = renormalized(to.nodes[i].R);
  }
  const Settings& settings = plan_.settings;
  if (settings.scheme == Scheme::generalized_alpha ||
      settings.scheme == Scheme::generalized_alpha_second) {
    advance_auxiliary(s);
  }
  // A change of step size leaves velocities off the constraints.
  const bool changed =
      settings.local_error > 0.0 && s.past > 0 && std::abs(h_ - s.history[1].step) > 1e-9 * h_;
  if (settings.project_velocities || changed) correct_velocities(to);
  if (accept_elements(s)) s.restart();
}

/// Accepts elements and drives at the new level. Returns whether forces jump there.
bool Step::accept_elements(State& s) noexcept {
  const Level& to = s.history[0];
  bool jump = false;
  for (const ElementPlan& plan : plan_.elements) {
    jump |= plan.element->accept(point(plan, to, c_), plan_.memory_of(plan, s));
  }
  const auto corner = std::upper_bound(plan_.corners.begin(), plan_.corners.end(), to.time - h_);
  return jump || (corner != plan_.corners.end() && *corner <= to.time);
}

namespace {

/// Repeats a failed step in pieces, by schemes without history, because short steps among long ones
/// would disturb a multistep formula. Pieces that fail are repeated more carefully. If all fails,
/// returns this report.
StepReport advance_in_pieces(const MechanismLayout& plan, State& s, Scratch& work, double h,
                             StepReport report) noexcept {
  const double end = s.time() + h;
  int iterations = report.iterations;
  const auto taken = [&](double piece, Care care) {
    Step step(plan, s, work, piece, care);
    const Trial trial = step.attempt();
    report = trial.report;
    iterations += report.iterations;
    if (!trial.failed()) step.accept(s);
    return !trial.failed();
  };
  work.before = s;
  for (int pieces = 2; pieces <= most_pieces; pieces *= 2) {
    const double piece = h / pieces;
    bool done = true;
    for (int i = 0; i < pieces && done; ++i) {
      done = taken(piece, Care::piece) || taken(piece, Care::careful_piece);
    }
    report.iterations = iterations;
    if (done) {
      s.history[0].time = end;
      s.past = 0;
      return report;
    }
    s = work.before;
  }
  return report;
}

}  // namespace

StepReport advance(const MechanismLayout& plan, State& s, Scratch& work, double h) noexcept {
  require(work.of == &plan && work.linear.has_value());  // assembled before
  StepReport report;
  report.end = StepReport::End::failed;
  if (!(h > 0.0) || !std::isfinite(h)) return report;
  if (plan.settings.local_error > 0.0) return advance_varying(plan, s, work, h);
  Step step(plan, s, work, h, Care::usual);
  const Trial trial = step.attempt();
  if (!trial.failed()) {
    step.accept(s);
    return trial.report;
  }
  if (plan.settings.accept_unconverged) return trial.report;
  return advance_in_pieces(plan, s, work, h, trial.report);
}

bool project(const MechanismLayout& plan, State& s, Scratch& work) noexcept {
  require(work.of == &plan && work.linear.has_value());
  Equations equations(plan, s, work);
  equations.keep_drives();
  work.references = s.references;
  // Any coefficient works: the stiffness adds to the masses that weight the velocities.
  equations.set_coefficients(1e-4, 1e-4);
  Level& l = s.history[0];
  equations.set_turns(l, 1e-4);
  equations.set_momenta(l);
  const auto assemble = [&] { equations.assemble_matrix(l, Constraints::positions); };
  assemble();
  s.c = 1e-4;
  s.references = work.references;
  s.restart();
  if (!std::isfinite(work.norms.worst) || !work.linear->factorize(assemble).usable) return false;
  equations.correct_velocities(l);
  return true;
}

}  // namespace vernier::constrained::detail
