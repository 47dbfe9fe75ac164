#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "vernier/base/diagnostic.hpp"

namespace vernier::multibody_loops {

/// How the second number of `step` and `double step` is read where the value before the step is not
/// 0: as the value after the step, like MBDyn up to its last release, 1.7.3; or as an increment,
/// like its manual and its development since November 2018.
enum class DeckSteps { value, increment };

/// Converts an MBDyn input deck to a document of formats/constrained. Supports the subset in
/// docs/how-to/import-mbdyn.md; anything else is refused by name, with line and column. References
/// and variables are replaced by their numbers. Returns nothing if there is an error.
std::optional<std::string> import_deck(const std::filesystem::path&, Diagnostics& problems,
                                       DeckSteps = DeckSteps::value);
/// The same for text in memory; messages use `name` as the file name.
std::optional<std::string> convert_deck(std::string_view content, const std::string& name,
                                        Diagnostics& problems, DeckSteps = DeckSteps::value);

}  // namespace vernier::multibody_loops
