#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vernier::link {

/// Statistics of one delay: its last value, the mean of the last twenty as in the EPOS paper, and
/// the distribution of all values. Never allocates.
class DelayFigure {
 public:
  static constexpr int shown = 20;

  void add(double seconds) noexcept;
  void clear() noexcept { *this = {}; }

  std::uint64_t count() const noexcept { return count_; }
  double last() const noexcept { return last_; }
  /// Of the last twenty; 0 without values.
  double recent_mean() const noexcept;
  double mean() const noexcept { return count_ ? sum_ / static_cast<double>(count_) : 0.0; }
  double least() const noexcept { return least_; }
  double most() const noexcept { return most_; }
  /// The value below which a fraction `p` of all values lies; at most 6 % too high, between least()
  /// and most().
  double percentile(double p) const noexcept;

 private:
  // logarithmic classes: 16 per power of two from 1 ns; smaller and negative values are in class 0
  static constexpr int fine = 16, octaves = 44;

  std::array<double, shown> recent_{};
  std::array<std::uint64_t, std::size_t{fine} * octaves> classes_{};
  std::uint64_t count_ = 0;
  double last_ = 0.0, sum_ = 0.0, least_ = 0.0, most_ = 0.0;
};

/// Equations (6) to (8) of the EPOS paper, in s. Times are ns; `offset` is t^{T→H}, home time minus
/// target time.
constexpr double send_to_receive(std::int64_t received_home, std::int64_t sent_target,
                                 std::int64_t offset) noexcept {
  return static_cast<double>(received_home - (offset + sent_target)) * 1e-9;
}
constexpr double acquisition_to_output(std::int64_t output_home, std::int64_t acquired_target,
                                       std::int64_t offset) noexcept {
  return static_cast<double>(output_home - (offset + acquired_target)) * 1e-9;
}
/// On the home clock alone: from acquisition to the output of the first packet that the peer
/// computed with it.
constexpr double dead_time(std::int64_t output_home, std::int64_t acquired_home) noexcept {
  return static_cast<double>(output_home - acquired_home) * 1e-9;
}

}  // namespace vernier::link
