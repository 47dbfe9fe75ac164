#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "vernier/base/ordering.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/composition/detail/loop.hpp"
#include "vernier/run/composition/plan.hpp"

namespace vernier::composition {

namespace {

using Indices = std::unordered_map<std::string_view, std::size_t>;

Indices indices(const std::vector<Port>& ports) {
  Indices all;
  for (std::size_t i = 0; i < ports.size(); ++i) all.emplace(ports[i].name, i);
  return all;
}

Block block(const Description& d) {
  Block b{.outputs = d.outputs.size(), .inputs = d.inputs.size(), .needs = {}};
  const Indices in = indices(d.inputs), out = indices(d.outputs);
  for (const Feedthrough& f : d.feedthrough) {
    const auto o = out.find(f.output);
    const auto i = in.find(f.input);
    if (o != out.end() && i != in.end()) b.needs.push_back({o->second, i->second});
  }
  return b;
}

void report(const Plan& plan, const std::vector<DirectFeed>& loop, Diagnostics& problems) {
  const auto name = [&plan](std::size_t part, std::size_t port, bool output) {
    const Description& d = plan.parts[part].component->description();
    return path(plan.parts[part], output ? d.outputs[port] : d.inputs[port]);
  };
  std::vector<detail::Hop> hops;
  for (const DirectFeed& l : loop) {
    const auto w = std::find_if(plan.wires.begin(), plan.wires.end(), [&l](const Wire& x) {
      return x.delay == Duration{} && x.from_part == l.from && x.from == l.output &&
             x.to_part == l.to && x.to == l.input;
    });
    hops.push_back({name(l.from, l.output, true), name(l.to, l.input, false), w->place});
  }
  detail::report_loop(hops, problems);
}

/// Gives calls that do not depend on each other the same level.
std::vector<Plan::Call> levelled(const std::vector<std::size_t>& calls,
                                 const std::vector<DirectFeed>& needed, std::size_t parts) {
  std::vector<std::vector<std::size_t>> neighbours(parts);
  for (const DirectFeed& l : needed) {
    neighbours[l.from].push_back(l.to);
    neighbours[l.to].push_back(l.from);
  }
  std::vector<std::uint32_t> level(parts, 0);  // after the last call of a part
  std::vector<Plan::Call> order;
  for (const std::size_t part : calls) {
    std::uint32_t mine = level[part];
    for (const std::size_t n : neighbours[part]) mine = std::max(mine, level[n]);
    order.push_back({static_cast<std::uint32_t>(part), mine});
    level[part] = mine + 1;
  }
  // the calls of a level must be contiguous
  std::stable_sort(order.begin(), order.end(),
                   [](const Plan::Call& a, const Plan::Call& b) { return a.level < b.level; });
  return order;
}

/// Whether a wire makes its two ends share their instants.
bool joins(const Plan& plan, const Wire& w) {
  const Description& from = plan.parts[w.from_part].component->description();
  if (from.abilities.constant) return false;
  if (w.delay == Duration{}) return true;
  // an event that arrives within a step needs an instant there, while the step may be in progress
  return from.outputs[w.from].flow == Flow::event && w.delay < plan.step;
}

void find_clusters(Plan& plan) {
  std::vector<std::size_t> leader(plan.parts.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&leader](std::size_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  for (const Wire& w : plan.wires) {
    if (!joins(plan, w)) continue;
    const std::size_t a = find(w.from_part), b = find(w.to_part);
    leader[std::max(a, b)] = std::min(a, b);
  }
  plan.clusters.clear();
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    Part& p = plan.parts[i];
    const std::size_t first = find(i);
    if (first == i) {
      p.cluster = static_cast<std::uint32_t>(plan.clusters.size());
      plan.clusters.emplace_back();
    } else {
      p.cluster = plan.parts[first].cluster;
    }
    if (!p.rate.periodic() && !p.component->description().abilities.dense)
      plan.clusters[p.cluster].dense = false;
  }
}

void decide_early_return(Plan& plan, std::uint32_t cluster) {
  std::vector<std::string> stoppers, stuck, outside;
  for (const Part& p : plan.parts) {
    if (p.cluster != cluster) continue;
    const Abilities& can = p.component->description().abilities;
    if (can.faces_world) outside.push_back(p.name);
    if (p.rate.periodic() || !can.stops_early) continue;
    stoppers.push_back(p.name);
    if (!can.rewinds) stuck.push_back(p.name);
  }
  if (stoppers.empty()) return;
  const std::string late = "events of " + joined(stoppers, ", ") +
                           " are seen by other components at the next tick only: ";
  if (!outside.empty()) {
    plan.notes.push_back(
        late + joined(outside, ", ") +
        " is connected to an external device or process, so steps cannot be repeated");
  } else if (stuck.size() > 1) {
    plan.notes.push_back(late + joined(stuck, ", ") + " cannot go back to repeat a step");
  } else {
    plan.clusters[cluster].early_return = true;
  }
}

}  // namespace

void arrange(Plan& plan, Diagnostics& problems) {
  std::vector<Block> blocks;
  for (const Part& p : plan.parts) blocks.push_back(block(p.component->description()));
  std::vector<DirectFeed> links, needed;
  std::vector<std::vector<bool>> direct;
  for (const Block& b : blocks) {
    direct.emplace_back(b.inputs);
    for (const Block::Need& n : b.needs) direct.back()[n.input] = true;
  }
  for (const Wire& w : plan.wires) {
    if (w.delay > Duration{}) continue;
    links.push_back({w.from_part, w.from, w.to_part, w.to});
    if (direct[w.to_part][w.to]) needed.push_back(links.back());
  }
  const Ordering o = ordering(blocks, links);
  if (!o.loop.empty())
    report(plan, o.loop, problems);
  else
    plan.order = levelled(o.calls, needed, plan.parts.size());
  find_clusters(plan);
  for (std::uint32_t c = 0; c < plan.clusters.size(); ++c) decide_early_return(plan, c);
}

}  // namespace vernier::composition
