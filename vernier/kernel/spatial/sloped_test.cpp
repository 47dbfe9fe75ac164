#include "vernier/kernel/spatial/sloped.hpp"

#include <gtest/gtest.h>

#include "vernier/kernel/spatial/dual.hpp"

namespace vernier::spatial {
namespace {

template <class T>
T sample_of(const T& x, const T& y) {
  T s = x, c = y;
  sine_cosine(x * y - 0.3 * x, s, c);
  return (s + c / (y + 2.0)) * square_root(x + y) - -x * 1.5;
}

// oracle: Dual, which was written apart from it
TEST(Sloped, HasTheDerivativesOfADual) {
  using S = Sloped<2>;
  using D = Dual<2>;
  const S::Slopes first = {1.0, 0.0}, second = {0.0, 1.0};
  const S a = sample_of(S(0.7, first), S(1.9, second));
  const D b = sample_of(D::variable(0.7, 0), D::variable(1.9, 1));
  EXPECT_DOUBLE_EQ(a.v, b.v);
  EXPECT_NEAR(a.d[0], b.d[0], 1e-15);
  EXPECT_NEAR(a.d[1], b.d[1], 1e-15);
}

}  // namespace
}  // namespace vernier::spatial
