#pragma once

#include <string_view>

#include "vernier/run/desktop/desktop.hpp"

namespace vernier::app {

/// Serves the desktop until Ctrl-C: prints its addresses and, if `browser`, opens it where there is
/// a display. Fills in what every desktop has: page, version, missions and examples. Without a
/// `port`, one that is free. Returns the exit status; throws ConfigurationError.
int serve_desktop(desktop::Settings, bool browser);

/// The page of the desktop, as the program has it.
std::string_view desktop_page() noexcept;

}  // namespace vernier::app
