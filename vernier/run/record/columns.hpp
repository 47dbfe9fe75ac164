#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "vernier/run/record/result_reader.hpp"

namespace vernier::record {

/// Recorded signals for plots: any range of time, fast however often it is asked, during the run or
/// after it. At first use a signal is read once, block by block; of each block its extremes are
/// kept. Of a run that goes on, only new rows are read. Not thread-safe.
///
/// Memory: at most `most_bytes`, and what one signal needs; signals not used for longest are
/// forgotten. A signal needs an eighth of a byte for each value, its times little if they are
/// regular, else eight bytes for each row, once for all signals that share them.
class Columns {
 public:
  /// The folder of a run, or a results file. Throws ConfigurationError (V7101), as everything here.
  explicit Columns(const std::filesystem::path& run_or_file,
                   std::size_t most_bytes = std::size_t{256} << 20);
  ~Columns();
  Columns(Columns&&) noexcept;

  /// For its signals; valid until refresh().
  const ResultReader& reader() const noexcept;
  /// Makes the rows visible that were added to the file.
  void refresh();

  /// One element from `from` to `to` (s): all rows if there are at most `points`, and `whole` is
  /// true. Else the range is divided into intervals of nearly equal duration, and of each the
  /// smallest and largest value and the first NaN are kept, at their times: at most 3/2 `points`.
  /// In both cases the last row before `from` and the first after `to` are added, so that a line
  /// reaches the edges.
  Trace read(const Signal&, std::uint32_t element, double from, double to, std::size_t points,
             bool& whole);

  /// All elements in the last row at or before `at`; nothing before the first row.
  std::optional<std::vector<double>> row(const Signal&, double at);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vernier::record
