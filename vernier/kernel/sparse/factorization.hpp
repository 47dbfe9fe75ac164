#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "vernier/kernel/sparse/pattern.hpp"

namespace vernier::sparse {

struct FactorizationSettings {
  double threshold =
      0.01;  // a pivot is at least this part of the largest left in its row, in all samples
  bool machine_code = true;  // where the machine can; else the same operations are interpreted
};

/// LU of one square unsymmetric matrix pattern, again and again, without searching: pivots are
/// chosen once, on samples, and the elimination is then a fixed program, compiled to machine code.
///
///   clear(); values()[slots()[k]] += …; factorize(); solve(b);
///
/// The same bits on every machine, interpreted or not. A copy shares the program, which never
/// changes, and has values of its own, all 0: each object serves one thread, copies several at
/// once.
class Factorization {
 public:
  using Settings = FactorizationSettings;
  struct Statistics {
    int entries;             // of the pattern
    int fill;                // entries of L and U beyond those
    long long operations;    // multiplications and subtractions of one factorize()
    std::size_t code_bytes;  // of machine code; 0: interpreted
  };

  /// `samples`: at least one set of values in the order of the pattern's entries, typical of what
  /// will come. Throws Singular if one of them is.
  Factorization(const Pattern&, std::span<const std::vector<double>> samples, const Settings& = {});
  Factorization(const Factorization&);
  Factorization(Factorization&&) noexcept;
  Factorization& operator=(Factorization&&) noexcept;
  ~Factorization();

  int size() const noexcept;
  /// slots()[k]: where in values() the pattern's entry k is.
  std::span<const int> slots() const noexcept;
  /// The matrix until factorize(), its factors afterwards. Places without a slot are to be 0.
  std::span<double> values() noexcept;
  void clear() noexcept;
  /// Does not search, allocate or fail; takes the same time whatever the values.
  Quality factorize() noexcept;
  /// b becomes the solution, in the pattern's numbering. After a factorize() that was usable, any
  /// number of times.
  void solve(std::span<double> b) const noexcept;

  Statistics statistics() const noexcept;

 private:
  struct Program;
  struct Room;
  std::shared_ptr<const Program> program_;  // shared: by copies, each on a thread of its own
  std::unique_ptr<Room> room_;
};

}  // namespace vernier::sparse
