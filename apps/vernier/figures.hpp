#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vernier/run/plot/plot.hpp"
#include "vernier/run/record/result_reader.hpp"

/// Results as pictures.
namespace vernier::app {

/// A run that is drawn, under the name it has in a legend.
struct DrawnRun {
  std::string name;
  const record::ResultReader* results = nullptr;
};

/// Signals by patterns, of one run or of several over each other. A vector has a panel of its own;
/// numbers of the same unit share one. Throws ConfigurationError (V7102).
plot::Plot plot_of_signals(const std::vector<DrawnRun>&, const std::vector<std::string>& patterns);

/// What happened in a run (events.csv), as lines through a picture; none when there is too much of
/// it.
std::vector<plot::Marker> markers_of(const std::filesystem::path& run_folder);

/// Draws the figures of a run's document into `<run>/figures/NAME.svg` (or png). Answers the files.
/// Throws ConfigurationError.
std::vector<std::filesystem::path> draw_figures(const std::filesystem::path& run_folder,
                                                const std::string& format = "svg");

}  // namespace vernier::app
