#include <algorithm>
#include <array>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/run/plot/detail/draw.hpp"
#include "vernier/run/plot/plot.hpp"

namespace vernier::plot {

namespace {

constexpr std::array<const char*, 6> hues{"\x1b[34m", "\x1b[31m", "\x1b[32m",
                                          "\x1b[35m", "\x1b[33m", "\x1b[36m"};
constexpr std::string_view letters = "*o+x#@%&";

/// A grid of characters, each of `across` × `down` dots.
class Dots {
 public:
  Dots(int columns, int rows, bool unicode)
      : columns_(columns),
        rows_(rows),
        across_(unicode ? 2 : 1),
        down_(unicode ? 4 : 1),
        unicode_(unicode),
        cells_(std::size_t(columns) * rows) {}

  int width() const noexcept { return columns_ * across_; }
  int height() const noexcept { return rows_ * down_; }

  void set(int x, int y, int curve) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    Cell& c = cells_[std::size_t(y / down_) * columns_ + x / across_];
    static constexpr int bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    c.dots |= unicode_ ? bits[y % 4][x % 2] : 1;
    c.curve = curve;
  }
  void line(Point a, Point b, int curve) {
    const int steps =
        static_cast<int>(std::ceil(std::max(std::abs(b.x - a.x), std::abs(b.y - a.y))));
    for (int k = 0; k <= steps; ++k) {
      const double s = steps > 0 ? static_cast<double>(k) / steps : 0.0;
      set(static_cast<int>(std::floor(a.x + s * (b.x - a.x))),
          static_cast<int>(std::floor(a.y + s * (b.y - a.y))), curve);
    }
  }
  /// Writes a letter where only this curve is, every so many columns; each curve at columns of its
  /// own.
  void name(int curve, int curves) {
    const int apart = std::max(12, 4 * curves);
    for (int c = 2 + 4 * curve; c < columns_; c += apart) {
      for (int r = 0; r < rows_; ++r) {
        Cell& cell = cells_[std::size_t(r) * columns_ + c];
        if (cell.dots == 0 || cell.curve != curve) continue;
        cell.letter = letters[std::size_t(curve) % letters.size()];
        break;
      }
    }
  }
  void mark(int x) {
    for (int r = 0; r < rows_; ++r) cells_[std::size_t(r) * columns_ + x / across_].marker = true;
  }

  std::string row(int r, bool color) const {
    std::string text;
    int hue = -1;
    for (int c = 0; c < columns_; ++c) {
      const Cell& cell = cells_[std::size_t(r) * columns_ + c];
      const int wanted = cell.dots != 0 ? cell.curve : -1;
      if (color && wanted != hue) {
        text += wanted < 0 ? "\x1b[0m" : hues[wanted % hues.size()];
        hue = wanted;
      }
      if (cell.dots == 0) {
        text += cell.marker ? (unicode_ ? "┊" : ":") : " ";
      } else if (cell.letter != 0) {
        text += cell.letter;
      } else if (unicode_) {
        text += '\xE2';
        text += static_cast<char>(0xA0 | cell.dots >> 6);
        text += static_cast<char>(0x80 | (cell.dots & 0x3F));
      } else {
        text += letters[cell.curve % letters.size()];
      }
    }
    if (color && hue >= 0) text += "\x1b[0m";
    return text;
  }

 private:
  struct Cell {
    int dots = 0;
    int curve = 0;
    char letter = 0;
    bool marker = false;
  };
  int columns_, rows_, across_, down_;
  bool unicode_;
  std::vector<Cell> cells_;
};

std::string padded(const std::string& text, std::size_t to) {
  const std::size_t w = width(text);
  return std::string(w < to ? to - w : 0, ' ') + text;
}

/// Colours, or one curve alone, need no letters.
bool lettered(const Panel& p, const Sketch& s) {
  return !s.unicode || (!s.color && p.curves.size() > 1);
}

std::string legend(const Panel& p, const Sketch& s) {
  std::string line;
  for (std::size_t i = 0; i < p.curves.size(); ++i) {
    if (p.curves[i].label.empty()) continue;
    const std::string sign =
        lettered(p, s) ? std::string(1, letters[i % letters.size()]) : (s.color ? "━" : "");
    if (!line.empty()) line += "   ";
    if (s.color) line += hues[i % hues.size()];
    line += sign;
    if (s.color) line += "\x1b[0m";
    if (!sign.empty()) line += " ";
    line += p.curves[i].label;
  }
  return line;
}

std::string plain_minus(std::string text, bool unicode) {
  if (!unicode && text.starts_with("−")) text.replace(0, std::string_view("−").size(), "-");
  return text;
}

Axis y_axis(const Panel& panel, const Range& across, const Sketch& s) {
  Axis y = make_axis(value_range(panel, across), std::max(2, std::clamp(s.rows, 4, 200) / 3),
                     panel.y_unit, panel.y_prefix);
  if (!panel.y_names.empty()) {
    y.ticks.clear();
    y.exponent = 0;
    for (const auto& [value, name] : panel.y_names) y.ticks.push_back({value, name});
  }
  for (Tick& t : y.ticks) t.label = plain_minus(t.label, s.unicode);
  return y;
}

/// `margin`: the width of the widest label, the same for all panels.
void draw_panel(const Plot& plot, const Panel& panel, const Range& across, const Sketch& s,
                std::size_t margin, std::string& out) {
  const int rows = std::clamp(s.rows, 4, 200);
  const Axis y = y_axis(panel, across, s);
  const int columns = std::max(10, std::clamp(s.columns, 20, 1000) - static_cast<int>(margin) - 3);
  Dots dots(columns, rows, s.unicode);
  for (const Marker& m : plot.markers) {
    const double x = (m.time - across.low) / across.span() * (dots.width() - 1);
    if (x >= 0.0 && x <= dots.width() - 1) dots.mark(static_cast<int>(x));
  }
  const Box box{0.0, 0.0, dots.width() - 1e-6, dots.height() - 1e-6};
  for (std::size_t i = panel.curves.size(); i-- > 0;) {  // the first on top
    for (const auto& run : line_of(panel.curves[i], across, y.range, box)) {
      if (run.size() == 1) dots.line(run[0], run[0], static_cast<int>(i));
      for (std::size_t k = 0; k + 1 < run.size(); ++k) {
        dots.line(run[k], run[k + 1], static_cast<int>(i));
      }
    }
  }
  if (s.unicode && lettered(panel, s)) {
    const int curves = static_cast<int>(panel.curves.size());
    for (int i = 0; i < curves; ++i) dots.name(i, curves);
  }
  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  for (const Tick& t : y.ticks) {
    const double share = (y.range.high - t.value) / y.range.span();
    const int row = std::clamp(static_cast<int>(share * rows), 0, rows - 1);
    labels[static_cast<std::size_t>(row)] = t.label;
  }
  const std::string label_of_y = axis_text(panel.y_label, y);
  std::string head = panel.title.empty() ? label_of_y : panel.title + ", " + label_of_y;
  if (y.exponent != 0)
    head += "  " + (s.unicode ? power_of_ten(y.exponent) : "x1e" + std::to_string(y.exponent));
  out += head + "\n";
  const std::string line = legend(panel, s);
  if (!line.empty()) out += "  " + line + "\n";
  for (int r = 0; r < rows; ++r) {
    const std::string& label = labels[static_cast<std::size_t>(r)];
    const char* rule = s.unicode ? (label.empty() ? " │" : " ┤") : (label.empty() ? " |" : " +");
    out += padded(label, margin) + rule + dots.row(r, s.color) + "\n";
  }
  // the time axis
  std::string below(margin + 2 + static_cast<std::size_t>(columns) + 12, ' ');
  const Axis x = make_axis(across, std::max(2, columns / 14), plot.x_unit, plot.x_prefix);
  std::string ruler;
  std::vector<bool> ticked(static_cast<std::size_t>(columns), false);
  std::size_t free_from = 0;
  for (const Tick& t : x.ticks) {
    const auto at = static_cast<std::size_t>(
        std::clamp((t.value - across.low) / across.span() * (columns - 1), 0.0, columns - 1.0));
    ticked[at] = true;
    const std::string label = plain_minus(t.label, false);
    const std::size_t start = margin + 2 + at - std::min(at, label.size() / 2);
    if (start < free_from || start + label.size() > below.size()) continue;
    below.replace(start, label.size(), label);
    free_from = start + label.size() + 1;
  }
  for (const bool t : ticked) ruler += s.unicode ? (t ? "┬" : "─") : (t ? "+" : "-");
  out += std::string(margin, ' ') + (s.unicode ? " └" : " +") + ruler + "\n";
  below.erase(below.find_last_not_of(' ') + 1);
  out += below + "  " + axis_text(plot.x_label, x);
  if (x.exponent != 0)
    out += (s.unicode ? "  " + power_of_ten(x.exponent) : "  x1e" + std::to_string(x.exponent));
  out += "\n";
}

}  // namespace

std::string to_terminal(const Plot& p, const Sketch& s) {
  std::string out;
  if (!p.title.empty()) out += p.title + "\n";
  const Range across = x_range(p);
  std::size_t margin = 0;
  for (const Panel& panel : p.panels) {
    for (const Tick& t : y_axis(panel, across, s).ticks) margin = std::max(margin, width(t.label));
  }
  for (const Panel& panel : p.panels) draw_panel(p, panel, across, s, margin, out);
  return out;
}

}  // namespace vernier::plot
