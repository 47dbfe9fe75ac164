#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/descriptor.hpp"
#include "vernier/run/record/result_layout.hpp"

/// The newest rows of a run, for readers in other processes: rings in the file `live` of the run's
/// folder, while it runs. formats/live specifies the file. A reader never has an effect on the
/// writer; it may read at any time, fall behind, or be killed.
namespace vernier::record {

/// What the writer reports besides rows.
struct LiveCounts {
  std::uint64_t events = 0;   // lines that events.csv has, without its head
  std::uint64_t dropped = 0;  // samples that did not reach the recorder's thread
  bool recording = true;      // false: results.h5 gets no more rows, for example on a full disk
  bool operator==(const LiveCounts&) const = default;
};

inline constexpr std::size_t usual_live_bytes = std::size_t{8} << 20;

/// Rows that a run that is continued has had before: how many of each group, and what they are.
struct EarlierRows {
  EarlierRows(std::vector<std::uint64_t> r,
              std::function<std::vector<std::byte>(std::size_t group, std::uint64_t first,
                                                   std::uint64_t count)>
                  f)
      : rows(std::move(r)), read(std::move(f)) {}
  std::vector<std::uint64_t> rows;
  std::function<std::vector<std::byte>(std::size_t group, std::uint64_t first, std::uint64_t count)>
      read;
};

/// Used by one thread, which is not the loop. It calls the system, but never waits for a reader.
class LiveRowWriter {
 public:
  /// Creates the file, with about `bytes` in all; every group has room for the same number of rows,
  /// at least eight. Throws ConfigurationError (V7104): the run then goes on without the file.
  LiveRowWriter(const std::filesystem::path& folder, const ResultLayout&,
                std::size_t bytes = usual_live_bytes, const std::optional<EarlierRows>& = {});
  /// Says that the run is over, and removes the file: who has it open can still read the rest.
  ~LiveRowWriter();
  LiveRowWriter(const LiveRowWriter&) = delete;
  LiveRowWriter& operator=(const LiveRowWriter&) = delete;

  /// Adds a row with the layout RowLayout(group); it overwrites the oldest. Readers see it after
  /// publish().
  void append(std::size_t group, Bytes row) noexcept;
  /// Shows readers what was appended. Does nothing when nothing has changed.
  void publish(const LiveCounts&) noexcept;
  /// False once the file could not be written; from then on nothing is.
  bool good() const noexcept { return good_; }

 private:
  struct Ring {
    std::size_t row_bytes;
    std::uint64_t offset, capacity, reserve;
    std::uint64_t written = 0;         // rows, in the file
    std::vector<std::byte> rows = {};  // appended and not yet in the file
  };

  void show_earlier(const EarlierRows&);
  void store(Ring&) noexcept;
  void store_counts(std::uint32_t state) noexcept;
  void write(Bytes, std::uint64_t offset) noexcept;

  std::filesystem::path path_;
  Descriptor file_;
  std::vector<Ring> rings_;
  std::uint64_t counts_at_ = 0;
  std::vector<std::byte> shown_;  // the counts as they are in the file
  LiveCounts counts_;
  bool good_ = true;
};

/// Not thread-safe; any number of readers can read one run.
class LiveRowReader {
 public:
  /// Throws ConfigurationError (V7101) when the run is not running, or its file is not of this
  /// version or damaged.
  explicit LiveRowReader(const std::filesystem::path& run_folder);

  /// The groups with their signals, with the same paths as in results.h5.
  const ResultLayout& layout() const noexcept { return layout_; }
  /// Where the columns of a group's rows are.
  const RowLayout& row(std::size_t group) const noexcept { return rings_[group].row; }

  struct Row {
    std::size_t group;
    std::uint64_t number;  // counts the rows of the group from 0, as in results.h5
    double time;           // s
    Bytes bytes;           // valid during the call
  };
  /// Calls `take` for all rows since the last call; the first time, for all that are still there.
  /// The rows of a group come in order, groups one after the other. Returns how many were
  /// overwritten since the last call before they were read. A row is delivered whole or not at all.
  std::uint64_t poll(const std::function<void(const Row&)>& take);

  /// As of the last poll().
  const LiveCounts& counts() const noexcept { return counts_; }
  /// Rows of a group that were written until the last poll().
  std::uint64_t written(std::size_t group) const noexcept { return rings_[group].written; }
  /// The writer has ended or died: once this is true, one more poll() gives the last rows.
  bool over();

 private:
  struct Ring {
    RowLayout row;
    std::uint64_t offset, capacity, reserve;
    std::uint64_t written = 0, next = 0;
    /// Rows before this one may be overwritten at any time.
    std::uint64_t oldest() const noexcept {
      const std::uint64_t claimed = written + reserve;
      return claimed > capacity ? claimed - capacity : 0;
    }
  };

  bool read_counts();

  std::filesystem::path path_;
  Descriptor file_;
  ResultLayout layout_;
  std::vector<Ring> rings_;
  std::uint64_t counts_at_ = 0;
  std::vector<std::byte> counts_bytes_, rows_;
  LiveCounts counts_;
  bool ended_ = false;
};

/// The file's name in a run's folder.
std::filesystem::path live_file(const std::filesystem::path& run_folder);

/// Removes the file that a killed run has left. False when there is none, or its run goes on.
bool remove_dead_live_file(const std::filesystem::path& run_folder) noexcept;

}  // namespace vernier::record
