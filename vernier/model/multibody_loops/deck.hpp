#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "vernier/base/diagnostic.hpp"

namespace vernier::multibody_loops {

/// Converts an MBDyn input deck to a document of formats/constrained. Supports the subset in
/// docs/how-to/import-mbdyn.md; anything else is refused by name, with line and column. References
/// and variables are replaced by their numbers. Returns nothing if there is an error.
std::optional<std::string> import_deck(const std::filesystem::path&, Diagnostics& problems);
/// The same for text in memory; messages use `name` as the file name.
std::optional<std::string> convert_deck(std::string_view content, const std::string& name,
                                        Diagnostics& problems);

}  // namespace vernier::multibody_loops
