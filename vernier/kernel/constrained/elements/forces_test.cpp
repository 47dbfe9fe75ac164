#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/solver.hpp"

namespace vernier::constrained {
namespace {

/// One body of mass m and inertia J about z, at the origin, that slides along or turns about z.
struct Single {
  Model m;
  int node = -1, joint = -1;
};
Single single(Joint joint, double mass = 2.0, double inertia = 0.5, const Vector3& v = {},
              const Vector3& w = {}) {
  Single s;
  s.node = s.m.add(Node{.name = "body", .velocity = v, .angular_velocity = w});
  s.m.add(Body{.name = "body",
               .node = s.node,
               .mass = mass,
               .inertia = {inertia, inertia, inertia, 0.0, 0.0, 0.0}});
  joint.b.node = s.node;
  s.joint = s.m.add("joint", "joint", make(joint));
  return s;
}

std::vector<double> measures(const Solver& s, int element) {
  int n = 0;
  for (const Measure& m : s.model().elements[element].element->shape().measures) n += m.count;
  std::vector<double> v(static_cast<std::size_t>(n));
  s.measure(element, v);
  return v;
}
void go(Solver& s, double h, int steps) {
  for (int i = 0; i < steps; ++i) {
    ASSERT_EQ(s.step(h).end, StepReport::End::converged) << s.time();
  }
}

// Pressed by its weight: v = v_0 - μ g t until it stops, then it stays.
TEST(FrictionInMotion, SlidesToAStopAndSticks) {
  Joint j{.kind = JointKind::prismatic};
  j.friction = Friction{.coulomb = 0.25, .smoothing = 1e-7};
  Single b = single(j, 2.0, 0.5, {0.0, 0.0, 1.0});
  b.m.gravity = {0.0, -10.0, 0.0};
  Solver s(b.m, {});
  s.initialize();
  go(s, 1e-3, 200);
  EXPECT_NEAR(s.node(b.node).v.z, 1.0 - 2.5 * 0.2, 1e-9);
  EXPECT_NEAR(s.node(b.node).x.z, 0.2 - 1.25 * 0.04, 1e-7);
  go(s, 1e-3, 300);  // v_0 / (μ g) = 0.4 s
  const double rest = s.node(b.node).x.z;
  EXPECT_NEAR(rest, 0.2, 2e-4);  // stops within a step
  EXPECT_NEAR(s.node(b.node).v.z, 0.0, 1e-7);
  go(s, 1e-3, 300);
  EXPECT_NEAR(s.node(b.node).x.z, rest, 1e-7 * 0.3);
}

// Held against a push below the limit: creeps with v_0 push / limit, no faster.
TEST(FrictionInMotion, SticksWithinItsSmoothing) {
  Joint j{.kind = JointKind::revolute};
  j.friction = Friction{.coulomb = 0.5, .preload = 2.0, .smoothing = 1e-3};
  Single b = single(j);
  b.m.add("push", "load",
          make(Load{.couple = true, .b = {.node = b.node}, .direction = {0.0, 0.0, 0.6}}));
  Solver s(b.m, {});
  s.initialize();
  go(s, 5e-3, 200);
  EXPECT_NEAR(s.node(b.node).omega.z, 1e-3 * 0.6, 1e-9);
}

// A bearing of radius r under the load F: the wheel loses μ r F / J each second.
TEST(FrictionInMotion, BrakesAWheelByItsLoad) {
  Joint j{.kind = JointKind::revolute};
  j.friction = Friction{.coulomb = 0.1, .radius = 0.05, .smoothing = 1e-3};
  Single b = single(j, 2.0, 0.5, {}, {0.0, 0.0, 4.0});
  b.m.gravity = {0.0, -10.0, 0.0};
  Solver s(b.m, {});
  s.initialize();
  go(s, 1e-3, 500);
  EXPECT_NEAR(s.node(b.node).omega.z, 4.0 - 0.1 * 0.05 * 20.0 / 0.5 * 0.5, 1e-9);
}

// Against a spring without damping: half a period √(m/k) π of contact, and back as fast.
TEST(StopInMotion, ThrowsBack) {
  Joint j{.kind = JointKind::prismatic};
  j.stop = Stop{.lower = -1.0, .upper = 0.1, .stiffness = 800.0};
  Single b = single(j, 2.0, 0.5, {0.0, 0.0, 1.0});
  Solver s(b.m, {.rho = 0.9});
  s.initialize();
  const double contact = 3.14159265358979323846 * std::sqrt(2.0 / 800.0);
  go(s, 1e-4, static_cast<int>(std::lround((0.1 + contact + 0.1) / 1e-4)));
  EXPECT_NEAR(s.node(b.node).v.z, -1.0, 2e-4);  // kinks at both ends: first order in the step there
  EXPECT_NEAR(s.node(b.node).x.z, 0.0, 3e-4);
}

/// z'' = f(z, z'), by small steps of the classic Runge–Kutta scheme.
template <class F>
void integrate(double& z, double& v, double t, const F& f) {
  const int n = 20000;
  const double h = t / n;
  for (int i = 0; i < n; ++i) {
    const double k1 = v, l1 = f(z, v), k2 = v + 0.5 * h * l1, l2 = f(z + 0.5 * h * k1, k2);
    const double k3 = v + 0.5 * h * l2, l3 = f(z + 0.5 * h * k2, k3), k4 = v + h * l3,
                 l4 = f(z + h * k3, k4);
    z += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
  }
}

// With damping, and a contact of Hunt and Crossley: against one equation integrated apart.
TEST(StopInMotion, LosesWhatItsDampingTakes) {
  Joint j{.kind = JointKind::prismatic};
  j.stop = Stop{.lower = -1.0, .upper = 0.1, .stiffness = 800.0, .damping = 12.0};
  Single b = single(j, 2.0, 0.5, {0.0, 0.0, 1.0});
  Solver s(b.m, {.rho = 0.9});
  s.initialize();
  go(s, 1e-4, 4000);
  double z = 0.0, v = 1.0;
  integrate(z, v, 0.4, [](double x, double w) {
    const double e = x > 0.1 ? 800.0 * (x - 0.1) : 0.0;
    return -(e + std::fmin(std::fmax(12.0 * w, -e), e)) / 2.0;
  });
  EXPECT_LT(std::abs(v), 0.8);
  EXPECT_NEAR(s.node(b.node).v.z, v, 3e-4);
  EXPECT_NEAR(s.node(b.node).x.z, z, 3e-4);
}

TEST(ContactInMotion, BouncesAsHuntAndCrossleySay) {
  Single b = single({.kind = JointKind::prismatic});
  b.m.gravity = {0.0, 0.0, -9.81};
  const int e = b.m.add("floor", "contact",
                        make(Contact{.a = {.offset = {0.0, 0.0, -0.3}},
                                     .b = {.node = b.node},
                                     .tip_radius = 0.1,
                                     .stiffness = 5e4,
                                     .damping = 0.2}));
  Solver s(b.m, {.rho = 0.9});
  s.initialize();
  go(s, 1e-4, 4000);
  double z = 0.0, v = 0.0;
  integrate(z, v, 0.4, [](double x, double w) {
    const double depth = -0.2 - x;
    return -9.81 + (depth > 0.0 ? 5e4 * std::pow(depth, 1.5) * (1.0 - 0.2 * w) / 2.0 : 0.0);
  });
  EXPECT_GT(v, 0.0);  // on its way up
  EXPECT_NEAR(s.node(b.node).v.z, v, 2e-3);
  EXPECT_NEAR(s.node(b.node).x.z, z, 5e-4);
  EXPECT_NEAR(measures(s, e)[0], -0.2 - s.node(b.node).x.z, 1e-12);
}

// On three feet, pressed by its weight: v²/(2 μ g) of way, along a straight line.
TEST(ContactInMotion, SlidesToAStop) {
  Model m;
  m.gravity = {0.0, 0.0, -9.81};
  const double k = 1e4, sag = 2.0 * 9.81 / (3.0 * k);
  const int n =
      m.add(Node{.name = "stool", .position = {0.0, 0.0, -sag}, .velocity = {0.8, 0.6, 0.0}});
  m.add(Body{.name = "stool", .node = n, .mass = 2.0, .inertia = {0.5, 0.5, 0.5, 0, 0, 0}});
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * 3.14159265358979323846 / 3.0 * i;
    m.add("foot " + std::to_string(i), "contact",
          make(Contact{.b = {.node = n, .offset = {std::cos(angle), std::sin(angle), 0.0}},
                       .stiffness = k,
                       .exponent = 1.0,
                       .damping = 1.0,
                       .friction = 0.3}));
  }
  Solver s(m, {});
  s.initialize();
  go(s, 1e-3, 500);
  const double way = 1.0 / (2.0 * 0.3 * 9.81);
  // friction_speed takes as long again as v_0 / (μ g) to die out
  EXPECT_NEAR(s.node(n).x.x, 0.8 * way, 2e-5);
  EXPECT_NEAR(s.node(n).x.y, 0.6 * way, 2e-5);
  EXPECT_NEAR(s.node(n).v.x, 0.0, 1e-9);
  EXPECT_NEAR(s.node(n).omega.z, 0.0, 1e-9);
}

TEST(HeldCouple, IsAnExactImpulse) {
  Single b = single({.kind = JointKind::revolute});
  const int input = b.m.add(DriveSlot{.name = "torque", .unit = "N·m"});
  b.m.add("motor", "load",
          make(Load{.couple = true,
                    .b = {.node = b.node},
                    .direction = {0.0, 0.0, 1.0},
                    .drive = input,
                    .held = true}));
  Solver s(b.m, {});
  s.initialize();
  double omega = 0.0;
  for (int k = 0; k < 100; ++k) {
    const double torque = std::sin(1.0 + 3.0 * k);
    s.inputs()[0] = torque;
    go(s, 1e-3, 1);
    omega += 1e-3 * torque / 0.5;
  }
  EXPECT_NEAR(s.node(b.node).omega.z, omega, 1e-12);
}

// The pendulum of 1 kg at 1 m, swung up by a torque of 30 (π - θ) - 8 θ' held for 1 ms. Reference
// values: exact solution between samples.
TEST(ServoInMotion, SwingsThePendulumUp) {
  const double pi = 3.14159265358979323846;
  for (const bool held : {true, false}) {
    Model m;
    m.gravity = {0.0, -9.81, 0.0};
    const int n = m.add(Node{.name = "mass", .position = {0.0, -1.0, 0.0}});
    m.add(Body{.name = "mass", .node = n, .mass = 1.0, .inertia = {0.01, 0.01, 0.01, 0, 0, 0}});
    const Attachment b{.node = n, .offset = {0.0, 1.0, 0.0}};
    const int hinge = m.add("hinge", "revolute", make(Joint{.b = b}));
    const int up = m.constant(pi);
    m.add("servo", "servo",
          make(Servo{.coordinate = {.b = b},
                     .reference = up,
                     .proportional = 30.0,
                     .derivative = 8.0,
                     .held = held}));
    Solver s(m, {});
    s.initialize();
    const double at[] = {0.1, 0.2, 0.5, 1.0}, angle[] = {0.354415, 1.048401, 2.622249, 3.157825};
    for (int i = 0; i < 4; ++i) {
      go(s, 1e-3, static_cast<int>(std::lround((at[i] - s.time()) / 1e-3)));
      // a continuous servo acts half a sample earlier
      EXPECT_NEAR(measures(s, hinge)[6], angle[i], held ? 2e-5 : 2e-2) << at[i];
    }
  }
}

// Held fast, a limited servo fills its integral up to what the limit allows and no further:
// z' = (limit - Ki z) / Kp.
TEST(ServoInMotion, DoesNotWindUp) {
  Single b = single({.kind = JointKind::clamp});
  const int far = b.m.constant(2.0);
  const int e = b.m.add("servo", "servo",
                        make(Servo{.coordinate = {.b = {.node = b.node}},
                                   .reference = far,
                                   .proportional = 8.0,
                                   .integral = 4.0,
                                   .derivative = 5.0,
                                   .limit = 1.0}));
  Solver s(b.m, {});
  s.initialize();
  go(s, 1e-2, 200);
  EXPECT_NEAR(s.point(e).own[0], 0.25 * (1.0 - std::exp(-1.0)), 1e-5);
  EXPECT_EQ(measures(s, e)[0], 1.0);
}

// A standard solid stretched by s at once and held: s (k + k_1 e^(-t/τ)).
TEST(Viscoelastic, Relaxes) {
  Model m;
  const int n = m.add(Node{.name = "end", .position = {0.0, 0.0, 1.2}, .dynamic = false});
  m.add("hold", "clamp",
        make(Joint{.kind = JointKind::clamp, .a = {.offset = {0.0, 0.0, 1.2}}, .b = {.node = n}}));
  const int e = m.add("rod", "rod",
                      make(Rod{.b = {.node = n},
                               .length = 1.0,
                               .law = {.kind = Law::Kind::viscoelastic,
                                       .stiffness = 10.0,
                                       .branch_stiffness = 30.0,
                                       .relaxation_time = 0.5}}));
  Solver s(m, {});
  s.initialize();
  go(s, 1e-3, 500);
  EXPECT_NEAR(measures(s, e)[2], 0.2 * (10.0 + 30.0 * std::exp(-1.0)), 1e-5);
}

// R i + k ω = V, J ω' = k i: ω = V/k (1 - e^(-k² t / (R J))).
TEST(Transducer, DrivesAMotor) {
  Single b = single({.kind = JointKind::revolute});
  const int i = b.m.add(ScalarNode{.name = "current", .unit = "A"});
  const int volts = b.m.constant(-12.0);
  b.m.add("resistance", "branch", make(ScalarBranch{.a = i, .conductance = 2.0, .source = volts}));
  b.m.add("motor", "transducer", make(Transducer{{.b = {.node = b.node}}, i, 1.5}));
  Solver s(b.m, {});
  s.initialize();
  go(s, 1e-3, 300);
  const double rate = 1.5 * 1.5 / (2.0 * 0.5);
  EXPECT_NEAR(s.node(b.node).omega.z, 8.0 * (1.0 - std::exp(-rate * 0.3)), 1e-5);
  EXPECT_NEAR(s.scalar(i), 6.0 * std::exp(-rate * 0.3), 1e-5);
}

// y'' + 2 y' + 9 y = 9 as a state space into a scalar node.
TEST(StateSpaceInTime, AnswersAStep) {
  Model m;
  const int y = m.add(ScalarNode{.name = "y"});
  const int u = m.constant(1.0);
  m.add("filter", "state space",
        make(StateSpace{.states = 2,
                        .A = {0.0, 1.0, -9.0, -2.0},
                        .B = {0.0, 9.0},
                        .C = {1.0, 0.0},
                        .input_drives = {u},
                        .output_scalars = {y}}));
  Solver s(m, {});
  s.initialize();
  go(s, 1e-3, 700);
  const double t = 0.7, w = std::sqrt(8.0);
  EXPECT_NEAR(s.scalar(y), 1.0 - std::exp(-t) * (std::cos(w * t) + std::sin(w * t) / w), 1e-5);
}

// A pendulum on a cable that is slack at first: falls free, then is caught.
TEST(CableInMotion, CatchesWhatFalls) {
  Single b = single({.kind = JointKind::prismatic});
  b.m.gravity = {0.0, 0.0, -9.81};
  const int e = b.m.add("cable", "cable",
                        make(Rod{.a = {.offset = {0.0, 0.0, 0.5}},
                                 .b = {.node = b.node},
                                 .length = 0.7,
                                 .law = {.stiffness = 4e3, .damping = 200.0},
                                 .cable = true}));
  Solver s(b.m, {});
  s.initialize();
  go(s, 1e-3, 100);
  EXPECT_NEAR(s.node(b.node).x.z, -0.5 * 9.81 * 0.01, 1e-8);
  EXPECT_EQ(measures(s, e)[2], 0.0);
  go(s, 1e-3, 5000);
  EXPECT_NEAR(measures(s, e)[2], 2.0 * 9.81, 1e-3);
  EXPECT_NEAR(s.node(b.node).x.z, -0.2 - 2.0 * 9.81 / 4e3, 1e-6);
}

}  // namespace
}  // namespace vernier::constrained
