#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::app {

/// Bodies, hinges, masses and degrees of freedom of a spacecraft.
std::string multibody_text(const multibody::Spacecraft&, std::string_view indent);
nlohmann::ordered_json multibody_json(const multibody::Spacecraft&);

}  // namespace vernier::app
