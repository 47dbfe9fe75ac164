#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::plot {

struct Point {
  double x = 0.0, y = 0.0;  // px; y grows downwards
};

struct Color {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Color&) const = default;
};

struct Pen {
  Color color;
  double width = 1.0;                   // px
  std::span<const double> dashes = {};  // px: drawn, left out, drawn, …; empty: solid
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
  bool upwards = false;  // turned by 90°, read from below
  bool halo = false;     // white around it, so that it reads over lines
};

/// What the drawing of a plot needs of a medium.
class Canvas {
 public:
  virtual ~Canvas() = default;

  virtual void fill(const Box&, Color) = 0;
  /// Runs of connected points; several runs make one line with gaps.
  virtual void lines(std::span<const std::vector<Point>>, const Pen&) = 0;
  /// The baseline begins (or is centred, or ends) at `at`.
  virtual void text(Point at, std::string_view utf8, const TextStyle&) = 0;
  virtual double text_width(std::string_view utf8, const TextStyle&) const = 0;
  /// Until end_clip(), only what is inside of the box shows. `name` is unique in the picture.
  virtual void begin_clip(const Box&, int name) = 0;
  virtual void end_clip() = 0;
  /// A part of the picture with a name, for whoever takes it apart.
  virtual void begin_part(std::string_view /*title*/) {}
  virtual void end_part() {}
};

}  // namespace vernier::plot
