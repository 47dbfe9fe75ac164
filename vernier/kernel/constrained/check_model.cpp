#include <algorithm>
#include <cmath>
#include <string>

#include "vernier/kernel/constrained/model.hpp"
#include "vernier/kernel/spatial/inertia.hpp"

namespace vernier::constrained {
namespace {

bool finite(const Vector3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Whether R is a rotation, within the rounding of hand-written numbers.
bool rotates(const Matrix3& R) {
  const Vector3 a = column(R, 0), b = column(R, 1), c = column(R, 2);
  constexpr double rough = 1e-3;
  return std::abs(dot(a, a) - 1.0) < rough && std::abs(dot(b, b) - 1.0) < rough &&
         std::abs(dot(a, b)) < rough && dot(cross(a, b) - c, cross(a, b) - c) < rough * rough;
}

spatial::Matrix3 matrix(const spatial::Sym3<double>& J) {
  spatial::Matrix3 m;
  m << J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz;
  return m;
}

std::string quoted(const std::string& kind, const std::string& name) {
  return kind + " '" + name + "'";
}

void add(std::vector<Finding>& all, std::string message, const std::string& part) {
  all.push_back({Severity::error, "V1714", std::move(message), part});
}

/// Adds the bodies on each node to its `mass`.
void check_bodies(const Model& model, std::vector<double>& mass, std::vector<Finding>& all) {
  const int nodes = static_cast<int>(model.nodes.size());
  for (const Body& b : model.bodies) {
    const std::string what = quoted("body", b.name);
    if (b.node < 0 || b.node >= nodes) {
      add(all, what + " is on a node that does not exist", b.name);
      continue;
    }
    const auto& J = b.inertia;
    const bool numbers = std::isfinite(b.mass) && finite(b.centre) && finite({J.xx, J.yy, J.zz}) &&
                         finite({J.xy, J.xz, J.yz});
    if (!numbers) {
      add(all, what + " has a number that is not finite", b.name);
      continue;
    }
    if (!(b.mass > 0.0)) add(all, "mass of " + what + " is not positive", b.name);
    const spatial::Matrix3 inertia = matrix(J);
    const spatial::InertiaCheck found = spatial::checked_inertia(inertia, inertia.norm());
    if (!found.positive) {
      add(all, "the inertia of " + what + " is not positive", b.name);
    } else if (!found.triangle) {
      all.push_back({Severity::warning, "V1606",
                     "the inertia of " + what + " " + spatial::broken_triangle(found), b.name});
    }
    if (!model.nodes[b.node].dynamic) {
      add(all, what + " is on static " + quoted("node", model.nodes[b.node].name), b.name);
    }
    mass[b.node] += b.mass;
  }
}

/// An inertial element counts as mass on its nodes.
void check_element(const Model& model, const NamedElement& e, std::vector<double>& mass,
                   std::vector<Finding>& all) {
  const Shape& s = e.element->shape();
  const std::string what = quoted(e.kind.empty() ? "element" : e.kind, e.name);
  const auto missing = [](const std::vector<int>& numbers, std::size_t count) {
    return std::count_if(numbers.begin(), numbers.end(),
                         [&](int n) { return n < 0 || n >= static_cast<int>(count); });
  };
  for (const int n : s.nodes) {
    if (n == ground) continue;
    if (missing({n}, model.nodes.size()) > 0) {
      add(all, what + " connects a node that does not exist", e.name);
    } else if (s.inertial) {
      mass[n] += 1.0;
      if (!model.nodes[n].dynamic) {
        add(all, what + " is on static " + quoted("node", model.nodes[n].name), e.name);
      }
    }
  }
  for (auto i = missing(s.scalars, model.scalars.size()); i > 0; --i) {
    add(all, what + " connects a scalar node that does not exist", e.name);
  }
  for (auto i = missing(s.drives, model.drives.size()); i > 0; --i) {
    add(all, what + " follows a drive that does not exist", e.name);
  }
  if (!std::all_of(s.initial.begin(), s.initial.end(), [](double x) { return std::isfinite(x); })) {
    add(all, what + " starts from a number that is not finite", e.name);
  }
  if (s.size() > most_element_rows) {
    add(all,
        what + " has " + std::to_string(s.size()) + " rows; " + std::to_string(most_element_rows) +
            " can be",
        e.name);
  }
}

void check_node(const Node& n, double mass, std::vector<Finding>& all) {
  const std::string what = quoted("node", n.name);
  bool numbers = finite(n.position) && finite(n.velocity) && finite(n.angular_velocity) &&
                 std::isfinite(n.weight);
  for (const double a : n.orientation.a) numbers = numbers && std::isfinite(a);
  if (!numbers) {
    add(all, what + " has a number that is not finite", n.name);
    return;
  }
  if (!rotates(n.orientation)) {
    add(all, "orientation of " + what + " is not a rotation", n.name);
  }
  if (!(n.weight > 0.0)) add(all, "weight of " + what + " is not positive", n.name);
  if (n.dynamic && !(mass > 0.0)) {
    add(all, what + " has no mass: give it a body, or make it static", n.name);
  }
}

}  // namespace

std::vector<Finding> check(const Model& model) {
  std::vector<Finding> all;
  if (!finite(model.gravity)) add(all, "gravity is not finite", {});
  std::vector<double> mass(model.nodes.size(), 0.0);
  check_bodies(model, mass, all);
  for (const NamedElement& e : model.elements) check_element(model, e, mass, all);
  for (std::size_t i = 0; i < model.nodes.size(); ++i) check_node(model.nodes[i], mass[i], all);
  for (const ScalarNode& s : model.scalars) {
    if (!std::isfinite(s.value) || !std::isfinite(s.rate)) {
      add(all, quoted("scalar node", s.name) + " has a number that is not finite", s.name);
    }
  }
  for (const DriveSlot& d : model.drives) {
    const DriveState now = d.function ? d.function->at(0.0) : DriveState{d.initial, 0.0, 0.0};
    if (!std::isfinite(now.value) || !std::isfinite(now.rate) || !std::isfinite(now.acceleration)) {
      add(all, quoted("drive", d.name) + " is not finite at the start", d.name);
    }
  }
  return all;
}

}  // namespace vernier::constrained
