#include "vernier/run/composition/cut.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vernier::composition {
namespace {

const Description& described(const Plan& plan, std::uint32_t part) {
  return plan.parts[part].component->description();
}

/// Parts that compute the same on every node.
void spread(const Plan& plan, Cut& c) {
  std::vector<bool> reads(plan.parts.size());
  for (const Wire& w : plan.wires) reads[w.to_part] = true;
  for (std::uint32_t p = 0; p < plan.parts.size(); ++p)
    if (described(plan, p).abilities.constant && !reads[p]) c.runs[p].clear();
}

void find_nodes(const Plan& plan, Cut& c) {
  c.clusters.resize(plan.clusters.size());
  for (std::uint32_t p = 0; p < plan.parts.size(); ++p) {
    auto& nodes = c.clusters[plan.parts[p].cluster].nodes;
    for (const std::uint32_t n : c.runs[p]) {
      const auto at = std::lower_bound(nodes.begin(), nodes.end(), n);
      if (at == nodes.end() || *at != n) nodes.insert(at, n);
    }
  }
}

void count_rounds(const Plan& plan, Cut& c) {
  std::vector<std::vector<const Wire*>> feeding(plan.parts.size());
  for (const Wire& w : plan.wires)
    if (direct(plan, w)) feeding[w.to_part].push_back(&w);
  std::vector<std::uint32_t> last(plan.parts.size(), 0);  // the round of a part's last call so far
  std::vector<bool> called(plan.parts.size());
  for (const Plan::Call& k : plan.order) {
    std::uint32_t mine = last[k.part];
    for (const Wire* w : feeding[k.part])
      if (called[w->from_part]) mine = std::max(mine, last[w->from_part] + leaves(plan, c, *w));
    last[k.part] = mine;
    called[k.part] = true;
    c.round.push_back(mine);
  }
}

/// The nodes that receive an output, by part and output.
using Readers = std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>>;

/// All outputs of what runs on several nodes are compared there.
void add_replicas(const Plan& plan, const Cut& c, Readers& readers) {
  for (std::uint32_t p = 0; p < plan.parts.size(); ++p) {
    if (!c.replicated(p) || described(plan, p).abilities.constant) continue;
    for (std::uint32_t o = 0; o < described(plan, p).outputs.size(); ++o)
      readers[{p, o}].insert(c.runs[p].begin(), c.runs[p].end());
  }
}

void find_crossings(const Plan& plan, Cut& c) {
  Readers readers;
  add_replicas(plan, c, readers);
  std::map<std::array<std::uint32_t, 3>, Cut::Feed> feeds;
  for (const Wire& w : plan.wires) {
    if (!leaves(plan, c, w)) continue;
    const std::uint32_t cluster = plan.parts[w.from_part].cluster;
    for (const std::uint32_t to : c.runs[w.to_part]) {
      if (c.runs_on(to, w.from_part)) continue;
      if (c.has(to, cluster)) {
        readers[{w.from_part, w.from}].insert(to);
        continue;
      }
      for (const std::uint32_t from : c.runs[w.from_part]) {
        const auto [f, fresh] = feeds.try_emplace({cluster, from, to});
        if (fresh) f->second = {cluster, from, to, {}, w.delay};
        f->second.delay = std::min(f->second.delay, w.delay);
        f->second.outputs.emplace_back(w.from_part, w.from);
      }
    }
  }
  for (auto& [key, f] : feeds) {
    std::sort(f.outputs.begin(), f.outputs.end());
    f.outputs.erase(std::unique(f.outputs.begin(), f.outputs.end()), f.outputs.end());
    c.feeds.push_back(std::move(f));
  }
  for (const auto& [port, nodes] : readers) {
    Cut::Crossing x{.part = port.first,
                    .output = port.second,
                    .to = {nodes.begin(), nodes.end()},
                    .rounds = {}};
    std::set<std::uint32_t> rounds;
    for (std::size_t i = 0; i < plan.order.size(); ++i)
      if (plan.order[i].part == x.part) rounds.insert(c.round[i]);
    x.rounds = {rounds.begin(), rounds.end()};
    Cut::Cluster& cluster = c.clusters[plan.parts[x.part].cluster];
    if (described(plan, x.part).outputs[x.output].flow == Flow::stream) cluster.streams = true;
    if (!rounds.empty()) cluster.rounds = std::max(cluster.rounds, *rounds.rbegin() + 1);
    c.crossings.push_back(std::move(x));
  }
}

void find_agreements(const Plan& plan, Cut& c) {
  for (const Part& p : plan.parts) {
    const Abilities& can = p.component->description().abilities;
    Cut::Cluster& cluster = c.clusters[p.cluster];
    const bool continuous = !p.rate.periodic();
    cluster.agrees |= can.reacts || (continuous && can.predicts);
    if (!plan.clusters[p.cluster].early_return || !continuous || !can.stops_early) continue;
    cluster.stops = true;
    cluster.stops_last |= !can.rewinds;
  }
  // an event that arrives within a step is known where it arrives
  for (const Wire& w : plan.wires)
    if (w.delay > Duration{} && described(plan, w.from_part).outputs[w.from].flow == Flow::event)
      c.clusters[plan.parts[w.to_part].cluster].agrees = true;
}

}  // namespace

bool direct(const Plan& plan, const Wire& w) {
  if (w.delay > Duration{}) return false;
  const Description& d = described(plan, w.to_part);
  const std::string& input = d.inputs[w.to].name;
  return std::any_of(d.feedthrough.begin(), d.feedthrough.end(),
                     [&input](const Feedthrough& f) { return f.input == input; });
}

bool leaves(const Plan& plan, const Cut& c, const Wire& w) {
  if (c.everywhere(w.from_part) || described(plan, w.from_part).abilities.constant) return false;
  const Division::Nodes& to = c.runs[w.to_part];
  return std::any_of(to.begin(), to.end(),
                     [&](std::uint32_t n) { return !c.runs_on(n, w.from_part); });
}

bool Cut::has(std::uint32_t node, std::uint32_t cluster) const noexcept {
  const auto& all = clusters[cluster].nodes;
  return std::binary_search(all.begin(), all.end(), node);
}

bool Cut::crosses(const Crossing& x, std::uint32_t from, std::uint32_t to) const noexcept {
  return from != to && runs_on(from, x.part) && std::binary_search(x.to.begin(), x.to.end(), to);
}

bool Cut::crosses(const Crossing& x, std::uint32_t from, std::uint32_t to,
                  std::uint32_t round) const noexcept {
  return crosses(x, from, to) && std::binary_search(x.rounds.begin(), x.rounds.end(), round) &&
         (!runs_on(to, x.part) || round == x.rounds.back());
}

Cut cut(const Plan& plan, const Division& division, std::uint32_t nodes) {
  Cut c;
  c.nodes = nodes;
  c.runs = division.all();
  spread(plan, c);
  find_nodes(plan, c);
  count_rounds(plan, c);
  find_crossings(plan, c);
  find_agreements(plan, c);
  return c;
}

}  // namespace vernier::composition
