#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::testing {

/// The content of a file; empty when it does not exist.
std::string content(const std::filesystem::path&);

/// The files of a directory that end in `extension`, sorted by name.
std::vector<std::filesystem::path> files(const std::filesystem::path& folder,
                                         std::string_view extension);

/// Changes the current directory while it exists, so that messages show files relative to it.
class Standing {
 public:
  explicit Standing(const std::filesystem::path& folder);
  ~Standing();
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;

 private:
  std::filesystem::path before_;
};

/// Whether xmllint, an independent validator, accepts the document.
bool xmllint_accepts(const std::filesystem::path& dtd, const std::filesystem::path& document);

}  // namespace vernier::testing
