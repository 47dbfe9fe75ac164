#pragma once

#include <atomic>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "vernier/gateway/file/csv_sink.hpp"

namespace vernier::file {

/// The writing thread and its queue. One thread pushes.
class CsvSink::Writer {
 public:
  /// Takes ownership of the descriptor, which is open for reading and writing, after the header.
  Writer(int fd, std::size_t columns, char separator, std::size_t memory);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// False when there is no room.
  bool push(Time, std::span<const double>) noexcept;
  /// Removes the rows from `t` on; waits for room.
  void rewind(Time t) noexcept;

  bool half_full() const noexcept;
  /// Waits until everything pushed is in the file.
  void flush() noexcept;
  /// The errno of a failure, or 0.
  int error() const noexcept { return error_.load(std::memory_order_acquire); }

 private:
  struct Item {
    Time time;
    bool rewind = false;
  };
  bool push(Time, bool rewind, std::span<const double>) noexcept;
  void run();
  void format(const Item&, std::span<const double>);
  void write_out();
  void remove_from(Time);

  int fd_;
  std::size_t columns_;
  char separator_;
  std::vector<Item> items_;
  std::vector<double> values_;
  std::vector<char> text_;
  std::size_t used_ = 0;
  std::atomic<std::uint64_t> pushed_{0}, taken_{0}, written_{0};
  std::atomic<int> error_{0};
  std::atomic<bool> stop_{false}, hurry_{false};
  std::thread thread_;
};

}  // namespace vernier::file
