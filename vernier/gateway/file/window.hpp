#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "vernier/base/time.hpp"
#include "vernier/component/component.hpp"
#include "vernier/gateway/file/csv.hpp"

namespace vernier::file {

/// What to read from a file. Field i of a record goes to value slots[i] (-1: not needed); value 0
/// is the time in `time_factor` seconds, value k + 1 is multiplied by factors[k].
struct Layout {
  char separator = ',';
  std::vector<std::int32_t> slots;
  double time_factor = 1.0;
  std::vector<double> factors;
  std::vector<std::string> names;  // of the fields, for messages
};

/// The rows of a file around the current time, kept in bounded memory by a thread that reads ahead.
/// One other thread reads it and never waits, except in wait_for() and far jumps of go_to().
class Window {
 public:
  /// The current row: the last one that is not later than the current time, -1 before the first.
  struct Position {
    std::int64_t row = -1;
    std::uint64_t offset = 0;  // of that row in the file, or of the first row
    std::uint64_t line = 0;
  };
  struct Row {
    Time time;
    std::span<const double> values;
  };
  enum class Reach : std::uint8_t {
    there,   // the position is right for the requested time
    behind,  // the disk is slow: rows are missing
    broken   // the row after the position is invalid; see fault()
  };

  /// Rows begin at `first`. `memory`: bytes for rows.
  Window(const std::filesystem::path&, Layout, const Position& first,
         std::size_t memory = std::size_t{4} << 20);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  Reach move_to(Time) noexcept;
  /// The same, but waits for the disk.
  Reach wait_for(Time) noexcept;
  /// Returns to an earlier or later position. Waits only when that row, or the next one, is not in
  /// memory.
  void go_to(const Position&) noexcept;

  const Position& position() const noexcept { return position_; }
  /// Whether the row at the position is the last; valid after Reach::there.
  bool at_last() const noexcept {
    return position_.row + 1 == end_.load(std::memory_order_acquire);
  }
  /// Whether row 0 (at the position) or 1 (after it) exists.
  bool has(std::int64_t offset) const noexcept;
  /// That row, which must exist.
  Row row(std::int64_t offset) const noexcept;

  const Fault& fault() const noexcept { return fault_; }

 private:
  struct Slot {
    Time time{};
    std::uint64_t offset = 0, line = 0;
  };
  void run();
  /// Reads one row into the ring; false when there is no more to read for now.
  bool read_one();
  void spoil(const char* code, const char* text);
  std::size_t place(std::int64_t row) const noexcept {
    return static_cast<std::size_t>(row) % slots_.size();
  }

  std::filesystem::path path_;
  Layout layout_;
  Position first_;
  std::size_t columns_;
  std::vector<Slot> slots_;
  std::vector<double> values_;
  std::int64_t history_;

  // used by the reading thread
  LineFile file_;
  std::vector<double> record_;
  std::int64_t next_ = 0;
  Time latest_ = Time::min();
  bool done_ = false;

  // used by the other thread
  Position position_;

  std::atomic<std::int64_t> filled_{0};   // rows before it are available
  std::atomic<std::int64_t> oldest_{0};   // rows before it may be overwritten
  std::atomic<std::int64_t> end_{-1};     // the number of rows, once known
  std::atomic<std::int64_t> broken_{-1};  // the invalid row
  Fault fault_;                           // written before broken_
  Position target_;                       // written before asked_
  std::atomic<std::uint64_t> asked_{0}, served_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace vernier::file
