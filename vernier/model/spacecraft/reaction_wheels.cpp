#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "vernier/base/require.hpp"
#include "vernier/component/scene.hpp"
#include "vernier/model/spacecraft/actuators.hpp"
#include "vernier/model/spacecraft/detail/lanes.hpp"

namespace vernier::spacecraft {
namespace {

using hybrid::Jump;
using hybrid::Point;
using hybrid::Workspace;
using spatial::Vector3;

enum Move { reach_upper, reach_lower, leave_upper, leave_lower };

}  // namespace

ReactionWheels::ReactionWheels(const Parameters& p) : LaneSystem(detail::model_lanes().wheels) {
  require(!p.axes.empty() && p.momentum.size() == p.axes.size() && p.inertia > 0.0);
  require(p.axes.size() <= detail::WheelsData::most);
  const auto n = static_cast<std::uint32_t>(p.axes.size());
  data_.count = static_cast<int>(n);
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) data_.axes[i][k] = p.axes[i][k];
  using Data = detail::WheelsData;
  data_.limited = p.max_torque > 0.0;
  data_.bounded = p.max_momentum > 0.0;
  const double given[] = {p.inertia, p.max_torque, p.max_momentum,
                          p.viscous, p.coulomb,    p.coulomb_speed};
  std::copy(std::begin(given), std::end(given), data_.given.value);
  // A limit that does not exist cannot be adjusted.
  std::vector<Offer> offers{{"inertia", "kg*m^2", Data::inertia},
                            {"viscous", "N*m*s", Data::viscous},
                            {"coulomb", "N*m", Data::coulomb},
                            {"coulomb_speed", "rad/s", Data::coulomb_speed}};
  if (data_.limited) offers.push_back({"max_torque", "N*m", Data::max_torque});
  if (data_.bounded) offers.push_back({"max_momentum", "N*m*s", Data::max_momentum});
  finish(std::move(offers));
  const std::string frame = p.body_axes ? "B" : "";
  spec_.states = {
      {"stored", "N*m*s", frame, n, p.momentum, "momentum of each wheel about its axis"}};
  spec_.inputs = {{"command", "N*m", frame, n, {}, "commanded motor torque, on the wheel"}};
  spec_.outputs = {{"torque", "N*m", "B", 3, {}, "on the body"},
                   {"momentum", "N*m*s", "B", 3, {}, "stored in the wheels"},
                   {"motor_torque", "N*m", frame, n, {}, "on each wheel, less drag"},
                   {"speed", "rad/s", frame, n, {}, "of each wheel relative to the body"}};
  spec_.feedthrough = {{0, 0}, {2, 0}};
  if (!(p.max_momentum > 0.0)) return;
  // Per wheel: both limits of momentum, and the sign of the driving torque.
  spec_.guards = 3 * n;
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
  return with_numbers(p, [&](const auto& n) {
    return detail::WheelsModel{data_}.drive<double>(n, p.x.data(), p.u.data(), static_cast<int>(i));
  });
}

double ReactionWheels::limit(const Point& p) const noexcept {
  return with_numbers(p, [](const auto& n) { return n.max_momentum; });
}

bool ReactionWheels::select(const Point& p, std::span<const std::uint8_t>, std::span<int> chosen,
                            Workspace&) const noexcept {
  bool any = false;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const double torque = drive(p, i), h = p.x[i] / limit(p);
    chosen[i] = -1;
    if (p.mode[i] == free) {
      // A wheel at the limit whose torque points back stays free.
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

void ReactionWheels::jump(const Point& p, std::span<const int> chosen, Jump& to,
                          Workspace&) const noexcept {
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] < 0) continue;
    to.mode[i] = spec_.automata[i].transitions[static_cast<std::size_t>(chosen[i])].to;
    // The state is set to the limit exactly, so that no rounding accumulates.
    if (chosen[i] == reach_upper) to.x[i] = limit(p);
    if (chosen[i] == reach_lower) to.x[i] = -limit(p);
  }
}

void ReactionWheels::witness(const Point& p, int wheel, int transition, std::span<double, 2> sides,
                             Workspace&) const noexcept {
  const auto i = static_cast<std::size_t>(wheel);
  const bool reached = transition == reach_upper || transition == reach_lower;
  sides[0] = reached ? p.x[i] : drive(p, i);
  sides[1] = !reached ? 0.0 : transition == reach_upper ? limit(p) : -limit(p);
}

namespace {

std::vector<ParameterSpec> wheel_parameters(std::uint32_t count) {
  std::vector<ParameterSpec> all{
      {.name = "inertia",
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
       .description = "momentum limit, at which the motor stops pushing; 0: none"},
      {.name = "viscous", .unit = "N*m*s", .initial = "0", .description = "drag per speed"},
      {.name = "coulomb",
       .unit = "N*m",
       .initial = "0",
       .description = "drag that does not depend on the speed"},
      {.name = "coulomb_speed",
       .unit = "rad/s",
       .initial = "1",
       .description = "below which the Coulomb drag fades"}};
  for (ParameterSpec& s : all) s.adjustable = true;
  all.push_back({.name = "momentum",
                 .unit = "N*m*s",
                 .count = count,
                 .initial = count == 1 ? "0" : "0 0 0",
                 .description = "at the start"});
  return all;
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

/// A steel wheel half as thick as its radius with this inertia: J = π ρ r⁵ / 4.
double radius_of(double inertia) {
  constexpr double density = 7800.0;
  return std::pow(4.0 * inertia / (std::numbers::pi * density), 0.2);
}

scene::Scene wheel_looks(const std::vector<Vector3>& axes, const vernier::Parameters& p) {
  scene::Scene s;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    scene::Body b{.name = axes.size() > 1 ? "wheel" + std::to_string(i + 1) : "", .aboard = true};
    b.pose = {scene::spin(scene::vector(axes[i]),
                          {.signal = "speed", .element = static_cast<std::uint32_t>(i)})};
    scene::Shape w{.shape = "cylinder", .role = "wheel", .assumed = true};
    w.radius = radius_of(p.real("inertia"));
    w.length = 0.5 * w.radius;
    w.rotation = scene::z_to(scene::vector(axes[i]));
    // Apart from each other, as no document says where they are.
    if (axes.size() > 1) w.at = scene::vector(Vector3(2.0 * w.radius * axes[i]));
    b.shapes = {w};
    s.bodies.push_back(std::move(b));
  }
  s.vectors = {{.name = "torque",
                .of_craft = true,
                .by = {.signal = "torque", .count = 3},
                .unit = "N*m",
                .role = "torque"},
               {.name = "momentum",
                .of_craft = true,
                .by = {.signal = "momentum", .count = 3},
                .unit = "N*m*s",
                .role = "momentum",
                .shown = false}};
  return s;
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
    return adjusted(std::make_unique<ReactionWheels>(k), p);
  };
  type.scene = [](const vernier::Parameters& p) {
    const auto& a = p.reals("axis");
    return wheel_looks({Vector3(a[0], a[1], a[2]).normalized()}, p);
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
    return adjusted(std::make_unique<ReactionWheels>(k), p);
  };
  type.scene = [](const vernier::Parameters& p) {
    return wheel_looks({Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()}, p);
  };
  return type;
}

}  // namespace vernier::spacecraft
