#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "vernier/net/web_server.hpp"
#include "vernier/run/desktop/desktop.hpp"

namespace vernier::desktop {

/// The answer to `home`: what can be run, and what was run.
nlohmann::ordered_json home_json(const Settings&);

/// The picture of what is offered, by the path in that answer; none if there is no such path.
std::optional<net::WebAnswer> picture(const Settings&, std::string_view path);

}  // namespace vernier::desktop
