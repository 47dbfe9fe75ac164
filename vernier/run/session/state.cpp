#include "vernier/run/session/state.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "vernier/base/text.hpp"
#include "vernier/run/composition/time_text.hpp"
#include "vernier/run/realtime/report.hpp"

namespace vernier::session {
namespace {

std::string nanoseconds_text(std::int64_t ns) { return exact(static_cast<double>(ns) * 1e-9); }

/// Names, which have no character that JSON would escape.
std::string quoted(const auto& names) {
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back("\"" + name + "\"");
  return joined(all, ",");
}

/// "running"
const char* condition(const RunState& s) noexcept {
  return s.resting ? "coming to rest" : s.stopping ? "stopping" : s.frozen ? "frozen" : "running";
}

}  // namespace

std::string status_line(const RunState& s, Duration step, bool real_time) {
  const int decimals = composition::time_decimals(step, s.end - s.begin);
  std::string line = fmt::format("{0} · {1} · t = {3:.{2}f} s of {4:.{2}f} s", s.name, condition(s),
                                 decimals, seconds(s.time), seconds(s.end));
  if (!real_time) return line;
  const Pulse& p = s.pulse;
  return line + fmt::format(" · {} frames, {} late · margin {}, least {} · worst wake-up {}",
                            p.frames, p.late, realtime::time_text(static_cast<double>(p.margin)),
                            realtime::time_text(static_cast<double>(p.least_margin)),
                            realtime::time_text(static_cast<double>(p.worst_wake_up)));
}

std::string to_json(const RunState& s) {
  std::string json = fmt::format(
      "{{\"time\":{},\"begin\":{},\"end\":{},\"status\":\"{}\",\"frozen\":{},\"rate\":{},"
      "\"events\":{},\"dropped\":{},\"overrides\":[{}]",
      exact(seconds(s.time)), exact(seconds(s.begin)), exact(seconds(s.end)), condition(s),
      s.frozen, s.rate ? exact(*s.rate) : "null", s.events, s.dropped, quoted(s.overrides));
  if (s.pulse.frames > 0) {
    json += fmt::format(
        ",\"pulse\":{{\"frames\":{},\"late\":{},\"margin\":{},\"least_margin\":{},"
        "\"worst_wake_up\":{}}}",
        s.pulse.frames, s.pulse.late, nanoseconds_text(s.pulse.margin),
        nanoseconds_text(s.pulse.least_margin), nanoseconds_text(s.pulse.worst_wake_up));
  }
  std::vector<std::string> nodes;
  for (const auto& [node, parts] : s.nodes)
    nodes.push_back(fmt::format("{{\"node\":\"{}\",\"parts\":[{}]}}", node, quoted(parts)));
  if (!nodes.empty()) json += ",\"nodes\":[" + joined(nodes, ",") + "]";
  return json + "}";
}

std::set<std::string> overridden_ports(const Options& o, Time now, const Live& live) {
  std::set<std::string> all;
  for (const std::string& assignment : o.overrides)
    all.emplace(trimmed(std::string_view(assignment).substr(0, assignment.find('='))));
  for (const executive::ScheduledOrder& s : o.orders) {
    if (s.at > now) continue;
    if (s.order.kind == executive::OrderKind::replace) all.insert(s.order.path);
    if (s.order.kind == executive::OrderKind::release) all.erase(s.order.path);
  }
  for (const std::string& path : live.released()) all.erase(path);
  all.insert(live.set_now().begin(), live.set_now().end());
  return all;
}

}  // namespace vernier::session
