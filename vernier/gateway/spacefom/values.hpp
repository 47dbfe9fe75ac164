#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/gateway/fom/model.hpp"

namespace vernier::spacefom {

/// A FOM data type as a flat vector of numbers: numbers, enumerations, characters, arrays and
/// records of them, with the padding of IEEE 1516.2. A variable array is its count and room for as
/// many elements as there may be.
struct Flat {
  struct Number {
    std::uint8_t bytes = 8;
    bool real = true, little = false, is_unsigned = false;
    double factor = 1.0;   // to SI: value = factor * number on the wire
    int enumeration = -1;  // in enumerations
  };
  /// Numbers of one unit that follow each other: all of them, or a field of a record.
  struct Part {
    std::string name;  // "", ".pressure", ".cells.2.voltage"; ".count" of a variable array
    std::size_t first = 0, count = 0;
    std::string unit = "1";  // SI
    int enumeration = -1;
  };
  /// How a value is walked through.
  struct Step {
    enum class Kind : std::uint8_t { align, number, repeat } kind = Kind::align;
    std::uint8_t boundary = 1;
    // repeat: a count, then so many times the next `steps`, each of which has `numbers` numbers
    std::uint32_t most = 0, steps = 0, numbers = 0;
  };
  using Enumeration = std::vector<std::pair<std::string, double>>;
  std::vector<Number> numbers;
  std::vector<Part> parts;
  std::vector<Enumeration> enumerations;
  std::vector<Step> steps;
  std::size_t bytes = 0;  // at most
  bool fixed = true;      // always as many
  bool text = false;      // a variable array of characters
  bool list = false;      // a variable array of numbers
};

/// Why bytes are no value of a type.
enum class Unread { no, malformed, too_many };

/// How a data type lies in memory; a sentence when it is not made of numbers, or has more than
/// 4096 of them or 256 parts. A unit that the module names and the program knows ("kPa",
/// "kilopascal (kPa)") makes the part SI; `unit` replaces what the module says. `most`: elements of
/// variable arrays, if the module does not say fewer; 0: it must say it.
Result<Flat, std::string> flattened(const fom::Fom&, const std::string& data_type,
                                    const std::string& unit = {}, std::uint32_t most = 0);

/// The numbers of the characters of UTF-8 text, as a type of text has them: UTF-16 or one byte
/// each. Nothing when one of them is not to be had.
std::vector<double> characters(const Flat&, std::string_view text);

/// Into `bytes` bytes at least; answers how many it took. Whole numbers are rounded and limited to
/// their type, counts to their array; what is behind a count is not looked at.
std::size_t write_flat(const Flat&, std::span<const double>, std::span<std::byte>) noexcept;
/// What is behind a count becomes 0. When the size is another, a number is not finite or a variable
/// array too long, nothing is changed.
Unread read_flat(const Flat&, std::span<const std::byte>, std::span<double>) noexcept;

}  // namespace vernier::spacefom
