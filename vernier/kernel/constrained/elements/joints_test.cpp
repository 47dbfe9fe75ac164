#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/rotation.hpp"
#include "vernier/kernel/constrained/solver.hpp"

namespace vernier::constrained {
namespace {

constexpr double half_turn = 3.14159265358979323846;

/// A body with its node at the centre of mass.
int add_body(Model& m, const std::string& name, const Vector3& at, const Matrix3& R,
             double mass = 1.0, const spatial::Sym3<double>& J = {0.02, 0.03, 0.04, 0, 0, 0}) {
  const int n = m.add(Node{.name = name, .position = at, .orientation = R});
  m.add(Body{.name = name, .node = n, .mass = mass, .inertia = J});
  return n;
}
int add_body(Model& m, const std::string& name, const Vector3& at = {}) {
  return add_body(m, name, at, spatial::identity3<double>());
}

/// A polynomial of second order in time.
class Parabola final : public Drive {
 public:
  Parabola(double a, double b, double c) : a_(a), b_(b), c_(c) {}
  DriveState at(double t) const noexcept override {
    return {a_ + t * (b_ + t * c_), b_ + 2.0 * c_ * t, 2.0 * c_};
  }

 private:
  double a_, b_, c_;
};
int add_drive(Model& m, double a, double b, double c = 0.0) {
  return m.add(DriveSlot{"drive", std::make_shared<Parabola>(a, b, c)});
}

std::vector<double> measured(const Solver& s, int element) {
  int n = 0;
  for (const Measure& m : s.model().elements[element].element->shape().measures) n += m.count;
  std::vector<double> v(static_cast<std::size_t>(n));
  s.measure(element, v);
  return v;
}

void run(Solver& s, double h, int steps) {
  for (int i = 0; i < steps; ++i) {
    ASSERT_EQ(s.step(h).end, StepReport::End::converged) << s.time();
  }
}

// Every kind between two free bodies that are pushed and turned at random: constraints hold at the
// solver's tolerance, and the pair as a whole moves as its centre of mass must.
TEST(Joints, KeepTheirConstraintsInMotion) {
  using enum JointKind;
  for (JointKind kind : {spherical, revolute, cylindrical, prismatic, planar, universal, in_line,
                         in_plane, distance, clamp, rotation, displacement}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Model m;
    const int a = add_body(m, "a", {0.0, 0.0, 0.0}, constrained::rotation(Vector3{0.3, 0.1, -0.2}));
    const int b = add_body(m, "b", {0.4, 0.1, 0.2}, constrained::rotation(Vector3{-0.2, 0.4, 0.1}));
    Joint j{.kind = kind,
            .a = {.node = a, .offset = {0.2, 0.1, 0.0}},
            .b = {.node = b, .offset = {-0.2, 0.0, -0.1}},
            .length = 0.3};
    if (kind == rotation || kind == displacement) {
      for (int& d : j.drives) d = add_drive(m, 0.1, 0.2, -0.3);
    }
    const int e = m.add("joint", "joint", make(j));
    const Vector3 push{3.0, -2.0, 1.0};
    m.add("push", "load", make(Load{.b = {.node = b}, .direction = push}));
    m.add("twist", "load",
          make(Load{.kind = Load::Kind::follower,
                    .couple = true,
                    .b = {.node = a},
                    .direction = {0.3, 0.2, -0.4}}));
    Solver s(m, {});
    s.initialize();
    const Vector3 c0 = (s.node(a).x + s.node(b).x) * 0.5, v0 = (s.node(a).v + s.node(b).v) * 0.5;
    EXPECT_TRUE(s.redundant().empty());
    EXPECT_LT(s.constraint_violation(), 1e-12);
    EXPECT_LT(s.constraint_rate_violation(), 1e-12);
    run(s, 2e-3, 250);
    EXPECT_LT(s.constraint_violation(), 1e-11);
    // velocities are those of a second-order scheme
    EXPECT_LT(s.constraint_rate_violation(), 1e-4);
    const Vector3 c1 = (s.node(a).x + s.node(b).x) * 0.5;
    const double t = s.time();
    const Vector3 free = c0 + v0 * t + push * (0.25 * t * t);
    EXPECT_NEAR(c1.x, free.x, 1e-7);
    EXPECT_NEAR(c1.y, free.y, 1e-7);
    EXPECT_NEAR(c1.z, free.z, 1e-7);
    if (kind == clamp) continue;
    // something moved inside
    const auto measures = measured(s, e);
    EXPECT_TRUE(
        std::all_of(measures.begin(), measures.end(), [](double x) { return std::isfinite(x); }));
  }
}

TEST(Clamp, CarriesTheWeight) {
  Model m;
  m.gravity = {0.0, 0.0, -9.81};
  const int n = add_body(m, "arm", {1.0, 0.0, 0.0});
  const int e =
      m.add("wall", "clamp",
            make(Joint{.kind = JointKind::clamp, .b = {.node = n, .offset = {-1.0, 0.0, 0.0}}}));
  Solver s(m, {});
  s.initialize();
  for (int k = 0; k < 2; ++k) {
    const auto f = measured(s, e);
    const double expected[] = {0.0, 0.0, 9.81, 0.0, -9.81, 0.0};
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(f[i], expected[i], 1e-8) << i;
    run(s, 1e-3, 20);
  }
}

// Axes that start up to half a turn apart come together, not against each other.
TEST(Assembly, DoesNotTurnAJointOver) {
  for (JointKind kind : {JointKind::revolute, JointKind::cylindrical, JointKind::planar}) {
    for (double angle : {0.5, 1.0, 1.4, 1.6, 2.2, 3.0, 3.13}) {
      Model m;
      const int n = add_body(m, "n", {0.1, 0.0, 0.0}, rotation(Vector3{angle, 0.0, 0.0}));
      m.add("joint", "joint", make(Joint{.kind = kind, .b = {.node = n}}));
      Solver s(m, {});
      s.initialize();
      EXPECT_NEAR(s.node(n).R.a[8], 1.0, 1e-12) << angle;
      EXPECT_LT(s.constraint_violation(), 1e-12);
    }
  }
  for (JointKind kind : {JointKind::clamp, JointKind::prismatic}) {
    for (double angle : {0.5, 1.0, 2.0, 3.0}) {
      Model m;
      const int n = add_body(m, "n", {}, rotation(Vector3{0.6 * angle, 0.8 * angle, 0.0}));
      m.add("joint", "joint", make(Joint{.kind = kind, .b = {.node = n}}));
      Solver s(m, {});
      s.initialize();
      for (int i = 0; i < 9; i += 4) EXPECT_NEAR(s.node(n).R.a[i], 1.0, 1e-12) << angle;
    }
  }
}

// (m + J ratio²) z'' = m g
TEST(Screw, FallsAndTurns) {
  Model m;
  m.gravity = {0.0, 0.0, -9.81};
  const double ratio = 20.0;
  const int n = add_body(m, "nut");
  const Attachment b{.node = n};
  m.add("shaft", "cylindrical", make(Joint{.kind = JointKind::cylindrical, .b = b}));
  const int e = m.add("thread", "coupling", make(Coupling{{{}, b, true}, {{}, b, false}, ratio}));
  Solver s(m, {});
  s.initialize();
  run(s, 1e-3, 1000);
  const double a = -9.81 / (1.0 + 0.04 * ratio * ratio);
  // up to 0.012 rad in a step: the scheme's error in angles is (ω h)² / 12 of them
  EXPECT_NEAR(s.node(n).x.z, 0.5 * a, 4e-6);
  const auto c = measured(s, e);
  EXPECT_NEAR(c[0], -ratio * s.node(n).x.z, 1e-10);
  EXPECT_NEAR(c[2], 0.04 * -ratio * a, 1e-4);  // what turns the nut
}

TEST(Gear, KeepsItsRatioOverManyTurns) {
  Model m;
  const int p = add_body(m, "pinion"), w = add_body(m, "wheel", {0.5, 0.0, 0.0});
  const Attachment on_p{.node = p}, on_w{.node = w}, there{.offset = {0.5, 0.0, 0.0}};
  const int first = m.add("p", "revolute", make(Joint{.b = on_p}));
  const int second = m.add("w", "revolute", make(Joint{.a = there, .b = on_w}));
  m.add("gear", "coupling", make(Coupling{{{}, on_p, true}, {there, on_w, true}, 3.0}));
  m.add("motor", "load", make(Load{.couple = true, .b = on_p, .direction = {0.0, 0.0, 0.5}}));
  Solver s(m, {});
  s.initialize();
  run(s, 2e-3, 1000);
  // (J + J / ratio²) φ'' = 1/2; up to 0.045 rad in a step
  const double turned = measured(s, first)[6];
  EXPECT_NEAR(turned, 0.5 * 0.5 / (0.04 * (1.0 + 1.0 / 9.0)) * 4.0, 0.045 * 0.045 / 12.0 * 22.5);
  EXPECT_NEAR(turned + 3.0 * measured(s, second)[6], 0.0, 1e-9);
}

/// Crank driven about z, and what loops back from it; links are along x of their nodes.
struct Linkage {
  Model m;
  int crank = -1, joint = -1;
};
Linkage driven_crank(double radius) {
  Linkage l;
  const int d = add_drive(l.m, 0.3, 2.0), none = l.m.constant(0.0);
  l.crank = add_body(l.m, "crank", {0.0, 0.0, 0.0}, rotation(Vector3{0.0, 0.0, 0.3}));
  l.m.add("pivot", "spherical", make(Joint{.kind = JointKind::spherical, .b = {.node = l.crank}}));
  l.m.add(
      "motor", "rotation",
      make(Joint{.kind = JointKind::rotation, .b = {.node = l.crank}, .drives = {none, none, d}}));
  EXPECT_GT(radius, 0.0);
  return l;
}

// x = r cos θ + √(l² - r² sin² θ)
TEST(SliderCrank, FollowsItsKinematics) {
  const double r = 0.3, l = 0.8;
  Linkage k = driven_crank(r);
  Model& m = k.m;
  const auto place = [&](double q) {
    return r * std::cos(q) + std::sqrt(l * l - r * r * std::sin(q) * std::sin(q));
  };
  const double x0 = place(0.3), tilt = -std::asin(r * std::sin(0.3) / l);
  const int rod = add_body(m, "rod", {r * std::cos(0.3), r * std::sin(0.3), 0.0},
                           rotation(Vector3{0.0, 0.0, tilt}));
  const int slider = add_body(m, "slider", {x0, 0.0, 0.0});
  m.add("pin", "spherical",
        make(Joint{.kind = JointKind::spherical,
                   .a = {.node = k.crank, .offset = {r, 0.0, 0.0}},
                   .b = {.node = rod}}));
  // turns about z of the slider and y of the rod
  m.add("wrist", "universal",
        make(Joint{.kind = JointKind::universal,
                   .a = {.node = slider},
                   .b = {.node = rod, .offset = {l, 0.0, 0.0}}}));
  const Matrix3 along_x = rotation(Vector3{0.0, 0.5 * half_turn, 0.0});
  const int guide = m.add("guide", "prismatic",
                          make(Joint{.kind = JointKind::prismatic,
                                     .a = {.axes = along_x},
                                     .b = {.node = slider, .axes = along_x}}));
  Solver s(m, {});
  s.initialize();
  for (int i = 0; i < 40; ++i) {
    run(s, 5e-3, 10);
    const double q = 0.3 + 2.0 * s.time(), x = place(q);
    EXPECT_NEAR(s.node(slider).x.x, x, 1e-10);
    EXPECT_NEAR(measured(s, guide)[6], x, 1e-10);
  }
}

// Rocker of a four-bar linkage by the law of cosines.
TEST(FourBar, FollowsItsKinematics) {
  const double crank = 0.3, coupler = 0.9, rocker = 0.7, base = 1.0;
  const auto angle = [&](double q) {
    const double x = base - crank * std::cos(q), y = -crank * std::sin(q);
    const double d2 = x * x + y * y, d = std::sqrt(d2);
    // at the rocker's pivot, between the line to the crank's end and the rocker
    const double inner = std::acos((rocker * rocker + d2 - coupler * coupler) / (2.0 * rocker * d));
    return std::atan2(-y, -x) - inner;
  };
  Linkage k = driven_crank(crank);
  Model& m = k.m;
  const double q0 = angle(0.3);
  const Vector3 pin{crank * std::cos(0.3), crank * std::sin(0.3), 0.0};
  const Vector3 end{base + rocker * std::cos(q0), rocker * std::sin(q0), 0.0};
  const double tilt = std::atan2(end.y - pin.y, end.x - pin.x);
  const int rod = add_body(m, "coupler", pin, rotation(Vector3{0.0, 0.0, tilt}));
  const int arm = add_body(m, "rocker", {base, 0.0, 0.0}, rotation(Vector3{0.0, 0.0, q0}));
  const int pivot = m.add("pivot 2", "revolute",
                          make(Joint{.a = {.offset = {base, 0.0, 0.0}}, .b = {.node = arm}}));
  m.add("pin 1", "spherical",
        make(Joint{.kind = JointKind::spherical,
                   .a = {.node = k.crank, .offset = {crank, 0.0, 0.0}},
                   .b = {.node = rod}}));
  m.add("pin 2", "universal",
        make(Joint{.kind = JointKind::universal,
                   .a = {.node = arm, .offset = {rocker, 0.0, 0.0}},
                   .b = {.node = rod, .offset = {coupler, 0.0, 0.0}}}));
  Solver s(m, {});
  s.initialize();
  for (int i = 0; i < 40; ++i) {
    run(s, 5e-3, 10);
    const double expected = angle(0.3 + 2.0 * s.time());
    EXPECT_NEAR(std::remainder(measured(s, pivot)[6] - expected, 2.0 * half_turn), 0.0, 1e-10);
  }
}

// Four parallel revolutes hold their plane three times too often.
TEST(Parallelogram, NamesItsRedundantJoints) {
  Model m;
  const int a = add_body(m, "a"), b = add_body(m, "b", {0.0, 1.0, 0.0}),
            c = add_body(m, "c", {1.0, 0.0, 0.0});
  const auto pin = [&](const char* name, const Attachment& x, const Attachment& y) {
    m.add(name, "revolute", make(Joint{.a = x, .b = y}));
  };
  pin("left foot", {}, {.node = a});
  pin("left head", {.node = a, .offset = {0.0, 1.0, 0.0}}, {.node = b});
  pin("right foot", {.offset = {1.0, 0.0, 0.0}}, {.node = c});
  pin("right head", {.node = c, .offset = {0.0, 1.0, 0.0}}, {.node = b, .offset = {1.0, 0.0, 0.0}});
  Solver s(m, {});
  try {
    s.initialize();
    FAIL() << "redundant constraints were not seen";
  } catch (const AssemblyProblem& p) {
    EXPECT_EQ(p.kind, AssemblyProblem::Kind::redundant);
    EXPECT_FALSE(p.names.empty());
    for (const std::string& name : p.names) {
      EXPECT_TRUE(name.find("foot") != std::string::npos || name.find("head") != std::string::npos)
          << name;
    }
  }
}

}  // namespace
}  // namespace vernier::constrained
