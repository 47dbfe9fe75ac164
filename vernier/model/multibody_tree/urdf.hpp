#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "vernier/base/diagnostic.hpp"

namespace vernier::multibody_tree {

struct UrdfOptions {
  bool free_base = false;  // the root link flies freely; else it is fixed to the ground
};

/// A robot description (URDF) as a multibody document, to be read and edited by people. Links
/// become bodies, those without mass at fixed joints become nodes; joints become hinges. What URDF
/// says and a document cannot, or the other way round, is a warning. Nothing when it cannot be
/// read.
std::optional<std::string> imported_urdf(std::string_view content, const std::string& name,
                                         const UrdfOptions&, Diagnostics& problems);
/// The same of a file.
std::optional<std::string> import_urdf(const std::filesystem::path&, const UrdfOptions&,
                                       Diagnostics& problems);

}  // namespace vernier::multibody_tree
