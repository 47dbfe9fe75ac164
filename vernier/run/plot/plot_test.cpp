#include "vernier/run/plot/plot.hpp"

#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/plot/detail/axis.hpp"
#include "vernier/run/plot/detail/draw.hpp"
#include "vernier/run/plot/detail/font.hpp"
#include "vernier/run/plot/detail/raster.hpp"

namespace vernier::plot {
namespace {

Plot small_plot() {
  Plot p;
  p.title = "a title";
  Panel panel;
  panel.y_label = "ω";
  panel.y_unit = "rad/s";
  for (int i = 0; i < 3; ++i) {
    Curve c;
    c.label = "plant.omega[" + std::to_string(i) + "]";
    for (int k = 0; k <= 900; ++k) {
      c.x.push_back(k);
      c.y.push_back(std::sin(0.01 * k + i));
    }
    panel.curves.push_back(c);
  }
  p.panels.push_back(panel);
  p.markers = {{238.12, "→ pointing"}};
  return p;
}

std::vector<std::string> labels(const Axis& a) {
  std::vector<std::string> all;
  for (const Tick& t : a.ticks) all.push_back(t.label);
  return all;
}

TEST(Axis, TicksAreRoundNumbers) {
  EXPECT_EQ(labels(make_axis({0, 900}, 5)),
            (std::vector<std::string>{"0", "200", "400", "600", "800"}));
  EXPECT_EQ(labels(make_axis({-1.1, 1.1}, 5)),
            (std::vector<std::string>{"−1.0", "−0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(labels(make_axis({0, 1}, 4)),
            (std::vector<std::string>{"0.00", "0.25", "0.50", "0.75", "1.00"}));
  const Axis small = make_axis({0, 4e-5}, 4);
  EXPECT_EQ(small.exponent, -5);
  EXPECT_EQ(labels(small), (std::vector<std::string>{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(power_of_ten(-12), "×10⁻¹²");
}

TEST(Axis, LargeAndSmallNumbersGetAPrefixWhereTheUnitTakesOne) {
  const auto unit = [](double high, const char* text) {
    const Axis a = make_axis({0, high}, 4, text);
    return axis_text("x", a) + (a.exponent == 0 ? "" : " " + power_of_ten(a.exponent));
  };
  EXPECT_EQ(unit(4e-5, "s"), "x [µs]");
  EXPECT_EQ(labels(make_axis({0, 4e-5}, 4, "s")),
            (std::vector<std::string>{"0", "10", "20", "30", "40"}));
  EXPECT_EQ(unit(0.02, "s"), "x [ms]");
  EXPECT_EQ(unit(0.5, "s"), "x [s]");
  EXPECT_EQ(unit(3e5, "s"), "x [s] ×10⁵");  // nobody says ks
  EXPECT_EQ(unit(7e6, "m"), "x [km]");      // nor Mm
  EXPECT_EQ(unit(3e-3, "N*m"), "x [mN·m]");
  EXPECT_EQ(unit(3e-7, "N m"), "x [nN·m]");
  EXPECT_EQ(unit(2e-4, "m/s^2"), "x [µm/s²]");
  EXPECT_EQ(unit(4e-3, "rad/s"), "x [mrad/s]");
  EXPECT_EQ(unit(2e7, "Pa"), "x [MPa]");
  // these take none: the prefix would be squared, of the wrong factor, or unheard of
  EXPECT_EQ(unit(2e-4, "m^2"), "x [m²] ×10⁻⁴");
  EXPECT_EQ(unit(2e-4, "1/s"), "x [1/s] ×10⁻⁴");
  EXPECT_EQ(unit(2e-4, "kg"), "x [kg] ×10⁻⁴");
  EXPECT_EQ(unit(2e-4, "deg"), "x [deg] ×10⁻⁴");
  EXPECT_EQ(unit(2e-4, "1"), "x ×10⁻⁴");
  EXPECT_EQ(unit(2e-4, "furlong"), "x [furlong] ×10⁻⁴");
  EXPECT_EQ(axis_text("", make_axis({0, 2e-4}, 4, "s", false)), "[s]");
}

TEST(Axis, LabelsDifferWhateverTheRange) {
  for (const double size : {1e-300, 1e-12, 1.0, 12345.678, 1e12, 1e290}) {
    for (const double offset : {0.0, 1.0, -3.5, 1000.0}) {
      const Range r = comfortable(size * offset, size * (offset + 1.7), 0.05);
      for (const int most : {2, 5, 11}) {
        const Axis a = make_axis(r, most);
        const auto all = labels(a);
        EXPECT_GE(all.size(), 1u) << size << " " << offset;
        EXPECT_LE(all.size(), static_cast<std::size_t>(most) + 1);
        EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
        for (const Tick& t : a.ticks) {
          EXPECT_GE(t.value, r.low - r.span() * 1e-9);
          EXPECT_LE(t.value, r.high + r.span() * 1e-9);
        }
      }
    }
  }
}

TEST(Axis, MakesRoomAroundAConstantAndBearsNonsense) {
  EXPECT_LT(comfortable(5, 5, 0.0).low, 5.0);
  EXPECT_GT(comfortable(0, 0, 0.0).span(), 0.0);
  EXPECT_GT(comfortable(INFINITY, -INFINITY, 0.0).span(), 0.0);
  const double huge = std::numeric_limits<double>::max();
  EXPECT_TRUE(std::isfinite(comfortable(-huge, huge, 0.05).span()));
}

TEST(Line, KeepsASpikeOfOneSample) {
  Curve c;
  for (int k = 0; k < 1'000'000; ++k) {
    c.x.push_back(k);
    c.y.push_back(k == 777'777 ? 1.0 : 0.0);
  }
  const Box box{0, 0, 100, 100};
  const auto runs = line_of(c, {0, 999'999}, {0, 1}, box);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_LE(runs[0].size(), 404u);
  EXPECT_TRUE(std::any_of(runs[0].begin(), runs[0].end(), [](Point p) { return p.y == 0.0; }));
}

TEST(Line, LeavesGapsAndDrawsSteps) {
  Curve c;
  c.x = {0, 1, 2, 3, 4};
  c.y = {0, 1, std::nan(""), 1, INFINITY};
  EXPECT_EQ(line_of(c, {0, 4}, {0, 1}, {0, 0, 100, 100}).size(), 2u);
  c.y = {0, 1, 0, 1, 1};
  c.steps = true;
  const auto runs = line_of(c, {0, 4}, {0, 1}, {0, 0, 100, 100});
  ASSERT_EQ(runs.size(), 1u);
  // no slanted segments: neighbouring points share a time or a value
  for (std::size_t k = 0; k + 1 < runs[0].size(); ++k) {
    EXPECT_TRUE(runs[0][k].x == runs[0][k + 1].x || runs[0][k].y == runs[0][k + 1].y);
  }
}

TEST(Line, KeepsItsSlopeWhereItLeavesTheAxes) {
  // from the lower left corner to a point a thousand heights above the upper right one
  const Curve c{.x = {0, 1}, .y = {0, 1000}};
  const auto runs = line_of(c, {0, 1}, {0, 1}, {0, 0, 100, 100});
  ASSERT_EQ(runs.size(), 1u);
  ASSERT_EQ(runs[0].size(), 2u);
  const Point a = runs[0][0], b = runs[0][1];
  EXPECT_NEAR((a.y - b.y) / (b.x - a.x), 1000.0, 1e-6);
  EXPECT_GT(b.y, -1000.0);
}

TEST(Line, APathMayComeBackIntoTheAxes) {
  // around a square, of which the axes show the lower left corner
  const Curve c{.x = {0, 2, 2, 0, 0}, .y = {0, 0, 2, 2, 0}};
  const auto runs = line_of(c, {-1, 1}, {-1, 1}, {0, 0, 100, 100});
  std::size_t ends = 0;
  for (const auto& run : runs) {
    for (const Point p : run) ends += p.x == 50.0 && p.y == 50.0;
  }
  EXPECT_EQ(ends, 2u);
}

TEST(Line, AHeldValueFromBeforeTheWindowCounts) {
  const Panel held{.curves = {{.x = {0, 10}, .y = {5, 7}, .steps = true}}};
  EXPECT_NEAR(value_range(held, {2, 3}).low, 4.5, 0.1);
  const Panel slope{.curves = {{.x = {0, 10}, .y = {0, 10}}}};
  const Range seen = value_range(slope, {2, 3});
  EXPECT_NEAR(seen.low, 2.0 - 0.06, 1e-9);
  EXPECT_NEAR(seen.high, 3.0 + 0.06, 1e-9);
}

TEST(Line, OutsideOfTheTimeAxisOnlyTheNeighboursRemain) {
  Curve c;
  for (int k = 0; k < 1000; ++k) {
    c.x.push_back(k);
    c.y.push_back(k);
  }
  const auto runs = line_of(c, {500, 510}, {500, 510}, {0, 0, 1000, 100});
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].size(), 13u);
}

std::string temporary(const std::string& name) {
  static const TemporaryFolder folder;
  return (folder / name).string();
}

/// Asks xmllint whether a text is well-formed XML.
bool well_formed(const std::string& text) {
  const std::string file = temporary(".svg");
  std::ofstream(file, std::ios::binary) << text;
  const int status = std::system(("xmllint --noout --nonet '" + file + "'").c_str());
  std::filesystem::remove(file);
  return status == 0;
}

TEST(Svg, IsWellFormedWhateverTheTextsAndNumbersAre) {
  EXPECT_TRUE(well_formed(to_svg(small_plot())));
  Plot p = small_plot();
  p.title = "<&>\"' ]]> \x01\x1b \xff\xfe \xC0\x80 \xED\xA0\x80 \xF4\x90\x80\x80 \xEF\xBF\xBF ω";
  p.panels[0].title = p.panels[0].y_label = p.panels[0].curves[0].label = p.title;
  p.markers[0].label = p.title;
  p.panels.push_back({});                            // nothing at all
  p.panels.push_back({.curves = {{.label = "x"}}});  // no points
  p.panels.push_back({.curves = {{.label = "x", .x = {1}, .y = {2}}}});
  p.panels.push_back({.curves = {{.label = "x", .x = {NAN, 1, 2}, .y = {1, INFINITY, 1e308}}}});
  EXPECT_TRUE(well_formed(to_svg(p)));
  EXPECT_TRUE(well_formed(to_svg({})));
}

TEST(Svg, NamesAxesUnitsAndCurves) {
  const std::string svg = to_svg(small_plot());
  for (const char* text :
       {">a title<", ">ω [rad/s]<", ">time [s]<", ">plant.omega[2]<", ">→ pointing<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST(Svg, TellsCurvesApartWithoutColour) {
  const std::string svg = to_svg(small_plot());
  // besides the solid first one: two dash patterns, each in the legend and in the axes, and the
  // marker's
  std::set<std::string> patterns;
  for (std::size_t at = 0; (at = svg.find("stroke-dasharray=\"", at)) != svg.npos; ++at) {
    patterns.insert(svg.substr(at, svg.find('"', at + 18) - at));
  }
  EXPECT_EQ(patterns.size(), 3u);
}

/// The numbers of the attribute `name` of each element that `part` of an SVG picture has.
std::vector<double> numbers(const std::string& part, const std::string& name) {
  std::vector<double> all;
  for (std::size_t at = 0; (at = part.find(name, at)) != part.npos; ++at) {
    all.push_back(std::strtod(part.c_str() + at + name.size(), nullptr));
  }
  return all;
}

TEST(Svg, LegendsHaveRoomInWideFonts) {
  // what stands in for Helvetica where it is not there: in DejaVu Sans i, j and l advance by 569,
  // f by 721, t by 803, r by 842 and the full stop by 651 of 2048
  const std::string narrow = "filtrj.ijlfil.trijlfit";
  double advance = 0.0;
  for (const char c : narrow) {
    advance += c == 'f' ? 721 : c == 't' ? 803 : c == 'r' ? 842 : c == '.' ? 651 : 569;
  }
  advance *= 12.0 / 2048.0;
  Plot p;
  p.panels.push_back({.curves = {{.label = narrow + narrow}, {.label = narrow}}});
  const std::string svg = to_svg(p);
  const std::size_t first = svg.rfind(">" + narrow + narrow + "<"), line = svg.find("<path", first);
  const double begins = numbers(svg.substr(svg.rfind("<text", first), 20), "x=\"").at(0);
  const double key = numbers(svg.substr(line, 20), "d=\"M").at(0);
  EXPECT_GE(key - (begins + 2.0 * advance), 17.0);
}

TEST(Svg, AnotherRunIsAPalerShadeOfTheSameStyle) {
  Plot p = small_plot();
  for (int i = 0; i < 3; ++i) {
    p.panels[0].curves[i].style = i;
    Curve other = p.panels[0].curves[i];
    other.label += " · other";
    other.shade = 1;
    p.panels[0].curves.push_back(other);
  }
  const std::string svg = to_svg(p);
  const auto style = [&](const std::string& label) {
    const std::size_t at = svg.find("<title>" + label + "</title>"), path = svg.find("<path", at);
    const std::string element = svg.substr(path, svg.find("/>", path) - path);
    const std::size_t color = element.find("stroke=\"#") + 9, dash = element.find("dasharray");
    return std::pair(static_cast<int>(std::strtol(element.c_str() + color, nullptr, 16)),
                     dash == element.npos ? "" : element.substr(dash));
  };
  std::set<std::string> dashes;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "plant.omega[" + std::to_string(i) + "]";
    const auto [color, dash] = style(name);
    const auto [pale, same] = style(name + " · other");
    EXPECT_EQ(dash, same);
    for (const int shift : {0, 8, 16}) {
      const int own = color >> shift & 255, other = pale >> shift & 255;
      EXPECT_NEAR(other, own + 0.45 * (255 - own), 1.0);
    }
    dashes.insert(dash);
  }
  EXPECT_EQ(dashes.size(), 3u);
  EXPECT_LT(svg.find("<title>plant.omega[2] · other"), svg.find("<title>plant.omega[0]<"));
}

TEST(Svg, APathHasOneScaleForBothAxes) {
  Plot p;
  p.path = true;
  p.x_label = "x", p.x_unit = "m";
  p.panels.push_back({.y_label = "y", .y_unit = "m", .curves = {{.label = "square"}}});
  p.panels[0].curves[0].x = {0, 3, 3, 0, 0};
  p.panels[0].curves[0].y = {0, 0, 3, 3, 0};
  const std::string svg = to_svg(p);
  const std::size_t at = svg.find("d=\"M", svg.find("<title>square")) + 4;
  std::array<std::array<double, 2>, 5> points{};
  const char* text = svg.c_str() + at;
  for (auto& point : points) {
    for (double& value : point) {
      char* end = nullptr;
      value = std::strtod(text, &end);
      text = end + 1;
    }
  }
  EXPECT_GT(points[1][0] - points[0][0], 100.0);
  EXPECT_NEAR(points[1][0] - points[0][0], points[1][1] - points[2][1], 0.02);
  EXPECT_NE(svg.find(">x [m]<"), svg.npos);
  EXPECT_NE(svg.find(">y [m]<"), svg.npos);
}

struct Image {
  unsigned width = 0, height = 0;
  std::vector<unsigned char> rgb;
};

Image decoded(const std::vector<std::byte>& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, file.data(), file.size()), 0);
  image.format = PNG_FORMAT_RGB;
  Image out{image.width, image.height, std::vector<unsigned char>(PNG_IMAGE_SIZE(image))};
  EXPECT_NE(png_image_finish_read(&image, nullptr, out.rgb.data(), 0, nullptr), 0);
  return out;
}

TEST(Png, IsAnImageOfTheSizeAskedForWithTheCurvesInTheirColours) {
  Plot p = small_plot();
  p.width = 640;
  const Image one = decoded(to_png(p, 1.0)), two = decoded(to_png(p, 2.0));
  EXPECT_EQ(one.width, 640u);
  EXPECT_EQ(two.width, 1280u);
  EXPECT_EQ(two.height, 2 * one.height);
  std::set<int> seen;
  for (std::size_t i = 0; i < two.rgb.size(); i += 3) {
    const int rgb = two.rgb[i] << 16 | two.rgb[i + 1] << 8 | two.rgb[i + 2];
    seen.insert(rgb);
  }
  EXPECT_TRUE(seen.count(0x0072B2) && seen.count(0xD55E00) && seen.count(0x009E73));
}

TEST(Png, RefusesWhatDoesNotFitIntoMemory) {
  Plot p = small_plot();
  p.width = 20'000;
  EXPECT_THROW(to_png(p, 50.0), ConfigurationError);
  EXPECT_THROW(to_png(p, 0.0), ConfigurationError);
}

TEST(Raster, CoversAsMuchAreaAsTheLineHas) {
  // a line of 40 px by 3 px, at an angle, covers 120 px plus the round ends, pi 1.5^2
  Raster r(100, 100, 1.0);
  const std::vector<Point> run{{30, 30}, {30 + 40 * 0.8, 30 + 40 * 0.6}};
  r.lines({&run, 1}, {{0, 0, 0}, 3.0});
  double covered = 0.0;
  for (std::size_t i = 0; i < r.pixels().size(); i += 3) covered += 1.0 - r.pixels()[i] / 255.0;
  EXPECT_NEAR(covered, 120.0 + 3.14159 * 2.25, 1.5);  // the edge is a ramp of one px
}

TEST(Raster, DrawsNothingOutsideOfTheClip) {
  Raster r(50, 50, 1.0);
  r.begin_clip({10, 10, 40, 40}, 0);
  const std::vector<Point> run{{-1e6, 20}, {1e6, 30}};
  r.lines({&run, 1}, {{0, 0, 0}, 4.0});
  r.end_clip();
  for (int y = 0; y < 50; ++y) {
    EXPECT_EQ(r.pixels()[(y * 50 + 9) * 3], 255) << y;
    EXPECT_EQ(r.pixels()[(y * 50 + 40) * 3], 255) << y;
  }
}

TEST(Font, HasWhatUnitsAndNamesNeed) {
  for (char32_t c = 33; c < 127; ++c) EXPECT_TRUE(has_glyph(c)) << static_cast<char>(c);
  for (const char32_t c : std::u32string(U"µωθφψΔΣΩ‖°·²³⁻×±≤≥→")) EXPECT_TRUE(has_glyph(c));
  EXPECT_FALSE(has_glyph(U'漢'));
  EXPECT_GT(glyph(U'漢').strokes.size(), 0u);
  for (char32_t c = U'0'; c <= U'9'; ++c) EXPECT_EQ(glyph(c).advance, glyph(U'0').advance);
}

TEST(Terminal, FitsTheWidthAndSaysWhatItShows) {
  const std::string text = to_terminal(small_plot(), {.columns = 72, .rows = 10});
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(width(line), 84u) << line;
  EXPECT_NE(text.find("ω [rad/s]"), std::string::npos);
  EXPECT_NE(text.find("plant.omega[1]"), std::string::npos);
  EXPECT_NE(text.find("time [s]"), std::string::npos);
  const std::string plain =
      to_terminal(small_plot(), {.columns = 72, .rows = 10, .unicode = false});
  EXPECT_NE(plain.find("* plant.omega[0]   o plant.omega[1]"), std::string::npos);
}

TEST(Terminal, LettersTellCurvesApartWithoutColour) {
  Plot p;
  p.panels.push_back({.y_label = "y"});
  for (int i = 0; i < 3; ++i) {
    p.panels[0].curves.push_back({.label = "c" + std::to_string(i), .x = {0, 1}});
    p.panels[0].curves.back().y = {double(i), double(i)};
  }
  const std::string text = to_terminal(p, {.columns = 60, .rows = 12});
  EXPECT_NE(text.find("* c0   o c1   + c2"), std::string::npos) << text;
  // the highest row with a letter is the third curve's, the lowest the first's
  std::string order;
  const std::vector<std::string_view> lines = split(text, '\n');
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const std::size_t from = std::min(lines[i].find("│"), lines[i].find("┤"));
    if (from == std::string_view::npos) continue;
    const std::size_t letter = lines[i].find_first_of("*o+x", from);
    if (letter == std::string_view::npos) continue;
    order += lines[i][letter];
    EXPECT_GE(std::count(lines[i].begin(), lines[i].end(), lines[i][letter]), 3);
  }
  EXPECT_EQ(order, "+o*");
  // colours, and a curve alone, need none
  EXPECT_EQ(to_terminal(p, {.color = true}).find('*'), std::string::npos);
  p.panels[0].curves.resize(1);
  EXPECT_EQ(to_terminal(p).find('*'), std::string::npos);
}

TEST(Terminal, DrawsADiagonalFromCornerToCorner) {
  Plot p;
  p.panels.push_back({.y_label = "y", .curves = {{.label = "", .x = {0, 1}, .y = {0, 1}}}});
  const std::string text = to_terminal(p, {.columns = 30, .rows = 8, .unicode = false});
  int last = 1000, lines = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t bar = line.find_first_of("|+");
    const std::size_t star = line.find('*');
    if (bar == line.npos || star == line.npos) continue;
    EXPECT_LT(static_cast<int>(star), last);
    last = static_cast<int>(star);
    ++lines;
  }
  EXPECT_GE(lines, 6);
}

TEST(Write, ChoosesByTheEndingOfTheName) {
  const std::string svg = temporary("x.svg"), png = temporary("x.png");
  write(small_plot(), svg);
  write(small_plot(), png);
  EXPECT_GT(std::filesystem::file_size(svg), 1000u);
  EXPECT_GT(std::filesystem::file_size(png), 1000u);
  std::filesystem::remove(svg);
  std::filesystem::remove(png);
  EXPECT_THROW(write(small_plot(), "x.pdf"), ConfigurationError);
  EXPECT_THROW(write(small_plot(), "/nowhere/x.svg"), ConfigurationError);
}

}  // namespace
}  // namespace vernier::plot
