#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vernier/run/record/live_rows.hpp"

namespace vernier::desktop {

/// Columns of a live run, for one page. Not thread-safe; nothing of it waits.
class LiveFollow {
 public:
  using Column = std::pair<std::string, std::uint32_t>;  // the path of a signal, and its element

  /// Throws ConfigurationError (V7101) when the run has no live rows. Columns that it does not
  /// record stay empty. `rate`: messages a second.
  LiveFollow(const std::filesystem::path& run_folder, const std::vector<Column>&, double rate);

  /// The columns' new rows as a message of kind 2, reduced so that the smallest and the largest
  /// value of each interval are kept, and the last one; empty: there is nothing new. The first
  /// message has what the run still remembers.
  std::vector<std::byte> poll(std::uint32_t follow, std::uint64_t dropped);
  /// Samples in the last message.
  std::size_t samples() const noexcept { return samples_; }
  /// Samples that were overwritten before they were read.
  std::uint64_t lost() const noexcept { return lost_; }
  /// The run has ended, and poll() has given everything.
  bool over() const noexcept { return over_; }

 private:
  struct Place {
    std::vector<std::uint32_t> positions;  // among the columns, which may have one of them twice
    std::size_t offset;                    // in the row
    Scalar scalar;
    std::vector<double> values = {};
  };
  struct Group {
    std::vector<Place> places;
    std::vector<double> time;
  };

  record::LiveRowReader reader_;
  std::vector<Group> groups_;
  std::size_t intervals_;  // of a message
  std::size_t intervals_at_first_;
  bool first_ = true, over_ = false;
  std::size_t samples_ = 0;
  std::uint64_t lost_ = 0;
};

/// The rows that a reduced curve keeps, in order: the smallest, the largest and the first value
/// that is not a number of each of so many intervals, and the last row. All, if there are not more
/// than that.
void keep_extremes(std::span<const double> values, std::size_t intervals,
                   std::vector<std::size_t>& kept);

}  // namespace vernier::desktop
