#include "vernier/kernel/dense/dense.hpp"

#include <gtest/gtest.h>

namespace vernier::dense {
namespace {

/// The stiffness of a chain of n masses between two walls; its eigenvalues are 2 - 2 cos(kπ/(n+1)).
MatrixXd chain(int n) {
  MatrixXd K = 2.0 * MatrixXd::Identity(n, n);
  for (int i = 0; i + 1 < n; ++i) K(i, i + 1) = K(i + 1, i) = -1.0;
  return K;
}
double chain_value(int k, int n) { return 2.0 - 2.0 * std::cos(k * M_PI / (n + 1)); }

TEST(Dense, FindsTheEigenvaluesOfAChain) {
  const MatrixXd K = chain(7);
  const VectorXd values = symmetric_eigenvalues(K);
  const SymmetricEigen all = symmetric_eigen(K);
  for (int k = 0; k < 7; ++k) {
    EXPECT_NEAR(values[k], chain_value(k + 1, 7), 1e-14);
    EXPECT_NEAR(all.values[k], chain_value(k + 1, 7), 1e-14);
  }
  EXPECT_LT((K * all.vectors - all.vectors * all.values.asDiagonal()).norm(), 1e-14);
}

TEST(Dense, DividesByTheMassInAGeneralizedProblem) {
  const VectorXd values = symmetric_eigenvalues(chain(5), 4.0 * MatrixXd::Identity(5, 5));
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(values[k], chain_value(k + 1, 5) / 4.0, 1e-14);
}

TEST(Dense, FindsAConjugatePair) {
  // x'' + 2 ζ ω x' + ω² x = 0 with ω = 10, ζ = 0.1
  MatrixXd A(2, 2);
  A << 0, 1, -100, -2;
  const Spectrum found = spectrum(A);
  EXPECT_NEAR(found.values[0].real(), -1.0, 1e-13);
  EXPECT_NEAR(std::abs(found.values[0]), 10.0, 1e-13);
  EXPECT_EQ(found.values[0], std::conj(found.values[1]));
  EXPECT_LT((A * found.vectors - found.vectors * found.values.asDiagonal()).norm(), 1e-12);
}

TEST(Dense, SolvesWithAPositiveMatrix) {
  const MatrixXd B = MatrixXd::Random(6, 3);
  EXPECT_LT((chain(6) * solved_positive(chain(6), B) - B).norm(), 1e-14);
}

TEST(Dense, RevealsTheRankByPivoting) {
  MatrixXd A = MatrixXd::Random(6, 4);
  A.col(2) = A.col(0) - 3.0 * A.col(1);
  const PivotedQr qr(A);
  EXPECT_EQ(qr.rank(), 3);
  const MatrixXd R = qr.r().triangularView<Eigen::Upper>();
  EXPECT_LT((A * qr.p() - qr.q() * R).norm(), 1e-14);
  for (int j = 0; j < 4; ++j) EXPECT_EQ(MatrixXd(A * qr.p()).col(j), A.col(qr.order()[j]));
  for (int i = 0; i + 1 < 4; ++i) EXPECT_GE(std::abs(R(i, i)), std::abs(R(i + 1, i + 1)));
}

TEST(Dense, SolvesByLeastSquares) {
  const MatrixXd A = MatrixXd::Random(8, 3), B = MatrixXd::Random(8, 2);
  const MatrixXd X = PivotedQr(A).solve(B);
  EXPECT_LT((A.transpose() * (A * X - B)).norm(), 1e-14);  // the normal equations
}

TEST(Dense, SolvesForNothing) {
  const MatrixXd X = PivotedQr(MatrixXd::Random(4, 4)).solve(MatrixXd(4, 0));
  EXPECT_EQ(X.rows(), 4);
  EXPECT_EQ(X.cols(), 0);
}

}  // namespace
}  // namespace vernier::dense
