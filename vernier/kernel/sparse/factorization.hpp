#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/sparse/pattern.hpp"

namespace vernier::sparse {

struct FactorizationSettings {
  double threshold = 0.01;  // a pivot is at least this fraction of the largest remaining in its row
  bool machine_code = true;  // if supported; otherwise the same operations are interpreted
};

/// Repeated LU factorization of one square unsymmetric matrix pattern without pivot search: pivots
/// are chosen once, on samples, and the elimination is then a fixed program, compiled to machine
/// code.
///
///   clear(); values()[slots()[k]] += …; factorize(); solve(b);
///
/// The results have the same bits on every machine, interpreted or not. A copy shares the immutable
/// program and has its own values, all 0: each object serves one thread, copies several at once.
class Factorization {
 public:
  using Settings = FactorizationSettings;
  struct Statistics {
    int entries;             // of the pattern
    int fill;                // entries of L and U beyond those
    long long operations;    // multiplications and subtractions of one factorize()
    std::size_t code_bytes;  // of machine code; 0: interpreted
  };

  /// `samples`: at least one typical set of values, in the order of the pattern's entries. Throws
  /// Singular if one of them is singular.
  Factorization(const Pattern&, std::span<const std::vector<double>> samples, const Settings& = {});
  Factorization(const Factorization&);
  Factorization(Factorization&&) noexcept;
  Factorization& operator=(Factorization&&) noexcept;
  ~Factorization();

  int size() const noexcept;
  /// slots()[k]: the position of the pattern's entry k in values().
  std::span<const int> slots() const noexcept;
  /// The matrix before factorize(), its factors afterwards. Positions without a slot must be 0.
  std::span<double> values() noexcept;
  void clear() noexcept;
  /// Does not search, allocate or fail; the time does not depend on the values.
  Quality factorize() noexcept;
  /// b becomes the solution, in the numbering of the pattern. May be called any number of times
  /// after a usable factorize().
  void solve(std::span<double> b) const noexcept;

  Statistics statistics() const noexcept;

 private:
  struct Program;
  struct Room;
  std::shared_ptr<const Program> program_;  // shared between copies, each in its own thread
  std::unique_ptr<Room> room_;
};

}  // namespace vernier::sparse
