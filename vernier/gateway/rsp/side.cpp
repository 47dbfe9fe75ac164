#include <algorithm>
#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/port_name.hpp"
#include "vernier/gateway/link/frame.hpp"
#include "vernier/gateway/rsp/components.hpp"

namespace vernier::rsp {
namespace {

constexpr std::uint32_t queue = 63;  // vectors that wait for a step
constexpr double norm_tolerance = 1e-3;

SideSettings completed_side(SideSettings s, bool server) {
  if (s.bodies.empty() || s.bodies.size() > most_bodies) {
    throw ConfigurationError(server ? "V5150" : "V5151",
                             "\"" + s.link.name + "\" has " + std::to_string(s.bodies.size()) +
                                 " bodies; there are from 1 to " + std::to_string(most_bodies));
  }
  const auto bodies = static_cast<std::uint32_t>(s.bodies.size());
  const auto commands = static_cast<std::uint32_t>(numbers(bodies, s.accelerations)),
             answers = static_cast<std::uint32_t>(numbers(bodies, false));
  s.link.send = server ? answers : commands;
  s.link.receive = server ? commands : answers;
  s.link.send_element = s.link.receive_element = link::Element::real;
  s.link.period = link::period_of(s.rate);
  // a slow side takes all that a fast one sends between two of its steps, up to this limit
  s.link.queue = server ? queue : 4095;
  // both sides must agree on the content
  s.link.interface_hash = link::interface_hash("RSP 1 " + std::to_string(bodies) +
                                               (s.accelerations ? " with accelerations" : ""));
  return s;
}

Vector3 vector(std::span<const double> x) noexcept { return {x[0], x[1], x[2]}; }

}  // namespace

LinkTransport::LinkTransport(link::Link& l)
    : link_(l), quality_(&l.quality()), numbers_(l.settings().receive) {}

void LinkTransport::begin(std::int64_t planned) noexcept {
  quality_ = &link_.quality();
  planned_ = planned;
}

bool LinkTransport::up() const noexcept {
  return quality_->state == link::LinkState::up || quality_->state == link::LinkState::degraded;
}
std::uint32_t LinkTransport::session() const noexcept { return quality_->session; }
const link::StepMap* LinkTransport::steps() const noexcept {
  return quality_->steps_known && !quality_->steps_stale ? &quality_->steps : nullptr;
}
std::size_t LinkTransport::room() const noexcept { return link_.settings().send; }

Transport::Vector LinkTransport::next() noexcept {
  while (true) {
    const link::Received& r = link_.receive();
    if (!r.fresh) return {};
    if (r.session != quality_->session) continue;  // of an earlier session
    link::unpack(r.bytes, std::span(numbers_));
    return {numbers_, static_cast<double>(planned_ - r.received) * 1e-9};
  }
}

void LinkTransport::send(std::span<const double> v) noexcept { link_.send(v); }

Side::Side(SideSettings s, bool server)
    : settings_(completed_side(std::move(s), server)),
      link_(settings_.link),
      transport_(link_),
      plan_(settings_.link.period),
      server_time_(link_, settings_.link.period) {
  description_.rate = settings_.rate;
  description_.abilities.rewinds = false;
  description_.abilities.faces_world = true;
}

void Side::describe(const std::string& name_prefix, bool input, bool accelerations,
                    const std::vector<Trajectory>* initial) {
  for (std::size_t i = 0; i < settings_.bodies.size(); ++i) {
    const std::string name = name_prefix + settings_.bodies[i];
    const auto port = [&](const char* what, const char* unit, std::uint32_t count,
                          std::optional<std::vector<double>> value) {
      Port p{.name = name + "." + what, .unit = unit, .count = count};
      p.initial = std::move(value);
      (input ? description_.inputs : description_.outputs).push_back(std::move(p));
    };
    std::optional<std::vector<double>> position, attitude, still;
    if (initial) {
      const Trajectory& at = (*initial)[i];
      position.emplace(at.p.data(), at.p.data() + 3);
      attitude.emplace(at.q.data(), at.q.data() + 4);
      still.emplace(3, 0.0);
    }
    port("position", "m", 3, position);
    port("velocity", "m/s", 3, still);
    port("attitude", "1", 4, attitude);
    port("rate", "rad/s", 3, still);
    if (!accelerations) continue;
    port("acceleration", "m/s^2", 3, still);
    port("angular_acceleration", "rad/s^2", 3, still);
  }
}

void Side::describe_integer(const char* name, const char* description) {
  Port p{.name = name};
  p.scalar = Scalar::integer;
  p.description = description;
  description_.outputs.push_back(std::move(p));
}

namespace {

/// `port` returns the port of a name.
template <class Ports, class Find>
Ports body_ports(std::string_view name, bool accelerations, const Find& port) {
  Ports p{port(PortName{name, ".position"}),
          port(PortName{name, ".velocity"}),
          port(PortName{name, ".attitude"}),
          port(PortName{name, ".rate"}),
          {},
          {}};
  if (accelerations) {
    p.acceleration = port(PortName{name, ".acceleration"});
    p.angular_acceleration = port(PortName{name, ".angular_acceleration"});
  }
  return p;
}

}  // namespace

Side::BodyInputs Side::inputs(const Bindings& b, std::string_view name, bool accelerations) {
  return body_ports<BodyInputs>(name, accelerations,
                                [&](std::string_view port) { return b.real_input(port); });
}

Side::BodyOutputs Side::outputs(const Bindings& b, std::string_view name, bool accelerations) {
  return body_ports<BodyOutputs>(name, accelerations,
                                 [&](std::string_view port) { return b.real_output(port); });
}

bool Side::read(const BodyInputs& p, Trajectory& t) noexcept {
  t.p = vector(p.position);
  t.v = vector(p.velocity);
  t.q = spatial::Quaternion(p.attitude[0], p.attitude[1], p.attitude[2], p.attitude[3]);
  t.omega = vector(p.rate);
  if (!p.acceleration.empty()) {
    t.a = vector(p.acceleration);
    t.alpha = vector(p.angular_acceleration);
  }
  const double n = t.q.norm();
  const bool sound = std::abs(n - 1.0) <= norm_tolerance && t.p.allFinite() && t.v.allFinite() &&
                     t.omega.allFinite() && t.a.allFinite() && t.alpha.allFinite();
  // removes the drift of integration
  if (sound) t.q /= n;
  return sound;
}

void Side::write(const BodyOutputs& p, const Trajectory& t) noexcept {
  std::copy_n(t.p.data(), 3, p.position.data());
  std::copy_n(t.v.data(), 3, p.velocity.data());
  std::copy_n(t.q.data(), 4, p.attitude.data());
  std::copy_n(t.omega.data(), 3, p.rate.data());
  if (p.acceleration.empty()) return;
  std::copy_n(t.a.data(), 3, p.acceleration.data());
  std::copy_n(t.alpha.data(), 3, p.angular_acceleration.data());
}

void Side::enter(std::int32_t kind, std::int32_t from, std::int32_t to, std::int32_t item,
                 const double (&values)[2]) noexcept {
  Entry e;
  e.at = {now_};
  e.kind = 16 + kind;
  e.from = from;
  e.to = to;
  e.item = item;
  e.values[0] = values[0];
  e.values[1] = values[1];
  journal_->note(e);
}

void Side::bind(const Bindings& b) {
  signals_.bind(b);
  journal_ = &b.journal();
}

TimeBase* Side::time_base() {
  return settings_.follow && settings_.link.role == link::Role::client ? &server_time_ : nullptr;
}

bool Side::initialize(Time start, int phase) {
  if (phase > 0) return true;
  plan_.restart();
  now_ = start;
  restart();
  link::meet(link_, settings_.patience, settings_.notice);
  if (settings_.patience.count() > 0) signals_.forget(link_);
  return true;
}

Outcome Side::output(Instant at) noexcept {
  // the link is read once per step: outputs do not change between its microsteps
  if (!plan_.began() || at.time != now_) {
    const std::int64_t now = link_.now();
    plan_.begin(now, server_time_.planned(now));
    now_ = at.time;
    link_.begin_step(plan_.step(), plan_.planned(), plan_.overran());
    transport_.begin(plan_.planned());
    step();
    signals_.show(link_, plan_.step(), link_.received().stale, now_);
  }
  write();
  return Outcome::ok;
}

Telling Side::tell(const Entry& e) const {
  if (link::Signals::tells(e)) return link::Signals::tell(e);
  Entry own = e;
  own.kind -= 16;
  return told(own);
}

}  // namespace vernier::rsp
