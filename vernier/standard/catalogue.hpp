#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/native_code.hpp"
#include "vernier/component/catalogue.hpp"

namespace vernier {

struct CatalogueOptions {
  /// Called with reports of external connections: who joined, who is waited for.
  std::function<void(const std::string&)> notice = {};
  /// Loads the native code that documents name: plug-ins, elements. Without it none is loaded:
  /// such documents can be read, and not run.
  std::shared_ptr<NativeCode> code = {};
  /// Folders in which documents may write files, besides that of the run. None: as nothing is run,
  /// every folder is possible.
  std::optional<std::vector<std::filesystem::path>> writable = {};
};

/// Everything that documents can refer to.
Catalogue standard_catalogue(CatalogueOptions = {});

}  // namespace vernier
