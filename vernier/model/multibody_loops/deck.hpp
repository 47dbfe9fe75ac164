#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "vernier/base/diagnostic.hpp"

namespace vernier::multibody_loops {

/// Converts an MBDyn input deck to a document of formats/constrained. Reads the common subset
/// (docs/how-to/import-mbdyn.md); everything else is refused by its name, at its line and column.
/// References and variables are resolved: the document has numbers in their place. Nothing with an
/// error.
std::optional<std::string> import_deck(const std::filesystem::path&, Diagnostics& problems);
/// The same for text in memory; `name` stands for the file in messages.
std::optional<std::string> convert_deck(std::string_view content, const std::string& name,
                                        Diagnostics& problems);

}  // namespace vernier::multibody_loops
