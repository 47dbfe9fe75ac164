#include "vernier/run/placement/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"

namespace vernier::placement {
namespace {

using composition::Cut;
using composition::Plan;

constexpr std::size_t most_hints = 3;
constexpr std::size_t most_attempts = 64;
constexpr std::size_t most_named = 3;

std::string from_path(const Plan& plan, const composition::Wire& w) {
  const composition::Part& p = plan.parts[w.from_part];
  return path(p, p.component->description().outputs[w.from]);
}
std::string to_path(const Plan& plan, const composition::Wire& w) {
  const composition::Part& p = plan.parts[w.to_part];
  return path(p, p.component->description().inputs[w.to]);
}
std::string arrow(const Plan& plan, const composition::Wire& w) {
  return from_path(plan, w) + " → " + to_path(plan, w);
}

/// "a, b, c and 4 more".
std::string some(const std::vector<std::string>& all) {
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most_named));
  const std::string first = joined({all.begin(), end}, ", ");
  return all.size() <= most_named ? first
                                  : fmt::format("{} and {} more", first, all.size() - most_named);
}

/// The first node that reads a wire without computing its source.
std::uint32_t reader(const Cut& cut, const composition::Wire& w) {
  const auto& nodes = cut.runs[w.to_part];
  return *std::find_if(nodes.begin(), nodes.end(),
                       [&](std::uint32_t n) { return !cut.runs_on(n, w.from_part); });
}

/// Whether such a node needs the value at the instant that it is computed.
bool waits(const Plan& plan, const Cut& cut, const composition::Wire& w) {
  const auto& nodes = cut.runs[w.to_part];
  return std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) {
    return !cut.runs_on(n, w.from_part) && cut.has(n, plan.parts[w.from_part].cluster);
  });
}

class Reasons {
 public:
  Reasons(const Plan& plan, const Cut& cut) : plan_(plan), cut_(cut) {}

  std::vector<std::string> of(std::uint32_t cluster) const {
    const Cut::Cluster& c = cut_.clusters[cluster];
    std::vector<std::string> all;
    if (c.streams) all.push_back("messages of streams: " + some(crossing(cluster, true)));
    for (std::uint32_t r = 0; r < c.rounds; ++r)
      all.push_back(r == 0 ? "outputs from the state: " + some(crossing(cluster, false))
                           : "outputs that need others first: " + chain(cluster, r));
    if (c.agrees)
      all.push_back("events and their times: " + some(parts(cluster, [](const Abilities& can) {
                      return can.reacts || can.predicts;
                    })));
    if (c.stops)
      all.push_back("steps that end at events: " +
                    some(parts(cluster, [](const Abilities& can) { return can.stops_early; })));
    return all;
  }

 private:
  const Description& description(std::uint32_t part) const {
    return plan_.parts[part].component->description();
  }

  template <class Able>
  std::vector<std::string> parts(std::uint32_t cluster, const Able& able) const {
    std::vector<std::string> names;
    for (const composition::Part& p : plan_.parts)
      if (p.cluster == cluster && able(p.component->description().abilities))
        names.push_back(p.name);
    if (names.empty()) names.push_back("those that arrive later");
    return names;
  }

  /// The wires of the cluster that leave a node in round 0.
  std::vector<std::string> crossing(std::uint32_t cluster, bool streams) const {
    std::vector<std::string> all;
    for (const composition::Wire& w : plan_.wires) {
      if (plan_.parts[w.from_part].cluster != cluster || !leaves(plan_, cut_, w)) continue;
      const Port& port = description(w.from_part).outputs[w.from];
      if ((port.flow == Flow::stream) != streams || !waits(plan_, cut_, w)) continue;
      const auto early = [&](std::size_t k) {
        return plan_.order[k].part == w.from_part && cut_.round[k] == 0;
      };
      bool first = streams;
      for (std::size_t k = 0; k < plan_.order.size() && !first; ++k) first = early(k);
      if (first) all.push_back(arrow(plan_, w));
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  /// The wires between nodes that make a call of the cluster belong to a round.
  std::string chain(std::uint32_t cluster, std::uint32_t round) const {
    std::size_t k = 0;
    while (k < plan_.order.size() &&
           (plan_.parts[plan_.order[k].part].cluster != cluster || cut_.round[k] != round))
      ++k;
    std::vector<std::string> wires;
    while (k < plan_.order.size() && cut_.round[k] > 0) {
      const auto [wire, before] = cause(k);
      if (leaves(plan_, cut_, *wire)) wires.push_back(arrow(plan_, *wire));
      k = before;
    }
    std::reverse(wires.begin(), wires.end());
    return joined(wires, ", then ");
  }

  /// The wire that puts a call into its round, and the call before.
  std::pair<const composition::Wire*, std::size_t> cause(std::size_t call) const {
    const std::uint32_t part = plan_.order[call].part;
    for (std::size_t k = call; k-- > 0;)
      for (const composition::Wire& w : plan_.wires)
        if (w.to_part == part && w.from_part == plan_.order[k].part && direct(plan_, w) &&
            cut_.round[k] + leaves(plan_, cut_, w) == cut_.round[call])
          return {&w, k};
    // an earlier call of the same part had the reason
    for (std::size_t k = call; k-- > 0;)
      if (plan_.order[k].part == part) return cause(k);
    return {&plan_.wires.front(), plan_.order.size()};
  }

  const Plan& plan_;
  const Cut& cut_;
};

/// A plan with delays on some of its wires, while this exists.
class Delayed {
 public:
  Delayed(Plan& plan, const std::vector<std::size_t>& wires)
      : plan_(plan),
        clusters_(plan.clusters),
        wires_(plan.wires),
        order_(plan.order),
        notes_(plan.notes) {
    for (const composition::Part& p : plan.parts) cluster_.push_back(p.cluster);
    for (const std::size_t w : wires) plan.wires[w].delay = plan.step;
    Diagnostics none;
    arrange(plan, none);
  }
  ~Delayed() {
    for (std::size_t p = 0; p < cluster_.size(); ++p) plan_.parts[p].cluster = cluster_[p];
    plan_.clusters = std::move(clusters_);
    plan_.wires = std::move(wires_);
    plan_.order = std::move(order_);
    plan_.notes = std::move(notes_);
  }
  Delayed(const Delayed&) = delete;
  Delayed& operator=(const Delayed&) = delete;

 private:
  Plan& plan_;
  std::vector<composition::Cluster> clusters_;
  std::vector<composition::Wire> wires_;
  std::vector<Plan::Call> order_;
  std::vector<std::string> notes_;
  std::vector<std::uint32_t> cluster_;
};

/// Groups of wires whose delay may save an exchange: between two parts, in one direction or both;
/// and between two nodes.
std::vector<std::vector<std::size_t>> candidates(const Plan& plan, const Cut& cut) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> of_parts, both, nodes;
  for (std::size_t i = 0; i < plan.wires.size(); ++i) {
    const composition::Wire& w = plan.wires[i];
    // a stream takes no delay
    if (w.delay > Duration{} || !leaves(plan, cut, w) ||
        plan.parts[w.from_part].component->description().outputs[w.from].flow == Flow::stream)
      continue;
    of_parts[{w.from_part, w.to_part}].push_back(i);
    both[std::minmax(w.from_part, w.to_part)].push_back(i);
    nodes[std::minmax(cut.runs[w.from_part].front(), reader(cut, w))].push_back(i);
  }
  std::vector<std::vector<std::size_t>> all;
  for (const auto* groups : {&of_parts, &both, &nodes})
    for (const auto& [ends, wires] : *groups)
      if (all.size() < most_attempts && std::find(all.begin(), all.end(), wires) == all.end())
        all.push_back(wires);
  return all;
}

}  // namespace

Forecast forecast(Plan& plan, const Placement& placement, const Nodes& nodes,
                  std::span<const double> cost, unsigned processors) {
  const auto count = static_cast<std::uint32_t>(nodes.hosts.size());
  const std::vector<double> nothing(plan.parts.size());
  if (cost.empty()) cost = nothing;
  Forecast f;
  f.cost_known = cost.data() != nothing.data();
  f.step = seconds(plan.step);
  const Cut cut = composition::cut(plan, placement.division(), count);
  {
    const TickModel model(plan, nodes, cost, processors);
    f.load = model.of(cut);
    const Reasons reasons(plan, cut);
    for (std::uint32_t c = 0; c < cut.clusters.size(); ++c) {
      if (!cut.clusters[c].crosses()) continue;
      Forecast::Cluster& cluster = f.clusters.emplace_back();
      for (const composition::Part& p : plan.parts)
        if (p.cluster == c) cluster.parts.push_back(p.name);
      cluster.nodes = cut.clusters[c].nodes;
      cluster.instants = model.instants(c);
      cluster.exchanges = reasons.of(c);
    }
  }
  for (const composition::Wire& w : plan.wires) {
    if (!leaves(plan, cut, w)) continue;
    Forecast::Wire wire{from_path(plan, w), to_path(plan, w), cut.runs[w.from_part].front(),
                        reader(cut, w),     w.delay,          waits(plan, cut, w)};
    const bool known = std::any_of(f.wires.begin(), f.wires.end(), [&wire](const auto& other) {
      return other.from == wire.from && other.to == wire.to;
    });
    if (!known) f.wires.push_back(std::move(wire));
  }
  std::vector<std::pair<std::size_t, Forecast::Hint>> hints;  // and the number of wires
  for (const std::vector<std::size_t>& wires : candidates(plan, cut)) {
    Forecast::Hint hint;
    std::set<std::pair<std::string, std::string>> paths;
    for (const std::size_t w : wires)
      paths.emplace(from_path(plan, plan.wires[w]), to_path(plan, plan.wires[w]));
    hint.wires = {paths.begin(), paths.end()};
    const Delayed changed(plan, wires);
    const TickModel model(plan, nodes, cost, processors);
    const TickModel::Result then = model.of(composition::cut(plan, placement.division(), count));
    hint.exchanges = f.load.exchanges - then.exchanges;
    hint.tick = then.tick;
    // more wires must save more
    const bool saves = hint.exchanges > 1e-9 && hint.tick < f.load.tick;
    if (saves && std::none_of(hints.begin(), hints.end(), [&](const auto& other) {
          return other.first <= wires.size() && other.second.exchanges >= hint.exchanges - 1e-9;
        }))
      hints.emplace_back(wires.size(), std::move(hint));
  }
  std::stable_sort(hints.begin(), hints.end(), [](const auto& a, const auto& b) {
    return a.second.exchanges > b.second.exchanges;
  });
  for (auto& [size, hint] : hints)
    if (f.hints.size() < most_hints) f.hints.push_back(std::move(hint));
  return f;
}

}  // namespace vernier::placement
