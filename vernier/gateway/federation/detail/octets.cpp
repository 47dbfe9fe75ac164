#include "vernier/gateway/federation/detail/octets.hpp"

namespace vernier::federation::detail {

namespace {

/// Decodes the character at s[i] and moves past it.
char32_t next_character(std::string_view s, std::size_t& i) noexcept {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
  const unsigned char first = byte(i++);
  const int more = first < 0x80              ? 0
                   : (first >> 5) == 0b110   ? 1
                   : (first >> 4) == 0b1110  ? 2
                   : (first >> 3) == 0b11110 ? 3
                                             : -1;
  if (more == 0) return first;
  if (more < 0) return 0xfffd;
  char32_t c = first & (0x3fu >> more);
  for (int k = 0; k < more; ++k) {
    if (i >= s.size() || (byte(i) & 0xc0u) != 0x80) return 0xfffd;
    c = c << 6 | (byte(i++) & 0x3fu);
  }
  constexpr std::array<char32_t, 4> least{0, 0x80, 0x800, 0x10000};  // else it is too long
  if (c < least[static_cast<std::size_t>(more)]) return 0xfffd;
  return c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c;
}

void append_character(std::string& to, char32_t c) {
  if (c < 0x80) {
    to += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr std::array<char32_t, 4> lead{0, 0xc0, 0xe0, 0xf0};
  to += static_cast<char>(lead[static_cast<std::size_t>(more)] | (c >> 6 * more));
  for (int k = more - 1; k >= 0; --k) to += static_cast<char>(0x80u | (c >> 6 * k & 0x3fu));
}

}  // namespace

bool well_formed(std::string_view utf8) noexcept {
  for (std::size_t i = 0; i < utf8.size();) {
    const std::size_t at = i;
    // U+FFFD itself is a character too
    if (next_character(utf8, i) == 0xfffd && utf8.substr(at, i - at) != "\xef\xbf\xbd")
      return false;
  }
  return true;
}

Octets& Octets::text(std::string_view utf8) {
  std::vector<std::uint16_t> units;
  for (std::size_t i = 0; i < utf8.size();) {
    const char32_t c = next_character(utf8, i);
    if (c < 0x10000) {
      units.push_back(static_cast<std::uint16_t>(c));
    } else {
      units.push_back(static_cast<std::uint16_t>(0xd800 + ((c - 0x10000) >> 10)));
      units.push_back(static_cast<std::uint16_t>(0xdc00 + (c & 0x3ff)));
    }
  }
  number(static_cast<std::uint32_t>(units.size()));
  BigEndianWriter{bytes_}.numbers(std::span<const std::uint16_t>(units));
  return *this;
}

Octets& Octets::texts(const std::vector<std::string>& all) {
  number(static_cast<std::uint32_t>(all.size()));
  for (const std::string& one : all) {
    bytes_.resize((bytes_.size() + 3) / 4 * 4);
    text(one);
  }
  return *this;
}

bool OctetReader::truth() noexcept {
  const std::uint32_t n = number();
  if (n > 1) rest_.refuse();
  return n == 1;
}

Handle OctetReader::handle() noexcept {
  if (number() != 4) rest_.refuse();
  return number();
}

Numbers OctetReader::handles() {
  const std::uint32_t n = number();
  if (n > rest_.rest().size()) rest_.refuse();  // each takes eight bytes
  Numbers found;
  for (std::uint32_t i = 0; i < n && ok(); ++i) found.push_back(handle());
  return found;
}

Stamp OctetReader::time() noexcept {
  if (number() != 8) rest_.refuse();
  return {rest_.number<std::int64_t>()};
}

std::string OctetReader::text() {
  std::string s;
  const Bytes units = rest_.raw(2 * std::size_t{number()});
  for (std::size_t i = 0; i + 1 < units.size(); i += 2) {
    const auto unit = [&](std::size_t k) {
      return static_cast<char32_t>(load<std::uint16_t, std::endian::big>(&units[k]));
    };
    char32_t c = unit(i);
    if (c >= 0xd800 && c < 0xdc00 && i + 3 < units.size() && unit(i + 2) >= 0xdc00 &&
        unit(i + 2) < 0xe000) {
      c = 0x10000 + ((c - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
      i += 2;
    } else if (c >= 0xd800 && c < 0xe000) {
      c = 0xfffd;
    }
    append_character(s, c);
  }
  return s;
}

Blob OctetReader::opaque() {
  const Bytes b = rest_.raw(number());
  return {b.begin(), b.end()};
}

}  // namespace vernier::federation::detail
