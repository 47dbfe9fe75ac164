#pragma once

#include <string_view>
#include <vector>

#include "vernier/run/plot/detail/canvas.hpp"

namespace vernier::plot {

/// A character as strokes of a round pen. Coordinates in units of the font: capitals are 14 high,
/// y grows upwards from the baseline.
struct Glyph {
  double advance = 0.0;
  std::vector<std::vector<Point>> strokes;
};

/// Font units in one px of font size: capitals are 0.72 of the size high.
constexpr double units_per_size = 14.0 / 0.72;

/// Our own font: ASCII, Greek, superscripts and the signs of units and mathematics. A character it
/// does not have is an empty box.
const Glyph& glyph(char32_t);

/// Whether the font has it.
bool has_glyph(char32_t) noexcept;

}  // namespace vernier::plot
