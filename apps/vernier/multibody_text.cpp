#include "apps/vernier/multibody_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/vernier/console.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/model/multibody_tree/summary.hpp"

namespace vernier::app {
namespace {

using multibody::Matrix3;
using multibody::Vector3;
using nlohmann::ordered_json;

std::string short_vector(const Vector3& v) {
  return fmt::format("{} {} {}", short_number(v[0]), short_number(v[1]), short_number(v[2]));
}
// moments, then products xy xz yz
std::string short_inertia(const Matrix3& J) {
  return fmt::format("{}  ·  {}", short_vector(J.diagonal()),
                     short_vector({J(0, 1), J(0, 2), J(1, 2)}));
}
std::string hertz(const std::vector<double>& all) {
  if (all.empty()) return "none";
  std::string out;
  for (const double f : all) out += fmt::format("{}{:.4g}", out.empty() ? "" : " ", f);
  return out + " Hz";
}

ordered_json json(const Vector3& v) { return {v[0], v[1], v[2]}; }
ordered_json json(const Matrix3& J) {
  ordered_json rows = ordered_json::array();
  for (int i = 0; i < 3; ++i) rows.push_back({J(i, 0), J(i, 1), J(i, 2)});
  return rows;
}

std::size_t hinge_dofs(const multibody_tree::Summary& s) {
  return s.regular + s.prescribed + s.locked;
}

}  // namespace

std::string multibody_text(const multibody::Spacecraft& craft, std::string_view indent) {
  const multibody_tree::Summary s = multibody_tree::summary_of(craft, true);
  const std::string in(indent);
  std::string out = fmt::format(
      "{}{} bodies, {} dof: {} of hinges ({} prescribed, {} locked), {} modes\n", in,
      s.bodies.size(), hinge_dofs(s) + s.modes, hinge_dofs(s), s.prescribed, s.locked, s.modes);
  Table t;
  t.row({"body", "hinge", "at", "dof", "modes", "kg", "centre, m",
         "kg*m^2 about its centre: xx yy zz  ·  xy xz yz"});
  for (const multibody_tree::Summary::Part& p : s.bodies) {
    t.row({p.name, p.hinge, p.at, std::to_string(p.dofs),
           p.modes == 0 ? "" : std::to_string(p.modes), short_number(p.mass),
           short_vector(p.centre), short_inertia(p.inertia)});
  }
  t.row({"all, from the bus", "", "", std::to_string(hinge_dofs(s)),
         s.modes == 0 ? "" : std::to_string(s.modes), short_number(s.mass), short_vector(s.centre),
         short_inertia(s.inertia)});
  out += t.text(in + "  ");
  if (s.fuel > 0.0) out += fmt::format("{}fuel         {} kg\n", in, short_number(s.fuel));
  out += fmt::format("{}frequencies  {}   hinges as at the start\n", in, hertz(s.free));
  out += fmt::format("{}             {}   all hinges held\n", in, hertz(s.constrained));
  out += fmt::format(
      "{}computed     as a {} with {}: {:.2f} µs an evaluation, {:.2f} µs with sensors, energy and "
      "momenta\n",
      in, s.path, s.instructions, s.rates_us, s.sensing_us);
  return out;
}

ordered_json multibody_json(const multibody::Spacecraft& craft) {
  const multibody_tree::Summary s = multibody_tree::summary_of(craft, true);
  ordered_json bodies = ordered_json::array();
  for (const multibody_tree::Summary::Part& p : s.bodies) {
    bodies.push_back({{"name", p.name},
                      {"hinge", p.hinge},
                      {"at", p.at},
                      {"dof", p.dofs},
                      {"modes", p.modes},
                      {"mass", p.mass},
                      {"centre", json(p.centre)},
                      {"inertia", json(p.inertia)}});
  }
  return {{"bodies", std::move(bodies)},
          {"dof", hinge_dofs(s) + s.modes},
          {"hinge_dof", hinge_dofs(s)},
          {"prescribed", s.prescribed},
          {"locked", s.locked},
          {"modes", s.modes},
          {"mass", s.mass},
          {"fuel", s.fuel},
          {"centre", json(s.centre)},
          {"inertia", json(s.inertia)},
          {"frequencies_Hz", s.free},
          {"frequencies_held_Hz", s.constrained},
          {"path", s.path},
          {"instructions", s.instructions},
          {"rates_us", s.rates_us},
          {"sensing_us", s.sensing_us}};
}

}  // namespace vernier::app
