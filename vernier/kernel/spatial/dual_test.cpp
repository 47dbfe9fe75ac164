#include "vernier/kernel/spatial/dual.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/kernel/spatial/turns.hpp"

namespace vernier::spatial {
namespace {

// uses every operation once; smooth and well inside the domains
template <class T>
T formula(const T& x, const T& y) {
  using std::abs, std::atan, std::atan2, std::cos, std::exp, std::log, std::pow, std::sin,
      std::sqrt, std::tan, std::tanh;
  T r = 2.0 * sin(x) * cos(y) + tan(x * 0.3) / exp(-y);
  r += log(x + 3.0) - sqrt(x * x + y * y + 1.0);
  r -= tanh(x - y) * atan(y) + atan2(y + 2.0, x);
  r *= pow(x + 2.0, 1.7);
  r /= abs(y - 4.0);
  return -r + 1.0 - x;
}

TEST(Dual, CarriesTheDerivativesOfEveryFunction) {
  const double x = 0.37, y = -0.81, h = 1e-4;
  const auto r = formula(Dual<2>::variable(x, 0), Dual<2>::variable(y, 1));
  EXPECT_EQ(r.v, formula(x, y));
  // oracle: differences of fourth order, error h⁴ and rounding / h
  const auto difference = [h](auto f) {
    return (f(-2 * h) - f(2 * h) + 8.0 * (f(h) - f(-h))) / (12.0 * h);
  };
  EXPECT_NEAR(r.d[0], difference([&](double e) { return formula(x + e, y); }), 1e-10);
  EXPECT_NEAR(r.d[1], difference([&](double e) { return formula(x, y + e); }), 1e-10);
}

TEST(Dual, ComparesByValue) {
  const auto a = Dual<1>::variable(1.0, 0);
  EXPECT_TRUE(a < 2.0 && a <= 1.0 && a > 0.5 && a >= 1.0);
  EXPECT_FALSE(a < 1.0 || a > 1.0);
}

TEST(Dual, StandsForTheNumberOfRotations) {
  // large, medium and small angles take different branches
  for (const double size : {2.5, 0.9, 0.01}) {
    using D = Dual<3>;
    const Vec3<double> at = {0.3 * size, -0.7 * size, 0.5 * size};
    const Vec3<D> psi = {D::variable(at.x, 0), D::variable(at.y, 1), D::variable(at.z, 2)};
    const Vec3<D> zero = zero3<D>();
    const auto t = turn(psi, zero);
    const auto plain = turn(at, Vec3<double>{});
    for (int k = 0; k < 3; ++k) {
      Mat3<double> dR;
      for (int i = 0; i < 9; ++i) {
        EXPECT_NEAR(t.R.a[i].v, plain.R.a[i], 1e-15);
        dR.a[i] = t.R.a[i].d[k];
      }
      // ∂R/∂ψ_k Rᵀ = skew(column k of the left Jacobian)
      const Mat3<double> W = times_transposed(dR, plain.R);
      EXPECT_NEAR(W.a[7], column(plain.J, k).x, 1e-13);
      EXPECT_NEAR(W.a[2], column(plain.J, k).y, 1e-13);
      EXPECT_NEAR(W.a[3], column(plain.J, k).z, 1e-13);
    }
  }
}

}  // namespace
}  // namespace vernier::spatial
