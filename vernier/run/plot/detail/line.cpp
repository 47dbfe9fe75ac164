#include <algorithm>
#include <cmath>

#include "vernier/run/plot/detail/draw.hpp"

namespace vernier::plot {

namespace {

/// Collects points and keeps the first, lowest, highest and last of those in one px column.
class Columns {
 public:
  explicit Columns(std::vector<std::vector<Point>>& runs) : runs_(runs) {}

  void add(Point p) {
    const double column = std::floor(p.x);
    if (held_ > 0 && column != column_) flush();
    column_ = column;
    if (held_ == 0) first_ = low_ = high_ = p;
    if (p.y < low_.y) low_ = p, low_at_ = held_;
    if (p.y > high_.y) high_ = p, high_at_ = held_;
    last_ = p;
    ++held_;
  }
  void gap() {
    flush();
    open_ = false;
  }
  void flush() {
    if (held_ == 0) return;
    if (!open_) runs_.emplace_back();
    open_ = true;
    put(first_);
    if (held_ > 1) {
      put(low_at_ <= high_at_ ? low_ : high_);
      put(low_at_ <= high_at_ ? high_ : low_);
      put(last_);
    }
    held_ = 0;
    low_at_ = high_at_ = 0;
  }

 private:
  void put(Point p) {
    std::vector<Point>& run = runs_.back();
    if (!run.empty() && run.back().x == p.x && run.back().y == p.y) return;
    run.push_back(p);
  }

  std::vector<std::vector<Point>>& runs_;
  bool open_ = false;
  std::size_t held_ = 0, low_at_ = 0, high_at_ = 0;
  double column_ = 0.0;
  Point first_, low_, high_, last_;
};

}  // namespace

std::vector<std::vector<Point>> line_of(const Curve& c, const Range& time, const Range& values,
                                        const Box& box) {
  std::vector<std::vector<Point>> runs;
  Columns columns(runs);
  // clamp far points: they stay outside the box, and their coordinates stay representable
  const double most = 4.0 * box.height() + 4.0;
  const auto x_of = [&](double t) { return box.left + (t - time.low) / time.span() * box.width(); };
  const auto y_of = [&](double v) {
    const double y = box.bottom - (v - values.low) / values.span() * box.height();
    return std::clamp(y, box.top - most, box.bottom + most);
  };
  const std::size_t n = std::min(c.time.size(), c.values.size());
  bool before = false;  // a point precedes this one without a gap
  for (std::size_t k = 0; k < n; ++k) {
    if (!std::isfinite(c.time[k]) || !std::isfinite(c.values[k])) {
      columns.gap();
      before = false;
      continue;
    }
    // keep the neighbours of the visible part, so that the line enters and leaves the box
    const bool right_of = k > 0 && c.time[k - 1] > time.high;
    const bool left_of = k + 1 < n && c.time[k + 1] < time.low;
    if (right_of || left_of) continue;
    const double x = x_of(c.time[k]);
    if (c.steps && before) columns.add({x, y_of(c.values[k - 1])});
    columns.add({x, y_of(c.values[k])});
    before = true;
  }
  columns.flush();
  return runs;
}

Range time_range(const Plot& p) {
  double low = INFINITY, high = -INFINITY;
  for (const Panel& panel : p.panels) {
    for (const Curve& c : panel.curves) {
      for (const double t : c.time) {
        if (!std::isfinite(t)) continue;
        low = std::min(low, t);
        high = std::max(high, t);
      }
    }
  }
  if (p.from) low = *p.from;
  if (p.to) high = *p.to;
  return comfortable(low, high, 0.0);
}

Range value_range(const Panel& panel, const Range& time) {
  double low = INFINITY, high = -INFINITY;
  for (const Curve& c : panel.curves) {
    for (std::size_t k = 0; k < std::min(c.time.size(), c.values.size()); ++k) {
      const double v = c.values[k];
      if (!std::isfinite(v) || c.time[k] < time.low || c.time[k] > time.high) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
  for (const auto& [value, name] : panel.y_names) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return comfortable(low, high, panel.y_names.empty() ? 0.06 : 0.2);
}

}  // namespace vernier::plot
