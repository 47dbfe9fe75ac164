#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::plot {

struct Point {
  double x = 0.0, y = 0.0;  // px; y points downwards
};

struct Color {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Color&) const = default;
};

struct Pen {
  Color color;
  double width = 1.0;                   // px
  std::span<const double> dashes = {};  // px: drawn, omitted, drawn, …; empty: solid
};

struct Box {
  double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;
  double width() const noexcept { return right - left; }
  double height() const noexcept { return bottom - top; }
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12.0;  // px, of the font
  Color color = {};
  Anchor anchor = Anchor::start;
  bool bold = false;
  bool upwards = false;  // rotated by 90° to read from bottom to top
  bool halo = false;     // white outline, so that it is legible over lines
};

/// What the drawing code requires of an output format.
class Canvas {
 public:
  virtual ~Canvas() = default;

  virtual void fill(const Box&, Color) = 0;
  /// Polylines: each run connects its points; several runs are one curve with gaps.
  virtual void lines(std::span<const std::vector<Point>>, const Pen&) = 0;
  /// `at` is the start of the baseline, its centre or its end, as the style says.
  virtual void text(Point at, std::string_view utf8, const TextStyle&) = 0;
  virtual double text_width(std::string_view utf8, const TextStyle&) const = 0;
  /// Until end_clip(), only what is inside the box is drawn. `name` is unique in the picture.
  virtual void begin_clip(const Box&, int name) = 0;
  virtual void end_clip() = 0;
  /// Starts a named group, so that tools which edit the picture can find it.
  virtual void begin_part(std::string_view /*title*/) {}
  virtual void end_part() {}
};

}  // namespace vernier::plot
