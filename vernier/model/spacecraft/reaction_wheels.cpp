#include <algorithm>
#include <cmath>

#include "vernier/base/require.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/spatial/spans.hpp"
#include "vernier/model/spacecraft/actuators.hpp"

namespace vernier::spacecraft {
namespace {

using hybrid::Direction;
using hybrid::Jump;
using hybrid::Point;
using hybrid::Tangent;
using hybrid::Workspace;
using spatial::vector3;
using spatial::Vector3;

enum Move { reach_upper, reach_lower, leave_upper, leave_lower };

}  // namespace

ReactionWheels::ReactionWheels(const Parameters& p) : parameters_(p) {
  require(!p.axes.empty() && p.momentum.size() == p.axes.size() && p.inertia > 0.0);
  const auto n = static_cast<std::uint32_t>(count());
  const std::string frame = p.body_axes ? "B" : "";
  spec_.states = {
      {"stored", "N*m*s", frame, n, p.momentum, "momentum of each wheel about its axis"}};
  spec_.inputs = {{"command", "N*m", frame, n, {}, "torque asked of each motor, on the wheel"}};
  spec_.outputs = {{"torque", "N*m", "B", 3, {}, "on the body"},
                   {"momentum", "N*m*s", "B", 3, {}, "stored in the wheels"},
                   {"motor_torque", "N*m", frame, n, {}, "on each wheel, less drag"},
                   {"speed", "rad/s", frame, n, {}, "of each wheel relative to the body"}};
  spec_.feedthrough = {{0, 0}, {2, 0}};
  if (!bounded()) return;
  spec_.guards = 3 * count();
  for (std::uint32_t i = 0; i < n; ++i) {
    hybrid::Automaton a;
    if (n > 1) a.name = p.body_axes ? std::string(1, "xyz"[i]) : "wheel" + std::to_string(i + 1);
    a.locations = {"Free", "UpperLimit", "LowerLimit"};
    a.transitions = {{"saturation begins", free, upper, "momentum >= max_momentum"},
                     {"saturation begins", free, lower, "momentum <= -max_momentum"},
                     {"saturation ends", upper, free, "torque <= 0"},
                     {"saturation ends", lower, free, "torque >= 0"}};
    spec_.automata.push_back(std::move(a));
  }
}

double ReactionWheels::drive(const Point& p, std::size_t i) const noexcept {
  const Parameters& k = parameters_;
  double torque = p.u[i];
  if (k.max_torque > 0.0) torque = std::clamp(torque, -k.max_torque, k.max_torque);
  if (k.viscous == 0.0 && k.coulomb == 0.0) return torque;
  const double speed = p.x[i] / k.inertia;
  return torque - k.viscous * speed - k.coulomb * elementary::tanh(speed / k.coulomb_speed);
}

double ReactionWheels::drive_rate(const Point& p, const Direction& d,
                                  std::size_t i) const noexcept {
  const Parameters& k = parameters_;
  const bool limited = k.max_torque > 0.0 && std::fabs(p.u[i]) > k.max_torque;
  const double torque = d.u.empty() || limited ? 0.0 : d.u[i];
  if ((k.viscous == 0.0 && k.coulomb == 0.0) || d.x.empty()) return torque;
  const double bend = elementary::tanh(p.x[i] / k.inertia / k.coulomb_speed);
  return torque -
         d.x[i] / k.inertia * (k.viscous + k.coulomb / k.coulomb_speed * (1.0 - bend * bend));
}

bool ReactionWheels::moves(const Point& p, std::size_t i) const noexcept {
  return !bounded() || p.mode[i] == free;
}

void ReactionWheels::flow(const Point& p, std::span<double> xdot, Workspace&) const noexcept {
  for (std::size_t i = 0; i < count(); ++i) xdot[i] = moves(p, i) ? drive(p, i) : 0.0;
}

void ReactionWheels::output(const Point& p, std::span<double> y, Workspace&) const noexcept {
  const std::size_t n = count();
  Vector3 torque = Vector3::Zero(), momentum = Vector3::Zero();
  for (std::size_t i = 0; i < n; ++i) {
    const double motor = moves(p, i) ? drive(p, i) : 0.0;
    torque -= motor * parameters_.axes[i];
    momentum += p.x[i] * parameters_.axes[i];
    y[6 + i] = motor;
    y[6 + n + i] = p.x[i] / parameters_.inertia;
  }
  vector3(y) = torque;
  vector3(y, 3) = momentum;
}

void ReactionWheels::guards(const Point& p, std::span<double> z, Workspace&) const noexcept {
  if (!bounded()) return;
  // relative to what they are compared with, so that a tolerance means the same for all wheels
  const double torque_size = parameters_.max_torque > 0.0 ? parameters_.max_torque : 1.0;
  for (std::size_t i = 0; i < count(); ++i) {
    const bool inside = p.mode[i] == free;
    z[3 * i] = drive(p, i) / torque_size;
    z[3 * i + 1] = inside ? p.x[i] / parameters_.max_momentum - 1.0 : 1.0;
    z[3 * i + 2] = inside ? p.x[i] / parameters_.max_momentum + 1.0 : 1.0;
  }
}

bool ReactionWheels::select(const Point& p, std::span<const std::uint8_t>, std::span<int> chosen,
                            Workspace&) const noexcept {
  bool any = false;
  if (!bounded()) return any;
  for (std::size_t i = 0; i < count(); ++i) {
    const double torque = drive(p, i), h = p.x[i] / parameters_.max_momentum;
    chosen[i] = -1;
    if (p.mode[i] == free) {
      if (h >= 1.0 && torque > 0.0) chosen[i] = reach_upper;
      if (h <= -1.0 && torque < 0.0) chosen[i] = reach_lower;
    } else if (p.mode[i] == upper) {
      if (torque <= 0.0) chosen[i] = leave_upper;
    } else if (torque >= 0.0) {
      chosen[i] = leave_lower;
    }
    any = any || chosen[i] >= 0;
  }
  return any;
}

void ReactionWheels::jump(const Point&, std::span<const int> chosen, Jump& to,
                          Workspace&) const noexcept {
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] < 0) continue;
    to.mode[i] = spec_.automata[i].transitions[static_cast<std::size_t>(chosen[i])].to;
    if (chosen[i] == reach_upper) to.x[i] = parameters_.max_momentum;
    if (chosen[i] == reach_lower) to.x[i] = -parameters_.max_momentum;
  }
}

void ReactionWheels::witness(const Point& p, int wheel, int transition, std::span<double, 2> sides,
                             Workspace&) const noexcept {
  const auto i = static_cast<std::size_t>(wheel);
  const bool reached = transition == reach_upper || transition == reach_lower;
  sides[0] = reached ? p.x[i] : drive(p, i);
  sides[1] = !reached                    ? 0.0
             : transition == reach_upper ? parameters_.max_momentum
                                         : -parameters_.max_momentum;
}

void ReactionWheels::tangent(const Point& p, const Direction& d, const Tangent& t,
                             Workspace&) const noexcept {
  const std::size_t n = count();
  const double torque_size = parameters_.max_torque > 0.0 ? parameters_.max_torque : 1.0;
  Vector3 torque = Vector3::Zero(), momentum = Vector3::Zero();
  for (std::size_t i = 0; i < n; ++i) {
    const double change = drive_rate(p, d, i), motor = moves(p, i) ? change : 0.0;
    const double dh = d.x.empty() ? 0.0 : d.x[i];
    if (!t.xdot.empty()) t.xdot[i] = motor;
    torque -= motor * parameters_.axes[i];
    momentum += dh * parameters_.axes[i];
    if (!t.y.empty()) {
      t.y[6 + i] = motor;
      t.y[6 + n + i] = dh / parameters_.inertia;
    }
    if (!t.z.empty()) {
      t.z[3 * i] = change / torque_size;
      t.z[3 * i + 1] = t.z[3 * i + 2] = p.mode[i] == free ? dh / parameters_.max_momentum : 0.0;
    }
  }
  if (!t.y.empty()) {
    vector3(t.y) = torque;
    vector3(t.y, 3) = momentum;
  }
}

namespace {

std::vector<ParameterSpec> wheel_parameters(std::uint32_t count) {
  return {{.name = "inertia",
           .unit = "kg*m^2",
           .initial = "1e-6",
           .description = "of a wheel about its axis; gives the speed"},
          {.name = "max_torque",
           .unit = "N*m",
           .initial = "0",
           .description = "limit of the motor; 0: none"},
          {.name = "max_momentum",
           .unit = "N*m*s",
           .initial = "0",
           .description = "at which the motor stops pushing; 0: none"},
          {.name = "viscous", .unit = "N*m*s", .initial = "0", .description = "drag per speed"},
          {.name = "coulomb",
           .unit = "N*m",
           .initial = "0",
           .description = "drag that does not depend on the speed"},
          {.name = "coulomb_speed",
           .unit = "rad/s",
           .initial = "1",
           .description = "below which the Coulomb drag fades"},
          {.name = "momentum",
           .unit = "N*m*s",
           .count = count,
           .initial = count == 1 ? "0" : "0 0 0",
           .description = "at the start"}};
}

ReactionWheels::Parameters wheel_values(const vernier::Parameters& p) {
  ReactionWheels::Parameters k;
  for (const char* name : {"max_torque", "max_momentum", "viscous", "coulomb"}) {
    if (!(p.real(name) >= 0.0)) p.reject(name, "must not be negative");
  }
  for (const char* name : {"inertia", "coulomb_speed"}) {
    if (!(p.real(name) > 0.0)) p.reject(name, "must be positive");
  }
  k.inertia = p.real("inertia");
  k.max_torque = p.real("max_torque");
  k.max_momentum = p.real("max_momentum");
  k.viscous = p.real("viscous");
  k.coulomb = p.real("coulomb");
  k.coulomb_speed = p.real("coulomb_speed");
  k.momentum = p.reals("momentum");
  for (const double h : k.momentum) {
    if (k.max_momentum > 0.0 && !(std::fabs(h) <= k.max_momentum)) {
      p.reject("momentum", "must not be beyond max_momentum");
    }
  }
  return k;
}

}  // namespace

Type reaction_wheel_type() {
  Type type{"reaction_wheel", "a reaction wheel with limits and drag", wheel_parameters(1), {}, {}};
  type.parameters.push_back(
      {.name = "axis", .count = 3, .description = "of the wheel, in B; normalised"});
  type.system = [](const vernier::Parameters& p) {
    auto k = wheel_values(p);
    const auto& a = p.reals("axis");
    const Vector3 axis(a[0], a[1], a[2]);
    if (!(axis.norm() > 0.0) || !axis.allFinite()) p.reject("axis", "must not be zero");
    k.axes = {axis.normalized()};
    return std::make_unique<ReactionWheels>(k);
  };
  return type;
}

Type reaction_wheels_type() {
  Type type{
      "reaction_wheels", "three reaction wheels along the body axes", wheel_parameters(3), {}, {}};
  type.system = [](const vernier::Parameters& p) {
    auto k = wheel_values(p);
    k.axes = {Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
    k.body_axes = true;
    return std::make_unique<ReactionWheels>(k);
  };
  return type;
}

}  // namespace vernier::spacecraft
