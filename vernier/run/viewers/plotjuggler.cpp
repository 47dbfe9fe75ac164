#include "vernier/run/viewers/plotjuggler.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"

namespace vernier::viewers {

PlotJuggler::PlotJuggler(const record::LiveRowReader& run,
                         const std::vector<std::string>& patterns) {
  const auto& groups = run.layout().groups;
  groups_.resize(groups.size());
  std::vector<std::string> names;
  std::vector<bool> used(patterns.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t i = 0; i < groups[g].signals.size(); ++i) {
      const record::SignalSpec& s = groups[g].signals[i];
      names.push_back(s.path);
      bool wanted = false;
      for (std::size_t k = 0; k < patterns.size(); ++k) {
        if (!matches(patterns[k], s.path)) continue;
        used[k] = wanted = true;
      }
      if (!wanted) continue;
      std::string key = s.path;
      std::replace(key.begin(), key.end(), '.', '/');
      groups_[g].items.push_back(
          {run.row(g).columns[i].offset, s.count, s.scalar,
           nlohmann::json(key).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
               ":"});
    }
  }
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    if (used[k]) continue;
    Diagnostics problems;
    Diagnostic& d = problems.error("V7102", "no recorded signal is named " + patterns[k], {});
    if (const auto meant = closest(patterns[k], names))
      d.notes.push_back("did you mean " + *meant + "?");
    throw ConfigurationError(std::move(problems));
  }
}

void PlotJuggler::take(const record::LiveRowReader::Row& row, const Send& send) {
  Group& g = groups_[row.group];
  if (g.items.empty() || !std::isfinite(row.time)) return;
  if (every_ > 0.0 && g.any && row.time < g.last + every_) return;
  g.any = true;
  g.last = row.time;
  const std::string begin = "{\"timestamp\":" + exact(row.time);
  text_ = begin;
  for (const Item& i : g.items) {
    if (text_.size() > most_bytes) {
      send(text_ += '}');
      text_ = begin;
    }
    append(row.bytes.data() + i.offset, i);
  }
  send(text_ += '}');
}

void PlotJuggler::append(const std::byte* at, const Item& item) {
  text_ += ',';
  text_ += item.key;
  if (item.count > 1) text_ += '[';
  for (std::uint32_t e = 0; e < item.count; ++e) {
    if (e > 0) text_ += ',';
    if (item.scalar == Scalar::real) {
      const double v = load<double>(at + 8 * e);
      text_ += std::isfinite(v) ? exact(v) : "null";
    } else if (item.scalar == Scalar::integer) {
      text_ += std::to_string(load<std::int64_t>(at + 8 * e));
    } else {
      text_ += std::to_string(std::to_integer<int>(at[e]));
    }
  }
  if (item.count > 1) text_ += ']';
}

}  // namespace vernier::viewers
