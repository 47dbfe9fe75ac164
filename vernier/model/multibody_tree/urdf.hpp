#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "vernier/base/diagnostic.hpp"

namespace vernier::multibody_tree {

struct UrdfOptions {
  bool free_base = false;  // the root link moves freely; otherwise it is fixed to the ground
  std::filesystem::path folder = {};  // of the description: mesh files are looked for from here;
                                      // empty: they are left out
  std::filesystem::path beside = {};  // where the document will be; empty: in the same folder
};

/// Converts a robot description (URDF) to a multibody document for further editing. Links become
/// bodies; massless links at fixed joints become nodes; joints become hinges; meshes
/// that are there (component/mesh_file) stay. A warning reports
/// everything that cannot be converted or had to be assumed. Nothing if the description cannot be
/// read.
std::optional<std::string> imported_urdf(std::string_view content, const std::string& name,
                                         const UrdfOptions&, Diagnostics& problems);
/// The same for a file.
std::optional<std::string> import_urdf(const std::filesystem::path&, const UrdfOptions&,
                                       Diagnostics& problems);

}  // namespace vernier::multibody_tree
