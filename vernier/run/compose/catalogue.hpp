#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "vernier/component/catalogue.hpp"

namespace vernier::compose {

/// What a document can instance: types with their parameters and ports, kinds of documents, and the
/// documents in and below the folder of `document`.
nlohmann::json catalogue(const std::filesystem::path& document, const Catalogue&);

}  // namespace vernier::compose
