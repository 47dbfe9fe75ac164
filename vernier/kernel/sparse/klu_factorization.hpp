#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/sparse/pattern.hpp"

namespace vernier::sparse {

/// The same by KLU of SuiteSparse (Davis, Palamadai Natarajan 2010): slower, but a full
/// factorization can choose new pivots for any values.
class KluFactorization {
 public:
  /// Pivots for `sample`, values in the order of the pattern's entries. Throws Singular.
  KluFactorization(const Pattern&, std::span<const double> sample);
  KluFactorization(KluFactorization&&) noexcept;
  KluFactorization& operator=(KluFactorization&&) noexcept;
  ~KluFactorization();

  int size() const noexcept;
  /// slots()[k]: the position of the pattern's entry k in values().
  std::span<const int> slots() const noexcept;
  /// The matrix, compressed by columns; factorize() leaves it as it is.
  std::span<double> values() noexcept;
  void clear() noexcept;
  /// Factorizes with the current pivots, without allocation. `growth` is by column: the largest of
  /// KLU's U relative to the largest of the scaled matrix; `worst` is the row of the smallest
  /// pivot, or of a zero pivot.
  Quality factorize() noexcept;
  /// Chooses pivots for the current values. Allocates. Throws Singular.
  void choose_pivots();
  /// b becomes the solution. After a factorize() that was usable, any number of times.
  void solve(std::span<double> b) noexcept;
  /// Smallest pivot over largest, after factorize(): a rough estimate of the reciprocal condition
  /// number.
  double reciprocal_condition() const noexcept;

 private:
  struct Klu;
  std::unique_ptr<Klu> klu_;
};

}  // namespace vernier::sparse
