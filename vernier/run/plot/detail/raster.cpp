#include "vernier/run/plot/detail/raster.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/run/plot/detail/font.hpp"
#include "vernier/run/plot/detail/utf8.hpp"

namespace vernier::plot {

namespace {

double stroke_width(const TextStyle& s) { return s.size * (s.bold ? 0.125 : 0.083); }

}  // namespace

Raster::Raster(int width, int height, double scale)
    : width_(static_cast<int>(std::ceil(width * scale))),
      height_(static_cast<int>(std::ceil(height * scale))),
      scale_(scale),
      pixels_(std::size_t(width_) * std::size_t(height_) * 3, 255),
      covered_(std::size_t(width_) * std::size_t(height_), 0),
      dirty_left_(width_),
      dirty_top_(height_),
      dirty_right_(0),
      dirty_bottom_(0),
      clip_right_(width_),
      clip_bottom_(height_) {}

void Raster::fill(const Box& b, Color c) {
  const int left = std::clamp(static_cast<int>(std::lround(b.left * scale_)), 0, width_);
  const int right = std::clamp(static_cast<int>(std::lround(b.right * scale_)), 0, width_);
  const int top = std::clamp(static_cast<int>(std::lround(b.top * scale_)), 0, height_);
  const int bottom = std::clamp(static_cast<int>(std::lround(b.bottom * scale_)), 0, height_);
  for (int y = top; y < bottom; ++y) {
    std::uint8_t* p = &pixels_[(std::size_t(y) * width_ + left) * 3];
    for (int x = left; x < right; ++x, p += 3) p[0] = c.r, p[1] = c.g, p[2] = c.b;
  }
}

void Raster::cover(Point a, Point b, double radius) {
  const double reach = radius + 1.0;
  const int left = std::max(clip_left_, static_cast<int>(std::floor(std::min(a.x, b.x) - reach)));
  const int right =
      std::min(clip_right_, static_cast<int>(std::ceil(std::max(a.x, b.x) + reach)) + 1);
  const int top = std::max(clip_top_, static_cast<int>(std::floor(std::min(a.y, b.y) - reach)));
  const int bottom =
      std::min(clip_bottom_, static_cast<int>(std::ceil(std::max(a.y, b.y) + reach)) + 1);
  if (left >= right || top >= bottom) return;
  dirty_left_ = std::min(dirty_left_, left), dirty_right_ = std::max(dirty_right_, right);
  dirty_top_ = std::min(dirty_top_, top), dirty_bottom_ = std::max(dirty_bottom_, bottom);

  const double dx = b.x - a.x, dy = b.y - a.y;
  const double length2 = dx * dx + dy * dy;
  for (int y = top; y < bottom; ++y) {
    const double py = y + 0.5;
    // only a few pixels of each row are near a long steep line
    int from = left, to = right;
    if (std::abs(dy) > 1.0) {
      const double t0 = std::clamp((py - reach - a.y) / dy, 0.0, 1.0);
      const double t1 = std::clamp((py + reach - a.y) / dy, 0.0, 1.0);
      const double x0 = a.x + t0 * dx, x1 = a.x + t1 * dx;
      from = std::max(from, static_cast<int>(std::floor(std::min(x0, x1) - reach)));
      to = std::min(to, static_cast<int>(std::ceil(std::max(x0, x1) + reach)) + 1);
    }
    std::uint8_t* row = &covered_[std::size_t(y) * width_];
    for (int x = from; x < to; ++x) {
      const double px = x + 0.5;
      const double along =
          length2 > 0.0 ? std::clamp(((px - a.x) * dx + (py - a.y) * dy) / length2, 0.0, 1.0) : 0.0;
      const double ex = px - (a.x + along * dx), ey = py - (a.y + along * dy);
      const double distance = std::sqrt(ex * ex + ey * ey);
      const double share = std::clamp(radius + 0.5 - distance, 0.0, 1.0);
      const auto value = static_cast<std::uint8_t>(std::lround(share * 255.0));
      row[x] = std::max(row[x], value);
    }
  }
}

void Raster::cover_dashed(const std::vector<Point>& run, const Pen& pen, double radius) {
  std::size_t dash = 0;
  double left = pen.dashes[0] * scale_;
  for (std::size_t k = 0; k + 1 < run.size(); ++k) {
    Point a{run[k].x * scale_, run[k].y * scale_};
    const Point b{run[k + 1].x * scale_, run[k + 1].y * scale_};
    double rest = std::hypot(b.x - a.x, b.y - a.y);
    while (rest > 0.0) {
      const double part = std::min(rest, left);
      const Point c{a.x + (b.x - a.x) * part / rest, a.y + (b.y - a.y) * part / rest};
      if (dash % 2 == 0) cover(a, c, radius);
      a = c;
      rest -= part;
      left -= part;
      if (left <= 1e-9) left = pen.dashes[++dash % pen.dashes.size()] * scale_;
    }
  }
}

void Raster::lines(std::span<const std::vector<Point>> runs, const Pen& pen) {
  // a line thinner than a pixel is drawn paler, not narrower
  const double radius = std::max(pen.width * scale_ / 2.0, 0.35);
  for (const auto& run : runs) {
    if (run.size() == 1)
      cover({run[0].x * scale_, run[0].y * scale_}, {run[0].x * scale_, run[0].y * scale_}, radius);
    if (!pen.dashes.empty()) {
      cover_dashed(run, pen, radius);
      continue;
    }
    for (std::size_t k = 0; k + 1 < run.size(); ++k) {
      cover({run[k].x * scale_, run[k].y * scale_}, {run[k + 1].x * scale_, run[k + 1].y * scale_},
            radius);
    }
  }
  lay(pen.color);
}

void Raster::text(Point at, std::string_view utf8, const TextStyle& s) {
  const double radius = std::max(stroke_width(s) * scale_ / 2.0, 0.4);
  if (s.halo) {
    cover_text(at, utf8, s, radius + 1.5 * scale_);
    lay({255, 255, 255});
  }
  cover_text(at, utf8, s, radius);
  lay(s.color);
}

void Raster::cover_text(Point at, std::string_view utf8, const TextStyle& s, double radius) {
  const double unit = s.size / units_per_size;
  const double length = text_width(utf8, s);
  double pen = s.anchor == Anchor::start    ? 0.0
               : s.anchor == Anchor::middle ? -length / 2.0
                                            : -length;
  for (const char32_t c : characters(utf8)) {
    const Glyph& g = glyph(c);
    const auto place = [&](Point p) {
      const double along = pen + p.x * unit, up = p.y * unit;
      return s.upwards ? Point{(at.x - up) * scale_, (at.y - along) * scale_}
                       : Point{(at.x + along) * scale_, (at.y - up) * scale_};
    };
    for (const auto& stroke : g.strokes) {
      // a dot is a little larger than the pen
      const bool dot = stroke.size() == 2 && std::abs(stroke[1].y - stroke[0].y) < 0.05 &&
                       stroke[0].x == stroke[1].x;
      for (std::size_t k = 0; k + 1 < stroke.size(); ++k) {
        cover(place(stroke[k]), place(stroke[k + 1]), dot ? radius * 1.3 : radius);
      }
    }
    pen += g.advance * unit;
  }
}

double Raster::text_width(std::string_view utf8, const TextStyle& s) const {
  double sum = 0.0;
  for (const char32_t c : characters(utf8)) sum += glyph(c).advance;
  return sum * s.size / units_per_size;
}

void Raster::begin_clip(const Box& b, int) {
  clip_left_ = std::clamp(static_cast<int>(std::floor(b.left * scale_)), 0, width_);
  clip_right_ = std::clamp(static_cast<int>(std::ceil(b.right * scale_)), 0, width_);
  clip_top_ = std::clamp(static_cast<int>(std::floor(b.top * scale_)), 0, height_);
  clip_bottom_ = std::clamp(static_cast<int>(std::ceil(b.bottom * scale_)), 0, height_);
}

void Raster::end_clip() {
  clip_left_ = clip_top_ = 0;
  clip_right_ = width_;
  clip_bottom_ = height_;
}

void Raster::lay(Color c) {
  for (int y = dirty_top_; y < dirty_bottom_; ++y) {
    for (int x = dirty_left_; x < dirty_right_; ++x) {
      std::uint8_t& share = covered_[std::size_t(y) * width_ + x];
      if (share == 0) continue;
      std::uint8_t* p = &pixels_[(std::size_t(y) * width_ + x) * 3];
      const auto mix = [&](std::uint8_t under, std::uint8_t over) {
        return static_cast<std::uint8_t>((under * (255 - share) + over * share + 127) / 255);
      };
      p[0] = mix(p[0], c.r), p[1] = mix(p[1], c.g), p[2] = mix(p[2], c.b);
      share = 0;
    }
  }
  dirty_left_ = width_, dirty_top_ = height_, dirty_right_ = dirty_bottom_ = 0;
}

}  // namespace vernier::plot
