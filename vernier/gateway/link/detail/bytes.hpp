#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

/// Numbers in little-endian bytes. Compilers turn the loops into single moves.
namespace vernier::link {

template <std::integral T>
void put(std::byte* to, T x) noexcept {
  auto bits = static_cast<std::make_unsigned_t<T>>(x);
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    to[i] = static_cast<std::byte>(static_cast<std::uint64_t>(bits) >> (8 * i));
  }
}
inline void put(std::byte* to, double x) noexcept { put(to, std::bit_cast<std::uint64_t>(x)); }

template <class T>
T get(const std::byte* from) noexcept {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(get<std::uint64_t>(from));
  } else {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bits |= std::to_integer<std::uint64_t>(from[i]) << (8 * i);
    }
    return static_cast<T>(bits);
  }
}

}  // namespace vernier::link
