#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "vernier/run/plot/plot.hpp"
#include "vernier/run/record/result_reader.hpp"

/// Signals of runs as plots.
namespace vernier::app {

/// A run that is drawn, under the name it has in a legend.
struct DrawnRun {
  std::string name;
  const record::ResultReader* results = nullptr;
};

/// What is drawn, and how.
struct SignalChoice {
  std::vector<std::string> patterns = {};  // a vector has a panel of its own; numbers of the same
                                           // unit share one
  std::vector<std::vector<std::string>> panels = {};   // patterns that share a panel
  std::vector<std::array<std::string, 2>> paths = {};  // x and y; then nothing else
  std::vector<std::string> units = {};                 // each for signals of its dimension
  std::vector<std::string> labels = {};                // of the curves, in their order
  std::vector<plot::Limits> y_ranges = {};             // one for all panels, or one for each
  std::optional<plot::Limits> x_range = {};            // of paths
  std::optional<double> from = {}, to = {};            // s
  std::string x_label = {}, y_label = {};              // instead of the names of signals
};

/// Signals of one run or of several over each other. Throws ConfigurationError (V7102, V7122,
/// V7123).
plot::Plot plot_of_signals(const std::vector<DrawnRun>&, const SignalChoice&);

/// One element as a curve, in a unit of the user's choice; empty: the signal's own.
plot::Curve curve_of(const record::ResultReader&, const record::Signal&, std::uint32_t element,
                     const std::string& unit, std::string label);

/// What signals of one unit have in common, for the axis: the last part of their names, "rate" of
/// "base.rate" and "target.rate", else the quantity that is measured in the unit, if there is one.
std::string common_name(const std::set<std::string>& names, const std::string& unit);

}  // namespace vernier::app
