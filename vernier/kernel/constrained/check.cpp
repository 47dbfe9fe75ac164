#include "vernier/kernel/constrained/check.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "vernier/kernel/constrained/probe.hpp"

namespace vernier::constrained {
namespace {

using Function = void (Element::*)(const Point&, const Contribution&) const noexcept;

std::vector<double> residual(const Element& e, Function f, const Probe& at) {
  const int n = e.shape().size();
  std::vector<double> r(static_cast<std::size_t>(n));
  (e.*f)(at.point(), {r.data(), nullptr, n});
  return r;
}

/// Central differences of fourth order, over ±step and ±2 step.
template <class F>
std::vector<double> difference(const F& at, double step) {
  const auto a = at(-2.0 * step), b = at(-step), c = at(step), d = at(2.0 * step);
  std::vector<double> r(a.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    r[i] = (a[i] - d[i] + 8.0 * (c[i] - b[i])) / (12.0 * step);
  }
  return r;
}
template <class F>
std::vector<double> second_difference(const F& at, double step) {
  const auto a = at(-2.0 * step), b = at(-step), m = at(0.0), c = at(step), d = at(2.0 * step);
  std::vector<double> r(a.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    r[i] = (16.0 * (b[i] + c[i]) - a[i] - d[i] - 30.0 * m[i]) / (12.0 * step * step);
  }
  return r;
}

void take(Deviation& worst, const Deviation& d) {
  if (d.error > worst.error || std::isnan(d.error)) worst = d;
}

void compare(Deviation& worst, const Element& e, Function f, const Probe& at, const char* what) {
  const Shape& s = e.shape();
  const int n = s.size();
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> r(size), J(size * size);
  (e.*f)(at.point(), {r.data(), J.data(), n});
  const std::vector<double> again = residual(e, f, at);
  std::vector<double> largest(size, 1e-6);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) largest[i] = std::max(largest[i], std::abs(J[i * n + j]));
    if (r[i] != again[i]) {
      take(worst, {1.0, i, -1, r[i], again[i], std::string(what) + " without Jacobian"});
    }
  }
  for (int j = 0; j < n; ++j) {
    if (at.grounded(j)) continue;
    std::vector<double> error(size, INFINITY), expected(size);
    for (double step : {2e-2, 1e-3, 5e-5}) {
      const auto d = difference(
          [&](double by) {
            Probe moved = at;
            moved.perturb(j, by);
            return residual(e, f, moved);
          },
          step);
      for (int i = 0; i < n; ++i) {
        const double scale = std::abs(d[i]) + 1e-5 * largest[i];
        const double now = std::abs(d[i] - J[i * n + j]) / scale;
        if (now < error[i] || std::isnan(now)) error[i] = now, expected[i] = d[i];
      }
    }
    for (int i = 0; i < n; ++i) {
      if (at.grounded(i)) continue;
      take(worst, {error[i], i, j, J[i * n + j], expected[i], what});
      if (J[i * n + j] != 0.0 && !s.pattern.empty() && s.pattern[i * n + j] == 0) {
        take(worst, {1.0, i, j, J[i * n + j], 0.0, "pattern"});
      }
    }
  }
}

}  // namespace

Deviation check_jacobian(const Element& e, unsigned seed, const Surroundings& around) {
  Probe at(e.shape());
  at.scatter(seed, around);
  e.begin(at.point(), at.memory());
  e.accept(at.point(), at.memory());
  Deviation worst;
  compare(worst, e, &Element::evaluate, at, "evaluate");
  if (e.shape().inertial) compare(worst, e, &Element::momentum, at, "momentum");
  return worst;
}

void Element::constraint_motion(const Point& p, std::span<double> rate,
                                std::span<double> drift) const {
  const int first = shape().algebraic_row();
  const auto at = [&](bool drives_only) {
    return [&, drives_only](double t) {
      Probe moved(shape(), p);
      moved.move(t, drives_only);
      std::vector<double> r = residual(*this, &Element::evaluate, moved);
      return std::vector<double>(r.begin() + first, r.begin() + first + shape().holonomic);
    };
  };
  const auto d = difference(at(true), 1e-3);
  const auto dd = second_difference(at(false), 2e-3);
  std::copy(d.begin(), d.end(), rate.begin());
  std::copy(dd.begin(), dd.end(), drift.begin());
}

Deviation check_constraint_motion(const Element& e, unsigned seed, const Surroundings& around) {
  Probe at(e.shape());
  at.scatter(seed, around);
  e.begin(at.point(), at.memory());
  const auto n = static_cast<std::size_t>(e.shape().holonomic);
  std::vector<double> rate(n), drift(n), by_rate(n), by_drift(n);
  e.constraint_motion(at.point(), rate, drift);
  e.Element::constraint_motion(at.point(), by_rate, by_drift);
  Deviation worst;
  for (int i = 0; i < static_cast<int>(n); ++i) {
    take(worst, {std::abs(rate[i] - by_rate[i]) / (1.0 + std::abs(by_rate[i])), i, -1, rate[i],
                 by_rate[i], "rate"});
    take(worst, {std::abs(drift[i] - by_drift[i]) / (1.0 + std::abs(by_drift[i])), i, -1, drift[i],
                 by_drift[i], "drift"});
  }
  return worst;
}

std::vector<unsigned char> probed_pattern(const Element& e, const Shape& s) {
  const int n = s.size();
  if (n > most_element_rows)
    throw std::invalid_argument("an element has " + std::to_string(n) + " rows; " +
                                std::to_string(most_element_rows) + " can be");
  const auto size = static_cast<std::size_t>(n);
  std::vector<unsigned char> pattern(size * size);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Probe at(s);
    at.scatter(seed, {});
    std::vector<double> r(size), J(size * size);
    e.evaluate(at.point(), {r.data(), J.data(), n});
    for (std::size_t i = 0; i < J.size(); ++i) {
      if (J[i] != 0.0) pattern[i] = 1;
    }
    if (!s.inertial) continue;
    std::fill(J.begin(), J.end(), 0.0);
    e.momentum(at.point(), {r.data(), J.data(), n});
    for (std::size_t i = 0; i < J.size(); ++i) {
      if (J[i] != 0.0) pattern[i] = 1;
    }
  }
  return pattern;
}

}  // namespace vernier::constrained
