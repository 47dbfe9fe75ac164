#pragma once

#include <span>
#include <stdexcept>
#include <vector>

namespace vernier::sparse {

struct Entry {
  int row, column;
};

/// The possible nonzeros of a square matrix; entries in any order, each position once.
struct Pattern {
  int size = 0;
  std::vector<Entry> entries;
};

/// The quality of a factorization.
struct Quality {
  bool usable = false;  // all pivots finite and not zero, all factors finite
  double growth = 0.0;  // largest magnitude in the elimination over that of the matrix
  int worst =
      0;  // row whose pivot shrank most against the samples, or first one that is not finite
};

/// The matrix is singular, exactly or within rounding errors.
struct Singular : std::runtime_error {
  Singular(std::vector<int> those_rows, std::vector<int> those_columns);

  std::vector<int> rows, columns;  // that found no pivot: equations and unknowns, equally many
                                   // (from KLU: one column only)
};

}  // namespace vernier::sparse
