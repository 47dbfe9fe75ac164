#include "vernier/run/desktop/link_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "vernier/run/desktop/messages.hpp"

namespace vernier::desktop {

using nlohmann::ordered_json;

namespace {

constexpr std::array link_groups{std::string_view(".link."), std::string_view(".rsp."),
                                 std::string_view(".shared.")};
constexpr std::array link_delays{std::string_view("link.last.send_to_receive"),
                                 std::string_view("link.last.acquisition_to_output"),
                                 std::string_view("link.last.dead_time"),
                                 std::string_view("link.age"),
                                 std::string_view("shared.age"),
                                 std::string_view("rsp.forerun")};
constexpr std::array of_federations{std::string_view("logical_time"), std::string_view("mode")};
constexpr std::uint64_t values_at_once = 1u << 16;

}  // namespace

LinkFigures::LinkFigures(const record::ResultReader& results) {
  const auto watch = [&](const record::Signal& s, std::size_t dot) {
    Watched w;
    w.path = s.spec.path;
    w.instance = w.path.substr(0, dot);
    w.name = w.path.substr(dot + 1);
    w.unit = s.spec.unit;
    w.delay = std::find(link_delays.begin(), link_delays.end(), w.name) != link_delays.end();
    watched_.push_back(std::move(w));
  };
  for (const record::Signal& s : results.signals()) {
    const std::string& path = s.spec.path;
    if (s.spec.count != 1) continue;
    for (const std::string_view group : link_groups)
      if (const std::size_t at = path.find(group); at != path.npos && at > 0) watch(s, at);
    // a federate is what has both
    if (!path.ends_with(".logical_time")) continue;
    const std::size_t dot = path.rfind('.');
    const record::Signal* mode = results.find(path.substr(0, dot) + ".mode");
    if (mode == nullptr || mode->spec.count != 1) continue;
    watch(s, dot);
    watch(*mode, dot);
  }
}

void LinkFigures::refresh(const record::ResultReader& results) {
  for (Watched& w : watched_) {
    const record::Signal* s = results.find(w.path);
    if (s == nullptr) continue;
    for (; w.rows < s->rows; w.rows = std::min(s->rows, w.rows + values_at_once)) {
      const record::Series rows = results.read(*s, w.rows, values_at_once);
      for (std::size_t i = 0; i < rows.values.size(); ++i) {
        const double v = rows.values[i];
        if (!std::isfinite(v)) continue;
        w.now = v;
        if (v == 0.0) continue;  // nothing was measured yet
        if (!w.begin) w.begin = v;
        if (!w.delay) continue;
        ++w.count;
        w.sum += v;
        w.spread.add(static_cast<std::int64_t>(std::llround(std::clamp(v, 0.0, 1e9) * 1e9)));
        if (w.peak && v <= *w.peak) continue;
        w.peak = v;
        w.peak_at = rows.time[i];
      }
      if (rows.time.empty()) break;
    }
  }
}

ordered_json LinkFigures::links() const {
  ordered_json all = ordered_json::array();
  for (const Watched& w : watched_) {
    if (std::find(of_federations.begin(), of_federations.end(), w.name) != of_federations.end())
      continue;
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const ordered_json& l) { return l["link"] == w.instance; });
    if (at == all.end()) {
      all.push_back({{"link", w.instance},
                     {"values", ordered_json::array()},
                     {"delays", ordered_json::array()}});
      at = std::prev(all.end());
    }
    const ordered_json now = w.now ? number(*w.now) : ordered_json();
    if (!w.delay) {
      (*at)["values"].push_back({{"name", w.name},
                                 {"signal", w.path},
                                 {"unit", w.unit},
                                 {"now", now},
                                 {"begin", w.begin ? number(*w.begin) : ordered_json()}});
      continue;
    }
    ordered_json d{{"name", w.name}, {"signal", w.path}, {"now", now}, {"count", w.count}};
    if (w.count > 0) {
      d["mean"] = number(w.sum / static_cast<double>(w.count));
      d["p99"] = std::min(static_cast<double>(w.spread.quantile(0.99)) * 1e-9, *w.peak);
      d["max"] = number(*w.peak);
      d["max_time"] = w.peak_at;
    }
    (*at)["delays"].push_back(std::move(d));
  }
  return all;
}

ordered_json LinkFigures::federation() const {
  ordered_json f;
  for (const Watched& w : watched_) {
    if (w.name != "logical_time" && w.name != "mode") continue;
    if (!f.is_null() && f["component"] != w.instance) continue;
    f["component"] = w.instance;
    f[w.name] = w.now ? number(*w.now) : ordered_json();
  }
  return f;
}

}  // namespace vernier::desktop
