#include "vernier/run/plot/detail/draw.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <numeric>

namespace vernier::plot {

namespace {

constexpr Color ink{34, 34, 34}, soft{96, 96, 96}, grid{225, 225, 225}, frame{70, 70, 70};
constexpr Color muted{160, 160, 160}, event{110, 110, 110};

// The palette of Okabe and Ito, which is safe for all kinds of colour vision. Each colour has its
// own dashes, so that curves also differ in black-and-white print.
constexpr std::array<Color, 7> colors{{{0, 114, 178},
                                       {213, 94, 0},
                                       {0, 158, 115},
                                       {204, 121, 167},
                                       {230, 159, 0},
                                       {86, 180, 233},
                                       {20, 20, 20}}};
constexpr double dash[] = {7, 3.5}, dot[] = {1.2, 3.2}, dash_dot[] = {9, 3, 1.2, 3},
                 long_dash[] = {14, 4}, dash_dots[] = {9, 3, 1.2, 3, 1.2, 3}, short_dash[] = {4, 2};
constexpr std::array<std::span<const double>, 7> dashes{
    {{}, dash, dot, dash_dot, long_dash, dash_dots, short_dash}};
constexpr double event_dashes[] = {2, 3};

const TextStyle title_text{.size = 16, .color = ink, .bold = true};
const TextStyle panel_text{.size = 12.5, .color = ink, .bold = true};
const TextStyle label_text{.size = 13, .color = ink};
const TextStyle tick_text{.size = 12, .color = ink};
const TextStyle legend_text{.size = 12, .color = ink};
const TextStyle event_text{.size = 10.5, .color = soft, .halo = true};

constexpr double edge = 14.0, sample_length = 30.0, legend_line = 17.0, legend_gap = 18.0;

struct PanelLayout {
  const Panel* panel;
  Axis y;
  bool has_title;
  std::vector<std::vector<std::size_t>> legend;  // the curves in each row of the legend
  Box box;                                       // the area of the axes
};

struct Layout {
  Size size;
  Axis x;
  double left = 0.0, right = 0.0;
  std::vector<PanelLayout> panels;
};

Color paler(Color c, double share) {
  const auto mixed = [&](std::uint8_t v) {
    return static_cast<std::uint8_t>(std::lround(v + (255 - v) * share));
  };
  return {mixed(c.r), mixed(c.g), mixed(c.b)};
}

Pen pen_of(const Curve& c, std::size_t place) {
  if (c.muted) return {muted, 1.3};
  const auto style =
      static_cast<std::size_t>(std::max(0, c.style.value_or(static_cast<int>(place))));
  // after one pass through the colours, colours and dashes are paired differently
  const std::size_t shift = style / colors.size();
  // other runs look out from behind the first one where they agree with it
  const int shade = std::clamp(c.shade, 0, 3);
  return {paler(colors[style % colors.size()], shade == 0 ? 0.0 : 0.3 + 0.15 * shade),
          1.6 + 1.4 * shade, dashes[(style + shift) % dashes.size()]};
}

/// Consecutive numbers for the curves that are not muted.
std::vector<std::size_t> places_of(const Panel& p) {
  std::vector<std::size_t> places;
  std::size_t next = 0;
  for (const Curve& c : p.curves) places.push_back(c.muted ? 0 : next++);
  return places;
}

/// The order to draw the curves in: the muted ones and those of other runs lie behind.
std::vector<std::size_t> from_behind(const Panel& p) {
  std::vector<std::size_t> order(p.curves.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto depth = [&](std::size_t i) { return p.curves[i].muted ? INT_MAX : p.curves[i].shade; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return depth(a) > depth(b); });
  return order;
}

std::vector<std::vector<std::size_t>> legend_of(const Panel& p, double width,
                                                const Canvas& canvas) {
  std::vector<std::vector<std::size_t>> rows;
  double used = 0.0;
  for (std::size_t i = 0; i < p.curves.size(); ++i) {
    if (p.curves[i].label.empty()) continue;
    const double need =
        sample_length + 6.0 + canvas.text_width(p.curves[i].label, legend_text) + legend_gap;
    if (rows.empty() || used + need > width) {
      rows.emplace_back();
      used = 0.0;
    }
    rows.back().push_back(i);
    used += need;
  }
  return rows;
}

int panel_height_of(const Plot& p) {
  if (p.panel_height > 0) return std::clamp(p.panel_height, 40, 4000);
  switch (p.panels.size()) {
    case 0:
    case 1:
      return 400;
    case 2:
      return 240;
    case 3:
      return 180;
    default:
      return 140;
  }
}

Axis y_axis_of(const Panel& panel, const Range& values, double height) {
  const int most = std::max(2, static_cast<int>(height / 36.0));
  Axis y = make_axis(values, most, panel.y_unit, panel.y_prefix);
  if (panel.y_names.empty()) return y;
  y.ticks.clear();
  y.small_ticks.clear();
  y.exponent = 0;
  for (const auto& [value, name] : panel.y_names) y.ticks.push_back({value, name});
  return y;
}

bool same_scale(const Plot& p) {
  return p.path && p.panels.size() == 1 && !p.x_unit.empty() && p.x_unit == p.panels[0].y_unit;
}

void widen(Range& r, double span) {
  const double room = (span - r.span()) / 2.0;
  r = {r.low - room, r.high + room};
}

/// Gives both axes of a path the same scale: answers the height, and widens one of the ranges where
/// the picture would become too flat or too high.
double match_scales(Range& x, Range& y, double width) {
  const double height = std::clamp(width * y.span() / x.span(), 160.0, 640.0);
  const double per_px = std::max(x.span() / width, y.span() / height);
  widen(x, per_px * width);
  widen(y, per_px * height);
  return height;
}

/// The width that tick labels need.
double widest_label(const std::vector<PanelLayout>& panels, const Canvas& canvas) {
  double widest = 0.0;
  for (const PanelLayout& p : panels) {
    for (const Tick& t : p.y.ticks) {
      widest = std::max(widest, canvas.text_width(t.label, tick_text));
    }
  }
  return widest;
}

Layout arrange(const Plot& p, const Canvas& canvas) {
  Layout l;
  const double width = std::clamp(p.width, 200, 20'000);
  double height = panel_height_of(p);
  Range across = x_range(p);
  for (const Panel& panel : p.panels) {
    l.panels.push_back(
        {&panel, y_axis_of(panel, value_range(panel, across), height), false, {}, {}});
  }
  l.left = edge + 20.0 + widest_label(l.panels, canvas) + 10.0;
  l.right = width - edge - 8.0;
  if (same_scale(p)) {
    Range values = l.panels[0].y.range;
    height = match_scales(across, values, l.right - l.left);
    l.panels[0].y = y_axis_of(p.panels[0], values, height);
    // the labels may have become wider, but the axes may not
    const double left = edge + 20.0 + widest_label(l.panels, canvas) + 10.0;
    l.right += left - l.left;
    l.left = left;
  }
  const int most = std::max(2, static_cast<int>((l.right - l.left) / 85.0));
  l.x = make_axis(across, most, p.x_unit, p.x_prefix);

  double y = p.title.empty() ? edge : edge + 26.0;
  for (PanelLayout& panel : l.panels) {
    panel.has_title = !panel.panel->title.empty();
    panel.legend = legend_of(*panel.panel, l.right - l.left, canvas);
    if (panel.has_title) y += 18.0;
    y += legend_line * static_cast<double>(panel.legend.size()) + 4.0;
    panel.box = {l.left, y, l.right, y + height};
    y += height + 16.0;
  }
  y += 34.0;
  l.size = {static_cast<int>(std::max(width, l.right + edge + 8.0)),
            static_cast<int>(std::ceil(y + 4.0))};
  return l;
}

double x_of(const Layout& l, double t) {
  return l.left + (t - l.x.range.low) / l.x.range.span() * (l.right - l.left);
}
double y_of(const PanelLayout& p, double v) {
  return p.box.bottom - (v - p.y.range.low) / p.y.range.span() * p.box.height();
}

void line(Canvas& c, Point a, Point b, const Pen& pen) {
  const std::vector<Point> run{a, b};
  c.lines({&run, 1}, pen);
}

TextStyle anchored(TextStyle s, Anchor a) {
  s.anchor = a;
  return s;
}

void draw_grid(const Layout& l, const PanelLayout& p, Canvas& c) {
  const Pen thin{grid, 1.0};
  for (const Tick& t : l.x.ticks) {
    line(c, {x_of(l, t.value), p.box.top}, {x_of(l, t.value), p.box.bottom}, thin);
  }
  for (const Tick& t : p.y.ticks) {
    line(c, {p.box.left, y_of(p, t.value)}, {p.box.right, y_of(p, t.value)}, thin);
  }
}

void draw_axes(const Layout& l, const PanelLayout& p, bool lowest, Canvas& c) {
  const Box& b = p.box;
  const Pen pen{frame, 1.0};
  const std::vector<Point> around{
      {b.left, b.top}, {b.right, b.top}, {b.right, b.bottom}, {b.left, b.bottom}, {b.left, b.top}};
  c.lines({&around, 1}, pen);
  for (const Tick& t : l.x.ticks) {
    const double x = x_of(l, t.value);
    line(c, {x, b.bottom}, {x, b.bottom - 5.0}, pen);
    line(c, {x, b.top}, {x, b.top + 5.0}, pen);
    if (lowest) c.text({x, b.bottom + 17.0}, t.label, anchored(tick_text, Anchor::middle));
  }
  for (const double t : l.x.small_ticks) {
    line(c, {x_of(l, t), b.bottom}, {x_of(l, t), b.bottom - 2.5}, pen);
    line(c, {x_of(l, t), b.top}, {x_of(l, t), b.top + 2.5}, pen);
  }
  for (const Tick& t : p.y.ticks) {
    const double y = y_of(p, t.value);
    line(c, {b.left, y}, {b.left + 5.0, y}, pen);
    line(c, {b.right, y}, {b.right - 5.0, y}, pen);
    c.text({b.left - 7.0, y + 4.2}, t.label, anchored(tick_text, Anchor::end));
  }
  for (const double t : p.y.small_ticks) {
    line(c, {b.left, y_of(p, t)}, {b.left + 2.5, y_of(p, t)}, pen);
    line(c, {b.right, y_of(p, t)}, {b.right - 2.5, y_of(p, t)}, pen);
  }
  TextStyle up = anchored(label_text, Anchor::middle);
  up.upwards = true;
  c.text({edge + 10.0, (b.top + b.bottom) / 2.0}, axis_text(p.panel->y_label, p.y), up);
}

void draw_legend(const PanelLayout& p, Canvas& c) {
  const Box& b = p.box;
  const std::vector<std::size_t> places = places_of(*p.panel);
  double y = b.top - 10.0 - legend_line * (static_cast<double>(p.legend.size()) - 1.0);
  for (const auto& row : p.legend) {
    double x = b.left + 2.0;
    for (const std::size_t i : row) {
      const Curve& curve = p.panel->curves[i];
      line(c, {x, y}, {x + sample_length, y}, pen_of(curve, places[i]));
      c.text({x + sample_length + 6.0, y + 4.2}, curve.label, legend_text);
      x += sample_length + 6.0 + c.text_width(curve.label, legend_text) + legend_gap;
    }
    y += legend_line;
  }
  const double above = b.top - 8.0 - legend_line * static_cast<double>(p.legend.size());
  if (!p.panel->title.empty()) c.text({b.left, above}, p.panel->title, panel_text);
  if (p.y.exponent != 0) {
    c.text({b.left - 6.0, b.top - 6.0}, power_of_ten(p.y.exponent),
           anchored(tick_text, Anchor::end));
  }
}

void draw_markers(const Plot& plot, const Layout& l, const PanelLayout& p, Canvas& c) {
  const Pen pen{event, 1.0, event_dashes};
  double drawn = -INFINITY;
  for (const Marker& m : plot.markers) {
    if (!(m.time >= l.x.range.low && m.time <= l.x.range.high)) continue;
    const double x = x_of(l, m.time);
    if (std::abs(x - drawn) < 0.5) continue;  // more markers per pixel would only be black
    line(c, {x, p.box.top}, {x, p.box.bottom}, pen);
    drawn = x;
  }
}

void label_markers(const Plot& plot, const Layout& l, const PanelLayout& p, Canvas& c) {
  constexpr std::size_t most_labels = 12;
  std::size_t shown = 0;
  double free_from = -INFINITY;
  for (const Marker& m : plot.markers) {
    if (!(m.time >= l.x.range.low && m.time <= l.x.range.high)) continue;
    const double x = x_of(l, m.time);
    if (m.label.empty() || shown >= most_labels || x < free_from) continue;
    TextStyle up = anchored(event_text, Anchor::end);
    up.upwards = true;
    // to the right of the line, or to the left where there is no room
    const double beside = x + 14.0 < p.box.right ? x + 11.0 : x - 4.0;
    c.text({beside, p.box.top + 8.0}, m.label, up);
    free_from = x + 13.0;
    ++shown;
  }
}

}  // namespace

Size size_of(const Plot& p, const Canvas& c) { return arrange(p, c).size; }

void draw(const Plot& p, Canvas& c) {
  const Layout l = arrange(p, c);
  c.fill({0.0, 0.0, double(l.size.width), double(l.size.height)}, {255, 255, 255});
  if (!p.title.empty()) c.text({l.left, edge + 14.0}, p.title, title_text);
  for (std::size_t n = 0; n < l.panels.size(); ++n) {
    const PanelLayout& panel = l.panels[n];
    c.begin_part(panel.panel->title.empty() ? panel.panel->y_label : panel.panel->title);
    draw_grid(l, panel, c);
    draw_markers(p, l, panel, c);
    c.begin_clip(panel.box, static_cast<int>(n));
    const std::vector<std::size_t> places = places_of(*panel.panel);
    bool any = false;
    for (const std::size_t i : from_behind(*panel.panel)) {
      const Curve& curve = panel.panel->curves[i];
      const auto runs = line_of(curve, l.x.range, panel.y.range, panel.box);
      any |= !runs.empty();
      c.begin_part(curve.label);
      c.lines(runs, pen_of(curve, places[i]));
      c.end_part();
    }
    c.end_clip();
    if (n == 0) label_markers(p, l, panel, c);
    draw_axes(l, panel, n + 1 == l.panels.size(), c);
    draw_legend(panel, c);
    if (!any) {
      c.text({(panel.box.left + panel.box.right) / 2.0, (panel.box.top + panel.box.bottom) / 2.0},
             "no data", anchored(label_text, Anchor::middle));
    }
    c.end_part();
  }
  if (!l.panels.empty()) {
    std::string label = axis_text(p.x_label, l.x);
    if (l.x.exponent != 0) label += "  (" + power_of_ten(l.x.exponent) + ")";
    c.text({(l.left + l.right) / 2.0, l.panels.back().box.bottom + 38.0}, label,
           anchored(label_text, Anchor::middle));
  }
}

}  // namespace vernier::plot
