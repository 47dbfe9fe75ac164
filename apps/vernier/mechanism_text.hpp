#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "vernier/model/multibody_loops/mechanism.hpp"

namespace vernier::app {

/// Nodes, elements and equations of a mechanism, and the cost of a step; takes some milliseconds,
/// since the cost is measured with steps of this mechanism.
std::string mechanism_text(multibody_loops::Mechanism&, std::string_view indent);
nlohmann::ordered_json mechanism_json(multibody_loops::Mechanism&);

}  // namespace vernier::app
