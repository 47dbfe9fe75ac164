#pragma once

#include <Eigen/Core>
#include <memory>

/// Decompositions of dense matrices whose size is known at run time. They are instances of Eigen's
/// templates, each of which takes seconds to compile; here they are compiled once for all modules.
namespace vernier::dense {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

/// The eigenvalues of a symmetric matrix, ascending; only its lower triangle is read.
VectorXd symmetric_eigenvalues(const MatrixXd&);

/// The λ of A x = λ B x, ascending; A symmetric, B symmetric and positive definite.
VectorXd symmetric_eigenvalues(const MatrixXd& A, const MatrixXd& B);

struct SymmetricEigen {
  VectorXd values;   // ascending
  MatrixXd vectors;  // orthonormal columns
};
SymmetricEigen symmetric_eigen(const MatrixXd&);

struct Spectrum {
  VectorXcd values;
  MatrixXcd vectors;  // columns of length 1
};
/// Of any finite square matrix.
Spectrum spectrum(const MatrixXd&);

/// A⁻¹ B by Cholesky's factorization; A symmetric and positive definite.
MatrixXd solved_positive(const MatrixXd& A, const MatrixXd& B);

/// A P = Q R by Householder reflections with column pivoting: |R(i, i)| does not increase, which
/// reveals the rank.
class PivotedQr {
 public:
  explicit PivotedQr(const MatrixXd& A);
  ~PivotedQr();

  MatrixXd q() const;
  /// Only the upper triangle is R.
  const MatrixXd& r() const noexcept;
  MatrixXd p() const;
  /// Column `order()[j]` of A is column j of A P.
  const Eigen::VectorXi& order() const noexcept;
  int rank() const;
  /// The solution of A X = B, or the best in the sense of least squares.
  MatrixXd solve(const MatrixXd& B) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace vernier::dense
