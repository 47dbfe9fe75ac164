#include "vernier/gateway/spacefom/objects.hpp"

#include <algorithm>

#include "vernier/kernel/frames/scales.hpp"

namespace vernier::spacefom {
namespace {

constexpr const char* frame_path = "HLAobjectRoot.ReferenceFrame";
constexpr const char* entity_path = "HLAobjectRoot.PhysicalEntity";
constexpr const char* dynamical_path = "HLAobjectRoot.PhysicalEntity.DynamicalEntity";
constexpr const char* interface_path = "HLAobjectRoot.PhysicalInterface";

std::vector<std::string> frame_attributes() { return {"name", "parent_name", "state"}; }
std::vector<std::string> entity_attributes(bool dynamical) {
  std::vector<std::string> all{"name",
                               "type",
                               "status",
                               "parent_reference_frame",
                               "state",
                               "acceleration",
                               "rotational_acceleration",
                               "center_of_mass",
                               "body_wrt_structural"};
  if (dynamical)
    for (const char* a : {"force", "torque", "mass", "mass_rate", "inertia", "inertia_rate"})
      all.emplace_back(a);
  return all;
}
std::vector<std::string> interface_attributes() {
  return {"name", "parent_name", "position", "attitude"};
}

std::span<const double> three(const frames::Vector3& v) { return {v.data(), 3}; }
std::span<double> three(frames::Vector3& v) { return {v.data(), 3}; }

std::string class_of(const Extension& x, const char* standard) {
  return x.object_class.empty() ? standard : x.object_class;
}
std::vector<std::string> all_of(std::vector<std::string> standard, const Extension& x) {
  standard.insert(standard.end(), x.attributes.begin(), x.attributes.end());
  return standard;
}
bool is_a(std::string_view path, std::string_view base) {
  return path.starts_with(base) && (path.size() == base.size() || path[base.size()] == '.');
}

/// Sets the accelerations of `now`: from the last two states, or unchanged if the time is the same.
void reckon(frames::FrameState& now, const frames::FrameState& before, double dt) {
  const frames::FrameState s = dt == 0.0 ? before : frames::with_accelerations(now, before, dt);
  now.acceleration = s.acceleration;
  now.angular_acceleration = s.angular_acceleration;
}

}  // namespace

Objects::Objects(Federate& f) : federate_(f) { f.add_listener(*this); }

// -- ours ----------------------------------------------------------------------------------------

std::size_t Objects::publish_frame(std::string name, std::string parent, const Extension& x) {
  const std::size_t object = federate_.publish(class_of(x, frame_path), name,
                                               all_of(frame_attributes(), x), parent.empty());
  static_cast<void>(tree_.add(name, parent));  // duplicate names are reported when it joins: V5325
  const auto at = tree_.find(name);
  frames_.push_back({object, std::move(name), std::move(parent), at});
  return frames_.size() - 1;
}

std::size_t Objects::publish_entity(Entity e, const Extension& x) {
  const std::size_t object =
      federate_.publish(class_of(x, e.dynamical ? dynamical_path : entity_path), e.name,
                        all_of(entity_attributes(e.dynamical), x));
  entities_.push_back({object, std::move(e)});
  return entities_.size() - 1;
}

std::size_t Objects::publish_interface(Interface i, const Extension& x) {
  const std::size_t object =
      federate_.publish(class_of(x, interface_path), i.name, all_of(interface_attributes(), x));
  interfaces_.push_back({object, std::move(i)});
  return interfaces_.size() - 1;
}

Objects::Place Objects::frame_value(std::size_t i, std::size_t extra) const {
  return {frames_.at(i).object, frame_attributes().size() + extra};
}
Objects::Place Objects::entity_value(std::size_t i, std::size_t extra) const {
  const OwnEntity& e = entities_.at(i);
  return {e.object, entity_attributes(e.entity.dynamical).size() + extra};
}
Objects::Place Objects::interface_value(std::size_t i, std::size_t extra) const {
  return {interfaces_.at(i).object, interface_attributes().size() + extra};
}

// derived classes first: an object keeps the class as which it was discovered
void Objects::subscribe(const std::string& path, std::vector<std::string> standard,
                        std::vector<Extension> extensions) {
  const auto depth = [](const Extension& x) {
    return std::count(x.object_class.begin(), x.object_class.end(), '.');
  };
  std::stable_sort(extensions.begin(), extensions.end(),
                   [&](const auto& a, const auto& b) { return depth(a) > depth(b); });
  for (const Extension& x : extensions)
    if (is_a(x.object_class, path)) federate_.subscribe(x.object_class, all_of(standard, x));
  federate_.subscribe(path, std::move(standard));
}

void Objects::subscribe_frames(std::vector<Extension> x) {
  subscribe(frame_path, frame_attributes(), std::move(x));
}
void Objects::subscribe_entities(std::vector<Extension> x) {
  subscribe(dynamical_path, entity_attributes(true), x);
  std::erase_if(x, [](const Extension& e) { return is_a(e.object_class, dynamical_path); });
  subscribe(entity_path, entity_attributes(false), std::move(x));
}
void Objects::subscribe_interfaces(std::vector<Extension> x) {
  subscribe(interface_path, interface_attributes(), std::move(x));
}

void Objects::put(std::size_t object, std::size_t attribute, const Octets& bytes, bool always) {
  Octets& last = sent_[{object, attribute}];
  if (!always && last == bytes) return;
  last = bytes;
  federate_.set(object, attribute, bytes);
}

// Everything due of one object is sent in one update (rules 5-8, 6-8, 6-11, 6-15): the federate
// sends what was set together. Forces are never sent without accelerations (6-9, 6-10): both are
// always sent.
void Objects::sending(Ticks t) {
  const double time = federate_.scenario_time(t);
  const frames::WireAttitude way = federate_.settings().attitude;
  Octets bytes;
  std::size_t object = 0, attribute = 0;
  const auto next = [&](bool always, auto write) {
    bytes.clear();
    write(bytes);
    put(object, attribute++, bytes, always);
  };
  const auto string = [&](const std::string& s) {
    next(false, [&](Octets& o) { put_string(s, o); });
  };
  const auto numbers = [&](std::span<const double> n, bool always) {
    next(always, [&](Octets& o) { put_reals(n, o); });
  };
  for (const OwnFrame& f : frames_) {
    object = f.object, attribute = 0;
    string(f.name);
    string(f.parent);
    next(true, [&](Octets& o) { put_state({f.state, time}, way, o); });
    place(f.at, f.state, time);
  }
  for (const auto& [number, e] : entities_) {
    object = number, attribute = 0;
    string(e.name);
    string(e.type);
    string(e.status);
    string(e.parent);
    next(true, [&, &s = e.state](Octets& o) { put_state({s, time}, way, o); });
    numbers(three(e.state.acceleration), true);
    numbers(three(e.state.angular_acceleration), true);
    numbers(three(e.center_of_mass), false);
    next(false, [&, &a = e.body_wrt_structural](Octets& o) { put_attitude(a, way, o); });
    if (!e.dynamical) continue;
    numbers(three(e.force), true);
    numbers(three(e.torque), true);
    numbers({&e.mass, 1}, false);
    numbers({&e.mass_rate, 1}, false);
    numbers(e.inertia, false);
    numbers(e.inertia_rate, false);
  }
  for (const auto& [number, i] : interfaces_) {
    object = number, attribute = 0;
    string(i.name);
    string(i.parent);
    numbers(three(i.position), false);
    next(true, [&, &a = i.attitude](Octets& o) { put_attitude(a, way, o); });
  }
}

// -- of others -----------------------------------------------------------------------------------

void Objects::refuse(const Remote& r, const std::string& attribute) {
  ++malformed_;
  last_malformed_ = attribute + " of " + r.name;
}

Objects::Field Objects::field_of(Resolved::Kind kind, std::string_view attribute) noexcept {
  using enum Field;
  using Kind = Resolved::Kind;
  struct Name {
    Kind kind;
    std::string_view attribute;
    Field field;
  };
  static constexpr Name names[]{
      {Kind::frame, "parent_name", parent},
      {Kind::frame, "state", state},
      {Kind::frame, "acceleration", acceleration},
      {Kind::frame, "rotational_acceleration", rotational_acceleration},
      {Kind::entity, "type", type},
      {Kind::entity, "status", status},
      {Kind::entity, "parent_reference_frame", parent},
      {Kind::entity, "state", state},
      {Kind::entity, "acceleration", acceleration},
      {Kind::entity, "rotational_acceleration", rotational_acceleration},
      {Kind::entity, "center_of_mass", center_of_mass},
      {Kind::entity, "body_wrt_structural", body_wrt_structural},
      {Kind::entity, "force", force},
      {Kind::entity, "torque", torque},
      {Kind::entity, "mass", mass},
      {Kind::entity, "mass_rate", mass_rate},
      {Kind::entity, "inertia", inertia},
      {Kind::entity, "inertia_rate", inertia_rate},
      {Kind::interface, "parent_name", parent},
      {Kind::interface, "position", position},
      {Kind::interface, "attitude", attitude},
  };
  for (const Name& n : names)
    if (n.kind == kind && n.attribute == attribute) return n.field;
  return other;
}

void Objects::discovered(const Remote& r) {
  Resolved o;
  if (is_a(r.object_class, frame_path)) o.kind = Resolved::Kind::frame;
  if (is_a(r.object_class, entity_path)) o.kind = Resolved::Kind::entity;
  if (is_a(r.object_class, interface_path)) o.kind = Resolved::Kind::interface;
  o.dynamical = is_a(r.object_class, dynamical_path);
  for (const Remote::Value& v : r.values) o.fields.push_back(field_of(o.kind, v.attribute));
  if (r.number >= resolved_.size()) resolved_.resize(r.number + 1);
  resolved_[r.number] = std::move(o);
}

void Objects::reflected(const Remote& r, std::span<const std::size_t> changed) {
  Resolved& o = resolved_[r.number];
  switch (o.kind) {
    case Resolved::Kind::frame:
      return take_frame(r, o, changed);
    case Resolved::Kind::entity:
      return take_entity(r, o, changed);
    case Resolved::Kind::interface:
      return take_interface(r, o, changed);
    case Resolved::Kind::other:
      return;
  }
}

void Objects::removed(const Remote& r) {
  Resolved& o = resolved_[r.number];
  if (o.frame.at != frames::FrameTree::none) tree_.remove(o.frame.at);
  if (o.entity) known_entities_.erase(r.name);
  if (o.interface) known_interfaces_.erase(r.name);
  o = {};
}

void Objects::take_frame(const Remote& r, Resolved& o, std::span<const std::size_t> changed) {
  KnownFrame& f = o.frame;
  for (const std::size_t i : changed)
    if (!take_frame_value(o.fields[i], r.values[i].bytes, f)) refuse(r, r.values[i].attribute);
  if (!f.parent) return;
  if (f.at == frames::FrameTree::none) {
    const auto added = tree_.add(r.name, *f.parent);
    if (!added) return refuse(r, "parent_name");
    f.at = *added;
  } else if (tree_.parent_name(f.at) != *f.parent && !tree_.reparent(f.at, *f.parent)) {
    return refuse(r, "parent_name");
  }
  if (f.state) place(f.at, f.state->state, f.state->time, f.given);
}

namespace {

bool read_string_into(const Octets& bytes, std::string& to) {
  auto s = read_string(bytes);
  if (s) to = std::move(*s);
  return s.has_value();
}
bool read_attitude_into(const Octets& bytes, frames::WireAttitude way, frames::Quaternion& to) {
  const auto q = read_attitude(bytes, way);
  if (q) to = *q;
  return q.has_value();
}
bool read_vector_into(const Octets& bytes, std::optional<frames::Vector3>& to) {
  frames::Vector3 v;
  if (!read_reals(bytes, three(v))) return false;
  to = v;
  return true;
}

}  // namespace

bool Objects::take_frame_value(Field field, const Octets& bytes, KnownFrame& f) const {
  switch (field) {
    case Field::parent: {
      auto parent = read_string(bytes);
      if (parent) f.parent = std::move(*parent);
      return parent.has_value();
    }
    case Field::state: {
      const auto state = read_state(bytes, federate_.settings().attitude);
      if (state) f.state = *state;
      return state.has_value();
    }
    case Field::acceleration:
      return read_vector_into(bytes, f.given.acceleration);
    case Field::rotational_acceleration:
      return read_vector_into(bytes, f.given.angular);
    default:
      return true;
  }
}

// The standard's frames have no accelerations: estimate them from the last two states.
void Objects::place(frames::FrameTree::Index at, const frames::FrameState& s, double time,
                    const Given& given) {
  const frames::Epoch now = frames::scenario_instant(time);
  frames::FrameState n = s;
  if (tree_.has_state(at)) reckon(n, tree_.state(at), frames::elapsed(tree_.epoch(at), now));
  give(given, n);
  tree_.set(at, n, now);
}

void Objects::give(const Given& given, frames::FrameState& to) {
  if (given.acceleration) to.acceleration = *given.acceleration;
  if (given.angular) to.angular_acceleration = *given.angular;
}

void Objects::take_entity(const Remote& r, Resolved& o, std::span<const std::size_t> changed) {
  if (!o.entity) {
    o.entity = &known_entities_[r.name];
    o.entity->entity.name = r.name;
    o.entity->entity.dynamical = o.dynamical;
  }
  KnownEntity& known = *o.entity;
  Entity& e = known.entity;
  const KnownEntity before = known;
  for (const std::size_t i : changed)
    if (!take_entity_value(o.fields[i], r.values[i].bytes, known)) refuse(r, r.values[i].attribute);
  if (before.updates > 0 && known.updates > before.updates && e.parent == before.entity.parent)
    reckon(e.state, before.entity.state, known.time - before.time);
  give(known.given, e.state);
}

bool Objects::take_entity_value(Field field, const Octets& bytes, KnownEntity& known) const {
  Entity& e = known.entity;
  const frames::WireAttitude way = federate_.settings().attitude;
  switch (field) {
    case Field::type:
      return read_string_into(bytes, e.type);
    case Field::status:
      return read_string_into(bytes, e.status);
    case Field::parent:
      return read_string_into(bytes, e.parent);
    case Field::state: {
      const auto s = read_state(bytes, way);
      if (!s) return false;
      e.state.position = s->state.position;
      e.state.velocity = s->state.velocity;
      e.state.attitude = s->state.attitude;
      e.state.rate = s->state.rate;
      known.time = s->time;
      ++known.updates;
      return true;
    }
    case Field::acceleration:
      return read_vector_into(bytes, known.given.acceleration);
    case Field::rotational_acceleration:
      return read_vector_into(bytes, known.given.angular);
    case Field::center_of_mass:
      return read_reals(bytes, three(e.center_of_mass));
    case Field::body_wrt_structural:
      return read_attitude_into(bytes, way, e.body_wrt_structural);
    case Field::force:
      return read_reals(bytes, three(e.force));
    case Field::torque:
      return read_reals(bytes, three(e.torque));
    case Field::mass:
      return read_reals(bytes, {&e.mass, 1});
    case Field::mass_rate:
      return read_reals(bytes, {&e.mass_rate, 1});
    case Field::inertia:
      return read_reals(bytes, e.inertia);
    case Field::inertia_rate:
      return read_reals(bytes, e.inertia_rate);
    default:
      return true;
  }
}

void Objects::take_interface(const Remote& r, Resolved& o, std::span<const std::size_t> changed) {
  if (!o.interface) {
    o.interface = &known_interfaces_[r.name];
    o.interface->name = r.name;
  }
  for (const std::size_t i : changed)
    if (!take_interface_value(o.fields[i], r.values[i].bytes, *o.interface))
      refuse(r, r.values[i].attribute);
}

bool Objects::take_interface_value(Field field, const Octets& bytes, Interface& i) const {
  switch (field) {
    case Field::parent:
      return read_string_into(bytes, i.parent);
    case Field::position:
      return read_reals(bytes, three(i.position));
    case Field::attitude:
      return read_attitude_into(bytes, federate_.settings().attitude, i.attitude);
    default:
      return true;
  }
}

const Objects::KnownEntity* Objects::find_entity(std::string_view name) const {
  const auto e = known_entities_.find(name);
  return e == known_entities_.end() ? nullptr : &e->second;
}
const Interface* Objects::find_interface(std::string_view name) const {
  const auto i = known_interfaces_.find(name);
  return i == known_interfaces_.end() ? nullptr : &i->second;
}

bool Objects::resolve_at(std::string_view subject, std::string_view frame, const double* time,
                         frames::FrameState& to) const noexcept {
  const auto observer = tree_.find(frame);
  if (observer == frames::FrameTree::none) return false;
  const auto resolved = [&](frames::FrameTree::Index i, frames::FrameState& s) {
    return time ? tree_.resolve(i, observer, frames::scenario_instant(*time), s)
                : tree_.resolve(i, observer, s);
  };
  if (const auto i = tree_.find(subject); i != frames::FrameTree::none) return resolved(i, to);
  const auto e = known_entities_.find(subject);
  if (e == known_entities_.end() || e->second.updates == 0) return false;
  const auto parent = tree_.find(e->second.entity.parent);
  if (parent == frames::FrameTree::none) return false;
  frames::FrameState parent_state;
  if (!resolved(parent, parent_state)) return false;
  const frames::FrameState own =
      time ? frames::propagated(e->second.entity.state, *time - e->second.time)
           : e->second.entity.state;
  to = frames::composed(parent_state, own);
  return true;
}

bool Objects::resolve(std::string_view subject, std::string_view frame, double time,
                      frames::FrameState& to) const noexcept {
  return resolve_at(subject, frame, &time, to);
}
bool Objects::resolve(std::string_view subject, std::string_view frame,
                      frames::FrameState& to) const noexcept {
  return resolve_at(subject, frame, nullptr, to);
}

std::vector<std::string> Objects::problems() const {
  std::vector<std::string> all = tree_.problems();
  const std::string& root = federate_.configuration().root_frame;
  for (frames::FrameTree::Index i = 0; i < tree_.size(); ++i)
    if (!tree_.name(i).empty() && tree_.parent_name(i).empty() && tree_.name(i) != root)
      all.push_back("the root frame is " + tree_.name(i) + ", and the Master names " + root);
  for (const auto& [name, e] : known_entities_)
    if (!e.entity.parent.empty() && tree_.find(e.entity.parent) == frames::FrameTree::none)
      all.push_back("the parent frame " + e.entity.parent + " of " + name + " is not there");
  return all;
}

}  // namespace vernier::spacefom
