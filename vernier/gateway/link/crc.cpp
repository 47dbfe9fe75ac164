#include "vernier/gateway/link/crc.hpp"

#include <array>

namespace vernier::link {
namespace {

// slicing by eight: tables[j][b] is the contribution of byte b when j bytes follow it
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables made() {
  Tables t{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t c = b;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0x82F63B78u : 0u);
    t[0][b] = c;
  }
  for (std::size_t j = 1; j < 8; ++j) {
    for (std::size_t b = 0; b < 256; ++b) t[j][b] = t[j - 1][b] >> 8 ^ t[0][t[j - 1][b] & 255];
  }
  return t;
}
constexpr Tables tables = made();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept {
  std::uint32_t c = ~0u;
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
  while (bytes.size() >= 8) {
    c ^= at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24;
    c = tables[7][c & 255] ^ tables[6][c >> 8 & 255] ^ tables[5][c >> 16 & 255] ^
        tables[4][c >> 24] ^ tables[3][at(4)] ^ tables[2][at(5)] ^ tables[1][at(6)] ^
        tables[0][at(7)];
    bytes = bytes.subspan(8);
  }
  for (const std::byte b : bytes) {
    c = c >> 8 ^ tables[0][(c ^ std::to_integer<std::uint32_t>(b)) & 255];
  }
  return ~c;
}

}  // namespace vernier::link
