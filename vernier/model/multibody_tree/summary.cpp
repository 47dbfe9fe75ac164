#include "vernier/model/multibody_tree/summary.hpp"

#include <algorithm>
#include <numbers>

#include "vernier/base/cost.hpp"

namespace vernier::multibody_tree {

namespace {

using multibody::Inertia;
using multibody::Matrix3;
using multibody::Vector3;

// The inertia about the centre of mass (Steiner's theorem).
Matrix3 central(const Inertia& i) {
  const Vector3& s = i.moment;
  return i.inertia - (s.squaredNorm() * Matrix3::Identity() - s * s.transpose()) / i.mass;
}

std::vector<double> elastic_hertz(const std::vector<double>& all) {
  std::vector<double> hertz;
  for (const double w : all)
    if (w > 0.0) hertz.push_back(w / (2.0 * std::numbers::pi));
  return hertz;
}

}  // namespace

Summary summary_of(const multibody::Spacecraft& craft, bool timed) {
  const multibody::SpacecraftModel& m = craft.model();
  const multibody::Tree& tree = craft.tree();
  Summary s;
  std::vector<double> momentum, fuel;
  for (std::size_t k = 0; k < m.rotors.size(); ++k)
    momentum.push_back(craft.momentum_at_start(static_cast<int>(k)));
  for (const multibody::Tank& t : m.tanks) fuel.push_back(t.fuel);

  std::vector<std::uint8_t> held(tree.speeds()), all(tree.speeds());
  std::vector<double> stiffness(tree.speeds());
  // Each body with the initial fuel of its tanks.
  for (std::size_t k = 0; k < m.tree.bodies.size(); ++k) {
    const multibody::Body& b = m.tree.bodies[k];
    const multibody::Block block = tree.block(static_cast<int>(k));
    Summary::Part part;
    part.name = b.name;
    part.at = b.hinge.parent == multibody::ground
                  ? "ground"
                  : m.tree.bodies[static_cast<std::size_t>(b.hinge.parent)].name;
    const std::string& node = b.hinge.outboard.name;
    if (!node.empty() && node != "ground") part.at += "." + node;
    part.hinge = multibody::facts(b.hinge.kind).name;
    part.dofs = block.speeds;
    part.modes = block.modes;
    Inertia i = b.inertia;
    for (const multibody::Tank& t : m.tanks) {
      if (t.body != static_cast<int>(k)) continue;
      const double share = t.fuel / t.full.mass;
      i.mass += share * t.full.mass;
      i.moment += share * t.full.moment;
      i.inertia += share * t.full.inertia;
    }
    part.mass = i.mass;
    if (i.mass > 0.0) {
      part.centre = i.moment / i.mass;
      part.inertia = central(i);
    }
    s.bodies.push_back(std::move(part));
    s.modes += block.modes;
    for (std::size_t j = block.u; j < block.u + block.speeds; ++j) {
      held[j] = m.prescribed[j] != 0;
      all[j] = 1;
      (m.prescribed[j] == 0 ? s.regular : m.prescribed[j] == 1 ? s.prescribed : s.locked) += 1;
    }
  }
  for (const multibody::HingeLaw& l : m.laws)
    stiffness[tree.block(l.body).u + static_cast<std::size_t>(l.speed)] += l.stiffness;

  multibody::SpacecraftEvaluation e(craft);
  const multibody::Spacecraft::State state{m.q, m.u, momentum, fuel};
  craft.place(state, e);
  const multibody::SpacecraftTotals t = craft.totals(e);
  s.mass = t.mass;
  s.fuel = t.fuel;
  const multibody::Pose bus = tree.pose(e.tree(), m.bus);
  s.centre = bus.R.transpose() * (t.centre - bus.p);
  s.inertia = bus.R.transpose() * central(composite_inertia(tree, e.tree())) * bus.R;

  s.free = elastic_hertz(frequencies(tree, e.tree(), m.q, stiffness, held));
  s.constrained = elastic_hertz(frequencies(tree, e.tree(), m.q, stiffness, all));
  constexpr const char* paths[] = {"automatic", "tree", "star"};
  s.path = paths[static_cast<std::size_t>(tree.path())];
  s.instructions = tree.instructions();

  if (!timed) return s;
  std::vector<double> udot(tree.speeds()), hdot(momentum.size()), fdot(fuel.size());
  const std::vector<double> commands(craft.commands()), zeros(tree.speeds());
  const auto rates = [&] {
    craft.place(state, e);
    static_cast<void>(craft.accelerate({zeros, zeros, held, commands, {}}, {udot, hdot, fdot}, e));
  };
  s.rates_us = cost_us(rates);
  s.sensing_us = cost_us([&] {
    rates();
    craft.sense(e);
    static_cast<void>(craft.totals(e));
  });
  return s;
}

}  // namespace vernier::multibody_tree
