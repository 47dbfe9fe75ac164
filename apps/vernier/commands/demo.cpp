#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "apps/vernier/browser.hpp"
#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/example_files.hpp"
#include "apps/vernier/figures.hpp"
#include "apps/vernier/permissions.hpp"
#include "apps/vernier/run_view.hpp"
#include "apps/vernier/serve_desktop.hpp"
#include "vernier/base/diagnostic.hpp"

namespace vernier::app {
namespace {

constexpr const char* mission = "aausat2";

Example demo_mission() {
  const std::vector<Example> all = examples();
  const auto found =
      std::find_if(all.begin(), all.end(), [](const Example& e) { return e.name == mission; });
  if (found == all.end())
    throw ConfigurationError("V7501", "this program was built without its missions");
  return *found;
}

int demo(const std::string& out, bool browser, const Invocation& invocation) {
  ExampleFiles files;
  const std::filesystem::path document = files.document(demo_mission());
  session::Options options;
  options.runs = out;
  options.version = version();
  options.command = {"vernier"};
  options.command.insert(options.command.end(), invocation.words.begin(), invocation.words.end());
  const Shown shown =
      run_and_show(document, std::move(options), running_catalogue({}), Show::everything);
  if (shown.status != status::good || shown.folder.empty()) return shown.status;
  if (browser && output_is_terminal() && has_browser()) {
    fmt::print("\n");
    return serve_desktop(
        {.listen = {"127.0.0.1", ""}, .runs = out, .run = shown.folder, .demo = true}, true);
  }
  const std::vector<std::filesystem::path> pictures = draw_figures(shown.folder);
  if (!pictures.empty()) {
    fmt::print("\n{}", sketch_of(figures_of(shown.folder).front().plot, 12));
    fmt::print("\n  pictures ");
    for (const auto& p : pictures) fmt::print(" {}", p.string());
    fmt::print("\n");
  }
  fmt::print("\n  change something and run it again:\n");
  fmt::print("            vernier examples copy {}\n", mission);
  fmt::print("            vernier run {}/{}.xml\n", mission, mission);
  return shown.status;
}

}  // namespace

Action declare_demo(CLI::App& app) {
  auto out = std::make_shared<std::string>("runs");
  auto no_browser = std::make_shared<bool>(false);
  app.add_option("--out", *out, "where the run's folder is made (runs)")->type_name("DIR");
  app.add_flag("--no-browser", *no_browser,
               "show the result here, not in the desktop, which opens where there is a display");
  return [out, no_browser](const Invocation& i) {
    return run_or_explain(false, [&] { return demo(*out, !*no_browser, i); });
  };
}

}  // namespace vernier::app
