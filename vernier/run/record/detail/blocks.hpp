#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "vernier/run/record/detail/thinning.hpp"

namespace vernier::record {

/// Rows are summarized in blocks of this number.
constexpr std::uint64_t block_of_rows = 256;

/// The times of all rows, in memory. A block with a constant step in whole nanoseconds takes 24
/// bytes, any other its numbers; all come back to the bit.
class TimeColumn {
 public:
  void append(std::span<const double>);
  std::uint64_t size() const noexcept { return blocks_.size() * block_of_rows + rest_.size(); }
  std::size_t bytes() const noexcept {
    return blocks_.size() * sizeof(Block) + kept_.size() * sizeof(double) + sizeof *this;
  }

  double operator[](std::uint64_t row) const noexcept;
  /// The first row that is not before `time`, or after it: size() if there is none. If times go
  /// backwards, some row.
  std::uint64_t first_at(double time) const noexcept;
  std::uint64_t first_after(double time) const noexcept;

 private:
  static constexpr std::uint64_t regular = std::numeric_limits<std::uint64_t>::max();
  struct Block {
    std::int64_t start, step;  // ns
    std::uint64_t kept;        // where its times are; or regular
  };

  void add_block(const double* times);

  std::vector<Block> blocks_;
  std::vector<double> kept_, rest_;
};

/// The extremes of each whole block of rows, of some elements of a signal.
class BlockExtremes {
 public:
  explicit BlockExtremes(std::uint32_t elements) : elements_(elements) {}

  std::uint64_t rows() const noexcept { return blocks_.size() / elements_ * block_of_rows; }
  std::size_t bytes() const noexcept { return blocks_.size() * sizeof(Block) + sizeof *this; }

  /// Values of whole blocks, row by row.
  void append(std::span<const double>);
  Extremes of(std::uint64_t block, std::uint32_t element, const TimeColumn&) const noexcept;

 private:
  struct Block {
    double low, high;
    std::uint8_t low_row, high_row, nan_row;  // in the block
    bool numbers, nan;                        // whether there are such values
  };

  std::uint32_t elements_;
  std::vector<Block> blocks_;
};

}  // namespace vernier::record
