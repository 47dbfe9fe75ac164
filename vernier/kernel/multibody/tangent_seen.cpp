// Derivatives of the observations of a spacecraft by states, commands and parameters, and the
// effect of parameters.
#include <algorithm>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/multibody/detail/tangent_data.hpp"
#include "vernier/kernel/spatial/dual.hpp"

namespace vernier::multibody {

using detail::slope_lanes;
using detail::Sweep;

void SpacecraftTangent::Data::describe_sensors() {
  const auto& layout = tree->layout;
  for (const Sensor& sensor : craft->model().sensors) {
    const detail::Carried c = detail::carried(craft->model().tree, sensor.at);
    detail::PlainSensor to;
    to.node = layout.node_index(sensor.at);
    to.on_bus = c.body == craft->model().bus;
    std::copy_n(layout.node({c.body, NodeId::frame}).R0, 9, to.frame);
    const spatial::Quaternion q = detail::quaternion_of(c.node.pose.R.transpose());
    std::copy_n(q.data(), 4, to.attitude);
    const Matrix3X& phi = c.node.phi_r;
    shapes.emplace_back(phi.data(), phi.data() + phi.size());
    if (phi.cols() > 0) to.rotation = shapes.back().data();
    sensors.push_back(to);
  }
}

namespace {

/// A parameter of a law or a mode acts as a force along its speed, one of a rotor as a torque on
/// it: the equivalent command, and its factor.
struct ActsAs {
  int direction = 0;
  double by = 0.0;
};
ActsAs acts_as(const Parameter& p, std::size_t element, const detail::Directions& at,
               const SpacecraftEvaluation::Data& w, std::span<const double> rotor_speed) noexcept {
  using Kind = Parameter::Kind;
  const auto k = static_cast<std::size_t>(p.index);
  if (p.kind >= Kind::frequency) {
    const GivenModes& g = w.modes[k];
    std::size_t first = 0;
    for (std::size_t i = 0; i < k; ++i) first += w.modes[i].mass.size();
    const auto& m = w.softer[first + element];
    const double twice = 2.0 * g.mass[element];
    const double by = p.kind == Kind::ratio
                          ? g.frequency[element] * w.u[m.u]
                          : g.frequency[element] * w.q[m.q] + g.ratio[element] * w.u[m.u];
    return {at.force + static_cast<int>(m.u), -twice * by};
  }
  if (p.kind == Kind::rotor_inertia || p.kind == Kind::rotor_friction) {
    const auto& r = w.rotors[k];
    const double by = p.kind == Kind::rotor_friction
                          ? -rotor_speed[k]
                          : r.friction * w.momentum[k] / (r.inertia * r.inertia);
    return {at.torque + p.index, by};
  }
  const detail::LawPath& l = w.laws[k];
  const double q = l.q ? w.q[*l.q] : 0.0, u = w.u[l.u];
  double by = -elementary::tanh(u / l.law.friction_speed);
  if (p.kind == Kind::stiffness) by = -(q - l.law.rest);
  if (p.kind == Kind::damping) by = -u;
  return {at.force + static_cast<int>(l.u), by};
}

}  // namespace

void SpacecraftTangent::Data::add_parameters() noexcept {
  const std::size_t rows = rates.size();
  double* to = by_parameter.data();
  int inertial = point.at.inertia;
  for (std::size_t k = 0; k < rotors.size(); ++k)
    rotor_speed[k] = craft->rotor_speed(evaluation, static_cast<int>(k));
  for (const Parameter& of : craft->model().parameters) {
    if (of.kind <= Parameter::Kind::inertia) {
      for (std::size_t i = 0; i < of.count; ++i, to += rows)
        std::copy_n(column(inertial++), rows, to);
      continue;
    }
    for (std::size_t k = 0; k < of.count; ++k, to += rows) {
      const ActsAs as = acts_as(of, k, point.at, evaluation.data(), rotor_speed);
      const double* from = column(as.direction);
      for (std::size_t i = 0; i < rows; ++i) to[i] = as.by * from[i];
    }
  }
}

double* SpacecraftTangent::Data::seen(int direction) noexcept {
  const detail::Directions& at = point.at;
  if (direction < at.force)
    return seen_by_state.data() + static_cast<std::size_t>(direction) * observations;
  if (direction < at.inertia)
    return seen_by_command.data() + static_cast<std::size_t>(direction - at.force) * observations;
  return seen_by_inertia.data() + static_cast<std::size_t>(direction - at.inertia) * observations;
}

void SpacecraftTangent::Data::observe() noexcept {
  int some[slope_lanes];
  for (int first = 0; first < point.at.count; first += slope_lanes) {
    const int count = std::min(slope_lanes, point.at.count - first);
    for (int i = 0; i < count; ++i) some[i] = first + i;
    see({some, static_cast<std::size_t>(count)});
  }
  see_laws();
  see_parameters();
}

void SpacecraftTangent::Data::see(std::span<const int> directions) noexcept {
  const auto size = static_cast<std::size_t>(n), first = static_cast<std::size_t>(point.at.u);
  Sweep& sweep = everything.sweep;
  sweep.count = static_cast<int>(directions.size());
  std::copy(directions.begin(), directions.end(), sweep.directions);
  std::fill_n(udot_slopes.get(), size * slope_lanes, 0.0);
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const double* from = column(directions[i]) + first;
    for (std::size_t j = 0; j < size; ++j) udot_slopes.get()[j * slope_lanes + i] = from[j];
  }
  double* const rows = view.get();
  const auto row = [&](std::size_t k) { return rows + k * slope_lanes; };
  double* const rest = row(observations);
  double* const of_rotors = rest + size * slope_lanes;
  double* const of_tanks = of_rotors + rotors.size() * slope_lanes;
  code->observe(point, sweep, udot_slopes.get(),
                {rest, of_rotors, of_tanks, of_tanks + craft->model().tanks.size() * slope_lanes},
                {rows, row(efforts), row(readings), row(totals), row(reactions)});
  for (std::size_t i = 0; i < directions.size(); ++i) {
    double* to = seen(directions[i]);
    for (std::size_t k = 0; k < reactions; ++k) to[k] = row(k)[i];
    // Reactions are reordered from links to bodies.
    for (std::size_t b = 0; b < tree->layout.link_of.size(); ++b) {
      const auto link = static_cast<std::size_t>(tree->layout.link_of[b]);
      for (std::size_t k = 0; k < 6; ++k)
        to[reactions + 6 * b + k] = row(reactions + 6 * link + k)[i];
    }
    // The effort of a regular speed is its command plus its laws.
    for (std::size_t k = 0; k < size; ++k)
      if (regular[k] != 0.0) to[efforts + k] = 0.0;
    const int speed = directions[i] - point.at.force;
    if (speed >= 0 && speed < n && regular[static_cast<std::size_t>(speed)] != 0.0)
      to[efforts + static_cast<std::size_t>(speed)] = 1.0;
  }
}

/// Contributions of hinge laws to efforts and spring energy, and of modes that differ from the
/// model to the deformation energy.
void SpacecraftTangent::Data::see_laws() noexcept {
  using Slopes = spatial::Dual<2>;
  const auto& w = evaluation.data();
  for (const detail::LawPath& l : w.laws) {
    const Slopes f = detail::law_force(l.law, Slopes::variable(l.q ? w.q[*l.q] : 0.0, 0),
                                       Slopes::variable(w.u[l.u], 1));
    const bool free = regular[l.u] != 0.0;
    if (free) seen(point.at.u + static_cast<int>(l.u))[efforts + l.u] += f.d[1];
    if (!l.q) continue;
    double* by_q = seen(point.at.q + static_cast<int>(*l.q));
    if (free) by_q[efforts + l.u] += f.d[0];
    const double x = w.q[*l.q];
    const double energy =
        l.law.stiffness * (x - l.law.rest) + l.law.stop_stiffness * detail::beyond_stop(l.law, x);
    by_q[totals + detail::total_springs] += energy;
    by_q[totals + detail::total_energy] += energy;
  }
  for (const auto& m : w.softer) {
    double* by_q = seen(point.at.q + static_cast<int>(m.q));
    by_q[totals + detail::total_deformation] += m.K * w.q[m.q];
    by_q[totals + detail::total_energy] += m.K * w.q[m.q];
  }
}

void SpacecraftTangent::Data::see_parameters() noexcept {
  using Kind = Parameter::Kind;
  const auto& w = evaluation.data();
  double* to = seen_by_parameter.data();
  int inertial = point.at.inertia;
  for (const Parameter& of : craft->model().parameters) {
    const auto k = static_cast<std::size_t>(of.index);
    if (of.kind <= Kind::inertia) {
      for (std::size_t i = 0; i < of.count; ++i, to += observations)
        std::copy_n(seen(inertial++), observations, to);
      continue;
    }
    for (std::size_t e = 0; e < of.count; ++e, to += observations) {
      const ActsAs as = acts_as(of, e, point.at, w, rotor_speed);
      const double* from = seen(as.direction);
      for (std::size_t i = 0; i < observations; ++i) to[i] = as.by * from[i];
      double energy = 0.0;
      if (of.kind == Kind::stiffness && w.laws[k].q) {
        const double x = w.q[*w.laws[k].q] - w.laws[k].law.rest;
        energy = 0.5 * x * x;
        to[totals + detail::total_springs] += energy;
      }
      if (of.kind == Kind::rotor_inertia) {
        const double h = w.momentum[k], over = 1.0 / (w.rotors[k].inertia * w.rotors[k].inertia);
        to[k] -= h * over;
        energy = -0.5 * h * h * over;
        to[totals + detail::total_kinetic] += energy;
      }
      if (of.kind == Kind::frequency) {
        const Block b = craft->tree().block(w.modes[k].body);
        const double eta = w.q[b.q + b.coordinates + e];
        energy = w.modes[k].mass[e] * w.modes[k].frequency[e] * eta * eta;
        to[totals + detail::total_deformation] += energy;
      }
      to[totals + detail::total_energy] += energy;
    }
  }
}

}  // namespace vernier::multibody
