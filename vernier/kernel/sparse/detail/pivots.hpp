#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/kernel/sparse/pattern.hpp"

namespace vernier::sparse::detail {

/// An order of elimination: pivot k is in rows[k], columns[k]; magnitudes[k] is its smallest
/// magnitude in the samples.
struct Pivots {
  std::vector<int> rows, columns;
  std::vector<double> magnitudes;
};

/// The candidates for the next pivot: all rows, or the remaining rows nearest to one end of the
/// pattern, so that repeated parts of a chain are eliminated in the same way.
enum class Order : std::uint8_t { least_fill, sweep };

/// Chooses pivots of least fill-in by Markowitz' count among those of at least `threshold` of the
/// largest magnitude in their row, in every sample. Rows that have become alike are eliminated one
/// after another, so that blocks stay together. Throws Singular.
Pivots choose_pivots(const Pattern&, std::span<const std::vector<double>> samples, double threshold,
                     Order = Order::least_fill);

}  // namespace vernier::sparse::detail
