#include "vernier/run/composition/detail/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "vernier/base/text.hpp"

namespace vernier::composition::detail {

namespace {

bool is_event(const Port& p) { return p.flow == Flow::event; }

/// The event port of an endpoint, reported when it is none.
std::optional<Reach> find_event(const Members& members, const Endpoint& e, Wanted wanted,
                                Diagnostics& problems) {
  const auto r = members.find(e, wanted, problems);
  if (!r || is_event(members.port(*r))) return r;
  problems.error("V2123", e.text + " is not an event", e.place)
      .notes.push_back("it is " + shape(members.port(*r), r->count));
  return {};
}

std::size_t add_event(Member& ext, const std::string& name) {
  for (std::size_t i = 0; i < ext.outputs.size(); ++i)
    if (is_event(ext.outputs[i]) && ext.outputs[i].name == name) return i;
  Port p;
  p.name = name;
  p.scalar = Scalar::integer;
  p.flow = Flow::event;
  ext.outputs.push_back(std::move(p));
  return ext.outputs.size() - 1;
}

}  // namespace

std::vector<EventLink> event_links(const Composition& c, Members& members,
                                   std::vector<External::Action>& actions, Diagnostics& problems) {
  std::vector<EventLink> links;
  using Key = std::pair<std::size_t, std::size_t>;
  std::set<Key> mapped_out, mapped_in;
  for (const EventMap& map : c.event_maps) {
    const auto from = find_event(members, map.from, Wanted::output, problems);
    const auto to = find_event(members, map.to, Wanted::input, problems);
    if (!from || !to) continue;
    links.push_back({from->member, from->port, to->member, to->port, map.place});
    mapped_out.insert({from->member, from->port});
    mapped_in.insert({to->member, to->port});
  }

  std::map<std::string, std::vector<Key>> waiting;  // by label
  for (std::size_t m = 0; m < members.list().size(); ++m)
    for (std::size_t i = 0; i < members[m].inputs.size(); ++i)
      if (is_event(members[m].inputs[i]) && !mapped_in.contains({m, i}))
        waiting[members[m].inputs[i].name].push_back({m, i});
  for (std::size_t m = 0; m < members.list().size(); ++m) {
    for (std::size_t o = 0; o < members[m].outputs.size(); ++o) {
      if (!is_event(members[m].outputs[o]) || mapped_out.contains({m, o})) continue;
      const auto found = waiting.find(members[m].outputs[o].name);
      if (found == waiting.end()) continue;
      for (const auto& [to, input] : found->second) links.push_back({m, o, to, input, {}});
    }
  }

  const std::size_t ext = members.list().size() - 1;
  for (const Stimulus& s : c.stimuli) {
    if (s.value) continue;
    std::vector<Key> targets;
    std::string name = s.to.port;
    if (s.to.instance.empty()) {
      for (std::size_t m = 0; m < members.list().size(); ++m)
        for (std::size_t i = 0; i < members[m].inputs.size(); ++i)
          if (is_event(members[m].inputs[i]) && members[m].inputs[i].name == s.to.port)
            targets.push_back({m, i});
      if (targets.empty()) {
        const bool all_made = std::all_of(members.list().begin(), members.list().end(),
                                          [](const Member& m) { return m.made; });
        if (!all_made) continue;
        std::set<std::string> labels;
        for (const Member& m : members.list())
          for (const Port& p : m.inputs)
            if (is_event(p)) labels.insert(p.name);
        const std::vector<std::string> known(labels.begin(), labels.end());
        Diagnostic& d = problems.error("V2115", "nothing waits for the event \"" + s.to.port + "\"",
                                       s.to.place);
        if (const auto near = closest(s.to.port, known))
          d.mark = "did you mean " + *near + "?";
        else if (!known.empty())
          d.notes.push_back("events that something waits for: " + joined(known, ", "));
        continue;
      }
    } else {
      const auto to = find_event(members, s.to, Wanted::input, problems);
      if (!to) continue;
      targets.push_back({to->member, to->port});
      name = s.to.instance + "." + s.to.port;
    }
    const std::size_t output = add_event(members.ext(), name);
    actions.push_back({s.at, output, 0, {}});
    for (const auto& [to, input] : targets) {
      const EventLink l{ext, output, to, input, s.to.place};
      if (std::find(links.begin(), links.end(), l) == links.end()) links.push_back(l);
    }
  }
  return links;
}

std::vector<std::map<std::string, std::string>> island_labels(
    const Members& members, const std::vector<EventLink>& links,
    const std::vector<std::size_t>& island_of, Diagnostics& problems) {
  // nodes: event ports of members that share an island; linked ones get one label
  struct Node {
    std::size_t member;
    std::size_t port;
    bool output;
    auto operator<=>(const Node&) const = default;
  };
  std::map<Node, std::size_t> number;
  std::vector<Node> nodes;
  for (std::size_t m = 0; m < members.list().size(); ++m) {
    if (!members[m].system) continue;
    for (const bool output : {true, false}) {
      const auto& ports = output ? members[m].outputs : members[m].inputs;
      for (std::size_t i = 0; i < ports.size(); ++i) {
        if (!is_event(ports[i])) continue;
        number[{m, i, output}] = nodes.size();
        nodes.push_back({m, i, output});
      }
    }
  }
  std::vector<std::size_t> leader(nodes.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&leader](std::size_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  const auto join = [&](std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    leader[std::max(a, b)] = std::min(a, b);
  };
  std::set<std::pair<std::size_t, std::size_t>> inside;
  for (const EventLink& l : links) {
    if (island_of[l.from_member] != island_of[l.to_member] || !members[l.from_member].system)
      continue;
    const std::size_t a = number.at({l.from_member, l.from, true});
    const std::size_t b = number.at({l.to_member, l.to, false});
    inside.insert({a, b});
    join(a, b);
  }
  // one label of a system may be emitted and awaited: it stays one
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (nodes[k].member == nodes[i].member && nodes[k].output != nodes[i].output) {
        const Member& m = members[nodes[i].member];
        const auto name = [&m](const Node& n) {
          return n.output ? m.outputs[n.port].name : m.inputs[n.port].name;
        };
        if (name(nodes[i]) == name(nodes[k])) join(i, k);
      }

  // a label reaches everyone in the island who has it: that must be what the links say
  std::map<std::size_t, std::vector<std::size_t>> classes;
  for (std::size_t i = 0; i < nodes.size(); ++i) classes[find(i)].push_back(i);
  for (const auto& [first, all] : classes) {
    for (const std::size_t a : all) {
      for (const std::size_t b : all) {
        if (!nodes[a].output || nodes[b].output || inside.contains({a, b})) continue;
        if (nodes[a].member == nodes[b].member) continue;
        const std::string from = members.path({nodes[a].member, nodes[a].port, true});
        const std::string to = members.path({nodes[b].member, nodes[b].port, false});
        problems
            .error("V2127",
                   fmt::format(
                       "the events of one island cannot be mapped so that {} does not reach {}",
                       from, to),
                   members[nodes[a].member].place())
            .notes.push_back("put one of the two systems into an island of its own");
      }
    }
  }

  std::vector<std::map<std::string, std::string>> result(members.list().size());
  std::map<std::pair<std::size_t, std::string>, std::size_t> taken;  // island and label -> class
  for (const auto& [first, all] : classes) {
    const Member& m = members[nodes[first].member];
    std::string label =
        nodes[first].output ? m.outputs[nodes[first].port].name : m.inputs[nodes[first].port].name;
    const std::size_t island = island_of[nodes[first].member];
    if (!taken.emplace(std::pair(island, label), first).second)
      label = fmt::format("{}.{}", m.name, label);
    for (const std::size_t i : all) {
      const Member& n = members[nodes[i].member];
      const Port& p = nodes[i].output ? n.outputs[nodes[i].port] : n.inputs[nodes[i].port];
      result[nodes[i].member][p.name] = label;
    }
  }
  return result;
}

}  // namespace vernier::composition::detail
