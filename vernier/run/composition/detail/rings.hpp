#pragma once

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/composition/plan.hpp"

namespace vernier::composition::detail {

/// V2130, a warning: parts that act on each other through connections without delay but are
/// integrated apart, so that each sees the other as of the last instant. Parts with a rate are
/// sampled on purpose and close no ring.
void warn_of_rings(const Plan&, Diagnostics&);

}  // namespace vernier::composition::detail
