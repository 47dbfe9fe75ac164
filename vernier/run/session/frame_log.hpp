#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "vernier/run/realtime/frames.hpp"
#include "vernier/run/record/recorder.hpp"

namespace vernier::session {

/// Writes every frame of a real-time run to frames.h5, in the format of results.h5 and on a
/// separate thread: frame.number, wake_up, cost, margin, late, behind, cause, culprit, and
/// frame.cost_of.NAME for every component. What finds no room is dropped and counted.
class FrameLog final : public realtime::FrameSink {
 public:
  /// Creates the file. Throws ConfigurationError.
  FrameLog(const std::filesystem::path& folder, const std::vector<std::string>& parts,
           record::RecorderOptions);
  ~FrameLog() override;

  void take(const realtime::Frame&, std::span<const std::int64_t> costs) noexcept override;
  void finish() noexcept { recorder_.finish(); }
  record::RecorderStatistics statistics() const { return recorder_.statistics(); }
  /// Frames that the loop has passed on.
  std::uint64_t passed() { return recorder_.passed_on().rows.front(); }

 private:
  std::vector<Port> ports_;
  std::vector<executive::PortView> views_;
  std::vector<double> reals_;
  std::vector<std::int64_t> integers_;
  std::vector<std::uint8_t> booleans_;
  executive::Observer* tap_ = nullptr;
  record::Recorder recorder_;
};

}  // namespace vernier::session
