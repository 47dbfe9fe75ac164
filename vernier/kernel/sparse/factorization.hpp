#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/sparse/pattern.hpp"

namespace vernier::sparse {

namespace detail {
struct Program;
struct Code;
}  // namespace detail

struct FactorizationSettings {
  double threshold =
      0.01;  // a pivot is at least this part of the largest left in its row, in all samples
  const char* instructions = nullptr;  // sse2, avx2 or avx512; nullptr: the best this machine has
};

/// LU of one square unsymmetric matrix pattern, again and again, without searching: pivots are
/// chosen once, on samples, and the elimination is then a fixed program over blocks of rows and
/// columns.
///
///   clear(); values()[slots()[k]] += …; factorize(); solve(b);
///
/// Every instruction set gives the same bits. Movable; one object serves one thread.
class Factorization {
 public:
  using Settings = FactorizationSettings;
  struct Statistics {
    int entries;               // of the pattern
    int fill;                  // entries of L and U beyond those, stored zeros included
    int blocks;                // of pivots that are eliminated together
    long long operations;      // multiplications and subtractions of one factorize()
    const char* instructions;  // the set in use
  };

  /// `samples`: at least one set of values in the order of the pattern's entries, typical of what
  /// will come. Throws Singular if one of them is.
  Factorization(const Pattern&, std::span<const std::vector<double>> samples, const Settings& = {});
  Factorization(Factorization&&) noexcept;
  Factorization& operator=(Factorization&&) noexcept;
  ~Factorization();

  int size() const noexcept;
  /// slots()[k]: where in values() the pattern's entry k is.
  std::span<const int> slots() const noexcept;
  /// The matrix until factorize(), its factors afterwards. Places without a slot are to stay 0.
  std::span<double> values() noexcept;
  void clear() noexcept;
  /// Does not search, allocate or fail; takes the same time whatever the values.
  Quality factorize() noexcept;
  /// b becomes the solution, in the pattern's numbering. After a factorize() that was usable, any
  /// number of times.
  void solve(std::span<double> b) const noexcept;

  Statistics statistics() const noexcept;

 private:
  struct Free {
    void operator()(double*) const noexcept;
  };

  std::unique_ptr<detail::Program> program_;
  const detail::Code* code_;
  std::unique_ptr<double[], Free> memory_;
  double* values_;
  double* reciprocals_;
  double* x_;
  const char* instructions_;
};

}  // namespace vernier::sparse
