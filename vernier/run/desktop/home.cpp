#include "vernier/run/desktop/home.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "vernier/run/desktop/messages.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/record/run_folder.hpp"

namespace vernier::desktop {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t most_runs = 500;

std::optional<double> statistic(const record::Manifest& m, std::string_view name) {
  for (const auto& [key, value] : m.statistics) {
    if (key == name) return value;
  }
  return {};
}

ordered_json json_of(std::optional<double> v) { return v ? number(*v) : ordered_json(); }

ordered_json run_json(const record::RunEntry& e) {
  const record::Manifest& m = e.manifest;
  return {{"run", e.path.lexically_normal().string()},
          {"name", m.name},
          {"composition", m.composition},
          {"status", m.status},
          {"started", m.started},
          {"reached", json_of(statistic(m, "simulated_s"))},
          {"wall", json_of(statistic(m, "wall_s"))},
          {"warnings", m.warnings.size()},
          {"checks_failed", std::count_if(m.checks.begin(), m.checks.end(),
                                          [](const record::Checked& c) { return !c.holds; })},
          {"late",
           std::max(statistic(m, "late").value_or(0.0), statistic(m, "late_frames").value_or(0.0))},
          {"live", m.status == "running"}};
}

}  // namespace

ordered_json home_json(const Settings& s) {
  ordered_json missions = ordered_json::array(), examples = ordered_json::array(),
               runs = ordered_json::array();
  for (const Offered& o : s.offered)
    (o.mission ? missions : examples)
        .push_back({{"name", o.name}, {"title", o.title}, {"document", o.document.string()}});
  const std::vector<record::RunEntry> all = record::list_runs(s.runs);
  for (auto e = all.rbegin(); e != all.rend() && runs.size() < most_runs; ++e)
    runs.push_back(run_json(*e));
  return {{"missions", std::move(missions)},
          {"examples", std::move(examples)},
          {"runs", std::move(runs)},
          {"nodes", ordered_json::array({{{"name", record::host_name()}}})}};
}

}  // namespace vernier::desktop
