#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vernier::plot {

/// One line. `x` and `y` are equally long; what is not finite leaves a gap. Any number of points:
/// drawing keeps the extremes.
struct Curve {
  std::string label = {};
  std::vector<double> x = {};  // usually the time
  std::vector<double> y = {};
  bool steps = false;             // a value holds until the next: modes, counts, sampled outputs
  bool muted = false;             // grey, behind the others: an earlier run, a limit
  std::optional<int> style = {};  // colour and dashes; without it, by its place in the panel
  int shade = 0;                  // the same quantity of another run: paler, broader and behind
};

struct Limits {
  double low = 0.0, high = 1.0;
};

/// Axes with curves. Panels of a plot stand one above the other and share the x axis.
struct Panel {
  std::string title = {};    // may be empty
  std::string y_label = {};  // "ω"
  std::string y_unit = {};   // "rad/s", shown behind the label; empty or "1": none
  bool y_prefix = true;      // the unit may take a prefix: µs instead of ×10⁻⁶ s
  std::vector<Curve> curves = {};
  std::vector<std::pair<double, std::string>> y_names = {};  // marks with words: modes
  std::optional<Limits> y_range = {};                        // without it, all there is
};

/// An event, shown as a vertical line through all panels.
struct Marker {
  double time = 0.0;
  std::string label;
};

struct Plot {
  std::string title = {};
  std::string x_label = "time";
  std::string x_unit = "s";
  bool x_prefix = true;
  bool path = false;  // over another quantity than time: x gets room at both ends, and the same
                      // scale as y where their units agree
  std::vector<Panel> panels = {};
  std::vector<Marker> markers = {};
  int width = 960;       // px
  int panel_height = 0;  // px of one panel's axes; 0: what looks well for their number
  std::optional<double> from = {}, to = {};  // of the x axis; without them, all there is
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
