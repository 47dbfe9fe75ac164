#pragma once

#include <filesystem>
#include <string>

namespace vernier::app {

/// What a user names as a run: its folder, its results file, or the name alone, which is then
/// looked for in runs/. Throws ConfigurationError (V7503) with the nearest name.
std::filesystem::path run_argument(const std::string&);

}  // namespace vernier::app
