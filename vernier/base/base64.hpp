#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vernier {

/// Bytes as text (RFC 4648, section 4), padded.
std::string base64(std::string_view bytes);
/// The bytes; nothing when the text is not what base64() makes of them.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace vernier
