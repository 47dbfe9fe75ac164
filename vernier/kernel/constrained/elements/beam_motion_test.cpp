#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vernier/kernel/constrained/elements/cantilever_test.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {
namespace {

using std::numbers::pi;

/// Angle (6/15) (t²/2 + (15/2π)² (cos(2πt/15) - 1)) up to 15 s, then 6 rad/s.
class SpinUp final : public Drive {
 public:
  DriveState at(double t) const noexcept override {
    if (t > 15.0) return {6.0 * t - 45.0, 6.0, 0.0};
    const double w = 2.0 * pi / 15.0;
    return {0.4 * (0.5 * t * t + (std::cos(w * t) - 1.0) / (w * w)),
            0.4 * (t - std::sin(w * t) / w), 0.4 * (1.0 - std::cos(w * t))};
  }
};

// Reference values: an independent implementation; the steady extension is ρA ω² L³ / (3 EA) =
// 5.143e-4 in linear theory. Without geometric stiffening the beam would diverge.
TEST(Beam3, StiffensInTheSpinUpManoeuvre) {
  Model m;
  const double L = 10.0;
  const Section s = section({2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4, 1.2, 6e-4, 6e-4});
  const auto nodes = add_straight_beam(m, "beam", {}, L, 8, s);
  const int angle = m.add(DriveSlot{"angle", std::make_shared<SpinUp>()}), none = m.constant(0.0);
  m.add("place", "spherical", make(Joint{.kind = JointKind::spherical, .b = {.node = nodes[0]}}));
  m.add("turn", "rotation",
        make(Joint{
            .kind = JointKind::rotation, .b = {.node = nodes[0]}, .drives = {none, none, angle}}));
  Solver solver(std::move(m), {});
  solver.initialize();
  const SpinUp drive;
  const auto tip = [&] {  // deflection in the turning frame
    const Matrix3 R = rotation(Vector3{0.0, 0.0, drive.at(solver.time()).value});
    return transposed_times(R, solver.node(nodes.back()).x) - Vector3{L, 0.0, 0.0};
  };
  // time and mesh error at 10 s: 2.5e-4 and 1e-5, less before
  const double h = 5e-3;
  double largest = 0.0, longest = 0.0;
  for (int i = 1; i <= 4000; ++i) {
    ASSERT_EQ(solver.step(h).end, StepReport::End::converged) << i;
    const Vector3 d = tip();
    largest = std::min(largest, d.y);
    if (i == 1000) {
      EXPECT_NEAR(d.y, -0.46848, 5e-5);
      EXPECT_NEAR(d.x, -0.012655, 5e-6);
    }
    if (i == 2000) {
      EXPECT_NEAR(d.y, -0.36284, 3e-4);
    }
    if (i > 3400) longest = std::max(longest, d.x);
  }
  EXPECT_NEAR(largest, -0.5738, 2e-4);  // 16 beams, 2 ms: -0.57385
  // straight at times, though it still swings by 3 mm
  EXPECT_NEAR(longest, 5.145e-4, 1e-6);
}

/// Two parabola arcs from 0 to 90° in 5 s.
class Arcs final : public Drive {
 public:
  DriveState at(double t) const noexcept override {
    const double A = 4.0 * (pi / 2.0) / 25.0, a = std::max(t - 2.5, 0.0),
                 b = std::max(t - 5.0, 0.0);
    return {0.5 * A * (t * t - 2.0 * a * a + b * b), A * (t - 2.0 * a + b),
            A * (1.0 - (t > 2.5 ? 2.0 : 0.0) + (t > 5.0 ? 1.0 : 0.0))};
  }
  std::vector<double> corners() const override { return {2.5, 5.0}; }
};

/// The planar robot of two flexible links, 84 equations.
Model robot() {
  Model m;
  const auto link = [](double EA, double GA, double GJ, double EIy, double EIz, double mass,
                       double thickness) {
    const double t2 = thickness * thickness / 12.0, h2 = 0.01 / 12.0;
    return damped(section({EA, GA, GA, GJ, EIy, EIz, mass, mass * h2, mass * t2}), 1e-3);
  };
  const Section steel = link(1.035e8, 3.3173e7, 331.73, 86250.0, 215.625, 3.9, 5e-3),
                light = link(1.7925e7, 5.6156e6, 14.039, 14937.5, 9.336, 0.685, 2.5e-3);
  const auto one = add_straight_beam(m, "link 1", {}, 1.0, 1, steel);
  const auto two = add_straight_beam(m, "link 2", {1.0, 0.0, 0.0}, 1.0, 1, light);
  const int reference = m.add(DriveSlot{"reference", std::make_shared<Arcs>()});
  const Attachment ground_end{}, shoulder{.node = one.front()}, upper{.node = one.back()},
      elbow{.node = two.front()};
  m.add("shoulder", "revolute", make(Joint{.a = ground_end, .b = shoulder}));
  m.add("elbow", "revolute", make(Joint{.a = upper, .b = elbow}));
  m.add("servo 1", "servo",
        make(Servo{.coordinate = {.a = ground_end, .b = shoulder},
                   .reference = reference,
                   .proportional = 12.0,
                   .integral = 3.0,
                   .derivative = 4.0}));
  m.add("servo 2", "servo",
        make(Servo{.coordinate = {.a = upper, .b = elbow},
                   .reference = reference,
                   .proportional = 1.2,
                   .integral = 0.4,
                   .derivative = 0.5}));
  return m;
}

struct RobotState {
  double theta_1, theta_2, x, y;
};
RobotState state_of(const Solver& s) {
  const auto about_z = [](const Matrix3& R) { return std::atan2(R.a[3], R.a[0]); };
  return {about_z(s.node(0).R), about_z(transposed(s.node(2).R) * s.node(3).R), s.node(5).x.x,
          s.node(5).x.y};
}

// Reference values: an independent implementation, converged in time.
TEST(Beam3, MovesTheFlexibleRobot) {
  const double expected[][5] = {{1.0, 0.065412, 0.005062, 1.996145, 0.124011},
                                {2.5, 0.729209, 0.600284, 0.996507, 1.633547},
                                {5.0, 1.595489, 1.755534, -1.002590, 0.789574}};
  Solver s(robot(), {});
  EXPECT_EQ(s.equations(), 84);
  for (const auto& [h, error] : {std::pair(1.0 / 330.0, 8e-6), {1e-3, 1.5e-6}}) {
    s.initialize();
    for (const auto& [t, a, b, x, y] : expected) {
      while (s.time() < t - 0.5 * h) ASSERT_EQ(s.step(h).end, StepReport::End::converged);
      const RobotState r = state_of(s);
      EXPECT_NEAR(r.theta_1, a, error);
      EXPECT_NEAR(r.theta_2, b, error);
      EXPECT_NEAR(r.x, x, error);
      EXPECT_NEAR(r.y, y, error);
    }
  }
}

}  // namespace
}  // namespace vernier::constrained
