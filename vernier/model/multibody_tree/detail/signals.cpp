#include "vernier/model/multibody_tree/detail/signals.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::multibody_tree::detail {

namespace {

using hybrid::Signal;
using multibody::Actuator;
using multibody::Block;
using multibody::Body;
using multibody::HingeDof;
using multibody::HingeFacts;

// The root of each body. Only bodies with the same root interact.
std::vector<int> roots(const multibody::Model& m) {
  std::vector<int> root(m.bodies.size());
  for (std::size_t k = 0; k < root.size(); ++k) {
    int at = static_cast<int>(k);
    for (int up = at; up != multibody::ground;
         up = m.bodies[static_cast<std::size_t>(up)].hinge.parent)
      at = up;
    root[k] = at;
  }
  return root;
}

// Builds the signals of a spacecraft in a fixed order; Signals stores the offsets for
// MultibodySystem.
class SignalTable {
 public:
  SignalTable(const multibody::Spacecraft& craft, const std::vector<std::uint8_t>& held,
              bool reactions)
      : craft_(craft), model_(craft.model()), held_(held), root_(roots(model_.tree)) {
    s_.reactions = reactions;
  }

  Signals built() {
    add_states();
    add_inputs();
    add_outputs();
    add_automata();
    add_parameters();
    // Within a tree, every force affects every acceleration at once.
    for (const auto& [output, tree] : direct_) {
      for (const auto& [input, of] : driving_)
        if (tree == of) s_.spec.feedthrough.push_back({output, input});
    }
    s_.spec.condition_inputs.emplace();
    const std::size_t nu = craft_.tree().speeds();
    s_.spec.work = 4 * nu + (2 * nu + 7) / 8 + 1;
    return std::move(s_);
  }

 private:
  const Body& body(std::size_t k) const { return model_.tree.bodies[k]; }
  const HingeFacts& kind_of(std::size_t k) const { return multibody::facts(body(k).hinge.kind); }
  std::size_t bodies() const { return model_.tree.bodies.size(); }
  Block block(std::size_t k) const { return craft_.tree().block(static_cast<int>(k)); }
  int root_of(const multibody::NodeId& at) const {
    return root_[static_cast<std::size_t>(at.body)];
  }

  static void add(std::vector<Signal>& to, std::string name, const char* unit, std::size_t count,
                  std::string frame, std::string description,
                  std::optional<std::vector<double>> initial = {}) {
    to.push_back({std::move(name), unit, std::move(frame), static_cast<std::uint32_t>(count),
                  std::move(initial), std::move(description)});
  }
  static std::vector<double> part(const std::vector<double>& v, std::size_t first,
                                  std::size_t count) {
    const auto at = v.begin() + static_cast<std::ptrdiff_t>(first);
    return {at, at + static_cast<std::ptrdiff_t>(count)};
  }

  // q and u of a body, as states or as outputs.
  void add_coordinates(std::vector<Signal>& to, std::size_t k) {
    const Block b = block(k);
    const HingeFacts& kind = kind_of(k);
    const std::string& n = body(k).name;
    const auto& q = model_.q;
    if (kind.quaternion) {
      add(to, n + ".quaternion", "1", 4, "", "of the hinge, scalar last", part(q, b.q, 4));
      if (kind.position)
        add(to, n + ".position", "m", 3, parent_frame(k), "of the hinge", part(q, b.q + 4, 3));
    } else {
      const std::span<const HingeDof> all = kind.dofs;
      for (std::size_t i = 0; i < all.size(); ++i)
        add(to, n + "." + std::string(all[i].name), all[i].angle ? "rad" : "m", 1, "",
            all[i].angle ? "angle of the hinge" : "distance of the hinge", part(q, b.q + i, 1));
    }
    if (b.modes > 0)
      add(to, n + ".eta", "1", b.modes, "", "modal coordinates",
          part(q, b.q + b.coordinates, b.modes));
  }
  void add_speeds(std::vector<Signal>& to, std::size_t k) {
    const Block b = block(k);
    const HingeFacts& kind = kind_of(k);
    const std::string& n = body(k).name;
    const auto& u = model_.u;
    if (kind.quaternion) {
      add(to, n + ".rate", "rad/s", 3, n, "angular velocity of the hinge", part(u, b.u, 3));
      if (kind.position)
        add(to, n + ".velocity", "m/s", 3, n, "velocity of the hinge", part(u, b.u + 3, 3));
    } else {
      const std::span<const HingeDof> all = kind.dofs;
      for (std::size_t i = 0; i < all.size(); ++i)
        add(to, n + "." + std::string(all[i].name) + "_rate", all[i].angle ? "rad/s" : "m/s", 1, "",
            "its rate", part(u, b.u + i, 1));
    }
    if (b.modes > 0)
      add(to, n + ".eta_rate", "1/s", b.modes, "", "their rates", part(u, b.u + b.speeds, b.modes));
  }
  std::string parent_frame(std::size_t k) const {
    const int p = body(k).hinge.parent;
    return p == multibody::ground ? "N" : body(static_cast<std::size_t>(p)).name;
  }

  void add_states() {
    auto& to = s_.spec.states;
    for (std::size_t k = 0; k < bodies(); ++k) {
      if (kind_of(k).quaternion)
        s_.spec.unit_vectors.push_back({hybrid::size(to), 4, hybrid::UnitVector::Kind::quaternion});
      add_coordinates(to, k);
    }
    s_.u = hybrid::size(to);
    for (std::size_t k = 0; k < bodies(); ++k) add_speeds(to, k);
    s_.momentum = hybrid::size(to);
    for (std::size_t k = 0; k < model_.rotors.size(); ++k)
      add(to, model_.rotors[k].name + ".momentum", "N*m*s", 1, "", "inertial spin momentum",
          std::vector{craft_.momentum_at_start(static_cast<int>(k))});
    s_.fuel = hybrid::size(to);
    for (const multibody::Tank& t : model_.tanks)
      add(to, t.name + ".fuel", "kg", 1, "", "what is left", std::vector{t.fuel});
    s_.states = hybrid::size(to);
  }

  // A force or an acceleration for each dof; vector quantities are one signal. An acceleration of a
  // dof that is prescribed from the start has no default, so it must be connected.
  void add_hinge_inputs(bool acceleration) {
    auto& to = s_.spec.inputs;
    for (std::size_t k = 0; k < bodies(); ++k) {
      const Block b = block(k);
      const HingeFacts& kind = kind_of(k);
      const std::string& n = body(k).name;
      const auto open = [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i)
          if (acceleration && model_.prescribed[b.u + i] == prescribed &&
              (held_.empty() || held_[b.u + i] == 0))
            return true;
        return false;
      };
      const auto one = [&](const std::string& name, const char* unit, std::size_t first,
                           std::size_t count, const std::string& frame) {
        driving_.emplace_back(to.size(), root_[k]);
        std::optional<std::vector<double>> initial;
        if (!open(first, count)) initial.emplace(count, 0.0);
        add(to, name, unit, count, frame,
            acceleration ? "where the hinge is prescribed" : "on the body where it is regular",
            std::move(initial));
      };
      if (kind.quaternion) {
        one(n + (acceleration ? ".angular_acceleration" : ".torque"),
            acceleration ? "rad/s^2" : "N*m", 0, 3, n);
        if (kind.position)
          one(n + (acceleration ? ".linear_acceleration" : ".force"), acceleration ? "m/s^2" : "N",
              3, 3, n);
        continue;
      }
      const std::span<const HingeDof> all = kind.dofs;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string name = n + "." + std::string(all[i].name);
        if (acceleration) {
          one(name + "_acceleration", all[i].angle ? "rad/s^2" : "m/s^2", i, 1, "");
        } else {
          one(name + (all[i].angle ? "_torque" : "_force"), all[i].angle ? "N*m" : "N", i, 1, "");
        }
      }
    }
  }

  void add_inputs() {
    auto& to = s_.spec.inputs;
    add_hinge_inputs(false);
    s_.accelerations = hybrid::size(to);
    add_hinge_inputs(true);
    s_.commands = hybrid::size(to);
    const auto command = [&](const Actuator& a, const char* what, const char* unit,
                             std::size_t count, std::string frame) {
      driving_.emplace_back(to.size(), root_of(a.at));
      add(to, a.name + what, unit, count, std::move(frame), "command",
          std::vector<double>(count, 0.0));
    };
    for (const Actuator& a : model_.actuators) {
      switch (a.kind) {
        case Actuator::Kind::thruster:
          command(a, ".thrust", "N", 1, "");
          break;
        case Actuator::Kind::force:
          command(a, ".force", "N", 3, a.name);
          break;
        case Actuator::Kind::wrench:
        case Actuator::Kind::moment:
          command(a, ".moment", "N*m", 3, a.name);
          if (a.kind == Actuator::Kind::wrench) command(a, ".force", "N", 3, a.name);
          break;
      }
    }
    s_.torques = hybrid::size(to);
    for (const multibody::Rotor& r : model_.rotors) {
      driving_.emplace_back(to.size(), root_of(r.at));
      add(to, r.name + ".torque", "N*m", 1, "", "of the motor, on the wheel", std::vector{0.0});
    }
  }

  void add_direct(int tree, std::string name, const char* unit, std::size_t count,
                  std::string frame, std::string description) {
    direct_.emplace_back(s_.spec.outputs.size(), tree);
    add(s_.spec.outputs, std::move(name), unit, count, std::move(frame), std::move(description));
  }

  void add_outputs() {
    auto& to = s_.spec.outputs;
    for (std::size_t k = 0; k < bodies(); ++k) add_coordinates(to, k);
    for (std::size_t k = 0; k < bodies(); ++k) add_speeds(to, k);
    for (const multibody::Rotor& r : model_.rotors)
      add(to, r.name + ".momentum", "N*m*s", 1, "", "inertial spin momentum");
    for (const multibody::Tank& t : model_.tanks)
      add(to, t.name + ".fuel", "kg", 1, "", "what is left");
    for (const multibody::Rotor& r : model_.rotors)
      add(to, r.name + ".speed", "rad/s", 1, "", "relative to its carrier");
    for (Signal& s : to) s.initial.reset();
    for (std::size_t k = 0; k < bodies(); ++k) {
      const HingeFacts& kind = kind_of(k);
      const std::string& n = body(k).name;
      if (kind.quaternion) {
        add_direct(root_[k], n + ".moment_effort", "N*m", 3, n, "what acts, or is needed");
        if (kind.position)
          add_direct(root_[k], n + ".force_effort", "N", 3, n, "what acts, or is needed");
        continue;
      }
      for (const HingeDof& d : kind.dofs)
        add_direct(root_[k], n + "." + std::string(d.name) + "_effort", d.angle ? "N*m" : "N", 1,
                   "", "what acts along the hinge, or is needed");
    }
    const std::string bus = body(static_cast<std::size_t>(model_.bus)).name;
    for (const multibody::Sensor& s : model_.sensors) {
      const int tree = root_of(s.at);
      add(to, s.name + ".position", "m", 3, bus, "in the frame of the bus");
      add(to, s.name + ".attitude", "1", 4, "", "from the axes of the bus, scalar last");
      add(to, s.name + ".rate", "rad/s", 3, s.name, "angular velocity");
      add(to, s.name + ".velocity", "m/s", 3, s.name, "relative to the ground");
      add_direct(tree, s.name + ".angular_acceleration", "rad/s^2", 3, s.name, "");
      add_direct(tree, s.name + ".acceleration", "m/s^2", 3, s.name, "relative to the ground");
      add_direct(tree, s.name + ".specific_force", "m/s^2", 3, s.name,
                 "acceleration less gravity: what an accelerometer feels");
    }
    add(to, "mass", "kg", 1, "", "of everything");
    add(to, "kinetic_energy", "J", 1, "", "wheels included");
    add(to, "deformation_energy", "J", 1, "", "of the modes");
    add(to, "spring_energy", "J", 1, "", "of springs and stops of hinges");
    add(to, "gravity_energy", "J", 1, "", "potential");
    add(to, "energy", "J", 1, "", "all of these");
    add(to, "momentum", "N*s", 3, "N", "linear");
    add(to, "angular_momentum", "N*m*s", 3, "N", "about the origin of the ground");
    add(to, "centre", "m", 3, "N", "of mass");
    add(to, "centre_velocity", "m/s", 3, "N", "of the centre of mass");
    if (!s_.reactions) return;
    for (std::size_t k = 0; k < bodies(); ++k) {
      add_direct(root_[k], body(k).name + ".reaction_moment", "N*m", 3, body(k).name,
                 "of the hinge on the body");
      add_direct(root_[k], body(k).name + ".reaction_force", "N", 3, body(k).name,
                 "of the hinge on the body");
    }
  }

  void add_parameters() {
    std::size_t first = 0;
    for (const multibody::Parameter& p : model_.parameters) {
      const auto values = craft_.parameters().subspan(first, p.count);
      add(s_.spec.parameters, p.name, p.unit.c_str(), p.count, "", "",
          std::vector<double>(values.begin(), values.end()));
      first += p.count;
    }
  }

  std::size_t add_labels(const std::string& of) {
    const std::size_t first = s_.spec.events.size();
    for (const char* what : {".free", ".prescribe", ".lock"})
      s_.spec.events.push_back({of + what, true, false});
    return first;
  }

  void add_automata() {
    for (std::size_t k = 0; k < bodies(); ++k) {
      const std::span<const HingeDof> all = kind_of(k).dofs;
      if (all.empty()) continue;
      const std::string& n = body(k).name;
      const std::size_t hinge = add_labels(n);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string name = n + "." + std::string(all[i].name);
        const std::size_t own = all.size() > 1 ? add_labels(name) : hinge;
        const std::size_t speed = block(k).u + i;
        s_.dofs.push_back({static_cast<int>(k), speed, hinge, own});
        hybrid::Automaton a{name, {"regular", "prescribed", "locked"}, {}, 0};
        a.initial = model_.prescribed[speed];
        // Transitions 2 from and 2 from + 1 lead to the other two locations in order; select()
        // relies on this numbering.
        const char* verbs[] = {"free", "prescribe", "lock"};
        for (int from = 0; from < 3; ++from)
          for (int to = 0; to < 3; ++to)
            if (to != from)
              a.transitions.push_back({verbs[to], from, to, "on " + name + "." + verbs[to], true});
        s_.spec.automata.push_back(std::move(a));
      }
    }
  }

  const multibody::Spacecraft& craft_;
  const multibody::SpacecraftModel& model_;
  const std::vector<std::uint8_t>& held_;
  std::vector<int> root_;
  // Outputs that depend on forces, and inputs that affect them, each with the root of its tree:
  // their pairs are the feedthrough.
  std::vector<std::pair<std::size_t, int>> direct_, driving_;
  Signals s_;
};

}  // namespace

Signals signals_of(const multibody::Spacecraft& craft, const std::vector<std::uint8_t>& held,
                   bool reactions) {
  return SignalTable(craft, held, reactions).built();
}

}  // namespace vernier::multibody_tree::detail
