#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vernier/run/plot/detail/canvas.hpp"

namespace vernier::plot {

/// An image in memory that is drawn on with a round, antialiased pen.
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
  /// Covers a segment, in pixels, with a pen of this radius.
  void cover(Point a, Point b, double radius);
  void cover_text(Point at, std::string_view utf8, const TextStyle&, double radius);
  void cover_dashed(const std::vector<Point>&, const Pen&, double radius);
  /// Lays the colour where something was covered, and forgets the covering.
  void lay(Color);

  int width_, height_;
  double scale_;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint8_t> covered_;  // 0 to 255 per pixel
  int dirty_left_, dirty_top_, dirty_right_, dirty_bottom_;
  int clip_left_ = 0, clip_top_ = 0, clip_right_, clip_bottom_;
};

}  // namespace vernier::plot
