#pragma once

#include <algorithm>
#include <cmath>

#include "vernier/kernel/multibody/random_test.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"

/// Random spacecraft for property tests: everything that can stand around a tree.
namespace vernier::multibody {

struct RandomCraft {
  /// `central`: gravity of a point mass, else uniform.
  RandomCraft(unsigned seed, int bodies, bool central, RandomOptions options = {})
      : random(seed), craft(equipped(seed, random.model(bodies, options), central)) {
    choose_state(central);
  }
  /// Equips a given tree.
  RandomCraft(unsigned seed, Model tree, bool central)
      : random(seed), craft(equipped(seed, std::move(tree), central)) {
    choose_state(central);
  }

  void choose_state(bool central) {
    const Tree& tree = craft.tree();
    q = random.coordinates(tree);
    u = random.speeds(tree, 0.6);
    for (const HingeLaw& l : craft.model().laws) {
      // differences must not cross the kink of a stop
      double& x = q[tree.block(l.body).q + static_cast<std::size_t>(l.speed)];
      for (const double stop : {l.lower, l.upper})
        if (std::abs(x - stop) < 0.02) x = stop + 0.02;
    }
    const SpacecraftModel& m = craft.model();
    for (std::size_t k = 0; k < m.rotors.size(); ++k) momentum.push_back(random.real(-2.0, 2.0));
    // one tank nearly empty, where thrust fades
    for (std::size_t k = 0; k < m.tanks.size(); ++k)
      fuel.push_back(m.tanks[k].full.mass * (k == 1 ? 0.4e-4 : random.real(0.2, 0.9)));
    if (central) {
      for (std::size_t k = 0; k < m.tree.bodies.size(); ++k) {
        if (m.tree.bodies[k].hinge.parent == ground)
          q[tree.block(static_cast<int>(k)).q + 4] += 9.0;
      }
    }
    force = random.speeds(tree, 3.0);
    acceleration = random.speeds(tree, 1.0);
    prescribed.assign(tree.speeds(), 0);
    for (std::size_t b = 0; b < m.tree.bodies.size(); ++b) {
      const Block block = tree.block(static_cast<int>(b));
      for (std::size_t i = 0; i < block.speeds; ++i)
        prescribed[block.u + i] = random.integer(0, 4) == 0 ? 1 : 0;
    }
    for (std::size_t k = 0; k < craft.commands(); ++k) commands.push_back(random.real(0.2, 3.0));
    for (std::size_t k = 0; k < m.rotors.size(); ++k) torque.push_back(random.real(-0.5, 0.5));
  }

  SpacecraftModel equipped(unsigned seed, Model tree, bool central) {
    SpacecraftModel m;
    m.tree = std::move(tree);
    const int bodies = static_cast<int>(m.tree.bodies.size());
    if (central) {
      m.central_gravity = CentralGravity{300.0};
    } else {
      m.tree.gravity = random.vector(3.0);
    }
    m.bus = random.integer(0, bodies - 1);
    const auto any = [&]() -> NodeId {
      const int body = random.integer(0, bodies - 1);
      const auto& nodes = m.tree.bodies[static_cast<std::size_t>(body)].nodes;
      return {body, random.integer(0, std::min(6, static_cast<int>(nodes.size()) - 1))};
    };
    for (int k = 0; k < 2; ++k) {
      Tank t;
      t.name = "tank" + std::to_string(k);
      t.body = random.integer(0, bodies - 1);
      t.full.mass = random.real(1.0, 4.0);
      t.full.moment = t.full.mass * random.vector(0.3);
      const Vector3 c = t.full.moment / t.full.mass;
      t.full.inertia = t.full.mass * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose()) +
                       0.05 * t.full.mass * Matrix3::Identity();
      t.fuel = 0.5 * t.full.mass;
      m.tanks.push_back(t);
    }
    for (int k = 0; k < 6; ++k) {
      Actuator a;
      a.name = "actuator" + std::to_string(k);
      a.kind = static_cast<Actuator::Kind>(k % 4);
      a.at = any();
      a.axis = random.vector(1.0);
      if (a.kind == Actuator::Kind::thruster) a.feeds = {{k / 4, 3e-2}, {1 - k / 4, 1e-2}};
      m.actuators.push_back(a);
    }
    for (int k = 0; k < 2; ++k) {
      Rotor r;
      r.name = "rotor" + std::to_string(k);
      r.at = any();
      r.axis = random.vector(1.0).normalized();
      r.inertia = 0.04;
      r.friction = 1e-3;
      m.rotors.push_back(r);
    }
    for (int k = 0; k < 2; ++k) m.sensors.push_back({"sensor" + std::to_string(k), any()});
    for (int b = 1; b < bodies; ++b) {
      const HingeKind kind = m.tree.bodies[static_cast<std::size_t>(b)].hinge.kind;
      if (speeds(kind) == 0 || seed % 4 == 3) continue;
      HingeLaw l;
      l.body = b;
      l.damping = 0.3;
      l.friction = 0.2;
      l.friction_speed = 0.1;
      if (!facts(kind).quaternion) {
        l.stiffness = 4.0;
        l.rest = 0.1;
        l.lower = -0.2;
        l.upper = 0.2;
        l.stop_stiffness = 50.0;
        l.stop_damping = 1.0;
      }
      m.laws.push_back(l);
    }
    return m;
  }
  Spacecraft::State state() const { return {q, u, momentum, fuel}; }
  Spacecraft::Commands all_commands() const {
    return {force, acceleration, prescribed, commands, torque};
  }

  RandomTree random;
  Spacecraft craft;
  std::vector<double> q, u, momentum, fuel, force, acceleration, commands, torque;
  std::vector<std::uint8_t> prescribed;
};

}  // namespace vernier::multibody
