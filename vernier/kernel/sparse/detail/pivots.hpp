#pragma once

#include <cstdint>
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

/// Which rows compete for the next pivot: all, or those left that are nearest to one end of the
/// pattern, so that what repeats along a chain is eliminated in the same way again and again.
enum class Order : std::uint8_t { least_fill, sweep };

/// Pivots of least fill by Markowitz' count among those of at least `threshold` of the largest
/// magnitude left in their row, in every sample. Rows that have become alike are eliminated one
/// after another, so that blocks stay together. Throws Singular.
Pivots choose_pivots(const Pattern&, std::span<const std::vector<double>> samples, double threshold,
                     Order = Order::least_fill);

}  // namespace vernier::sparse::detail
