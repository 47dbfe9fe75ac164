#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "vernier/run/placement/cost.hpp"
#include "vernier/run/placement/forecast.hpp"
#include "vernier/run/placement/nodes.hpp"
#include "vernier/run/placement/place.hpp"

namespace vernier::app {

/// A plan on several nodes, and what is expected of it.
struct PlacedPlan {
  const composition::Plan& plan;
  const placement::Nodes& nodes;
  const placement::Cost& cost;
  const placement::Placement& placement;
  const placement::Forecast& forecast;
};

/// The text of `vernier info DOC --on …`; of long lists only the beginning, unless `all` is wanted.
std::string placement_text(const PlacedPlan&, bool all);
nlohmann::ordered_json placement_json(const PlacedPlan&);

}  // namespace vernier::app
