#pragma once

#include <vector>

#include "vernier/kernel/sparse/detail/elimination.hpp"

namespace vernier::sparse::detail {

/// Rows first … first + period · times − 1 of an elimination are blocks of `period` rows, each the
/// one before again, all places moved by `values` numbers and `period` rows.
struct Repeat {
  int first, period, times;
  int values;
};

/// Where an elimination repeats itself at least three times: ascending, not overlapping.
std::vector<Repeat> find_repeats(const Elimination&);

/// How many rows are in repeats.
int repeated_rows(const std::vector<Repeat>&);

}  // namespace vernier::sparse::detail
