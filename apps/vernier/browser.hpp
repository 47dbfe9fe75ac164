#pragma once

#include <string>

namespace vernier::app {

/// Whether there is a display, and a program that opens addresses on it (xdg-open).
bool has_browser();
/// Opens an address; the browser stays when this program ends. False: it could not be started.
bool open_browser(const std::string& address);

}  // namespace vernier::app
