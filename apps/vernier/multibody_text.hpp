#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::app {

/// Bodies, hinges, masses, inertias and frequencies of a spacecraft, and the cost of its
/// evaluation; takes about 0.1 s, since the costs are measured.
std::string multibody_text(const multibody::Spacecraft&, std::string_view indent);
nlohmann::ordered_json multibody_json(const multibody::Spacecraft&);

}  // namespace vernier::app
