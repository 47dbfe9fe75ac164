#include "apps/vernier/multibody_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/vernier/table.hpp"

namespace vernier::app {
namespace {

using multibody::Body;
using multibody::HingeKind;
using nlohmann::ordered_json;

const char* text_of(HingeKind k) {
  switch (k) {
    case HingeKind::fixed:
      return "fixed";
    case HingeKind::pin:
      return "pin";
    case HingeKind::prismatic:
      return "prismatic";
    case HingeKind::cylindrical:
      return "cylindrical";
    case HingeKind::universal:
      return "universal";
    case HingeKind::gimbal:
      return "gimbal";
    case HingeKind::ball:
      return "ball";
    case HingeKind::planar:
      return "planar";
    case HingeKind::free:
      return "free";
  }
  return "";
}

/// Moments of inertia about the centre of mass, in the axes of the body.
multibody::Vector3 moments(const Body& b) {
  multibody::Matrix3 J = b.inertia.inertia;
  if (b.inertia.mass > 0.0) {
    const multibody::Vector3 c = b.inertia.moment / b.inertia.mass;
    J -= b.inertia.mass * (c.squaredNorm() * multibody::Matrix3::Identity() - c * c.transpose());
  }
  return J.diagonal();
}

struct Sums {
  double mass = 0.0, fuel = 0.0;
  std::size_t hinge_dofs = 0, prescribed = 0, modes = 0;
};

Sums sums(const multibody::SpacecraftModel& m) {
  Sums s;
  for (const Body& b : m.tree.bodies) {
    s.mass += b.inertia.mass;
    s.hinge_dofs += multibody::speeds(b.hinge.kind);
    s.modes += b.mode_count();
  }
  for (const multibody::Tank& t : m.tanks) s.fuel += t.fuel;
  for (const std::uint8_t p : m.prescribed) s.prescribed += p != 0 ? 1 : 0;
  return s;
}

std::string where(const multibody::Model& m, const Body& b) {
  if (b.hinge.parent == multibody::ground)
    return b.hinge.outboard.name == "ground" ? "ground" : "ground." + b.hinge.outboard.name;
  return m.bodies[static_cast<std::size_t>(b.hinge.parent)].name + "." + b.hinge.outboard.name;
}

}  // namespace

std::string multibody_text(const multibody::Spacecraft& craft, std::string_view indent) {
  const multibody::SpacecraftModel& m = craft.model();
  const std::string inner = std::string(indent) + "  ";
  Table t;
  t.row({"body", "hinge", "at", "dof", "modes", "kg", "kg*m^2 about its centre"});
  for (const Body& b : m.tree.bodies) {
    const multibody::Vector3 J = moments(b);
    t.row({b.name, text_of(b.hinge.kind), where(m.tree, b),
           std::to_string(multibody::speeds(b.hinge.kind)),
           b.mode_count() > 0 ? std::to_string(b.mode_count()) : "",
           fmt::format("{:.6g}", b.inertia.mass),
           fmt::format("{:.6g} {:.6g} {:.6g}", J.x(), J.y(), J.z())});
  }
  const Sums s = sums(m);
  std::string out = fmt::format("{}bodies\n{}", indent, t.text(inner));
  out += fmt::format("{}{} dof: {} of hinges ({} prescribed), {} modes\n", indent,
                     s.hinge_dofs + s.modes, s.hinge_dofs, s.prescribed, s.modes);
  out += fmt::format("{}{:.6g} kg", indent, s.mass + s.fuel);
  if (!m.tanks.empty()) out += fmt::format(", of which {:.6g} kg of fuel", s.fuel);
  return out + "\n";
}

ordered_json multibody_json(const multibody::Spacecraft& craft) {
  const multibody::SpacecraftModel& m = craft.model();
  ordered_json bodies = ordered_json::array();
  for (const Body& b : m.tree.bodies) {
    const multibody::Vector3 J = moments(b);
    bodies.push_back({{"name", b.name},
                      {"hinge", text_of(b.hinge.kind)},
                      {"at", where(m.tree, b)},
                      {"dof", multibody::speeds(b.hinge.kind)},
                      {"modes", b.mode_count()},
                      {"mass", b.inertia.mass},
                      {"moments", {J.x(), J.y(), J.z()}}});
  }
  const Sums s = sums(m);
  return {{"bodies", bodies},
          {"dof", s.hinge_dofs + s.modes},
          {"hinge_dof", s.hinge_dofs},
          {"prescribed", s.prescribed},
          {"modes", s.modes},
          {"mass", s.mass + s.fuel},
          {"fuel", s.fuel}};
}

}  // namespace vernier::app
