#include "vernier/base/temporary_folder.hpp"

#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "vernier/base/diagnostic.hpp"

namespace vernier {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "vernier-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) {
    throw ConfigurationError(
        "V7107", "no temporary folder can be made: " + std::generic_category().message(errno));
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace vernier
