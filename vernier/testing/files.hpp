#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::testing {

/// What is in a file; empty when it is not there.
std::string content(const std::filesystem::path&);

/// The files of a folder that end in `extension`, by name.
std::vector<std::filesystem::path> files(const std::filesystem::path& folder,
                                         std::string_view extension);

/// The present folder while it lives: messages then name files as if one stood there.
class Standing {
 public:
  explicit Standing(const std::filesystem::path& folder);
  ~Standing();
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;

 private:
  std::filesystem::path before_;
};

/// Whether xmllint, an independent reader, finds the document valid by the grammar.
bool xmllint_accepts(const std::filesystem::path& dtd, const std::filesystem::path& document);

}  // namespace vernier::testing
