#include "vernier/model/multibody_loops/reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vernier/model/multibody_loops/mechanism.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::multibody_loops {
namespace {

const std::filesystem::path good_folder =
    std::filesystem::path(VERNIER_SOURCE_DIR) / "formats/constrained/good";

Definition defined(const std::string& inner, const ParameterValues& values = {}) {
  Diagnostics problems;
  const auto source = parse_source("<mechanism name=\"m\" version=\"1\">" + inner + "</mechanism>",
                                   "m.xml", problems);
  EXPECT_EQ(rendered(problems), "");
  if (!source) return {};
  const Parameters p("it", source->parameters(), values, 1, {}, problems);
  EXPECT_EQ(rendered(problems), "");
  return source->made(p);
}

const std::string body_of(const std::string& node) {
  return "<body name=\"mass_of_" + node + "\" node=\"" + node +
         "\" mass=\"1 kg\"><inertia about=\"centre\" unit=\"kg*m^2\" xx=\"1\" yy=\"1\" "
         "zz=\"1\"/></body>";
}

TEST(MechanismReader, PlacesAreRelativeToMovingReferences) {
  const Definition d = defined(R"xml(
    <frame name="f" position="1 0 0 m" turned="z 90 deg" velocity="0 0 1 m/s" rate="0 0 2 rad/s"/>
    <node name="n" reference="f" position="3 0 0 m" rotation="0 0 -90 deg" velocity="1 0 0 m/s"/>)xml" +
                               body_of("n"));
  const constrained::Node& n = d.model.nodes.at(0);
  EXPECT_NEAR(n.position.x, 1.0, 1e-15);
  EXPECT_NEAR(n.position.y, 3.0, 1e-15);
  EXPECT_NEAR(n.orientation.a[0], 1.0, 1e-15);
  // of the frame, of its turning, its own
  EXPECT_NEAR(n.velocity.x, -6.0, 1e-14);
  EXPECT_NEAR(n.velocity.y, 1.0, 1e-14);
  EXPECT_EQ(n.velocity.z, 1.0);
  EXPECT_EQ(n.angular_velocity.z, 2.0);
}

TEST(MechanismReader, BodiesAboutTheOriginAreMovedToTheirCentre) {
  const Definition d = defined(R"xml(<node name="n"/>
    <body name="b" node="n" mass="2 kg" centre="0 0 1 m"><inertia about="origin" unit="kg*m^2" xx="5" yy="6" zz="4"/></body>)xml");
  EXPECT_EQ(d.model.bodies.at(0).inertia.xx, 3.0);
  EXPECT_EQ(d.model.bodies.at(0).inertia.zz, 4.0);
}

TEST(MechanismReader, ConstantsAndModesAreParameters) {
  const std::string inner =
      R"xml(<constants><constant name="L" value="2 m"/></constants><node name="n" position="L, 0, 2*L"/>)xml" +
      body_of("n");
  EXPECT_EQ(defined(inner).model.nodes.at(0).position.z, 4.0);
  EXPECT_EQ(defined(inner, {{"L", {"3 m"}}}).model.nodes.at(0).position.z, 6.0);
}

TEST(MechanismReader, RefusesWhatNoMechanismHas) {
  const auto refused = [](const std::string& inner) {
    Diagnostics problems;
    parse_source("<mechanism name=\"m\" version=\"1\"><node name=\"n\" position=\"1 0 0 m\"/>" +
                     body_of("n") + inner + "</mechanism>",
                 "m.xml", problems);
    std::string all;
    for (const Diagnostic& d : problems.list()) all += d.code + " " + d.message + "\n";
    return all;
  };
  const auto rod = [&](const std::string& of, const std::string& law) {
    return refused("<rod name=\"r\" " + of + "><end node=\"ground\"/><end node=\"n\"/>" + law +
                   "</rod>");
  };
  const std::string law = "<law stiffness=\"1 N/m\"/>";
  EXPECT_EQ(rod("", law), "");
  EXPECT_EQ(rod("length=\"-0.5 m\"", law), "V1700 the length of rod \"r\" must not be negative\n");
  EXPECT_EQ(rod("", "<law stiffness=\"-1 N/m\"/>"), "V1700 stiffness must not be negative\n");
  EXPECT_EQ(rod("",
                "<law kind=\"viscoelastic\" stiffness=\"1 N/m\" branch_stiffness=\"-1 N/m\" "
                "relaxation_time=\"1 s\"/>"),
            "V1700 branch_stiffness must not be negative\n");
  EXPECT_EQ(rod("", "<law kind=\"table\">0 0  0,5 1  1 2</law>"),
            "V1308 the table must be numbers, not \"0,5\"\n");
  EXPECT_EQ(rod("", "<law kind=\"table\">0, 0; 0.5, 1; 1, 2</law>"), "");
}

TEST(MechanismReader, AnEndInAFrameIsWhereTheFrameIs) {
  const Definition d = defined(R"xml(<frame name="f" position="1 2 3 m" turned="x 90 deg"/>
    <node name="n" position="1 0 0 m" turned="z 90 deg"/>)xml" +
                               body_of("n") + R"xml(
    <joint name="j" kind="clamp"><end node="ground" frame="f"/><end node="n" frame="f"/></joint>)xml");
  Mechanism m(d);
  EXPECT_LT(m.solver().constraint_violation(), 1e-12);
  EXPECT_NEAR(m.solver().node(0).x.x, 1.0, 1e-12);
}

// a cantilever of steel under a load at its tip: F L³ / (3 E I), shear adds F L / (5/6 G A)
TEST(MechanismReader, ABeamLineBendsAsAContinuousBeam) {
  const std::string inner = R"xml(<settings start="equilibrium"/>
    <section name="s" kind="rectangle" width="10 mm" height="20 mm" young="200 GPa" poisson="0.3" density="7800 kg/m^3"/>
    <node name="root"/><node name="tip" position="0 1 0 m"/>
    <beam_line name="beam" section="s" elements="4"><end node="root"/><end node="tip"/></beam_line>
    <joint name="wall" kind="clamp"><end node="ground"/><end node="root"/></joint>
    <force name="load" direction="0 0 1" size="10 N"><end node="tip"/></force>
    <output of="beam" measures="moment_1"/><output of="beam.n3"/>)xml";
  const Definition d = defined(inner);
  ASSERT_EQ(d.model.nodes.size(), 9u);
  double mass = 0.0;
  for (const constrained::Body& b : d.model.bodies) mass += b.mass;
  EXPECT_NEAR(mass, 7800.0 * 0.01 * 0.02, 1e-12);
  Mechanism m(d);
  const double EI = 200e9 * 0.01 * std::pow(0.02, 3) / 12.0, GA = 5.0 / 6.0 * 200e9 / 2.6 * 2e-4;
  const double expected = 10.0 / (3.0 * EI) + 10.0 / GA;
  EXPECT_NEAR(m.solver().node(1).x.z, expected, 2e-4 * expected);
  EXPECT_EQ(m.description().outputs.front().name, "beam.b1.moment_1");
}

TEST(MechanismReader, ACurvedLineIsFreeOfStress) {
  const Definition d = defined(R"xml(
    <section name="s" kind="tube" outer="20 mm" inner="16 mm" young="70 GPa" poisson="0.3" density="2700 kg/m^3"/>
    <node name="a"/><node name="b" position="1 1 0 m" turned="x 30 deg"/>
    <beam_line name="arc" section="s" elements="3" via="0.2928932188134524 0.7071067811865476 0 m"><end node="a"/><end node="b"/></beam_line>)xml");
  Mechanism m(d);
  EXPECT_NEAR(m.solver().potential_energy(), 0.0, 1e-12);
  // a quarter of a circle of 1 m
  double mass = 0.0;
  for (const constrained::Body& b : d.model.bodies) mass += b.mass;
  const double line = 2700.0 * std::numbers::pi / 4.0 * (4e-4 - 2.56e-4);
  EXPECT_NEAR(mass, line * std::numbers::pi / 2.0, 1e-3 * mass);
}

TEST(MechanismReader, OnlyWhatIsListedIsShown) {
  const Definition d =
      defined("<node name=\"n\"/>" + body_of("n") +
              R"xml(<output of="n" measures="rate"/><output of="n" measures="rate position"/>)xml");
  ASSERT_EQ(d.outputs.size(), 2u);
  EXPECT_EQ(d.outputs[0].port.name, "n.rate");
  EXPECT_EQ(d.outputs[1].port.name, "n.position");
}

// converged values of the published robot (Morandini, Masarati, Mantegazza), one beam per link
TEST(MechanismReader, TheRobotMovesAsPublished) {
  Diagnostics problems;
  const auto source = read_source(good_folder / "robot.xml", problems);
  ASSERT_TRUE(source);
  const Parameters p("it", source->parameters(), {}, 1, {}, problems);
  Mechanism m(source->made(p));
  int tip = 0;
  for (std::size_t i = 0; i < m.definition().model.nodes.size(); ++i)
    if (m.definition().model.nodes[i].name == "tip") tip = static_cast<int>(i);
  for (int k = 1; k <= 2500; ++k) {
    ASSERT_EQ(m.solver().step(1e-3).end, constrained::StepReport::End::converged);
    if (k == 1000) {
      EXPECT_NEAR(m.solver().node(tip).x.x, 1.996145, 3e-6);
      EXPECT_NEAR(m.solver().node(tip).x.y, 0.124011, 3e-6);
    }
  }
  EXPECT_NEAR(m.solver().node(tip).x.x, 0.996507, 3e-6);
  EXPECT_NEAR(m.solver().node(tip).x.y, 1.633547, 3e-6);
}

}  // namespace
}  // namespace vernier::multibody_loops
