#include "vernier/model/multibody_tree/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace vernier::multibody_tree {
namespace {

namespace fs = std::filesystem;
using multibody::HingeKind;
using multibody::Inertia;
using multibody::Matrix3;
using multibody::Model;
using multibody::NodeId;
using multibody::Vector3;
using ::testing::ElementsAre;

constexpr double pi = std::numbers::pi;
constexpr double rounding = 1e-15;  // times the size of the numbers: a few operations

const fs::path source_dir = VERNIER_SOURCE_DIR;

Spacecraft read(const fs::path& path, const ParameterValues& given = {}) {
  Diagnostics problems;
  const auto source = read_source(path, problems);
  EXPECT_EQ(rendered(problems), "");
  if (!source) return {};
  const Parameters p("it", source->parameters(), given, 1, {}, problems);
  EXPECT_EQ(rendered(problems), "");
  return source->made(p);
}

/// A document with these bodies; problems fail the test.
Spacecraft parsed(const std::string& inside, const ParameterValues& given = {}) {
  Diagnostics problems;
  const auto source = parse_source(
      "<multibody name=\"test\" version=\"1\">" + inside + "</multibody>", "test.xml", problems);
  EXPECT_EQ(rendered(problems), "");
  if (!source) return {};
  const Parameters p("it", source->parameters(), given, 1, {}, problems);
  EXPECT_EQ(rendered(problems), "");
  return source->made(p);
}

/// A body with these attributes and a hinge.
std::string body_text(const std::string& attributes, const std::string& hinge,
                      const std::string& rest = "") {
  return "<body name=\"b\" mass=\"2 kg\" centre=\"0 0 0\" " + attributes + ">" + hinge +
         "<inertia about=\"centre\" unit=\"kg*m^2\" xx=\"1\" yy=\"1\" zz=\"1\"/>" + rest +
         "</body>";
}

std::string codes(const std::string& inside) {
  Diagnostics problems;
  parse_source("<multibody name=\"test\" version=\"1\">" + inside + "</multibody>", "test.xml",
               problems);
  std::string all;
  for (const Diagnostic& d : problems.list()) all += (all.empty() ? "" : " ") + d.code;
  return all;
}

// ---- mass

TEST(MultibodyReader, MovesInertiaFromTheCentreToTheOrigin) {
  const Spacecraft s = parsed(
      "<body name=\"b\" mass=\"2 t\" centre=\"0 30 0 cm\"><hinge kind=\"free\"/>"
      "<inertia about=\"centre\" unit=\"kg*m^2\" xx=\"10\" yy=\"20\" zz=\"25\" xy=\"1\" xz=\"2\" "
      "yz=\"3\" products=\"integral\"/></body>");
  const Inertia& i = s.model.tree.bodies[0].inertia;
  EXPECT_EQ(i.mass, 2000.0);
  EXPECT_TRUE(i.moment.isApprox(Vector3(0, 600, 0), rounding));
  Matrix3 J;  // parallel axes: 2000 kg at 0.3 m adds 180 about x and z; integrals change sign
  J << 190, -1, -2, -1, 20, -3, -2, -3, 205;
  EXPECT_TRUE(i.inertia.isApprox(J, rounding));
}

TEST(MultibodyReader, TakesAMomentForTheCentreAndInertiaAboutTheOriginAsItIs) {
  const Spacecraft s = parsed(
      "<body name=\"b\" mass=\"4 kg\" moment=\"0 0 2 kg*m\"><hinge kind=\"free\"/>"
      "<inertia about=\"origin\" xx=\"3 kg*m^2\" yy=\"3e3 g*m^2\" zz=\"1 kg*m^2\"/></body>");
  const Inertia& i = s.model.tree.bodies[0].inertia;
  EXPECT_EQ(i.moment, Vector3(0, 0, 2));
  EXPECT_TRUE(i.inertia.isApprox(Matrix3(Vector3(3, 3, 1).asDiagonal()), rounding));
}

TEST(MultibodyReader, ComputesNumbersFromConstants) {
  const std::string text =
      "<constants><constant name=\"m\" value=\"10 kg\"/><constant name=\"half\" value=\"m/2\"/>"
      "<constant name=\"h\" value=\"40\" unit=\"cm\"/></constants>"
      "<body name=\"b\" mass=\"half + 1\" centre=\"0, 0, h/2\"><hinge kind=\"free\"/>"
      "<inertia about=\"origin\" unit=\"kg*m^2\" xx=\"3\" yy=\"3\" zz=\"m*h^2\"/></body>";
  EXPECT_EQ(parsed(text).model.tree.bodies[0].inertia.mass, 6.0);
  EXPECT_TRUE(
      parsed(text).model.tree.bodies[0].inertia.moment.isApprox(Vector3(0, 0, 1.2), rounding));
  // what follows from a constant follows from its new value
  const Spacecraft other = parsed(text, {{"m", {.text = "20 kg"}}});
  EXPECT_EQ(other.model.tree.bodies[0].inertia.mass, 11.0);
  EXPECT_NEAR(other.model.tree.bodies[0].inertia.inertia(2, 2), 3.2, 3.2 * rounding);
  EXPECT_EQ(parsed(text, {{"b.mass", {.text = "7 kg"}}}).model.tree.bodies[0].inertia.mass, 7.0);
}

// ---- attitudes and hinges

TEST(MultibodyReader, TurnsNodesOneTurnAfterTheOther) {
  const Spacecraft s =
      parsed(body_text("", "<hinge kind=\"free\"/>",
                       "<node name=\"a\" position=\"1 2 3 m\" turned=\"z 90 deg, x 90 deg\"/>"
                       "<node name=\"q\" position=\"0 0 0\" quaternion=\"0 0 0.6 0.8\"/>"
                       "<node name=\"d\" position=\"0 0 0\" turned=\"(1 1 1) 120 deg\"/>"));
  const auto& nodes = s.model.tree.bodies[0].nodes;
  // columns are the node's axes: x to y, y to z, z to x
  Matrix3 cyclic;
  cyclic << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  EXPECT_TRUE(nodes[0].pose.R.isApprox(cyclic, rounding));
  EXPECT_EQ(nodes[0].pose.p, Vector3(1, 2, 3));
  EXPECT_TRUE(nodes[2].pose.R.isApprox(cyclic, rounding));
  // a turn by 2 atan(0.6/0.8) about z: cos 0.28, sin 0.96
  EXPECT_TRUE(nodes[1].pose.R.col(0).isApprox(Vector3(0.28, 0.96, 0), rounding));
}

TEST(MultibodyReader, PointsTheAxisOfAHingeWhereItIsSaid) {
  for (const char* axis : {"1 0 0", "0 -1 0", "0 0 -1", "1 2 3", "0 0 1", "-1e-7 0 -1"}) {
    const Spacecraft s =
        parsed(body_text("", "<hinge kind=\"pin\" at=\"n\" axis=\"" + std::string(axis) + "\"/>",
                         "<node name=\"n\" position=\"0 0 0\" turned=\"x 20 deg\"/>"));
    const auto& h = s.model.tree.bodies[0].hinge;
    double a[3];
    ASSERT_EQ(std::sscanf(axis, "%lf %lf %lf", a, a + 1, a + 2), 3);
    const Vector3 unit = Vector3(a).normalized();
    const Matrix3 tilt = s.model.tree.bodies[0].nodes[0].pose.R;
    EXPECT_LT((h.outboard.pose.R.col(2) - unit).norm(), 1e-9) << axis;
    EXPECT_LT((h.inboard.pose.R.col(2) - tilt * unit).norm(), 1e-9) << axis;
    EXPECT_LT((h.outboard.pose.R.transpose() * h.outboard.pose.R - Matrix3::Identity()).norm(),
              1e-14);
    EXPECT_NEAR(h.outboard.pose.R.determinant(), 1.0, 1e-14);
    // both ends turned alike: the nodes' own axes coincide at zero
    EXPECT_TRUE((h.inboard.pose.R * h.outboard.pose.R.transpose()).isApprox(tilt, 1e-14));
  }
}

TEST(MultibodyReader, TurnsAUniversalHingeToItsTwoAxes) {
  const Spacecraft s =
      parsed(body_text("", "<hinge kind=\"universal\" axis=\"0 0 2\" axis2=\"0 -1 0\"/>"));
  Matrix3 A;  // x to z, y to -y
  A << 0, 0, 1, 0, -1, 0, 1, 0, 0;
  EXPECT_TRUE(s.model.tree.bodies[0].hinge.outboard.pose.R.isApprox(A, rounding));
}

TEST(MultibodyReader, LaysTheStartOutAsTheTreeDoes) {
  const Spacecraft s = read(source_dir / "formats/multibody/good/case_b.xml");
  EXPECT_THAT(s.model.q, ElementsAre(0.2, -0.4, 0.4, 0.8, 1, 2, 3, 0.05, -0.08, 0.5, -0.3, 0.7));
  EXPECT_THAT(s.model.u, ElementsAre(0.3, -0.2, 0.5, 0.1, 0.2, -0.3, 0.4, -0.3, 1.5, -0.8, 0.6));
  EXPECT_EQ(s.model.prescribed, std::vector<std::uint8_t>(11, 0));
}

TEST(MultibodyReader, TurnsAVelocityInGroundAxesIntoTheBody) {
  const Spacecraft s = parsed(body_text("",
                                        "<hinge kind=\"free\" turned=\"z 90 deg\" velocity=\"1 0 0 "
                                        "km/s\" velocity_axes=\"ground\"/>"));
  // the body's x points along the ground's y, so that the ground's x is the body's -y
  EXPECT_NEAR(s.model.u[3], 0.0, 1e-12);
  EXPECT_NEAR(s.model.u[4], -1000.0, 1e-12);
  EXPECT_NEAR(s.model.q[2], std::sqrt(0.5), rounding);
}

TEST(MultibodyReader, ReadsMotionsLawsAndParameters) {
  const std::string text = body_text(
      "",
      "<hinge kind=\"planar\"><dof name=\"x\" motion=\"prescribed\"/><dof name=\"y\" "
      "motion=\"locked\"/>"
      "<dof name=\"turn\" initial=\"90 deg\" rate=\"1 rpm\" stiffness=\"2 N*m/deg\" rest=\"1 deg\" "
      "damping=\"3 N*m*s\" lower=\"-1 rad\" upper=\"2 rad\" stop_stiffness=\"5 N*m\" rotor=\"2 "
      "g*m^2\"/></hinge>");
  const Spacecraft s = parsed(text);
  EXPECT_THAT(s.model.prescribed, ElementsAre(1, 2, 0));
  EXPECT_THAT(s.held, ElementsAre(0, 1, 0));
  EXPECT_DOUBLE_EQ(s.model.q[2], pi / 2);
  EXPECT_DOUBLE_EQ(s.model.u[2], pi / 30);
  ASSERT_EQ(s.model.laws.size(), 1u);
  const multibody::HingeLaw& l = s.model.laws[0];
  EXPECT_EQ(l.speed, 2);
  EXPECT_DOUBLE_EQ(l.stiffness, 2 * 180 / pi);
  EXPECT_DOUBLE_EQ(l.rest, pi / 180);
  EXPECT_EQ(l.damping, 3.0);
  EXPECT_EQ(l.upper, 2.0);
  EXPECT_DOUBLE_EQ(s.model.tree.bodies[0].hinge.rotor[2], 0.002);
  const Spacecraft set = parsed(
      text,
      {{"b.turn", {.text = "10 deg"}}, {"b.turn_rate", {.text = "0"}}, {"b.x", {.text = "1 km"}}});
  EXPECT_DOUBLE_EQ(set.model.q[2], pi / 18);
  EXPECT_EQ(set.model.u[2], 0.0);
  EXPECT_EQ(set.model.q[0], 1000.0);
}

// ---- modes

TEST(MultibodyReader, MakesIntegralsOfLumps) {
  const Spacecraft s = read(source_dir / "formats/multibody/good/case_b.xml");
  const multibody::Body& bus = s.model.tree.bodies[0];
  ASSERT_TRUE(bus.modes);
  const multibody::Modes& m = *bus.modes;
  EXPECT_EQ(bus.inertia.mass, 200.0);
  // by hand: Σ m φ of mode 1 and 2
  EXPECT_TRUE(m.S1.col(0).isApprox(Vector3(1.1, 2.2, 0.8), 1e-14));
  EXPECT_TRUE(m.S1.col(1).isApprox(Vector3(2.4, 1.0, 0), 1e-14));
  // Σ m φ·φ: 40(0.0104) + 40(0.0101) + 30(0.0144) + 30(0.0145) + 60(0.0009)
  EXPECT_NEAR(m.mass(0, 0), 1.741, 1e-14);
  EXPECT_EQ(m.stiffness(1, 1), 45.0);
  EXPECT_EQ(m.damping(0, 0), 0.4);
  EXPECT_EQ(m.order, 2);
  EXPECT_EQ(m.J2.size(), 4u);
  EXPECT_EQ(bus.nodes[2].phi_r.col(1), Vector3(0, 0.02, 0));
  EXPECT_EQ(s.model.actuators[0].at.node, 2);
}

/// Accelerations at the start, with these forces along the speeds and at nodes.
std::vector<double> accelerations(const Spacecraft& s, const std::vector<double>& force,
                                  std::span<const multibody::NodeForce> at = {}) {
  const multibody::Tree tree(s.model.tree);
  multibody::Evaluation e(tree);
  std::vector<double> udot(tree.speeds());
  EXPECT_EQ(force.size(), udot.size());
  tree.place(s.model.q, s.model.u, e);
  EXPECT_TRUE(tree.accelerate({.force = force, .acceleration = {}, .prescribed = {}, .nodes = at},
                              udot, e));
  return udot;
}

void expect_twelve_digits(const std::vector<double>& found,
                          std::initializer_list<double> reference) {
  ASSERT_EQ(found.size(), reference.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double x = std::data(reference)[i];
    EXPECT_NEAR(found[i], x, 1e-12 * std::max(1.0, std::abs(x))) << i;
  }
}

// reference values, cases B and D: computed by an independent point-mass solution, 13 digits
TEST(MultibodyReader, GivesTheAccelerationsOfCaseB) {
  const multibody::NodeForce at[] = {{{0, 2}, {Vector3(0.5, -0.2, 0.1), Vector3(3, -4, 5)}}};
  expect_twelve_digits(
      accelerations(read(source_dir / "formats/multibody/good/case_b.xml"),
                    {0, 0, 0, 0, 0, 0, 0, 0, 2, -1, 0.5}, at),
      {-1.801940774377e+00, -1.378411216787e-01, -9.438613037935e-02, -5.344355975194e-01,
       -8.010503575304e-01, 6.266859597690e-03, -4.752159049985e+00, 6.289179354618e+01,
       -1.010892757021e+00, -1.496818882853e+00, -1.723011988362e+00});
}

TEST(MultibodyReader, GivesTheAccelerationsOfCaseD) {
  expect_twelve_digits(
      accelerations(read(source_dir / "formats/multibody/good/case_d.xml"), {1, -2, 3, 0, 4, 0}),
      {8.112163362605, 8.845923672547, 8.882763684305, -9.649954767785, -3.149118024271,
       4.583619871571});
}

TEST(MultibodyReader, GivesTheNumbersOfIntegralsInLineThatLumpsHave) {
  // the bus of case B again, by its integrals
  const multibody::Modes m =
      *read(source_dir / "formats/multibody/good/case_b.xml").model.tree.bodies[0].modes;
  std::ostringstream text;
  text.precision(17);
  const Eigen::IOFormat flat(17, Eigen::DontAlignCols, " ", " ");
  for (int i = 0; i < 2; ++i) {
    const auto one = [&](const char* of, const multibody::MatrixX& x,
                         const std::string& with = "") {
      text << "<integral of=\"" << of << "\" mode=\"" << i + 1 << "\"" << with << ">"
           << x.format(flat) << "</integral>";
    };
    one("S1", m.S1.col(i).transpose());
    one("H0", m.H0.col(i).transpose());
    one("Mff", m.mass.row(i));
    one("N0", m.N0[static_cast<std::size_t>(i)]);
    one("H1", m.H1[static_cast<std::size_t>(i)]);
    // the other half is its transpose
    for (int l = i; l < 2; ++l)
      one("J2", m.J2[static_cast<std::size_t>(2 * i + l)],
          " with=\"" + std::to_string(l + 1) + "\"");
  }
  const Spacecraft s = parsed(
      "<body name=\"bus\" mass=\"200 kg\" moment=\"0 0 48 kg*m\"><hinge kind=\"free\"/>"
      "<inertia about=\"origin\" unit=\"kg*m^2\" xx=\"173.4\" yy=\"118.4\" zz=\"215\"/>"
      "<modes><mode stiffness=\"160\" damper=\"0.4\"/><mode stiffness=\"45\" damper=\"0.1\"/>" +
      text.str() + "</modes></body>");
  const multibody::Modes& n = *s.model.tree.bodies[0].modes;
  EXPECT_EQ(n.order, 2);
  EXPECT_EQ(n.S1, m.S1);
  EXPECT_EQ(n.H0, m.H0);
  EXPECT_EQ(n.mass, m.mass);
  EXPECT_EQ(n.N0, m.N0);
  EXPECT_EQ(n.H1, m.H1);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(n.J2[i].isApprox(m.J2[i], rounding)) << i;
}

// the same body by lumps with shapes of two modes, and by integrals
TEST(MultibodyReader, ReadsGeometricStiffnessInThreeWays) {
  const Spacecraft s = read(source_dir / "formats/multibody/good/geometric.xml");
  ASSERT_EQ(s.model.tree.bodies.size(), 3u);
  const auto& boom = *s.model.tree.bodies[0].modes;
  const auto &lumped = *s.model.tree.bodies[1].modes, &given = *s.model.tree.bodies[2].modes;
  for (const auto* m : {&boom, &lumped, &given}) EXPECT_TRUE(m->shortens());
  EXPECT_EQ(boom.limit, 0.2);
  EXPECT_EQ(lumped.limit, 0.5);
  EXPECT_EQ(boom.S2.size(), 3u);
  EXPECT_LT((lumped.S2[0] - given.S2[0]).norm(), rounding);
  EXPECT_LT((lumped.N2[0] - given.N2[0]).norm(), rounding);
  EXPECT_LT((lumped.J2[0] - given.J2[0]).norm(), rounding);
  const multibody::Node &tip = s.model.tree.bodies[0].nodes[0],
                        &end = s.model.tree.bodies[1].nodes[0];
  EXPECT_LT((end.phi_2 - Vector3(-0.3, 0, 0)).norm(), rounding);
  EXPECT_EQ(s.model.tree.bodies[2].hinge.outboard.phi_2, end.phi_2);
  // cubic shapes from 0 to 3 m, bending in y and z: along x alone, and not together
  EXPECT_EQ(tip.phi_2.cols(), 3);
  EXPECT_LT(tip.phi_2(0, 0), 0.0);
  EXPECT_EQ(tip.phi_2(0, 1), 0.0);
  EXPECT_LT(tip.phi_2(0, 2), 0.0);
  EXPECT_EQ(tip.phi_2.bottomRows<2>().norm(), 0.0);
}

TEST(MultibodyReader, LeavesGeometricStiffnessOutAtOrderZero) {
  const auto shortens = [](const std::string& order) {
    std::string text =
        R"(<body name="b"><hinge kind="free" at="frame"/><modes damping="0" order=")" + order +
        R"("><mode frequency="1 Hz"/></modes>)";
    for (const char* p : {"1 0 0 m", "0 1 0 m", "0 0 1 m"})
      text += std::string(R"(<lump mass="2 kg" position=")") + p +
              R"("><shape mode="1" translation="0 0.5 0"/>
                   <shape mode="1" with="1" translation="-0.2 0 0"/></lump>)";
    return parsed(text + "</body>").model.tree.bodies.at(0).modes->shortens();
  };
  EXPECT_FALSE(shortens("0"));
  EXPECT_TRUE(shortens("1"));
  EXPECT_TRUE(shortens("2"));
}

TEST(MultibodyReader, TakesFrequencyAndRatioOfTheModesOwnMass) {
  const Spacecraft s = parsed(
      "<body name=\"b\"><hinge kind=\"free\"/><modes damping=\"0.1\"><mode name=\"up\" "
      "frequency=\"2 Hz\"/>"
      "<mode frequency=\"3 rad/s\" damping=\"0.2\"/></modes>"
      "<lump mass=\"3 kg\" position=\"1 0 0 m\"><shape mode=\"up\" translation=\"0 0 2\"/>"
      "<shape mode=\"2\" translation=\"0 1 0\"/></lump>"
      "<lump mass=\"5 kg\" position=\"-1 1 0 m\"><shape mode=\"up\" translation=\"0 0 0\"/>"
      "<shape mode=\"2\" translation=\"0 0 0\"/></lump>"
      "<lump mass=\"5 kg\" position=\"0 0 2 m\"><shape mode=\"up\" translation=\"0 0 0\"/>"
      "<shape mode=\"2\" translation=\"0 0 0\"/></lump></body>");
  const multibody::Modes& m = *s.model.tree.bodies[0].modes;
  const double w = 4 * pi;
  EXPECT_NEAR(m.stiffness(0, 0), 12 * w * w, 1e-11);
  EXPECT_NEAR(m.damping(0, 0), 2 * 0.1 * 12 * w, 1e-12);
  EXPECT_NEAR(m.stiffness(1, 1), 27.0, 1e-13);
  EXPECT_NEAR(m.damping(1, 1), 2 * 0.2 * 3 * 3, 1e-13);
}

// ---- what stands around

TEST(MultibodyReader, BuildsSloshingFuelOfBodiesAndLaws) {
  const Spacecraft s = parsed(
      body_text("", "<hinge kind=\"free\"/>", "<node name=\"n\" position=\"0 0 1 m\"/>") +
      "<pendulum name=\"p\" at=\"b.n\" mass=\"3 kg\" length=\"0.5 m\" damping=\"0.1 N*m*s\" y=\"1 "
      "deg\"/>"
      "<slosh name=\"x\" at=\"b.n\" along=\"x\" mass=\"2 kg\" frequency=\"1 Hz\" damping=\"0.05\"/>"
      "<slosh name=\"y\" at=\"b.frame\" along=\"y\" mass=\"2 kg\" stiffness=\"8 N/m\" damper=\"1 "
      "N*s/m\"/>"
      "<slosh name=\"xy\" at=\"b.n\" along=\"xy\" mass=\"2 kg\" stiffness=\"8 N/m\" damper=\"1 "
      "N*s/m\"/>");
  const auto& bodies = s.model.tree.bodies;
  ASSERT_EQ(bodies.size(), 6u);
  EXPECT_EQ(bodies[1].hinge.kind, HingeKind::universal);
  EXPECT_EQ(bodies[1].inertia.moment, Vector3(0, 0, -1.5));
  EXPECT_EQ(bodies[1].inertia.inertia, Matrix3(Vector3(0.75, 0.75, 0).asDiagonal()));
  EXPECT_EQ(bodies[1].hinge.outboard.pose.p, Vector3(0, 0, 1));
  EXPECT_EQ(bodies[2].hinge.outboard.pose.R.col(2), Vector3::UnitX());
  EXPECT_EQ(bodies[3].hinge.outboard.pose.R.col(2), Vector3::UnitY());
  EXPECT_NEAR(bodies[3].hinge.outboard.pose.R.determinant(), 1.0, 0.0);
  // along two axes: a slide without mass carries the one with it
  EXPECT_EQ(bodies[4].name, "xy_x");
  EXPECT_EQ(bodies[4].inertia.mass, 0.0);
  EXPECT_EQ(bodies[5].hinge.parent, 4);
  EXPECT_EQ(bodies[5].hinge.outboard.pose.R.col(2), Vector3::UnitY());
  EXPECT_DOUBLE_EQ(s.model.q[8], pi / 180);
  ASSERT_EQ(s.model.laws.size(), 6u);
  EXPECT_DOUBLE_EQ(s.model.laws[2].stiffness, 8 * pi * pi);
  EXPECT_DOUBLE_EQ(s.model.laws[2].damping, 2 * 0.05 * 2 * 2 * pi);
}

TEST(MultibodyReader, TakesTheSpinOfACountedWheelOutOfItsBody) {
  const std::string body = body_text("", "<hinge kind=\"free\"/>",
                                     "<node name=\"n\" position=\"0 0 1 m\" turned=\"y 90 deg\"/>");
  const std::string wheel =
      "<wheel name=\"w\" at=\"b.n\" axis=\"0 0 2\" inertia=\"0.25 kg*m^2\" speed=\"60 rpm\" "
      "counted=\"";
  const Spacecraft counted = parsed(body + wheel + "yes\"/>");
  // the node's z is the body's x
  EXPECT_TRUE(counted.model.tree.bodies[0].inertia.inertia.isApprox(
      Matrix3(Vector3(0.75, 1, 1).asDiagonal()), rounding));
  EXPECT_EQ(counted.model.rotors[0].axis, Vector3::UnitZ());
  EXPECT_DOUBLE_EQ(counted.model.rotors[0].speed, 2 * pi);
  EXPECT_EQ(parsed(body + wheel + "no\"/>").model.tree.bodies[0].inertia.inertia,
            Matrix3::Identity());
}

TEST(MultibodyReader, FeedsThrustersFromTanks) {
  const Spacecraft s = read(source_dir / "formats/multibody/good/everything.xml");
  const multibody::Actuator& a = s.model.actuators[0];
  ASSERT_EQ(a.feeds.size(), 2u);
  EXPECT_DOUBLE_EQ(a.feeds[0].flow, 0.62 / (9.80665 * 310));
  EXPECT_EQ(a.feeds[1].tank, 1);
  EXPECT_EQ(a.at.node, NodeId::frame);
  EXPECT_EQ(s.model.tanks[1].fuel, 30.0);
  EXPECT_NEAR(s.model.tanks[1].full.inertia(0, 0), 3 + 50 * 0.16, 1e-14);
  EXPECT_EQ(s.model.bus, 0);
}

TEST(MultibodyReader, ReadsTheExampleWithItsModalFile) {
  const Spacecraft s = read(source_dir / "examples/multibody/spacecraft.xml");
  const multibody::Body& array = s.model.tree.bodies[1];
  ASSERT_TRUE(array.modes);
  EXPECT_EQ(array.mode_count(), 3u);
  EXPECT_NEAR(array.inertia.mass, 36.0, 1e-12);
  // scaled so in the file; 24 points are not quite an integral
  EXPECT_TRUE(array.modes->mass.isApprox(Eigen::Matrix3d::Identity(), 1e-2));
  EXPECT_NEAR(std::sqrt(array.modes->stiffness(0, 0)) / (2 * pi), 0.190376796, 1e-9);
  // the closed form's ∫φ, reference values: 0.782991756 for ∫φ² = 1 per unit length and mass; 24
  // points
  EXPECT_NEAR(std::abs(array.modes->S1(2, 0)), 0.782991756 * std::sqrt(36.0), 5e-3);
  EXPECT_EQ(array.hinge.inboard.phi_t.cols(), 3);
}

TEST(MultibodyReader, KnowsWhereThePartsAre) {
  const Spacecraft s = read(source_dir / "examples/multibody/spacecraft.xml");
  ASSERT_EQ(s.places.bodies.size(), s.model.tree.bodies.size());
  EXPECT_EQ(s.places.bodies[0].body.line, 12);
  EXPECT_EQ(s.places.bodies[0].nodes.size(), 6u);
  EXPECT_EQ(s.places.bodies[1].nodes[1].line, 31);
  EXPECT_EQ(s.places.actuators.size(), 2u);
}

TEST(MultibodyReader, RefusesParametersThatMakeItImpossible) {
  Diagnostics problems;
  const auto source = read_source(source_dir / "examples/multibody/spacecraft.xml", problems);
  ASSERT_TRUE(source);
  for (const auto& [name, value] :
       {std::pair{"dry", "-5 kg"}, {"fuel.fuel", "141 kg"}, {"bus.quaternion", "0 0 0 2"}}) {
    const Parameters p("it", source->parameters(), {{name, {.text = value}}}, 1, {}, problems);
    try {
      source->made(p);
      ADD_FAILURE() << name;
    } catch (const ConfigurationError& e) {
      EXPECT_THAT(rendered(e.diagnostics()),
                  ::testing::HasSubstr(std::string("with what is set for \"it\": ") + name));
    }
  }
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
}

TEST(MultibodyReader, RefusesNegativeLawsThatAreSet) {
  Diagnostics problems;
  const auto source = parse_source(
      "<multibody name=\"test\" version=\"1\"><body name=\"b\" mass=\"2 kg\" "
      "centre=\"0 0 0\"><hinge kind=\"pin\"><dof name=\"turn\" stiffness=\"1 N*m/rad\" "
      "damping=\"1 N*m*s/rad\" friction=\"1 N*m\"/></hinge><inertia about=\"centre\" "
      "unit=\"kg*m^2\" xx=\"1\" yy=\"1\" zz=\"1\"/></body><wheel name=\"w\" at=\"b.frame\" "
      "axis=\"0 0 1\" inertia=\"0.1 kg*m^2\" friction=\"0.1 N*m*s/rad\" "
      "counted=\"no\"/></multibody>",
      "test.xml", problems);
  ASSERT_TRUE(source) << rendered(problems);
  for (const char* name :
       {"b.turn_stiffness", "b.turn_damping", "b.turn_friction", "w.inertia", "w.friction"}) {
    const Parameters p("it", source->parameters(), {{name, {.text = "-1"}}}, 1, {}, problems);
    EXPECT_EQ(rendered(problems), "");
    try {
      source->made(p);
      ADD_FAILURE() << name;
    } catch (const ConfigurationError& e) {
      EXPECT_THAT(rendered(e.diagnostics()), ::testing::HasSubstr(name));
    }
  }
}

TEST(MultibodyReader, WarnsOfAStartBeyondAStop) {
  const auto stopped = [](const std::string& initial) {
    return codes(body_text("", "<hinge kind=\"pin\"><dof name=\"turn\" initial=\"" + initial +
                                   "\" lower=\"-10 deg\" upper=\"20 deg\" "
                                   "stop_stiffness=\"1 N*m/rad\"/></hinge>"));
  };
  EXPECT_EQ(stopped("20 deg"), "");
  EXPECT_EQ(stopped("21 deg"), "V1635");
  EXPECT_EQ(stopped("-11 deg"), "V1635");
}

TEST(MultibodyReader, RefusesCommasThatMayBeDecimalOnes) {
  const auto hinge = [](const std::string& axis) {
    return codes(body_text("", "<hinge kind=\"pin\" axis=\"" + axis + "\"/>"));
  };
  EXPECT_EQ(hinge("0, 0, 1"), "");
  EXPECT_EQ(hinge("0,0,1"), "V1308");
  EXPECT_EQ(hinge("max(0,0), 0, 1"), "");
}

TEST(MultibodyReader, RefusesHertzForAngularRates) {
  EXPECT_EQ(codes(body_text("", "<hinge kind=\"pin\"><dof name=\"turn\" rate=\"1 Hz\"/></hinge>")),
            "V1621");
}

TEST(MultibodyReader, SplitsNumbersFromUnitsInEveryWayPeopleWrite) {
  const auto mass = [](const std::string& text) {
    return parsed(
               "<constants><constant name=\"m\" value=\"3 kg\"/></constants>"
               "<body name=\"b\" mass=\"" +
               text +
               "\" centre=\"0 0 0\"><hinge kind=\"free\"/><inertia about=\"origin\" "
               "unit=\"kg*m^2\" "
               "xx=\"1\" yy=\"1\" zz=\"1\"/></body>")
        .model.tree.bodies[0]
        .inertia.mass;
  };
  EXPECT_EQ(mass("4kg"), 4.0);
  EXPECT_EQ(mass(" 4.5 kg "), 4.5);
  EXPECT_EQ(mass("4e3g"), 4.0);
  EXPECT_EQ(mass("m"), 3.0);
  EXPECT_EQ(mass("2*m"), 6.0);
  EXPECT_EQ(mass("(m + 1)*2"), 8.0);
  EXPECT_EQ(mass("max(m, 2)"), 3.0);
}

}  // namespace
}  // namespace vernier::multibody_tree
