#include "vernier/rti1516e/text.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace vernier::hla {
namespace {

constexpr std::uint32_t replacement = 0xfffd;

bool is_character(std::uint32_t c) noexcept { return c <= 0x10ffff && (c < 0xd800 || c > 0xdfff); }

/// Decodes the character at `at` and moves past it; past one byte if it is invalid.
std::uint32_t next(std::string_view s, std::size_t& at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  if (first < 0xc2 || first > 0xf4) return replacement;
  std::uint32_t c = first & (0x3fu >> more);
  for (int i = 0; i < more; ++i) {
    const std::size_t here = at + static_cast<std::size_t>(i);
    if (here >= s.size() || (byte(here) & 0xc0) != 0x80) return replacement;
    c = c << 6 | (byte(here) & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (c < least[more] || !is_character(c)) return replacement;
  at += static_cast<std::size_t>(more);
  return c;
}

}  // namespace

std::wstring wide(std::string_view utf8) {
  std::wstring to;
  to.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) to.push_back(static_cast<wchar_t>(next(utf8, at)));
  return to;
}

std::string narrow(std::wstring_view from) {
  std::string to;
  to.reserve(from.size());
  const auto put = [&](std::uint32_t byte) { to.push_back(static_cast<char>(byte)); };
  for (const wchar_t w : from) {
    auto c = std::bit_cast<std::uint32_t>(w);
    if (!is_character(c)) c = replacement;
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xc0 | c >> 6);
      put(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
      put(0xe0 | c >> 12);
      put(0x80 | (c >> 6 & 0x3f));
      put(0x80 | (c & 0x3f));
    } else {
      put(0xf0 | c >> 18);
      put(0x80 | (c >> 12 & 0x3f));
      put(0x80 | (c >> 6 & 0x3f));
      put(0x80 | (c & 0x3f));
    }
  }
  return to;
}

}  // namespace vernier::hla
