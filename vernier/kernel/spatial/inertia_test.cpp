#include "vernier/kernel/spatial/inertia.hpp"

#include <gtest/gtest.h>

namespace vernier::spatial {
namespace {

InertiaCheck of(double x, double y, double z) {
  const Matrix3 J = Vector3(x, y, z).asDiagonal();
  return checked_inertia(J, J.norm());
}

// Points at ±a on the axes have moments 2m(b² + c²), …: every body is a sum of such.
TEST(Inertia, OfPointMassesIsThatOfABody) {
  const double a = 0.3, b = 2.0, c = 0.01;
  const InertiaCheck found = of(b * b + c * c, a * a + c * c, a * a + b * b);
  EXPECT_TRUE(found.positive);
  EXPECT_TRUE(found.triangle);
}

TEST(Inertia, OfADiscIsOnTheEdge) { EXPECT_TRUE(of(1.0, 1.0, 2.0).triangle); }

TEST(Inertia, LargerThanTheSumOfTheOthersIsOfNoBody) {
  const InertiaCheck found = of(1.0, 5.0, 1.0);
  EXPECT_TRUE(found.positive);
  EXPECT_FALSE(found.triangle);
  EXPECT_EQ(broken_triangle(found), "breaks the triangle inequality: 5 > 1 + 1 kg m^2");
}

TEST(Inertia, WithANegativeMomentIsOfNoBody) { EXPECT_FALSE(of(-1.0, 2.0, 2.0).positive); }

TEST(Inertia, IsCheckedInItsPrincipalAxes) {
  Matrix3 J;
  J << 2.0, 1.9, 0.0, 1.9, 2.0, 0.0, 0.0, 0.0, 2.0;  // principal moments 0.1, 2, 3.9
  EXPECT_FALSE(checked_inertia(J, J.norm()).triangle);
}

}  // namespace
}  // namespace vernier::spatial
