#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/figures.hpp"
#include "apps/vernier/library.hpp"
#include "apps/vernier/permissions.hpp"
#include "apps/vernier/run_view.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"

namespace vernier::app {
namespace {

constexpr const char* mission = "aausat2";

/// The mission's document: in the current source tree, else a copy of the one embedded in the
/// program.
struct Document {
  std::filesystem::path path;
  std::optional<TemporaryFolder> temporary;

  Document() {
    const std::vector<Example> all = examples();
    const auto found =
        std::find_if(all.begin(), all.end(), [](const Example& e) { return e.name == mission; });
    if (found == all.end())
      throw ConfigurationError("V7501", "this program was built without its missions");
    path = std::filesystem::path(found->folder) / found->main;
    std::error_code none;
    if (std::filesystem::is_regular_file(path, none)) return;
    path = temporary.emplace() / mission / found->main;
    copy_example(*found, path.parent_path());
  }
};

int demo(const std::string& out, const Invocation& invocation) {
  const Document document;
  session::Options options;
  options.runs = out;
  options.version = version();
  options.command = {"vernier"};
  options.command.insert(options.command.end(), invocation.words.begin(), invocation.words.end());
  const Shown shown =
      run_and_show(document.path, std::move(options), running_catalogue({}), Show::everything);
  if (shown.status != status::good || shown.folder.empty()) return shown.status;
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
  app.add_option("--out", *out, "where the run's folder is made (runs)")->type_name("DIR");
  return
      [out](const Invocation& i) { return run_or_explain(false, [&] { return demo(*out, i); }); };
}

}  // namespace vernier::app
