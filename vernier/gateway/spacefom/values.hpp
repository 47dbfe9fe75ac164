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

/// A FOM data type as a flat vector of numbers: numbers, enumerations, characters, and arrays and
/// records of them, with the padding of IEEE 1516.2-2010. A variable array is its count and room
/// for the largest number of elements.
struct Flat {
  struct Number {
    std::uint8_t bytes = 8;
    bool real = true, little = false, is_unsigned = false;
    double factor = 1.0;   // to SI: value = factor * encoded number
    int enumeration = -1;  // in enumerations
  };
  /// Consecutive numbers of one unit: the whole type, or a field of a record.
  struct Part {
    std::string name;  // "", ".pressure", ".cells.2.voltage"; ".count" of a variable array
    std::size_t first = 0, count = 0;
    std::string unit = "1";  // SI
    int enumeration = -1;
  };
  /// One step in the traversal of a value.
  struct Step {
    enum class Kind : std::uint8_t { align, number, repeat } kind = Kind::align;
    std::uint8_t boundary = 1;
    // repeat: a count, then that many repetitions of the next `steps`, each with `numbers` numbers
    std::uint32_t most = 0, steps = 0, numbers = 0;
  };
  using Enumeration = std::vector<std::pair<std::string, double>>;
  std::vector<Number> numbers;
  std::vector<Part> parts;
  std::vector<Enumeration> enumerations;
  std::vector<Step> steps;
  std::size_t bytes = 0;  // the largest size
  bool fixed = true;      // all values have the same size
  bool text = false;      // a variable array of characters
  bool list = false;      // a variable array of numbers
};

/// Why bytes are not a value of a type.
enum class Unread { no, malformed, too_many };

/// The layout of a data type; a sentence when it does not consist of numbers, or has more than 4096
/// of them or 256 parts. If the module names a known unit ("kPa", "kilopascal (kPa)"), the part is
/// converted to SI; `unit` overrides the module's. `most`: elements of variable arrays, unless the
/// module gives fewer; 0: the module must give it.
Result<Flat, std::string> flattened(const fom::Fom&, const std::string& data_type,
                                    const std::string& unit = {}, std::uint32_t most = 0);

/// The characters of UTF-8 text as numbers of a text type: UTF-16 or one byte each. Nothing when a
/// character cannot be represented.
std::vector<double> characters(const Flat&, std::string_view text);

/// Writes to a span of at least `bytes` bytes; returns how many it used. Whole numbers are rounded
/// and limited to the range of their type, counts to the size of their array; elements beyond a
/// count are ignored.
std::size_t write_flat(const Flat&, std::span<const double>, std::span<std::byte>) noexcept;
/// Elements beyond a count become 0. If the size is wrong, a number is not finite or a variable
/// array is too long, nothing changes.
Unread read_flat(const Flat&, std::span<const std::byte>, std::span<double>) noexcept;

}  // namespace vernier::spacefom
