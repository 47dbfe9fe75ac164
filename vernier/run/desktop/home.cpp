#include "vernier/run/desktop/home.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

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

constexpr std::string_view picture_path = "/picture/";

}  // namespace

std::optional<net::WebAnswer> picture(const Settings& s, std::string_view path) {
  if (!path.starts_with(picture_path)) return {};
  path.remove_prefix(picture_path.size());
  for (const Offered& o : s.offered) {
    if (o.picture.empty() || o.name != path) continue;
    const auto bytes = std::as_bytes(std::span(o.picture));
    return net::WebAnswer{
        .type = "image/webp",
        .fields = {{"Cache-Control", "no-cache"}},
        .body = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end())};
  }
  return {};
}

ordered_json home_json(const Settings& s) {
  ordered_json missions = ordered_json::array(), examples = ordered_json::array(),
               runs = ordered_json::array();
  for (const Offered& o : s.offered) {
    ordered_json& one = (o.mission ? missions : examples).emplace_back();
    one = {{"name", o.name}, {"title", o.title}, {"document", o.document.string()}};
    if (!o.picture.empty()) one["picture"] = std::string(picture_path) + o.name;
  }
  const std::vector<record::RunEntry> all = record::list_runs(s.runs);
  for (auto e = all.rbegin(); e != all.rend() && runs.size() < most_runs; ++e)
    runs.push_back(run_json(*e));
  return {{"missions", std::move(missions)},
          {"examples", std::move(examples)},
          {"runs", std::move(runs)},
          {"nodes", ordered_json::array({{{"name", record::host_name()}}})}};
}

}  // namespace vernier::desktop
