#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/sparse/pattern.hpp"

namespace vernier::sparse {

/// The same by KLU of SuiteSparse (Davis, Palamadai Natarajan 2010): slower, and with pivots that a
/// full factorization chooses again for whatever the values are.
class KluFactorization {
 public:
  /// Pivots for `sample`, values in the order of the pattern's entries. Throws Singular.
  KluFactorization(const Pattern&, std::span<const double> sample);
  KluFactorization(KluFactorization&&) noexcept;
  KluFactorization& operator=(KluFactorization&&) noexcept;
  ~KluFactorization();

  int size() const noexcept;
  /// slots()[k]: where in values() the pattern's entry k is.
  std::span<const int> slots() const noexcept;
  /// The matrix, compressed by columns; factorize() leaves it as it is.
  std::span<double> values() noexcept;
  void clear() noexcept;
  /// With the pivots there are: no allocation. `growth` is by column: the largest of KLU's U
  /// against the largest of the scaled matrix; `worst` is the row of the smallest pivot, or of the
  /// one that is zero.
  Quality factorize() noexcept;
  /// Chooses pivots for the values there are. Allocates. Throws Singular.
  void choose_pivots();
  /// b becomes the solution. After a factorize() that was usable, any number of times.
  void solve(std::span<double> b) noexcept;
  /// Smallest pivot over largest, after factorize(): a cheap and rough reciprocal of the condition
  /// number.
  double reciprocal_condition() const noexcept;

 private:
  struct Klu;
  std::unique_ptr<Klu> klu_;
};

}  // namespace vernier::sparse
