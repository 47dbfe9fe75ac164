#include "vernier/kernel/spatial/attitude.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace vernier::spatial {
namespace {

const Quaternion turn_q = Quaternion(0.3, -0.2, 0.5, -0.78).normalized();
const Quaternion turn_p = Quaternion(-0.1, 0.7, 0.2, 0.6).normalized();
const Vector3 arrow(0.4, -1.3, 0.8);

TEST(Attitude, TurningTheAxesTurnsComponentsTheOtherWay) {
  // B is N turned by 90 degrees about z: what points along N's x points along B's -y
  const Quaternion quarter = turned(Vector3::UnitZ(), std::numbers::pi / 2);
  EXPECT_LT((to_body(quarter, Vector3::UnitX()) + Vector3::UnitY()).norm(), 1e-15);
}

TEST(Attitude, TheMatrixIsARotation) {
  EXPECT_LT(
      (attitude_matrix(turn_q) * attitude_matrix(turn_q).transpose() - Matrix3::Identity()).norm(),
      1e-15);
  EXPECT_NEAR(attitude_matrix(turn_q).determinant(), 1.0, 1e-15);
  EXPECT_LT((to_inertial(turn_q, to_body(turn_q, arrow)) - arrow).norm(), 1e-15);
}

TEST(Attitude, ProductsComposeAsTheMatricesDo) {
  EXPECT_LT(
      (attitude_matrix(product(turn_p, turn_q)) - attitude_matrix(turn_p) * attitude_matrix(turn_q))
          .norm(),
      1e-15);
  EXPECT_LT((product(inverse(turn_q), turn_q) - Quaternion(0, 0, 0, 1)).norm(), 1e-15);
}

TEST(Attitude, TheRateIsThatOfTheMatrix) {
  // A' = -[omega x] A, by central differences: error h^2 = 1e-10
  const Vector3 omega(0.3, -0.1, 0.2);
  const double h = 1e-5;
  const Quaternion rate = quaternion_rate(turn_q, omega);
  const Matrix3 difference =
      (attitude_matrix(turn_q + h * rate) - attitude_matrix(turn_q - h * rate)) / (2 * h);
  Matrix3 cross;
  cross << 0, -omega[2], omega[1], omega[2], 0, -omega[0], -omega[1], omega[0], 0;
  EXPECT_LT((difference + cross * attitude_matrix(turn_q)).norm(), 1e-9);
  EXPECT_NEAR(rate.dot(turn_q), 0.0, 1e-17) << "the norm does not change";
}

TEST(Attitude, TheErrorAgainstTheNegativeIdentityIsTheNegativeVectorPart) {
  // for the reference (0, 0, 0, -1) the error's vector part is -turn_q(1:3)
  const Quaternion e = attitude_error(turn_q, {0, 0, 0, -1});
  EXPECT_EQ(Vector3(e.head<3>()), Vector3(-turn_q.head<3>()));
  EXPECT_LT((attitude_error(turn_q, turn_q) - Quaternion(0, 0, 0, 1)).norm(), 1e-15);
}

}  // namespace
}  // namespace vernier::spatial
