#include "vernier/model/multibody_tree/detail/builder.hpp"

#include <algorithm>
#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::multibody_tree::detail {

Builder::Builder(const Document& d, Files& files, Report& r, Diagnostics& of_files,
                 const Parameters* p)
    : document_(d), files_(files), report_(r), of_files_(of_files), quantities_(r, p) {}

// Names of bodies are collected first, then masses and nodes, then hinges, which refer to nodes of
// other bodies, then the equipment.
Spacecraft Builder::run() {
  const Element& root = document_.root();
  multibody::SpacecraftModel& m = craft_.model;
  m.tree.name = trimmed(root.value("name"));
  m.jet_damping = root.value("jet_damping", "yes") == "yes";
  if (const Element* e = root.child("constants")) quantities_.declare(*e);
  if (const Element* e = root.child("gravity")) read_gravity(*e);
  collect_bodies();
  if (const Element* e = root.child("ground")) read_ground(*e);
  const int count = static_cast<int>(m.tree.bodies.size());
  for (int i = 0; i < count; ++i) read_body(i);
  for (int i = 0; i < count; ++i) read_hinge(i);
  // Tanks come before the thrusters that draw from them.
  for (const Element& e : root.children) {
    if (e.name == "pendulum") read_pendulum(e);
    if (e.name == "slosh") read_slosh(e);
    if (e.name == "wheel") read_wheel(e);
    if (e.name == "tank") read_tank(e);
  }
  for (const Element& e : root.children) {
    if (e.name == "actuator") read_actuator(e);
    std::string name;
    if (e.name != "sensor" || !take_name(e, name)) continue;
    if (const auto at = node_named(e, "at")) {
      m.sensors.push_back({name, *at});
      craft_.places.sensors.push_back(e.place);
    }
  }
  if (const document::Attribute* a = root.attribute("bus")) {
    if (const auto b = body_named(trimmed(a->value), a->value_place)) m.bus = *b;
  }
  finish(craft_);
  return std::move(craft_);
}

// Names and references

bool Builder::take_name(const Element& e, std::string& name) {
  name = trimmed(e.value("name"));
  if (!quantities_.good_name(e, name)) return false;
  const Place place = Report::value_place(e, "name");
  if (name == "ground" || name == "frame") {
    report_.error("V1309", in_quotes(name) + " cannot be a name: references use it", place);
    return false;
  }
  const auto [taken, fresh] = names_.emplace(name, &e);
  if (!fresh) {
    report_.error("V1310", "the name " + in_quotes(name) + " is used twice", place)
        .notes.push_back("first for the " + taken->second->name + " on line " +
                         std::to_string(taken->second->place.line) +
                         "; bodies and what is on them share their names");
  }
  return fresh;
}

void Builder::collect_bodies() {
  for (const Element& e : document_.root().children) {
    if (e.name == "body") collect_body(e);
  }
}

void Builder::collect_body(const Element& e) {
  const int index = static_cast<int>(known_.size());
  Known k;
  k.element = &e;
  std::string name;
  if (take_name(e, name)) {
    bodies_.emplace(name, index);
  } else {
    k.usable = false;
    names_known_ = names_known_ && names_.contains(name);
  }
  Body b;
  b.name = std::move(name);
  Places::OfBody places{e.place, e.place, {}};
  if (const Element* h = e.child("hinge")) places.hinge = h->place;
  craft_.places.bodies.push_back(std::move(places));
  craft_.model.tree.bodies.push_back(std::move(b));
  known_.push_back(std::move(k));
}

std::optional<int> Builder::body_named(std::string_view name, const Place& place) {
  const auto found = bodies_.find(name);
  if (found != bodies_.end()) return found->second;
  if (!names_known_) return {};
  std::vector<std::string> names;
  for (const auto& [n, i] : bodies_) names.push_back(n);
  Diagnostic& d = report_.error("V1623", "there is no body " + in_quotes(name), place);
  if (const auto near = closest(name, names)) d.mark = "did you mean " + *near + "?";
  d.notes.push_back("bodies: " + listed(names));
  return {};
}

std::optional<int> Builder::own_node(int b, std::string_view name, const Place& place) {
  if (name == "frame") return NodeId::frame;
  const Known& k = known(b);
  const auto found = k.nodes.find(name);
  if (found != k.nodes.end()) return found->second;
  if (!k.usable) return {};
  std::vector<std::string> names{"frame"};
  for (const auto& [n, i] : k.nodes) names.push_back(n);
  Diagnostic& d = report_.error(
      "V1624",
      name.empty() ? "say which node of the body " + in_quotes(body(b).name)
                   : "the body " + in_quotes(body(b).name) + " has no node " + in_quotes(name),
      place);
  if (const auto near = closest(name, names)) d.mark = "did you mean " + *near + "?";
  d.notes.push_back("its nodes: " + listed(names));
  return {};
}

std::optional<NodeId> Builder::node_named(const Element& e, std::string_view attribute) {
  const document::Attribute* a = e.attribute(attribute);
  if (!a) return {};
  const std::string_view text = trimmed(a->value);
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view name = text.substr(0, dot);
  if (name == "ground") {
    report_.error("V1623", "a " + e.name + " is on a body, not on the ground", a->value_place);
    return {};
  }
  const auto b = body_named(name, a->value_place);
  if (!b) return {};
  const auto n = own_node(*b, dot < text.size() ? text.substr(dot + 1) : "", a->value_place);
  if (!n) return {};
  return NodeId{*b, *n};
}

void Builder::not_given(const char* code, std::string message, const Element& e, std::string note) {
  report_.error(code, std::move(message), e.place).notes.push_back(std::move(note));
}

bool Builder::refuse_attributes(const Element& e, std::initializer_list<const char*> attributes,
                                const char* code, const std::string& why) {
  bool good = true;
  for (const char* name : attributes) {
    const document::Attribute* a = e.attribute(name);
    if (!a) continue;
    report_.error(code, std::string(name) + " " + why, a->place);
    good = false;
  }
  return good;
}

std::optional<double> Builder::positive(const Element& e, std::string_view attribute,
                                        std::string_view unit, bool or_zero) {
  const auto x = quantities_.number(e, attribute, unit);
  if (!x || *x > 0.0 || (or_zero && *x == 0.0)) return x;
  report_.error(
      "V1622",
      std::string(attribute) + (or_zero ? " must not be negative" : " must be greater than zero"),
      Report::value_place(e, attribute));
  return {};
}

// The state, in the order of the tree: for each body its hinge, then its modes

void Builder::finish(Spacecraft& s) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const Known& k : known_) {
    append(s.model.q, k.q);
    append(s.model.q, k.eta);
    append(s.model.u, k.u);
    append(s.model.u, k.eta_rate);
    append(s.model.prescribed, k.motion);
    append(s.held, k.held);
    s.files.push_back(k.file);
    s.meshes.push_back(k.meshes);
    s.model.prescribed.insert(s.model.prescribed.end(), k.eta.size(), 0);
    s.held.insert(s.held.end(), k.eta.size(), 0);
  }
}

}  // namespace vernier::multibody_tree::detail
