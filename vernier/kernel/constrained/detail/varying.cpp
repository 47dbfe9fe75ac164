#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/step.hpp"
#include "vernier/kernel/elementary/elementary.hpp"

// Adaptive steps: the local error of a second-order scheme is h³ x''' / 6 times a number below one;
// x''' is estimated by the second divided difference of velocities.
namespace vernier::constrained::detail {

namespace {

constexpr int most_substeps = 100000;
constexpr double grows_from = 1.6, largest_change = 2.0, safety = 0.9;

double size_of(const Vector3& v) noexcept { return std::sqrt(dot(v, v)); }

}  // namespace

double Step::local_error(const Level& to) const noexcept {
  const double h = h_;
  if (state_.past < 1) return 0.0;
  const Level &one = state_.history[0], &two = state_.history[1];
  const double before = one.time - two.time;
  const double s = h * h * h / 3.0 / (h + before);
  double worst = 0.0;
  for (int i = 0; i < plan_.node_count; ++i) {
    const NodeState &a = two.nodes[i], &b = one.nodes[i], &n = to.nodes[i];
    const Vector3 v = (n.v - b.v) * (1.0 / h) - (b.v - a.v) * (1.0 / before);
    const Vector3 w = (n.omega - b.omega) * (1.0 / h) - (b.omega - a.omega) * (1.0 / before);
    worst = std::max({worst, size_of(v) / plan_.scales.length, size_of(w)});
  }
  return worst * s;
}

StepReport advance_varying(const MechanismLayout& plan, State& s, Scratch& work,
                           double h) noexcept {
  StepReport report;
  const double limit = plan.settings.local_error;
  work.before = s;
  const double end = s.time() + h;
  int iterations = 0;
  if (!(s.substep > 0.0)) s.substep = h / 64.0;
  for (int i = 0; i < most_substeps; ++i) {
    const double left = end - s.time();
    if (left <= 1e-12 * h) break;
    // Divide the remaining time into equal parts.
    const double parts = std::ceil(left / std::min(s.substep, h) * (1.0 - 1e-9));
    const double piece = left / parts;
    const bool known = s.past >= 1;
    Step step(plan, s, work, piece, Care::usual);
    const Trial trial = step.attempt(limit);
    iterations += trial.report.iterations;
    if (trial.failed()) {
      report = trial.report;
      s.substep = piece / largest_change;
      if (s.substep < 1e-9 * h) break;
      continue;
    }
    step.accept(s);
    if (trial.report.residual >= report.residual) report = trial.report;
    // Without history the error is not known.
    double factor = 1.0;
    if (known) factor = safety * elementary::cbrt(limit / (trial.error + 1e-300));
    if (factor >= grows_from) s.substep = piece * std::min(factor, largest_change);
    if (factor < 1.0) s.substep = piece * std::max(factor, 1.0 / largest_change);
  }
  report.iterations = iterations;
  if (end - s.time() > 1e-12 * h) {
    s = work.before;
    report.end = StepReport::End::failed;
    return report;
  }
  s.history[0].time = end;
  if (report.end == StepReport::End::failed) report.end = StepReport::End::converged;
  return report;
}

}  // namespace vernier::constrained::detail
