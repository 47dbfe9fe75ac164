#include "vernier/base/base64.hpp"

#include <cstdint>

namespace vernier {
namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size()
                 ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + k]))
                 : 0u;
    };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    out += letters[three >> 18 & 63];
    out += letters[three >> 12 & 63];
    out += i + 1 < bytes.size() ? letters[three >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? letters[three & 63] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return {};
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = letters.find(c);
    if (digit == letters.npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
    bits &= (1u << count) - 1;
  }
  // what is left must be nothing: another text would mean the same bytes
  if (bits != 0 || count >= 6) return {};
  return out;
}

}  // namespace vernier
