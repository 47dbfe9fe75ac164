#include "vernier/testing/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

namespace vernier::testing {

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> files(const std::filesystem::path& folder,
                                         std::string_view extension) {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == extension) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

Standing::Standing(const std::filesystem::path& folder) : before_(std::filesystem::current_path()) {
  std::filesystem::current_path(folder);
}
Standing::~Standing() {
  std::error_code ignored;
  std::filesystem::current_path(before_, ignored);
}

bool xmllint_accepts(const std::filesystem::path& dtd, const std::filesystem::path& document) {
  const std::string command = "xmllint --nonet --noout --dtdvalid '" + dtd.string() + "' '" +
                              document.string() + "' 2>/dev/null";
  return std::system(command.c_str()) == 0;  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace vernier::testing
