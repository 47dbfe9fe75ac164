#include <algorithm>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/model/multibody_loops/detail/builder.hpp"

namespace vernier::multibody_loops::detail {
namespace {

using Kind = Shown::Kind;

struct Quantity {
  Kind kind;
  const char *name, *unit;
  std::uint32_t count;
  const char* description;
};

constexpr Quantity of_nodes[] = {
    {Kind::position, "position", "m", 3, "in global axes"},
    {Kind::attitude, "attitude", "1", 4, "from global to node axes, scalar last"},
    {Kind::velocity, "velocity", "m/s", 3, "in global axes"},
    {Kind::rate, "rate", "rad/s", 3, "angular velocity in node axes"},
    {Kind::acceleration, "acceleration", "m/s^2", 3, "in global axes, at the end of the last step"},
    {Kind::angular_acceleration, "angular_acceleration", "rad/s^2", 3,
     "in node axes, at the end of the last step"}};

constexpr Quantity of_mechanism[] = {
    {Kind::kinetic_energy, "kinetic_energy", "J", 1, ""},
    {Kind::potential_energy, "potential_energy", "J", 1, "of gravity and springs"},
    {Kind::momentum, "momentum", "kg*m/s", 3, "in global axes"},
    {Kind::angular_momentum, "angular_momentum", "kg*m^2/s", 3, "about the origin, global axes"},
    {Kind::constraint_violation, "constraint_violation", "1", 1, "the largest, m or rad"},
    {Kind::iterations, "iterations", "1", 1, "of the last step"},
    {Kind::residual, "residual", "1", 1, "what the last step left, as tolerance counts"},
    {Kind::unconverged, "unconverged", "1", 1, "steps that were accepted above the tolerance"}};

/// Units as ports write them: * for products.
std::string ascii_unit(std::string unit) {
  constexpr std::string_view dot = "·";
  for (std::size_t at = unit.find(dot); at != std::string::npos; at = unit.find(dot))
    unit.replace(at, dot.size(), "*");
  return unit;
}

}  // namespace

/// Whether the accelerations follow from the momenta of the node: all its mass is that of bodies,
/// and its inertia matrix about the centre of mass is regular.
bool Builder::accelerates(int node) const {
  double mass = 0.0;
  Vector3 moment = Vector3::Zero();
  Matrix3 J = Matrix3::Zero();
  // Steiner's theorem: the inertia of a point mass m at c.
  const auto about = [](double m, const Vector3& c) {
    return Matrix3(m * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose()));
  };
  for (const constrained::Body& b : made_.model.bodies) {
    if (b.node != node) continue;
    const Vector3 c(b.centre.x, b.centre.y, b.centre.z);
    const auto& i = b.inertia;
    Matrix3 own;
    own << i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz;
    mass += b.mass;
    moment += b.mass * c;
    J += own + about(b.mass, c);
  }
  for (const constrained::NamedElement& e : made_.model.elements) {
    const constrained::Shape& s = e.element->shape();
    if (s.inertial && std::find(s.nodes.begin(), s.nodes.end(), node) != s.nodes.end())
      return false;
  }
  if (!(mass > 0.0)) return false;
  J -= about(mass, moment / mass);
  return J.determinant() > 1e-9 * elementary::pow(J.trace() / 3.0, 3);
}

bool Builder::chosen(const Element* wanted, std::string_view measure) const {
  if (!wanted || !wanted->attribute("measures")) return true;
  const std::vector<std::string_view> all = words(wanted->value("measures"));
  return std::find(all.begin(), all.end(), measure) != all.end();
}

void Builder::check_measures(const Element& e, const std::vector<std::string>& all) {
  for (const std::string_view m : words(e.value("measures"))) {
    if (std::find(all.begin(), all.end(), m) != all.end()) continue;
    Diagnostic& d = report_.error(
        "V1716", in_quotes(trimmed(e.value("of"))) + " has no measure " + in_quotes(m),
        Report::value_place(e, "measures"));
    if (const auto near = closest(m, all)) d.mark = "did you mean " + *near + "?";
    d.notes.push_back("measures: " + listed(all, 20));
  }
}

void Builder::show(Shown s, const std::string& path) {
  s.port.name = path;
  const bool twice = std::any_of(made_.outputs.begin(), made_.outputs.end(),
                                 [&](const Shown& o) { return o.port.name == path; });
  if (!twice) made_.outputs.push_back(std::move(s));
}

void Builder::show_node(int node, const Element* wanted) {
  const std::string& name = made_.model.nodes[static_cast<std::size_t>(node)].name;
  const bool accelerated = accelerates(node);
  for (const Quantity& q : of_nodes) {
    const bool acceleration = q.kind == Kind::acceleration || q.kind == Kind::angular_acceleration;
    if (acceleration && !accelerated) continue;
    if (!chosen(wanted, q.name)) continue;
    Shown s{.kind = q.kind, .index = node};
    s.port.unit = q.unit;
    s.port.count = q.count;
    s.port.description = q.description;
    show(std::move(s), name + "." + q.name);
  }
  if (!wanted) return;
  std::vector<std::string> all;
  for (const Quantity& q : of_nodes) {
    if (accelerated || (q.kind != Kind::acceleration && q.kind != Kind::angular_acceleration))
      all.emplace_back(q.name);
  }
  check_measures(*wanted, all);
}

void Builder::show_scalar(int scalar) {
  const constrained::ScalarNode& n = made_.model.scalars[static_cast<std::size_t>(scalar)];
  Shown s{.kind = Kind::scalar, .index = scalar};
  s.port.unit = n.unit;
  show(std::move(s), n.name + ".value");
}

void Builder::show_element(int element, const Element* wanted) {
  const constrained::NamedElement& e = made_.model.elements[static_cast<std::size_t>(element)];
  std::vector<std::string> all;
  int first = 0;
  for (const constrained::Measure& m : e.element->shape().measures) {
    all.push_back(m.name);
    if (chosen(wanted, m.name)) {
      Shown s{.kind = Kind::measure, .index = element, .first = first};
      s.port.unit = ascii_unit(m.unit);
      s.port.count = static_cast<std::uint32_t>(m.count);
      s.port.description = m.description;
      show(std::move(s), e.name + "." + m.name);
    }
    first += m.count;
  }
  if (wanted) check_measures(*wanted, all);
}

void Builder::show_totals(const Element* wanted) {
  std::vector<std::string> all;
  for (const Quantity& q : of_mechanism) {
    all.emplace_back(q.name);
    if (!chosen(wanted, q.name)) continue;
    Shown s{.kind = q.kind};
    s.port.unit = q.unit;
    s.port.count = q.count;
    s.port.description = q.description;
    show(std::move(s), q.name);
  }
  if (wanted) check_measures(*wanted, all);
}

// Without <output> elements everything is shown; otherwise only what they select.
void Builder::read_outputs() {
  const bool chosen_ones = root_.child("output") != nullptr;
  if (!chosen_ones) {
    for (std::size_t i = 0; i < made_.model.nodes.size(); ++i)
      show_node(static_cast<int>(i), nullptr);
    for (std::size_t i = 0; i < made_.model.scalars.size(); ++i) show_scalar(static_cast<int>(i));
    for (std::size_t i = 0; i < made_.model.elements.size(); ++i)
      show_element(static_cast<int>(i), nullptr);
    show_totals(nullptr);
    return;
  }
  for (const Element& e : root_.children) {
    if (e.name != "output") continue;
    const std::string_view of = trimmed(e.value("of"));
    if (of == "mechanism") {
      show_totals(&e);
      continue;
    }
    const Entry* found =
        find(e, "of", {Named::node, Named::scalar, Named::element}, "node, scalar or element");
    if (found && found->element->name == "beam_line" && found->index < 0) {
      const std::string beams = std::string(of) + ".b";
      for (std::size_t i = 0; i < made_.model.elements.size(); ++i) {
        if (made_.model.elements[i].name.starts_with(beams)) show_element(static_cast<int>(i), &e);
      }
      continue;
    }
    if (!found || found->index < 0) continue;
    if (found->kind == Named::node) show_node(found->index, &e);
    if (found->kind == Named::scalar) show_scalar(found->index);
    if (found->kind == Named::element) show_element(found->index, &e);
  }
}

}  // namespace vernier::multibody_loops::detail
