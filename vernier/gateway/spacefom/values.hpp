#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/gateway/fom/model.hpp"

namespace vernier::spacefom {

/// A FOM data type of numbers only, as a flat vector: numbers, enumerations, fixed arrays and
/// records of them, with the padding of IEEE 1516.2.
struct Flat {
  struct Number {
    std::size_t offset = 0;
    std::uint8_t bytes = 8;
    bool real = true, little = false, is_unsigned = false;
    double factor = 1.0;   // to SI: value = factor * number on the wire
    int enumeration = -1;  // in enumerations
  };
  /// Numbers of one unit that follow each other: all of them, or a field of a record.
  struct Part {
    std::string name;  // "", ".pressure", ".cells.2.voltage"
    std::size_t first = 0, count = 0;
    std::string unit = "1";  // SI
    int enumeration = -1;
  };
  using Enumeration = std::vector<std::pair<std::string, double>>;
  std::vector<Number> numbers;
  std::vector<Part> parts;
  std::vector<Enumeration> enumerations;
  std::size_t bytes = 0;
};

/// How a data type lies in memory; a sentence when it is not made of numbers, or has more than
/// 4096 of them or 256 parts. A unit that the module names and the program knows ("kPa",
/// "kilopascal (kPa)") makes the part SI; `unit` replaces what the module says.
Result<Flat, std::string> flattened(const fom::Fom&, const std::string& data_type,
                                    const std::string& unit = {});

/// Whole numbers are rounded and limited to their type.
void write_flat(const Flat&, std::span<const double>, std::span<std::byte>) noexcept;
/// False when the size is another or a number is not finite; then nothing is changed.
bool read_flat(const Flat&, std::span<const std::byte>, std::span<double>) noexcept;

}  // namespace vernier::spacefom
