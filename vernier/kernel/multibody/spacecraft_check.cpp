#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "vernier/kernel/dense/dense.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody {

namespace {

class Checks {
 public:
  explicit Checks(const SpacecraftModel& m) : m_(m) {}

  std::vector<Finding> all() {
    if (!has_body(m_.bus)) add("V1660", "the bus is not a body of the model", ground);
    for (const HingeLaw& l : m_.laws) law(l);
    for (const Actuator& a : m_.actuators) actuator(a);
    for (const Sensor& s : m_.sensors) node(s.at, "sensor " + s.name);
    for (const Rotor& r : m_.rotors) rotor(r);
    for (const Tank& t : m_.tanks) tank(t);
    if (m_.central_gravity && !(m_.central_gravity->mu > 0.0))
      add("V1662", "mu of the central gravity must be positive", ground);
    for (const Parameter& p : m_.parameters) parameter(p);
    start();
    return std::move(found_);
  }

 private:
  void add(const char* code, std::string message, int body) {
    found_.push_back({Severity::error, code, std::move(message), {}, body, -1});
  }
  static std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }
  bool has_body(int b) const { return b >= 0 && index(b) < m_.tree.bodies.size(); }
  const Body& body(int b) const { return m_.tree.bodies[index(b)]; }

  bool node(const NodeId& at, const std::string& who) {
    bool there = has_body(at.body);
    if (there) {
      const Body& b = body(at.body);
      there = at.node >= NodeId::frame && at.node < static_cast<int>(b.nodes.size()) &&
              !(at.node == NodeId::outboard && b.hinge.parent == ground);
    }
    if (!there) add("V1660", who + " is at a node that no body has", ground);
    return there;
  }

  void law(const HingeLaw& l) {
    if (!has_body(l.body))
      return add("V1660", "a hinge law is for a body that is not there", ground);
    const Hinge& h = body(l.body).hinge;
    const std::string who = "the hinge of " + body(l.body).name;
    if (l.speed < 0 || index(l.speed) >= speeds(h.kind))
      return add("V1661", who + " has no degree of freedom for its law", l.body);
    const bool has_coordinate = coordinates(h.kind) == speeds(h.kind);
    const bool stops = l.stop_stiffness != 0.0 || l.stop_damping != 0.0;
    if ((l.stiffness != 0.0 || stops) && !has_coordinate)
      add("V1661", who + " turns freely: springs and stops need an angle or a distance", l.body);
    for (const double x : {l.stiffness, l.damping, l.friction, l.stop_stiffness, l.stop_damping})
      if (!(x >= 0.0) || !std::isfinite(x))
        return add("V1662", who + ": stiffness, damping and friction must not be negative", l.body);
    if (!std::isfinite(l.rest) || !(l.friction_speed > 0.0) || !std::isfinite(l.friction_speed))
      add("V1662", who + ": rest must be a number and friction_speed positive", l.body);
    if (!(l.lower < l.upper))
      add("V1662", who + ": the lower stop must be below the upper", l.body);
  }

  void actuator(const Actuator& a) {
    const std::string who = "actuator " + a.name;
    node(a.at, who);
    const bool thruster = a.kind == Actuator::Kind::thruster;
    if (thruster && !(a.axis.norm() > 0.0 && a.axis.allFinite()))
      add("V1662", who + ": its axis must not be zero", a.at.body);
    if (!thruster && !a.feeds.empty()) add("V1661", who + ": only thrusters burn fuel", a.at.body);
    for (const Actuator::Feed& f : a.feeds) {
      if (f.tank < 0 || index(f.tank) >= m_.tanks.size())
        add("V1660", who + " empties a tank that is not there", a.at.body);
      if (!(f.flow >= 0.0) || !std::isfinite(f.flow))
        add("V1662", who + ": its flow must not be negative", a.at.body);
    }
  }

  void rotor(const Rotor& r) {
    const std::string who = "wheel " + r.name;
    node(r.at, who);
    if (!(r.axis.norm() > 0.0 && r.axis.allFinite()))
      add("V1662", who + ": its axis must not be zero", r.at.body);
    if (!(r.inertia > 0.0) || !std::isfinite(r.inertia))
      add("V1662", who + ": its inertia must be positive", r.at.body);
    if (!(r.friction >= 0.0) || !std::isfinite(r.friction) || !std::isfinite(r.speed))
      add("V1662", who + ": its friction must not be negative, and its speed a number", r.at.body);
  }

  void tank(const Tank& t) {
    const std::string who = "tank " + t.name;
    if (!has_body(t.body)) return add("V1660", who + " is in a body that is not there", ground);
    if (!(t.full.mass > 0.0) || !t.full.moment.allFinite() || !t.full.inertia.allFinite())
      return add("V1662", who + ": what a full tank adds must have a positive mass", t.body);
    if (!(t.fuel >= 0.0) || !(t.fuel <= t.full.mass))
      add("V1663", who + ": its fuel must be between zero and what a full tank holds", t.body);
  }

  void parameter(const Parameter& p) {
    using Kind = Parameter::Kind;
    const std::size_t many = p.kind <= Kind::inertia          ? m_.masses.size()
                             : p.kind <= Kind::friction       ? m_.laws.size()
                             : p.kind <= Kind::rotor_friction ? m_.rotors.size()
                                                              : m_.modes.size();
    const bool there = p.index >= 0 && index(p.index) < many;
    if (!there || (p.kind <= Kind::inertia && !has_body(m_.masses[index(p.index)].body)))
      add("V1660", "the parameter " + p.name + " is of something that is not there", ground);
  }

  void start() {
    std::size_t nq = 0, nu = 0;
    for (const Body& b : m_.tree.bodies) {
      nq += coordinates(b.hinge.kind) + b.mode_count();
      nu += speeds(b.hinge.kind) + b.mode_count();
    }
    const auto fits = [](const auto& v, std::size_t n) { return v.empty() || v.size() == n; };
    if (!fits(m_.q, nq) || !fits(m_.u, nu) || !fits(m_.prescribed, nu))
      return add("V1664", "the initial state does not have the size of the model", ground);
    for (const double x : m_.q)
      if (!std::isfinite(x)) return add("V1664", "the initial state is not finite", ground);
    for (const double x : m_.u)
      if (!std::isfinite(x)) return add("V1664", "the initial state is not finite", ground);
    if (m_.prescribed.empty()) return;
    std::size_t at = 0;
    for (std::size_t k = 0; k < m_.tree.bodies.size(); ++k) {
      const Body& b = m_.tree.bodies[k];
      const std::size_t hinge = speeds(b.hinge.kind);
      for (std::size_t i = 0; i < hinge + b.mode_count(); ++i, ++at) {
        const int status = m_.prescribed[at];
        if (status > 2 || (status != 0 && i >= hinge))
          add("V1661", "modes of " + b.name + " cannot be prescribed", static_cast<int>(k));
        if (status == 2 && !m_.u.empty() && m_.u[at] != 0.0)
          add("V1661", "the hinge of " + b.name + " is locked and moves at the start",
              static_cast<int>(k));
      }
    }
  }

  const SpacecraftModel& m_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> check(const SpacecraftModel& m) { return Checks(m).all(); }

std::vector<Finding> check_modes_at_start(const SpacecraftModel& m) {
  std::vector<Finding> found;
  const auto still = [](const std::vector<double>& x) {
    return std::ranges::all_of(x, [](double v) { return v == 0.0; });
  };
  const auto text = [](double x) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.3g", x);
    return std::string(digits);
  };
  std::optional<Tree> tree;
  std::optional<Evaluation> e;
  std::size_t eta = 0;
  for (std::size_t b = 0; b < m.tree.bodies.size(); ++b) {
    const Body& body = m.tree.bodies[b];
    const std::size_t n = body.mode_count();
    eta += coordinates(body.hinge.kind);
    for (std::size_t i = 0; i < n && !m.q.empty(); ++i) {
      const double bound = modal_bound(body.inertia, *body.modes, i);
      if (!(std::abs(m.q[eta + i]) > bound)) continue;
      found.push_back({Severity::error,
                       "V1617",
                       "mode " + std::to_string(i + 1) + " of body \"" + body.name +
                           "\" starts at eta = " + text(m.q[eta + i]) +
                           ", outside its range of validity (" + text(bound) + ")",
                       {},
                       static_cast<int>(b)});
    }
    eta += n;
    if (n == 0 || body.modes->shortens() || still(m.u)) continue;
    const double square = dense::symmetric_eigenvalues(body.modes->stiffness, body.modes->mass)[0];
    if (!(square > 0.0)) continue;
    if (!tree) {
      tree.emplace(m.tree, Path::tree);
      e.emplace(*tree);
      std::vector<double> q = m.q;
      if (q.empty()) {
        q.resize(tree->coordinates());
        tree->set_zero(q);
      }
      tree->place(q, m.u, *e);
    }
    const double spin = tree->motion(*e, static_cast<int>(b)).angular.norm();
    if (!(spin > std::sqrt(square) / 3.0)) continue;
    found.push_back({Severity::warning,
                     "V1614",
                     "body \"" + body.name + "\" turns at " + text(spin) +
                         " rad/s at the start, more than a third of its lowest frequency (" +
                         text(std::sqrt(square)) +
                         " rad/s), and its modes have no geometric stiffness" +
                         (body.modes->S2.empty() ? "" : ": order 0 does not use it"),
                     {},
                     static_cast<int>(b)});
  }
  return found;
}

}  // namespace vernier::multibody
