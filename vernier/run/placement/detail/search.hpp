#pragma once

#include <span>

#include "vernier/run/placement/place.hpp"

namespace vernier::placement::detail {

/// Places the parts that are placed automatically: tries everything if that is little, else
/// improves several first placements by moves and swaps, within a bound on the work.
void search(const composition::Plan&, const Nodes&, std::span<const double> cost, Placement&);

}  // namespace vernier::placement::detail
