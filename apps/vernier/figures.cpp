#include "apps/vernier/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "apps/vernier/console.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/record/run_folder.hpp"

namespace vernier::app {
namespace {

constexpr std::size_t most_points = 20'000;
constexpr std::size_t most_markers = 12;
constexpr std::uintmax_t most_event_bytes = 1u << 20;

/// One element as a curve, in the user's unit; results are in SI.
plot::Curve curve_of(const record::ResultReader& results, const record::Signal& signal,
                     std::uint32_t element, const std::string& unit, std::string label) {
  record::Trace trace = results.trace(signal, element, most_points);
  const auto u = parsed_unit(unit.empty() ? signal.spec.unit : unit);
  if (u && u->factor != 1.0) {
    for (double& v : trace.values) v /= u->factor;
  }
  return {.label = std::move(label),
          .time = std::move(trace.time),
          .values = std::move(trace.values),
          .steps = signal.spec.scalar != Scalar::real};
}

std::string axis(const std::string& name, const std::string& unit) {
  return unit == "1" || unit.empty() ? name
                                     : fmt::format("{}{}[{}]", name, name.empty() ? "" : " ", unit);
}

/// The cells of one line of CSV, quotes removed (RFC 4180).
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> list(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      list.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      list.emplace_back();
    } else {
      list.back() += c;
    }
  }
  return list;
}

/// The document of a run, as copied into its directory.
composition::Composition document_of(const std::filesystem::path& run_folder) {
  const record::Manifest m = record::read_manifest(run_folder);
  Diagnostics ignored;
  return composition::read_composition(run_folder / "inputs" / m.document, catalogue(), ignored);
}

plot::Plot plot_of_figure(const record::ResultReader& results, const composition::Figure& f) {
  plot::Panel panel{.title = {}, .y_label = f.y_label, .curves = {}};
  std::set<std::string> units;
  for (const composition::Curve& c : f.curves) {
    const std::string path = c.signal.instance + "." + c.signal.port;
    const record::Signal* signal = results.find(path);
    if (!signal) continue;  // the user recorded other signals
    units.insert(c.unit.empty() ? signal->spec.unit : c.unit);
    const std::uint32_t last = std::min(c.signal.last, signal->spec.count);
    for (std::uint32_t i = c.signal.first; i < last; ++i) {
      std::string label = c.label.empty() ? path : c.label;
      if (last - c.signal.first > 1) label += fmt::format("[{}]", i);
      panel.curves.push_back(curve_of(results, *signal, i, c.unit, std::move(label)));
    }
  }
  // if all curves have one unit, the label needs no author's text
  if (panel.y_label.empty() && units.size() == 1) panel.y_label = axis("", *units.begin());
  return {.title = f.title.empty() ? f.name : f.title, .panels = {std::move(panel)}};
}

}  // namespace

plot::Plot plot_of_signals(const std::vector<DrawnRun>& runs,
                           const std::vector<std::string>& patterns) {
  plot::Plot all;
  all.title = runs.size() == 1 ? runs.front().name : "";
  std::map<std::string, std::size_t> panels;  // by unit, of single numbers
  std::map<std::string, std::size_t> owners;  // by path, of vectors
  std::map<std::string, int> styles;
  for (const DrawnRun& run : runs) {
    for (const record::Selected& s : run.results->select(patterns)) {
      const record::SignalSpec& spec = s.signal->spec;
      const bool single = spec.count == 1 || s.element;
      auto& where = single ? panels : owners;
      const auto [at, fresh] = where.try_emplace(single ? spec.unit : spec.path, all.panels.size());
      if (fresh)
        all.panels.push_back({.title = {}, .y_label = axis(s.name(), spec.unit), .curves = {}});
      plot::Panel& panel = all.panels[at->second];
      if (single && !fresh && panel.y_label != axis(s.name(), spec.unit)) {
        panel.y_label = spec.unit == "1" ? "value" : fmt::format("[{}]", spec.unit);
      }
      const std::uint32_t first = s.element.value_or(0), last = s.element ? first + 1 : spec.count;
      for (std::uint32_t i = first; i < last; ++i) {
        const std::string name = spec.count == 1 ? spec.path : fmt::format("{}[{}]", spec.path, i);
        const std::string label = runs.size() == 1 ? name : fmt::format("{} · {}", name, run.name);
        const int style =
            styles.try_emplace(label, static_cast<int>(panel.curves.size())).first->second;
        plot::Curve curve = curve_of(*run.results, *s.signal, i, "", label);
        curve.style = style;
        panel.curves.push_back(std::move(curve));
      }
    }
  }
  return all;
}

std::vector<plot::Marker> markers_of(const std::filesystem::path& run_folder) {
  std::vector<plot::Marker> list;
  const std::filesystem::path file = run_folder / "events.csv";
  std::error_code failed;
  if (std::filesystem::file_size(file, failed) > most_event_bytes || failed) return {};
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);  // the names of the columns
  while (std::getline(in, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::vector<std::string> c = cells(line);
    const auto time = parsed_real(c[0]);
    if (c.size() < 5 || !time || c[4].empty() || *time == 0.0) continue;
    list.push_back({*time, c[4]});
    if (list.size() > most_markers) return {};
  }
  return list;
}

std::vector<std::filesystem::path> draw_figures(const std::filesystem::path& run_folder,
                                                const std::string& format) {
  const record::ResultReader results(run_folder);
  const std::vector<plot::Marker> markers = markers_of(run_folder);
  std::vector<std::filesystem::path> files;
  for (const composition::Figure& f : document_of(run_folder).figures) {
    plot::Plot picture = plot_of_figure(results, f);
    if (picture.panels.front().curves.empty()) continue;
    picture.markers = markers;
    const std::filesystem::path file =
        run_folder / "figures" / fmt::format("{}.{}", f.name, format);
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
    plot::write(picture, file);
    files.push_back(file);
  }
  return files;
}

}  // namespace vernier::app
