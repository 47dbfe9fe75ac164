#include "vernier/kernel/integration/event_locator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vernier::integration {

namespace {

constexpr int coarse = 4;  // sub-intervals of a step
constexpr int fine = 32;   // where the atoms move more than the step resolves
constexpr std::size_t roots_per_atom = 4;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

int sign(double v) noexcept { return v > 0.0 ? 1 : v < 0.0 ? -1 : 0; }

}  // namespace

EventLocator::EventLocator(const hybrid::System& system)
    : n_(hybrid::size(system.spec().states)),
      guards_(system.spec().guards),
      automata_(system.spec().automata.size()),
      x_(n_),
      rate_(n_),
      z_(guards_),
      dz_(guards_),
      z_end_(guards_),
      dz_end_(guards_),
      roots_(guards_ * roots_per_atom),
      chosen_(automata_),
      present_(system.spec().events.size(), 0) {
  for (Atoms* a : {&left_, &right_, &probe_}) {
    a->z.resize(guards_);
    a->dz.resize(guards_);
  }
}

void EventLocator::atoms(const Equations& f, double t, std::span<const double> x,
                         std::span<const double> rate, std::span<double> z,
                         std::span<double> dz) const noexcept {
  const hybrid::Point p = f.at(t, x);
  f.system->guards(p, z, *f.workspace);
  f.system->tangent(p, {1.0, rate, {}}, {{}, {}, dz, true}, *f.workspace);
}

void EventLocator::evaluate(const Equations& f, const Stepper& step, Atoms& a) noexcept {
  step.interpolate(a.s, x_);
  step.interpolate_rate(a.s, rate_);
  atoms(f, step.start() + a.s, x_, rate_, a.z, a.dz);
}

double EventLocator::atom(const Equations& f, const Stepper& step, std::size_t i,
                          double s) noexcept {
  step.interpolate(s, x_);
  f.system->guards(f.at(step.start() + s, x_), z_, *f.workspace);
  return z_[i];
}

bool EventLocator::enabled(const Equations& f, const Stepper& step, double s) noexcept {
  step.interpolate(s, x_);
  return f.system->select(f.at(step.start() + s, x_), present_, chosen_, *f.workspace);
}

// The Hermite cubic through both ends lies in the convex hull of its four Bernstein coefficients.
// If this hull is far from zero, no event can occur (docs/mathematics/hybrid.md, "Finding the first
// instant", step 1).
bool EventLocator::quiet(const Course& c) noexcept {
  const double b1 = c.z0 + c.h / 3.0 * c.dz0;
  const double b2 = c.z1 - c.h / 3.0 * c.dz1;
  const double low = std::min({c.z0, b1, b2, c.z1});
  const double high = std::max({c.z0, b1, b2, c.z1});
  if (low == 0.0 && high == 0.0) return true;  // zero throughout: nothing changes
  const double nearest = low > 0.0 ? low : -high;
  return nearest > high - low;
}

// If the value in the middle differs from the cubic, the atom oscillates within the step.
bool EventLocator::calm(const Course& c) noexcept {
  const double middle = 0.5 * (c.z0 + c.z1) + c.h / 8.0 * (c.dz0 - c.dz1);
  const double scale = std::abs(c.z1 - c.z0) + c.h * (std::abs(c.dz0) + std::abs(c.dz1));
  const double off = std::abs(c.middle - middle);
  return off <= 0.05 * scale + 1e-12 * std::abs(middle);
}

std::optional<double> EventLocator::locate(const Equations& f, Stepper& step, std::span<double> z,
                                           std::span<double> dz) noexcept {
  const double h = step.length();
  atoms(f, step.start() + h, step.x(), step.rate(f), z_end_, dz_end_);
  step.prepare_dense(f);
  step.interpolate(0.5 * h, x_);
  f.system->guards(f.at(step.start() + 0.5 * h, x_), z_, *f.workspace);
  bool waves = false, near = false;
  for (std::size_t i = 0; i < guards_; ++i) {
    const Course c{h, z[i], dz[i], z_end_[i], dz_end_[i], z_[i]};
    waves |= !calm(c);
    near |= !quiet(c);
  }
  if (waves || near) {
    resolution_ = epsilon * h;
    const int count = waves ? fine : coarse;
    left_.s = 0.0;
    std::copy(z.begin(), z.end(), left_.z.begin());
    std::copy(dz.begin(), dz.end(), left_.dz.begin());
    for (int k = 1; k <= count; ++k) {
      right_.s = k == count ? h : h * k / count;
      evaluate(f, step, right_);
      found_ = 0;
      for (std::size_t i = 0; i < guards_; ++i) roots_between(f, step, i, left_, right_);
      std::sort(roots_.begin(), roots_.begin() + static_cast<std::ptrdiff_t>(found_));
      double checked = left_.s;
      for (std::size_t r = 0; r < found_; ++r) {
        const double root = roots_[r];
        if (enabled(f, step, root)) return first_enabled(f, step, checked, root);
        checked = root;
        const double next = r + 1 < found_ ? roots_[r + 1] : right_.s;
        const double middle = 0.5 * (root + next);
        if (middle > root && enabled(f, step, middle)) {
          return first_enabled(f, step, root, middle);
        }
      }
      if (enabled(f, step, right_.s)) return first_enabled(f, step, checked, right_.s);
      std::swap(left_, right_);
    }
  }
  std::copy(z_end_.begin(), z_end_.end(), z.begin());
  std::copy(dz_end_.begin(), dz_end_.end(), dz.begin());
  return std::nullopt;
}

// Bisects between `low` (not enabled) and `high` (enabled) for the first enabled instant, at most
// one resolution late. A root is already the right end of a bracket of this width, so it costs one
// evaluation.
double EventLocator::first_enabled(const Equations& f, const Stepper& step, double low,
                                   double high) noexcept {
  const double before = high - 2.0 * resolution_;
  if (before > low) {
    if (!enabled(f, step, before)) return high;
    high = before;
  }
  for (int k = 0; k < 100 && high - low > resolution_; ++k) {
    const double middle = 0.5 * (low + high);
    (enabled(f, step, middle) ? high : low) = middle;
  }
  return high;
}

void EventLocator::add_root(double s) noexcept {
  if (found_ < roots_.size()) roots_[found_++] = s;
}

void EventLocator::roots_between(const Equations& f, const Stepper& step, std::size_t i,
                                 const Atoms& a, const Atoms& b) noexcept {
  const int sa = sign(a.z[i]);
  const int sb = sign(b.z[i]);
  const int leaving = sign(a.dz[i]);
  if (sa == 0 && leaving != 0) {
    // The atom leaves zero immediately; if not towards b, it returns.
    add_root(std::min(a.s + resolution_, b.s));
    if (leaving != sb) {
      const double middle = 0.5 * (a.s + b.s);
      const double zm = atom(f, step, i, middle);
      if (sign(zm) == leaving) {
        refine(f, step, i, middle, zm, b.s, b.z[i]);
      } else {
        refine(f, step, i, a.s, leaving * std::numeric_limits<double>::min(), middle, zm);
      }
    }
    return;
  }
  if (sa != sb) {
    refine(f, step, i, a.s, a.z[i], b.s, b.z[i]);
  } else if (sa != 0 && sa * a.dz[i] < 0.0 && sa * b.dz[i] > 0.0) {
    extremum_between(f, step, i, a, b);
  }
}

void EventLocator::extremum_between(const Equations& f, const Stepper& step, std::size_t i,
                                    const Atoms& a, const Atoms& b) noexcept {
  const double side = sign(a.z[i]);
  double low = a.s;
  double high = b.s;
  double zl = a.z[i], dl = a.dz[i], zh = b.z[i], dh = b.dz[i];
  for (int k = 0; k < 60 && high - low > resolution_; ++k) {
    // The intersection of the tangents at both ends; a convex curve stays on this side of it.
    const double meet = (zh - zl + dl * low - dh * high) / (dl - dh);
    if (k > 0 && side * (zl + dl * (meet - low)) > 0.0) return;
    probe_.s = 0.5 * (low + high);
    evaluate(f, step, probe_);
    const double zm = probe_.z[i];
    if (sign(zm) != sign(a.z[i])) {
      refine(f, step, i, a.s, a.z[i], probe_.s, zm);
      refine(f, step, i, probe_.s, zm, b.s, b.z[i]);
      return;
    }
    if (side * probe_.dz[i] < 0.0) {
      low = probe_.s, zl = zm, dl = probe_.dz[i];
    } else {
      high = probe_.s, zh = zm, dh = probe_.dz[i];
    }
  }
}

// The secant method, safeguarded by bisection. The bracket in time keeps the sign of za at its left
// end.
void EventLocator::refine(const Equations& f, const Stepper& step, std::size_t i, double a,
                          double za, double b, double zb) noexcept {
  const int sa = sign(za);
  double low = a;
  double high = b;
  double zl = za;
  double zh = zb;
  double before = 0.0;  // width of the bracket two evaluations ago
  double last = 0.0;
  for (int k = 0; k < 200 && high - low > resolution_; ++k) {
    const double width = high - low;
    double s = 0.5 * (low + high);
    // Use the secant while it halves the bracket every two evaluations.
    if ((k < 2 || width < 0.5 * before) && zl * zh < 0.0 && std::isfinite(zl * zh)) {
      const double root = low + width * (zl / (zl - zh));
      // Slightly beyond the root, towards the far end, so that the bracket closes from both sides.
      const double near = std::min(root - low, high - root);
      const double margin = std::max(0.5 * resolution_, 1e-3 * near);
      const double probe = root - low < high - root ? root + margin : root - margin;
      if (probe > low && probe < high) s = probe;
    }
    if (!(s > low && s < high)) break;  // adjacent floating-point numbers
    before = last;
    last = width;
    const double zs = atom(f, step, i, s);
    if (sign(zs) == sa) {
      low = s, zl = zs;
    } else {
      high = s, zh = zs;
    }
  }
  add_root(high);
}

}  // namespace vernier::integration
