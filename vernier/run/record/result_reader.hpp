#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/run/record/result_layout.hpp"

namespace vernier::record {

struct Signal {
  SignalSpec spec;
  std::string rate;         // "10 every 1 s", "every instant"
  std::uint64_t group = 0;  // signals with the same number share their times
  std::uint64_t rows = 0;
};

/// All rows of a signal. At an event there may be two rows of the same time: before and after.
struct Series {
  std::vector<double> time;    // s
  std::vector<double> values;  // rows × elements, row by row; booleans as 0 and 1
};

/// One element of a signal over time.
struct Trace {
  std::vector<double> time;  // s
  std::vector<double> values;
};

/// What a user asked for: one signal, or one element of it.
struct Selected {
  const Signal* signal = nullptr;
  std::optional<std::uint32_t> element = {};
  std::string name() const;  // "plant.omega", "plant.omega[2]"
};

/// Reads results.h5 while it is being written, afterwards, and after its writer was killed: then up
/// to the writer's last flush. All functions throw ConfigurationError (V7101: not readable).
class ResultReader {
 public:
  /// `path`: the file, or the run's directory. Repairs a file whose writer died, if it is writable.
  explicit ResultReader(const std::filesystem::path&);
  ~ResultReader();
  ResultReader(ResultReader&&) noexcept;

  const std::filesystem::path& file() const noexcept;
  const std::string& version() const noexcept;
  const std::string& composition() const noexcept;
  const std::string& start() const noexcept;
  /// Whether a process is writing it now: refresh() then shows more.
  bool running() const noexcept;
  void refresh();

  /// In the order of their paths. Valid until refresh().
  const std::vector<Signal>& signals() const noexcept;
  const Signal* find(std::string_view path) const noexcept;

  /// Patterns: "plant.omega", "wheel*.speed", "plant.omega[2]", "*". In the order of the patterns,
  /// each signal once. A pattern without a match throws (V7102), with a suggestion.
  std::vector<Selected> select(const std::vector<std::string>& patterns) const;

  Series read(const Signal&) const;
  /// One element. With `most_points` > 0, at most about that many points, chosen so that every
  /// minimum and maximum is kept: a spike of one sample is not lost. Memory is bounded by the
  /// points. Reads everything each time; `Columns` is faster for many ranges.
  Trace trace(const Signal&, std::uint32_t element, std::size_t most_points = 0) const;

  /// Rows [first, first + count) of a signal, fewer at the end. For reading in blocks.
  Series read(const Signal&, std::uint64_t first, std::uint64_t count) const;
  /// The same of rows that the signal has: the times alone, and `elements` elements from `element`
  /// on, row by row.
  void times(const Signal&, std::uint64_t first, std::span<double> to) const;
  void values(const Signal&, std::uint64_t first, std::uint32_t element, std::uint32_t elements,
              std::span<double> to) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The results file in a run's directory, or the path itself when it is a file.
std::filesystem::path results_file(const std::filesystem::path&);

/// After a crash: makes the file readable for every HDF5 program. False when it is being written or
/// is not writable; a properly closed file is not changed. (`vernier runs --repair`)
bool repair(const std::filesystem::path& results_file);

}  // namespace vernier::record
