#include "vernier/kernel/multibody/tangent.hpp"

#include <algorithm>

#include "vernier/kernel/multibody/detail/tangent_data.hpp"
#include "vernier/kernel/spatial/dual.hpp"

namespace vernier::multibody {

using detail::OwnedSweep;
using detail::slope_lanes;
using detail::Sweep;
using detail::TreeLink;

namespace {

const detail::TangentCode& code_of(Instructions set) noexcept {
#if defined(VERNIER_WIDE_INSTRUCTIONS)
  if (set == Instructions::avx512) return detail::tangent_avx512;
  if (set == Instructions::avx2) return detail::tangent_avx2;
#endif
  static_cast<void>(set);
  return detail::tangent_sse2;
}

void put3(const Vector3& v, double* to) { std::copy_n(v.data(), 3, to); }

/// The derivative of inertia_of() with respect to element i of a parameter.
Inertia inertia_by(const GivenMass& g, Parameter::Kind kind, int i) noexcept {
  const bool moment = g.by_moment && g.mass > 0.0;
  const Vector3 c = moment ? Vector3(g.place / g.mass) : g.place;
  // Derivatives of the mass, the centre and the inertia as given.
  double m = 0.0;
  Vector3 dc = Vector3::Zero();
  Matrix3 J = Matrix3::Zero();
  switch (kind) {
    case Parameter::Kind::mass:
      m = 1.0;
      if (moment) dc = -c / g.mass;
      break;
    case Parameter::Kind::place:
      dc[i] = moment ? 1.0 / g.mass : 1.0;
      break;
    default:
      constexpr int rows[] = {0, 1, 2, 0, 0, 1}, columns[] = {0, 1, 2, 1, 2, 2};
      J(rows[i], columns[i]) = J(columns[i], rows[i]) = 1.0;
      break;
  }
  if (g.about_centre) {
    const auto products = [](const Vector3& a, const Vector3& b) -> Matrix3 {
      return a.dot(b) * Matrix3::Identity() - a * b.transpose();
    };
    J += m * products(c, c) + g.mass * (products(c, dc) + products(dc, c));
  }
  return {m, m * c + g.mass * dc, J};
}

}  // namespace

SpacecraftTangent::Data::Data(const Spacecraft& s)
    : craft(&s),
      tree(&s.tree().data()),
      code(&code_of(tree->instructions)),
      evaluation(s),
      n(static_cast<int>(s.tree().speeds())) {
  const auto size = static_cast<std::size_t>(n);
  const std::size_t rotor_count = s.model().rotors.size(), tank_count = s.model().tanks.size();
  point.layout = tree->view;
  describe_craft();
  detail::Directions& at = point.at;
  at.q = 0;
  at.u = at.q + tree->view.coordinates;
  at.momentum = at.u + n;
  at.fuel = at.momentum + static_cast<int>(rotor_count);
  at.force = at.fuel + static_cast<int>(tank_count);
  at.acceleration = at.force + n;
  at.commands = at.acceleration + n;
  at.torque = at.commands + static_cast<int>(s.commands());
  at.inertia = at.torque + static_cast<int>(rotor_count);
  at.count = at.inertia + point.craft.inertia_count;

  // The path from each speed to the ground: the sparsity of M.
  above.assign(size, -1);
  std::vector<int> last(tree->layout.links.size(), -1);
  for (std::size_t k = 0; k < tree->layout.links.size(); ++k) {
    const TreeLink& link = tree->layout.links[k];
    int before = link.parent < 0 ? -1 : last[static_cast<std::size_t>(link.parent)];
    const auto add = [&](int first, int count) {
      for (int i = first; i < first + count; ++i) {
        above[static_cast<std::size_t>(i)] = before;
        before = i;
        order.push_back(i);
      }
    };
    add(link.u, link.speeds);
    add(link.u_modes, link.modes);
    last[k] = before;
  }
  for (int i = 0; i < n; ++i) {
    way_begins.push_back(static_cast<int>(ways.size()));
    for (int j = above[static_cast<std::size_t>(i)]; j >= 0; j = above[static_cast<std::size_t>(j)])
      ways.push_back(j);
  }
  way_begins.push_back(static_cast<int>(ways.size()));
  plan_sweeps();

  M.resize(size * size);
  for (auto* v : {&pivots, &regular, &given, &udot}) v->resize(size);
  commands.resize(s.commands());
  torque.resize(rotor_count);
  rotor_speed.resize(rotor_count);
  wrench.resize(6 * tree->layout.links.size() + actuators.size() + tanks.size());
  modal.resize(static_cast<std::size_t>(tree->view.modes));
  R.resize(9 * tree->layout.links.size());
  p.resize(3 * tree->layout.links.size());
  // One block per sweep, and blocks for unit forces and unit accelerations of all speeds.
  const std::size_t blocks = sweeps.size() + 2 * ((size + slope_lanes - 1) / slope_lanes);
  force = detail::AlignedNumbers(blocks * size * slope_lanes);
  momentum = detail::AlignedNumbers(sweeps.size() * rotor_count * slope_lanes);
  fuel = detail::AlignedNumbers(sweeps.size() * tank_count * slope_lanes);
  qdot = detail::AlignedNumbers(sweeps.size() * s.tree().coordinates() * slope_lanes);
  slopes = detail::AlignedNumbers(
      code->slope_bytes(point.layout, point.craft, point.at) / sizeof(double) + 8);
  point.slopes = slopes.get();
  const auto rows = static_cast<std::size_t>(at.force);
  const auto commanded = static_cast<std::size_t>(at.inertia - at.force),
             inertial = static_cast<std::size_t>(at.count - at.inertia);
  rates.resize(rows);
  by_state.resize(rows * rows);
  by_command.resize(rows * commanded);
  by_inertia.resize(rows * inertial);
  by_parameter.resize(rows * s.parameters().size());

  efforts = rotor_count;
  readings = efforts + size;
  totals = readings + detail::reading_size * s.model().sensors.size();
  reactions = totals + detail::totals_size;
  observations = reactions + 6 * tree->layout.links.size();
  seen_by_state.resize(observations * rows);
  seen_by_command.resize(observations * commanded);
  seen_by_inertia.resize(observations * inertial);
  seen_by_parameter.resize(observations * s.parameters().size());
  udot_slopes = detail::AlignedNumbers(size * slope_lanes);
  view = detail::AlignedNumbers(
      (observations + size + rotor_count + tank_count + s.tree().coordinates()) * slope_lanes);
}

/// Describes the equipment in working frames.
void SpacecraftTangent::Data::describe_craft() {
  const SpacecraftModel& m = craft->model();
  const auto& layout = tree->layout;
  const auto link_of = [&](int body) { return layout.link_of[static_cast<std::size_t>(body)]; };
  const auto in_working = [&](int body, const Vector3& x, double* to) {
    const Pose& frame = layout.frames[static_cast<std::size_t>(link_of(body))];
    put3(frame.R.transpose() * (x - frame.p), to);
  };
  bool burns = false;
  for (std::size_t k = 0; k < m.actuators.size(); ++k) {
    const Actuator& a = m.actuators[k];
    const detail::Carried c = detail::carried(m.tree, a.at);
    detail::PlainActuator to;
    to.kind = static_cast<detail::PlainActuator::Kind>(a.kind);
    to.node = layout.node_index(a.at);
    to.command = static_cast<int>(craft->command(static_cast<int>(k)));
    put3(a.axis.normalized(), to.axis);
    to.feed = static_cast<int>(feeds.size());
    to.feeds = static_cast<int>(a.feeds.size());
    if (c.body != ground) {
      to.carrier = link_of(c.body);
      in_working(c.body, c.node.pose.p, to.nozzle);
    }
    for (const Actuator::Feed& f : a.feeds) feeds.push_back({f.tank, f.flow});
    burns = burns || !a.feeds.empty();
    actuators.push_back(to);
  }
  for (const Tank& t : m.tanks) {
    detail::PlainTank to;
    to.link = link_of(t.body);
    to.capacity = t.full.mass;
    in_working(t.body, t.full.moment / t.full.mass, to.centre);
    const Inertia each{1.0, t.full.moment / t.full.mass, t.full.inertia / t.full.mass};
    to.each = detail::in_frame(each, layout.frames[static_cast<std::size_t>(to.link)]);
    tanks.push_back(to);
  }
  // Directions of inertia; take_parameters() sets them.
  for (const Parameter& of : m.parameters) {
    if (of.kind > Parameter::Kind::inertia) continue;
    detail::PlainTank to;
    to.link = link_of(m.masses[static_cast<std::size_t>(of.index)].body);
    to.capacity = 1.0;
    tanks.insert(tanks.end(), of.count, to);
  }
  for (const Rotor& r : m.rotors) {
    detail::PlainRotor to;
    to.node = layout.node_index(r.at);
    put3(r.axis, to.axis);
    rotors.push_back(to);
  }
  describe_sensors();
  // Central gravity needs the poses of all links; otherwise only those of nozzles and tanks
  // relative to the bus are needed.
  posed.assign(layout.links.size(), m.central_gravity ? 1 : 0);
  const int bus = link_of(m.bus);
  const auto see = [&](int link) {
    if (link == bus) return;
    for (int k = link; k >= 0; k = layout.links[static_cast<std::size_t>(k)].parent)
      posed[static_cast<std::size_t>(k)] = 1;
    for (int k = bus; k >= 0; k = layout.links[static_cast<std::size_t>(k)].parent)
      posed[static_cast<std::size_t>(k)] = 1;
  };
  for (const detail::PlainActuator& a : actuators) {
    if (a.feeds == 0 || !m.jet_damping) continue;
    see(a.carrier);
    for (int i = a.feed; i < a.feed + a.feeds; ++i)
      see(tanks[static_cast<std::size_t>(feeds[static_cast<std::size_t>(i)].tank)].link);
  }
  point.craft = {layout.nodes.data(),
                 actuators.data(),
                 feeds.data(),
                 tanks.data(),
                 rotors.data(),
                 sensors.data(),
                 static_cast<int>(actuators.size()),
                 static_cast<int>(m.tanks.size()),
                 static_cast<int>(tanks.size() - m.tanks.size()),
                 static_cast<int>(rotors.size()),
                 static_cast<int>(sensors.size()),
                 bus,
                 layout.node_index({m.bus, NodeId::frame}),
                 burns,
                 m.jet_damping,
                 m.central_gravity ? m.central_gravity->mu : 0.0,
                 posed.data()};
}

/// Copies the current values that depend on parameters from the evaluation.
void SpacecraftTangent::Data::take_parameters() noexcept {
  const auto& w = evaluation.data();
  for (std::size_t k = 0; k < rotors.size(); ++k) {
    rotors[k].inertia = w.rotors[k].inertia;
    rotors[k].friction = w.rotors[k].friction;
  }
  detail::PlainTank* to = tanks.data() + craft->model().tanks.size();
  for (const Parameter& of : craft->model().parameters) {
    if (of.kind > Parameter::Kind::inertia) continue;
    const GivenMass& m = w.masses[static_cast<std::size_t>(of.index)];
    for (std::size_t i = 0; i < of.count; ++i, ++to)
      to->each = detail::in_frame(inertia_by(m, of.kind, static_cast<int>(i)),
                                  tree->layout.frames[static_cast<std::size_t>(to->link)]);
  }
}

/// Groups directions that move the same links: those of a link, then of the next one outward.
void SpacecraftTangent::Data::plan_sweeps() {
  const detail::Directions& at = point.at;
  std::vector<int> all;
  const auto range = [&](int first, int count) {
    for (int i = first; i < first + count; ++i) all.push_back(i);
  };
  const auto flush = [&] {
    for (std::size_t i = 0; i < all.size(); i += slope_lanes)
      add_sweep(std::span(all).subspan(i, std::min<std::size_t>(slope_lanes, all.size() - i)));
    all.clear();
  };
  for (const TreeLink& link : tree->layout.links) {
    // Modes move nodes, so they are grouped apart from the hinge.
    range(at.q + link.q_modes, link.modes);
    range(at.q + link.q, link.q_modes - link.q);
    range(at.u + link.u, link.speeds);
    range(at.u + link.u_modes, link.modes);
  }
  flush();
  range(at.momentum, at.force - at.momentum);
  flush();
  state_sweeps = sweeps.size();
  range(at.commands, at.count - at.commands);
  flush();
  const auto& links = tree->layout.links;
  everything.sweep.equipment = true;
  everything.is_moved.assign(links.size(), 1);
  for (std::size_t k = 0; k < links.size(); ++k) {
    everything.moved.push_back(static_cast<int>(k));
    everything.bent.push_back(links[k].modes > 0 ? 1 : 0);
  }
  everything.involved = everything.moved;
  everything.deformed = everything.bent;
  const auto point_to_lists = [](OwnedSweep& s) {
    s.sweep.moved = s.moved.data();
    s.sweep.moved_count = static_cast<int>(s.moved.size());
    s.sweep.involved = s.involved.data();
    s.sweep.involved_count = static_cast<int>(s.involved.size());
    s.sweep.is_moved = s.is_moved.data();
    s.sweep.bent = s.bent.data();
    s.sweep.deformed = s.deformed.data();
  };
  for (OwnedSweep& s : sweeps) point_to_lists(s);
  point_to_lists(everything);
}

void SpacecraftTangent::Data::add_sweep(std::span<const int> directions) {
  const auto& links = tree->layout.links;
  OwnedSweep s;
  s.is_moved.assign(links.size(), 0);
  s.bent.assign(links.size(), 0);
  s.deformed.assign(links.size(), 0);
  std::vector<unsigned char> involved(links.size(), 0);
  for (const int d : directions) {
    s.sweep.directions[s.sweep.count++] = d;
    if (d >= point.at.momentum) s.sweep.equipment = true;
    for (std::size_t k = 0; k < links.size(); ++k) {
      const TreeLink& link = links[k];
      const auto in = [d](int first, int count) { return d >= first && d < first + count; };
      if (in(point.at.q + link.q_modes, link.modes)) s.deformed[k] = s.bent[k] = 1;
      if (in(point.at.u + link.u_modes, link.modes)) s.bent[k] = 1;
      if (s.bent[k] != 0 || in(point.at.q + link.q, link.q_modes - link.q) ||
          in(point.at.u + link.u, link.speeds))
        s.is_moved[k] = 1;
    }
  }
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (links[k].parent >= 0 && s.is_moved[static_cast<std::size_t>(links[k].parent)] != 0)
      s.is_moved[k] = 1;
    if (s.is_moved[k] != 0) s.moved.push_back(static_cast<int>(k));
    if (s.is_moved[k] != 0 || s.sweep.equipment ||
        (point.craft.burns && static_cast<int>(k) == point.craft.bus))
      involved[k] = 1;
  }
  for (std::size_t k = links.size(); k-- > 0;) {
    if (involved[k] != 0 && links[k].parent >= 0)
      involved[static_cast<std::size_t>(links[k].parent)] = 1;
  }
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (involved[k] != 0) s.involved.push_back(static_cast<int>(k));
  }
  sweeps.push_back(std::move(s));
}

/// M = Lᵀ D L of the regular speeds, along the paths to the ground (Featherstone, Rigid Body
/// Dynamics Algorithms, section 6.5). L replaces M; inverse pivots are stored separately. Entries
/// of speeds that are not regular become zero.
bool SpacecraftTangent::Data::factor() noexcept {
  const auto size = static_cast<std::size_t>(n);
  const auto at = [&](int i, int j) -> double& {
    return M[static_cast<std::size_t>(i) * size + static_cast<std::size_t>(j)];
  };
  const auto up = [&](int i) { return above[static_cast<std::size_t>(i)]; };
  for (std::size_t k = size; k-- > 0;) {
    const int row = order[k];
    const bool on = regular[static_cast<std::size_t>(row)] != 0.0;
    if (!on) {
      for (int i = up(row); i >= 0; i = up(i)) at(row, i) = 0.0;
      continue;
    }
    if (!(at(row, row) > 0.0)) return false;
    const double inverse = 1.0 / at(row, row);
    pivots[static_cast<std::size_t>(row)] = inverse;
    for (int i = up(row); i >= 0; i = up(i)) {
      if (regular[static_cast<std::size_t>(i)] == 0.0) {
        at(row, i) = 0.0;
        continue;
      }
      const double a = at(row, i) * inverse;
      for (int j = i; j >= 0; j = up(j)) at(i, j) -= a * at(row, j);
      at(row, i) = a;
    }
  }
  return true;
}

/// Derivatives of the forces of hinge laws, and of modes that differ from the model, by the
/// directions of a sweep.
void SpacecraftTangent::Data::add_laws(std::span<double> block, const Sweep& s) const noexcept {
  using Slopes = spatial::Dual<2>;
  const auto& w = evaluation.data();
  for (const detail::LawPath& l : w.laws) {
    const int by_q = l.q ? point.at.q + static_cast<int>(*l.q) : -1,
              by_u = point.at.u + static_cast<int>(l.u);
    for (int i = 0; i < s.count; ++i) {
      if (s.directions[i] != by_q && s.directions[i] != by_u) continue;
      const Slopes f = detail::law_force(l.law, Slopes::variable(l.q ? w.q[*l.q] : 0.0, 0),
                                         Slopes::variable(w.u[l.u], 1));
      block[l.u * slope_lanes + static_cast<std::size_t>(i)] +=
          f.d[s.directions[i] == by_q ? 0 : 1];
    }
  }
  for (const auto& m : w.softer) {
    for (int i = 0; i < s.count; ++i) {
      double& to = block[m.u * slope_lanes + static_cast<std::size_t>(i)];
      if (s.directions[i] == point.at.q + static_cast<int>(m.q)) to -= m.K;
      if (s.directions[i] == point.at.u + static_cast<int>(m.u)) to -= m.D;
    }
  }
}

Solution SpacecraftTangent::Data::evaluate(const Spacecraft::State& s,
                                           const Spacecraft::Commands& c, bool commanded) noexcept {
  const detail::Directions& at = point.at;
  const auto size = static_cast<std::size_t>(n);
  const std::span<double> out(rates);
  const auto part = [&](int first, int end) {
    return out.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
  };
  craft->place(s, evaluation);
  const Solution solution = craft->accelerate(
      c, {part(at.u, at.momentum), part(at.momentum, at.fuel), part(at.fuel, at.force)},
      evaluation);
  if (!solution) return solution;
  craft->tree().coordinate_rates(s.q, s.u, part(at.q, at.u));
  std::copy_n(rates.begin() + at.u, n, udot.begin());

  // The point in the form that the sweeps need.
  auto& e = evaluation.tree().data();
  e.pose_links();
  for (std::size_t k = 0; k < tree->layout.links.size(); ++k) {
    std::copy_n(e.R[k].a, 9, R.begin() + static_cast<std::ptrdiff_t>(9 * k));
    const double at_k[3] = {e.p[k].x, e.p[k].y, e.p[k].z};
    std::copy_n(at_k, 3, p.begin() + static_cast<std::ptrdiff_t>(3 * k));
  }
  const auto copy = [](std::span<const double> from, std::vector<double>& to) {
    if (from.empty()) {
      std::fill(to.begin(), to.end(), 0.0);
    } else {
      std::copy(from.begin(), from.end(), to.begin());
    }
  };
  copy(c.actuators, commands);
  copy(c.torque, torque);
  for (std::size_t i = 0; i < size; ++i)
    regular[i] = c.prescribed.empty() || c.prescribed[i] == 0 ? 1.0 : 0.0;
  take_parameters();
  const auto& w = evaluation.data();
  point.masses = e.masses.data();
  point.q = w.q.data();
  point.u = w.u.data();
  point.momentum = w.momentum.data();
  point.fuel = w.fuel.data();
  point.commands = commands.data();
  point.torque = torque.data();
  point.udot = udot.data();
  point.values = e.memory.get();
  point.R = R.data();
  point.p = p.data();
  point.wrench = wrench.data();
  point.modal = modal.data();
  std::copy_n(e.gravity.data(), 3, point.gravity);
  code->begin(point);
  code->mass(point, M.data());

  // A unit acceleration of prescribed speed i requires the forces -M_ji of the regular speeds j.
  const std::size_t block = size * slope_lanes, units = (size + slope_lanes - 1) / slope_lanes;
  double* const unit_force = force.get() + sweeps.size() * block;
  double* const unit_acceleration = unit_force + units * block;
  if (commanded) {
    std::fill_n(unit_force, 2 * units * block, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t column = i / slope_lanes * block + i % slope_lanes;
      if (regular[i] != 0.0) {
        unit_force[column + i * slope_lanes] = 1.0;
        continue;
      }
      for (std::size_t j = 0; j < size; ++j)
        unit_acceleration[column + j * slope_lanes] = regular[j] != 0.0 ? -M[j * size + i] : 0.0;
      unit_acceleration[column + i * slope_lanes] = 1.0;
    }
  }
  if (!factor()) return {tree->layout.links[0].body};

  const std::size_t count = commanded ? sweeps.size() : state_sweeps;
  const std::size_t coordinates = craft->tree().coordinates(),
                    tanks_of = craft->model().tanks.size(), rotors_of = rotors.size();
  for (std::size_t k = 0; k < count; ++k) {
    const Sweep& sweep = sweeps[k].sweep;
    // (f - τ)' by the directions of this sweep: sweep() returns it without hinge laws.
    double* const to = force.get() + k * block;
    code->sweep(
        point, sweep,
        {to, momentum.get() + k * rotors_of * slope_lanes, fuel.get() + k * tanks_of * slope_lanes,
         qdot.get() + k * coordinates * slope_lanes});
    add_laws({to, block}, sweep);
    for (std::size_t i = 0; i < size; ++i) {
      if (regular[i] == 0.0) std::fill_n(to + i * slope_lanes, slope_lanes, 0.0);
    }
  }
  const auto solve = [&](double* x, std::size_t how_many) {
    code->solve(M.data(), pivots.data(), order.data(), ways.data(), way_begins.data(),
                regular.data(), n, x, static_cast<int>(how_many));
  };
  solve(force.get(), count);
  if (commanded) solve(unit_force, 2 * units);

  // Copy the results to columns of the Jacobian.
  const auto rows = static_cast<std::size_t>(at.force);
  for (std::size_t k = 0; k < count; ++k) {
    const Sweep& sweep = sweeps[k].sweep;
    for (int i = 0; i < sweep.count; ++i) {
      double* to = column(sweep.directions[i]);
      const auto put = [&](const double* from, std::size_t many) {
        for (std::size_t j = 0; j < many; ++j)
          *to++ = from[j * slope_lanes + static_cast<std::size_t>(i)];
      };
      put(qdot.get() + k * coordinates * slope_lanes, coordinates);
      put(force.get() + k * block, size);
      put(momentum.get() + k * rotors_of * slope_lanes, rotors_of);
      put(fuel.get() + k * tanks_of * slope_lanes, tanks_of);
    }
  }
  if (!commanded) return solution;
  for (std::size_t i = 0; i < 2 * size; ++i) {
    const std::size_t speed = i % size;
    const double* from = (i < size ? unit_force : unit_acceleration) + speed / slope_lanes * block +
                         speed % slope_lanes;
    double* to = column(at.force + static_cast<int>(i));
    std::fill_n(to, rows, 0.0);
    for (std::size_t j = 0; j < size; ++j)
      to[static_cast<std::size_t>(at.u) + j] = from[j * slope_lanes];
  }
  add_parameters();
  return solution;
}

double* SpacecraftTangent::Data::column(int direction) noexcept {
  const detail::Directions& at = point.at;
  const std::size_t rows = rates.size();
  if (direction < at.force) return by_state.data() + static_cast<std::size_t>(direction) * rows;
  if (direction < at.inertia)
    return by_command.data() + static_cast<std::size_t>(direction - at.force) * rows;
  return by_inertia.data() + static_cast<std::size_t>(direction - at.inertia) * rows;
}

SpacecraftTangent::SpacecraftTangent(const Spacecraft& s) : data_(std::make_unique<Data>(s)) {}
SpacecraftTangent::~SpacecraftTangent() = default;
SpacecraftTangent::SpacecraftTangent(SpacecraftTangent&&) noexcept = default;
SpacecraftTangent& SpacecraftTangent::operator=(SpacecraftTangent&&) noexcept = default;

std::size_t SpacecraftTangent::rows() const noexcept { return data_->rates.size(); }
std::size_t SpacecraftTangent::commands() const noexcept {
  return static_cast<std::size_t>(data_->point.at.inertia - data_->point.at.force);
}
Solution SpacecraftTangent::evaluate(const Spacecraft::State& s, const Spacecraft::Commands& c,
                                     bool commanded) noexcept {
  return data_->evaluate(s, c, commanded);
}
std::span<const double> SpacecraftTangent::rates() const noexcept { return data_->rates; }
std::span<const double> SpacecraftTangent::by_state() const noexcept { return data_->by_state; }
std::span<const double> SpacecraftTangent::by_command() const noexcept { return data_->by_command; }
std::span<const double> SpacecraftTangent::by_parameter() const noexcept {
  return data_->by_parameter;
}
void SpacecraftTangent::observe() noexcept { data_->observe(); }
std::size_t SpacecraftTangent::observations() const noexcept { return data_->observations; }
std::span<const double> SpacecraftTangent::seen_by_state() const noexcept {
  return data_->seen_by_state;
}
std::span<const double> SpacecraftTangent::seen_by_command() const noexcept {
  return data_->seen_by_command;
}
std::span<const double> SpacecraftTangent::seen_by_parameter() const noexcept {
  return data_->seen_by_parameter;
}

}  // namespace vernier::multibody
