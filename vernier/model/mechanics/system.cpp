#include "vernier/model/mechanics/system.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/model/mechanics/detail/signals.hpp"

namespace vernier::mechanics {

namespace {

using hybrid::Point;
using hybrid::Workspace;
using multibody::Solution;
using multibody::SpacecraftEvaluation;

/// Every call places the evaluation anew: what it gives must not depend on the call before, not
/// even in the last bit.
struct Space final : Workspace {
  Space(const hybrid::SystemSpec& spec, const multibody::Spacecraft& craft)
      : Workspace(spec), evaluation(craft) {}
  SpacecraftEvaluation evaluation;
};

SpacecraftEvaluation& evaluation(Workspace& w) noexcept {
  return static_cast<Space&>(w).evaluation;
}

}  // namespace

struct MultibodySystem::Data {
  Data(multibody::Spacecraft c, const Options& o)
      : craft(std::move(c)), signals(detail::signals_of(craft, o.held, o.reactions)) {}

  /// The working memory of a call, divided.
  struct Work {
    std::span<double> force, acceleration, rates, tau;  // by speed
    std::span<std::uint8_t> prescribed, locked;
  };
  Work divide(Workspace& w) const noexcept {
    const std::size_t nu = craft.tree().speeds();
    const std::span<double> s = w.doubles();
    auto* bytes = reinterpret_cast<std::uint8_t*>(s.data() + 4 * nu);
    return {s.subspan(0, nu),      s.subspan(nu, nu), s.subspan(2 * nu, nu),
            s.subspan(3 * nu, nu), {bytes, nu},       {bytes + nu, nu}};
  }

  multibody::Spacecraft::State state(std::span<const double> x) const noexcept {
    return {x.subspan(0, signals.u), x.subspan(signals.u, signals.momentum - signals.u),
            x.subspan(signals.momentum, signals.fuel - signals.momentum),
            x.subspan(signals.fuel, signals.states - signals.fuel)};
  }

  void place(const Point& p, SpacecraftEvaluation& e) const noexcept { craft.place(state(p.x), e); }

  Solution accelerate(const Point& p, const Work& w, std::span<double> momentum,
                      std::span<double> fuel, SpacecraftEvaluation& e) const noexcept {
    std::fill(w.force.begin(), w.force.end(), 0.0);
    std::fill(w.acceleration.begin(), w.acceleration.end(), 0.0);
    std::fill(w.prescribed.begin(), w.prescribed.end(), std::uint8_t{0});
    const double* force = p.u.data();
    const double* acceleration = p.u.data() + signals.accelerations;
    for (std::size_t k = 0; k < signals.dofs.size(); ++k) {
      const std::size_t at = signals.dofs[k].speed;
      w.force[at] = force[k];
      w.prescribed[at] = p.mode[k] != detail::regular;
      if (p.mode[k] == detail::prescribed) w.acceleration[at] = acceleration[k];
    }
    return craft.accelerate({w.force, w.acceleration, w.prescribed,
                             p.u.subspan(signals.commands, signals.torques - signals.commands),
                             p.u.subspan(signals.torques)},
                            {w.rates, momentum, fuel}, e);
  }

  multibody::Spacecraft craft;
  detail::Signals signals;
};

MultibodySystem::MultibodySystem(multibody::Spacecraft craft, const Options& o)
    : data_(std::make_unique<Data>(std::move(craft), o)) {}
MultibodySystem::~MultibodySystem() = default;

const multibody::Spacecraft& MultibodySystem::spacecraft() const noexcept { return data_->craft; }
const hybrid::SystemSpec& MultibodySystem::spec() const noexcept { return data_->signals.spec; }
std::unique_ptr<Workspace> MultibodySystem::workspace() const {
  return std::make_unique<Space>(spec(), data_->craft);
}

void MultibodySystem::flow(const Point& p, std::span<double> xdot, Workspace& s) const noexcept {
  const Data& d = *data_;
  const detail::Signals& at = d.signals;
  const Data::Work w = d.divide(s);
  SpacecraftEvaluation& e = evaluation(s);
  d.place(p, e);
  const auto part = [&](std::size_t first, std::size_t end) {
    return xdot.subspan(first, end - first);
  };
  const Solution solution =
      d.accelerate(p, w, part(at.momentum, at.fuel), part(at.fuel, at.states), e);
  d.craft.tree().coordinate_rates(p.x.subspan(0, at.u), p.x.subspan(at.u, at.momentum - at.u),
                                  part(0, at.u));
  const std::span<double> udot = part(at.u, at.momentum);
  if (solution) {
    std::copy(w.rates.begin(), w.rates.end(), udot.begin());
  } else {
    std::fill(udot.begin(), udot.end(), std::numeric_limits<double>::quiet_NaN());
  }
}

namespace {

// Writes outputs one after the other.
class Writer {
 public:
  explicit Writer(std::span<double> y) noexcept : to_(y.data()) {}
  void put(double v) noexcept { *to_++ = v; }
  void put(const multibody::Vector3& v) noexcept { to_ = std::copy_n(v.data(), 3, to_); }
  void put(const spatial::Quaternion& v) noexcept { to_ = std::copy_n(v.data(), 4, to_); }
  void put(std::span<const double> v) noexcept { to_ = std::copy(v.begin(), v.end(), to_); }

 private:
  double* to_;
};

}  // namespace

void MultibodySystem::output(const Point& p, std::span<double> y, Workspace& s) const noexcept {
  const Data& d = *data_;
  const Data::Work w = d.divide(s);
  SpacecraftEvaluation& e = evaluation(s);
  const multibody::SpacecraftModel& model = d.craft.model();
  d.place(p, e);
  // rates of momenta and fuel are not wanted: into what the outputs overwrite
  const std::size_t rotors = model.rotors.size(), tanks = model.tanks.size();
  const Solution solution = d.accelerate(p, w, y.subspan(0, rotors), y.subspan(rotors, tanks), e);
  Writer out(y);
  out.put(p.x);
  for (std::size_t k = 0; k < rotors; ++k) out.put(d.craft.rotor_speed(e, static_cast<int>(k)));
  d.craft.efforts(e, w.tau);
  if (!solution) std::fill(w.tau.begin(), w.tau.end(), std::numeric_limits<double>::quiet_NaN());
  for (const detail::SwitchedDof& dof : d.signals.dofs) out.put(w.tau[dof.speed]);
  for (const multibody::Reading& r : d.craft.sense(e)) {
    out.put(r.position);
    out.put(r.attitude);
    out.put(r.velocity.angular);
    out.put(r.velocity.linear);
    out.put(r.acceleration.angular);
    out.put(r.acceleration.linear);
    out.put(r.specific_force);
  }
  const multibody::SpacecraftTotals t = d.craft.totals(e);
  for (const double v : {t.mass, t.kinetic, t.deformation, t.springs, t.gravitational, t.energy})
    out.put(v);
  out.put(t.momentum);
  out.put(t.angular_momentum);
  out.put(t.centre);
  out.put(t.centre_velocity);
  if (!d.signals.reactions) return;
  for (std::size_t k = 0; k < model.tree.bodies.size(); ++k) {
    const spatial::Force f = d.craft.tree().reaction(e.tree(), static_cast<int>(k));
    out.put(f.moment);
    out.put(f.resultant);
  }
}

bool MultibodySystem::select(const Point& p, std::span<const std::uint8_t> present,
                             std::span<int> chosen, Workspace&) const noexcept {
  bool any = false;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const detail::SwitchedDof& dof = data_->signals.dofs[k];
    chosen[k] = -1;
    // of several at once the strongest: lock, then prescribe, then free
    for (int to = detail::locked; to >= detail::regular; --to) {
      const auto label = static_cast<std::size_t>(to);
      if (present[dof.hinge_labels + label] == 0 && present[dof.own_labels + label] == 0) continue;
      if (to != p.mode[k]) chosen[k] = 2 * p.mode[k] + (to > p.mode[k] ? to - 1 : to);
      break;
    }
    any |= chosen[k] >= 0;
  }
  return any;
}

void MultibodySystem::jump(const Point& p, std::span<const int> chosen, hybrid::Jump& jump,
                           Workspace& s) const noexcept {
  const Data& d = *data_;
  const Data::Work w = d.divide(s);
  const std::span<double> u = jump.x.subspan(d.signals.u, d.craft.tree().speeds());
  std::fill(w.prescribed.begin(), w.prescribed.end(), std::uint8_t{0});
  std::fill(w.locked.begin(), w.locked.end(), std::uint8_t{0});
  bool impact = false;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::size_t at = d.signals.dofs[k].speed;
    int to = p.mode[k];
    if (chosen[k] >= 0) {
      const hybrid::Automaton& a = d.signals.spec.automata[k];
      to = a.transitions[static_cast<std::size_t>(chosen[k])].to;
      w.locked[at] = to == detail::locked;
      impact |= to == detail::locked && u[at] != 0.0;
    }
    jump.mode[k] = to;
    w.prescribed[at] = to != detail::regular && w.locked[at] == 0;
  }
  if (!impact) return;
  SpacecraftEvaluation& e = evaluation(s);
  d.place(p, e);
  std::fill(w.acceleration.begin(), w.acceleration.end(), 0.0);
  const auto state = d.state(p.x);
  const Solution solution = multibody::impact(d.craft.tree(), e.tree(), state.q, state.u, w.locked,
                                              w.acceleration, w.prescribed, w.rates, w.tau);
  for (std::size_t k = 0; k < u.size(); ++k) {
    u[k] = w.locked[k] != 0 ? 0.0 : u[k] + w.rates[k];
    if (!solution) u[k] = std::numeric_limits<double>::quiet_NaN();
  }
}

bool MultibodySystem::explain(const Point& p, hybrid::Complaint& complaint,
                              Workspace& s) const noexcept {
  const Data& d = *data_;
  const Data::Work w = d.divide(s);
  SpacecraftEvaluation& e = evaluation(s);
  d.place(p, e);
  // rates of momenta and fuel are not wanted
  const std::size_t nu = d.craft.tree().speeds();
  const multibody::SpacecraftModel& model = d.craft.model();
  const std::span<double> rest = s.doubles().subspan(4 * nu + (2 * nu + 7) / 8 + 1);
  const std::size_t rotors = model.rotors.size(), tanks = model.tanks.size();
  const Solution solution = d.accelerate(p, w, rest.first(rotors), rest.subspan(rotors, tanks), e);
  int body = solution.singular;
  for (std::size_t k = 0; body < 0 && k < model.tree.bodies.size(); ++k) {
    // near its singular position rates grow beyond what a step can follow
    const int singular = multibody::facts(model.tree.bodies[k].hinge.kind).singular;
    if (singular < 0) continue;
    const double angle = p.x[d.craft.tree().block(static_cast<int>(k)).q + singular];
    if (std::abs(elementary::cos(angle)) < 1e-3) body = static_cast<int>(k);
  }
  if (body < 0) return false;
  const multibody::Body& b = model.tree.bodies[static_cast<std::size_t>(body)];
  std::snprintf(complaint.code, sizeof complaint.code, "V3140");
  const multibody::HingeFacts& kind = multibody::facts(b.hinge.kind);
  if (kind.singular >= 0) {
    std::snprintf(complaint.text, sizeof complaint.text,
                  "the %s hinge of %s is in its singular position (%s)", kind.name.data(),
                  b.name.c_str(), kind.singular_at.data());
  } else {
    std::snprintf(complaint.text, sizeof complaint.text,
                  "the hinge of %s cannot be solved: there is no inertia along a direction in "
                  "which it is free",
                  b.name.c_str());
  }
  return true;
}

}  // namespace vernier::mechanics
