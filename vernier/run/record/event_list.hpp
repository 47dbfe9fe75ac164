#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace vernier::record {

/// events.csv of a run, also while it grows.
class EventList {
 public:
  /// time, component, kind, from, to, reason, transition
  static constexpr std::size_t columns = 7;
  struct Line {
    double time = 0.0;
    std::vector<std::string> cells;  // of all columns
  };

  explicit EventList(const std::filesystem::path& run_folder);

  /// Reads what was added. A file that cannot be read has no events.
  void refresh();
  std::uint64_t total() const noexcept { return begins_.size(); }
  /// Lines [first, first + most), fewer at the end.
  std::vector<Line> lines(std::uint64_t first, std::size_t most) const;
  /// Bytes of the file with its head and its first lines; all of them at most.
  std::uint64_t bytes(std::uint64_t lines) const noexcept {
    return lines < begins_.size() ? begins_[lines] : read_;
  }

 private:
  std::filesystem::path file_;
  std::vector<std::uint64_t> begins_;  // of the lines, in the file
  std::uint64_t read_ = 0;             // bytes of whole lines, with the head
  bool head_ = false;                  // the first line was read
};

/// The cells of one record of CSV (RFC 4180), without its line end.
std::vector<std::string> csv_cells(std::string_view record);

}  // namespace vernier::record
