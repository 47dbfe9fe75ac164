#pragma once

#include <cstdint>
#include <vector>

#include "vernier/kernel/sparse/detail/pivots.hpp"

namespace vernier::sparse::detail {

/// The elimination of one pattern in one order: where everything is, and what acts on what.
///
/// Rows and columns are counted in the order of pivots. A row holds its factors (L, with the pivot
/// on the diagonal), the pivot, and what is right of it (U, divided by the pivot). Columns of a
/// part may be in another order than pivots.
struct Elimination {
  int size = 0;
  std::vector<int> starts, pivots, ends;  // of rows in the values; starts ≤ L < pivots < U < ends
  std::vector<int> columns;               // of the values
  std::vector<int> slots;                 // of the pattern's entries in the values
  std::vector<int> row_at, column_at;     // of the pattern, by pivot
  std::vector<double> references;         // smallest magnitudes of pivots in the samples

  /// row − value·(U of pivot): U's entry m acts on values[targets[first + m]].
  struct Factor {
    int value, pivot, first;
  };
  std::vector<int> factors_of;  // of rows: factors_of[i] … factors_of[i + 1], by pivot ascending
  std::vector<Factor> factors;
  std::vector<int> targets;
  std::vector<int> rights;  // values of U, rows as in the values, by pivot descending
  long long operations = 0;

  int values() const noexcept { return starts.back(); }
};

/// `by_pivot`: columns are stored in the order of pivots, else in that of the pattern.
Elimination make_elimination(const Pattern&, const Pivots&, bool by_pivot);

/// The high half of the bits of a magnitude: ordered like magnitudes, what is not finite above all
/// others.
std::uint32_t high_bits(double) noexcept;

/// LU in place; `reciprocals` of pivots. Answers high_bits() of the largest magnitude met in
/// pivots' rows.
std::uint32_t factorize(const Elimination&, double* values, double* reciprocals) noexcept;
/// `b` in the pattern's numbering, `work` as large.
void solve(const Elimination&, const double* values, const double* reciprocals, double* b,
           double* work) noexcept;

}  // namespace vernier::sparse::detail
