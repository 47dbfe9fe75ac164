#include "vernier/kernel/constrained/elements/laws.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/elements/ends.hpp"
#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::constrained::parts {
namespace {

/// An elastic force e.force >= 0 plus damping d v, whose magnitude is limited to the elastic force.
LawForce bounded(const LawForce& e, double d, double v) noexcept {
  const double f = d * v;
  if (f > e.force) return {2.0 * e.force, 2.0 * e.by_s, 0.0, 2.0 * e.by_z};
  if (f < -e.force) return {};
  return {e.force + f, e.by_s, d, e.by_z};
}

/// The segment of a table that contains s; the outer segments are extrapolated.
std::size_t segment(const std::vector<double>& points, double s) noexcept {
  const auto above = std::upper_bound(points.begin() + 1, points.end() - 1, s);
  return static_cast<std::size_t>(above - points.begin()) - 1;
}

/// The force without damping and prestress.
LawForce elastic(const Law& l, double s, double z) noexcept {
  using enum Law::Kind;
  switch (l.kind) {
    case linear:
      return {l.stiffness * s, l.stiffness, 0.0, 0.0};
    case cubic:
      return {(l.stiffness + l.cubic * s * s) * s, l.stiffness + 3.0 * l.cubic * s * s, 0.0, 0.0};
    case table: {
      const std::size_t i = segment(l.points, s);
      const double k = (l.forces[i + 1] - l.forces[i]) / (l.points[i + 1] - l.points[i]);
      return {l.forces[i] + k * (s - l.points[i]), k, 0.0, 0.0};
    }
    case viscoelastic:
      return {l.stiffness * s + l.branch_stiffness * (s - z), l.stiffness + l.branch_stiffness, 0.0,
              -l.branch_stiffness};
    case one_sided:
      break;
  }
  return s > 0.0 ? LawForce{l.stiffness * s, l.stiffness, 0.0, 0.0} : LawForce{};
}

/// ∫ of the table from points[0] to s.
double area(const Law& l, double s) noexcept {
  double sum = 0.0;
  const std::size_t last = segment(l.points, s);
  for (std::size_t i = 0; i < last; ++i) {
    sum += 0.5 * (l.forces[i] + l.forces[i + 1]) * (l.points[i + 1] - l.points[i]);
  }
  return sum + 0.5 * (l.forces[last] + elastic(l, s, 0.0).force) * (s - l.points[last]);
}

}  // namespace

void check(const Friction& f, bool revolute) {
  check_finite(
      {f.coulomb, f.stiction, f.stribeck_speed, f.viscous, f.preload, f.radius, f.smoothing},
      "a number of the friction is not finite");
  demand(f.coulomb >= 0.0, "the coefficient of friction is negative");
  demand(f.stiction == 0.0 || f.stiction >= f.coulomb,
         "the coefficient of stiction is less than that of friction");
  demand(f.stribeck_speed > 0.0, "the Stribeck speed of the friction is not positive");
  demand(f.smoothing > 0.0, "the smoothing speed of the friction is not positive");
  demand(f.viscous >= 0.0 && f.preload >= 0.0,
         "the preload or the viscous coefficient of the friction is negative");
  demand(f.radius >= 0.0, "the radius of the friction is negative");
  demand(!revolute || f.radius > 0.0 || f.preload > 0.0 || f.viscous > 0.0,
         "the friction of a revolute joint needs a radius, a preload or a viscous coefficient");
}

void check(const Stop& s) {
  check_finite({s.lower, s.upper, s.stiffness, s.damping}, "a number of the stop is not finite");
  demand(s.lower < s.upper, "the lower stop is not below the upper one");
  demand(s.stiffness > 0.0, "the stiffness of the stop is not positive");
  demand(s.damping >= 0.0, "the damping of the stop is negative");
}

void check(const Law& l) {
  check_finite(
      {l.stiffness, l.damping, l.cubic, l.branch_stiffness, l.relaxation_time, l.prestress},
      "a number of the law is not finite");
  if (l.kind == Law::Kind::viscoelastic) {
    demand(l.relaxation_time > 0.0, "the relaxation time of the law is not positive");
    demand(l.branch_stiffness > 0.0, "the branch stiffness of the law is not positive");
  }
  if (l.kind == Law::Kind::one_sided) {
    demand(l.stiffness >= 0.0 && l.damping >= 0.0,
           "a one-sided law has a negative stiffness or damping");
  }
  if (l.kind != Law::Kind::table) return;
  demand(l.points.size() >= 2, "the table of the law has fewer than two points");
  demand(l.points.size() == l.forces.size(),
         "the table of the law has not one force for each point");
  for (std::size_t i = 0; i < l.points.size(); ++i) {
    check_finite({l.points[i], l.forces[i]}, "a number in the table of the law is not finite");
    demand(i == 0 || l.points[i] > l.points[i - 1], "the points of the table do not rise");
  }
}

Slide slide(const Friction& law, double load, double v, double f) noexcept {
  const double x = v / law.stribeck_speed;
  const double more = std::max(0.0, law.stiction - law.coulomb) * elementary::exp(-x * x);
  const double M = load * (law.coulomb + more), slope = -2.0 * load * x / law.stribeck_speed * more;
  if (!(M > 0.0)) return {f, 1.0, 0.0};
  // At a solution, `side` is above 1 or below -1 if the joint slides. Its second part is bounded,
  // so one iteration never changes directly from sliding to sliding in the opposite direction.
  const double u = v / law.smoothing, side = f / M + 0.5 * std::clamp(u - f / M, -1.0, 1.0);
  if (side > 1.0) return {f - M, 1.0, -slope};
  if (side < -1.0) return {f + M, 1.0, slope};
  return {f - M * u, 1.0, -M / law.smoothing - slope * u};
}

Push stop_force(const Stop& stop, double s, double v) noexcept {
  const auto against = [&](double in, double rate) {
    return bounded({stop.stiffness * in, stop.stiffness, 0.0, 0.0}, stop.damping, rate);
  };
  if (s < stop.lower) {
    const LawForce f = against(stop.lower - s, -v);
    return {f.force, -f.by_s, -f.by_rate};
  }
  if (s > stop.upper) {
    const LawForce f = against(s - stop.upper, v);
    return {-f.force, -f.by_s, -f.by_rate};
  }
  return {0.0, 0.0, 0.0};
}

double stop_energy(const Stop& stop, double s) noexcept {
  const double in = std::max({0.0, stop.lower - s, s - stop.upper});
  return 0.5 * stop.stiffness * in * in;
}

LawForce force(const Law& l, double s, double v, double z) noexcept {
  LawForce f = elastic(l, s, z);
  if (l.kind == Law::Kind::one_sided) {
    if (s > 0.0) f = bounded(f, l.damping, v);
  } else {
    f.force += l.damping * v;
    f.by_rate = l.damping;
  }
  f.force += l.prestress;
  return f;
}

LawForce pulling_force(const Law& l, double s, double v, double z) noexcept {
  if (s <= 0.0) return {};
  LawForce e = elastic(l, s, z);
  e.force += l.prestress;
  return e.force > 0.0 ? bounded(e, l.damping, v) : LawForce{};
}

double energy(const Law& l, double s, double z) noexcept {
  using enum Law::Kind;
  const double spring = 0.5 * l.stiffness * s * s, pre = l.prestress * s;
  switch (l.kind) {
    case linear:
      return spring + pre;
    case cubic:
      return spring + 0.25 * l.cubic * s * s * s * s + pre;
    case table:
      return area(l, s) - area(l, 0.0) + pre;
    case viscoelastic:
      return spring + 0.5 * l.branch_stiffness * (s - z) * (s - z) + pre;
    case one_sided:
      break;
  }
  return (s > 0.0 ? spring : 0.0) + pre;
}

}  // namespace vernier::constrained::parts
