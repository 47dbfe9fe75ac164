#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/component/catalogue.hpp"
#include "vernier/document/document.hpp"

/// The requests of the desktop's page for editing documents: formats/desktop/README.md.
namespace vernier::compose {

/// A template for a new project.
struct Starter {
  std::string name, summary;
  std::string document;  // to be opened, relative to the new folder
};

/// What the requests work on.
struct Workplace {
  const Catalogue* catalogue = nullptr;          // must load no native code
  std::filesystem::path folder;                  // below which documents may be written
  std::vector<document::Grammar> grammars = {};  // of `grammar`
  std::vector<Starter> starters = {};
  /// Writes a template into a folder that has none of its files. Throws ConfigurationError.
  std::function<void(const Starter&, const std::filesystem::path& target)> start = {};
};

/// Whether `answer` knows it: check, describe, catalogue, grammar, save, new.
bool knows(std::string_view request) noexcept;
/// Whether it writes files, which only the role `control` may.
bool writes(std::string_view request) noexcept;

/// The answer to a request that answer() knows, by its field `do`. Throws ConfigurationError. Takes
/// as long as checking a document; any number of threads may call it, except for the same file to
/// be saved.
nlohmann::json answer(const nlohmann::json& request, const Workplace&);

}  // namespace vernier::compose
