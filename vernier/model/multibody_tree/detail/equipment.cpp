#include <algorithm>
#include <cmath>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/model/multibody_tree/detail/builder.hpp"

namespace vernier::multibody_tree::detail {

// Sloshing fuel

/// Adds a body of one point mass, connected to a node.
int Builder::add_body(const Element& e, const NodeId& at, double mass, const Vector3& centre,
                      HingeKind kind) {
  const int index = static_cast<int>(known_.size());
  Body b;
  b.name = trimmed(e.value("name"));
  Lump point;
  point.mass = mass;
  point.p = centre;
  b.inertia = multibody::rigid_inertia({point});
  b.hinge.name = b.name;
  b.hinge.kind = kind;
  b.hinge.parent = at.body;
  if (at.node >= 0) {
    b.hinge.outboard = body(at.body).nodes[static_cast<std::size_t>(at.node)];
  } else {
    b.hinge.outboard.name = "frame";
  }
  b.hinge.inboard.name = "frame";
  Known k;
  k.element = &e;
  const std::size_t n = multibody::speeds(kind);
  k.q.assign(n, 0.0);
  k.u.assign(n, 0.0);
  k.motion.assign(n, 0);
  k.held.assign(n, 0);
  craft_.model.tree.bodies.push_back(std::move(b));
  craft_.places.bodies.push_back({e.place, e.place, {}});
  known_.push_back(std::move(k));
  return index;
}

void Builder::read_pendulum(const Element& e) {
  std::string name;
  const bool named = take_name(e, name);
  const auto at = node_named(e, "at");
  const auto mass = positive(e, "mass", "kg"), length = positive(e, "length", "m"),
             damping = positive(e, "damping", "N*m*s/rad", true);
  if (!named || !at || !mass || !length || !damping) return;
  const int b = add_body(e, *at, *mass, Vector3(0.0, 0.0, -*length), HingeKind::universal);
  const char* axes[] = {"x", "y"};
  for (int s = 0; s < 2; ++s) {
    const std::string axis = axes[s];
    Known& k = known(b);
    k.q[static_cast<std::size_t>(s)] =
        quantities_.replaceable(name + "." + axis, e, axis, "rad", {0.0}, "at the start").front();
    k.u[static_cast<std::size_t>(s)] =
        quantities_
            .replaceable(name + "." + axis + "_rate", "rad/s", {0.0}, "its rate at the start")
            .front();
    multibody::HingeLaw law;
    law.body = b;
    law.speed = s;
    law.damping = *damping;
    craft_.model.laws.push_back(law);
  }
}

void Builder::read_slosh(const Element& e) {
  std::string name;
  const bool named = take_name(e, name);
  const auto at = node_named(e, "at");
  const auto mass = positive(e, "mass", "kg");
  const bool by_frequency = e.attribute("frequency") && e.attribute("damping");
  const bool by_stiffness = e.attribute("stiffness") && e.attribute("damper");
  if (by_frequency == by_stiffness ||
      (by_frequency && (e.attribute("stiffness") || e.attribute("damper"))) ||
      (by_stiffness && (e.attribute("frequency") || e.attribute("damping")))) {
    not_given(
        "V1626", "sloshing has either frequency and damping, or stiffness and damper", e,
        "frequency=\"0.3 Hz\" damping=\"0.01\" (the ratio to critical), or stiffness=\"… N/m\" "
        "damper=\"… N*s/m\"");
    return;
  }
  std::optional<double> k, d;
  if (by_frequency) {
    const auto w = quantities_.frequency(e, "frequency");
    const auto ratio = positive(e, "damping", "1", true);
    if (w && ratio && mass) {
      k = *mass * *w * *w;
      d = 2.0 * *ratio * *mass * *w;
    }
  } else {
    k = positive(e, "stiffness", "N/m", true);
    d = positive(e, "damper", "N*s/m", true);
  }
  if (!named || !at || !mass || !k || !d) return;
  // One prismatic hinge per axis, in series; only the last body has mass.
  const std::string along(e.value("along"));
  NodeId from = *at;
  for (std::size_t i = 0; i < along.size(); ++i) {
    const bool last = i + 1 == along.size();
    const std::string axis(1, along[i]);
    const int b = add_body(e, from, last ? *mass : 0.0, Vector3::Zero(), HingeKind::prismatic);
    if (!last) {
      body(b).name = name + "_" + axis;
      body(b).hinge.name = body(b).name;
      if (!names_.emplace(body(b).name, &e).second) {
        report_.error("V1310", "the name " + in_quotes(body(b).name) + " is used twice", e.place)
            .notes.push_back("sloshing along several axes has a body for each");
      }
    }
    multibody::Hinge& h = body(b).hinge;
    Matrix3 A = Matrix3::Identity();  // z along the axis, the others in cyclic order
    if (axis == "x") A << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    if (axis == "y") A << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    h.outboard.pose.R = h.outboard.pose.R * A;
    h.inboard.pose.R = A;
    const std::string parameter = body(b).name + ".slide";
    known(b).q[0] = quantities_.replaceable(parameter, "m", {0.0}, "at the start").front();
    known(b).u[0] =
        quantities_.replaceable(parameter + "_rate", "m/s", {0.0}, "its rate at the start").front();
    multibody::HingeLaw law;
    law.body = b;
    law.stiffness = *k;
    law.damping = *d;
    craft_.model.laws.push_back(law);
    from = NodeId{b, NodeId::frame};
  }
}

// Wheels, tanks, actuators

void Builder::read_wheel(const Element& e) {
  multibody::Rotor r;
  const bool named = take_name(e, r.name);
  const auto at = node_named(e, "at");
  const auto axis = quantities_.direction(e, "axis");
  auto inertia = positive(e, "inertia", "kg*m^2");
  auto friction = positive(e, "friction", "N*m*s/rad", true);
  const bool counted = e.value("counted") == "yes";
  if (inertia && friction) {
    // The inertia of a counted wheel is also part of its body, so it cannot be replaced alone.
    if (!counted)
      inertia =
          quantities_
              .replaceable(r.name + ".inertia", "kg*m^2", {*inertia}, "of the wheel about its axis")
              .front();
    friction =
        quantities_
            .replaceable(r.name + ".friction", "N*m*s/rad", {*friction}, "of the wheel, per speed")
            .front();
    if (!(*inertia > 0.0))
      report_.error("V1622", r.name + ".inertia must be greater than zero", e.place);
    if (!(*friction >= 0.0))
      report_.error("V1622", r.name + ".friction must not be negative", e.place);
  }
  const double speed =
      quantities_.replaceable(r.name + ".speed", e, "speed", "rad/s", {0.0}, "at the start")
          .front();
  if (!named || !at || !axis || !inertia || !friction) return;
  r.at = *at;
  r.axis = *axis;
  r.inertia = *inertia;
  r.speed = speed;
  r.friction = *friction;
  using Kind = multibody::Parameter::Kind;
  const std::size_t index = craft_.model.rotors.size();
  if (!counted) adjustable(r.name + ".inertia", "kg*m^2", Kind::rotor_inertia, index);
  adjustable(r.name + ".friction", "N*m*s/rad", Kind::rotor_friction, index);
  if (counted) {
    // The body keeps everything except the spin inertia about the axis: J -= I g gᵀ, and the same
    // for the modal terms if the node rotates with the modes.
    Body& b = body(at->body);
    const Node* node = at->node >= 0 ? &b.nodes[static_cast<std::size_t>(at->node)] : nullptr;
    const Vector3 g = node ? Vector3(node->pose.R * *axis) : *axis;
    const Matrix3 less = *inertia * g * g.transpose();
    b.inertia.inertia -= less;
    for (multibody::GivenMass& m : craft_.model.masses)
      if (m.body == at->body) m.less.push_back(less);
    if (g.dot(b.inertia.inertia * g) < 0.0) {
      report_
          .error("V1637",
                 "the wheel " + in_quotes(r.name) +
                     " has more inertia about its axis than the body " + in_quotes(b.name) +
                     " that is said to contain it",
                 Report::value_place(e, "inertia"))
          .notes.push_back(
              "counted=\"no\" when the inertia of the body is without the wheel's spin");
    }
    if (b.modes && node && node->phi_r.cols() > 0) {
      const Eigen::RowVectorXd turn = g.transpose() * node->phi_r;
      b.modes->H0 -= *inertia * g * turn;
      b.modes->mass -= *inertia * turn.transpose() * turn;
    }
  }
  craft_.model.rotors.push_back(std::move(r));
  craft_.places.rotors.push_back(e.place);
}

void Builder::read_tank(const Element& e) {
  multibody::Tank t;
  const bool named = take_name(e, t.name);
  const auto b = body_named(trimmed(e.value("body")), Report::value_place(e, "body"));
  const auto mass = positive(e, "mass", "kg");
  const auto centre = quantities_.vector(e, "centre", "m");
  t.fuel = quantities_.replaceable(t.name + ".fuel", e, "fuel", "kg", {0.0}, "fuel at the start")
               .front();
  if (!named || !b || !mass || !centre) return;
  t.body = *b;
  if (t.fuel < 0.0 || t.fuel > *mass) {
    report_.error("V1622", "fuel must be between zero and the mass of the full tank",
                  Report::value_place(e, "fuel"));
    return;
  }
  const auto full = inertia(*e.child("inertia"), *mass, *centre);
  if (!full) return;
  t.full = *full;
  craft_.model.tanks.push_back(std::move(t));
  craft_.places.tanks.push_back(e.place);
}

void Builder::read_actuator(const Element& e) {
  using Kind = multibody::Actuator::Kind;
  multibody::Actuator a;
  const bool named = take_name(e, a.name);
  const std::string_view kind = e.value("kind");
  a.kind = kind == "thruster" ? Kind::thruster
           : kind == "force"  ? Kind::force
           : kind == "moment" ? Kind::moment
                              : Kind::wrench;
  const auto at = node_named(e, "at");
  if (a.kind != Kind::thruster) {
    refuse_attributes(e, {"axis", "specific_impulse"}, "V1632", "is for thrusters");
    if (const Element* f = e.child("feed"))
      report_.error("V1632", "<feed> is for thrusters", f->place);
  } else if (!e.attribute("axis")) {
    not_given("V1625", "the thruster " + in_quotes(a.name) + " has no axis", e,
              "axis=\"0 0 1\": where it pushes the body, in the axes of its node");
  } else if (const auto axis = quantities_.direction(e, "axis")) {
    a.axis = *axis;
  }
  if (a.kind == Kind::thruster) read_feeds(e, a);
  if (!named || !at) return;
  a.at = *at;
  craft_.model.actuators.push_back(std::move(a));
  craft_.places.actuators.push_back(e.place);
}

/// The tanks that a thruster draws from: mass flow = thrust / (g0 Isp), divided by shares.
void Builder::read_feeds(const Element& e, multibody::Actuator& a) {
  constexpr double g0 = 9.80665;  // m/s², standard gravity
  const bool fed = e.child("feed");
  const auto impulse = positive(e, "specific_impulse", "s");
  if (fed != (e.attribute("specific_impulse") != nullptr)) {
    not_given("V1634",
              fed ? "the thruster " + in_quotes(a.name) + " burns fuel and has no specific impulse"
                  : "the thruster " + in_quotes(a.name) + " has a specific impulse and no <feed>",
              e,
              "a thruster that burns fuel has specific_impulse=\"… s\" and a <feed tank=\"…\"/>");
    return;
  }
  double sum = 0.0;
  bool complete = true;
  for (const Element& f : e.children) {
    const std::string_view name = trimmed(f.value("tank"));
    const auto& tanks = craft_.model.tanks;
    const auto tank =
        std::find_if(tanks.begin(), tanks.end(), [&](const auto& t) { return t.name == name; });
    if (tank == tanks.end()) {
      complete = false;
      const auto known = names_.find(name);
      if (known != names_.end() && known->second->name == "tank")
        continue;  // its own error was reported
      std::vector<std::string> names;
      for (const auto& t : tanks) names.push_back(t.name);
      Diagnostic& d = report_.error("V1634", "there is no tank " + in_quotes(name),
                                    Report::value_place(f, "tank"));
      if (const auto near = closest(name, names)) did_you_mean(d, *near);
      d.notes.push_back(names.empty() ? "the document has no <tank>" : "tanks: " + listed(names));
      continue;
    }
    std::optional<double> share = 1.0;
    if (f.attribute("share")) {
      share = positive(f, "share", "1", true);
    } else if (e.children.size() > 1) {
      not_given("V1634", "the share of the tank " + in_quotes(name) + " is not said", f,
                "several tanks share the flow: share=\"0.6\" and share=\"0.4\"");
      share.reset();
    }
    if (!share || !impulse) {
      complete = false;
      continue;
    }
    sum += *share;
    a.feeds.push_back({static_cast<int>(tank - tanks.begin()), *share / (g0 * *impulse)});
  }
  constexpr double rounding = 1e-9;
  if (fed && complete && std::abs(sum - 1.0) > rounding) {
    report_.error("V1634", "the shares of the tanks make " + exact(sum) + ", not 1", e.place);
  }
}

}  // namespace vernier::multibody_tree::detail
