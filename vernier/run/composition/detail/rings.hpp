#pragma once

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/composition/plan.hpp"

namespace vernier::composition::detail {

/// V2130, a warning: parts that affect each other through connections without delay but are
/// integrated separately, so that each sees the other as of the last instant. Parts with a rate are
/// sampled on purpose and are not reported.
void warn_of_rings(const Plan&, Diagnostics&);

}  // namespace vernier::composition::detail
