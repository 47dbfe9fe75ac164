#include <cmath>
#include <string>

#include "vernier/kernel/constrained/model.hpp"

namespace vernier::constrained {
namespace {

bool finite(const Vector3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Whether R is a rotation, to what hand-written numbers have.
bool rotates(const Matrix3& R) {
  const Vector3 a = column(R, 0), b = column(R, 1), c = column(R, 2);
  constexpr double rough = 1e-3;
  return std::abs(dot(a, a) - 1.0) < rough && std::abs(dot(b, b) - 1.0) < rough &&
         std::abs(dot(a, b)) < rough && dot(cross(a, b) - c, cross(a, b) - c) < rough * rough;
}

/// Principal moments of a body: positive semidefinite, and none larger than the others' sum.
/// Equivalent: trace/2 - J, the second moments of mass, is positive semidefinite.
bool possible(const spatial::Sym3<double>& J) {
  const double h = 0.5 * trace(J), slack = 1e-9 * std::abs(h);
  const double xx = h - J.xx + slack, yy = h - J.yy + slack, zz = h - J.zz + slack;
  const double d2 = xx * yy - J.xy * J.xy, d3 = xx * zz - J.xz * J.xz, d4 = yy * zz - J.yz * J.yz;
  const double det = xx * (yy * zz - J.yz * J.yz) + J.xy * (-J.xy * zz - J.yz * J.xz) -
                     J.xz * (J.xy * J.yz + yy * J.xz);
  return xx >= 0.0 && yy >= 0.0 && zz >= 0.0 && d2 >= -slack * h && d3 >= -slack * h &&
         d4 >= -slack * h && det >= -slack * h * h;
}

std::string quoted(const std::string& kind, const std::string& name) {
  return kind + " '" + name + "'";
}

}  // namespace

std::vector<Finding> check(const Model& model) {
  std::vector<Finding> all;
  const int nodes = static_cast<int>(model.nodes.size());
  const int scalars = static_cast<int>(model.scalars.size());
  const int drives = static_cast<int>(model.drives.size());
  if (!finite(model.gravity)) all.push_back({"gravity is not finite", {}});

  std::vector<double> mass(model.nodes.size(), 0.0);
  for (const Body& b : model.bodies) {
    const std::string what = quoted("body", b.name);
    if (b.node < 0 || b.node >= nodes) {
      all.push_back({what + " is on a node that does not exist", b.name});
      continue;
    }
    const auto& J = b.inertia;
    const bool numbers = std::isfinite(b.mass) && finite(b.centre) && finite({J.xx, J.yy, J.zz}) &&
                         finite({J.xy, J.xz, J.yz});
    if (!numbers) {
      all.push_back({what + " has a number that is not finite", b.name});
      continue;
    }
    if (!(b.mass > 0.0)) all.push_back({"mass of " + what + " is not positive", b.name});
    if (!possible(J)) all.push_back({"no body has the inertia of " + what, b.name});
    if (!model.nodes[b.node].dynamic) {
      all.push_back({what + " is on static " + quoted("node", model.nodes[b.node].name), b.name});
    }
    mass[b.node] += b.mass;
  }
  for (const NamedElement& e : model.elements) {
    const Shape& s = e.element->shape();
    const std::string what = quoted(e.kind.empty() ? "element" : e.kind, e.name);
    for (const int n : s.nodes) {
      if (n != ground && (n < 0 || n >= nodes)) {
        all.push_back({what + " connects a node that does not exist", e.name});
      } else if (n != ground && s.inertial) {
        mass[n] += 1.0;
        if (!model.nodes[n].dynamic) {
          all.push_back({what + " is on static " + quoted("node", model.nodes[n].name), e.name});
        }
      }
    }
    for (const int n : s.scalars) {
      if (n < 0 || n >= scalars) {
        all.push_back({what + " connects a scalar node that does not exist", e.name});
      }
    }
    for (const int d : s.drives) {
      if (d < 0 || d >= drives) {
        all.push_back({what + " follows a drive that does not exist", e.name});
      }
    }
    for (const double x : s.initial) {
      if (!std::isfinite(x)) {
        all.push_back({what + " starts from a number that is not finite", e.name});
        break;
      }
    }
  }
  for (int i = 0; i < nodes; ++i) {
    const Node& n = model.nodes[i];
    const std::string what = quoted("node", n.name);
    bool numbers = finite(n.position) && finite(n.velocity) && finite(n.angular_velocity) &&
                   std::isfinite(n.weight);
    for (const double a : n.orientation.a) numbers = numbers && std::isfinite(a);
    if (!numbers) {
      all.push_back({what + " has a number that is not finite", n.name});
      continue;
    }
    if (!rotates(n.orientation)) {
      all.push_back({"orientation of " + what + " is not a rotation", n.name});
    }
    if (!(n.weight > 0.0)) all.push_back({"weight of " + what + " is not positive", n.name});
    if (n.dynamic && !(mass[i] > 0.0)) {
      all.push_back({what + " has no mass: give it a body, or make it static", n.name});
    }
  }
  for (const ScalarNode& s : model.scalars) {
    if (!std::isfinite(s.value) || !std::isfinite(s.rate)) {
      all.push_back({quoted("scalar node", s.name) + " has a number that is not finite", s.name});
    }
  }
  for (const DriveSlot& d : model.drives) {
    const DriveState now = d.function ? d.function->at(0.0) : DriveState{d.initial, 0.0, 0.0};
    if (!std::isfinite(now.value) || !std::isfinite(now.rate) || !std::isfinite(now.acceleration)) {
      all.push_back({quoted("drive", d.name) + " is not finite at the start", d.name});
    }
  }
  return all;
}

}  // namespace vernier::constrained
