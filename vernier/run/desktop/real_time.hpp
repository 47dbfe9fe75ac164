#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "vernier/run/desktop/frame_history.hpp"
#include "vernier/run/desktop/link_figures.hpp"
#include "vernier/run/record/result_reader.hpp"

namespace vernier::desktop {

/// How a run keeps or kept time: everything that the page of formats/desktop shows of it. Not
/// thread-safe. All functions throw ConfigurationError.
class RealTimeView {
 public:
  /// Throws V8131 when the run has no frames.
  explicit RealTimeView(const std::filesystem::path& run_folder);

  /// The answer to `frames`. `late`: late frames that the page has already.
  nlohmann::ordered_json description(std::uint64_t late);
  /// The answer to `strip`.
  nlohmann::ordered_json strip(double from, double to, std::size_t most);

 private:
  void refresh();

  std::filesystem::path folder_;
  FrameHistory frames_;
  std::optional<record::ResultReader> results_;  // none: the run recorded no signals
  std::optional<LinkFigures> links_;
};

}  // namespace vernier::desktop
