#pragma once

#include <span>
#include <vector>

#include "vernier/kernel/sparse/pattern.hpp"

namespace vernier::sparse::detail {

/// An order of elimination: pivot k stands in rows[k], columns[k]; magnitudes[k] is its smallest
/// magnitude in the samples.
struct Pivots {
  std::vector<int> rows, columns;
  std::vector<double> magnitudes;
};

/// Pivots of least fill by Markowitz' count among those of at least `threshold` of the largest
/// magnitude left in their row, in every sample. Rows that have become alike are eliminated one
/// after another, so that blocks stay together. Throws Singular.
Pivots choose_pivots(const Pattern&, std::span<const std::vector<double>> samples,
                     double threshold);

}  // namespace vernier::sparse::detail
