#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vernier/run/plot/plot.hpp"

/// The figures of a run's document.
namespace vernier::app {

/// What happened in a run (events.csv), as lines through a picture; none when there is too much of
/// it.
std::vector<plot::Marker> markers_of(const std::filesystem::path& run_folder);

struct NamedPlot {
  std::string name;
  plot::Plot plot;
};

/// The figures of a run's document whose signals were recorded. Throws ConfigurationError.
std::vector<NamedPlot> figures_of(const std::filesystem::path& run_folder);

/// Draws the figures of a run's document into `<run>/figures/NAME.svg` (or png). Answers the files.
/// Throws ConfigurationError.
std::vector<std::filesystem::path> draw_figures(const std::filesystem::path& run_folder,
                                                const std::string& format = "svg");

/// A sketch as wide as the terminal, in colours where it has them; `rows` characters high.
std::string sketch_of(const plot::Plot&, int rows);

}  // namespace vernier::app
