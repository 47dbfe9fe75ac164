#include "vernier/run/composition/detail/assembly.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace vernier::composition::detail {

namespace {

hybrid::Signal signal_of(const Port& p, const std::string& name) {
  hybrid::Signal s;
  s.name = name;
  s.unit = p.unit;
  s.frame = p.frame;
  s.count = p.count;
  s.initial = p.initial;
  s.description = p.description;
  return s;
}

std::string path_of(const Endpoint& e) { return e.instance + "." + e.port; }

/// Whether the document names its island.
bool named(const Member& m) {
  return m.instance && m.instance->kind == Instance::Kind::system && !m.instance->island.empty() &&
         m.instance->island != own_island;
}

/// A system that may be integrated with any others.
bool free(const Member& m) {
  return m.system && m.instance->island.empty() && !m.instance->rate.periodic();
}

/// Gives systems without a named island that undelayed connections join the same number.
std::vector<std::size_t> joined_systems(const Members& members, const Joints& joints) {
  std::vector<std::size_t> leader(members.list().size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&leader](std::size_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  for (const Joint& j : joints.list()) {
    if (j.delay > Duration{} || !free(members[j.from.member]) || !free(members[j.to.member]))
      continue;
    const std::size_t a = find(j.from.member), b = find(j.to.member);
    leader[std::max(a, b)] = std::min(a, b);
  }
  for (std::size_t i = 0; i < leader.size(); ++i) leader[i] = find(i);
  return leader;
}

/// A group of such systems next to exactly one named island belongs to it: its name, by the group's
/// leader.
std::map<std::size_t, std::string> adopted(const Members& members, const Joints& joints,
                                           const std::vector<std::size_t>& leader) {
  std::map<std::size_t, std::set<std::string>> beside;
  for (const Joint& j : joints.list()) {
    if (j.delay > Duration{}) continue;
    const Member &a = members[j.from.member], &b = members[j.to.member];
    if (free(a) && named(b)) beside[leader[j.from.member]].insert(b.instance->island);
    if (free(b) && named(a)) beside[leader[j.to.member]].insert(a.instance->island);
  }
  std::map<std::size_t, std::string> result;
  for (const auto& [group, names] : beside)
    if (names.size() == 1) result.emplace(group, *names.begin());
  return result;
}

/// Refuses members of one island on different nodes. One without a node goes with the others.
void keep_whole(const Members& members, const std::vector<std::size_t>& island_of,
                Diagnostics& problems) {
  std::map<std::size_t, const Instance*> placed;
  std::set<std::size_t> divided;
  for (std::size_t m = 0; m < members.list().size(); ++m) {
    const Instance* i = members[m].instance;
    if (!i || i->node.empty()) continue;
    const Instance& first = *placed.emplace(island_of[m], i).first->second;
    if (first.node == i->node || !divided.insert(island_of[m]).second) continue;
    Diagnostic& d =
        problems.error("V2119",
                       first.name + " and " + i->name +
                           " are integrated together, but are on different nodes: " + first.node +
                           " and " + i->node,
                       i->place);
    d.notes.push_back("an island runs on one node: give both the same one");
    d.notes.push_back(named(members[m])
                          ? "or take one of them out of the island \"" + i->island + "\""
                          : "or integrate them separately: add island=\"own\" to one of them, or a "
                            "delay, such as "
                            "delay=\"1 tick\", to what connects them");
  }
}

}  // namespace

std::vector<std::size_t> islands(const Composition& c, const Members& members, const Joints& joints,
                                 Diagnostics& problems) {
  const std::vector<std::size_t> leader = joined_systems(members, joints);
  const std::map<std::size_t, std::string> adoptions = adopted(members, joints, leader);
  std::map<std::string, std::size_t> by_name;
  std::vector<std::size_t> of;
  for (std::size_t m = 0; m < members.list().size(); ++m) {
    const Instance* i = members[m].instance;
    of.push_back(leader[m]);
    if (!i) continue;
    if (!i->island.empty() && i->kind != Instance::Kind::system) {
      problems.error("V2106", i->name + " is a component: only systems belong to an island",
                     i->place);
      continue;
    }
    const auto adoption = adoptions.find(leader[m]);
    if (!named(members[m]) && adoption == adoptions.end()) continue;
    const std::string& island = named(members[m]) ? i->island : adoption->second;
    of.back() = by_name.emplace(island, m).first->second;
    if (i->rate.periodic())
      problems
          .error("V2106", i->name + " has a rate, so it cannot share the island \"" + island + "\"",
                 i->place)
          .notes.push_back("what has a rate is sampled, and runs by itself: leave island out");
  }
  for (const Island& island : c.islands)
    if (!by_name.contains(island.name))
      problems.warning("V2109", "no system is in the island \"" + island.name + "\"", {});
  keep_whole(members, of, problems);
  return of;
}

Assembly::Assembly(const Composition& c, const Catalogue& catalogue, Members& members,
                   Joints& joints, const std::vector<EventLink>& links,
                   const std::vector<std::size_t>& island_of, Plan& plan, Diagnostics& problems)
    : composition_(c),
      catalogue_(catalogue),
      members_(members),
      joints_(joints),
      links_(links),
      island_of_(island_of),
      plan_(plan),
      problems_(problems),
      heard_(heard_inside(members, links, island_of)),
      part_of_(members.list().size()),
      qualified_(members.list().size()) {
  for (std::size_t m = 0; m < members.list().size(); ++m)
    if (island_of[m] == m) make_part(m);
  if (problems.errors() > 0) return;
  for (const Part& p : plan.parts) {
    const Description& d = p.component->description();
    outputs_.emplace_back();
    inputs_.emplace_back();
    for (std::uint32_t i = 0; i < d.outputs.size(); ++i)
      outputs_.back().emplace(d.outputs[i].name, i);
    for (std::uint32_t i = 0; i < d.inputs.size(); ++i) inputs_.back().emplace(d.inputs[i].name, i);
  }
  wire();
  wire_events();
}

void Assembly::make_part(std::size_t first) {
  const Member& m = members_[first];
  if (!m.instance) return take_outside(first);
  if (!m.system) {
    if (m.component) take_component(first);
    return;
  }
  std::vector<std::size_t> all;
  for (std::size_t k = first; k < members_.list().size(); ++k)
    if (island_of_[k] == first) all.push_back(k);
  if (all.size() == 1 && heard_[first].empty())
    take_system(first);
  else
    compose(all);
}

void Assembly::take_component(std::size_t member) {
  Member& m = members_[member];
  Part p;
  p.name = m.name;
  p.prefix = m.name + ".";
  p.instances = {m.name};
  p.component = std::move(m.component);
  p.rate = m.instance->rate.periodic() ? m.instance->rate : p.component->description().rate;
  p.offset = m.instance->offset;
  p.place = m.instance->place;
  part_of_[member] = static_cast<std::uint32_t>(plan_.parts.size());
  plan_.parts.push_back(std::move(p));
}

void Assembly::take_outside(std::size_t member) {
  Member& m = members_[member];
  part_of_[member] = static_cast<std::uint32_t>(plan_.parts.size());
  for (std::size_t i = 0; i < m.outputs.size(); ++i) {
    // one part for each, so that a stimulus is an instant only of the clusters that it reaches
    std::vector<External::Action> actions;
    for (External::Action& a : joints_.actions()) {
      if (a.output != i) continue;
      actions.push_back(std::move(a));
      actions.back().output = 0;
    }
    Part p;
    p.name = m.name + "." + m.outputs[i].name;
    p.prefix = m.name + ".";
    p.instances = {m.name};
    p.component = std::make_unique<External>(std::vector<Port>{m.outputs[i]}, std::move(actions));
    plan_.parts.push_back(std::move(p));
  }
}

const IslandSettings& Assembly::settings(const std::string& island) const {
  for (const Island& i : composition_.islands)
    if (!island.empty() && i.name == island) return i.settings;
  return composition_.run.island;
}

Place Assembly::settings_place(const std::string& island, const Place& otherwise) const {
  for (const Island& i : composition_.islands)
    if (!island.empty() && i.name == island) return i.place;
  return composition_.run.place.line > 0 ? composition_.run.place : otherwise;
}

void Assembly::take_system(std::size_t member) {
  Member& m = members_[member];
  Part p;
  p.name = m.name;
  p.prefix = m.name + ".";
  p.instances = {m.name};
  p.rate = m.instance->rate;
  p.offset = m.instance->offset;
  p.place = m.instance->place;
  try {
    p.component = catalogue_.island()(std::move(m.system), settings(m.instance->island));
  } catch (const ConfigurationError& e) {
    append_at(settings_place(m.instance->island, p.place), e.diagnostics(), problems_);
    return;
  }
  part_of_[member] = static_cast<std::uint32_t>(plan_.parts.size());
  plan_.parts.push_back(std::move(p));
}

bool Assembly::inside(const Joint& j) const {
  return island_of_[j.from.member] == island_of_[j.to.member] && j.delay == Duration{} &&
         members_[j.from.member].instance &&
         members_[j.from.member].instance->kind == Instance::Kind::system;
}

void Assembly::compose(const std::vector<std::size_t>& members) {
  std::string island;  // the named one, if any
  for (const std::size_t m : members)
    if (named(members_[m])) island = members_[m].instance->island;
  std::map<std::size_t, std::size_t> place;  // by member: its index in the composition
  for (std::size_t i = 0; i < members.size(); ++i) place[members[i]] = i;

  // inputs fed from inside; those fed from outside as well need an input of the composition
  std::set<std::pair<std::size_t, std::size_t>> from_inside, from_outside;
  std::vector<hybrid::MatrixBlock> wires;
  std::map<std::string, std::string, std::less<>> ends;  // Part::inside
  std::map<std::pair<std::size_t, std::size_t>, std::vector<bool>> covered;
  for (const Joint& j : joints_.list()) {
    if (!place.contains(j.to.member)) continue;
    const std::pair key(j.to.member, j.to.port);
    auto& elements = covered.try_emplace(key, members_.port(j.to).count).first->second;
    for (std::uint32_t i = 0; i < j.to.count; ++i) elements[j.to.first + i] = true;
    if (!inside(j)) {
      from_outside.insert(key);
      continue;
    }
    from_inside.insert(key);
    const std::string from = members_.path(j.from), to = members_.path(j.to);
    ends.emplace(from, to);
    ends.emplace(to, from);
    wires.push_back({{place[j.from.member], members_.port(j.from).name, j.from.first, j.from.count},
                     {place[j.to.member], members_.port(j.to).name, j.to.first, j.to.count},
                     j.gain});
  }
  hybrid::Outside outside;
  for (const auto& key : from_outside) {
    if (!from_inside.contains(key)) continue;
    const Port& p = members_[key.first].inputs[key.second];
    hybrid::Signal s = signal_of(p, members_[key.first].name + "." + p.name);
    // a value from inside replaces the default; it is not added to it
    if (!s.initial) s.initial.emplace();
    s.initial->resize(p.count);
    for (std::uint32_t i = 0; i < p.count; ++i)
      if (covered[key][i]) (*s.initial)[i] = 0.0;
    wires.push_back({{hybrid::End::outside, s.name}, {place[key.first], p.name}, 1.0});
    outside.inputs.push_back(std::move(s));
  }

  show_inputs(members, wires, outside);

  const Member& first = members_[members[0]];
  Part part;
  part.name = members.size() == 1 ? first.name
              : island.empty()    ? "island of " + first.name
                                  : "island " + island;
  part.rate = first.instance->rate;
  part.offset = first.instance->offset;
  part.place = first.instance->place;
  part.inside = std::move(ends);
  std::vector<hybrid::Part> systems;
  for (const std::size_t m : members) {
    Member& member = members_[m];
    part.instances.push_back(member.name);
    part_of_[m] = static_cast<std::uint32_t>(plan_.parts.size());
    qualified_[m] = true;
    std::map<std::string, std::string> labels;
    for (const hybrid::Event& e : member.system->spec().events)
      labels.emplace(e.name, member.name + "." + e.name);
    systems.push_back(
        {member.name, std::move(member.system), std::move(labels), std::move(heard_[m])});
  }
  try {
    part.component =
        catalogue_.island()(hybrid::compose(std::move(systems), wires, outside), settings(island));
  } catch (const ConfigurationError& e) {
    append_at(settings_place(island, part.place), e.diagnostics(), problems_);
    return;
  }
  plan_.parts.push_back(std::move(part));
}

void Assembly::show_inputs(const std::vector<std::size_t>& members,
                           std::vector<hybrid::MatrixBlock>& wires,
                           hybrid::Outside& outside) const {
  std::set<std::string> wanted;
  for (const Report& r : composition_.reports) wanted.insert(path_of(r.signal));
  for (const Check& k : composition_.checks) wanted.insert(path_of(k.signal));
  for (const Figure& f : composition_.figures)
    for (const Curve& curve : f.curves) wanted.insert(path_of(curve.signal));
  for (const Record& r : composition_.records) wanted.insert(r.signals);
  const std::size_t count = wires.size();
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Member& m = members_[members[k]];
    for (const Port& p : m.inputs) {
      const std::string path = m.name + "." + p.name;
      if (p.flow != Flow::signal || !wanted.contains(path)) continue;
      const bool shadowed = std::any_of(m.outputs.begin(), m.outputs.end(),
                                        [&p](const Port& o) { return o.name == p.name; });
      std::vector<bool> covered(p.count);
      std::vector<hybrid::MatrixBlock> taps;
      for (std::size_t w = 0; w < count; ++w) {
        if (wires[w].to.part != k || wires[w].to.signal != p.name) continue;
        const std::uint32_t first = wires[w].to.first;
        const std::uint32_t size = std::min(wires[w].to.count, p.count - first);
        for (std::uint32_t i = 0; i < size; ++i) covered[first + i] = true;
        taps.push_back({wires[w].from, {hybrid::End::outside, path, first, size}, wires[w].gain});
      }
      // an input fed only from outside is a port; elements that keep their value have no source
      const bool whole = std::all_of(covered.begin(), covered.end(), [](bool c) { return c; });
      if (taps.empty() || shadowed || !whole) continue;
      outside.outputs.push_back(signal_of(p, path));
      wires.insert(wires.end(), taps.begin(), taps.end());
    }
  }
}

std::uint32_t Assembly::part_of(std::size_t member, std::size_t output) const {
  const bool outside = !members_[member].instance;
  return part_of_[member] + (outside ? static_cast<std::uint32_t>(output) : 0);
}

std::uint32_t Assembly::port(std::size_t member, const Port& p, std::uint32_t part,
                             bool output) const {
  const std::string name = qualified_[member] ? members_[member].name + "." + p.name : p.name;
  const auto& ports = (output ? outputs_ : inputs_)[part];
  const auto found = ports.find(name);
  if (found == ports.end())
    throw ConfigurationError("V2112",
                             members_[member].name + " does not export its port " + p.name);
  return found->second;
}

void Assembly::wire() {
  for (const Joint& j : joints_.list()) {
    if (inside(j)) continue;
    Wire w;
    w.from_part = part_of(j.from.member, j.from.port);
    w.from = port(j.from.member, members_.port(j.from), w.from_part, true);
    w.to_part = part_of_[j.to.member];
    w.to = port(j.to.member, members_.port(j.to), w.to_part, false);
    w.from_first = j.from.first;
    w.to_first = j.to.first;
    w.count = j.to.count;
    w.gain = j.gain;
    w.delay = j.delay;
    w.place = j.place;
    plan_.wires.push_back(std::move(w));
  }
}

void Assembly::wire_events() {
  for (const EventLink& l : links_) {
    // inside an island, labels connect events
    if (carried_inside(l, members_, island_of_)) continue;
    Wire w;
    w.from_part = part_of(l.from_member, l.from);
    w.from = port(l.from_member, members_[l.from_member].outputs[l.from], w.from_part, true);
    w.to_part = part_of_[l.to_member];
    w.to = port(l.to_member, members_[l.to_member].inputs[l.to], w.to_part, false);
    w.delay = l.delay;
    w.place = l.place;
    plan_.wires.push_back(std::move(w));
  }
}

}  // namespace vernier::composition::detail
