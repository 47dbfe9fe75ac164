#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vernier::plot {

/// One line. `time` and `values` have the same length; values that are not finite leave a gap. The
/// number of points is unlimited: drawing keeps the extremes.
struct Curve {
  std::string label = {};
  std::vector<double> time = {};
  std::vector<double> values = {};
  bool steps = false;             // a value holds until the next: modes, counts, switches
  bool muted = false;             // grey, behind the others: an earlier run, a limit
  std::optional<int> style = {};  // colour and dashes; by default, by position in the panel
};

/// Axes with curves. The panels of a plot are stacked and share the time axis.
struct Panel {
  std::string title;    // may be empty
  std::string y_label;  // "ω [rad/s]"
  std::vector<Curve> curves;
  std::vector<std::pair<double, std::string>> y_names = {};  // labelled values: modes
};

/// An event, shown as a vertical line through all panels.
struct Marker {
  double time = 0.0;
  std::string label;
};

struct Plot {
  std::string title;
  std::string x_label = "time [s]";
  std::vector<Panel> panels;
  std::vector<Marker> markers = {};
  int width = 960;       // px
  int panel_height = 0;  // px of one panel's axes; 0: chosen by the number of panels
  std::optional<double> from = {}, to = {};  // of the time axis; by default, everything
};

/// Scalable vector graphics; text remains text.
std::string to_svg(const Plot&);

/// The content of a PNG file, with `scale` pixels per px. Throws ConfigurationError (V7120) if the
/// picture is too large.
std::vector<std::byte> to_png(const Plot&, double scale = 2.0);

struct Sketch {
  int columns = 80, rows = 16;  // characters; rows are of one panel
  bool unicode = true;          // braille dots; else plain ASCII
  bool color = false;
};

/// A sketch for terminals, as lines of text.
std::string to_terminal(const Plot&, const Sketch& = {});

/// Chooses the format by the extension, .svg or .png. Throws ConfigurationError (V7120).
void write(const Plot&, const std::filesystem::path&);

}  // namespace vernier::plot
