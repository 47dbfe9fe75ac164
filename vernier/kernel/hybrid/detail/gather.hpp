#pragma once

#include <cstddef>
#include <cstdint>

namespace vernier::hybrid::detail {

/// `count` elements of the inputs of parts, or of the outputs of `outside`, taken from the outputs
/// of parts or from the inputs of the composition.
struct Gather {
  /// What is done: vectors and quaternions are most of it, and have a case of their own.
  enum class Kind : std::uint8_t {
    copy_1,
    copy_3,
    copy_4,
    copy,
    add_1,
    add_3,
    add,
    scale,
    add_scaled
  };

  std::uint32_t to = 0;
  std::uint32_t from = 0;
  std::uint32_t count = 0;
  Kind kind = Kind::copy;
  bool outside = false;  // from the inputs of the composition
  double gain = 1.0;

  /// `add`: to what is there.
  static Kind kind_of(std::size_t count, double gain, bool add) noexcept;
};

/// What compositions do with elements in lanes (system.hpp), compiled for one set of instructions:
/// what was stored in pieces of 16 bytes cannot be loaded as 64 until it has reached the cache.
struct LaneMoves {
  void (*copy)(const double* from, std::size_t elements, double* to);
  /// Null `outside`: zeros.
  void (*gather)(const Gather*, std::size_t gathers, const double* parts, const double* outside,
                 double* to);
};

const LaneMoves& lane_moves() noexcept;

}  // namespace vernier::hybrid::detail
