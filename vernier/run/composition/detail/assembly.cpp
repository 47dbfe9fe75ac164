#include "vernier/run/composition/detail/assembly.hpp"

#include <algorithm>
#include <set>

#include "vernier/kernel/hybrid/compose.hpp"

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

}  // namespace

std::vector<std::size_t> islands(const Composition& c, const Members& members,
                                 Diagnostics& problems) {
  std::map<std::string, std::size_t> by_name;
  std::vector<std::size_t> of;
  for (std::size_t m = 0; m < members.list().size(); ++m) {
    const Instance* i = members[m].instance;
    of.push_back(m);
    if (!i || i->island.empty()) continue;
    if (i->kind != Instance::Kind::system) {
      problems.error("V2106", i->name + " is a component: only systems belong to an island",
                     i->place);
      continue;
    }
    const auto [found, is_new] = by_name.emplace(i->island, m);
    of.back() = found->second;
    const Instance& first = *members[found->second].instance;
    if (!is_new && first.node != i->node)
      problems.error(
          "V2119",
          "island \"" + i->island + "\" is on two nodes: " + first.name + " and " + i->name,
          i->place);
  }
  for (const Island& island : c.islands)
    if (!by_name.contains(island.name))
      problems.warning("V2109", "no system is in the island \"" + island.name + "\"", {});
  return of;
}

Assembly::Assembly(const Composition& c, const Catalogue& catalogue, Members& members,
                   const Joints& joints, const std::vector<EventLink>& links,
                   const std::vector<std::size_t>& island_of, Plan& plan, Diagnostics& problems)
    : composition_(c),
      catalogue_(catalogue),
      members_(members),
      joints_(joints),
      links_(links),
      island_of_(island_of),
      plan_(plan),
      problems_(problems),
      labels_(island_labels(members, links, island_of, problems)),
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
  if (!m.system) {
    if (m.component) take_component(first);
    return;
  }
  std::vector<std::size_t> all;
  for (std::size_t k = first; k < members_.list().size(); ++k)
    if (island_of_[k] == first) all.push_back(k);
  const auto& renamed = labels_[first];
  const bool plain =
      all.size() == 1 && std::all_of(renamed.begin(), renamed.end(),
                                     [](const auto& l) { return l.first == l.second; });
  if (plain)
    take_system(first);
  else
    compose(all, m.instance->island);
}

void Assembly::take_component(std::size_t member) {
  Member& m = members_[member];
  Part p;
  p.name = m.name;
  p.prefix = m.name + ".";
  p.instances = {m.name};
  p.component = std::move(m.component);
  p.rate = p.component->description().rate;
  if (m.instance) {
    if (m.instance->rate.periodic()) p.rate = m.instance->rate;
    p.offset = m.instance->offset;
    p.place = m.instance->place;
  }
  part_of_[member] = static_cast<std::uint32_t>(plan_.parts.size());
  plan_.parts.push_back(std::move(p));
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

void Assembly::compose(const std::vector<std::size_t>& members, const std::string& island) {
  std::map<std::size_t, std::size_t> place;  // of a member in the composition
  for (std::size_t i = 0; i < members.size(); ++i) place[members[i]] = i;

  // inputs fed from inside; from outside as well, they need an input of the composition
  std::set<std::pair<std::size_t, std::size_t>> from_inside, from_outside;
  std::vector<hybrid::Wire> wires;
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
    wires.push_back({{place[j.from.member], members_.port(j.from).name, j.from.first, j.from.count},
                     {place[j.to.member], members_.port(j.to).name, j.to.first, j.to.count},
                     j.gain});
  }
  hybrid::Outside outside;
  for (const auto& key : from_outside) {
    if (!from_inside.contains(key)) continue;
    const Port& p = members_[key.first].inputs[key.second];
    hybrid::Signal s = signal_of(p, members_[key.first].name + "." + p.name);
    // what comes from inside is not to be added to the default
    if (!s.initial) s.initial.emplace();
    s.initial->resize(p.count);
    for (std::uint32_t i = 0; i < p.count; ++i)
      if (covered[key][i]) (*s.initial)[i] = 0.0;
    wires.push_back({{hybrid::End::outside, s.name}, {place[key.first], p.name}, 1.0});
    outside.inputs.push_back(std::move(s));
  }

  Part part;
  part.name = members.size() == 1 ? members_[members[0]].name : "island " + island;
  part.place = members_[members[0]].instance->place;
  std::vector<hybrid::Part> systems;
  for (const std::size_t m : members) {
    part.instances.push_back(members_[m].name);
    part_of_[m] = static_cast<std::uint32_t>(plan_.parts.size());
    qualified_[m] = true;
    systems.push_back({members_[m].name, std::move(members_[m].system), labels_[m]});
  }
  name_events(part, members);
  try {
    part.component =
        catalogue_.island()(hybrid::compose(std::move(systems), wires, outside), settings(island));
  } catch (const ConfigurationError& e) {
    append_at(settings_place(island, part.place), e.diagnostics(), problems_);
    return;
  }
  plan_.parts.push_back(std::move(part));
}

void Assembly::name_events(Part& part, const std::vector<std::size_t>& members) {
  for (const std::size_t m : members) {
    for (const bool output : {true, false}) {
      for (const Port& p : output ? members_[m].outputs : members_[m].inputs) {
        if (p.flow != Flow::event) continue;
        const std::string path = members_[m].name + "." + p.name;
        const auto [known, is_new] =
            (output ? part.emitted : part.awaited).emplace(labels_[m].at(p.name), path);
        if (!is_new) plan_.aliases.emplace_back(path, known->second);
      }
    }
  }
}

std::uint32_t Assembly::port(std::size_t member, const Port& p, bool output) const {
  std::string name = p.name;
  if (qualified_[member])
    name = p.flow == Flow::event ? labels_[member].at(name) : members_[member].name + "." + name;
  const auto& ports = (output ? outputs_ : inputs_)[part_of_[member]];
  const auto found = ports.find(name);
  if (found == ports.end())
    throw ConfigurationError(
        "V2112", members_[member].name + " does not show its port " + p.name + " to the outside");
  return found->second;
}

void Assembly::wire() {
  for (const Joint& j : joints_.list()) {
    if (inside(j)) continue;
    Wire w;
    w.from_part = part_of_[j.from.member];
    w.from = port(j.from.member, members_.port(j.from), true);
    w.to_part = part_of_[j.to.member];
    w.to = port(j.to.member, members_.port(j.to), false);
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
  std::set<std::array<std::uint32_t, 4>> known;
  for (const EventLink& l : links_) {
    const bool one_island = island_of_[l.from_member] == island_of_[l.to_member];
    const Instance* i = members_[l.from_member].instance;
    // inside an island labels do it
    if (one_island && i && i->kind == Instance::Kind::system) continue;
    Wire w;
    w.from_part = part_of_[l.from_member];
    w.from = port(l.from_member, members_[l.from_member].outputs[l.from], true);
    w.to_part = part_of_[l.to_member];
    w.to = port(l.to_member, members_[l.to_member].inputs[l.to], false);
    w.place = l.place;
    // several systems of an island may share a port
    if (known.insert({w.from_part, w.from, w.to_part, w.to}).second)
      plan_.wires.push_back(std::move(w));
  }
}

}  // namespace vernier::composition::detail
