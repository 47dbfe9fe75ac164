#include <algorithm>
#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/multibody/detail/spacecraft_data.hpp"

namespace vernier::multibody {

namespace detail {

Carried carried(const Model& m, NodeId id) {
  const Body& b = m.bodies[static_cast<std::size_t>(id.body)];
  switch (id.node) {
    case NodeId::frame:
      return {id.body, {}};
    case NodeId::inboard:
      return {id.body, b.hinge.inboard};
    case NodeId::outboard:
      return {b.hinge.parent, b.hinge.outboard};
    default:
      return {id.body, b.nodes[static_cast<std::size_t>(id.node)]};
  }
}

double law_energy(const HingeLaw& l, double q) noexcept {
  const double d = beyond_stop(l, q), x = q - l.rest;
  return 0.5 * (l.stiffness * x * x + l.stop_stiffness * d * d);
}

namespace {

// Throws ConfigurationError with all errors.
SpacecraftModel checked(SpacecraftModel m) {
  std::vector<Finding> findings = multibody::check(m.tree);
  const auto wrong = [](const Finding& f) { return f.severity == Severity::error; };
  // The equipment is checked only if the tree is valid, because indices refer to it.
  if (std::none_of(findings.begin(), findings.end(), wrong)) findings = multibody::check(m);
  Diagnostics problems;
  for (const Finding& f : findings)
    if (wrong(f)) problems.error(f.code, f.message, {});
  problems.throw_if_errors();
  return m;
}

}  // namespace
}  // namespace detail

using detail::ActuatorPath;
using detail::Carried;
using detail::carried;
using detail::LoadBank;
using detail::NodeBank;
using detail::SensorBank;

Spacecraft::Data::Data(SpacecraftModel m, Path path, Arithmetic arithmetic)
    : model(detail::checked(std::move(m))),
      tree(model.tree, path, arithmetic),
      kernels(&detail::node_kernels(chosen_instructions(), arithmetic)) {
  if (model.q.empty()) {
    model.q.resize(tree.coordinates());
    tree.set_zero(model.q);
  }
  model.u.resize(tree.speeds());
  model.prescribed.resize(tree.speeds());
  for (Rotor& r : model.rotors) r.axis.normalize();
  weightless = !model.central_gravity && model.tree.gravity.isZero(0.0);

  const auto shortens = [&](int body) {
    const auto& modes = model.tree.bodies[static_cast<std::size_t>(body)].modes;
    return modes && modes->shortens();
  };
  const auto load_bank = [&](int body) {
    const auto known =
        std::find_if(loads.begin(), loads.end(), [&](const LoadBank& b) { return b.body == body; });
    if (known != loads.end()) return static_cast<std::size_t>(known - loads.begin());
    const Block b = tree.block(body);
    loads.push_back({.body = body,
                     .modes = b.modes,
                     .first_q = b.q + b.coordinates,
                     .first_u = b.u + b.speeds,
                     .shortens = shortens(body),
                     .pushed = NodeBank(b.modes, shortens(body)),
                     .twisted = NodeBank(b.modes),
                     .gravity = model.central_gravity.has_value()});
    return loads.size() - 1;
  };

  for (const HingeLaw& l : model.laws) {
    const Block b = tree.block(l.body);
    const auto k = static_cast<std::size_t>(l.speed);
    const bool has_coordinate = b.coordinates == b.speeds;
    laws.push_back({l, b.u + k, has_coordinate ? std::optional(b.q + k) : std::nullopt});
  }

  // The lane of each actuator in its bank; offsets are known when the banks are complete.
  struct Lane {
    std::size_t bank = 0, push = 0, twist = 0;
  };
  std::vector<Lane> actuator_lanes, rotor_lanes;
  for (const Actuator& a : model.actuators) {
    using Kind = Actuator::Kind;
    const Carried c = carried(model.tree, a.at);
    Lane lane{load_bank(c.body)};
    LoadBank& bank = loads[lane.bank];
    ActuatorPath p;
    p.kind = a.kind;
    p.command = commands;
    p.R0 = c.node.pose.R;
    p.carrier = c.body;
    p.nozzle = c.node.pose.p;
    if (a.kind == Kind::thruster) p.direction = p.R0 * a.axis.normalized();
    if (a.kind != Kind::moment) {
      lane.push = bank.pushed.nodes();
      bank.pushed.add(c.node);
    }
    if (a.kind == Kind::moment || a.kind == Kind::wrench) {
      lane.twist = bank.twisted.nodes();
      bank.twisted.add(c.node);
    }
    burns |= !a.feeds.empty();
    command.push_back(commands);
    commands += a.kind == Kind::thruster ? 1 : a.kind == Kind::wrench ? 6 : 3;
    actuators.push_back(p);
    actuator_lanes.push_back(lane);
  }
  for (const Rotor& r : model.rotors) {
    const Carried c = carried(model.tree, r.at);
    Lane lane{load_bank(c.body)};
    lane.twist = loads[lane.bank].twisted.nodes();
    loads[lane.bank].twisted.add(c.node);
    rotors.push_back({.R0 = c.node.pose.R});
    rotor_lanes.push_back(lane);
  }
  if (model.central_gravity)
    for (std::size_t b = 0; b < model.tree.bodies.size(); ++b) load_bank(static_cast<int>(b));
  if (burns) bus_load = load_bank(model.bus);

  // All banks are known: assign offsets in the working memory.
  for (LoadBank& b : loads) {
    b.push_at = pushes;
    pushes += 3 * b.pushed.lanes();
    b.twist_at = pushes;
    pushes += 3 * b.twisted.lanes();
    b.pushed.finish();
    b.twisted.finish();
  }
  for (std::size_t k = 0; k < actuators.size(); ++k) {
    const Lane& lane = actuator_lanes[k];
    const LoadBank& b = loads[lane.bank];
    actuators[k].push = b.push_at + lane.push;
    actuators[k].push_stride = b.pushed.lanes();
    actuators[k].twist = b.twist_at + lane.twist;
    actuators[k].twist_stride = b.twisted.lanes();
  }
  for (std::size_t k = 0; k < rotors.size(); ++k) {
    const LoadBank& b = loads[rotor_lanes[k].bank];
    rotors[k].twist = b.twist_at + rotor_lanes[k].twist;
    rotors[k].stride = b.twisted.lanes();
  }

  for (std::size_t k = 0; k < model.sensors.size(); ++k) {
    const Carried c = carried(model.tree, model.sensors[k].at);
    auto bank = std::find_if(sensors.begin(), sensors.end(),
                             [&](const SensorBank& b) { return b.body == c.body; });
    if (bank == sensors.end()) {
      const Block b = tree.block(c.body);
      bank = sensors.insert(sensors.end(), {.body = c.body,
                                            .modes = b.modes,
                                            .first_q = b.q + b.coordinates,
                                            .first_u = b.u + b.speeds,
                                            .shortens = shortens(c.body),
                                            .nodes = NodeBank(b.modes, shortens(c.body))});
    }
    bank->nodes.add(c.node);
    bank->sensors.push_back(k);
  }
  for (SensorBank& b : sensors) {
    b.found_at = founds;
    founds += detail::sensed::count * b.nodes.lanes();
    b.nodes.finish();
  }
  // Bodies whose inertia changes during a run: tanks and parameters of mass.
  const auto vary = [&](int body) {
    if (std::find(varying.begin(), varying.end(), body) == varying.end()) varying.push_back(body);
  };
  for (const Tank& t : model.tanks) vary(t.body);
  for (const Parameter& p : model.parameters) {
    using Kind = Parameter::Kind;
    const auto k = static_cast<std::size_t>(p.index);
    const auto put = [&](std::initializer_list<double> values) {
      parameters.insert(parameters.end(), values);
    };
    switch (p.kind) {
      case Kind::mass:
        put({model.masses[k].mass});
        break;
      case Kind::place: {
        const Vector3& c = model.masses[k].place;
        put({c[0], c[1], c[2]});
        break;
      }
      case Kind::inertia: {
        const Matrix3& J = model.masses[k].inertia;
        put({J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)});
        break;
      }
      case Kind::stiffness:
        put({model.laws[k].stiffness});
        break;
      case Kind::damping:
        put({model.laws[k].damping});
        break;
      case Kind::friction:
        put({model.laws[k].friction});
        break;
      case Kind::rotor_inertia:
        put({model.rotors[k].inertia});
        break;
      case Kind::rotor_friction:
        put({model.rotors[k].friction});
        break;
      case Kind::frequency:
        parameters.insert(parameters.end(), model.modes[k].frequency.begin(),
                          model.modes[k].frequency.end());
        break;
      case Kind::ratio:
        parameters.insert(parameters.end(), model.modes[k].ratio.begin(),
                          model.modes[k].ratio.end());
        break;
    }
    if (p.kind <= Kind::inertia) vary(model.masses[k].body);
  }
}

}  // namespace vernier::multibody
