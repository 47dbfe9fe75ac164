#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/gateway/fom/model.hpp"

namespace vernier::spacefom {

/// A FOM data type of numbers only, as a flat vector: numbers, fixed arrays and records of them,
/// with the padding of IEEE 1516.2.
struct Flat {
  struct Number {
    std::size_t offset = 0;
    std::uint8_t bytes = 8;
    bool real = true, little = false, is_unsigned = false;
  };
  std::vector<Number> numbers;
  std::size_t bytes = 0;
};

/// How a data type lies in memory; a sentence when it is not made of numbers, or has more than
/// 4096 of them.
Result<Flat, std::string> flattened(const fom::Fom&, const std::string& data_type);

/// Whole numbers are rounded and limited to their type.
void write_flat(const Flat&, std::span<const double>, std::span<std::byte>) noexcept;
/// False when the size is another or a number is not finite; then nothing is changed.
bool read_flat(const Flat&, std::span<const std::byte>, std::span<double>) noexcept;

}  // namespace vernier::spacefom
