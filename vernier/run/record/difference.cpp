#include "vernier/run/record/difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vernier/base/require.hpp"
#include "vernier/run/record/detail/pairing.hpp"
#include "vernier/run/record/detail/thinning.hpp"

namespace vernier::record {

std::size_t last_of_instant(const std::vector<double>& t, std::size_t i) noexcept {
  while (i + 1 < t.size() && t[i + 1] == t[i]) ++i;
  return i;
}

std::vector<double> shifted_times(std::vector<double> second, double shift,
                                  const std::vector<double>& first) {
  if (shift == 0.0) return second;
  // times are whole nanoseconds; the sum of two is off by rounding
  constexpr double half = 0.5e-9, eps = std::numeric_limits<double>::epsilon();
  std::size_t next = 0;
  for (double& t : second) {
    t += shift;
    const double near = std::max(half, 2.0 * eps * std::abs(t));
    while (next < first.size() && first[next] < t - near) ++next;
    if (next < first.size() && std::abs(first[next] - t) <= near) t = first[next];
  }
  return second;
}

Trace difference(const ResultReader& a, const Signal& x, const ResultReader& b, const Signal& y,
                 std::uint32_t element, double shift, std::size_t most_points) {
  require(element < x.spec.count && element < y.spec.count);
  const Trace first = a.trace(x, element);
  Trace second = b.trace(y, element);
  second.time = shifted_times(std::move(second.time), shift, first.time);
  const auto of = [](const Trace& t) { return [&t](std::size_t i) { return t.values[i]; }; };

  Trace all;
  const auto put = [&](double t, double v) {
    all.time.push_back(t);
    all.values.push_back(v);
  };
  pair_rows(
      first.time, second.time,
      [&](std::size_t i, std::size_t j) { put(first.time[i], first.values[i] - second.values[j]); },
      [&](std::size_t i, std::size_t j) {
        if (j == 0 || j == second.time.size()) return;
        const double t = first.time[i];
        put(t, first.values[i] - value_between(second.time, j, t, y.spec.held, of(second)));
      },
      [&](std::size_t i, std::size_t j) {
        if (i == 0 || i == first.time.size()) return;
        const double t = second.time[j];
        put(t, value_between(first.time, i, t, x.spec.held, of(first)) - second.values[j]);
      },
      [](std::size_t, std::size_t) {});
  if (most_points == 0 || all.time.size() <= most_points) return all;
  Trace thin;
  Thinning thinning(thin, all.time.front(), all.time.back(), most_points);
  for (std::size_t i = 0; i < all.time.size(); ++i) thinning.take({i, all.time[i], all.values[i]});
  thinning.finish();
  return thin;
}

std::optional<double> crossing(const ResultReader& results, const Signal& s, std::uint32_t element,
                               double level, Crossing how, std::uint64_t n) {
  require(element < s.spec.count);
  const Trace t = results.trace(s, element);
  for (std::size_t i = 1; i < t.time.size(); ++i) {
    const double before = t.values[i - 1] - level, after = t.values[i] - level;
    const bool up = before < 0.0 && after >= 0.0, down = before > 0.0 && after <= 0.0;
    if (!(up && how != Crossing::falling) && !(down && how != Crossing::rising)) continue;
    if (--n > 0) continue;
    if (s.spec.held || t.time[i] == t.time[i - 1]) return t.time[i];
    return t.time[i - 1] + (t.time[i] - t.time[i - 1]) * (before / (before - after));
  }
  return {};
}

}  // namespace vernier::record
