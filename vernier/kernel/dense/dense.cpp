#include "vernier/kernel/dense/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace vernier::dense {

VectorXd symmetric_eigenvalues(const MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

VectorXd symmetric_eigenvalues(const MatrixXd& A, const MatrixXd& B) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(A, B,
                                                            Eigen::EigenvaluesOnly | Eigen::Ax_lBx)
      .eigenvalues();
}

SymmetricEigen symmetric_eigen(const MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Spectrum spectrum(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

MatrixXd solved_positive(const MatrixXd& A, const MatrixXd& B) { return A.llt().solve(B); }

struct PivotedQr::Factors {
  Eigen::ColPivHouseholderQR<MatrixXd> qr;
};

PivotedQr::PivotedQr(const MatrixXd& A)
    : factors_(new Factors{Eigen::ColPivHouseholderQR<MatrixXd>(A)}) {}
PivotedQr::~PivotedQr() = default;

MatrixXd PivotedQr::q() const { return factors_->qr.householderQ(); }
const MatrixXd& PivotedQr::r() const noexcept { return factors_->qr.matrixR(); }
MatrixXd PivotedQr::p() const { return factors_->qr.colsPermutation(); }
const Eigen::VectorXi& PivotedQr::order() const noexcept {
  return factors_->qr.colsPermutation().indices();
}
int PivotedQr::rank() const { return static_cast<int>(factors_->qr.rank()); }

MatrixXd PivotedQr::solve(const MatrixXd& B) const {
  const auto& qr = factors_->qr;
  // Eigen refers to the first element of B, which it need not have
  if (B.cols() == 0 || qr.rows() == 0) return MatrixXd::Zero(qr.cols(), B.cols());
  return qr.solve(B);
}

}  // namespace vernier::dense
