#pragma once

#include <span>
#include <stdexcept>
#include <vector>

namespace vernier::sparse {

struct Entry {
  int row, column;
};

/// Which places of a square matrix may differ from zero; entries in any order, each place once.
struct Pattern {
  int size = 0;
  std::vector<Entry> entries;
};

/// What a factorization tells of itself.
struct Quality {
  bool usable = false;  // all pivots finite and not zero, all factors finite
  double growth = 0.0;  // largest magnitude met in elimination, over the largest of the matrix
  int worst =
      0;  // row whose pivot shrank most against the samples, or first one that is not finite
};

/// The matrix has no inverse, or none that rounding errors leave visible.
struct Singular : std::runtime_error {
  Singular(std::vector<int> those_rows, std::vector<int> those_columns);

  std::vector<int> rows, columns;  // that found no pivot: equations and unknowns, equally many
                                   // (from KLU: one column only)
};

}  // namespace vernier::sparse
