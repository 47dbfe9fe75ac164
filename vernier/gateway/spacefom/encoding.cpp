#include "vernier/gateway/spacefom/encoding.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace vernier::spacefom {
namespace {

template <class T>
void put_little(T value, Octets& to) {
  for (std::size_t i = 0; i < sizeof value; ++i) to.push_back(std::byte(value >> (8 * i) & 0xff));
}
template <class T>
void put_big(T value, Octets& to) {
  for (std::size_t i = sizeof value; i-- > 0;) to.push_back(std::byte(value >> (8 * i) & 0xff));
}
template <class T>
T read_big(std::span<const std::byte> from) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value = static_cast<T>(value << 8 | static_cast<T>(from[i]));
  return value;
}

double real_at(std::span<const std::byte> from, std::size_t i) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t k = 8; k-- > 0;) bits = bits << 8 | static_cast<std::uint64_t>(from[8 * i + k]);
  return std::bit_cast<double>(bits);
}

void put_vector(const frames::Vector3& v, Octets& to) { put_reals({v.data(), 3}, to); }

/// The next code point of UTF-8; U+FFFD if it is invalid.
char32_t next_of(std::string_view s, std::size_t& i) noexcept {
  const auto lead = static_cast<unsigned char>(s[i++]);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : -1;
  if (more < 0) return 0xfffd;
  char32_t c = lead & (0x3fu >> more);
  for (int k = 0; k < more; ++k) {
    if (i >= s.size() || (static_cast<unsigned char>(s[i]) & 0xc0) != 0x80) return 0xfffd;
    c = c << 6 | (static_cast<unsigned char>(s[i++]) & 0x3f);
  }
  return c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c;
}

void append_utf8(char32_t c, std::string& to) {
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to += static_cast<char>(0xc0 | c >> 6);
    to += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    to += static_cast<char>(0xe0 | c >> 12);
    to += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    to += static_cast<char>(0xf0 | c >> 18);
    to += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    to += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (c & 0x3f));
  }
}

}  // namespace

std::string_view word(Mode m) noexcept {
  static constexpr std::string_view words[]{"uninitialized", "initializing", "running", "freeze",
                                            "shutdown"};
  return words[static_cast<std::size_t>(m)];
}

void put_reals(std::span<const double> values, Octets& to) {
  for (const double x : values) put_little(std::bit_cast<std::uint64_t>(x), to);
}

void put_attitude(const frames::Quaternion& q, frames::WireAttitude way, Octets& to) {
  put_reals(frames::wire_attitude(q, way), to);
}

void put_state(const TimedState& s, frames::WireAttitude way, Octets& to) {
  put_vector(s.state.position, to);
  put_vector(s.state.velocity, to);
  put_attitude(s.state.attitude, way, to);
  put_vector(s.state.rate, to);
  put_reals({&s.time, 1}, to);
}

void put_string(std::string_view utf8, Octets& to) {
  std::vector<std::uint16_t> units;
  for (std::size_t i = 0; i < utf8.size();) {
    char32_t c = next_of(utf8, i);
    if (c >= 0x10000) {
      c -= 0x10000;
      units.push_back(static_cast<std::uint16_t>(0xd800 + (c >> 10)));
      units.push_back(static_cast<std::uint16_t>(0xdc00 + (c & 0x3ff)));
    } else {
      units.push_back(static_cast<std::uint16_t>(c));
    }
  }
  put_big(static_cast<std::uint32_t>(units.size()), to);
  for (const std::uint16_t u : units) put_big(u, to);
}

void put_mode(Mode m, Octets& to) { put_little(static_cast<std::uint16_t>(m), to); }
void put_ticks(Ticks t, Octets& to) { put_big(static_cast<std::uint64_t>(t), to); }

bool read_reals(std::span<const std::byte> from, std::span<double> to) noexcept {
  if (from.size() != 8 * to.size()) return false;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (!std::isfinite(real_at(from, i))) return false;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = real_at(from, i);
  return true;
}

std::optional<frames::Quaternion> read_attitude(std::span<const std::byte> from,
                                                frames::WireAttitude way) noexcept {
  std::array<double, 4> numbers{};
  if (!read_reals(from, numbers)) return {};
  return frames::from_wire(numbers, way);
}

std::optional<TimedState> read_state(std::span<const std::byte> from,
                                     frames::WireAttitude way) noexcept {
  std::array<double, state_bytes / 8> n{};
  if (!read_reals(from, n)) return {};
  const auto attitude = frames::from_wire({n[6], n[7], n[8], n[9]}, way);
  if (!attitude) return {};
  TimedState s;
  s.state.position = {n[0], n[1], n[2]};
  s.state.velocity = {n[3], n[4], n[5]};
  s.state.attitude = *attitude;
  s.state.rate = {n[10], n[11], n[12]};
  s.time = n[13];
  return s;
}

std::optional<std::string> read_string(std::span<const std::byte> from) {
  if (from.size() < 4) return {};
  const std::size_t units = read_big<std::uint32_t>(from);
  if (from.size() - 4 != 2 * units) return {};
  std::string text;
  for (std::size_t i = 0; i < units; ++i) {
    char32_t c = read_big<std::uint16_t>(from.subspan(4 + 2 * i));
    if (c >= 0xdc00 && c < 0xe000) return {};
    if (c >= 0xd800 && c < 0xdc00) {
      if (++i == units) return {};
      const char32_t low = read_big<std::uint16_t>(from.subspan(4 + 2 * i));
      if (low < 0xdc00 || low >= 0xe000) return {};
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(c, text);
  }
  return text;
}

std::optional<Mode> read_mode(std::span<const std::byte> from) noexcept {
  if (from.size() != 2) return {};
  const int value = static_cast<int>(from[0]) | static_cast<int>(from[1]) << 8;
  if (value > static_cast<int>(Mode::shutdown)) return {};
  return static_cast<Mode>(value);
}

std::optional<Ticks> read_ticks(std::span<const std::byte> from) noexcept {
  if (from.size() != 8) return {};
  return static_cast<Ticks>(read_big<std::uint64_t>(from));
}

std::wstring wide(std::string_view utf8) {
  std::wstring text;
  for (std::size_t i = 0; i < utf8.size();) text += static_cast<wchar_t>(next_of(utf8, i));
  return text;
}

std::string narrow(std::wstring_view text) {
  std::string utf8;
  for (const wchar_t c : text) {
    const auto point = static_cast<char32_t>(c);
    append_utf8(point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? 0xfffd : point, utf8);
  }
  return utf8;
}

}  // namespace vernier::spacefom
