#include "apps/vernier/placement_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "apps/vernier/console.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {
namespace {

using nlohmann::ordered_json;
using placement::Forecast;
using placement::Why;

std::string time_text(double s) {
  if (s < 1e-3) return fmt::format("{:.3g} µs", s * 1e6);
  return s < 1.0 ? fmt::format("{:.3g} ms", s * 1e3) : fmt::format("{:.3g} s", s);
}

/// "1 exchange", "2.5 exchanges".
std::string counted(double n, const char* what) {
  const std::string number = short_number(std::round(n * 100.0) / 100.0);
  return fmt::format("{} {}{}", number, what, number == "1" ? "" : "s");
}

std::string names_of(const PlacedPlan& p, const std::vector<std::uint32_t>& nodes) {
  std::vector<std::string> names;
  for (const std::uint32_t n : nodes) names.push_back(p.placement.names[n]);
  return joined(names, ", ");
}

std::string where(const PlacedPlan& p, std::size_t part) {
  if (p.placement.why[part] == Why::everywhere) return "everywhere";
  return names_of(p, p.placement.division()[part]);
}

std::string delay_text(const Forecast::Wire& w) {
  if (w.delay > Duration{}) return exact(seconds(w.delay)) + " s later";
  return "at the same instant";
}

/// Three digits: more are not known.
std::string rounded(double v) { return short_number(std::stod(fmt::format("{:.3g}", v))); }

std::string ticks_text(double tick, double step) {
  if (tick <= 0.0) return "not limited by the network";
  const double speed = step / tick;
  return fmt::format("{} ticks/s, {} times real time", rounded(1.0 / tick), rounded(speed));
}

std::string wires_text(const Forecast::Hint& h) {
  std::vector<std::string> all;
  for (const auto& [from, to] : h.wires) all.push_back(from + " → " + to);
  constexpr std::size_t most = 3;
  if (all.size() <= most) return joined(all, ", ");
  return fmt::format("{} and {} more", joined({all.begin(), all.begin() + most}, ", "),
                     all.size() - most);
}

/// s per tick, when nothing is exchanged.
double on_one_node(const PlacedPlan& p) {
  return std::accumulate(p.cost.by_part.begin(), p.cost.by_part.end(), 0.0);
}

/// What the forecast takes for granted.
std::string assumptions(const PlacedPlan& p) {
  std::vector<std::string> all;
  if (p.forecast.cost_known) {
    all.push_back(
        fmt::format("cost of the parts measured here, over {}", counted(p.cost.ticks, "tick")));
  } else {
    all.push_back("without the cost of the parts, which is unknown: " + p.cost.unknown);
  }
  const auto& hosts = p.nodes.hosts;
  if (p.nodes.local() && p.nodes.network.empty() && !p.nodes.round_trip) {
    all.emplace_back("processes on this computer share memory");
  } else if (hosts.size() > 1) {
    // the widest of all pairs
    placement::Line line;
    for (std::size_t b = 1; b < hosts.size(); ++b)
      for (std::size_t a = 0; a < b; ++a)
        if (const placement::Line l = line_between(p.nodes, a, b); l.latency > line.latency)
          line = l;
    all.push_back(
        fmt::format("{}round trip {}, {}/s{}", p.nodes.round_trip ? "" : "assumed: ",
                    time_text(2 * line.latency), byte_text(line.bandwidth),
                    p.nodes.round_trip ? "" : " (<network> of a nodes document says it)"));
  }
  return joined(all, "; ");
}

class PlacementText {
 public:
  PlacementText(const PlacedPlan& p, bool all) : p_(p), f_(p.forecast), all_(all) {}

  std::string whole() {
    out_ = fmt::format("{} on {}\n", p_.plan.name,
                       counted(static_cast<double>(nodes().size()), "node"));
    show_nodes();
    show_parts();
    show_wires();
    show_exchanges();
    show_traffic();
    show_rate();
    return out_;
  }

 private:
  const std::vector<std::string>& nodes() const { return p_.placement.names; }

  std::size_t shown(std::size_t count) const { return all_ || count <= 24 ? count : 16; }
  void rest(Table& t, std::size_t count, const char* what) const {
    if (shown(count) < count)
      t.row({fmt::format("… {} more {} (--all shows them)", count - shown(count), what)});
  }

  void show_nodes() {
    Table t;
    for (std::size_t n = 0; n < shown(nodes().size()); ++n) {
      const placement::Host& h = p_.nodes.hosts[n];
      t.row({nodes()[n], h.local() ? "a process on this computer" : placement::text(h),
             f_.cost_known ? time_text(f_.load.work[n]) + " of work a tick" : ""});
    }
    rest(t, nodes().size(), "nodes");
    out_ += "\nnodes\n" + t.text("  ");
    for (const std::string& note : p_.placement.notes) out_ += "  " + note + "\n";
  }

  void show_parts() {
    Table t;
    const auto& parts = p_.plan.parts;
    for (std::size_t i = 0; i < shown(parts.size()); ++i)
      t.row({parts[i].name, where(p_, i), placement::text(p_.placement.why[i]),
             f_.cost_known ? time_text(p_.cost.by_part[i]) + " a tick" : "",
             parts[i].instances.size() > 1 ? joined(parts[i].instances, ", ") : ""});
    rest(t, parts.size(), "parts");
    out_ += "\nparts\n" + t.text("  ");
  }

  void show_wires() {
    if (f_.wires.empty()) {
      out_ += "\nno connection leads from one node to another\n";
      return;
    }
    Table t;
    for (std::size_t i = 0; i < shown(f_.wires.size()); ++i) {
      const Forecast::Wire& w = f_.wires[i];
      t.row({w.from, "→ " + w.to, fmt::format("{} → {}", nodes()[w.from_node], nodes()[w.to_node]),
             delay_text(w)});
    }
    rest(t, f_.wires.size(), "connections");
    out_ += "\nconnections between nodes\n" + t.text("  ");
  }

  void show_exchanges() {
    if (f_.wires.empty()) return;
    if (f_.clusters.empty()) {
      out_ += "\nno node waits for a value of the same instant\n";
      return;
    }
    out_ += fmt::format("\nwaiting for values of the same instant: {} a tick\n",
                        counted(f_.load.exchanges, "exchange"));
    for (const Forecast::Cluster& c : f_.clusters) {
      out_ += fmt::format("  {} on {}, {} a tick\n", joined(c.parts, ", "), names_of(p_, c.nodes),
                          counted(c.instants, "instant"));
      for (std::size_t i = 0; i < c.exchanges.size(); ++i)
        out_ += fmt::format("    {}  {}\n", i + 1, c.exchanges[i]);
    }
  }

  void show_traffic() {
    if (f_.load.traffic.empty()) return;
    Table t;
    for (std::size_t i = 0; i < shown(f_.load.traffic.size()); ++i) {
      const auto& x = f_.load.traffic[i];
      t.row({fmt::format("{} → {}", nodes()[x.from], nodes()[x.to]), byte_text(x.bytes),
             "in " + counted(x.frames, "frame")});
    }
    rest(t, f_.load.traffic.size(), "pairs");
    out_ += "\ntraffic a tick\n" + t.text("  ");
  }

  void show_rate() {
    out_ += fmt::format("\nforecast\n  {}{}\n  {}\n",
                        f_.cost_known || f_.load.tick <= 0.0 ? "" : "at most ",
                        ticks_text(f_.load.tick, f_.step), assumptions(p_));
    if (f_.cost_known && nodes().size() > 1)
      out_ += fmt::format("  on one node: {}\n", ticks_text(on_one_node(p_), f_.step));
    for (const Forecast::Hint& h : f_.hints)
      out_ += fmt::format("  a delay of 1 tick on {} saves {} a tick: {}\n", wires_text(h),
                          counted(h.exchanges, "exchange"), ticks_text(h.tick, f_.step));
  }

  const PlacedPlan& p_;
  const Forecast& f_;
  bool all_;
  std::string out_;
};

}  // namespace

std::string placement_text(const PlacedPlan& p, bool all) { return PlacementText(p, all).whole(); }

ordered_json placement_json(const PlacedPlan& p) {
  const Forecast& f = p.forecast;
  const auto& names = p.placement.names;
  ordered_json j{{"nodes", ordered_json::array()}, {"parts", ordered_json::array()}};
  for (std::size_t n = 0; n < names.size(); ++n) {
    ordered_json node{{"name", names[n]}};
    node["address"] = p.nodes.hosts[n].local() ? ordered_json(nullptr)
                                               : ordered_json(placement::text(p.nodes.hosts[n]));
    if (f.cost_known) node["work_s"] = f.load.work[n];
    j["nodes"].push_back(std::move(node));
  }
  for (std::size_t i = 0; i < p.plan.parts.size(); ++i) {
    ordered_json part{{"name", p.plan.parts[i].name}, {"instances", p.plan.parts[i].instances}};
    part["node"] = p.placement.why[i] == Why::everywhere
                       ? ordered_json(nullptr)
                       : ordered_json(names[p.placement.nodes[i]]);
    if (!p.placement.more[i].empty()) {
      part["replicas"] = ordered_json::array();
      for (const std::uint32_t n : p.placement.more[i]) part["replicas"].push_back(names[n]);
    }
    part["why"] = placement::text(p.placement.why[i]);
    if (f.cost_known) part["cost_s"] = p.cost.by_part[i];
    j["parts"].push_back(std::move(part));
  }
  j["connections"] = ordered_json::array();
  for (const Forecast::Wire& w : f.wires)
    j["connections"].push_back({{"from", w.from},
                                {"to", w.to},
                                {"from_node", names[w.from_node]},
                                {"to_node", names[w.to_node]},
                                {"delay_s", seconds(w.delay)},
                                {"waits", w.waits}});
  j["clusters"] = ordered_json::array();
  for (const Forecast::Cluster& c : f.clusters) {
    ordered_json on = ordered_json::array();
    for (const std::uint32_t n : c.nodes) on.push_back(names[n]);
    j["clusters"].push_back({{"parts", c.parts},
                             {"nodes", std::move(on)},
                             {"instants_per_tick", c.instants},
                             {"exchanges", c.exchanges}});
  }
  j["traffic"] = ordered_json::array();
  for (const auto& x : f.load.traffic)
    j["traffic"].push_back({{"from", names[x.from]},
                            {"to", names[x.to]},
                            {"frames_per_tick", x.frames},
                            {"bytes_per_tick", x.bytes}});
  ordered_json hints = ordered_json::array();
  for (const Forecast::Hint& h : f.hints) {
    ordered_json wires = ordered_json::array();
    for (const auto& [from, to] : h.wires) wires.push_back({{"from", from}, {"to", to}});
    hints.push_back({{"delay", std::move(wires)},
                     {"saves_exchanges_per_tick", h.exchanges},
                     {"tick_s", h.tick}});
  }
  j["forecast"] = {{"exchanges_per_tick", f.load.exchanges},
                   {"tick_s", f.load.tick},
                   {"step_s", f.step},
                   {"cost_known", f.cost_known},
                   {"assumes", assumptions(p)},
                   {"hints", std::move(hints)}};
  if (f.cost_known) j["forecast"]["one_node_tick_s"] = on_one_node(p);
  j["notes"] = p.placement.notes;
  return j;
}

}  // namespace vernier::app
