#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vernier/run/realtime/frames.hpp"
#include "vernier/run/record/result_reader.hpp"

namespace vernier::desktop {

/// One row of frames.h5, with the numbers of the file.
struct FrameRow {
  double time = 0.0;  // s, simulated, at its start
  std::int64_t number = 0;
  double wake_up = 0.0, cost = 0.0, margin = 0.0, held = 0.0;  // s
  bool late = false, behind = false;
  realtime::Cause cause = realtime::Cause::none;
  std::uint32_t culprit = realtime::nobody;
  std::vector<double> parts = {};  // s, cost by part

  /// From its intended start to the end of its work.
  double used() const noexcept { return wake_up + cost; }
  /// What blame() needs.
  realtime::Frame frame() const noexcept;
};

/// The frames of a run, from frames.h5, while it runs or afterwards. New rows are read once. Memory
/// is bounded: of neighbouring frames the one that used least and the one that used most of its
/// time are kept, all others are read again when they are needed. Not thread-safe. All functions
/// throw ConfigurationError (V7101).
class FrameHistory {
 public:
  /// Late frames that are kept, the first ones.
  static constexpr std::size_t most_late = 100'000;

  /// Throws V8131 when the run has no frames, V8132 when the file has no frames in it.
  explicit FrameHistory(const std::filesystem::path& run_folder);

  /// Reads what was added. Nothing changes for a run that is over.
  void refresh();

  const std::vector<std::string>& parts() const noexcept { return parts_; }
  std::uint64_t frames() const noexcept { return rows_; }
  /// Of all frames. Differs from the run's own statistics only after it was frozen: the file does
  /// not tell which frame was the first after that.
  const realtime::FrameStatistics& statistics() const noexcept { return statistics_; }
  const std::optional<FrameRow>& first() const noexcept { return first_; }
  const std::optional<FrameRow>& last() const noexcept { return last_; }
  /// The frame with the least margin.
  const std::optional<FrameRow>& worst() const noexcept { return worst_; }
  const std::vector<FrameRow>& late() const noexcept { return late_; }

  struct Strip {
    std::vector<FrameRow> rows;
    std::uint64_t frames = 0;  // that there are
    bool whole = true;         // all of them are in `rows`
  };
  /// The frame at `from` (s) and those that begin after it, until `to`; or, if they are more than
  /// `most`, of every interval the one that used least and the one that used most of its time.
  Strip strip(double from, double to, std::size_t most);

 private:
  /// Neighbouring frames.
  struct Block {
    double begin;
    FrameRow least, most;
  };
  struct Columns {
    const record::Signal *number, *wake_up, *cost, *margin, *held, *late, *behind, *cause, *culprit;
    std::vector<const record::Signal*> parts;
  };

  Columns columns() const;
  std::vector<FrameRow> read(std::uint64_t first, std::uint64_t count) const;
  void take(const FrameRow&);
  void halve();
  /// The number of frames that begin before `t`, or at it.
  std::uint64_t until(double t) const;

  std::filesystem::path folder_;
  record::ResultReader reader_;
  std::vector<std::string> parts_;
  std::uint64_t rows_ = 0, block_ = 64, in_a_row_ = 0;
  std::vector<Block> blocks_;
  realtime::FrameStatistics statistics_;
  std::optional<FrameRow> first_, last_, worst_;
  std::vector<FrameRow> late_;
};

}  // namespace vernier::desktop
