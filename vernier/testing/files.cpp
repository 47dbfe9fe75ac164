#include "vernier/testing/files.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

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

}  // namespace vernier::testing
