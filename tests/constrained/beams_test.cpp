// A flexible pendulum, by geometrically exact beams and by the modes of a clamped beam in a tree:
// finite volumes against a closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/section.hpp"
#include "vernier/kernel/constrained/solver.hpp"
#include "vernier/kernel/multibody/tree.hpp"

namespace vernier::constrained {
namespace {

namespace mb = multibody;

constexpr double length = 1.0, gravity = 9.81;
const Material aluminium{70e9, 0.3, 2700.0};
constexpr double thickness = 0.004, height = 0.04;

/// Clamped to a hinge about z at the origin, horizontal along x at the start.
Model by_beams(int beams) {
  Model m;
  m.gravity = {0.0, -gravity, 0.0};
  const Section section = rectangle(aluminium, thickness, height);
  for (int i = 0; i <= 2 * beams; ++i) {
    Node n;
    n.name = "n" + std::to_string(i);
    n.position = {0.5 * length * i / beams, 0.0, 0.0};
    m.add(n);
  }
  for (int k = 0; k < beams; ++k) {
    Beam3 beam;
    for (int i = 0; i < 3; ++i) {
      beam.nodes[i] = 2 * k + i;
      beam.reference[i] = {m.nodes[beam.nodes[i]].position, spatial::identity3<double>(), {}, {}};
    }
    beam.sections = {section, section};
    for (Body& b : lumped(beam)) {
      b.name = "lump" + std::to_string(m.bodies.size());
      m.add(std::move(b));
    }
    m.add("beam" + std::to_string(k), "beam", make(beam));
  }
  Joint hinge;
  hinge.b = {.node = 0};
  m.add("hinge", "revolute", make(hinge));
  return m;
}

/// The same with modes of the clamped beam (Euler and Bernoulli) in the frame of the hinge.
mb::Model by_modes(int modes) {
  constexpr double beta[] = {1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349};
  const double line = aluminium.density * thickness * height;
  const double EI = aluminium.young * height * std::pow(thickness, 3) / 12.0;
  constexpr int count = 400;
  std::vector<mb::Lump> lumps(count);
  mb::MatrixX stiffness = mb::MatrixX::Zero(modes, modes);
  for (int k = 0; k < count; ++k) {
    mb::Lump& l = lumps[static_cast<std::size_t>(k)];
    const double x = (k + 0.5) / count;
    l.mass = line * length / count;
    l.p = {x * length, 0.0, 0.0};
    l.shape = mb::Matrix3X::Zero(3, modes);
    for (int i = 0; i < modes; ++i) {
      const double b = beta[i], z = b * x;
      const double s = (std::cosh(b) + std::cos(b)) / (std::sinh(b) + std::sin(b));
      l.shape(1, i) = std::cosh(z) - std::cos(z) - s * (std::sinh(z) - std::sin(z));
      stiffness(i, i) += std::pow(b, 4) * EI / (line * std::pow(length, 4)) * l.mass *
                         l.shape(1, i) * l.shape(1, i);
    }
  }
  mb::Model m;
  m.gravity = {0.0, -gravity, 0.0};
  mb::Body b;
  b.name = "beam";
  b.inertia = mb::rigid_inertia(lumps);
  // slender, but no line: a tree wants inertia about its axis too
  b.inertia.inertia(0, 0) += line * length * (height * height + thickness * thickness) / 12.0;
  b.modes = mb::modal_integrals(lumps);
  b.modes->stiffness = stiffness;
  b.modes->damping = mb::MatrixX::Zero(modes, modes);
  b.hinge.kind = mb::HingeKind::pin;
  m.bodies = {b};
  return m;
}

struct Tip {
  double angle;       // of the hinge
  double deflection;  // of the tip from the line of the hinge
};

Tip tree_at(double time, int modes) {
  const mb::Tree tree(by_modes(modes));
  mb::Evaluation at(tree);
  const std::size_t n = tree.speeds();
  std::vector<double> y(2 * n, 0.0), none(n, 0.0), k[4], s(2 * n);
  const int steps = static_cast<int>(std::lround(time / 2e-5));
  const double h = time / steps;
  for (int step = 0; step < steps; ++step) {
    for (int j = 0; j < 4; ++j) {
      const double a = j == 0 ? 0.0 : j == 3 ? h : 0.5 * h;
      for (std::size_t i = 0; i < 2 * n; ++i) s[i] = y[i] + (j == 0 ? 0.0 : a * k[j - 1][i]);
      k[j].resize(2 * n);
      const std::span<double> q{s.data(), n}, u{s.data() + n, n};
      tree.coordinate_rates(q, u, {k[j].data(), n});
      tree.place(q, u, at);
      static_cast<void>(tree.accelerate({none, {}, {}, {}}, {k[j].data() + n, n}, at));
    }
    for (std::size_t i = 0; i < 2 * n; ++i)
      y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
  }
  double tip = 0.0;
  for (int i = 0; i < modes; ++i)  // shapes are ±2 at the end
    tip += (i % 2 == 0 ? 2.0 : -2.0) * y[1 + static_cast<std::size_t>(i)];
  return {y[0], tip};
}

Tip beams_at(double time, int beams) {
  Solver s(by_beams(beams), {.rho = 0.9});
  s.initialize();
  const double h = 2e-4;
  for (int i = 0; i < std::lround(time / h); ++i)
    EXPECT_EQ(s.step(h).end, StepReport::End::converged);
  const NodeState& root = s.node(0);
  const Vector3 tip = transposed_times(root.R, s.node(2 * beams).x - root.x);
  return {std::atan2(root.R.a[3], root.R.a[0]), tip.y};
}

TEST(FlexiblePendulum, BendsByBeamsAsByModes) {
  // as long as the modes left out are in phase: then the beams' own error is what is seen
  for (const double time : {0.06, 0.1}) {
    const Tip modes = tree_at(time, 4), four = beams_at(time, 4), eight = beams_at(time, 8);
    EXPECT_GT(modes.deflection, 1e-3) << time;  // it does bend
    EXPECT_NEAR(eight.deflection, modes.deflection, 1e-4) << time;
    EXPECT_NEAR(eight.angle, modes.angle, 1e-4) << time;
    // lumps converge with the square of their length
    EXPECT_LT(std::abs(eight.deflection - modes.deflection),
              0.35 * std::abs(four.deflection - modes.deflection));
    EXPECT_LT(std::abs(eight.angle - modes.angle), 0.35 * std::abs(four.angle - modes.angle));
  }
}

}  // namespace
}  // namespace vernier::constrained
