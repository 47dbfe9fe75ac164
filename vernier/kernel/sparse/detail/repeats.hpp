#pragma once

#include <vector>

#include "vernier/kernel/sparse/detail/elimination.hpp"

namespace vernier::sparse::detail {

/// Rows first … first + period · times − 1 of an elimination are blocks of `period` rows that
/// repeat, shifted by `values` numbers and `period` rows.
struct Repeat {
  int first, period, times;
  int values;
};

/// The parts of an elimination that repeat at least three times, ascending and not overlapping.
std::vector<Repeat> find_repeats(const Elimination&);

/// How many rows are in repeats.
int repeated_rows(const std::vector<Repeat>&);

}  // namespace vernier::sparse::detail
