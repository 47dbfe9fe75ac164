#pragma once

#include <random>

#include "vernier/kernel/multibody/tree.hpp"

/// Random stars and states, for tests.
namespace vernier::multibody::random {

class Numbers {
 public:
  explicit Numbers(unsigned seed) : bits_(seed) {}
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(bits_);
  }
  Vector3 vector(double size) {
    const double x = (*this)(-size, size), y = (*this)(-size, size), z = (*this)(-size, size);
    return {x, y, z};
  }
  Matrix3 rotation() {
    Eigen::Quaterniond q((*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1));
    return q.normalized().toRotationMatrix();
  }
  Matrix3X shapes(int modes, double size) {
    Matrix3X m(3, modes);
    for (int i = 0; i < modes; ++i) m.col(i) = vector(size);
    return m;
  }

 private:
  std::mt19937_64 bits_;
};

struct StarOptions {
  int modes = 0, order = 2;
  bool free = true;
  int appendages = 19;  // of all kinds in turn
  bool full = false;    // stiffness and damping with all elements
};

inline Model star(unsigned seed, const StarOptions& options) {
  constexpr HingeKind kinds[] = {HingeKind::pin,    HingeKind::universal,   HingeKind::gimbal,
                                 HingeKind::ball,   HingeKind::prismatic,   HingeKind::pin,
                                 HingeKind::planar, HingeKind::cylindrical, HingeKind::fixed,
                                 HingeKind::screw};
  Numbers r(seed);
  const auto lumps = [&](int count, double mass, double size, int modes) {
    std::vector<Lump> all;
    for (int i = 0; i < count; ++i) {
      Lump l;
      l.mass = r(0.5, 1.5) * mass;
      l.p = r.vector(size);
      l.shape = r.shapes(modes, 0.1);
      all.push_back(std::move(l));
    }
    return all;
  };
  const auto node = [&](double size, int modes) {
    Node n;
    n.pose.R = r.rotation();
    n.pose.p = r.vector(size);
    n.phi_t = r.shapes(modes, 0.1);
    n.phi_r = r.shapes(modes, 0.1);
    return n;
  };
  const int n = options.modes;
  Model m;
  m.name = "star";
  m.gravity = r.vector(5);
  // the hub stands in the middle of the list
  const int hub = options.appendages / 2;
  int kind = 0;
  for (int i = 0; i <= options.appendages; ++i) {
    Body b;
    b.name = "body" + std::to_string(i);
    b.hinge.name = b.name;
    if (i == hub) {
      const auto points = lumps(12, 40, 1.5, n);
      b.inertia = rigid_inertia(points);
      if (n > 0) {
        b.modes = modal_integrals(points);
        b.modes->order = options.order;
        b.modes->stiffness = b.modes->damping = MatrixX::Zero(n, n);
        for (int k = 0; k < n; ++k) {
          b.modes->stiffness(k, k) = r(50, 200);
          b.modes->damping(k, k) = r(0.1, 1);
          if (options.full && k > 0) {
            b.modes->stiffness(k, k - 1) = b.modes->stiffness(k - 1, k) = r(-5, 5);
            b.modes->damping(k, k - 1) = b.modes->damping(k - 1, k) = r(-0.05, 0.05);
          }
        }
      }
      b.hinge.kind = options.free ? HingeKind::free : HingeKind::fixed;
      b.hinge.outboard = node(3, 0);
      b.nodes = {node(1, n), node(1, n)};
    } else {
      b.inertia = rigid_inertia(lumps(6, 3, 0.5, 0));
      b.hinge.kind = kinds[kind++ % 10];
      if (b.hinge.kind == HingeKind::screw) b.hinge.parameter = r(-0.4, 0.4);
      b.hinge.parent = hub;
      b.hinge.outboard = node(1, n);
      // some nodes are moved by some modes only, some by none
      if (i % 4 == 1) {
        for (int k = 0; k < n; k += 2) {
          b.hinge.outboard.phi_t.col(k).setZero();
          b.hinge.outboard.phi_r.col(k).setZero();
        }
      }
      if (i % 7 == 3) {
        b.hinge.outboard.phi_t.resize(3, 0);
        b.hinge.outboard.phi_r.resize(3, 0);
      }
      b.hinge.inboard = node(0.3, 0);
      b.nodes = {node(0.5, 0)};
      if (i % 3 == 0) b.hinge.rotor[0] = r(0.1, 1);
    }
    m.bodies.push_back(std::move(b));
  }
  return m;
}

struct State {
  std::vector<double> q, u, force, acceleration;
  std::vector<std::uint8_t> prescribed;
  std::vector<NodeForce> nodes;
};

/// `prescribed`: the part of hinge speeds that are.
inline State state(const Tree& tree, unsigned seed, double prescribed = 0.0) {
  Numbers r(seed);
  State s;
  s.q.resize(tree.coordinates());
  s.u.resize(tree.speeds());
  s.force.resize(tree.speeds());
  s.acceleration.resize(tree.speeds());
  s.prescribed.resize(tree.speeds());
  for (int i = 0; i < static_cast<int>(tree.model().bodies.size()); ++i) {
    const Block b = tree.block(i);
    for (std::size_t k = 0; k < b.coordinates + b.modes; ++k)
      s.q[b.q + k] = k < b.coordinates ? r(-1.2, 1.2) : r(-0.2, 0.2);
    for (std::size_t k = 0; k < b.speeds + b.modes; ++k) {
      s.u[b.u + k] = r(-1, 1);
      s.force[b.u + k] = r(-5, 5);
      s.acceleration[b.u + k] = r(-2, 2);
      s.prescribed[b.u + k] = k < b.speeds && r(0, 1) < prescribed ? 1 : 0;
    }
    const int nodes =
        static_cast<int>(tree.model().bodies[static_cast<std::size_t>(i)].nodes.size());
    for (const int k : {0, nodes - 1, NodeId::frame, NodeId::inboard, NodeId::outboard}) {
      if (r(0, 1) < 0.4)
        s.nodes.push_back({{i, k}, {.moment = r.vector(3), .resultant = r.vector(10)}});
    }
  }
  tree.normalise(s.q);
  return s;
}

}  // namespace vernier::multibody::random
