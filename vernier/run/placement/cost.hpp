#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/plan.hpp"

namespace vernier::placement {

/// What the parts of a plan cost.
struct Cost {
  std::vector<double> by_part;  // s per tick of the step; empty: unknown
  double ticks = 0.0;           // over which it was measured
  std::string unknown;          // why, as a clause: "log writes files"
};

/// Runs a plan in this process for about this long, with no effect outside: not with parts that
/// stays().
Cost measured_cost(composition::Plan, const composition::Composition&,
                   std::chrono::nanoseconds wall);

}  // namespace vernier::placement
