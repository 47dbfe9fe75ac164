#pragma once

#include <string_view>
#include <vector>

#include "vernier/run/plot/detail/canvas.hpp"

namespace vernier::plot {

/// A character as strokes of a round pen. Coordinates are in font units: capitals are 14 high, y
/// points upwards from the baseline.
struct Glyph {
  double advance = 0.0;
  std::vector<std::vector<Point>> strokes;
};

/// Font units per px of font size: capitals are 0.72 of the font size high.
constexpr double units_per_size = 14.0 / 0.72;

/// The built-in stroke font: ASCII, Greek, superscripts, and the symbols of units and mathematics.
/// A missing character is drawn as an empty box.
const Glyph& glyph(char32_t);

/// Whether the font has it.
bool has_glyph(char32_t) noexcept;

}  // namespace vernier::plot
