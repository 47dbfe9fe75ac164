#pragma once

#include <nlohmann/json_fwd.hpp>

#include "vernier/run/desktop/desktop.hpp"

namespace vernier::desktop {

/// The answer to `home`: what can be run, and what was run.
nlohmann::ordered_json home_json(const Settings&);

}  // namespace vernier::desktop
