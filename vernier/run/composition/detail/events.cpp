#include "vernier/run/composition/detail/events.hpp"

#include <algorithm>
#include <set>

#include "vernier/base/text.hpp"
#include "vernier/run/composition/detail/joints.hpp"

namespace vernier::composition::detail {

namespace {

bool is_event(const Port& p) { return p.flow == Flow::event; }

/// The event port of an endpoint; reports an endpoint that is not one.
std::optional<Reach> find_event(const Members& members, const Endpoint& e, Wanted wanted,
                                Diagnostics& problems) {
  const auto r = members.find(e, wanted, problems);
  if (!r || is_event(members.port(*r))) return r;
  problems.error("V2123", e.text + " is not an event", e.place)
      .notes.push_back("it is " + shape(members.port(*r), r->count));
  return {};
}

/// Warns of an event that nobody hears and one that nobody emits whose names are nearly the same.
void warn_of_misspelt(const Members& members, const std::vector<EventLink>& links,
                      Diagnostics& problems) {
  using Key = std::pair<std::size_t, std::size_t>;
  std::set<Key> heard, fed;
  for (const EventLink& l : links) {
    heard.insert({l.from_member, l.from});
    fed.insert({l.to_member, l.to});
  }
  std::map<std::string, std::size_t> unheard;  // label: who emits it
  for (std::size_t m = 0; m < members.list().size(); ++m)
    for (std::size_t o = 0; o < members[m].outputs.size(); ++o)
      if (is_event(members[m].outputs[o]) && !heard.contains({m, o}))
        unheard.emplace(members[m].outputs[o].name, m);
  std::vector<std::string> labels;
  for (const auto& [label, member] : unheard) labels.push_back(label);
  for (std::size_t m = 0; m < members.list().size(); ++m) {
    for (std::size_t i = 0; i < members[m].inputs.size(); ++i) {
      const Port& p = members[m].inputs[i];
      if (!is_event(p) || fed.contains({m, i})) continue;
      const auto near = closest(p.name, labels);
      if (!near || unheard.at(*near) == m) continue;
      const Member &emits = members[unheard.at(*near)], &waits = members[m];
      Diagnostic& d = problems.warning("V2146",
                                       waits.name + " waits for the event \"" + p.name +
                                           "\", which nothing emits; " + emits.name + " emits \"" +
                                           *near + "\", which nothing waits for",
                                       waits.place());
      if (const Place other = emits.place(); other.line > 0)
        d.notes.push_back(emits.name + " is on line " + std::to_string(other.line) +
                          (other.file == waits.place().file ? "" : " of " + other.file));
      d.notes.push_back("spell them alike, or connect them: <eventmap from=\"" + emits.name + "." +
                        *near + "\" to=\"" + waits.name + "." + p.name + "\"/>");
    }
  }
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
  for (const Connection& map : c.event_maps) {
    const auto from = find_event(members, map.from, Wanted::output, problems);
    const auto to = find_event(members, map.to, Wanted::input, problems);
    if (!from || !to) continue;
    const Duration delay = checked_delay(c, members, *to, map, problems);
    if (delay > Duration{} && from->member == to->member &&
        members.port(*from).name == members.port(*to).name)
      problems.error("V2117",
                     map.to.text + " is an event of the same instance, which sees it at once",
                     map.place);
    links.push_back({from->member, from->port, to->member, to->port, delay, map.place});
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
      for (const auto& [to, input] : found->second) links.push_back({m, o, to, input, {}, {}});
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
          did_you_mean(d, *near);
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
      const EventLink l{ext, output, to, input, {}, s.to.place};
      if (std::find(links.begin(), links.end(), l) == links.end()) links.push_back(l);
    }
  }
  warn_of_misspelt(members, links, problems);
  return links;
}

bool carried_inside(const EventLink& l, const Members& members,
                    const std::vector<std::size_t>& island_of) {
  const Instance* i = members[l.from_member].instance;
  return l.delay == Duration{} && island_of[l.from_member] == island_of[l.to_member] && i &&
         i->kind == Instance::Kind::system;
}

std::vector<std::map<std::string, std::vector<std::string>>> heard_inside(
    const Members& members, const std::vector<EventLink>& links,
    const std::vector<std::size_t>& island_of) {
  std::vector<std::map<std::string, std::vector<std::string>>> heard(members.list().size());
  for (const EventLink& l : links) {
    if (!carried_inside(l, members, island_of)) continue;
    const std::string& emitted = members[l.from_member].outputs[l.from].name;
    const std::string& awaited = members[l.to_member].inputs[l.to].name;
    // a system receives its own label anyway
    if (l.from_member == l.to_member && emitted == awaited) continue;
    heard[l.to_member][awaited].push_back(members[l.from_member].name + "." + emitted);
  }
  return heard;
}

}  // namespace vernier::composition::detail
