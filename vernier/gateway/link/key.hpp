#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace vernier::link {

/// The key that both sides of a link know: all bytes of a file, 1 to 4096. Throws
/// ConfigurationError (V5143), naming the link.
std::vector<std::byte> key_in(const std::filesystem::path&, const std::string& link);

}  // namespace vernier::link
