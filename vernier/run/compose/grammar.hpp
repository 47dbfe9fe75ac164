#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "vernier/document/document.hpp"

namespace vernier::compose {

/// What documents may contain, by root element, as their DTDs say it; the units that are usual, and
/// the functions of expressions. `grammars`: their roots are found in them.
nlohmann::json grammar(std::span<const document::Grammar> grammars);

}  // namespace vernier::compose
