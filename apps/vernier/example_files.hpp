#pragma once

#include <filesystem>
#include <optional>

#include "apps/vernier/library.hpp"
#include "vernier/base/temporary_folder.hpp"

namespace vernier::app {

/// The documents of missions and examples as files: those of the current source tree, else copies
/// of the embedded ones, which go with this object.
class ExampleFiles {
 public:
  /// Of one that runs. Throws ConfigurationError when it cannot be written.
  std::filesystem::path document(const Example&);

 private:
  std::optional<TemporaryFolder> copies_;
};

}  // namespace vernier::app
