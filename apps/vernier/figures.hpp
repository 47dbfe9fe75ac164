#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vernier/run/plot/plot.hpp"
#include "vernier/run/record/result_reader.hpp"

/// Plots of results.
namespace vernier::app {

/// A run to plot, with its name in the legend.
struct DrawnRun {
  std::string name;
  const record::ResultReader* results = nullptr;
};

/// Signals selected by patterns, of one run or several overlaid. A vector has its own panel;
/// scalars of the same unit share one. Throws ConfigurationError (V7102).
plot::Plot plot_of_signals(const std::vector<DrawnRun>&, const std::vector<std::string>& patterns);

/// The events of a run (events.csv) as vertical lines; none when there are too many.
std::vector<plot::Marker> markers_of(const std::filesystem::path& run_folder);

/// Draws the figures of a run's document into `<run>/figures/NAME.svg` (or png). Returns the files.
/// Throws ConfigurationError.
std::vector<std::filesystem::path> draw_figures(const std::filesystem::path& run_folder,
                                                const std::string& format = "svg");

}  // namespace vernier::app
