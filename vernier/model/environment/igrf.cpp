#include "vernier/model/environment/igrf.hpp"

#include <cmath>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"

namespace vernier::embedded {
std::string_view environment(std::string_view file) noexcept;
}

namespace vernier::environment {
namespace {

constexpr double reference_radius = 6371.2e3;  // m

// The factor from Schmidt semi-normalised to unnormalised associated Legendre functions.
double schmidt(int n, int m) {
  double square = m == 0 ? 1.0 : 2.0;
  for (int k = n - m + 1; k <= n + m; ++k) square /= k;
  return std::sqrt(square);
}

}  // namespace

Igrf::Igrf(double year, int degree) : degree_(degree) {
  if (!(year >= first_year && year <= last_year)) throw std::out_of_range("IGRF-14: 2000 to 2030");
  require(degree >= 1 && degree <= most);
  // The columns of the epochs before and after; the last column is nT/year.
  constexpr int epochs = 6;
  const int before = std::min(static_cast<int>((year - first_year) / 5.0), epochs - 1);
  int rows = 0;
  for (const std::string_view line : split(embedded::environment("data/igrf/igrf14.txt"), '\n')) {
    if (line.empty() || line[0] == '#' || line.starts_with("g/h")) continue;
    const auto parts = words(line);
    require(parts.size() == 3 + epochs + 1);
    const auto number = [&parts](int i) { return parsed_real(parts[i]).value(); };
    const int n = static_cast<int>(number(1)), m = static_cast<int>(number(2));
    require(n >= 1 && n <= most && m >= 0 && m <= n);
    ++rows;
    const double start = number(3 + before);
    const double rate =
        before + 1 < epochs ? (number(3 + before + 1) - start) / 5.0 : number(3 + epochs);
    const double scale = 1e-9 * schmidt(n, m);
    const double value = start + rate * (year - (first_year + 5.0 * before));
    Term& term = terms_[index(n, m)];
    (parts[0] == "g" ? term.g : term.h) = scale * value;
    (parts[0] == "g" ? term.g_rate : term.h_rate) = scale * rate;
  }
  require(rows == most * (most + 2));
}

spatial::Vector3 Igrf::field(const spatial::Vector3& r, double years) const noexcept {
  // V(n,m), W(n,m) = (a/r)^(n+1) P(n,m)(sin latitude) {cos, sin}(m longitude), by Cunningham's
  // recursion (Montenbruck and Gill, Satellite Orbits, eqs. 3.29 to 3.31): no singularity at the
  // poles
  std::array<double, (most + 2) * (most + 3) / 2> V, W;
  const double r2 = r.squaredNorm(), rho = reference_radius * reference_radius / r2;
  const double x = reference_radius * r[0] / r2, y = reference_radius * r[1] / r2,
               z = reference_radius * r[2] / r2;
  V[0] = reference_radius / std::sqrt(r2);
  W[0] = 0.0;
  const int last = degree_ + 1;
  for (int m = 0; m <= last; ++m) {
    if (m > 0) {
      const int at = index(m, m), from = index(m - 1, m - 1);
      V[at] = (2 * m - 1) * (x * V[from] - y * W[from]);
      W[at] = (2 * m - 1) * (x * W[from] + y * V[from]);
    }
    double v2 = 0.0, w2 = 0.0, v1 = V[index(m, m)], w1 = W[index(m, m)];
    for (int n = m + 1; n <= last; ++n) {
      const double inverse = 1.0 / (n - m);
      const double v = ((2 * n - 1) * z * v1 - (n + m - 1) * rho * v2) * inverse;
      const double w = ((2 * n - 1) * z * w1 - (n + m - 1) * rho * w2) * inverse;
      V[index(n, m)] = v;
      W[index(n, m)] = w;
      v2 = v1;
      w2 = w1;
      v1 = v;
      w1 = w;
    }
  }
  // B = -grad(a sum(g V + h W)); partial derivatives as in Montenbruck and Gill, eq. 3.33.
  spatial::Vector3 b = spatial::Vector3::Zero();
  for (int n = 1; n <= degree_; ++n) {
    const Term& zonal = terms_[index(n, 0)];
    const double c0 = zonal.g + zonal.g_rate * years;
    b[0] += c0 * V[index(n + 1, 1)];
    b[1] += c0 * W[index(n + 1, 1)];
    b[2] += (n + 1) * c0 * V[index(n + 1, 0)];
    for (int m = 1; m <= n; ++m) {
      const Term& term = terms_[index(n, m)];
      const double c = term.g + term.g_rate * years, s = term.h + term.h_rate * years;
      const int up = index(n + 1, m + 1), down = index(n + 1, m - 1), same = index(n + 1, m);
      const double f = (n - m + 1) * (n - m + 2);
      b[0] += 0.5 * (c * V[up] + s * W[up] - f * (c * V[down] + s * W[down]));
      b[1] += 0.5 * (c * W[up] - s * V[up] + f * (c * W[down] - s * V[down]));
      b[2] += (n - m + 1) * (c * V[same] + s * W[same]);
    }
  }
  return b;
}

}  // namespace vernier::environment
