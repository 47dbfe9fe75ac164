#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vernier/component/catalogue.hpp"

/// Instances of a document as a graph or an editor shows them.
namespace vernier::compose {

/// The content of documents that an editor has not saved yet, by file.
using Unsaved = std::map<std::filesystem::path, std::string>;

/// An instance as written in a document that may be incomplete.
struct Sketch {
  std::string kind;  // system, component, connector or composition
  std::string name, type, file;
  std::vector<std::pair<std::string, std::string>> parameters;  // values with their units
};

/// Parameters, inputs, outputs and states of each instance, as far as they can be known; required
/// parameters that are missing get a value for that. `document`: relative to which files are.
/// "made" is false where the ports are not known. Nothing is run, and no native code loaded.
nlohmann::json describe(const std::filesystem::path& document, const std::vector<Sketch>&,
                        const Unsaved&, const Catalogue&);

/// A parameter of a type.
nlohmann::json parameter_json(const ParameterSpec&);

/// The dimension of a unit, as a text that is equal for interchangeable ones; empty: no unit.
std::string dimension(std::string_view unit);

}  // namespace vernier::compose
