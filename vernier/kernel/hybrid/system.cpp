#include "vernier/kernel/hybrid/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::hybrid {

namespace {

// Mean square of the direction relative to the magnitude of the point, element by element.
double relative_square(std::span<const double> at, std::span<const double> along) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < along.size(); ++i) {
    const double ratio = along[i] / (std::abs(at[i]) + 1e-3);
    sum += ratio * ratio;
  }
  return sum;
}

void displace(std::span<const double> at, std::span<const double> along, double h,
              std::span<double> result) noexcept {
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = at[i] + (along.empty() ? 0.0 : h * along[i]);
  }
}

}  // namespace

std::size_t size(std::span<const Signal> signals) noexcept {
  std::size_t elements = 0;
  for (const Signal& s : signals) elements += s.count;
  return elements;
}

void System::guards(const Point&, std::span<double> z, Scratch) const noexcept {
  std::fill(z.begin(), z.end(), 1.0);
}

bool System::select(const Point&, std::span<const std::uint8_t>, std::span<int> chosen,
                    Scratch) const noexcept {
  std::fill(chosen.begin(), chosen.end(), -1);
  return false;
}

void System::jump(const Point&, std::span<const int>, Jump&, Scratch) const noexcept {}

void System::witness(const Point&, int, int, std::span<double, 2> sides, Scratch) const noexcept {
  sides[0] = sides[1] = std::numeric_limits<double>::quiet_NaN();
}

bool System::explain(const Point&, Complaint&, Scratch) const noexcept { return false; }

void System::tangent(const Point& p, const Direction& d, const Tangent& wanted,
                     Scratch scratch) const noexcept {
  const std::size_t n = p.x.size();
  const std::size_t m = p.u.size();
  const std::size_t extra = extra_work(spec());
  const Scratch inner = scratch.first(scratch.size() - extra);
  Scratch rest = scratch.last(extra);
  const auto take = [&rest](std::size_t count) {
    const Scratch piece = rest.first(count);
    rest = rest.subspan(count);
    return piece;
  };
  const std::span<double> x = take(n);
  const std::span<double> u = take(m);
  const std::span<double> before = rest;

  // the truncation error grows with h^2, that of rounding with 1/h: balanced at the cube root
  const double t_ratio = d.t / (std::abs(p.t) + 1.0);
  const double length =
      std::sqrt(relative_square(p.x, d.x) + relative_square(p.u, d.u) + t_ratio * t_ratio);
  const double h =
      length > 0.0 ? elementary::cbrt(std::numeric_limits<double>::epsilon()) / length : 1.0;

  const auto at = [&](double step) {
    displace(p.x, d.x, step, x);
    displace(p.u, d.u, step, u);
    return Point{p.t + step * d.t, x, p.mode, u};
  };
  const auto difference = [&](std::span<double> result, auto evaluate) {
    if (result.empty()) return;
    const std::span<double> low = before.first(result.size());
    evaluate(at(-h), low);
    evaluate(at(h), result);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = (result[i] - low[i]) / (2.0 * h);
  };
  difference(wanted.xdot, [&](const Point& q, std::span<double> r) noexcept { flow(q, r, inner); });
  difference(wanted.y, [&](const Point& q, std::span<double> r) noexcept { output(q, r, inner); });
  difference(wanted.z, [&](const Point& q, std::span<double> r) noexcept { guards(q, r, inner); });
}

std::size_t System::extra_work(const SystemSpec& spec) noexcept {
  const std::size_t n = size(spec.states);
  return n + size(spec.inputs) + std::max({n, size(spec.outputs), spec.guards});
}

}  // namespace vernier::hybrid
