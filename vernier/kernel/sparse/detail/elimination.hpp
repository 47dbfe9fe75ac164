#pragma once

#include <cstdint>
#include <vector>

#include "vernier/kernel/sparse/detail/pivots.hpp"

namespace vernier::sparse::detail {

/// The symbolic elimination of one pattern in one order of pivots: positions and operations.
///
/// Rows and columns are numbered in the order of pivots. A row holds its factors (L, with the pivot
/// on the diagonal) and the entries right of the pivot (U, divided by it). Up to four columns form
/// a group, chosen so that they mostly occur together. A row stores a whole group or none of it, as
/// a cell of 1, 2 or 4 numbers, with zeros where it has no entry. One vector instruction then acts
/// on a whole cell.
struct Elimination {
  struct Cell {
    int at;  // in the values
    int width;
    // of right cells: where the entries are until they are divided, another cell if the row also
    // has factors or the pivot in the group; then only `lanes` (bits) belong to U, and the others
    // are 0 here
    int from;
    unsigned lanes;
  };
  /// Row − value·(U of pivot): right cell m of the pivot's row acts on cell targets[first + m].
  struct Factor {
    int value, pivot, first;
  };
  struct Term {
    int value, column;
  };

  int size = 0;
  int values = 0;
  std::vector<int> slots;              // of the pattern's entries in the values
  std::vector<int> row_at, column_at;  // of the pattern, by pivot
  std::vector<double> references;      // smallest magnitudes of pivots in the samples

  std::vector<Cell> cells;  // of row i: rows[i] … rights[i] with factors or the pivot, rights[i] …
                            // rows[i + 1] without
  std::vector<int> rows, rights;
  std::vector<int> row_values;    // of rows: where their values begin
  std::vector<int> pivots;        // where they are
  std::vector<int> pivot_cells;   // of rows
  std::vector<int> factor_cells;  // of factors, as below
  std::vector<int> factors_of;  // of rows: factors_of[i] … factors_of[i + 1], by pivot ascending
  std::vector<Factor> factors;
  std::vector<int> targets;
  std::vector<int> terms_of;  // of rows, as above
  std::vector<Term> terms;    // U, by column descending

  int entries = 0;  // of L and U
  long long operations = 0;
};

Elimination make_elimination(const Pattern&, const Pivots&);

/// The high half of the bits of a magnitude: ordered like magnitudes, with values that are not
/// finite above all others.
std::uint32_t high_bits(double) noexcept;

/// LU in place; `reciprocals` of pivots. Returns high_bits() of the largest magnitude in the rows
/// of pivots.
std::uint32_t factorize(const Elimination&, double* values, double* reciprocals) noexcept;
/// Solves for `b` in the numbering of the pattern; `work` has the same size.
void solve(const Elimination&, const double* values, const double* reciprocals, double* b,
           double* work) noexcept;

}  // namespace vernier::sparse::detail
