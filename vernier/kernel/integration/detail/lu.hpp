#pragma once

#include <cstddef>
#include <vector>

namespace vernier::integration::detail {

/// Solves dense linear systems by Gaussian elimination with partial pivoting; allocates only in the
/// constructor.
class Lu {
 public:
  explicit Lu(std::size_t n) : n_(n), a_(n * n), pivot_(n) {}

  /// Row i, column j of the matrix, to be filled before factor().
  double& operator()(std::size_t i, std::size_t j) noexcept { return a_[i * n_ + j]; }
  /// False if the matrix is singular or not finite.
  bool factor() noexcept;
  /// b := A^-1 b.
  void solve(double* b) const noexcept;

 private:
  std::size_t n_;
  std::vector<double> a_;
  std::vector<std::size_t> pivot_;
};

}  // namespace vernier::integration::detail
