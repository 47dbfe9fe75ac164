#include "family.hpp"

#include <cmath>
#include <numbers>
#include <random>

namespace vernier::peers {

using namespace multibody;

namespace {

/// Numbers that are the same with every compiler and library.
class Random {
 public:
  explicit Random(unsigned seed) : bits_(seed) {}
  double operator()(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53;
  }
  Matrix3 rotation() {
    Eigen::Quaterniond q((*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1));
    return q.normalized().toRotationMatrix();
  }
  Vector3 vector(double size) {
    const double x = (*this)(-size, size), y = (*this)(-size, size), z = (*this)(-size, size);
    return {x, y, z};
  }

 private:
  std::mt19937_64 bits_;
};

/// About the origin, of a body with its centre of mass at c and inertia Ic about it.
Inertia about_origin(double m, const Vector3& c, const Matrix3& Ic) {
  return {m, m * c, Ic + m * (c.dot(c) * Matrix3::Identity() - c * c.transpose())};
}
Matrix3 symmetric(double xx, double yy, double zz, double xy = 0, double xz = 0, double yz = 0) {
  Matrix3 m;
  m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return m;
}
Matrix3 turned(const Vector3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

/// A link of two to three kilograms, half a metre long.
Inertia link(Random& r) {
  const double m = r(2, 3);
  const Vector3 c(r(0, 0.1), r(0, 0.05), r(0.25, 0.35));
  return about_origin(m, c,
                      symmetric(r(0.05, 0.06), r(0.05, 0.06), 0.02, r(0, 0.002), 0.001, -0.001));
}

Body body(std::string name, int parent, HingeKind kind, const Pose& at, const Inertia& inertia) {
  Body b;
  b.name = std::move(name);
  b.inertia = inertia;
  b.hinge.name = b.name;
  b.hinge.kind = kind;
  b.hinge.parent = parent;
  b.hinge.outboard.pose = at;
  return b;
}

/// Masses of the bus: a central stack, a magnetometer boom and a truss.
std::vector<Lump> bus_lumps() {
  Random r(7);
  std::vector<Lump> lumps;
  for (const double z : {-2.0, -0.7, 0.7, 2.0}) {
    for (const auto& [x, y] : {std::pair{0.9, 0.9}, {-0.9, 0.9}, {0.9, -0.9}, {-0.9, -0.9}}) {
      const double mass = r(100, 140);
      lumps.push_back({.mass = mass, .p = {x, y, z + r(0, 0.1)}, .shape = {}, .rotation = {}});
    }
  }
  for (int i = 1; i < 6; ++i)
    lumps.push_back({.mass = 3.0, .p = {0.9 + 2.0 * i, 0.2 * i, 2.0}, .shape = {}, .rotation = {}});
  for (int i = 1; i < 4; ++i)
    lumps.push_back({.mass = 9.0, .p = {-0.9 - 1.0 * i, 0.0, 1.5}, .shape = {}, .rotation = {}});
  return lumps;
}

/// Smooth shapes: bending of the boom in two planes, of the truss, of the stack, and its torsion.
/// Rotation is half the curl.
void shape(int mode, const Vector3& p, Vector3& t, Vector3& r) {
  const double x = p[0], y = p[1], z = p[2], boom = std::max(x, 0.0), truss = std::min(x, 0.0);
  switch (mode) {
    case 0:
      t = {0, 0, 0.003 * boom * boom};
      r = {0, -0.006 * boom, 0};
      break;
    case 1:
      t = {0, 0.003 * boom * boom, 0};
      r = {0, 0, 0.006 * boom};
      break;
    case 2:
      t = {0, 0, 0.0125 * truss * truss};
      r = {0, -0.025 * truss, 0};
      break;
    case 3:
      t = {0.005 * z * z, 0.004 * z, 0};
      r = {-0.002, 0.005 * z, 0};
      break;
    default:
      t = {-0.005 * y * z, 0.005 * x * z, 0};
      r = {-0.0025 * x, -0.0025 * y, 0.005 * z};
      break;
  }
}
constexpr double frequencies_hz[5] = {0.35, 0.42, 1.1, 3.2, 4.7};

void bend(Node& node, int modes) {
  node.phi_t.resize(3, modes);
  node.phi_r.resize(3, modes);
  for (int i = 0; i < modes; ++i) {
    Vector3 t, r;
    shape(i, node.pose.p, t, r);
    node.phi_t.col(i) = t;
    node.phi_r.col(i) = r;
  }
}

}  // namespace

Model cassini(int modes) {
  Model m;
  m.name = modes > 0 ? "cassini-flex" : "cassini-rigid";
  std::vector<Lump> lumps = bus_lumps();
  for (Lump& l : lumps) {
    l.shape.resize(3, modes);
    for (int i = 0; i < modes; ++i) {
      Vector3 t, r;
      shape(i, l.p, t, r);
      l.shape.col(i) = t;
    }
  }
  Body bus = body("bus", ground, HingeKind::free, {}, rigid_inertia(lumps));
  if (modes > 0) {
    bus.modes = modal_integrals(lumps);
    bus.modes->stiffness = bus.modes->damping = MatrixX::Zero(modes, modes);
    for (int i = 0; i < modes; ++i) {
      const double w = 2.0 * std::numbers::pi * frequencies_hz[i], mass = bus.modes->mass(i, i);
      bus.modes->stiffness(i, i) = mass * w * w;
      bus.modes->damping(i, i) = 2.0 * 0.002 * mass * w;
    }
  }
  // sixteen thrusters in four clusters and ten sensors
  Random r(11);
  for (int i = 0; i < 26; ++i) {
    Node node;
    node.name = (i < 16 ? "thruster" : "sensor") + std::to_string(i < 16 ? i + 1 : i - 15);
    const int cluster = i / 4;
    const double a = std::numbers::pi * (0.25 + 0.5 * cluster);
    node.pose = {r.rotation(),
                 i < 16 ? Vector3(1.3 * std::cos(a), 1.3 * std::sin(a), -1.8) : r.vector(1.5)};
    bend(node, modes);
    bus.nodes.push_back(std::move(node));
  }
  m.bodies.push_back(std::move(bus));
  const auto add = [&](const std::string& name, HingeKind kind, const Matrix3& R, const Vector3& p,
                       double mass, const Vector3& c, const Matrix3& Ic) {
    Body b = body(name, 0, kind, {R, p}, about_origin(mass, c, Ic));
    bend(b.hinge.outboard, modes);
    m.bodies.push_back(std::move(b));
  };
  const Vector3 x = Vector3::UnitX(), y = Vector3::UnitY();
  using enum HingeKind;
  add("scan platform", universal, turned(y, 1.57), {-3.9, 0, 1.5}, 110, {0.05, -0.03, 0.45},
      symmetric(14, 12, 9, 0.3, -0.2, 0.1));
  add("pointing platform", universal, turned(x, 0.6), {1.2, -1.2, 1.6}, 75, {0.0, 0.04, 0.30},
      symmetric(7, 6, 5, 0.1, 0.1, -0.2));
  for (int k = 0; k < 4; ++k) {
    const double a = std::numbers::pi * (0.25 + 0.5 * k);
    add("wheel" + std::to_string(k + 1), pin, turned({-std::sin(a), std::cos(a), 0}, 0.955),
        {0.7 * std::cos(a), 0.7 * std::sin(a), -1.9}, 14.0, Vector3::Zero(),
        symmetric(0.09, 0.09, 0.16));
  }
  for (const double side : {1.0, -1.0}) {
    add(side > 0 ? "engine A" : "engine B", universal, turned(x, std::numbers::pi),
        {0.25 * side, 0, -2.2}, 22, {0, 0, 0.35}, symmetric(1.9, 1.9, 0.6, 0, 0, 0.02));
  }
  add("oxidizer", pin, turned(x, 1.5), {0, 0, 0.8}, 620, {0, -0.35, 0}, symmetric(60, 55, 62));
  add("fuel", pin, turned(y, 1.5), {0, 0, -0.8}, 480, {0, -0.35, 0}, symmetric(45, 42, 47));
  return m;
}

Model chain(int bodies) {
  Random r(static_cast<unsigned>(bodies));
  Model m;
  m.name = "chain" + std::to_string(bodies);
  m.gravity = {0, 0, -9.81};
  for (int i = 0; i < bodies; ++i) {
    const Inertia inertia = link(r);
    const Pose at = {r.rotation(), i == 0 ? Vector3(0, 0, 0) : Vector3(0.02, 0.01, 0.5)};
    m.bodies.push_back(body("link" + std::to_string(i), i - 1, HingeKind::pin, at, inertia));
  }
  return m;
}

Model binary_tree(int bodies) {
  Random r(static_cast<unsigned>(1000 + bodies));
  Model m;
  m.name = "tree" + std::to_string(bodies);
  m.gravity = {0, 0, -9.81};
  for (int i = 0; i < bodies; ++i) {
    const Inertia inertia = link(r);
    const Vector3 p = i == 0 ? Vector3(0, 0, 0) : Vector3(i % 2 == 1 ? 0.3 : -0.3, 0.05, 0.4);
    m.bodies.push_back(body("branch" + std::to_string(i), i == 0 ? ground : (i - 1) / 2,
                            HingeKind::pin, {r.rotation(), p}, inertia));
  }
  return m;
}

Model star(int appendages) {
  Random r(static_cast<unsigned>(2000 + appendages));
  Model m;
  m.name = "star" + std::to_string(appendages);
  m.bodies.push_back(
      body("bus", ground, HingeKind::free, {},
           about_origin(2000, {0.01, 0.02, 0.1}, symmetric(4000, 4200, 3500, 20, -30, 10))));
  for (int i = 0; i < appendages; ++i) {
    const Inertia inertia = link(r);
    const Matrix3 R = r.rotation();
    m.bodies.push_back(
        body("arm" + std::to_string(i), 0, HingeKind::pin, {R, r.vector(2)}, inertia));
  }
  return m;
}

Model mixed_tree(int bodies, bool free, unsigned seed) {
  constexpr HingeKind kinds[] = {HingeKind::pin,       HingeKind::prismatic, HingeKind::cylindrical,
                                 HingeKind::universal, HingeKind::ball,      HingeKind::fixed};
  Random r(seed);
  Model m;
  m.name = "mixed" + std::to_string(seed);
  m.gravity = {0.5, -1.0, -9.81};
  for (int i = 0; i < bodies; ++i) {
    const Inertia inertia = link(r);
    const int parent = i == 0 ? ground : static_cast<int>(r(0, i - 1e-9));
    const HingeKind kind =
        i == 0 && free ? HingeKind::free : kinds[static_cast<int>(r(0, i == 0 ? 5 : 6))];
    const Matrix3 R = r.rotation();
    Body b = body("body" + std::to_string(i), parent, kind, {R, r.vector(0.5)}, inertia);
    const Matrix3 inboard = r.rotation();
    b.hinge.inboard.pose = {inboard, r.vector(0.2)};
    m.bodies.push_back(std::move(b));
  }
  return m;
}

std::vector<State> random_states(const Tree& tree, int count, unsigned seed) {
  Random r(seed);
  std::vector<State> states(static_cast<std::size_t>(count));
  for (State& s : states) {
    s.q.resize(tree.coordinates());
    s.u.resize(tree.speeds());
    s.force.resize(tree.speeds());
    for (int i = 0; i < static_cast<int>(tree.model().bodies.size()); ++i) {
      const Block b = tree.block(i);
      const HingeKind kind = tree.model().bodies[static_cast<std::size_t>(i)].hinge.kind;
      for (std::size_t k = 0; k < b.coordinates; ++k) {
        double& x = s.q[b.q + k];
        x = r(-3, 3);
        if (kind == HingeKind::universal && k == 1) x = r(-1, 1);
        if (kind == HingeKind::prismatic || (kind == HingeKind::cylindrical && k == 1))
          x = r(-0.1, 0.1);
      }
      for (std::size_t k = 0; k < b.speeds; ++k) {
        s.u[b.u + k] = r(-1, 1);
        s.force[b.u + k] = kind == HingeKind::free ? 0.0 : r(-5, 5);
      }
      for (std::size_t k = 0; k < b.modes; ++k) {
        s.q[b.q + b.coordinates + k] = r(-0.05, 0.05);
        s.u[b.u + b.speeds + k] = r(-0.2, 0.2);
      }
    }
    tree.normalise(s.q);
  }
  return states;
}

}  // namespace vernier::peers
