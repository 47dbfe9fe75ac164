#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace vernier::channel {

/// The key that both sides of a connection know: all bytes of a file, 1 to 4096. Throws
/// ConfigurationError with this code, naming whose key it is.
std::vector<std::byte> key_in(const std::filesystem::path&, const std::string& code,
                              const std::string& whose);

}  // namespace vernier::channel
