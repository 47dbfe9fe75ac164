#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::app {

/// Bodies, hinges, masses, inertias, frequencies of a spacecraft and what it costs to compute;
/// takes about 0.1 s, for the costs are measured.
std::string multibody_text(const multibody::Spacecraft&, std::string_view indent);
nlohmann::ordered_json multibody_json(const multibody::Spacecraft&);

}  // namespace vernier::app
