#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/figures.hpp"
#include "apps/vernier/run_argument.hpp"
#include "apps/vernier/signal_plot.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/composition/composition.hpp"

namespace vernier::app {
namespace {

struct PlotRequest {
  std::vector<std::string> words;  // runs, then patterns
  std::vector<std::string> panels, units, y_ranges, labels;
  std::vector<std::pair<std::string, std::string>> paths;
  std::string output, format = "svg", from, to, title, x_range, x_label, y_label;
  bool figures = false, no_events = false;
};

bool is_run(const std::string& word) {
  std::error_code none;
  return std::filesystem::is_directory(word, none) ||
         std::filesystem::is_directory("runs/" + word, none) || word.ends_with(".h5");
}

std::optional<double> time_of(const char* option, const std::string& text) {
  if (text.empty()) return {};
  const auto t = composition::parsed_time(text);
  if (!t)
    throw ConfigurationError(
        "V2005", fmt::format("{} must be a time such as 10s, not \"{}\"", option, text));
  return seconds(*t);
}

plot::Limits limits_of(const char* option, const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto low = parsed_real(text.substr(0, colon));
  const auto high = colon == text.npos ? std::nullopt : parsed_real(text.substr(colon + 1));
  if (!low || !high || !(*low < *high)) {
    throw ConfigurationError(
        "V2005", fmt::format("{} must be two numbers such as -1:2.5, the smaller first, not \"{}\"",
                             option, text));
  }
  return {*low, *high};
}

/// What the options ask for.
SignalChoice choice_of(const PlotRequest& a, const std::vector<std::string>& patterns) {
  SignalChoice c{.patterns = patterns, .units = a.units, .labels = a.labels};
  for (const std::string& panel : a.panels) {
    const std::vector<std::string_view> list = words(panel);
    if (!list.empty()) c.panels.emplace_back(list.begin(), list.end());
  }
  for (const auto& [x, y] : a.paths) c.paths.push_back({x, y});
  for (const std::string& range : a.y_ranges) c.y_ranges.push_back(limits_of("--y-range", range));
  if (!a.x_range.empty()) c.x_range = limits_of("--x-range", a.x_range);
  c.from = time_of("--from", a.from);
  c.to = time_of("--to", a.to);
  c.x_label = a.x_label;
  c.y_label = a.y_label;
  return c;
}

/// Options that would be ignored.
const char* contradiction(const PlotRequest& a, bool patterns) {
  if (!a.paths.empty() && (patterns || !a.panels.empty()))
    return "--xy names all signals of its picture: leave out the others";
  if (a.paths.empty() && (!a.x_range.empty() || !a.x_label.empty()))
    return "--x-range and --x-label belong to --xy; use --from and --to for the time axis";
  return nullptr;
}

int draw_document_figures(const std::vector<std::filesystem::path>& runs,
                          const std::string& format) {
  std::size_t count = 0;
  for (const std::filesystem::path& run : runs) {
    for (const auto& file : draw_figures(run, format)) {
      fmt::print("{}\n", file.string());
      ++count;
    }
  }
  if (count > 0) return status::good;
  fmt::print(
      stderr,
      "vernier: the document of this run has no <figure>, or its signals were not recorded\n");
  return status::bad_input;
}

int draw(const PlotRequest& a) {
  // the first word is always a run, so that a misspelt one is reported as such
  std::vector<std::filesystem::path> folders{run_argument(a.words.front())};
  std::vector<std::string> patterns;
  for (std::size_t i = 1; i < a.words.size(); ++i) {
    if (patterns.empty() && is_run(a.words[i])) {
      folders.push_back(run_argument(a.words[i]));
    } else {
      patterns.push_back(a.words[i]);
    }
  }
  if (a.figures) return draw_document_figures(folders, a.format);

  std::vector<record::ResultReader> readers;
  for (const auto& folder : folders) readers.emplace_back(folder);
  if (const char* wrong = contradiction(a, !patterns.empty())) {
    fmt::print(stderr, "vernier: {}\n", wrong);
    return status::bad_input;
  }
  if (patterns.empty() && a.paths.empty() && a.panels.empty()) {
    fmt::print(stderr, "vernier: plot needs a signal, or --figures\n");
    const auto& signals = readers.front().signals();
    for (std::size_t i = 0; i < std::min<std::size_t>(signals.size(), 20); ++i) {
      fmt::print(stderr, "  {}\n", signals[i].spec.path);
    }
    if (signals.size() > 20)
      fmt::print(stderr, "  … `vernier info {}` lists all\n", folders.front().string());
    return status::bad_input;
  }
  std::vector<DrawnRun> runs;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    std::error_code none;
    const std::filesystem::path real = std::filesystem::canonical(folders[i], none);
    runs.push_back({(none ? folders[i] : real).filename().string(), &readers[i]});
  }
  plot::Plot picture = plot_of_signals(runs, choice_of(a, patterns));
  if (!a.title.empty()) picture.title = a.title;
  if (folders.size() == 1 && !a.no_events && !picture.path)
    picture.markers = markers_of(folders.front());
  if (a.output.empty()) {
    fmt::print("{}", sketch_of(picture, 16));
    return status::good;
  }
  plot::write(picture, a.output);
  fmt::print("{}\n", a.output);
  return status::good;
}

}  // namespace

Action declare_plot(CLI::App& app) {
  auto asked = std::make_shared<PlotRequest>();
  app.add_option("run signals", asked->words,
                 "one or more runs, then patterns: plant.omega 'wheel*.speed' plant.q[3]")
      ->required()
      ->type_name("");
  app.add_option("-o,--output", asked->output,
                 "a picture: NAME.svg or NAME.png; without it, a sketch here")
      ->type_name("FILE");
  app.add_flag("--figures", asked->figures,
               "draw the figures of the run's document into its folder");
  app.add_option("--format", asked->format, "of --figures: svg or png")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"svg", "png"}).description(""));
  app.add_option("--from", asked->from, "where the time axis begins")->type_name("TIME");
  app.add_option("--to", asked->to, "where it ends")->type_name("TIME");
  app.add_option("--title", asked->title, "above the picture")->type_name("TEXT");
  const auto many = [&](const char* name, auto& into, const char* what, const char* type) {
    app.add_option(name, into, what)->type_name(type)->expected(1)->take_all();
  };
  many("--panel", asked->panels, "signals that share a panel: 'a.rate b.rate'; repeatable",
       "SIGNALS");
  many("--xy", asked->paths, "one signal over another, instead of over time; repeatable", "X Y");
  many("--unit", asked->units, "show signals of its dimension in it: deg/s; repeatable", "UNIT");
  many("--y-range", asked->y_ranges, "ends of the y axis; once, or for each panel", "A:B");
  many("--label", asked->labels, "name of the next curve in the legend; repeatable", "TEXT");
  app.add_option("--x-range", asked->x_range, "of --xy: ends of the x axis")->type_name("A:B");
  app.add_option("--x-label", asked->x_label, "of --xy: name of the x axis")->type_name("TEXT");
  app.add_option("--y-label", asked->y_label, "name of the y axis, without its unit")
      ->type_name("TEXT");
  app.add_flag("--no-events", asked->no_events, "without lines at events");
  return [asked](const Invocation&) { return draw(*asked); };
}

}  // namespace vernier::app
