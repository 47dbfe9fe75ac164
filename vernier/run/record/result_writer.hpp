#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "vernier/run/record/result_layout.hpp"

namespace vernier::record {

/// Writes results.h5 so that it can be read at any moment, by this process or another, also after
/// the writer was killed: everything up to the last flush() is available.
///
///   /signals/<component>/<port>/value   rows × elements; attributes signal, unit, frame,
///   description
///   /signals/<component>/<port>/time    rows, in s; the same dataset for all signals of a group
///
/// A nested instance path ("bus.wheel1") gives nested groups. While the file is being written a
/// lock is held on `<file>.lock`, which is removed at the end. One thread at a time uses a writer.
class ResultWriter {
 public:
  /// Throws ConfigurationError when the file exists or cannot be created, and when two signals
  /// would have the same place in the file.
  ResultWriter(const std::filesystem::path& file, const ResultLayout&);
  /// Continues a file that has the same layout and no writer: keeps so many rows of each group, and
  /// adds others after them. Throws ConfigurationError (V7136) when it has not as many.
  ResultWriter(const std::filesystem::path& file, const ResultLayout&,
               std::span<const std::uint64_t> rows);
  /// Closes, and ignores failures: call close() to learn of them.
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  const RowLayout& row(std::size_t group) const noexcept;

  /// Adds one row with the layout row(group). Throws ConfigurationError when the file cannot be
  /// extended (disk full); the writer is then unusable, and flushed data stays readable.
  void append(std::size_t group, std::span<const std::byte> row);

  /// Makes all rows visible to readers, and safe if this process dies. Throws as append().
  void flush();
  void close();

  std::uint64_t rows(std::size_t group) const noexcept;
  /// Rows that are in the file, with the layout row(group); fewer where there are not as many.
  std::vector<std::byte> read_back(std::size_t group, std::uint64_t first,
                                   std::uint64_t count) const;
  /// After a failure: rows that were appended and are not in the file, over all groups.
  std::uint64_t lost() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The rows of each group of a results file that is not being written. Throws ConfigurationError
/// (V7136).
std::vector<std::uint64_t> recorded_rows(const std::filesystem::path& file);

}  // namespace vernier::record
