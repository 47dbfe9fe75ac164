#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vernier/run/plot/detail/canvas.hpp"

namespace vernier::plot {

/// An image in memory, drawn with a round, antialiased pen.
class Raster final : public Canvas {
 public:
  /// `scale` pixels per px.
  Raster(int width, int height, double scale);

  int width() const noexcept { return width_; }    // pixels
  int height() const noexcept { return height_; }  // pixels
  /// Rows from the top, three bytes per pixel: red, green, blue.
  const std::vector<std::uint8_t>& pixels() const noexcept { return pixels_; }

  void fill(const Box&, Color) override;
  void lines(std::span<const std::vector<Point>>, const Pen&) override;
  void text(Point at, std::string_view utf8, const TextStyle&) override;
  double text_width(std::string_view utf8, const TextStyle&) const override;
  void begin_clip(const Box&, int name) override;
  void end_clip() override;

 private:
  /// Adds the coverage of a segment, in pixels, drawn with a pen of this radius.
  void cover(Point a, Point b, double radius);
  void cover_text(Point at, std::string_view utf8, const TextStyle&, double radius);
  void cover_dashed(const std::vector<Point>&, const Pen&, double radius);
  /// Blends the colour where there is coverage, and clears the coverage.
  void lay(Color);

  int width_, height_;
  double scale_;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint8_t> covered_;  // coverage of each pixel, 0 to 255
  int dirty_left_, dirty_top_, dirty_right_, dirty_bottom_;
  int clip_left_ = 0, clip_top_ = 0, clip_right_, clip_bottom_;
};

}  // namespace vernier::plot
