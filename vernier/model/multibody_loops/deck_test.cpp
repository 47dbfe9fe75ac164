#include "vernier/model/multibody_loops/deck.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "vernier/model/multibody_loops/drives.hpp"
#include "vernier/model/multibody_loops/mechanism.hpp"
#include "vernier/model/multibody_loops/reader.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::multibody_loops {
namespace {

constexpr double pi = std::numbers::pi;

const std::filesystem::path decks =
    std::filesystem::path(VERNIER_SOURCE_DIR) / "formats/constrained/decks";

/// `expected`: the warnings of the conversion.
Definition converted(const std::string& content, const std::string& expected = "") {
  Diagnostics problems;
  const auto document = convert_deck(content, "deck.mbd", problems);
  EXPECT_EQ(rendered(problems), expected);
  problems = {};
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
  Diagnostics warnings;
  convert_deck(testing::content(decks / "everything.mbd"), "deck.mbd", warnings);
  ASSERT_EQ(warnings.list().size(), 1u) << rendered(warnings);
  EXPECT_EQ(warnings.list()[0].code, "V1728");
  Definition d = converted(testing::content(decks / "everything.mbd"), rendered(warnings));
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
  // of 10 kg: in this form the direction 0, 0, 10 is only a direction
  EXPECT_NEAR(run.at("node_2").x.z, -0.1 * (4.5 * t * t + t * t * t / 6.0), 1e-6);
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
  EXPECT_EQ(at("double step, 1., 2., 4., 0.", 1.5), 8.0);
  EXPECT_EQ(at("double step, 1., 2., 4., 0.", 2.5), 0.0);
  EXPECT_EQ(at("cubic, 1., 2., 3., 4.", 2.0), 98.0);
  EXPECT_EQ(at("mult, const, 2., step, 1., 3., 0.", 2.0), 12.0);
  EXPECT_EQ(at("array, 3, unit, time, piecewise linear, 2, 0., 0., 4., 2.", 2.0), 8.0);
  EXPECT_NEAR(at("exponential, 3., .5, 1., .25", 2.0), 2.0 * (0.25 + 3.0 * (1.0 - std::exp(-2.0))),
              1e-12);
  EXPECT_EQ(at("string, \"(Time >= 1. && Time < 2.)*3. + ramp(Time - 1.)\"", 1.5), 7.0);
  EXPECT_EQ(at("string, \"-Time^2 + 1/2\"", 3.0), 18.0);  // the sign binds first; 1/2 is whole
  EXPECT_EQ(at("step, 1., 4., 0.", 0.5), 0.0);
  EXPECT_EQ(at("step, 1., 4., 0.", 1.5), 8.0);
  EXPECT_EQ(at("string, \"(abs(-1)/2)*Time\"", 4.0), 4.0);    // abs gives a real
  EXPECT_EQ(at("string, \"(sign(-3.)/2)*Time\"", 4.0), 0.0);  // sign an integer
  EXPECT_EQ(at("string, \"1 || 0 && 0\"", 4.0), 0.0);         // from left to right
  EXPECT_EQ(at("string, \"Time > 9. || Time && 3.\"", 4.0), 2.0);
  EXPECT_NEAR(at("sine, 1., 2., 3., forever, .5", 1.7), 2.0 * (0.5 + 3.0 * std::sin(1.4)), 1e-12);
  EXPECT_NEAR(at("cosine, 1., 2., 3., forever, .5", 1.7), 2.0 * (0.5 + 3.0 * (1.0 - std::cos(1.4))),
              1e-12);
  EXPECT_NEAR(at("cosine, 1., 2., 3., forever, .5", 0.3), 1.0, 1e-12);
  EXPECT_EQ(at("linear, 1., 2.", 3.0), 14.0);
  EXPECT_EQ(at("parabolic, 1., 2., 1.", 3.0), 32.0);
  EXPECT_NEAR(at("string, \"2.*sin(Time) + 1.e-1\"", 0.7), 2.0 * (2.0 * std::sin(0.7) + 0.1),
              1e-12);
  EXPECT_EQ(at("piecewise linear, 2, 0., 1., 2., 3.", 1.0), 4.0);
}

/// The function of the first drive of a deck with one force.
Function drive_of(const std::string& drive, const std::string& expected = "") {
  const Definition d = converted(
      deck("structural: 1, dynamic, null, eye, null, null;\n",
           "body: 1, 1, 1., null, eye;\nforce: 1, absolute, 1, position, null, 0., 0., 1., " +
               drive + ";\n"),
      expected);
  EXPECT_EQ(d.model.drives.size(), 1u) << drive;
  return d.model.drives.empty() ? nullptr : d.model.drives[0].function;
}

// SineDriveCaller and CosineDriveCaller of MBDyn's mbdyn/base/drive_.cc: how many periods each
// number of cycles lasts, and the final value as a multiple of the amplitude
TEST(Deck, SinesAndCosinesEndAfterTheirCycles) {
  struct Case {
    const char* cycles;
    double sine_periods, sine_final, cosine_periods, cosine_final;
  };
  for (const Case& c : {Case{"one", 0.5, 0.0, 1.0, 0.0}, Case{"half", 0.25, 1.0, 0.5, 2.0},
                        Case{"1", 0.5, 0.0, 1.0, 0.0}, Case{"-1", 0.25, 1.0, 0.5, 2.0},
                        Case{"3", 2.5, 0.0, 3.0, 0.0}, Case{"-3", 2.25, 1.0, 2.5, 2.0}}) {
    for (const bool sine : {true, false}) {
      const Function f =
          drive_of(std::string(sine ? "sine" : "cosine") + ", 1., 2., 3., " + c.cycles + ", .5");
      ASSERT_TRUE(f);
      const double periods = sine ? c.sine_periods : c.cosine_periods,
                   last = sine ? c.sine_final : c.cosine_final, end = 1.0 + periods * pi;
      const auto wave = [&](double t) {
        return 0.5 + 3.0 * (sine ? std::sin(2.0 * (t - 1.0)) : 1.0 - std::cos(2.0 * (t - 1.0)));
      };
      EXPECT_EQ(f->at(0.7).value, 0.5);
      for (const double share : {0.1, 0.6, 0.99}) {
        const double t = 1.0 + share * (end - 1.0);
        EXPECT_NEAR(f->at(t).value, wave(t), 1e-12) << c.cycles;
      }
      for (const double t : {end + 1e-9, end + 0.3, 99.0}) {
        EXPECT_NEAR(f->at(t).value, 0.5 + 3.0 * last, 1e-12) << c.cycles << (sine ? " sine" : "");
        EXPECT_EQ(f->at(t).rate, 0.0);
      }
    }
  }
  EXPECT_NEAR(drive_of("sine, 1., 2., 3., 0, .5")->at(50.0).value, 0.5 + 3.0 * std::sin(98.0),
              1e-12);  // 0 is forever
}

// the speed of 1 kg is the integral of its force
TEST(Deck, AStepGoesToItsSecondNumberOrByItAsAsked) {
  DeckSteps how = DeckSteps::value;
  const auto speed = [&how](const std::string& drive, const char* warning) {
    Diagnostics problems;
    const auto document = convert_deck(
        deck("structural: 1, dynamic, null, eye, null, null;\n",
             "body: 1, 1, 1., null, eye;\nforce: 1, absolute, 1, position, null, 1., 0., 0., " +
                 drive + ";\n"),
        "deck.mbd", problems, how);
    EXPECT_EQ(problems.errors(), 0u);
    EXPECT_EQ(problems.list().empty() ? "" : problems.list()[0].code, warning) << drive;
    const auto source = parse_source(*document, "deck.xml", problems);
    const Parameters p("x", source->parameters(), {}, 1, {}, problems);
    Mechanism m(source->made(p));
    for (int k = 0; k < 2000; ++k) m.solver().step(1e-3);
    return m.solver().node(0).v.x;
  };
  // the force at the instant of the step itself counts for at most one step of 1 ms
  EXPECT_NEAR(speed("step, 1., 0., 10.", "V1727"), 10.0, 1.1e-2);
  EXPECT_NEAR(speed("step, 1., -10., 10.", "V1727"), 0.0, 2.1e-2);
  EXPECT_NEAR(speed("step, 1., 10., 0.", ""), 10.0, 1.1e-2);
  EXPECT_NEAR(speed("array, 2, const, 10., step, 1., -10., 0.", ""), 10.0, 1.1e-2);
  EXPECT_NEAR(speed("double step, .5, 1.5, -4., 10.", "V1727"), 6.0, 2.9e-2);
  // as newer versions read it
  how = DeckSteps::increment;
  EXPECT_NEAR(speed("step, 1., 0., 10.", "V1727"), 20.0, 1e-9);
  EXPECT_NEAR(speed("step, 1., -10., 10.", "V1727"), 10.0, 1.1e-2);
  EXPECT_NEAR(speed("step, 1., 10., 0.", ""), 10.0, 1.1e-2);
  EXPECT_NEAR(speed("double step, .5, 1.5, -4., 10.", "V1727"), 16.0, 1.1e-2);
}

constrained::NodeState assembled(const std::string& nodes, const std::string& elements,
                                 const char* of, int steps = 0) {
  const Definition d = converted(deck(nodes, elements));
  Mechanism m(d);
  for (int k = 0; k < steps; ++k)
    EXPECT_EQ(m.solver().step(1e-3).end, constrained::StepReport::End::converged);
  return m.solver().node(node(d, of));
}

TEST(Deck, OrientationsAreThoseOfMBDyn) {
  const auto matrix = [](const std::string& orientation) {
    return assembled("structural: 1, dynamic, null, " + orientation + ", null, null;\n",
                     "body: 1, 1, 1., null, eye;\n", "node_1")
        .R;
  };
  const auto expect = [](const constrained::Matrix3& R, std::array<double, 9> rows) {
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(R.a[i], rows[static_cast<std::size_t>(i)], 1e-12) << i;
  };
  // guess: normal to the axis, along its least component, with a share of the largest
  expect(matrix("3, 0., 0., 1., 2, guess"), {1, 0, 0, 0, 1, 0, 0, 0, 1});
  const double n = std::sqrt(14.0), m = std::sqrt(1.0 + 1.0 / 9.0);
  // y = (1, 0, -1/3) / m, x = (1, 2, 3) / n, z = x cross y
  expect(matrix("1, 1., 2., 3., 2, guess"),
         {1 / n, 1 / m, -2.0 / 3.0 / (n * m), 2 / n, 0, (3.0 + 1.0 / 3.0) / (n * m), 3 / n,
          -1.0 / 3.0 / m, -2 / (n * m)});
  const double c = std::sqrt(0.75);
  expect(matrix("euler123, degrees, 0., 0., 30."), {c, -0.5, 0, 0.5, c, 0, 0, 0, 1});
  // alpha about z, beta about the new x, gamma about the new z
  const double a = 0.3, b = 0.5, g = 0.7;
  expect(matrix("euler313, .3, .5, .7"),
         {std::cos(a) * std::cos(g) - std::sin(a) * std::cos(b) * std::sin(g),
          -std::cos(a) * std::sin(g) - std::sin(a) * std::cos(b) * std::cos(g),
          std::sin(a) * std::sin(b),
          std::sin(a) * std::cos(g) + std::cos(a) * std::cos(b) * std::sin(g),
          -std::sin(a) * std::sin(g) + std::cos(a) * std::cos(b) * std::cos(g),
          -std::cos(a) * std::sin(b), std::sin(b) * std::sin(g), std::sin(b) * std::cos(g),
          std::cos(b)});
}

TEST(Deck, AReferenceMayEndAfterItsOrientation) {
  const Definition d = converted(deck(
      "structural: 1, dynamic, reference, 7, 1., 0., 0., reference, 7, eye, reference, 7, null, "
      "reference, 7, null;\n",
      "body: 1, 1, 1., null, eye;\n",
      "reference: 6, null, eye, null, 0., 0., 3.;\n"
      "reference: 7, name, \"arm\", reference, 6, 0., 2., 0., reference, 6, eye;\n"));
  EXPECT_EQ(d.model.nodes[0].position.x, 1.0);
  EXPECT_EQ(d.model.nodes[0].position.y, 2.0);
  // 7 does not turn with 6: without a velocity it is at rest
  EXPECT_EQ(d.model.nodes[0].velocity.x, 0.0);
  EXPECT_EQ(d.model.nodes[0].angular_velocity.z, 0.0);
}

// PlanePinJoint: without an orientation the axis of the ground is global z, whatever the node's is
TEST(Deck, APinWithoutAnOrientationIsAboutGlobalZ) {
  const constrained::NodeState s =
      assembled("structural: 1, dynamic, null, vector, .2, 0., 0., null, null;\n",
                "body: 1, 1, 1., null, eye;\njoint: 1, revolute pin, 1, null, null;\n", "node_1");
  EXPECT_NEAR(s.R.a[8], 1.0, 1e-9);  // its z is now z
}

TEST(Deck, AClampCanBeGivenRelativeToItsNode) {
  const constrained::NodeState s = assembled(
      "structural: 1, dynamic, 1., 2., 3., vector, 0., 0., pi/2., null, null;\n",
      "body: 1, 1, 1., null, eye;\n"
      "joint: 1, clamp, 1, position, reference, node, .5, 0., 0., orientation, reference, node, "
      "vector, 0., 0., pi/2.;\n",
      "node_1");
  EXPECT_NEAR(s.x.x, 1.0, 1e-9);
  EXPECT_NEAR(s.x.y, 2.5, 1e-9);
  EXPECT_NEAR(s.R.a[0], -1.0, 1e-9);  // half a turn in all
}

// AxialRotationJoint holds the axes parallel and drives the speed only
TEST(Deck, AnAxialRotationBeginsWhereTheNodesAre) {
  const constrained::NodeState s = assembled(
      "structural: 1, static, null, eye, null, null;\n"
      "structural: 2, dynamic, null, vector, 0., 0., .7, null, 0., 0., 2.;\n",
      "body: 2, 2, 1., null, eye;\njoint: 1, clamp, 1, node, node;\n"
      "joint: 2, axial rotation, 1, null, 2, null, const, 2.;\n",
      "node_2", 500);
  EXPECT_NEAR(std::atan2(s.R.a[3], s.R.a[0]), 0.7 + 2.0 * 0.5, 1e-9);
}

// DriveHingeJoint: the rotation vector of R1hᵀ R2h, in the axes of the first
TEST(Deck, ADriveHingeTurnsTheSecondNodeInTheAxesOfTheFirst) {
  const constrained::NodeState s = assembled(
      "structural: 1, static, null, vector, pi/2., 0., 0., null, null;\n"
      "structural: 2, dynamic, null, vector, pi/2., 0., 0., null, null;\n",
      "body: 2, 2, 1., null, eye;\njoint: 1, clamp, 1, node, node;\n"
      "joint: 2, drive hinge, 1, 2, 0., 0., 1., const, .3;\n"
      "joint: 3, total joint, 1, 2, position constraint, 1, 1, 1, null;\n",
      "node_2");
  // z of node 1 is -y: its x goes to cos x - sin z' ..., by 0.3 about -y
  EXPECT_NEAR(s.R.a[0], std::cos(0.3), 1e-9);
  EXPECT_NEAR(s.R.a[3], 0.0, 1e-9);
  EXPECT_NEAR(s.R.a[6], std::sin(0.3), 1e-9);
}

// m v² / 2 = k₁ s² / (2 L) + k₃ s⁴ / (4 L³): the laws of a rod are of its strain
TEST(Deck, ACubicRodStretchesByItsEnergy) {
  const Definition d =
      converted(deck("structural: 1, static, null, eye, null, null;\n"
                     "structural: 2, dynamic, 2., 0., 0., eye, 3., 0., 0., null;\n",
                     "body: 2, 2, 1.5, null, eye;\njoint: 1, clamp, 1, node, node;\n"
                     "joint: 2, rod, 1, 2, from nodes, cubic elastic, 40., 0., 500.;\n"));
  Mechanism m(d);
  const int n = node(d, "node_2");
  double farthest = 0.0;
  for (int k = 0; k < 2000 && m.solver().node(n).v.x > 0.0; ++k) {
    ASSERT_EQ(m.solver().step(2e-4).end, constrained::StepReport::End::converged);
    farthest = std::max(farthest, m.solver().node(n).x.x - 2.0);
  }
  const double linear = 40.0 / 2.0, cubic = 500.0 / 8.0;
  const double s2 = (-linear + std::sqrt(linear * linear + 2.0 * cubic * 1.5 * 9.0)) / cubic;
  EXPECT_NEAR(farthest, std::sqrt(s2), 1e-4);
}

TEST(Deck, TimesOfTheDeckAreThoseOfItsRun) {
  const auto alone = [](const std::string& times) {
    Diagnostics problems;
    const auto document =
        convert_deck("begin: data; problem: initial value; end: data;\nbegin: initial value; " +
                         times + " end: initial value;\n",
                     "deck.mbd", problems);
    EXPECT_EQ(rendered(problems), "");
    const auto source = parse_source(*document, "deck.xml", problems);
    EXPECT_EQ(rendered(problems), "");
    return source ? source->alone() : Alone{};
  };
  using std::chrono::milliseconds, std::chrono::nanoseconds;
  EXPECT_EQ(alone("final time: 2.; time step: 1e-3;").stop, milliseconds(2000));
  EXPECT_EQ(alone("final time: 2.; time step: 1e-3;").step, milliseconds(1));
  EXPECT_EQ(alone("final time: 2.; initial time: -1.; time step: 1e-3;").stop, milliseconds(3000));
  EXPECT_EQ(alone("final time: 2.; time step: 1./3.;").step, nanoseconds(333'333'333));
  EXPECT_FALSE(alone("time step: 1e-3;").stop);
}

TEST(Deck, WithoutAMethodItIsThatOfMBDyn) {
  const Definition d = converted(
      deck("structural: 1, dynamic, null, eye, null, null;\n", "body: 1, 1, 1., null, eye;\n"));
  EXPECT_EQ(d.settings.scheme, constrained::Scheme::multistep2);
  EXPECT_EQ(d.settings.rho, 0.0);
}

TEST(Deck, AnAbstractNodeThatNothingUsesDoesNotMatter) {
  Diagnostics problems;
  const auto document = convert_deck(deck("structural: 1, dynamic, null, eye, 1., 0., 0., null;\n"
                                          "abstract: 5, differential, value, 3.;\n",
                                          "body: 1, 1, 1., null, eye;\n"),
                                     "deck.mbd", problems);
  ASSERT_EQ(problems.list().size(), 1u) << rendered(problems);
  EXPECT_EQ(problems.list()[0].code, "V1729");
  EXPECT_NE(problems.list()[0].message.find("abstract node 5"), std::string::npos);
  const auto source = parse_source(*document, "deck.xml", problems);
  ASSERT_TRUE(source);
  const Parameters p("x", source->parameters(), {}, 1, {}, problems);
  Mechanism m(source->made(p));
  for (int k = 0; k < 100; ++k)
    ASSERT_EQ(m.solver().step(1e-3).end, constrained::StepReport::End::converged);
  EXPECT_NEAR(m.solver().node(0).x.x, 0.1, 1e-12);
}

const std::string ground_1 = "structural: 1, static, null, eye, null, null;\n";
const std::string held_1 = "joint: 1, clamp, 1, node, node;\n";

TEST(Deck, PointsFollowPlanesLinesAndDistances) {
  // slides in the plane of z = 0
  const constrained::NodeState a =
      assembled(ground_1 + "structural: 2, dynamic, null, eye, null, null;\n",
                held_1 +
                    "body: 2, 2, 1., null, eye;\njoint: 2, in plane, 1, null, 0., 0., 1., 2;\n"
                    "gravity: uniform, 3., 0., -4., const, 2.;\n",
                "node_2", 500);
  EXPECT_NEAR(a.x.x, 0.5 * 6.0 * 0.25, 1e-6);  // the direction of gravity is not normalised
  EXPECT_NEAR(a.x.z, 0.0, 1e-12);
  // on the x axis, 1 + 2 t from the ground
  const constrained::NodeState b =
      assembled(ground_1 + "structural: 2, dynamic, 1., 0., 0., eye, 2., 0., 0., null;\n",
                held_1 +
                    "body: 2, 2, 1., null, eye;\njoint: 2, in line, 1, null, 3, 1., 0., 0., 2, 0., "
                    "1., 0., 2;\njoint: 3, distance, 1, 2, linear, 1., 2.;\n",
                "node_2", 500);
  EXPECT_NEAR(b.x.x, 2.0, 1e-9);
  // x₁ + R₁ (f₁ + d)
  const constrained::NodeState c = assembled(
      "structural: 1, static, 1., 0., 0., vector, 0., 0., pi/2., null, null;\n"
      "structural: 2, dynamic, .9, .6, 0., eye, null, null;\n",
      held_1 +
          "body: 2, 2, 1., null, eye;\n"
          "joint: 2, drive displacement, 1, .5, 0., 0., 2, null, 0., 1., 0., const, .2;\n",
      "node_2");
  EXPECT_NEAR(c.x.x, 1.0 - 0.2, 1e-9);
  EXPECT_NEAR(c.x.y, 0.5, 1e-9);
}

TEST(Deck, SpringsAndBeamsHaveTheirFrequencies) {
  // v / w sin(w t), w² = k / m; and about z, w² = k / J
  const std::string six = "linear elastic generic, diag, 50., 1., 1., 1., 1., 30.";
  const constrained::NodeState a = assembled(
      ground_1 + "structural: 2, dynamic, null, eye, .1, 0., 0., 0., 0., .2;\n",
      held_1 + "body: 2, 2, 2., null, diag, 1., 1., .3;\njoint: 2, deformable joint, 1, " +
          "null, 2, null, " + six + ";\n",
      "node_2", 300);
  EXPECT_NEAR(a.x.x, 0.1 / 5.0 * std::sin(5.0 * 0.3), 1e-5);
  EXPECT_NEAR(std::atan2(a.R.a[3], a.R.a[0]), 0.2 / 10.0 * std::sin(10.0 * 0.3), 1e-5);
  // a bar of length 2: k = EA / 2
  const constrained::NodeState b = assembled(
      ground_1 + "structural: 2, dynamic, 2., 0., 0., eye, .1, 0., 0., null;\n",
      held_1 +
          "body: 2, 2, 2., null, eye;\nbeam2: 1, 1, null, 2, null, from nodes, linear elastic "
          "generic, diag, 100., 1e3, 1e3, 1e2, 1e2, 1e2;\n",
      "node_2", 300);
  EXPECT_NEAR(b.x.x - 2.0, 0.1 / 5.0 * std::sin(5.0 * 0.3), 1e-5);
}

// by the theorem of Steiner, and by turned axes; 1 N·m for 0.5 s
TEST(Deck, InertiasAreAboutTheCentreOfMass) {
  const auto rate = [](const std::string& body, const std::string& couple) {
    return assembled(
               "structural: 1, dynamic, null, eye, null, null;\n",
               "body: 1, 1, " + body + ";\ncouple: 1, absolute, 1, " + couple + ", const, 1.;\n",
               "node_1", 500)
        .omega;
  };
  const double J = 2.0 * (0.3 + 1.5 * 0.25);
  EXPECT_NEAR(rate("condense, 2, 1.5, .5, 0., 0., diag, 1., 1., .3, 1.5, -.5, 0., 0., diag, 1., "
                   "1., .3",
                   "0., 0., 1.")
                  .z,
              0.5 / J, 1e-6);
  EXPECT_NEAR(rate("1., null, diag, 1., 2., 3., inertial, vector, 0., 0., pi/2.", "1., 0., 0.").x,
              0.5 / 2.0, 1e-6);
}

// equal and opposite: the first node gets the moment as it is written, in its own axes
TEST(Deck, AnInternalCoupleIsPositiveOnTheFirstNode) {
  const std::string nodes =
      "structural: 1, dynamic, null, vector, 0., pi/2., 0., null, null;\n"
      "structural: 2, dynamic, null, eye, null, null;\n";
  const std::string elements =
      "body: 1, 1, 1., null, eye;\nbody: 2, 2, 1., null, eye, scale, 2.;\n"
      "couple: 1, follower internal, 1, 2, 0., 0., 1., const, 4.;\n";
  EXPECT_NEAR(assembled(nodes, elements, "node_1", 100).omega.x, 0.4, 1e-6);
  EXPECT_NEAR(assembled(nodes, elements, "node_2", 100).omega.x, -0.2, 1e-6);
}

}  // namespace
}  // namespace vernier::multibody_loops
