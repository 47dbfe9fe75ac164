#include "vernier/gateway/spacefom/federate_component.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vernier/base/text.hpp"
#include "vernier/gateway/spacefom/central_clock.hpp"

namespace vernier::spacefom {
namespace {

struct PortSpec {
  const char* name;
  const char* unit;
  std::uint32_t count;
};
constexpr PortSpec state_ports[]{
    {"position", "m", 3}, {"velocity", "m/s", 3}, {"attitude", "1", 4}, {"rate", "1/s", 3}};
constexpr PortSpec acceleration_ports[]{{"acceleration", "m/s^2", 3},
                                        {"angular_acceleration", "1/s^2", 3}};
constexpr PortSpec dynamical_ports[]{{"force", "N", 3},        {"torque", "N*m", 3},
                                     {"mass", "kg", 1},        {"mass_rate", "kg/s", 1},
                                     {"inertia", "kg*m^2", 9}, {"inertia_rate", "kg*m^2/s", 9}};
constexpr PortSpec place_ports[]{{"position", "m", 3}, {"attitude", "1", 4}};

// in the order in which apply_inputs() reads them
void append(std::vector<double>& to, const frames::Vector3& v) {
  to.insert(to.end(), v.data(), v.data() + 3);
}
void append(std::vector<double>& to, const frames::Quaternion& q) {
  to.insert(to.end(), q.data(), q.data() + 4);
}

/// Reads numbers from a flat vector, in order.
class Taker {
 public:
  explicit Taker(const double* from) : next_(from) {}
  frames::Vector3 vector() {
    frames::Vector3 v(next_[0], next_[1], next_[2]);
    next_ += 3;
    return v;
  }
  frames::Quaternion quaternion() {
    frames::Quaternion q(next_[0], next_[1], next_[2], next_[3]);
    next_ += 4;
    const double n = q.norm();
    return n > 1e-9 ? frames::Quaternion(q / n) : frames::Quaternion(0, 0, 0, 1);
  }
  double number() { return *next_++; }
  void numbers(std::span<double> to) {
    for (double& x : to) x = *next_++;
  }
  frames::FrameState state() {
    frames::FrameState s;
    s.position = vector();
    s.velocity = vector();
    s.attitude = quaternion();
    s.rate = vector();
    return s;
  }

 private:
  const double* next_;
};

void give(std::span<double> to, const frames::Vector3& v) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = v[static_cast<Eigen::Index>(i)];
}

/// The enumerators of a part: "0 OFF, 1 ON".
std::string words_of(const Flat& type, const Flat::Part& p) {
  if (p.enumeration < 0) return {};
  std::vector<std::string> all;
  for (const auto& [name, value] : type.enumerations[static_cast<std::size_t>(p.enumeration)])
    all.push_back(exact(value) + " " + name);
  return joined(all, ", ");
}

std::vector<std::string> names_of(const std::vector<MappedAttribute>& attributes) {
  std::vector<std::string> names;
  for (const MappedAttribute& a : attributes) names.push_back(a.name);
  return names;
}

Extension extension(const Extended& x) { return {x.object_class, names_of(x.attributes)}; }

Rate rate_of(Ticks step) {
  return {1'000'000 / std::gcd(step, Ticks{1'000'000}), step / std::gcd(step, Ticks{1'000'000})};
}

}  // namespace

FederateComponent::FederateComponent(FederateDocument d) : document_(std::move(d)) { describe(); }
FederateComponent::~FederateComponent() = default;

// -- ports ---------------------------------------------------------------------------------------

void FederateComponent::describe() {
  description_.rate = rate_of(document_.settings.steps.step);
  description_.abilities.rewinds = false;
  description_.abilities.faces_world = true;
  describe_states_in();
  describe_values_in();
  describe_outputs();
}

/// States of published frames, entities and interfaces.
void FederateComponent::describe_states_in() {
  Description& d = description_;
  const auto input = [&](const std::string& port, const PortSpec& s, std::vector<double> initial) {
    inputs_.insert(inputs_.end(), initial.begin(), initial.end());
    d.inputs.push_back({.name = port + "." + s.name,
                        .unit = s.unit,
                        .count = s.count,
                        .initial = std::move(initial)});
  };
  const auto first = [&](const std::string& port, std::span<const PortSpec> specs,
                         const std::vector<double>& initial) {
    std::size_t at = 0;
    for (const PortSpec& s : specs) {
      const auto from = initial.begin() + static_cast<std::ptrdiff_t>(at);
      input(port, s, {from, from + s.count});
      at += s.count;
    }
  };
  const auto state = [](const frames::FrameState& s) {
    std::vector<double> v;
    append(v, s.position);
    append(v, s.velocity);
    append(v, s.attitude);
    append(v, s.rate);
    return v;
  };
  for (const PublishedFrame& f : document_.frames)
    if (!f.parent.empty()) first(f.port, state_ports, state(f.initial));
  for (const PublishedEntity& e : document_.entities) {
    first(e.port, state_ports, state(e.entity.state));
    first(e.port, acceleration_ports, std::vector<double>(6, 0.0));
    if (e.parents.size() > 1) input(e.port, {"parent", "1", 1}, {0.0});
    if (e.entity.dynamical) {
      std::vector<double> v(6, 0.0);
      v.push_back(e.entity.mass);
      v.push_back(0.0);
      v.insert(v.end(), e.entity.inertia.begin(), e.entity.inertia.end());
      v.insert(v.end(), 9, 0.0);
      first(e.port, dynamical_ports, v);
    }
  }
  for (const PublishedInterface& i : document_.interfaces) {
    std::vector<double> v;
    append(v, i.interface.position);
    append(v, i.interface.attitude);
    first(i.port, place_ports, v);
  }
}

/// Attributes that user classes add, and interactions that are sent.
void FederateComponent::describe_values_in() {
  Description& d = description_;
  for (const auto* attributes : published_attributes())
    for (const MappedAttribute& a : *attributes)
      for (const Flat::Part& p : a.type.parts) {
        const auto from = a.initial.begin() + static_cast<std::ptrdiff_t>(p.first);
        std::vector<double> initial(from, from + static_cast<std::ptrdiff_t>(p.count));
        inputs_.insert(inputs_.end(), initial.begin(), initial.end());
        d.inputs.push_back({.name = a.port + p.name,
                            .unit = p.unit,
                            .count = static_cast<std::uint32_t>(p.count),
                            .initial = std::move(initial),
                            .description = words_of(a.type, p)});
      }
  for (const MappedInteraction& i : document_.interactions)
    d.inputs.push_back({.name = i.port,
                        .scalar = Scalar::integer,
                        .flow = Flow::event,
                        .initial = std::vector<double>{0.0},
                        .description = "sends " + i.interaction_class});
}

void FederateComponent::describe_outputs() {
  Description& d = description_;
  const auto output = [&](const std::string& port, std::span<const PortSpec> specs) {
    for (const PortSpec& s : specs)
      d.outputs.push_back({.name = port + "." + s.name, .unit = s.unit, .count = s.count});
  };
  const auto known = [&](const std::string& port) {
    d.outputs.push_back({.name = port + ".known", .scalar = Scalar::boolean});
  };
  constexpr PortSpec age[]{{"age", "s", 1}};
  for (const Subscribed& s : document_.subscribed_frames) {
    output(s.port, state_ports);
    output(s.port, acceleration_ports);
    known(s.port);
  }
  for (const Subscribed& s : document_.subscribed_entities) {
    output(s.port, state_ports);
    output(s.port, acceleration_ports);
    if (s.dynamical) output(s.port, std::span(dynamical_ports).first(3));
    output(s.port, age);
    known(s.port);
  }
  for (const Subscribed& s : document_.subscribed_interfaces) {
    output(s.port, place_ports);
    known(s.port);
  }
  for (const auto& [name, attributes] : subscribed_attributes())
    for (const MappedAttribute& a : *attributes)
      for (const Flat::Part& p : a.type.parts)
        if (!a.port.empty())
          d.outputs.push_back({.name = a.port + p.name,
                               .unit = p.unit,
                               .count = static_cast<std::uint32_t>(p.count),
                               .description = words_of(a.type, p)});
  for (const MappedInteraction& i : document_.subscribed_interactions)
    d.outputs.push_back({.name = i.port,
                         .scalar = Scalar::integer,
                         .flow = Flow::event,
                         .description = "when " + i.interaction_class + " comes"});
  d.outputs.push_back({.name = "logical_time", .unit = "s"});
  d.outputs.push_back({.name = "mode", .scalar = Scalar::integer});
}

// in the order of the inputs
std::vector<const std::vector<MappedAttribute>*> FederateComponent::published_attributes() const {
  std::vector<const std::vector<MappedAttribute>*> all;
  for (const PublishedFrame& f : document_.frames) all.push_back(&f.extended.attributes);
  for (const PublishedEntity& e : document_.entities) all.push_back(&e.extended.attributes);
  for (const PublishedInterface& i : document_.interfaces) all.push_back(&i.extended.attributes);
  for (const MappedObject& o : document_.objects) all.push_back(&o.attributes);
  for (const MappedInteraction& i : document_.interactions) all.push_back(&i.parameters);
  return all;
}

// by object name; parameters of interactions, which have none, last
std::vector<std::pair<std::string, const std::vector<MappedAttribute>*>>
FederateComponent::subscribed_attributes() const {
  std::vector<std::pair<std::string, const std::vector<MappedAttribute>*>> all;
  for (const auto* list : {&document_.subscribed_frames, &document_.subscribed_entities,
                           &document_.subscribed_interfaces})
    for (const Subscribed& s : *list) all.emplace_back(s.name, &s.extended.attributes);
  for (const MappedObject& o : document_.subscribed_objects)
    all.emplace_back(o.name, &o.attributes);
  for (const MappedInteraction& i : document_.subscribed_interactions)
    all.emplace_back("", &i.parameters);
  return all;
}

void FederateComponent::bind(const Bindings& b) {
  bound_.clear();
  std::size_t at = 0;
  for (const Port& p : description_.inputs) {
    if (p.scalar != Scalar::real) continue;
    bound_.push_back({b.real_input(p.name), at, p.count});
    at += p.count;
  }
  bind_shown(b);
  bind_mapped(b);
  sent_.clear();
  came_.clear();
  for (const MappedInteraction& i : document_.interactions)
    sent_.push_back({b.integer_input(i.port), 0, 0});
  for (const MappedInteraction& i : document_.subscribed_interactions)
    came_.push_back({b.integer_output(i.port), 0});
  logical_time_ = b.real_output("logical_time");
  mode_ = b.integer_output("mode");
}

void FederateComponent::bind_shown(const Bindings& b) {
  shown_.clear();
  const auto states = [&](Shown& s, bool place_only) {
    const std::string& p = s.what->port;
    s.position = b.real_output(p + ".position");
    s.attitude = b.real_output(p + ".attitude");
    s.known = b.byte_output(p + ".known");
    if (place_only) return;
    s.velocity = b.real_output(p + ".velocity");
    s.rate = b.real_output(p + ".rate");
    s.acceleration = b.real_output(p + ".acceleration");
    s.angular_acceleration = b.real_output(p + ".angular_acceleration");
  };
  for (const Subscribed& w : document_.subscribed_frames) {
    Shown s;
    s.what = &w;
    states(s, false);
    shown_.push_back(s);
  }
  for (const Subscribed& w : document_.subscribed_entities) {
    Shown s;
    s.what = &w;
    states(s, false);
    s.age = b.real_output(w.port + ".age");
    if (w.dynamical) {
      s.mass = b.real_output(w.port + ".mass");
      s.force = b.real_output(w.port + ".force");
      s.torque = b.real_output(w.port + ".torque");
    }
    shown_.push_back(s);
  }
  for (const Subscribed& w : document_.subscribed_interfaces) {
    Shown s;
    s.what = &w;
    states(s, true);
    shown_.push_back(s);
  }
  for (const Shown& s : shown_)
    if (s.attitude[0] == 0.0 && s.attitude[3] == 0.0) s.attitude[3] = 1.0;
}

void FederateComponent::bind_mapped(const Bindings& b) {
  mapped_.clear();
  for (const auto& [name, attributes] : subscribed_attributes()) {
    Mapped m;
    m.name = name;
    m.attributes = attributes;
    for (const MappedAttribute& a : *attributes) {
      m.values.push_back(a.initial);
      m.ports.emplace_back();
      for (const Flat::Part& p : a.type.parts)
        if (!a.port.empty()) m.ports.back().push_back(b.real_output(a.port + p.name));
    }
    mapped_.push_back(std::move(m));
  }
}

// -- the federate --------------------------------------------------------------------------------

void FederateComponent::make_federate() {
  objects_.reset();
  if (!document_.central_clock.empty() && !document_.settings.central_clock)
    document_.settings.central_clock = central_clock(document_.central_clock);
  reachable_.store(nullptr);
  federate_ = std::make_unique<Federate>(document_.settings);
  reachable_.store(federate_.get());
  if (interrupted_.load()) federate_->interrupt();
  objects_ = std::make_unique<Objects>(*federate_);
  federate_->add_listener(*this);
  targets_.clear();
  publish();
  subscribe();
}

void FederateComponent::publish() {
  mapped_own_.clear();
  const auto own = [&](const std::vector<MappedAttribute>& attributes, auto place) {
    MappedOwn m;
    m.attributes = &attributes;
    for (std::size_t k = 0; k < attributes.size(); ++k) m.places.push_back(place(k));
    for (const MappedAttribute& a : attributes) m.values.push_back(a.initial);
    mapped_own_.push_back(std::move(m));
  };
  for (const PublishedFrame& f : document_.frames) {
    const std::size_t i = objects_->publish_frame(f.name, f.parent, extension(f.extended));
    own(f.extended.attributes, [&](std::size_t k) { return objects_->frame_value(i, k); });
  }
  for (const PublishedEntity& e : document_.entities) {
    const std::size_t i = objects_->publish_entity(e.entity, extension(e.extended));
    own(e.extended.attributes, [&](std::size_t k) { return objects_->entity_value(i, k); });
  }
  for (const PublishedInterface& p : document_.interfaces) {
    const std::size_t i = objects_->publish_interface(p.interface, extension(p.extended));
    own(p.extended.attributes, [&](std::size_t k) { return objects_->interface_value(i, k); });
  }
  for (const MappedObject& o : document_.objects) {
    const std::size_t i = federate_->publish(o.object_class, o.name, names_of(o.attributes));
    own(o.attributes, [&](std::size_t k) { return Objects::Place{i, k}; });
  }
  for (const MappedInteraction& i : document_.interactions) {
    static_cast<void>(federate_->publish_interaction(i.interaction_class, names_of(i.parameters)));
    own(i.parameters, [](std::size_t k) { return Objects::Place{0, k}; });
  }
}

void FederateComponent::subscribe() {
  for (const MappedInteraction& i : document_.subscribed_interactions)
    static_cast<void>(
        federate_->subscribe_interaction(i.interaction_class, names_of(i.parameters)));
  const auto extensions = [&](const std::vector<Subscribed>& all) {
    std::vector<Extension> list;
    for (const Subscribed& s : all)
      if (!s.extended.object_class.empty()) list.push_back(extension(s.extended));
    return list;
  };
  bool converts = false;
  for (const PublishedEntity& e : document_.entities)
    converts |= !e.expressed.empty() && (e.parents.size() > 1 || e.expressed != e.parents.front());
  if (converts || !document_.subscribed_frames.empty() || !document_.subscribed_entities.empty())
    objects_->subscribe_frames(extensions(document_.subscribed_frames));
  if (!document_.subscribed_entities.empty())
    objects_->subscribe_entities(extensions(document_.subscribed_entities));
  if (!document_.subscribed_interfaces.empty())
    objects_->subscribe_interfaces(extensions(document_.subscribed_interfaces));
  for (const MappedObject& o : document_.subscribed_objects)
    federate_->subscribe(o.object_class, names_of(o.attributes));
}

bool FederateComponent::initialize(Time, int phase) {
  if (joined_) return true;
  if (phase == 0) {
    make_federate();
    return false;  // the models first compute what is published
  }
  const auto goes_on = [&](bool good) {
    if (!good)
      throw ConfigurationError("V5327",
                               document_.settings.federation + " was shut down before it began");
  };
  const std::size_t phases = document_.settings.phases.size();
  const auto k = static_cast<std::size_t>(phase) - 1;
  keep_inputs();
  apply_inputs(0);
  if (phase == 1) goes_on(federate_->join());
  // one multiphase point for each phase of the run's own initialization
  if (federate_->early() && k < phases) goes_on(federate_->phase(k));
  if (federate_->early() && k + 1 < phases) return false;
  goes_on(federate_->begin());
  static_cast<void>(federate_->stood_still());  // clocks start later anyway
  check_frames();
  joined_ = true;
  return true;
}

void FederateComponent::check_frames() {
  if (!document_.settings.notice) return;
  for (const auto* list : {&document_.subscribed_frames, &document_.subscribed_entities})
    for (const Subscribed& s : *list)
      if (objects_->tree().find(s.in) == frames::FrameTree::none)
        document_.settings.notice("the frame " + s.in + ", in which " + s.name +
                                  " is wanted, is not there yet");
}

// -- what is published ---------------------------------------------------------------------------

void FederateComponent::keep_inputs() noexcept {
  for (const Input& i : bound_)
    std::copy(i.from.begin(), i.from.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(i.at));
  for (Sent& s : sent_) s.wanted = s.count[0];
}

void FederateComponent::apply_inputs(Ticks at) {
  Taker take(inputs_.data());
  for (std::size_t i = 0; i < document_.frames.size(); ++i)
    if (!document_.frames[i].parent.empty()) objects_->frame(i) = take.state();
  const double time = federate_->scenario_time(at);
  for (std::size_t i = 0; i < document_.entities.size(); ++i) {
    const PublishedEntity& p = document_.entities[i];
    Entity& e = objects_->entity(i);
    frames::FrameState s = take.state();
    s.acceleration = take.vector();
    s.angular_acceleration = take.vector();
    std::size_t chosen = 0;
    if (p.parents.size() > 1) {
      const double wanted = std::round(take.number()),
                   most = static_cast<double>(p.parents.size() - 1);
      chosen = static_cast<std::size_t>(wanted > 0.0 ? std::min(wanted, most) : 0.0);
    }
    if (e.dynamical) {
      e.force = take.vector();
      e.torque = take.vector();
      e.mass = take.number();
      e.mass_rate = take.number();
      take.numbers(e.inertia);
      take.numbers(e.inertia_rate);
    }
    const std::string& parent = p.parents[chosen];
    frames::FrameState parent_state;
    if (p.expressed.empty() || p.expressed == parent) {
      e.parent = parent;
    } else if (objects_->resolve(parent, p.expressed, time, parent_state)) {
      e.parent = parent;
      s = frames::relative(s, parent_state);
    } else {
      e.parent = p.expressed;  // while the other frame is not known
    }
    e.state = s;
  }
  for (std::size_t i = 0; i < document_.interfaces.size(); ++i) {
    objects_->interface(i).position = take.vector();
    objects_->interface(i).attitude = take.quaternion();
  }
  for (MappedOwn& m : mapped_own_)
    for (std::vector<double>& v : m.values) take.numbers(v);
}

std::vector<Octets> FederateComponent::encoded(const MappedOwn& m) {
  std::vector<Octets> all;
  for (std::size_t i = 0; i < m.values.size(); ++i) {
    const Flat& type = (*m.attributes)[i].type;
    all.emplace_back(type.bytes);
    all.back().resize(write_flat(type, m.values[i], all.back()));
  }
  return all;
}

void FederateComponent::sending(Ticks) {
  const std::size_t objects = mapped_own_.size() - sent_.size();
  for (std::size_t k = 0; k < objects; ++k) {
    const MappedOwn& m = mapped_own_[k];
    const std::vector<Octets> bytes = encoded(m);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      federate_->set(m.places[i].first, m.places[i].second, bytes[i]);
  }
  if (federate_->mode() != Mode::running) return;
  // one for each occurrence since the last step
  constexpr std::int64_t most = 1000;
  for (std::size_t k = 0; k < sent_.size(); ++k) {
    const std::int64_t times = std::min(sent_[k].wanted - sent_[k].done, most);
    for (std::int64_t n = 0; n < times; ++n) federate_->post(k, encoded(mapped_own_[objects + k]));
    sent_[k].done = sent_[k].wanted;
  }
}

void FederateComponent::take(Mapped& m, std::size_t attribute, const Octets& bytes) {
  const MappedAttribute& a = (*m.attributes)[attribute];
  const Unread why = read_flat(a.type, bytes, m.values[attribute]);
  if (why == Unread::no || !document_.settings.notice || !told_.insert(&a).second) return;
  const std::string why_not = why == Unread::too_many ? "longer than the port " : "no value of ";
  document_.settings.notice("a value of " + a.name + " is " + why_not + a.port +
                            "; it is not used");
}

void FederateComponent::discovered(const Remote& r) {
  std::vector<std::vector<Target>> of(r.values.size());
  for (std::size_t m = 0; m < mapped_.size(); ++m) {
    if (mapped_[m].name != r.name) continue;
    const std::vector<MappedAttribute>& attributes = *mapped_[m].attributes;
    for (std::size_t v = 0; v < r.values.size(); ++v)
      for (std::size_t i = 0; i < attributes.size(); ++i)
        if (attributes[i].name == r.values[v].attribute) of[v].push_back({m, i});
  }
  if (r.number >= targets_.size()) targets_.resize(r.number + 1);
  targets_[r.number] = std::move(of);
}

void FederateComponent::reflected(const Remote& r, std::span<const std::size_t> changed) {
  const std::vector<std::vector<Target>>& of = targets_[r.number];
  for (const std::size_t v : changed)
    for (const Target& t : of[v]) take(mapped_[t.mapped], t.attribute, r.values[v].bytes);
}

void FederateComponent::received(std::size_t interaction, std::span<const Octets> values, Ticks) {
  Mapped& m = mapped_[mapped_.size() - came_.size() + interaction];
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i].empty()) take(m, i, values[i]);
  ++came_[interaction].total;
}

// -- the loop ------------------------------------------------------------------------------------

void FederateComponent::show(const Shown& s, double time) const noexcept {
  frames::FrameState state;
  bool known = false;
  if (s.what->in.empty()) {
    const Interface* i = objects_->find_interface(s.what->name);
    known = i != nullptr;
    if (i) state.position = i->position, state.attitude = i->attitude;
  } else {
    known = s.what->propagated ? objects_->resolve(s.what->name, s.what->in, time, state)
                               : objects_->resolve(s.what->name, s.what->in, state);
  }
  s.known[0] = known ? 1 : 0;
  if (!known) return;
  give(s.position, state.position);
  for (std::size_t i = 0; i < 4; ++i) s.attitude[i] = state.attitude[static_cast<Eigen::Index>(i)];
  give(s.velocity, state.velocity);
  give(s.acceleration, state.acceleration);
  give(s.rate, state.rate);
  give(s.angular_acceleration, state.angular_acceleration);
  if (s.age.empty()) return;
  const Objects::KnownEntity* e = objects_->find_entity(s.what->name);
  if (!e) return;
  s.age[0] = time - e->time;
  if (s.mass.empty()) return;
  s.mass[0] = e->entity.mass;
  give(s.force, e->entity.force);
  give(s.torque, e->entity.torque);
}

Outcome FederateComponent::output(Instant at) noexcept {
  if (!objects_) return Outcome::ok;
  const Ticks t = federate_->started() + at.time.time_since_epoch().count() / 1000;
  const double time = federate_->scenario_time(t);
  for (const Shown& s : shown_) show(s, time);
  for (const Mapped& m : mapped_)
    for (std::size_t i = 0; i < m.values.size(); ++i) {
      const double* from = m.values[i].data();
      for (const std::span<double> port : m.ports[i]) {
        std::copy(from, from + port.size(), port.begin());
        from += port.size();
      }
    }
  for (const Came& c : came_) c.count[0] = c.total;
  logical_time_[0] = static_cast<double>(federate_->granted()) * 1e-6;
  mode_[0] = static_cast<std::int64_t>(federate_->mode());
  return Outcome::ok;
}

Advance FederateComponent::advance(Time, Time to) noexcept {
  keep_inputs();
  return {to};
}

Outcome FederateComponent::wait_for(Time t) noexcept {
  const Ticks wanted = federate_->started() + (t.time_since_epoch().count() + 999) / 1000;
  const Ticks step = document_.settings.steps.step;
  const auto broken = [this](const char* code, const char* words) {
    fault_.set(Category::peer, code, "%s", words);
    return Outcome::failed;
  };
  kept_ = {};
  try {
    while (federate_->granted() + step < wanted) {
      apply_inputs(federate_->granted() + step);
      const bool good = federate_->step();
      kept_.ns += federate_->waited();
      if (good) continue;
      over_ = true;
      return Outcome::failed;
    }
    if (const std::string& who = federate_->waited_for(); kept_.ns > 0 && !who.empty()) {
      kept_.by = who.c_str();
      kept_.pacing = who == document_.settings.pacer;
    }
    return Outcome::ok;
  } catch (const ConfigurationError& e) {
    const Diagnostic& d = e.diagnostics().list().front();
    std::string words = d.message;
    for (const std::string& n : d.notes) words += "\n" + n;
    return broken(d.code.c_str(), words.c_str());
  } catch (const std::exception& e) {
    return broken("V5332", e.what());
  }
}

std::optional<WallPace> FederateComponent::pace() const {
  if (!document_.settings.pacing || document_.pace.kind == Pace::Kind::none) return {};
  return WallPace{document_.pace.factor, document_.pace.late};
}

}  // namespace vernier::spacefom
