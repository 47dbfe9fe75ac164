#pragma once

#include <span>

#include "vernier/run/placement/place.hpp"

namespace vernier::placement::detail {

/// Chooses the further nodes of parts with replicas.
void place_replicas(const composition::Plan&, const Nodes&, std::span<const double> cost,
                    Placement&, Diagnostics& problems);

}  // namespace vernier::placement::detail
