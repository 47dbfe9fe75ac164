#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/figures.hpp"
#include "apps/vernier/run_argument.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/run/composition/composition.hpp"

namespace vernier::app {
namespace {

struct PlotRequest {
  std::vector<std::string> words;  // runs, then patterns
  std::string output, format = "svg", from, to, title;
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
  if (patterns.empty()) {
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
  plot::Plot picture = plot_of_signals(runs, patterns);
  if (!a.title.empty()) picture.title = a.title;
  if (folders.size() == 1 && !a.no_events) picture.markers = markers_of(folders.front());
  picture.from = time_of("--from", a.from);
  picture.to = time_of("--to", a.to);
  if (a.output.empty()) {
    fmt::print("{}", plot::to_terminal(picture, {.columns = std::clamp(terminal_width(), 40, 160),
                                                 .color = color_on_output()}));
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
  app.add_flag("--no-events", asked->no_events, "without lines at events");
  return [asked](const Invocation&) { return draw(*asked); };
}

}  // namespace vernier::app
