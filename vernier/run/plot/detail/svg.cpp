#include <array>
#include <cmath>
#include <cstdio>

#include "vernier/base/text.hpp"
#include "vernier/run/plot/detail/canvas.hpp"
#include "vernier/run/plot/detail/draw.hpp"
#include "vernier/run/plot/detail/utf8.hpp"
#include "vernier/run/plot/plot.hpp"

namespace vernier::plot {

namespace {

// The text is drawn in whatever font the reader has. Widths of the characters from blank to ~, in
// thousandths of the size: the widest of Helvetica, DejaVu Sans and Verdana, so that nothing runs
// into what follows it.
constexpr std::array<short, 95> widest{
    352, 401, 460, 838, 637, 951, 780, 275, 455, 455, 500, 838, 364, 455,  364, 455, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 455, 455, 838, 838, 838, 556, 1015, 685, 687, 722, 771, 667,
    611, 778, 752, 421, 500, 667, 558, 863, 749, 788, 667, 788, 722, 667,  611, 732, 685, 989, 686,
    667, 686, 455, 337, 455, 838, 636, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 427, 521, 395, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838};

class SvgCanvas final : public Canvas {
 public:
  std::string out;

  void fill(const Box& b, Color c) override {
    add("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"/>\n", number(b.left),
        number(b.top), number(b.width()), number(b.height()), hex(c));
  }

  void lines(std::span<const std::vector<Point>> runs, const Pen& pen) override {
    if (runs.empty()) return;
    std::string path;
    for (const auto& run : runs) {
      const char* command = "M";
      for (const Point& p : run) {
        path += command + number(p.x) + " " + number(p.y);
        command = "L";
      }
      // a single point becomes a dot
      if (run.size() == 1) path += "h0";
    }
    std::string pattern;
    for (const double d : pen.dashes) pattern += (pattern.empty() ? "" : " ") + number(d);
    if (!pattern.empty()) pattern = " stroke-dasharray=\"" + pattern + "\"";
    out += "<path d=\"" + path + "\" stroke=\"" + hex(pen.color) + "\" stroke-width=\"" +
           number(pen.width) + "\"" + pattern + "/>\n";
  }

  void text(Point at, std::string_view utf8, const TextStyle& s) override {
    if (utf8.empty()) return;
    const char* anchor = s.anchor == Anchor::start    ? ""
                         : s.anchor == Anchor::middle ? " text-anchor=\"middle\""
                                                      : " text-anchor=\"end\"";
    const std::string place = s.upwards ? " transform=\"translate(" + number(at.x) + " " +
                                              number(at.y) + ") rotate(-90)\""
                                        : " x=\"" + number(at.x) + "\" y=\"" + number(at.y) + "\"";
    out += "<text" + place + " font-size=\"" + number(s.size) + "\" fill=\"" + hex(s.color) + "\"" +
           (s.bold ? " font-weight=\"bold\"" : "") +
           (s.halo ? " stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"" : "") +
           anchor + ">" + escaped(utf8) + "</text>\n";
  }

  double text_width(std::string_view utf8, const TextStyle& s) const override {
    double sum = 0.0;
    for (const char32_t c : characters(utf8)) {
      sum += c >= 32 && c < 127 ? widest[c - 32] : 840;
    }
    return sum / 1000.0 * s.size * (s.bold ? 1.12 : 1.0);
  }

  void begin_clip(const Box& b, int name) override {
    const std::string id = "axes" + std::to_string(name);
    add("<clipPath id=\"%s\"><rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/></clipPath>\n", id,
        number(b.left), number(b.top), number(b.width()), number(b.height()));
    out += "<g clip-path=\"url(#" + id + ")\">\n";
  }
  void end_clip() override { out += "</g>\n"; }
  void begin_part(std::string_view title) override {
    out += "<g>";
    if (!title.empty()) out += "<title>" + escaped(title) + "</title>";
    out += "\n";
  }
  void end_part() override { out += "</g>\n"; }

  static std::string escaped(std::string_view utf8) {
    std::string safe;
    for (const char32_t c : characters(utf8)) append(safe, c);
    return vernier::escaped(safe);
  }

 private:
  static void append(std::string& to, char32_t c) {
    if (c < 0x80) {
      to += static_cast<char>(c);
    } else if (c < 0x800) {
      to += static_cast<char>(0xC0 | c >> 6);
      to += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      to += static_cast<char>(0xE0 | c >> 12);
      to += static_cast<char>(0x80 | (c >> 6 & 0x3F));
      to += static_cast<char>(0x80 | (c & 0x3F));
    } else {
      to += static_cast<char>(0xF0 | c >> 18);
      to += static_cast<char>(0x80 | (c >> 12 & 0x3F));
      to += static_cast<char>(0x80 | (c >> 6 & 0x3F));
      to += static_cast<char>(0x80 | (c & 0x3F));
    }
  }

  /// At most two decimals, no trailing zeros.
  static std::string number(double v) {
    char text[40];
    std::snprintf(text, sizeof text, "%.2f", v);
    std::string s = text;
    while (s.back() == '0') s.pop_back();
    if (s.back() == '.') s.pop_back();
    return s == "-0" ? "0" : s;
  }
  static std::string hex(Color c) {
    char text[8];
    std::snprintf(text, sizeof text, "#%02x%02x%02x", c.r, c.g, c.b);
    return text;
  }
  template <class... T>
  void add(const char* form, const T&... parts) {
    char text[512];
    std::snprintf(text, sizeof text, form, parts.c_str()...);
    out += text;
  }
};

}  // namespace

std::string to_svg(const Plot& p) {
  SvgCanvas canvas;
  const Size size = size_of(p, canvas);
  const std::string w = std::to_string(size.width), h = std::to_string(size.height);
  canvas.out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
      w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " + h +
      "\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"butt\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" "
      "role=\"img\">\n";
  if (!p.title.empty()) canvas.out += "<title>" + SvgCanvas::escaped(p.title) + "</title>\n";
  draw(p, canvas);
  canvas.out += "</svg>\n";
  return std::move(canvas.out);
}

}  // namespace vernier::plot
