#pragma once

#include <filesystem>
#include <string>

namespace vernier::app {

/// A run as named by the user: its directory, its results file, or the name alone, which is
/// searched in runs/. Throws ConfigurationError (V7503) with the nearest name.
std::filesystem::path run_argument(const std::string&);

}  // namespace vernier::app
