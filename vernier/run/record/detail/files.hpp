#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vernier::record {

/// Replaces `file` by `content` atomically: at every moment it has the old or the new content, also
/// after a crash. Throws ConfigurationError (V7107).
void replace_file(const std::filesystem::path& file, std::span<const std::byte> content);

/// The content; throws ConfigurationError (V7107) when it cannot be read or is larger than `most`.
std::vector<std::byte> file_content(const std::filesystem::path&, std::size_t most);

}  // namespace vernier::record
