#pragma once

#include <cstddef>
#include <optional>

namespace vernier::fom {

/// How values of a data type are laid out in a buffer (encodings of IEEE 1516.2-2010, section
/// 4.13): each begins at a multiple of `boundary`, counted from the start of the outermost value.
struct Layout {
  std::size_t boundary = 1;          // bytes: 1, 2, 4 or 8
  std::optional<std::size_t> bytes;  // if all values have the same size
  bool known = true;                 // false: an encoding that the standard does not define
};

/// The next multiple of `boundary`.
constexpr std::size_t aligned(std::size_t offset, std::size_t boundary) noexcept {
  return (offset + boundary - 1) / boundary * boundary;
}

}  // namespace vernier::fom
