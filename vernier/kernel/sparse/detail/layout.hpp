#pragma once

#include <vector>

#include "vernier/kernel/sparse/detail/pivots.hpp"

namespace vernier::sparse::detail {

using Lists = std::vector<std::vector<int>>;

/// Rows of L + U in the order of pivots, columns ascending: those of the pattern and the fill-in.
Lists filled_rows(const Pattern&, const Pivots&);

/// Groups of up to four columns that contain every column once.
struct Groups {
  std::vector<int> of, lane;  // of columns
  std::vector<int> widths;    // 1, 2 or 4
};

/// Groups neighbours in the order of pivots or of the pattern, whichever costs less.
Groups group_columns(const Lists& rows, const Pivots&);

}  // namespace vernier::sparse::detail
