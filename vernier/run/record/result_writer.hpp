#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "vernier/run/record/result_layout.hpp"

namespace vernier::record {

/// Writes results.h5 so that it can be read at any moment, by this process or another, also after
/// the writer was killed: everything up to the last flush() is there.
///
///   /signals/<component>/<port>/value   rows × elements; attributes signal, unit, frame,
///   description /signals/<component>/<port>/time    rows, in s; the same dataset for all signals
///   of a group
///
/// A nested instance path ("bus.wheel1") gives nested groups. While the file is being written a
/// lock is held on `<file>.lock`; it is removed at the end. One thread uses a writer at a time.
class ResultWriter {
 public:
  /// Throws ConfigurationError when the file exists already or cannot be made, and when two signals
  /// would take the same place in the file.
  ResultWriter(const std::filesystem::path& file, const ResultLayout&);
  /// Closes, and swallows what fails: call close() to hear of it.
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  const RowLayout& row(std::size_t group) const noexcept;

  /// Adds one row, laid out as row(group) says. Throws ConfigurationError when the file cannot take
  /// it (disk full); the writer is then of no further use, and what was flushed stays readable.
  void append(std::size_t group, std::span<const std::byte> row);

  /// Makes all rows visible to readers and safe from the death of this process. Throws as append().
  void flush();
  void close();

  std::uint64_t rows(std::size_t group) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vernier::record
