#pragma once

#include <cstddef>
#include <cstdint>

namespace vernier::hybrid::detail {

/// Copies `count` elements to the inputs of parts or the outputs of `outside`, from the outputs of
/// parts or the inputs of the composition.
struct Gather {
  /// The operation; vectors and quaternions are the most frequent and have their own cases.
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

  /// `add`: adds to the existing value.
  static Kind kind_of(std::size_t count, double gain, bool add) noexcept;
};

/// Operations of compositions on elements in lanes (system.hpp), compiled for one instruction set:
/// after narrow stores of 16 bytes, a load of 64 bytes would stall until they reach the cache.
struct LaneMoves {
  void (*copy)(const double* from, std::size_t elements, double* to);
  /// Null `outside`: zeros.
  void (*gather)(const Gather*, std::size_t gathers, const double* parts, const double* outside,
                 double* to);
};

const LaneMoves& lane_moves() noexcept;

}  // namespace vernier::hybrid::detail
