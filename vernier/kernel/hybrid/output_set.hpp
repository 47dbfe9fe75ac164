#pragma once

#include <cstddef>
#include <cstdint>

namespace vernier::hybrid {

/// A set of output signals: bit k is signal k; signals from the 63rd on share the last bit.
using OutputSet = std::uint64_t;

inline constexpr OutputSet all_outputs = ~OutputSet{0};

constexpr OutputSet output_bit(std::size_t signal) noexcept {
  return OutputSet{1} << (signal < 63 ? signal : 63);
}

}  // namespace vernier::hybrid
