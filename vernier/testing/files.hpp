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

}  // namespace vernier::testing
