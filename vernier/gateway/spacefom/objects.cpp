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

/// Gives `now` accelerations: those of the last two states, or as before when it is the same time.
void reckon(frames::FrameState& now, const frames::FrameState& before, double dt) {
  const frames::FrameState s = dt == 0.0 ? before : frames::with_accelerations(now, before, dt);
  now.acceleration = s.acceleration;
  now.angular_acceleration = s.angular_acceleration;
}

}  // namespace

Objects::Objects(Federate& f) : federate_(f) { f.set_listener(this); }

// -- ours ----------------------------------------------------------------------------------------

std::size_t Objects::publish_frame(std::string name, std::string parent, const Extension& x) {
  const std::size_t object = federate_.publish(class_of(x, frame_path), name,
                                               all_of(frame_attributes(), x), parent.empty());
  static_cast<void>(tree_.add(name, parent));
  frames_.push_back({object, std::move(name), std::move(parent)});
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

// derived classes first: an object stays of the class as which it was discovered
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

// All that is due of one object goes into one update (5-8, 6-8, 6-11, 6-15): the federate sends
// what was set together. Forces never go without accelerations (6-9, 6-10): both go always.
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
    place(tree_.find(f.name), f.state, time);
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
  if (other_) other_->sending(t);
}

// -- of others -----------------------------------------------------------------------------------

void Objects::refuse(const Remote& r, const std::string& attribute) {
  ++malformed_;
  last_malformed_ = attribute + " of " + r.name;
}

void Objects::discovered(const Remote& r) {
  if (other_) other_->discovered(r);
}

void Objects::reflected(const Remote& r, std::span<const std::size_t> changed) {
  if (is_a(r.object_class, frame_path)) {
    take_frame(r, changed);
  } else if (is_a(r.object_class, entity_path)) {
    take_entity(r, changed);
  } else if (is_a(r.object_class, interface_path)) {
    take_interface(r, changed);
  }
  if (other_ && r.object_class != frame_path) other_->reflected(r, changed);
}

void Objects::received(std::size_t interaction, std::span<const Octets> values, Ticks stamp) {
  if (other_) other_->received(interaction, values, stamp);
}

void Objects::removed(const Remote& r) {
  if (const auto at = tree_.find(r.name);
      at != frames::FrameTree::none && known_frames_.erase(r.name))
    tree_.remove(at);
  if (const auto e = known_entities_.find(r.name); e != known_entities_.end())
    known_entities_.erase(e);
  if (const auto i = known_interfaces_.find(r.name); i != known_interfaces_.end())
    known_interfaces_.erase(i);
  if (other_) other_->removed(r);
}

void Objects::take_frame(const Remote& r, std::span<const std::size_t> changed) {
  KnownFrame& f = known_frames_[r.name];
  for (const std::size_t i : changed) {
    const Remote::Value& v = r.values[i];
    if (v.attribute == "parent_name") {
      if (auto parent = read_string(v.bytes)) {
        f.parent = std::move(*parent);
      } else {
        refuse(r, v.attribute);
      }
    } else if (v.attribute == "state") {
      if (const auto state = read_state(v.bytes, federate_.settings().attitude)) {
        f.state = *state;
      } else {
        refuse(r, v.attribute);
      }
    } else if (!take_acceleration(v, f.given)) {
      refuse(r, v.attribute);
    }
  }
  if (!f.parent) return;
  auto at = tree_.find(r.name);
  if (at == frames::FrameTree::none) {
    const auto added = tree_.add(r.name, *f.parent);
    if (!added) return refuse(r, "parent_name");
    at = *added;
  } else if (tree_.parent_name(at) != *f.parent && !tree_.reparent(at, *f.parent)) {
    return refuse(r, "parent_name");
  }
  if (f.state) place(at, f.state->state, f.state->time, f.given);
}

// Frames of the standard come without accelerations: then those between the last two states.
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

bool Objects::take_acceleration(const Remote::Value& v, Given& to) {
  const bool linear = v.attribute == "acceleration";
  if (!linear && v.attribute != "rotational_acceleration") return true;
  frames::Vector3 a;
  if (!read_reals(v.bytes, three(a))) return false;
  (linear ? to.acceleration : to.angular) = a;
  return true;
}

void Objects::take_entity(const Remote& r, std::span<const std::size_t> changed) {
  KnownEntity& known = known_entities_[r.name];
  Entity& e = known.entity;
  e.name = r.name;
  e.dynamical = is_a(r.object_class, dynamical_path);
  const frames::WireAttitude way = federate_.settings().attitude;
  const KnownEntity before = known;
  for (const std::size_t i : changed) {
    const Remote::Value& v = r.values[i];
    const auto string = [&](std::string& to) {
      auto s = read_string(v.bytes);
      if (s) to = std::move(*s);
      return s.has_value();
    };
    bool good = take_acceleration(v, known.given);
    if (v.attribute == "type") good = string(e.type);
    if (v.attribute == "status") good = string(e.status);
    if (v.attribute == "parent_reference_frame") good = string(e.parent);
    if (v.attribute == "state") {
      const auto s = read_state(v.bytes, way);
      good = s.has_value();
      if (s) {
        e.state.position = s->state.position;
        e.state.velocity = s->state.velocity;
        e.state.attitude = s->state.attitude;
        e.state.rate = s->state.rate;
        known.time = s->time;
        ++known.updates;
      }
    }
    if (v.attribute == "center_of_mass") good = read_reals(v.bytes, three(e.center_of_mass));
    if (v.attribute == "body_wrt_structural") {
      const auto q = read_attitude(v.bytes, way);
      good = q.has_value();
      if (q) e.body_wrt_structural = *q;
    }
    if (v.attribute == "force") good = read_reals(v.bytes, three(e.force));
    if (v.attribute == "torque") good = read_reals(v.bytes, three(e.torque));
    if (v.attribute == "mass") good = read_reals(v.bytes, {&e.mass, 1});
    if (v.attribute == "mass_rate") good = read_reals(v.bytes, {&e.mass_rate, 1});
    if (v.attribute == "inertia") good = read_reals(v.bytes, e.inertia);
    if (v.attribute == "inertia_rate") good = read_reals(v.bytes, e.inertia_rate);
    if (!good) refuse(r, v.attribute);
  }
  if (before.updates > 0 && known.updates > before.updates && e.parent == before.entity.parent)
    reckon(e.state, before.entity.state, known.time - before.time);
  give(known.given, e.state);
}

void Objects::take_interface(const Remote& r, std::span<const std::size_t> changed) {
  Interface& known = known_interfaces_[r.name];
  known.name = r.name;
  for (const std::size_t i : changed) {
    const Remote::Value& v = r.values[i];
    bool good = true;
    if (v.attribute == "parent_name") {
      auto s = read_string(v.bytes);
      good = s.has_value();
      if (s) known.parent = std::move(*s);
    }
    if (v.attribute == "position") good = read_reals(v.bytes, three(known.position));
    if (v.attribute == "attitude") {
      const auto q = read_attitude(v.bytes, federate_.settings().attitude);
      good = q.has_value();
      if (q) known.attitude = *q;
    }
    if (!good) refuse(r, v.attribute);
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
