#include "vernier/kernel/constrained/analysis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/mechanisms_test.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {
namespace {

using std::numbers::pi;

/// At rest downward, with a damper and a torque in the hinge.
Model hanging(double damping) {
  Model m;
  m.gravity = {0.0, -gravity, 0.0};
  m.add(Node{.name = "bob",
             .position = {0.0, -1.0, 0.0},
             .orientation = rotation(Vector3{0.0, 0.0, -pi / 2})});
  m.add(Body{"bob", 0, 1.0, {}, {0.01, 0.01, 0.01, 0.0, 0.0, 0.0}});
  Joint hinge;
  hinge.b = {.node = 0, .offset = {-1.0, 0.0, 0.0}};
  m.add("hinge", "revolute", make(hinge));
  DeformableJoint damper;
  damper.b = hinge.b;
  damper.rotation[2] = Law{.damping = damping};
  m.add("damper", "deformable joint", make(damper));
  add_torque(m);
  return m;
}

TEST(Modes, OfAPendulum) {
  Solver s(hanging(0.3), {});
  s.initialize();
  const std::vector<Mode> all = modes(s);
  ASSERT_EQ(all.size(), 1u);
  const double w = std::sqrt(gravity / 1.01);
  EXPECT_NEAR(all[0].frequency, w / (2.0 * pi), 1e-9);
  EXPECT_NEAR(all[0].damping, 0.3 / (2.0 * 1.01 * w), 1e-9);
  // swings along x, turning about z
  EXPECT_NEAR(std::abs(all[0].shape[0]), 1.0, 1e-9);
  EXPECT_NEAR(std::abs(all[0].shape[5]), 1.0, 1e-9);
  EXPECT_NEAR(std::abs(all[0].shape[1]), 0.0, 1e-9);
}

/// Lets node i slide along x, at 1 + i m, on a spring from the node before it, or from the ground.
/// The axis of a prismatic joint is its third.
void hang_on_spring(Model& m, int i, double stiffness) {
  const Matrix3 along_x = rotation(Vector3{0.0, pi / 2, 0.0});
  Joint slide;
  slide.kind = JointKind::prismatic;
  slide.a.axes = along_x;
  slide.b = {.node = i, .axes = along_x};
  m.add("slide " + std::to_string(i), "prismatic", make(slide));
  Rod spring;
  if (i == 1) spring.a.node = 0;
  spring.b.node = i;
  spring.length = 1.0;
  spring.law.stiffness = stiffness;
  m.add("spring", "rod", make(spring));
}

TEST(Modes, OfMassesOnSprings) {
  // two masses on a line, ground - k - m - k - m: ω² = (k/m) (3 ∓ √5) / 2
  Model m;
  const double k = 40.0, mass = 2.5;
  for (int i = 0; i < 2; ++i) {
    m.add(Node{.name = "mass", .position = {1.0 + i, 0.0, 0.0}});
    m.add(Body{"mass", i, mass, {}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}});
    hang_on_spring(m, i, k);
  }
  Solver s(m, {});
  s.initialize();
  const std::vector<Mode> all = modes(s);
  ASSERT_EQ(all.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    const double w = std::sqrt(k / mass * (3.0 + (i == 0 ? -1.0 : 1.0) * std::sqrt(5.0)) / 2.0);
    EXPECT_NEAR(all[i].frequency, w / (2.0 * pi), 1e-9);
    EXPECT_NEAR(all[i].damping, 0.0, 1e-9);
  }
}

TEST(Modes, CountAMasslessNodeAsAFollower) {
  // a spring of two halves with a static node between: k/2
  Model m;
  m.add(Node{.name = "middle", .position = {1.0, 0.0, 0.0}, .dynamic = false});
  m.add(Node{.name = "mass", .position = {2.0, 0.0, 0.0}});
  m.add(Body{"mass", 1, 2.0, {}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}});
  for (int i = 0; i < 2; ++i) {
    hang_on_spring(m, i, 50.0);
  }
  Solver s(m, {});
  s.initialize();
  const std::vector<Mode> all = modes(s);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all[0].frequency, std::sqrt(25.0 / 2.0) / (2.0 * pi), 1e-9);
  EXPECT_NEAR(std::abs(all[0].shape[0]), 0.5, 1e-9);
}

TEST(Modes, OfAFreeBodyStandStill) {
  Model m;
  m.add(Node{.name = "body"});
  m.add(Body{"body", 0, 2.0, {0.1, 0.0, 0.0}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}});
  Solver s(m, {});
  s.initialize();
  for (const Mode& mode : modes(s)) EXPECT_LT(mode.frequency, 1e-6);
}

TEST(LinearModel, OfAPendulumIsThatOfItsEquation) {
  Solver s(hanging(0.3), {});
  s.initialize();
  // outputs: position along x, angular velocity, force of the hinge along x
  const LinearModel l = linearize(
      s, {{.node = 0, .component = 0}, {.node = 0, .component = 11}, {.element = 0, .measure = 0}});
  ASSERT_EQ(l.states, 2);
  ASSERT_EQ(l.inputs, 1);
  ASSERT_EQ(l.outputs, 3);
  // whatever the states: transfer functions at s = jω. J θ'' + d θ' + g θ = u
  const std::complex<double> iw(0.0, 2.0);
  const std::complex<double> a = iw - l.A[0], b = -l.A[1], c = -l.A[2], d = iw - l.A[3];
  const std::complex<double> det = a * d - b * c;
  const std::complex<double> x0 = (d * l.B[0] - b * l.B[1]) / det,
                             x1 = (a * l.B[1] - c * l.B[0]) / det;
  const auto output = [&](int i) { return l.C[2 * i] * x0 + l.C[2 * i + 1] * x1 + l.D[i]; };
  const std::complex<double> theta = 1.0 / (1.01 * iw * iw + 0.3 * iw + gravity);
  EXPECT_NEAR(std::abs(output(0) - theta), 0.0, 1e-8);
  EXPECT_NEAR(std::abs(output(1) - iw * theta), 0.0, 1e-8);
  // m x'' is what the hinge pulls
  EXPECT_NEAR(std::abs(output(2) - iw * iw * theta), 0.0, 1e-7);
}

TEST(LinearModel, LeavesTheSolverAsItWas) {
  Solver s(hanging(0.3), {});
  s.initialize();
  for (int i = 0; i < 5; ++i) s.step(1e-3);
  std::vector<std::byte> before(s.state_bytes()), after(s.state_bytes());
  s.save(before);
  static_cast<void>(linearize(s, {{.element = 0}}));
  static_cast<void>(modes(s));
  s.save(after);
  EXPECT_EQ(before, after);
  EXPECT_EQ(s.step(1e-3).end, StepReport::End::converged);
}

TEST(LinearModel, OfAChainPredictsItsSmallMotion) {
  // three bars hanging, a small held torque on the first: the solver against x' = A x + B u, both
  // far below one period and through several
  Model m = chain(3);
  m.gravity = {gravity, 0.0, 0.0};  // the chain lies along gravity
  add_torque(m);
  Solver s(m, {.scheme = Scheme::sdirk3});
  s.initialize();
  const LinearModel l = linearize(s, {{.node = 2, .component = 1}});
  ASSERT_EQ(l.states, 6);
  std::vector<double> x(6, 0.0);
  const double u = 1e-5, h = 1e-3;
  s.inputs()[0] = u;
  double worst = 0.0, largest = 0.0;
  for (int i = 0; i < 2000; ++i) {
    s.step(h);
    // exponential of h A by its series, applied
    std::vector<double> term(6), sum = x;
    for (int r = 0; r < 6; ++r) {
      term[r] = l.B[r] * u * h;
      for (int c = 0; c < 6; ++c) term[r] += h * l.A[6 * r + c] * x[c];
    }
    for (int k = 2; k < 14; ++k) {
      std::vector<double> next(6, 0.0);
      for (int r = 0; r < 6; ++r) {
        sum[r] += term[r];
        for (int c = 0; c < 6; ++c) next[r] += h / k * l.A[6 * r + c] * term[c];
      }
      term = next;
    }
    x = sum;
    double y = l.D[0] * u;
    for (int c = 0; c < 6; ++c) y += l.C[c] * x[c];
    worst = std::max(worst, std::abs(y - s.node(2).x.y));
    largest = std::max(largest, std::abs(y));
  }
  EXPECT_GT(largest, 1e-6);
  EXPECT_LT(worst, 1e-4 * largest);
}

}  // namespace
}  // namespace vernier::constrained
