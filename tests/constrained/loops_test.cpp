// A closed loop against Simbody, which closes it by a constraint on minimal coordinates.
#include <gtest/gtest.h>

#include <cmath>

#include "simbody_loop.hpp"
#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/solver.hpp"

namespace vernier::constrained {
namespace {

/// One node in the middle of each bar. Hinge, ball, universal joint, hinge: closed without a
/// constraint too many.
Model linkage(const peers::FourBar& f) {
  Model m;
  m.gravity = {0.0, -f.gravity, 0.0};
  const peers::Closure at = peers::closed(f);
  const auto bar = [&](const char* name, double x, double y, double angle, double length) {
    const double c = std::cos(angle), s = std::sin(angle);
    Node n;
    n.name = name;
    n.position = {x + 0.5 * length * c, y + 0.5 * length * s, 0.0};
    n.orientation = {{c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0}};
    const int node = m.add(n);
    const double mass = f.density * length, J = mass * length * length / 12.0;
    m.add(Body{name, node, mass, {}, {1e-3 * mass * length * length, J, J, 0.0, 0.0, 0.0}});
    return node;
  };
  const int crank = bar("crank", 0.0, 0.0, f.angle, f.crank);
  const int coupler = bar("coupler", f.crank * std::cos(f.angle), f.crank * std::sin(f.angle),
                          at.coupler, f.coupler);
  const int rocker = bar("rocker", f.ground, 0.0, at.rocker, f.rocker);
  // turning about the ground's pins, and on the crank
  const auto move = [&](int node, double x, double y, double vx, double vy, double rate) {
    Node& n = m.nodes[node];
    n.velocity = {vx - rate * (n.position.y - y), vy + rate * (n.position.x - x), 0.0};
    n.angular_velocity = {0.0, 0.0, rate};
  };
  const double bx = f.crank * std::cos(f.angle), by = f.crank * std::sin(f.angle);
  move(crank, 0.0, 0.0, 0.0, 0.0, f.rate);
  move(coupler, bx, by, -by * f.rate, bx * f.rate, at.coupler_rate);
  move(rocker, f.ground, 0.0, 0.0, 0.0, at.rocker_rate);
  const auto end = [](int node, double x) { return Attachment{node, {x, 0.0, 0.0}}; };
  const auto join = [&](const char* name, JointKind kind, Attachment a, Attachment b) {
    Joint j;
    j.kind = kind;
    j.a = a;
    j.b = b;
    m.add(name, "joint", make(j));
  };
  join("first", JointKind::revolute, {}, end(crank, -0.5 * f.crank));
  join("second", JointKind::spherical, end(crank, 0.5 * f.crank), end(coupler, -0.5 * f.coupler));
  join("third", JointKind::universal, end(coupler, 0.5 * f.coupler), end(rocker, 0.5 * f.rocker));
  join("fourth", JointKind::revolute, {.node = ground, .offset = {f.ground, 0.0, 0.0}},
       end(rocker, -0.5 * f.rocker));
  return m;
}

TEST(FourBar, MovesAsInSimbody) {
  const peers::FourBar f{.ground = 1.0,
                         .crank = 0.4,
                         .coupler = 1.1,
                         .rocker = 0.8,
                         .density = 2.0,
                         .angle = 0.7,
                         .rate = 6.0,
                         .gravity = 9.81};
  const auto theirs = peers::simbody_motion(f, {0.1, 0.5, 1.0, 2.0});
  Solver s(linkage(f), {.tolerance = 1e-11});
  s.initialize();
  const double h = 1e-4;
  std::size_t k = 0;
  double least = 1e9, most = -1e9;
  for (const double until : {0.1, 0.5, 1.0, 2.0}) {
    while (s.time() < until - 0.5 * h) {
      ASSERT_EQ(s.step(h).end, StepReport::End::converged);
      least = std::min(least, s.node(0).x.y);
      most = std::max(most, s.node(0).x.y);
    }
    const NodeState &crank = s.node(0), &rocker = s.node(2);
    const Vector3 b = crank.x + crank.R * Vector3{0.5 * f.crank, 0.0, 0.0};
    const Vector3 c = rocker.x + rocker.R * Vector3{0.5 * f.rocker, 0.0, 0.0};
    EXPECT_NEAR(b.x, theirs[k][0], 5e-6) << until;
    EXPECT_NEAR(b.y, theirs[k][1], 5e-6) << until;
    EXPECT_NEAR(c.x, theirs[k][2], 5e-6) << until;
    EXPECT_NEAR(c.y, theirs[k][3], 5e-6) << until;
    ++k;
  }
  EXPECT_LT(least, -0.19);  // the crank went round
  EXPECT_GT(most, 0.19);
  EXPECT_LT(s.constraint_violation(), 1e-9);
}

}  // namespace
}  // namespace vernier::constrained
