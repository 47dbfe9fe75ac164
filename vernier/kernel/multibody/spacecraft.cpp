#include "vernier/kernel/multibody/spacecraft.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/kernel/multibody/detail/central_gravity.hpp"
#include "vernier/kernel/multibody/detail/spacecraft_data.hpp"

namespace vernier::multibody {

using detail::ActuatorPath;
using detail::LoadBank;
using detail::SensorBank;
using spatial::Quaternion;

namespace {

std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

const Modes* modes_of(const Body& b) noexcept { return b.modes ? &*b.modes : nullptr; }

void put(std::vector<double>& to, std::size_t first, std::size_t stride,
         const Vector3& v) noexcept {
  to[first] = v[0];
  to[first + stride] = v[1];
  to[first + 2 * stride] = v[2];
}

Vector3 get(const double* from, std::size_t stride) noexcept {
  return {from[0], from[stride], from[2 * stride]};
}

// The pose of a body in the frame of another.
Pose relative(const Pose& body, const Pose& to) noexcept {
  return {to.R.transpose() * body.R, to.R.transpose() * (body.p - to.p)};
}

}  // namespace

Inertia inertia_of(const GivenMass& g) noexcept {
  const Vector3 centre = g.by_moment && g.mass > 0.0 ? Vector3(g.place / g.mass) : g.place;
  Matrix3 J = g.inertia;
  if (g.about_centre)
    J += g.mass * (centre.squaredNorm() * Matrix3::Identity() - centre * centre.transpose());
  for (const Matrix3& less : g.less) J -= less;
  return {g.mass, g.mass * centre, J};
}

Spacecraft::Spacecraft(SpacecraftModel m, Path path, Arithmetic arithmetic)
    : data_(std::make_unique<Data>(std::move(m), path, arithmetic)) {
  // Initial momenta of rotors: h = Js (g·ω_node + Ω).
  const Data& d = *data_;
  SpacecraftEvaluation e(*this);
  data_->momentum.assign(d.model.rotors.size(), 0.0);
  std::vector<double> fuel;
  for (const Tank& t : d.model.tanks) fuel.push_back(t.fuel);
  place({d.model.q, d.model.u, d.momentum, fuel}, e);
  for (std::size_t k = 0; k < d.model.rotors.size(); ++k) {
    const Rotor& r = d.model.rotors[k];
    const Vector3 w = d.tree.motion(e.tree(), r.at).angular;
    data_->momentum[k] = r.inertia * (r.axis.normalized().dot(w) + r.speed);
  }
}
Spacecraft::~Spacecraft() = default;
Spacecraft::Spacecraft(Spacecraft&&) noexcept = default;
Spacecraft& Spacecraft::operator=(Spacecraft&&) noexcept = default;

const SpacecraftModel& Spacecraft::model() const noexcept { return data_->model; }
const Tree& Spacecraft::tree() const noexcept { return data_->tree; }
std::size_t Spacecraft::commands() const noexcept { return data_->commands; }
std::size_t Spacecraft::command(int a) const noexcept { return data_->command[index(a)]; }
double Spacecraft::momentum_at_start(int r) const noexcept { return data_->momentum[index(r)]; }
std::span<const double> Spacecraft::parameters() const noexcept { return data_->parameters; }

SpacecraftEvaluation::SpacecraftEvaluation(const Spacecraft& s)
    : data_(std::make_unique<Data>(s)) {}
SpacecraftEvaluation::~SpacecraftEvaluation() = default;
SpacecraftEvaluation::SpacecraftEvaluation(SpacecraftEvaluation&&) noexcept = default;
SpacecraftEvaluation& SpacecraftEvaluation::operator=(SpacecraftEvaluation&&) noexcept = default;
Evaluation& SpacecraftEvaluation::tree() noexcept { return data_->tree; }
const Evaluation& SpacecraftEvaluation::tree() const noexcept { return data_->tree; }

SpacecraftEvaluation::Data::Data(const Spacecraft& s) : tree(s.tree()) {
  const Spacecraft::Data& d = s.data();
  for (const Body& b : d.model.tree.bodies) {
    const std::size_t n = b.mode_count();
    if (b.modes && b.modes->shortens())
      products.resize(std::max(products.size(), 3 * (n + pairs_of(n))));
  }
  q.resize(d.tree.coordinates());
  for (auto* v : {&u, &udot, &tau}) v->resize(d.tree.speeds());
  momentum.resize(d.model.rotors.size());
  fuel.resize(d.model.tanks.size());
  set_fuel.assign(fuel.size(), -1.0);
  fade.resize(fuel.size());
  thrust.resize(d.actuators.size());
  pushes.resize(d.pushes);
  founds.resize(d.founds);
  readings.resize(d.model.sensors.size());
  for (const Body& b : d.model.tree.bodies) inertias.push_back(b.inertia);
  masses = d.model.masses;
  laws = d.laws;
  for (const Rotor& r : d.model.rotors) rotors.push_back({r.inertia, r.friction});
  set_parameters = d.parameters;
  modes = d.model.modes;
  for (const GivenModes& g : modes) {
    const Block b = d.tree.block(g.body);
    for (std::size_t i = 0; i < b.modes; ++i)
      softer.push_back({b.q + b.coordinates + i, b.u + b.speeds + i});
  }
  nodes.resize(d.loads.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    nodes[k].at = {d.loads[k].body, NodeId::frame};
  }
}

Inertia detail::with_fuel(const Spacecraft::Data& d, const SpacecraftEvaluation::Data& w,
                          int body) noexcept {
  Inertia sum = w.inertias[index(body)];
  for (std::size_t t = 0; t < d.model.tanks.size(); ++t) {
    const Tank& tank = d.model.tanks[t];
    if (tank.body != body) continue;
    const double share = w.fuel[t] / tank.full.mass;
    sum.mass += share * tank.full.mass;
    sum.moment += share * tank.full.moment;
    sum.inertia += share * tank.full.inertia;
  }
  return sum;
}

bool detail::take_parameters(const Spacecraft::Data& d, std::span<const double> given,
                             SpacecraftEvaluation::Data& w) noexcept {
  if (std::equal(given.begin(), given.end(), w.set_parameters.begin())) return false;
  std::copy(given.begin(), given.end(), w.set_parameters.begin());
  const double* p = given.data();
  bool heavier = false;
  for (const Parameter& parameter : d.model.parameters) {
    using Kind = Parameter::Kind;
    const std::size_t k = index(parameter.index);
    switch (parameter.kind) {
      case Kind::mass:
        w.masses[k].mass = p[0];
        break;
      case Kind::place:
        w.masses[k].place = {p[0], p[1], p[2]};
        break;
      case Kind::inertia:
        w.masses[k].inertia << p[0], p[3], p[4], p[3], p[1], p[5], p[4], p[5], p[2];
        break;
      case Kind::stiffness:
        w.laws[k].law.stiffness = p[0];
        break;
      case Kind::damping:
        w.laws[k].law.damping = p[0];
        break;
      case Kind::friction:
        w.laws[k].law.friction = p[0];
        break;
      case Kind::rotor_inertia:
        w.rotors[k].inertia = p[0];
        break;
      case Kind::rotor_friction:
        w.rotors[k].friction = p[0];
        break;
      case Kind::frequency:
        std::copy_n(p, parameter.count, w.modes[k].frequency.begin());
        break;
      case Kind::ratio:
        std::copy_n(p, parameter.count, w.modes[k].ratio.begin());
        break;
    }
    heavier = heavier || parameter.kind <= Kind::inertia;
    p += parameter.count;
  }
  std::size_t at = 0;
  for (std::size_t k = 0; k < w.modes.size(); ++k) {
    const GivenModes &now = w.modes[k], &then = d.model.modes[k];
    for (std::size_t i = 0; i < now.mass.size(); ++i, ++at) {
      w.softer[at].K = now.stiffness(i) - then.stiffness(i);
      w.softer[at].D = now.damping(i) - then.damping(i);
    }
  }
  for (const GivenMass& m : w.masses) w.inertias[index(m.body)] = inertia_of(m);
  return heavier;
}

void Spacecraft::place(const State& s, SpacecraftEvaluation& e) const noexcept {
  const Data& d = *data_;
  SpacecraftEvaluation::Data& w = e.data();
  std::copy(s.q.begin(), s.q.end(), w.q.begin());
  std::copy(s.u.begin(), s.u.end(), w.u.begin());
  std::copy(s.momentum.begin(), s.momentum.end(), w.momentum.begin());
  std::copy(s.fuel.begin(), s.fuel.end(), w.fuel.begin());
  const bool heavier =
      detail::take_parameters(d, s.parameters.empty() ? d.parameters : s.parameters, w);
  if (heavier || w.fuel != w.set_fuel) {
    for (const int body : d.varying) w.tree.set_inertia(body, detail::with_fuel(d, w, body));
    std::copy(w.fuel.begin(), w.fuel.end(), w.set_fuel.begin());
  }
  d.tree.place(w.q, w.u, w.tree);
}

namespace {

// Converts commands of actuators to forces in body axes; stores thrusts for the consumption of
// fuel.
void command_actuators(const Spacecraft::Data& d, std::span<const double> commands,
                       SpacecraftEvaluation::Data& w) noexcept {
  for (std::size_t t = 0; t < w.fuel.size(); ++t)
    w.fade[t] =
        std::clamp(w.fuel[t] / (detail::thrust_fading * d.model.tanks[t].full.mass), 0.0, 1.0);
  for (std::size_t k = 0; k < d.actuators.size(); ++k) {
    const ActuatorPath& a = d.actuators[k];
    const double* c = commands.data() + a.command;
    switch (a.kind) {
      case Actuator::Kind::thruster: {
        double f = std::max(0.0, c[0]);
        for (const Actuator::Feed& feed : d.model.actuators[k].feeds) f *= w.fade[index(feed.tank)];
        w.thrust[k] = f;
        put(w.pushes, a.push, a.push_stride, f * a.direction);
        break;
      }
      case Actuator::Kind::force:
        put(w.pushes, a.push, a.push_stride, a.R0 * get(c, 1));
        break;
      case Actuator::Kind::moment:
        put(w.pushes, a.twist, a.twist_stride, a.R0 * get(c, 1));
        break;
      case Actuator::Kind::wrench:
        put(w.pushes, a.twist, a.twist_stride, a.R0 * get(c, 1));
        put(w.pushes, a.push, a.push_stride, a.R0 * get(c + 3, 1));
        break;
    }
  }
}

// Rotors with the inertial spin momentum h as state: -(g τ + ω × g h) acts on the carrier, and h' =
// τ.
void turn_rotors(const Spacecraft::Data& d, std::span<const double> torque,
                 SpacecraftEvaluation::Data& w, std::span<double> rate) noexcept {
  for (std::size_t k = 0; k < d.rotors.size(); ++k) {
    const Rotor& r = d.model.rotors[k];
    const Vector3 omega = d.tree.motion(w.tree, r.at).angular;
    const double speed = w.momentum[k] / w.rotors[k].inertia - r.axis.dot(omega);
    const double tau = (torque.empty() ? 0.0 : torque[k]) - w.rotors[k].friction * speed;
    const Vector3 moment = -tau * r.axis - w.momentum[k] * omega.cross(r.axis);
    put(w.pushes, d.rotors[k].twist, d.rotors[k].stride, d.rotors[k].R0 * moment);
    rate[k] = tau;
  }
}

// Fuel consumption, and the Coriolis force of fuel on its way to the nozzle, on the bus (see
// SpacecraftModel::jet_damping).
Force burn(const Spacecraft::Data& d, SpacecraftEvaluation::Data& w,
           std::span<double> rate) noexcept {
  Force jet;
  std::fill(rate.begin(), rate.end(), 0.0);
  if (!d.burns) return jet;
  const Pose bus = d.tree.pose(w.tree, d.model.bus);
  const Vector3 omega = d.tree.motion(w.tree, d.model.bus).angular;
  const auto in_bus = [&](int body, const Vector3& p) noexcept -> Vector3 {
    if (body == d.model.bus) return p;
    const Pose pose = relative(d.tree.pose(w.tree, body), bus);
    return pose.R * p + pose.p;
  };
  for (std::size_t k = 0; k < d.actuators.size(); ++k) {
    if (d.model.actuators[k].feeds.empty() || !(w.thrust[k] > 0.0)) continue;
    const Vector3 nozzle = in_bus(d.actuators[k].carrier, d.actuators[k].nozzle);
    for (const Actuator::Feed& feed : d.model.actuators[k].feeds) {
      const double flow = feed.flow * w.thrust[k];
      rate[index(feed.tank)] -= flow;
      if (!d.model.jet_damping) continue;
      const Tank& tank = d.model.tanks[index(feed.tank)];
      const Vector3 from = in_bus(tank.body, tank.full.moment / tank.full.mass);
      const Vector3 way = nozzle - from, coriolis = -2.0 * flow * omega.cross(way);
      jet.resultant += coriolis;
      jet.moment += (from + 0.5 * way).cross(coriolis);
    }
  }
  return jet;
}

/// Coordinates, rates and accelerations of the modes of a body that shortens, followed by those of
/// the products of all pairs: Carrier::eta. Without u, only the coordinates.
void put_products(std::size_t n, const double* q, const double* u, const double* udot,
                  double* to) noexcept {
  const std::size_t slides = n + pairs_of(n);
  double *rate = to + slides, *change = rate + slides;
  std::copy_n(q, n, to);
  if (u != nullptr) {
    std::copy_n(u, n, rate);
    std::copy_n(udot, n, change);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t l = 0; l <= i; ++l) {
      const std::size_t at = n + pair_of(i, l);
      const double share = l < i ? 1.0 : 0.5;
      to[at] = share * q[i] * q[l];
      if (u == nullptr) continue;
      rate[at] = share * (u[i] * q[l] + q[i] * u[l]);
      change[at] = share * (udot[i] * q[l] + 2.0 * u[i] * u[l] + q[i] * udot[l]);
    }
  }
}

/// NodeKernels::push() on a body that shortens: the force on the product of a pair acts on both
/// modes.
void push_shortening(const Spacecraft::Data& d, const LoadBank& b, SpacecraftEvaluation::Data& w,
                     const double* forces, double* body, double* modal) noexcept {
  const double* eta = w.q.data() + b.first_q;
  const std::size_t n = b.modes, slides = n + pairs_of(n);
  double *products = w.products.data(), *on = products + slides;
  put_products(n, eta, nullptr, nullptr, products);
  std::fill_n(on, slides, 0.0);
  d.kernels->push(b.pushed.view(), products, forces, body, on);
  for (std::size_t i = 0; i < n; ++i) {
    modal[i] += on[i];
    for (std::size_t l = 0; l <= i; ++l) {
      const double f = on[n + pair_of(i, l)];
      modal[i] += f * eta[l];
      if (l < i) modal[l] += f * eta[i];
    }
  }
}

/// Computes the loads of a placed tree: SpacecraftEvaluation::Data::tau and nodes.
void gather_loads(const Spacecraft::Data& d, const Spacecraft::Commands& c,
                  SpacecraftEvaluation::Data& w, std::span<double> momentum_rate,
                  std::span<double> fuel_rate) noexcept {
  if (c.force.empty()) {
    std::fill(w.tau.begin(), w.tau.end(), 0.0);
  } else {
    std::copy(c.force.begin(), c.force.end(), w.tau.begin());
  }
  for (const detail::LawPath& l : w.laws)
    w.tau[l.u] += detail::law_force(l.law, l.q ? w.q[*l.q] : 0.0, w.u[l.u]);
  for (const auto& m : w.softer) w.tau[m.u] -= m.K * w.q[m.q] + m.D * w.u[m.u];
  if (c.actuators.empty()) {
    std::fill(w.pushes.begin(), w.pushes.end(), 0.0);
    std::fill(w.thrust.begin(), w.thrust.end(), 0.0);
  } else {
    command_actuators(d, c.actuators, w);
  }
  turn_rotors(d, c.torque, w, momentum_rate);
  const Force jet = burn(d, w, fuel_rate);

  for (std::size_t k = 0; k < d.loads.size(); ++k) {
    const LoadBank& b = d.loads[k];
    double body[6] = {};
    const double* eta = w.q.data() + b.first_q;
    double* modal = w.tau.data() + b.first_u;
    if (b.pushed.nodes() > 0) {
      const double* forces = w.pushes.data() + b.push_at;
      if (b.shortens) {
        push_shortening(d, b, w, forces, body, modal);
      } else {
        d.kernels->push(b.pushed.view(), eta, forces, body, modal);
      }
    }
    if (b.twisted.nodes() > 0)
      d.kernels->twist(b.twisted.view(), eta, w.pushes.data() + b.twist_at, body, modal);
    Force& f = w.nodes[k].force;
    f.moment = {body[0], body[1], body[2]};
    f.resultant = {body[3], body[4], body[5]};
    if (b.gravity) {
      const Force g = detail::central_force(
          d.model.central_gravity->mu, d.tree.pose(w.tree, b.body), detail::with_fuel(d, w, b.body),
          modes_of(d.model.tree.bodies[index(b.body)]), {eta, b.modes}, {modal, b.modes});
      f.moment += g.moment;
      f.resultant += g.resultant;
    }
    if (d.burns && k == d.bus_load) {
      f.moment += jet.moment;
      f.resultant += jet.resultant;
    }
  }
}

}  // namespace

Solution Spacecraft::accelerate(const Commands& c, const Rates& rates,
                                SpacecraftEvaluation& e) const noexcept {
  SpacecraftEvaluation::Data& w = e.data();
  gather_loads(*data_, c, w, rates.momentum, rates.fuel);
  const Solution solution =
      data_->tree.accelerate({w.tau, c.acceleration, c.prescribed, w.nodes}, w.udot, w.tree);
  std::copy(w.udot.begin(), w.udot.end(), rates.u.begin());
  return solution;
}

double Spacecraft::rotor_speed(const SpacecraftEvaluation& e, int k) const noexcept {
  const Rotor& r = data_->model.rotors[index(k)];
  const Vector3 omega = data_->tree.motion(e.tree(), r.at).angular;
  return e.data().momentum[index(k)] / e.data().rotors[index(k)].inertia - r.axis.dot(omega);
}

SpacecraftTotals Spacecraft::totals(const SpacecraftEvaluation& e) const noexcept {
  const Data& d = *data_;
  const SpacecraftEvaluation::Data& w = e.data();
  SpacecraftTotals t{multibody::totals(d.tree, w.tree)};
  for (std::size_t k = 0; k < d.rotors.size(); ++k) {
    const Rotor& r = d.model.rotors[k];
    const double h = w.momentum[k];
    t.kinetic += h * h / (2.0 * w.rotors[k].inertia);
    t.angular_momentum += h * (d.tree.pose(w.tree, r.at).R * r.axis);
  }
  for (const detail::LawPath& l : w.laws)
    if (l.q) t.springs += detail::law_energy(l.law, w.q[*l.q]);
  for (const auto& m : w.softer) t.deformation += 0.5 * m.K * w.q[m.q] * w.q[m.q];
  for (const double fuel : w.fuel) t.fuel += fuel;
  for (const LoadBank& b : d.loads) {
    if (!b.gravity) continue;
    const std::span<const double> eta(w.q.data() + b.first_q, b.modes);
    t.gravitational += detail::central_potential(
        d.model.central_gravity->mu, d.tree.pose(w.tree, b.body), detail::with_fuel(d, w, b.body),
        modes_of(d.model.tree.bodies[index(b.body)]), eta);
  }
  t.energy = t.kinetic + t.deformation + t.springs + t.gravitational;
  return t;
}

namespace {

std::span<const Reading> read(const Spacecraft::Data& d, SpacecraftEvaluation::Data& w,
                              bool accelerations) noexcept {
  const Pose bus = d.tree.pose(w.tree, d.model.bus);
  for (const SensorBank& b : d.sensors) {
    const Motion v = d.tree.motion(w.tree, b.body);
    detail::Carrier c{};
    std::copy_n(v.angular.data(), 3, c.w);
    std::copy_n(v.linear.data(), 3, c.v);
    if (accelerations) {
      const Motion a = d.tree.acceleration(w.tree, {b.body, NodeId::frame});
      std::copy_n(a.angular.data(), 3, c.dw);
      std::copy_n(a.linear.data(), 3, c.a);
    }
    c.eta = w.q.data() + b.first_q;
    c.eta_rate = w.u.data() + b.first_u;
    c.eta_acceleration = w.udot.data() + b.first_u;
    if (b.shortens) {
      const std::size_t slides = b.modes + pairs_of(b.modes);
      put_products(b.modes, c.eta, c.eta_rate, c.eta_acceleration, w.products.data());
      c.eta = w.products.data();
      c.eta_rate = c.eta + slides;
      c.eta_acceleration = c.eta_rate + slides;
    }
    double* found = w.founds.data() + b.found_at;
    d.kernels->sense(b.nodes.view(), c, accelerations, found);

    const bool on_bus = b.body == d.model.bus;
    const Pose at = d.tree.pose(w.tree, b.body);
    const Pose pose = on_bus ? Pose{} : relative(at, bus);
    const Quaternion from_bus =
        on_bus ? Quaternion(0, 0, 0, 1) : detail::quaternion_of(pose.R.transpose());
    const std::size_t L = b.nodes.lanes();
    for (std::size_t i = 0; i < b.sensors.size(); ++i) {
      namespace sensed = detail::sensed;
      const auto vector = [&](std::size_t k) noexcept { return get(found + k * L + i, L); };
      const double* q = found + sensed::attitude * L + i;
      const Quaternion from_body(q[0], q[L], q[2 * L], q[3 * L]);
      const Vector3 p = vector(sensed::position);
      Reading& r = w.readings[b.sensors[i]];
      r.position = on_bus ? p : Vector3(pose.R * p + pose.p);
      r.attitude = on_bus ? from_body : spatial::product(from_body, from_bus);
      r.velocity = {vector(sensed::rate), vector(sensed::velocity)};
      if (!accelerations) continue;
      r.acceleration = {vector(sensed::rate_change), vector(sensed::acceleration)};
      r.specific_force = r.acceleration.linear;
      if (!d.weightless) {
        Vector3 g = d.model.tree.gravity;
        if (d.model.central_gravity)
          g += detail::central_acceleration(d.model.central_gravity->mu, at.p + at.R * p);
        r.specific_force -= spatial::to_body(from_body, at.R.transpose() * g);
      }
    }
  }
  return w.readings;
}

}  // namespace

std::span<const Reading> Spacecraft::see(SpacecraftEvaluation& e) const noexcept {
  return read(*data_, e.data(), false);
}
std::span<const Reading> Spacecraft::sense(SpacecraftEvaluation& e) const noexcept {
  return read(*data_, e.data(), true);
}

void Spacecraft::efforts(const SpacecraftEvaluation& e, std::span<double> tau) const noexcept {
  data_->tree.forces(e.tree(), tau);
}

}  // namespace vernier::multibody
