#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "vernier/run/record/run_folder.hpp"

namespace vernier::app {
namespace {

struct RunsRequest {
  std::string folder = "runs";
  bool prune = false, dry = false, json = false, repair = false;
  std::size_t keep = 3;
};

double statistic(const record::Manifest& m, std::string_view name) {
  for (const auto& [key, value] : m.statistics) {
    if (key == name) return value;
  }
  return 0.0;
}

int list_runs(const RunsRequest& a) {
  const std::vector<record::RunEntry> all = record::list_runs(a.folder);
  if (a.json) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const record::RunEntry& e : all) {
      out.push_back({{"folder", e.path.string()},
                     {"composition", e.manifest.composition},
                     {"status", e.manifest.status},
                     {"exit_status", e.manifest.exit_status},
                     {"started", e.manifest.started},
                     {"wall_s", statistic(e.manifest, "wall_s")},
                     {"simulated_s", statistic(e.manifest, "simulated_s")},
                     {"bytes", e.bytes}});
    }
    fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return status::good;
  }
  if (all.empty()) {
    fmt::print("no runs in {}/; vernier demo makes the first one\n", a.folder);
    return status::good;
  }
  std::size_t wide = 0;
  for (const record::RunEntry& e : all) wide = std::max(wide, e.path.string().size());
  for (const record::RunEntry& e : all) {
    const std::string when =
        e.manifest.started.substr(0, std::min<std::size_t>(19, e.manifest.started.size()));
    fmt::print("  {:<{}}  {:<19}  {:<12}  {:>10} s in {:>10}  {:>8}\n", e.path.string(), wide, when,
               e.manifest.status, short_number(statistic(e.manifest, "simulated_s")),
               elapsed_text(statistic(e.manifest, "wall_s")),
               byte_text(static_cast<double>(e.bytes)));
  }
  return status::good;
}

int prune(const RunsRequest& a) {
  const auto removed = record::prune(a.folder, a.keep, !a.dry);
  for (const auto& path : removed)
    fmt::print("{} {}\n", a.dry ? "would remove" : "removed", path.string());
  fmt::print("{} run{} {}; the newest {} of each composition stay\n", removed.size(),
             removed.size() == 1 ? "" : "s", a.dry ? "would go" : "removed", a.keep);
  return status::good;
}

int repair(const RunsRequest& a) {
  std::size_t count = 0;
  for (const record::RunEntry& e : record::list_runs(a.folder)) {
    if (e.manifest.status == "running") continue;
    const auto changed = record::repair_run(e.path);
    if (changed == 0u) continue;
    fmt::print("{} {}\n", changed ? "repaired" : "cannot change", e.path.string());
    count += changed.has_value();
  }
  fmt::print("{} repaired\n", count);
  return status::good;
}

}  // namespace

Action declare_runs(CLI::App& app) {
  auto asked = std::make_shared<RunsRequest>();
  app.add_option("folder", asked->folder, "where the runs are (runs)")->type_name("");
  app.add_flag("--prune", asked->prune, "remove old runs");
  app.add_option("--keep", asked->keep, "with --prune: how many of each composition stay (3)")
      ->type_name("N");
  app.add_flag("--dry-run", asked->dry, "with --prune: say what would be removed");
  app.add_flag("--repair", asked->repair,
               "make results of killed runs readable for every HDF5 program, and remove unfinished "
               "files");
  app.add_flag("--json", asked->json, "the list as JSON");
  return [asked](const Invocation&) {
    if (asked->prune) return prune(*asked);
    if (asked->repair) return repair(*asked);
    return list_runs(*asked);
  };
}

}  // namespace vernier::app
