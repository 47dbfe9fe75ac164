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

/// The part of a segment inside a box (Liang and Barsky 1984); false: none.
bool clip(Point& a, Point& b, const Box& box) {
  double from = 0.0, to = 1.0;
  const Point d{b.x - a.x, b.y - a.y};
  const auto cut = [&](double rate, double room) {  // inside where s * rate <= room
    if (rate == 0.0) return room >= 0.0;
    if (rate > 0.0) to = std::min(to, room / rate);
    if (rate < 0.0) from = std::max(from, room / rate);
    return from <= to;
  };
  if (!cut(-d.x, a.x - box.left) || !cut(d.x, box.right - a.x) || !cut(-d.y, a.y - box.top) ||
      !cut(d.y, box.bottom - a.y)) {
    return false;
  }
  const Point start = a;
  if (from > 0.0) a = {start.x + from * d.x, start.y + from * d.y};
  if (to < 1.0) b = {start.x + to * d.x, start.y + to * d.y};
  return true;
}

bool inside(Point p, const Box& b) {
  return p.x >= b.left && p.x <= b.right && p.y >= b.top && p.y <= b.bottom;
}

void cut_off(std::vector<std::vector<Point>>& runs, const Box& box) {
  std::vector<std::vector<Point>> kept;
  for (std::vector<Point>& run : runs) {
    if (std::all_of(run.begin(), run.end(), [&](Point p) { return inside(p, box); })) {
      kept.push_back(std::move(run));
      continue;
    }
    bool open = false;
    for (std::size_t k = 0; k + 1 < run.size(); ++k) {
      Point a = run[k], b = run[k + 1];
      const bool seen = clip(a, b, box);
      if (seen && !open) kept.push_back({a});
      if (seen) kept.back().push_back(b);
      open = seen && inside(run[k + 1], box);
    }
  }
  runs = std::move(kept);
}

/// Neither it nor a line to a neighbour shows: all of them are beyond the same end of the axis.
bool beyond(const std::vector<double>& x, std::size_t k, const Range& r) {
  const std::size_t first = k == 0 ? 0 : k - 1, last = std::min(k + 1, x.size() - 1);
  bool below = true, above = true;
  for (std::size_t i = first; i <= last; ++i) {
    below = below && x[i] < r.low;
    above = above && x[i] > r.high;
  }
  return below || above;
}

/// The value where the line to point k crosses `end`, an end of the x axis; not a number: nowhere.
double at_crossing(const Curve& c, std::size_t k, double end) {
  const double x0 = c.x[k - 1], x1 = c.x[k];
  if (!((x0 < end && end < x1) || (x1 < end && end < x0))) return NAN;
  return c.steps ? c.y[k - 1] : c.y[k - 1] + (end - x0) / (x1 - x0) * (c.y[k] - c.y[k - 1]);
}

/// Keeps what any number becomes on a screen drawable.
double bounded(double px) { return std::clamp(px, -1e9, 1e9); }

}  // namespace

std::vector<std::vector<Point>> line_of(const Curve& c, const Range& x, const Range& y,
                                        const Box& box) {
  std::vector<std::vector<Point>> runs;
  Columns columns(runs);
  const auto x_of = [&](double v) {
    return bounded(box.left + (v - x.low) / x.span() * box.width());
  };
  const auto y_of = [&](double v) {
    return bounded(box.bottom - (v - y.low) / y.span() * box.height());
  };
  const std::size_t n = std::min(c.x.size(), c.y.size());
  bool before = false;  // there is a point before this one, without a gap
  for (std::size_t k = 0; k < n; ++k) {
    if (!std::isfinite(c.x[k]) || !std::isfinite(c.y[k])) {
      columns.gap();
      before = false;
      continue;
    }
    if (beyond(c.x, k, x)) continue;
    if (c.steps && before) columns.add({x_of(c.x[k]), y_of(c.y[k - 1])});
    columns.add({x_of(c.x[k]), y_of(c.y[k])});
    before = true;
  }
  columns.flush();
  const double room = box.height() + box.width() + 4.0;
  cut_off(runs, {box.left - room, box.top - room, box.right + room, box.bottom + room});
  return runs;
}

Range x_range(const Plot& p) {
  double low = INFINITY, high = -INFINITY;
  for (const Panel& panel : p.panels) {
    for (const Curve& c : panel.curves) {
      for (const double x : c.x) {
        if (!std::isfinite(x)) continue;
        low = std::min(low, x);
        high = std::max(high, x);
      }
    }
  }
  if (p.from) low = *p.from;
  if (p.to) high = *p.to;
  return comfortable(low, high, p.path && !p.from && !p.to ? 0.04 : 0.0);
}

Range value_range(const Panel& panel, const Range& x) {
  if (panel.y_range) return comfortable(panel.y_range->low, panel.y_range->high, 0.0);
  double low = INFINITY, high = -INFINITY;
  const auto take = [&](double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  };
  for (const Curve& c : panel.curves) {
    for (std::size_t k = 0; k < std::min(c.x.size(), c.y.size()); ++k) {
      if (c.x[k] >= x.low && c.x[k] <= x.high) take(c.y[k]);
      if (k == 0) continue;
      for (const double end : {x.low, x.high}) take(at_crossing(c, k, end));
    }
  }
  for (const auto& [value, name] : panel.y_names) take(value);
  return comfortable(low, high, panel.y_names.empty() ? 0.06 : 0.2);
}

}  // namespace vernier::plot
