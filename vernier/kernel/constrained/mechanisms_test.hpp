#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/solver.hpp"

/// Mechanisms that several tests use.
namespace vernier::constrained {

inline constexpr double gravity = 9.81;
inline constexpr Scheme all_schemes[] = {
    Scheme::multistep2,        Scheme::multistep3,
    Scheme::multistep4,        Scheme::trapezoid,
    Scheme::generalized_alpha, Scheme::generalized_alpha_second,
    Scheme::composite,         Scheme::sdirk3};

/// 1 kg at 1 m from a hinge about z at the origin, node at the mass; starts along x.
inline Model pendulum(double inertia = 0.01) {
  Model m;
  m.gravity = {0.0, -gravity, 0.0};
  const int node = m.add(Node{.name = "bob", .position = {1.0, 0.0, 0.0}});
  m.add(Body{"bob", node, 1.0, {}, {inertia, inertia, inertia, 0.0, 0.0, 0.0}});
  Joint hinge;
  hinge.b = {.node = node, .offset = {-1.0, 0.0, 0.0}};
  m.add("hinge", "revolute", make(hinge));
  return m;
}

/// A torque about z on the first node, an input that is held.
inline void add_torque(Model& m) {
  Load torque;
  torque.couple = true;
  torque.b.node = 0;
  torque.direction = {0.0, 0.0, 1.0};
  torque.drive = m.add(DriveSlot{.name = "torque"});
  torque.held = true;
  m.add("torque", "couple", make(torque));
}

/// n equal thin bars, 1 m and 1 kg in all, hinged about z, from the origin along +x.
inline Model chain(int n) {
  Model m;
  m.gravity = {0.0, -gravity, 0.0};
  const double l = 1.0 / n, mass = 1.0 / n, J = mass * l * l / 12.0;
  for (int i = 0; i < n; ++i) {
    const std::string name = "bar " + std::to_string(i);
    const int node = m.add(Node{.name = name, .position = {(i + 0.5) * l, 0.0, 0.0}});
    // thin: some inertia about its own line keeps the matrix regular
    m.add(Body{name, node, mass, {}, {1e-3 * J, J, J, 0.0, 0.0, 0.0}});
    Joint hinge;
    if (i > 0) hinge.a = {.node = node - 1, .offset = {0.5 * l, 0.0, 0.0}};
    hinge.b = {.node = node, .offset = {-0.5 * l, 0.0, 0.0}};
    m.add("hinge " + std::to_string(i), "revolute", make(hinge));
  }
  return m;
}

/// θ'' = -(m g l / J) sin θ, m = l = 1, from rest at 90°: by the classical Runge–Kutta method.
struct Swing {
  double theta, omega;
};
inline Swing swing(double J, double time, int n = 20000) {
  double y[2] = {std::numbers::pi / 2, 0.0};
  const double h = time / n;
  const auto f = [&](const double* s, double* d) {
    d[0] = s[1], d[1] = -gravity / J * std::sin(s[0]);
  };
  for (int i = 0; i < n; ++i) {
    double k[4][2], s[2];
    f(y, k[0]);
    for (int j = 1; j < 4; ++j) {
      const double a = j == 3 ? h : 0.5 * h;
      s[0] = y[0] + a * k[j - 1][0], s[1] = y[1] + a * k[j - 1][1];
      f(s, k[j]);
    }
    for (int c = 0; c < 2; ++c) y[c] += h / 6.0 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
  }
  return {y[0], y[1]};
}

}  // namespace vernier::constrained
