#include "vernier/model/multibody_loops/deck.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "vernier/model/multibody_loops/mechanism.hpp"
#include "vernier/model/multibody_loops/reader.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::multibody_loops {
namespace {

constexpr double pi = std::numbers::pi;

const std::filesystem::path decks =
    std::filesystem::path(VERNIER_SOURCE_DIR) / "formats/constrained/decks";

Definition converted(const std::string& content) {
  Diagnostics problems;
  const auto document = convert_deck(content, "deck.mbd", problems);
  EXPECT_EQ(rendered(problems), "");
  if (!document) return {};
  const auto source = parse_source(*document, "deck.xml", problems);
  EXPECT_EQ(rendered(problems), "") << *document;
  if (!source) return {};
  const Parameters p("x", source->parameters(), {}, 1, {}, problems);
  return source->made(p);
}

int node(const Definition& d, std::string_view name) {
  for (std::size_t i = 0; i < d.model.nodes.size(); ++i)
    if (d.model.nodes[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << name;
  return 0;
}

/// A deck with these nodes and elements.
std::string deck(const std::string& nodes, const std::string& elements,
                 const std::string& before = "") {
  return before +
         "begin: data; problem: initial value; end: data; begin: initial value; time step: 1e-3; "
         "end: initial value;\n" +
         "begin: nodes;\n" + nodes + "end: nodes;\nbegin: elements;\n" + elements +
         "end: elements;\n";
}

// a bar about its end, from the horizontal: ω² = 3 g / L (1 - cos θ) where θ is measured from
// there; when it passes the vertical, ω = √(3 g / L)
TEST(Deck, ARodFallsAsItsEnergySays) {
  Diagnostics problems;
  const auto document = import_deck(decks / "pendulum.mbd", problems);
  EXPECT_EQ(rendered(problems), "");
  ASSERT_TRUE(document);
  const auto source = parse_source(*document, "pendulum.xml", problems);
  EXPECT_EQ(rendered(problems), "") << *document;
  const Parameters p("x", source->parameters(), {}, 1, {}, problems);
  const Definition d = source->made(p);
  EXPECT_EQ(d.step, 1e-3);
  EXPECT_EQ(d.settings.iterations_most, 10);
  Mechanism m(d);
  constrained::Solver& s = m.solver();
  ASSERT_EQ(d.model.nodes[0].name, "ROD");
  EXPECT_NEAR(s.node(0).x.x, 0.5, 1e-15);
  EXPECT_NEAR(s.node(0).x.y, 0.0, 1e-15);
  double last = 0.0, omega = 0.0;
  while (s.node(0).x.x > 0.0) {
    last = s.node(0).x.x;
    omega = s.node(0).omega.z;
    ASSERT_EQ(s.step(1e-3).end, constrained::StepReport::End::converged);
  }
  // where it crosses, between two steps
  const double share = last / (last - s.node(0).x.x);
  EXPECT_NEAR(std::abs(omega + share * (s.node(0).omega.z - omega)), std::sqrt(3.0 * 9.81), 1e-4);
}

TEST(Deck, OneOfEachIsConvertedAndPutTogether) {
  Definition d = converted(testing::content(decks / "everything.mbd"));
  ASSERT_EQ(d.model.nodes.size(), 9u);
  EXPECT_EQ(d.settings.scheme, constrained::Scheme::trapezoid);
  EXPECT_EQ(d.model.gravity.z, -9.81);
  // relative to a reference that is turned and turns: x of it is y, at height 1
  const constrained::Node& n = d.model.nodes[static_cast<std::size_t>(node(d, "node_4"))];
  EXPECT_NEAR(n.position.y, 1.0, 1e-15);
  EXPECT_EQ(n.position.z, 1.0);
  EXPECT_NEAR(n.velocity.x, -1.0, 1e-15);
  EXPECT_EQ(n.angular_velocity.z, 1.0);
  std::map<std::string, int> kinds;
  for (const auto& e : d.model.elements) ++kinds[e.kind];
  EXPECT_EQ(kinds["clamp"], 2);
  EXPECT_EQ(kinds["beam"], 1);
  EXPECT_EQ(kinds["deformable"], 2);
  EXPECT_EQ(kinds["rotation"], 1);
  EXPECT_EQ(kinds["force"], 5);
  EXPECT_EQ(kinds["couple"], 1);
  Mechanism m(d);
  for (int k = 0; k < 100; ++k)
    ASSERT_NE(m.solver().step(1e-3).end, constrained::StepReport::End::failed) << k;
}

/// A deck of the folder, converted and run for so many of its steps.
struct Ran {
  Ran(const std::string& file, double until) : made(read(file)), mechanism(made) {
    const int steps = static_cast<int>(std::lround(until / made.step));
    for (int k = 0; k < steps; ++k)
      EXPECT_EQ(mechanism.solver().step(made.step).end, constrained::StepReport::End::converged)
          << file << " at step " << k;
    time = steps * made.step;
  }
  static Definition read(const std::string& file) {
    Diagnostics problems;
    const auto document = import_deck(decks / file, problems);
    EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
    if (!document) return {};
    const auto source = parse_source(*document, "deck.xml", problems);
    EXPECT_EQ(problems.errors(), 0u) << rendered(problems) << *document;
    if (!source) return {};
    const Parameters p("x", source->parameters(), {}, 1, {}, problems);
    return source->made(p);
  }
  const constrained::NodeState& at(std::string_view name) {
    return mechanism.solver().node(node(made, name));
  }

  Definition made;
  Mechanism mechanism;
  double time = 0.0;
};

// against its equations in two angles from the vertical, by the method of Runge and Kutta:
//   4/3 a" + c/2 b" = -s/2 b'^2 - 3/2 g sin a,   c/2 a" + 1/3 b" = s/2 a'^2 - g/2 sin b,
// c and s of a - b
TEST(Decks, ADoublePendulumMovesAsItsEquationsSay) {
  Ran run("double_pendulum.mbd", 1.0);
  using State = std::array<double, 4>;
  const auto rate = [](const State& x) {
    const double c = std::cos(x[0] - x[1]), s = std::sin(x[0] - x[1]), g = 9.81;
    const double p = -0.5 * s * x[3] * x[3] - 1.5 * g * std::sin(x[0]),
                 q = 0.5 * s * x[2] * x[2] - 0.5 * g * std::sin(x[1]);
    const double det = 4.0 / 9.0 - 0.25 * c * c;
    return State{x[2], x[3], (p / 3.0 - 0.5 * c * q) / det, (4.0 / 3.0 * q - 0.5 * c * p) / det};
  };
  State x{0.5 * pi, 0.5 * pi, 0.0, 0.0};
  const double h = 1e-3;
  for (int k = 0; k < 1000; ++k) {
    const auto moved = [&](const State& by, double f) {
      State y = x;
      for (std::size_t i = 0; i < 4; ++i) y[i] += f * by[i];
      return y;
    };
    const State a = rate(x), b = rate(moved(a, h / 2)), c = rate(moved(b, h / 2)),
                d = rate(moved(c, h));
    for (std::size_t i = 0; i < 4; ++i) x[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
  }
  // the scheme is of second order: some (ω h)² of the way
  EXPECT_NEAR(run.at("BAR_2").x.x, std::sin(x[0]) + 0.5 * std::sin(x[1]), 1e-4);
  EXPECT_NEAR(run.at("BAR_2").x.z, -std::cos(x[0]) - 0.5 * std::cos(x[1]), 1e-4);
}

TEST(Decks, ACantileverOfIncludedFilesBendsByItsStiffness) {
  Ran run("cantilever.mbd", 2.0);
  EXPECT_EQ(run.made.model.nodes.size(), 9u);
  // F L³ / 3 EJ + F L / GA, and the tip is drawn in by less than 1e-5
  EXPECT_NEAR(run.at("node_9").x.z, 1.0 / 300.0 + 1e-5, 3e-6);
}

TEST(Decks, AFourBarLinkageCloses) {
  Ran run("four_bar.mbd", 1.5);
  const double crank = 0.5 * pi + 0.5 * pi * run.time, bx = 0.5 * std::cos(crank),
               by = 0.5 * std::sin(crank);
  // the middle of the rocker: C is 1.8 from B and 1.2 from (2, 0), above the line between them
  const double away = std::hypot(2.0 - bx, by),
               beta = std::atan2(-by, 2.0 - bx) +
                      std::acos((1.8 * 1.8 + away * away - 1.2 * 1.2) / (3.6 * away));
  EXPECT_NEAR(run.at("ROCKER").x.x, 0.5 * (2.0 + bx + 1.8 * std::cos(beta)), 1e-9);
  EXPECT_NEAR(run.at("ROCKER").x.y, 0.5 * (by + 1.8 * std::sin(beta)), 1e-9);
}

TEST(Decks, ASliderFollowsACrankThatIsBroughtToSpeed) {
  Ran run("slider_crank.mbd", 1.5);
  const double angle = 0.5 * 5.0 * 0.8 * 0.8 + 5.0 * 0.8 * (run.time - 0.8);
  EXPECT_NEAR(run.at("Piston").x.x,
              0.2 * std::cos(angle) + std::sqrt(0.49 - std::pow(0.2 * std::sin(angle), 2)), 1e-9);
}

TEST(Decks, ARotorOutOfBalanceWhirls) {
  Ran run("rotor.mbd", 1.0);
  const constrained::NodeState& disk = run.at("node_id_disk");
  // m e ω² / √((k - m ω²)² + (c ω)²), when what it began with is gone: e^-20
  EXPECT_NEAR(std::hypot(disk.x.x, disk.x.y),
              3.0 * 2e-3 * 3600.0 / std::hypot(3e4 - 3.0 * 3600.0, 120.0 * 60.0), 2e-6);
}

TEST(Decks, ATopPrecessesAndDoesNotNod) {
  Ran run("top.mbd", 0.5);
  // from azimuth 0.3 - π/2 on by 4 rad/s, 30° from the vertical
  const double azimuth = 0.3 - 0.5 * pi + 4.0 * run.time;
  const constrained::NodeState& top = run.at("TOP");
  EXPECT_NEAR(top.x.x, 0.05 * std::cos(azimuth), 1e-5);
  EXPECT_NEAR(top.x.y, 0.05 * std::sin(azimuth), 1e-5);
  EXPECT_NEAR(top.x.z, 0.1 * std::cos(pi / 6.0), 1e-5);
}

TEST(Decks, AFlywheelTurnsBackOnItsSpring) {
  Ran run("torsion.mbd", 0.4);
  const double decay = 0.8 / 0.4, w = std::sqrt(80.0 / 0.2 - decay * decay), t = run.time;
  EXPECT_NEAR(run.at("node_2").omega.y,
              3.0 * std::exp(-decay * t) * (std::cos(w * t) - decay / w * std::sin(w * t)), 1e-3);
}

TEST(Decks, AMassIsShakenFromZeroOn) {
  Ran run("shaker.mbd", 1.8);  // Time begins at -1
  const double length = 1.0 / (1.0 - 2.0 * 9.81 / 800.0), k = 800.0 / length / 2.0, w = 12.0,
               t = run.time - 1.0;
  EXPECT_NEAR(run.at("node_2").x.z,
              1.0 + 5e-3 * (1.0 - k / (k - w * w) * std::cos(w * t) +
                            w * w / (k - w * w) * std::cos(std::sqrt(k) * t)),
              1e-5);
}

TEST(Decks, OlderWordsForForcesAreUnderstood) {
  Ran run("throw.mbd", 0.5);
  const double t = run.time;
  EXPECT_NEAR(run.at("node_1").x.z, -0.5 * 9.81 * t * t, 1e-6);
  EXPECT_NEAR(run.at("node_1").x.y, t, 1e-9);
  EXPECT_NEAR(run.at("node_2").x.z, -4.5 * t * t - t * t * t / 6.0, 1e-6);
  // 5 N for 0.2 s, then 0.1 s more; the ends of the pull fall between two steps
  EXPECT_NEAR(run.at("node_1").x.x, 5.0 * (0.5 * 0.04 + 0.2 * 0.1), 3e-3);
  EXPECT_NEAR(run.at("node_2").x.x - 5.0, -0.1 * run.at("node_1").x.x, 1e-9);
}

// what is computed about one way of saying a thing is computed about the other
TEST(Deck, TotalJointsAreTheJointsTheyStandFor) {
  const std::string nodes =
      "structural: 1, dynamic, null, eye, null, null;\nstructural: 2, dynamic, 1., 0., 0., eye, "
      "null, null;\n";
  const std::string bodies =
      "body: 1, 1, 1., null, eye;\nbody: 2, 2, 1., 0.3, 0., 0., eye;\njoint: 1, clamp, 1, node, "
      "node;\ngravity: 0., -1., 0., 9.81;\n";
  const auto with = [&](const std::string& joint) {
    Definition d = converted(deck(nodes, bodies + "joint: 2, " + joint + ";\n"));
    Mechanism m(d);
    for (int k = 0; k < 200; ++k) m.solver().step(1e-3);
    return m.solver().node(1);
  };
  const constrained::NodeState a =
      with("revolute hinge, 1, position, 1., 0., 0., 2, position, null");
  const constrained::NodeState b = with(
      "total joint, 1, position, 1., 0., 0., 2, position constraint, active, active, active, null, "
      "orientation constraint, "
      "active, active, inactive, null");
  EXPECT_NEAR(a.omega.z, b.omega.z, 1e-9);
  EXPECT_NE(a.omega.z, 0.0);
  const constrained::NodeState c = with(
      "total joint, 1, position, 1., 0., 0., 2, position constraint, active, inactive, active, "
      "null, orientation "
      "constraint, active, active, active, null");
  EXPECT_NEAR(c.x.y, -0.5 * 9.81 * 0.04, 1e-6);  // slides down freely
  EXPECT_NEAR(c.x.x, 1.0, 1e-12);
}

TEST(Deck, LawsAreTakenFromTheirCards) {
  const std::string nodes =
      "structural: 1, static, null, eye, null, null;\n"
      "structural: 2, dynamic, 1., 0., 0., eye, null, null;\n";
  const std::string body = "joint: 1, clamp, 1, node, node; body: 1, 2, 1., null, eye;\n";
  const auto made = [&](const std::string& before, const std::string& law) {
    Diagnostics problems;
    const std::string elements = "joint: 2, deformable hinge, 1, 2, " + law + ";\n";
    const auto document = convert_deck(deck(nodes, body + elements, before), "x.mbd", problems);
    return std::pair{document.value_or(""), rendered(problems)};
  };
  const std::string card =
      "set: real K = 90.*deg2rad; set: integer SOFT = 7;\n"
      "constitutive law: SOFT, name, \"soft\", 3, linear viscoelastic generic, diag, 1., 2., K, "
      "proportional, 0.1;\n";
  const auto [by_card, none] = made(card, "reference, SOFT");
  EXPECT_EQ(none, "");
  const auto [plain, also_none] =
      made("", "linear viscoelastic generic, diag, 1., 2., 90.*pi/180., proportional, 0.1");
  EXPECT_EQ(also_none, "");
  EXPECT_NE(by_card, "");
  EXPECT_EQ(by_card, plain);
  EXPECT_NE(made(card, "reference, 8").second.find("there is no such constitutive law"),
            std::string::npos);
  EXPECT_NE(made("constitutive law: 7, 1, linear elastic, 3.;", "reference, 7")
                .second.find("dimension 1, not 3"),
            std::string::npos);
}

TEST(Deck, DrivesMeanWhatTheyMeanThere) {
  const auto at = [&](const std::string& drive, double t) {
    const Definition d = converted(
        deck("structural: 1, dynamic, null, eye, null, null;\n",
             "body: 1, 1, 1., null, eye;\nforce: 1, absolute, 1, position, null, 0., 0., 2., " +
                 drive + ";\n"));
    EXPECT_FALSE(d.model.drives.empty());
    return d.model.drives.empty() ? 0.0 : d.model.drives[0].function->at(t).value;
  };
  EXPECT_EQ(at("const, 3.", 1.0), 6.0);
  EXPECT_EQ(at("3.", 1.0), 6.0);
  EXPECT_EQ(at("ramp, 2., 1., 3., .5", 2.0), 5.0);  // 2 (0.5 + 2 (t - 1))
  EXPECT_EQ(at("ramp, 2., 1., 3., .5", 9.0), 9.0);
  EXPECT_NEAR(at("ramp, 2., 1., forever, .5", 11.0), 41.0, 1e-12);
  EXPECT_EQ(at("double ramp, 2., 1., 2., -1., 3., 4., .5", 1.5), 3.0);
  EXPECT_EQ(at("double ramp, 2., 1., 2., -1., 3., 4., .5", 9.0), 3.0);  // 2 (0.5 + 2 - 1)
  EXPECT_EQ(at("double step, 1., 2., 4., 1.", 1.5), 10.0);
  EXPECT_EQ(at("double step, 1., 2., 4., 1.", 2.5), 2.0);
  EXPECT_EQ(at("cubic, 1., 2., 3., 4.", 2.0), 98.0);
  EXPECT_EQ(at("mult, const, 2., step, 1., 3., 0.", 2.0), 12.0);
  EXPECT_EQ(at("array, 3, unit, time, piecewise linear, 2, 0., 0., 4., 2.", 2.0), 8.0);
  EXPECT_NEAR(at("exponential, 3., .5, 1., .25", 2.0), 2.0 * (0.25 + 3.0 * (1.0 - std::exp(-2.0))),
              1e-12);
  EXPECT_EQ(at("string, \"(Time >= 1. && Time < 2.)*3. + ramp(Time - 1.)\"", 1.5), 7.0);
  EXPECT_EQ(at("string, \"-Time^2 + 1/2\"", 3.0), 18.0);  // the sign binds first; 1/2 is whole
  EXPECT_EQ(at("step, 1., 4., 1.", 0.5), 2.0);
  EXPECT_EQ(at("step, 1., 4., 1.", 1.5), 10.0);
  EXPECT_NEAR(at("sine, 1., 2., 3., forever, .5", 1.7), 2.0 * (0.5 + 3.0 * std::sin(1.4)), 1e-12);
  EXPECT_NEAR(at("sine, 1., 2., 3., half, .5", 9.0), 1.0, 1e-12);
  EXPECT_NEAR(at("cosine, 1., 2., 3., forever, .5", 1.7), 2.0 * (0.5 + 3.0 * (1.0 - std::cos(1.4))),
              1e-12);
  EXPECT_NEAR(at("cosine, 1., 2., 3., forever, .5", 0.3), 1.0, 1e-12);
  EXPECT_EQ(at("linear, 1., 2.", 3.0), 14.0);
  EXPECT_EQ(at("parabolic, 1., 2., 1.", 3.0), 32.0);
  EXPECT_NEAR(at("string, \"2.*sin(Time) + 1.e-1\"", 0.7), 2.0 * (2.0 * std::sin(0.7) + 0.1),
              1e-12);
  EXPECT_EQ(at("piecewise linear, 2, 0., 1., 2., 3.", 1.0), 4.0);
}

}  // namespace
}  // namespace vernier::multibody_loops
