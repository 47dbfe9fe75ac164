#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vernier/kernel/constrained/elements/cantilever_test.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {
namespace {

struct Tip {
  Vector3 x, turn;
};

Tip rest(Model m, int load_steps = 10) {
  const int tip = static_cast<int>(m.nodes.size()) - 1;
  Solver s(std::move(m), {.tolerance = 1e-10});
  s.equilibrate(0.0, load_steps);
  return {s.node(tip).x, rotation_vector(s.node(tip).R)};
}

constexpr double EI = 100.0;
const Section slender = section({1e6 * EI, 1e6 * EI, 1e6 * EI, EI, EI, EI});

/// Length 1, clamped at the origin, end load k EI along -y.
Tip cantilever(int beams, double k, Pieces pieces = Pieces::three_nodes) {
  Model m;
  const auto nodes = add_straight_beam(m, "beam", {}, 1.0, beams, slender, pieces);
  add_clamp(m, nodes.front());
  add_dead_load(m, nodes.back(), {0.0, -1.0, 0.0}, k * EI);
  return rest(std::move(m));
}

// Oracle: the elastica by elliptic integrals (x, -y, -slope of the tip). The errors of 2, 5 and 10
// beams are those the paper's formulation has at k = 10.
TEST(Beam3, BendsAsTheElastica) {
  const double exact[][4] = {{1.0, 0.943567, 0.301721, 0.461352},
                             {2.0, 0.839358, 0.493457, 0.781750},
                             {5.0, 0.612372, 0.713792, 1.215368},
                             {10.0, 0.445004, 0.810609, 1.430286}};
  const double errors[] = {2.9e-3, 1.3e-4, 7e-6};
  const int beams[] = {2, 5, 10};
  for (const auto& [k, x, y, slope] : exact) {
    for (int i = 0; i < 3; ++i) {
      const Tip t = cantilever(beams[i], k);
      EXPECT_NEAR(t.x.x, x, errors[i]) << k;
      EXPECT_NEAR(-t.x.y, y, errors[i]) << k;
      EXPECT_NEAR(-t.turn.z, slope, 1.6 * errors[i]) << k;
    }
  }
}

// Oracle: an independent implementation of the same formulas; exact: -0.81061.
TEST(Beam2, BendsAsTheElastica) {
  EXPECT_NEAR(cantilever(10, 10.0, Pieces::two_nodes).x.y, -0.81180, 1e-5);
  EXPECT_NEAR(cantilever(20, 10.0, Pieces::two_nodes).x.y, -0.81091, 1e-5);
}

TEST(Beam2, IsExactForSmallLoadsOnlyWithBendingInShear) {
  // two beams, load k = 0.01: k/3, less 1/6 of what the coarse beams keep stiff: 6 %
  for (const bool corrected : {true, false}) {
    Model m;
    std::vector<int> nodes;
    for (int i = 0; i < 3; ++i)
      nodes.push_back(m.add(Node{.name = "n", .position = {0.5 * i, 0.0, 0.0}, .dynamic = false}));
    for (int i = 0; i < 2; ++i) {
      Beam2 b;
      b.nodes = {i, i + 1};
      b.section = slender;
      b.reference = {placed_at({0.5 * i, 0.0, 0.0}), placed_at({0.5 * i + 0.5, 0.0, 0.0})};
      b.correct_shear = corrected;
      m.add("beam", "beam", make(b));
    }
    add_clamp(m, 0);
    add_dead_load(m, 2, {0.0, -1.0, 0.0}, 0.01 * EI);
    const double y = -rest(std::move(m), 1).x.y, exact = 0.01 / 3.0 + 1e-8;
    // geometry: the deflection is smaller by about (k/3)²
    EXPECT_NEAR(y / exact, corrected ? 1.0 : 0.9375, 2e-5);
  }
}

TEST(Beam3, RollsUpToACircle) {
  for (const double p : {0.5 * std::numbers::pi, std::numbers::pi, 2.0 * std::numbers::pi}) {
    Model m;
    const auto nodes = add_straight_beam(m, "beam", {}, 1.0, 5, slender);
    add_clamp(m, nodes.front());
    add_dead_load(m, nodes.back(), {0.0, 0.0, 1.0}, p * EI, true);
    const Tip t = rest(std::move(m));
    EXPECT_NEAR(t.x.x, std::sin(p) / p, 5e-5);
    EXPECT_NEAR(t.x.y, (1.0 - std::cos(p)) / p, 5e-5);
  }
}

// Reference values: an independent implementation, converged. The bending about the stiff axis
// grows with the twist that bending about the soft one makes.
TEST(Beam3, CouplesBendingAndTwistAsThePrincetonBeam) {
  const Section s = section({2.8419e6, 9.0391e5, 9.0391e5, 3.103, 2.4288, 36.28});
  const auto tip = [&](double degrees) {
    Model m;
    const auto nodes = add_straight_beam(m, "beam", {}, 0.508, 10, s);
    add_clamp(m, nodes.front());
    const double a = degrees * std::numbers::pi / 180.0;
    add_dead_load(m, nodes.back(), {0.0, std::cos(a), std::sin(a)}, 8.896);
    return rest(std::move(m));
  };
  const Tip flat = tip(0.0), half = tip(45.0), edge = tip(90.0);
  EXPECT_NEAR(flat.x.x, 507.8644e-3, 1e-6);
  EXPECT_NEAR(flat.x.y, 10.71523e-3, 1e-6);
  EXPECT_NEAR(half.x.x, 493.6114e-3, 2e-6);
  EXPECT_NEAR(half.x.y, 8.88879e-3, 2e-6);
  EXPECT_NEAR(half.x.z, 109.0390e-3, 2e-6);
  EXPECT_NEAR(half.turn.x, -0.025775, 5e-6);
  EXPECT_NEAR(half.turn.y, -0.326031, 5e-6);
  EXPECT_NEAR(half.turn.z, 0.023133, 5e-6);
  EXPECT_NEAR(edge.x.x, 481.9770e-3, 2e-6);
  EXPECT_NEAR(edge.x.z, 146.2566e-3, 2e-6);
}

/// An arc of 45° and radius 100 in the plane x, y, clamped at the origin, with an end load along z.
Vector3 bent_arc(double load, int pieces, Pieces kind) {
  const double EI_arc = 1e7 / 12.0;
  const Section s = section({1e7, 5e6, 5e6, EI_arc, EI_arc, EI_arc});
  const int n = kind == Pieces::three_nodes ? 2 * pieces : pieces;
  Model m;
  std::vector<NodeState> places;
  for (int i = 0; i <= n; ++i) {
    const double a = 0.25 * std::numbers::pi * i / n, c = std::cos(a), d = std::sin(a);
    // axis 1 along the arc, 3 along z
    places.push_back(
        placed_at({100.0 * (1.0 - c), 100.0 * d, 0.0}, {{d, -c, 0.0, c, d, 0.0, 0.0, 0.0, 1.0}}));
    m.add(Node{.name = "node",
               .position = places.back().x,
               .orientation = places.back().R,
               .dynamic = false});
  }
  if (kind == Pieces::three_nodes) {
    for (int i = 0; i < n; i += 2) {
      Beam3 b{.nodes = {i, i + 1, i + 2}, .sections = {s, s}};
      b.reference = {places[i], places[i + 1], places[i + 2]};
      m.add("beam", "beam", make(b));
    }
  } else {
    for (int i = 0; i < n; ++i) {
      Beam2 b{.nodes = {i, i + 1}, .section = s};
      b.reference = {places[i], places[i + 1]};
      m.add("beam", "beam", make(b));
    }
  }
  m.add("root", "clamp",
        make(Joint{.kind = JointKind::clamp, .a = {.axes = places[0].R}, .b = {.node = 0}}));
  add_dead_load(m, n, {0.0, 0.0, 1.0}, load);
  return rest(std::move(m)).x;
}

// Published: Simo and Vu-Quoc 1986 have 22.33, 58.84, 40.08 for 300 and 15.79, 47.23, 53.37 for
// 600, with eight straight linear elements, which are 0.1 from the arc. The other oracle is the
// other kind of beam.
TEST(Beams, BendACurvedBeamAcrossItsPlane) {
  for (const auto& [load, x, y, z] :
       {std::array{300.0, 22.33, 58.84, 40.08}, std::array{600.0, 15.79, 47.23, 53.37}}) {
    const Vector3 three = bent_arc(load, 8, Pieces::three_nodes),
                  two = bent_arc(load, 32, Pieces::two_nodes);
    EXPECT_NEAR(three.x, x, 0.12);
    EXPECT_NEAR(three.y, y, 0.12);
    EXPECT_NEAR(three.z, z, 0.12);
    EXPECT_NEAR(three.x, two.x, 6e-3);
    EXPECT_NEAR(three.y, two.y, 6e-3);
    EXPECT_NEAR(three.z, two.z, 6e-3);
  }
}

/// Turns at 1 rad/s from 0.
class Turning final : public Drive {
 public:
  DriveState at(double t) const noexcept override { return {t, 1.0, 0.0}; }
};

// Interpolated increments of rotation would drift by 1.6e-3 of the length in each turn.
TEST(Beam3, ComesBackWhenItsRootMakesFullTurns) {
  Model m;
  const Section s4 = section({1e4 * EI, 1e4 * EI, 1e4 * EI, EI, EI, EI});
  const auto nodes = add_straight_beam(m, "beam", {}, 1.0, 2, s4);
  const int angle = m.add(DriveSlot{"angle", std::make_shared<Turning>()}), none = m.constant(0.0);
  m.add("place", "spherical", make(Joint{.kind = JointKind::spherical, .b = {.node = nodes[0]}}));
  m.add("turn", "rotation",
        make(Joint{
            .kind = JointKind::rotation, .b = {.node = nodes[0]}, .drives = {none, none, angle}}));
  add_dead_load(m, nodes.back(), {0.0, -1.0, 0.3}, 1.5 * EI);
  // without masses each step is a state of rest
  Solver s(std::move(m), {.rho = 0.0, .tolerance = 1e-10});
  s.equilibrate();
  const Vector3 start = s.node(nodes.back()).x;
  double farthest = 0.0;
  const int n = 100;
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < n; ++i) {
      const StepReport r = s.step(2.0 * std::numbers::pi / n);
      ASSERT_EQ(r.end, StepReport::End::converged) << i << " " << r.residual;
      const Vector3 d = s.node(nodes.back()).x - start;
      farthest = std::max(farthest, std::sqrt(dot(d, d)));
    }
    const Vector3 d = s.node(nodes.back()).x - start;
    EXPECT_LT(std::sqrt(dot(d, d)), 1e-9) << turn;
  }
  EXPECT_GT(farthest, 1.0);
}

}  // namespace
}  // namespace vernier::constrained
