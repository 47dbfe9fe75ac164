#include "vernier/kernel/constrained/rotation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "vernier/kernel/constrained/element.hpp"

namespace vernier::constrained {
namespace {

std::mt19937_64 engine(11);
double draw(double size = 1.0) {
  return std::uniform_real_distribution<double>(-size, size)(engine);
}
Vector3 draw3(double size) { return {draw(size), draw(size), draw(size)}; }
double length(const Vector3& v) { return std::sqrt(dot(v, v)); }
Vector3 direction() {
  for (;;) {
    const Vector3 v = draw3(1.0);
    if (length(v) > 0.1) return v * (1.0 / length(v));
  }
}
double difference(const Matrix3& a, const Matrix3& b) {
  double d = 0.0;
  for (int i = 0; i < 9; ++i) d = std::max(d, std::abs(a.a[i] - b.a[i]));
  return d;
}
Matrix3 transposed_product(const Matrix3& a, const Matrix3& b) { return times_transposed(a, b); }

// oracle: Rodrigues' formula in the C library's functions
Matrix3 rodrigues(const Vector3& axis, double angle) {
  const double s = std::sin(angle), c = std::cos(angle), o = 1.0 - c;
  const auto& [x, y, z] = axis;
  return {{c + o * x * x, o * x * y - s * z, o * x * z + s * y, o * x * y + s * z, c + o * y * y,
           o * y * z - s * x, o * x * z - s * y, o * y * z + s * x, c + o * z * z}};
}

TEST(Rotation, VectorsAndMatricesCorrespondUpToHalfATurn) {
  constexpr double pi = 3.14159265358979323846;
  for (double angle :
       {1e-12, 1e-6, 1e-3, 0.1, 0.9, 1.5, 2.0, 2.1, 2.8, 3.1, pi - 1e-4, pi - 1e-7, pi - 1e-10}) {
    for (int i = 0; i < 20; ++i) {
      const Vector3 axis = direction();
      const Matrix3 R = rodrigues(axis, angle);
      EXPECT_LT(difference(rotation(axis * angle), R), 2e-15);
      const Vector3 back = rotation_vector(R) - axis * angle;
      EXPECT_LT(length(back), 1e-15 + 4e-15 * angle) << angle;
    }
  }
  // half a turn exactly: either sign of the axis is right
  for (int i = 0; i < 20; ++i) {
    const Vector3 axis = direction();
    const Vector3 psi = rotation_vector(rodrigues(axis, pi));
    EXPECT_NEAR(length(psi), pi, 1e-14);
    EXPECT_NEAR(std::abs(dot(psi, axis)), pi, 1e-14);
  }
  EXPECT_EQ(length(rotation_vector(spatial::identity3<double>())), 0.0);
}

TEST(Rotation, TangentsAreDerivatives) {
  for (double size : {1e-5, 0.2, 0.9, 1.1, 3.0}) {
    const Vector3 psi = direction() * size, d = direction();
    const double e = 1e-5;
    const Matrix3 up = rotation(psi + d * e), down = rotation(psi - d * e);
    const Vector3 theta = rotations::axial(transposed_product(up, down)) * (1.0 / (4.0 * e));
    EXPECT_LT(length(tangent(psi) * d - theta), 1e-9);
    EXPECT_LT(length(inverse_tangent(psi) * (tangent(psi) * d) - d), 1e-14);
    EXPECT_LT(length(transposed_times(rotation(psi), tangent(psi) * d) - tangent(-psi) * d), 1e-14);
    EXPECT_LT(difference(spatial::turn(psi, d).J, tangent(psi)), 1e-15);
  }
}

TEST(Rotation, InverseTangentIsContinuousWhereTheFormulaChanges) {
  const Vector3 axis = direction(), d = direction();
  EXPECT_LT(
      length(inverse_tangent(axis * (1.0 + 1e-12)) * d - inverse_tangent(axis * (1.0 - 1e-12)) * d),
      1e-11);
}

TEST(Rotation, CgrVectorsMakeTheSameRotations) {
  for (double angle : {1e-9, 0.01, 0.5, 2.0, 3.0}) {
    const Vector3 axis = direction(), g = axis * (2.0 * std::tan(0.5 * angle)), d = direction();
    EXPECT_LT(difference(cgr_rotation(g), rodrigues(axis, angle)), 2e-15);
    EXPECT_LT(length(cgr_vector(cgr_rotation(g)) - g), 1e-13 * (1.0 + dot(g, g)));
    const double e = 1e-5;
    const Vector3 theta =
        rotations::axial(transposed_product(cgr_rotation(g + d * e), cgr_rotation(g - d * e))) *
        (1.0 / (4.0 * e));
    EXPECT_LT(length(cgr_tangent(g) * d - theta), 1e-9);
    EXPECT_LT(length(cgr_tangent_times(g, d) - cgr_tangent(g) * d), 1e-15);
    EXPECT_LT(length(cgr_inverse_tangent_times(g, cgr_tangent_times(g, d)) - d),
              1e-15 * (1.0 + dot(g, g)) * 10.0);
  }
}

TEST(Rotation, RenormalizingSquaresTheError) {
  Matrix3 R = rotation(draw3(2.0));
  for (double& a : R.a) a += draw(1e-6);
  const auto off = [](const Matrix3& m) {
    return difference(transposed_product(m, m), spatial::identity3<double>());
  };
  EXPECT_GT(off(R), 1e-8);
  EXPECT_LT(off(renormalized(R)), 1e-11);
  EXPECT_LT(off(renormalized(renormalized(R))), 1e-15);
}

}  // namespace
}  // namespace vernier::constrained
