#include "vernier/run/record/detail/blocks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "vernier/base/time.hpp"

namespace vernier::record {

namespace {

double seconds_of(std::int64_t ns) noexcept { return seconds(Duration(ns)); }

/// The first row for which `found` is true, if it is false for all rows before some row and true
/// from there on.
template <class Found>
std::uint64_t first_row(std::uint64_t rows, const Found& found) noexcept {
  std::uint64_t first = 0;
  while (rows > 0) {
    const std::uint64_t half = rows / 2;
    if (found(first + half)) {
      rows = half;
    } else {
      first += half + 1;
      rows -= half + 1;
    }
  }
  return first;
}

}  // namespace

void TimeColumn::append(std::span<const double> times) {
  while (!times.empty()) {
    if (rest_.empty() && times.size() >= block_of_rows) {
      add_block(times.data());
      times = times.subspan(block_of_rows);
      continue;
    }
    const std::size_t count = std::min<std::size_t>(times.size(), block_of_rows - rest_.size());
    rest_.insert(rest_.end(), times.begin(), times.begin() + static_cast<std::ptrdiff_t>(count));
    times = times.subspan(count);
    if (rest_.size() < block_of_rows) return;
    add_block(rest_.data());
    rest_.clear();
  }
}

void TimeColumn::add_block(const double* times) {
  constexpr double most = 4e9;  // s; the ends and the step of a block fit into 64 bits
  Block b{0, 0, kept_.size()};
  if (std::fabs(times[0]) < most && std::fabs(times[1]) < most &&
      std::fabs(times[block_of_rows - 1]) < most) {
    const std::int64_t first = std::llround(times[0] * 1e9);
    const std::int64_t last = std::llround(times[block_of_rows - 1] * 1e9);
    const auto steps = static_cast<std::int64_t>(block_of_rows - 1);
    b.start = first;
    b.step = (last - first) / steps;
    std::uint64_t k = 0;
    const auto regular_at = [&](std::uint64_t row) {
      const double t = seconds_of(first + static_cast<std::int64_t>(row) * b.step);
      return std::bit_cast<std::uint64_t>(t) == std::bit_cast<std::uint64_t>(times[row]);
    };
    while (k < block_of_rows && regular_at(k)) ++k;
    if (k == block_of_rows) b.kept = regular;
  }
  if (b.kept != regular) kept_.insert(kept_.end(), times, times + block_of_rows);
  blocks_.push_back(b);
}

double TimeColumn::operator[](std::uint64_t row) const noexcept {
  const std::uint64_t block = row / block_of_rows, k = row % block_of_rows;
  if (block == blocks_.size()) return rest_[k];
  const Block& b = blocks_[block];
  if (b.kept != regular) return kept_[b.kept + k];
  return seconds_of(b.start + static_cast<std::int64_t>(k) * b.step);
}

std::uint64_t TimeColumn::first_at(double time) const noexcept {
  return first_row(size(), [&](std::uint64_t row) { return (*this)[row] >= time; });
}

std::uint64_t TimeColumn::first_after(double time) const noexcept {
  return first_row(size(), [&](std::uint64_t row) { return (*this)[row] > time; });
}

void BlockExtremes::append(std::span<const double> values) {
  const std::size_t size = block_of_rows * elements_;
  for (; values.size() >= size; values = values.subspan(size)) {
    for (std::uint32_t e = 0; e < elements_; ++e) {
      Block b{0.0, 0.0, 0, 0, 0, false, false};
      for (std::uint64_t k = 0; k < block_of_rows; ++k) {
        const double v = values[k * elements_ + e];
        const auto row = static_cast<std::uint8_t>(k);
        if (std::isnan(v)) {
          if (!b.nan) b.nan_row = row;
          b.nan = true;
          continue;
        }
        if (!b.numbers || v < b.low) b.low = v, b.low_row = row;
        if (!b.numbers || v > b.high) b.high = v, b.high_row = row;
        b.numbers = true;
      }
      blocks_.push_back(b);
    }
  }
}

Extremes BlockExtremes::of(std::uint64_t block, std::uint32_t element,
                           const TimeColumn& times) const noexcept {
  const Block& b = blocks_[block * elements_ + element];
  const auto point = [&](std::uint8_t k, double value) {
    const std::uint64_t row = block * block_of_rows + k;
    return Point{row, times[row], value};
  };
  Extremes e;
  if (b.numbers) {
    e.low = point(b.low_row, b.low);
    e.high = point(b.high_row, b.high);
  }
  if (b.nan) e.nan = point(b.nan_row, std::numeric_limits<double>::quiet_NaN());
  return e;
}

}  // namespace vernier::record
