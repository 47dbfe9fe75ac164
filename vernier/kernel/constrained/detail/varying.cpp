#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/parts.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

// Steps that follow the motion: the local error of a second-order scheme is h³ x''' / 6 times a
// number below one; x''' is the second divided difference of velocities.
namespace vernier::constrained {

using detail::Level;

namespace {

constexpr int most_substeps = 100000;
constexpr double grows_from = 1.6, largest_change = 2.0, safety = 0.9;

double size_of(const Vector3& v) noexcept { return std::sqrt(dot(v, v)); }

}  // namespace

double Solver::Parts::local_error(const Level& to, double h) const noexcept {
  if (past < 1) return 0.0;
  const Level &one = levels[order[0]], &two = levels[order[1]];
  const double before = one.time - two.time;
  const double s = h * h * h / 3.0 / (h + before);
  double worst = 0.0;
  for (int i = 0; i < node_count; ++i) {
    const NodeState &a = two.nodes[i], &b = one.nodes[i], &n = to.nodes[i];
    const Vector3 v = (n.v - b.v) * (1.0 / h) - (b.v - a.v) * (1.0 / before);
    const Vector3 w = (n.omega - b.omega) * (1.0 / h) - (b.omega - a.omega) * (1.0 / before);
    worst = std::max({worst, size_of(v) / unit_length, size_of(w)});
  }
  return worst * s;
}

StepReport Solver::Parts::step_varying(double h) noexcept {
  StepReport report;
  save(backup.data());
  const double start = newest().time, end = start + h;
  int iterations = 0;
  if (!(substep > 0.0)) substep = h / 64.0;
  for (int i = 0; i < most_substeps; ++i) {
    const double left = end - newest().time;
    if (left <= 1e-12 * h) break;
    // what is left in equal parts
    const double parts = std::ceil(left / std::min(substep, h) * (1.0 - 1e-9));
    const double piece = left / parts;
    const bool known = past >= 1;
    error_limit = settings.local_error;
    const StepReport one = attempt(piece);
    error_limit = 0.0;
    iterations += one.iterations;
    if (one.end == StepReport::End::failed) {
      report = one;
      substep = piece / largest_change;
      if (substep < 1e-9 * h) break;
      continue;
    }
    if (one.residual >= report.residual) report = one;
    // without a past nothing is known of the error
    double factor = 1.0;
    if (known) factor = safety * std::cbrt(settings.local_error / (last_error + 1e-300));
    if (factor >= grows_from) substep = piece * std::min(factor, largest_change);
    if (factor < 1.0) substep = piece * std::max(factor, 1.0 / largest_change);
  }
  report.iterations = iterations;
  if (end - newest().time > 1e-12 * h) {
    load(backup.data());
    report.end = StepReport::End::failed;
    return report;
  }
  newest().time = end;
  if (report.end == StepReport::End::failed) report.end = StepReport::End::converged;
  return report;
}

}  // namespace vernier::constrained
