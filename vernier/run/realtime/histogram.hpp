#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "vernier/base/time.hpp"

namespace vernier::realtime {

/// A histogram of durations: buckets at most 1/32 as wide as their values, from 1 ns to 17 min;
/// longer ones fall into the last. The maximum is kept exactly, with its frame. Of fixed size:
/// adding does not allocate and takes only a few operations.
class Histogram {
 public:
  static constexpr int steps_log2 = 5, steps = 1 << steps_log2;  // buckets per octave
  static constexpr int octaves = 40 - steps_log2;
  static constexpr std::size_t buckets = static_cast<std::size_t>(octaves + 1) * steps;

  /// Adds `ns` of a frame; negative values count as 0.
  void add(std::int64_t ns, std::int64_t frame = 0, Time time = {}) noexcept {
    ns = std::max<std::int64_t>(ns, 0);
    ++counts_[bucket(ns)];
    sum_ += static_cast<double>(ns);
    if (count_++ == 0 || ns > max_) {
      max_ = ns;
      max_frame_ = frame;
      max_time_ = time;
    }
    min_ = count_ == 1 ? ns : std::min(min_, ns);
  }

  std::uint64_t count() const noexcept { return count_; }
  std::int64_t max() const noexcept { return max_; }
  std::int64_t min() const noexcept { return min_; }
  std::int64_t max_frame() const noexcept { return max_frame_; }
  Time max_time() const noexcept { return max_time_; }
  double mean() const noexcept { return count_ ? sum_ / static_cast<double>(count_) : 0.0; }

  /// The value that a fraction `p` of all does not exceed, to the width of a bucket and never above
  /// max(); 0 if empty.
  std::int64_t quantile(double p) const noexcept {
    if (count_ == 0) return 0;
    const double wanted = p * static_cast<double>(count_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets; ++i) {
      seen += counts_[i];
      if (seen > 0 && static_cast<double>(seen) >= wanted) return std::min(upper(i), max_);
    }
    return max_;
  }

  std::uint64_t in_bucket(std::size_t i) const noexcept { return counts_[i]; }
  /// The least and the greatest value of a bucket.
  static constexpr std::int64_t lower(std::size_t i) noexcept {
    if (i < steps) return static_cast<std::int64_t>(i);
    const auto octave = static_cast<int>(i >> steps_log2) - 1;
    return (steps + static_cast<std::int64_t>(i & (steps - 1))) << octave;
  }
  static constexpr std::int64_t upper(std::size_t i) noexcept { return lower(i + 1) - 1; }
  static constexpr std::size_t bucket(std::int64_t ns) noexcept {
    if (ns < steps) return static_cast<std::size_t>(ns);
    const int octave =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(ns))) - 1 - steps_log2;
    const std::size_t i = (static_cast<std::size_t>(octave + 1) << steps_log2) +
                          static_cast<std::size_t>((ns >> octave) & (steps - 1));
    return std::min(i, buckets - 1);
  }

 private:
  std::array<std::uint64_t, buckets> counts_{};
  std::uint64_t count_ = 0;
  double sum_ = 0.0;
  std::int64_t max_ = 0, min_ = 0, max_frame_ = 0;
  Time max_time_{};
};

}  // namespace vernier::realtime
