#include "apps/vernier/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/vernier/console.hpp"
#include "apps/vernier/signal_plot.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/record/event_list.hpp"
#include "vernier/run/record/run_folder.hpp"

namespace vernier::app {
namespace {

constexpr std::size_t most_markers = 12;
constexpr std::uintmax_t most_event_bytes = 1u << 20;

/// The document of a run, as copied into its directory.
composition::Composition document_of(const std::filesystem::path& run_folder) {
  const record::Manifest m = record::read_manifest(run_folder);
  Diagnostics ignored;
  return composition::read_composition(run_folder / "inputs" / m.document, catalogue(), ignored);
}

/// What the author calls the axis: "temperature", "temperature [K]", or the unit alone.
std::string name_of_axis(const std::string& given, const std::string& unit) {
  const auto stated = parsed_unit(given), drawn = parsed_unit(unit);
  if (stated && drawn && same_dimension(*stated, *drawn)) return {};
  const std::size_t bracket = given.rfind(" [");
  return bracket != std::string::npos && given.ends_with(']') ? given.substr(0, bracket) : given;
}

/// The curves of one unit share a panel. An axis that the author does not name is named after its
/// signals.
plot::Plot plot_of_figure(const record::ResultReader& results, const composition::Figure& f) {
  plot::Plot picture{.title = f.title.empty() ? f.name : f.title};
  std::vector<std::set<std::string>> names;  // of the signals in each panel
  for (const composition::Curve& c : f.curves) {
    const std::string path = c.signal.instance + "." + c.signal.port;
    const record::Signal* signal = results.find(path);
    if (!signal) continue;  // the user recorded something else
    const std::string& unit = c.unit.empty() ? signal->spec.unit : c.unit;
    std::size_t n = 0;
    while (n < picture.panels.size() && picture.panels[n].y_unit != unit) ++n;
    if (n == picture.panels.size()) {
      picture.panels.push_back({.y_unit = unit, .y_prefix = c.unit.empty()});
      names.emplace_back();
    }
    names[n].insert(path);
    const std::uint32_t last = std::min(c.signal.last, signal->spec.count);
    for (std::uint32_t i = c.signal.first; i < last; ++i) {
      std::string label = c.label.empty() ? path : c.label;
      if (last - c.signal.first > 1) label += fmt::format("[{}]", i);
      picture.panels[n].curves.push_back(curve_of(results, *signal, i, unit, std::move(label)));
    }
  }
  for (std::size_t n = 0; n < picture.panels.size(); ++n) {
    plot::Panel& panel = picture.panels[n];
    if (picture.panels.size() == 1) panel.y_label = name_of_axis(f.y_label, panel.y_unit);
    if (panel.y_label.empty()) panel.y_label = common_name(names[n], panel.y_unit);
  }
  return picture;
}

}  // namespace

std::vector<plot::Marker> markers_of(const std::filesystem::path& run_folder) {
  std::vector<plot::Marker> list;
  const std::filesystem::path file = run_folder / "events.csv";
  std::error_code failed;
  if (std::filesystem::file_size(file, failed) > most_event_bytes || failed) return {};
  record::EventList events(run_folder);
  events.refresh();
  for (const record::EventList::Line& e : events.lines(0, events.total())) {
    if (e.cells[4].empty() || e.time == 0.0) continue;
    list.push_back({e.time, e.cells[4]});
    if (list.size() > most_markers) return {};
  }
  return list;
}

std::vector<NamedPlot> figures_of(const std::filesystem::path& run_folder) {
  const record::ResultReader results(run_folder);
  const std::vector<plot::Marker> markers = markers_of(run_folder);
  std::vector<NamedPlot> figures;
  for (const composition::Figure& f : document_of(run_folder).figures) {
    plot::Plot picture = plot_of_figure(results, f);
    if (picture.panels.empty()) continue;
    picture.markers = markers;
    figures.push_back({f.name, std::move(picture)});
  }
  return figures;
}

std::vector<std::filesystem::path> draw_figures(const std::filesystem::path& run_folder,
                                                const std::string& format) {
  std::vector<std::filesystem::path> files;
  for (const NamedPlot& figure : figures_of(run_folder)) {
    const std::filesystem::path file =
        run_folder / "figures" / fmt::format("{}.{}", figure.name, format);
    std::error_code failed;
    std::filesystem::create_directories(file.parent_path(), failed);
    plot::write(figure.plot, file);
    files.push_back(file);
  }
  return files;
}

std::string sketch_of(const plot::Plot& p, int rows) {
  return plot::to_terminal(
      p,
      {.columns = std::clamp(terminal_width(), 40, 160), .rows = rows, .color = color_on_output()});
}

}  // namespace vernier::app
