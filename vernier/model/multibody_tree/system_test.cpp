#include "vernier/model/multibody_tree/system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "vernier/model/multibody_tree/type.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier::multibody_tree {
namespace {

using ::testing::ElementsAre;
using testing::SystemRig;

const std::filesystem::path case_b = VERNIER_SOURCE_DIR "/formats/multibody/good/case_b.xml";

std::unique_ptr<hybrid::System> from_file(const std::filesystem::path& path,
                                          const std::map<std::string, std::string>& given = {}) {
  Diagnostics problems;
  const Type type = read_type(path, problems);
  EXPECT_EQ(rendered(problems), "");
  return testing::made_system(type, given);
}

std::unique_ptr<hybrid::System> from_text(const std::string& inside,
                                          const std::map<std::string, std::string>& given = {}) {
  Diagnostics problems;
  const auto source = parse_source(
      "<multibody name=\"test\" version=\"1\">" + inside + "</multibody>", "test.xml", problems);
  EXPECT_EQ(rendered(problems), "");
  return testing::made_system(type_of(source), given);
}

/// A body of 2 kg with a hinge of this kind.
std::string body(const std::string& name, const std::string& hinge, const std::string& rest = "") {
  return "<body name=\"" + name + "\" mass=\"2 kg\" centre=\"0.1 0.2 0.3 m\">" + hinge +
         "<inertia about=\"centre\" unit=\"kg*m^2\" xx=\"1\" yy=\"1.2\" zz=\"0.9\"/>" + rest +
         "</body>";
}

template <class List>
std::vector<std::string> names(const List& list) {
  std::vector<std::string> all;
  for (const auto& s : list) all.push_back(s.name);
  return all;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double relative) {
  ASSERT_EQ(a.size(), b.size());
  double size = 0.0;
  for (const double x : b) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], relative * size) << i;
}

TEST(MultibodySystem, NamesItsSignalsAfterTheDocument) {
  const auto system = from_file(case_b);
  const hybrid::SystemSpec& spec = system->spec();
  EXPECT_THAT(names(spec.states),
              ElementsAre("bus.quaternion", "bus.position", "bus.eta", "arm.turn", "platform.x",
                          "platform.y", "bus.rate", "bus.velocity", "bus.eta_rate", "arm.turn_rate",
                          "platform.x_rate", "platform.y_rate"));
  EXPECT_THAT(
      names(spec.inputs),
      ElementsAre("bus.torque", "bus.force", "arm.turn_torque", "platform.x_torque",
                  "platform.y_torque", "bus.angular_acceleration", "bus.linear_acceleration",
                  "arm.turn_acceleration", "platform.x_acceleration", "platform.y_acceleration",
                  "push.moment", "push.force"));
  EXPECT_THAT(names(spec.automata), ElementsAre("bus.wx", "bus.wy", "bus.wz", "bus.vx", "bus.vy",
                                                "bus.vz", "arm.turn", "platform.x", "platform.y"));
  EXPECT_EQ(spec.unit_vectors.size(), 1u);
  EXPECT_EQ(spec.states[3].initial, std::vector<double>{0.5});
}

// Numbers of the reference's case B, and C with a prescribed dof.
TEST(MultibodySystem, FlowsAndShowsWhatTheFactSheetSays) {
  const auto system = from_file(case_b);
  SystemRig rig(*system);
  rig.in("arm.turn_torque")[0] = 2.0;
  rig.in("platform.x_torque")[0] = -1.0;
  rig.in("platform.y_torque")[0] = 0.5;
  std::ranges::copy(std::vector{0.5, -0.2, 0.1}, rig.in("push.moment").begin());
  std::ranges::copy(std::vector{3.0, -4.0, 5.0}, rig.in("push.force").begin());
  expect_near(rig.rate("bus.rate"), {-1.801940774377e+00, -1.378411216787e-01, -9.438613037935e-02},
              1e-12);
  expect_near(rig.rate("bus.eta_rate"), {-4.752159049985e+00, 6.289179354618e+01}, 1e-12);
  expect_near(rig.rate("arm.turn_rate"), {-1.010892757021e+00}, 1e-12);
  expect_near(rig.out("kinetic_energy"), {69.17227086822}, 1e-12);
  expect_near(rig.out("deformation_energy"), {0.344}, 1e-12);
  expect_near(rig.out("momentum"), {5.347031139642, 79.75078909128, -33.45261045419}, 1e-12);
  expect_near(rig.out("angular_momentum"), {-336.1228441060, -26.54646319603, 191.9608991244},
              1e-12);
  expect_near(rig.out("centre"), {0.9568727437374, 1.835974512899, 3.214576937337}, 1e-12);
  expect_near(rig.out("imu.rate"), {0.2887993780789, -0.2067494169490, 0.4992238981237}, 1e-12);
  expect_near(rig.out("imu.acceleration"), {0.6816167502284, 0.5516990754943, -0.01650967504057},
              1e-12);
  EXPECT_EQ(rig.out("platform.x_effort"), std::vector{-1.0});

  EXPECT_THAT(rig.react({"platform.x.prescribe"}), ElementsAre("prescribe"));
  rig.in("platform.x_acceleration")[0] = 0.25;
  expect_near(rig.rate("bus.rate"), {-1.757717895001e+00, -1.849102206995e-01, -1.248294649504e-01},
              1e-12);
  EXPECT_EQ(rig.rate("platform.x_rate"), std::vector{0.25});
  expect_near(rig.rate("platform.y_rate"), {-1.729490555977e+00}, 1e-12);
  expect_near(rig.out("platform.x_effort"), {6.527798252895}, 1e-12);
}

// Case C2: what a sudden lock does to all speeds.
TEST(MultibodySystem, LocksWithAnImpactAndLetsGoWithoutOne) {
  const auto system = from_file(case_b);
  SystemRig rig(*system);
  const auto p = rig.out("momentum"), l = rig.out("angular_momentum");
  EXPECT_THAT(rig.react({"platform.x.lock"}), ElementsAre("lock"));
  EXPECT_EQ(rig.state("platform.x_rate")[0], 0.0);
  const auto values = [&](std::string_view name) {
    const auto s = rig.state(name);
    return std::vector(s.begin(), s.end());
  };
  expect_near(values("bus.rate"), {0.3202529889319, -0.2215564873876, 0.4860577030075}, 1e-12);
  expect_near(values("bus.velocity"), {0.09405399215106, 0.2083233720656, -0.3070227367799}, 1e-12);
  expect_near(values("arm.turn_rate"), {1.526522754355}, 1e-12);
  expect_near(values("platform.y_rate"), {0.5970329756889}, 1e-12);
  expect_near(values("bus.eta_rate"), {0.4351284792482, -0.7884107537292}, 1e-12);
  expect_near(rig.out("kinetic_energy"), {67.79325243387}, 1e-12);
  expect_near(rig.out("momentum"), p, 1e-13);
  expect_near(rig.out("angular_momentum"), l, 1e-13);
  EXPECT_EQ(rig.rate("platform.x_rate"), std::vector{0.0});

  const std::vector<double> before = rig.x;
  EXPECT_THAT(rig.react({"platform.free"}), ElementsAre("free"));
  EXPECT_EQ(rig.x, before);
  EXPECT_NE(rig.rate("platform.x_rate"), std::vector{0.0});
}

TEST(MultibodySystem, LocksSeveralDofsInOneImpact) {
  const auto system = from_file(case_b);
  SystemRig rig(*system);
  const auto p = rig.out("momentum"), l = rig.out("angular_momentum");
  EXPECT_EQ(rig.react({"platform.lock", "arm.lock"}).size(), 3u);
  for (const char* name : {"platform.x_rate", "platform.y_rate", "arm.turn_rate"})
    EXPECT_EQ(rig.state(name)[0], 0.0);
  expect_near(rig.out("momentum"), p, 1e-13);
  expect_near(rig.out("angular_momentum"), l, 1e-13);
  // a locked dof and one that was locked before do not move when another follows
  EXPECT_THAT(rig.react({"bus.wx.lock"}), ElementsAre("lock"));
  EXPECT_EQ(rig.state("bus.rate")[0], 0.0);
  EXPECT_EQ(rig.state("arm.turn_rate")[0], 0.0);
}

TEST(MultibodySystem, TakesTheStrongestOfSeveralEvents) {
  const auto system = from_file(case_b);
  SystemRig rig(*system);
  EXPECT_THAT(rig.react({"arm.free", "arm.prescribe", "arm.lock"}), ElementsAre("lock"));
  EXPECT_TRUE(rig.react({"arm.lock"}).empty());
  EXPECT_THAT(rig.react({"arm.prescribe", "arm.free"}), ElementsAre("prescribe"));
}

// A free body held by a locked hinge flies on with its parent, and apart when let go.
TEST(MultibodySystem, ReleasesABodyWithBothMomentaKept) {
  const std::string locked = [] {
    std::string dofs;
    for (const char* n : {"wx", "wy", "wz", "vx", "vy", "vz"})
      dofs += std::string("<dof name=\"") + n + "\" motion=\"locked\"/>";
    return dofs;
  }();
  const auto system = from_text(
      body("bus", "<hinge kind=\"free\" rate=\"0.3 -0.2 0.5 rad/s\" velocity=\"1 2 3 m/s\"/>",
           "<node name=\"seat\" position=\"1 0 0.5 m\"/>") +
      body("probe",
           "<hinge kind=\"free\" to=\"bus.seat\" turned=\"y 40 deg\">" + locked + "</hinge>"));
  SystemRig rig(*system);
  const auto p = rig.out("momentum"), l = rig.out("angular_momentum");
  for (int k = 0; k < 1000; ++k) rig.step(1e-3);
  EXPECT_EQ(rig.state("probe.position")[0], 0.0);
  const std::vector<double> before = rig.x;
  EXPECT_EQ(rig.react({"probe.free"}).size(), 6u);
  EXPECT_EQ(rig.x, before);
  // pushed by its hinge for a moment: an inner force
  rig.in("probe.force")[2] = 40.0;
  rig.in("probe.torque")[2] = 3.0;
  for (int k = 0; k < 100; ++k) rig.step(1e-3);
  rig.in("probe.force")[2] = rig.in("probe.torque")[2] = 0.0;
  for (int k = 0; k < 1000; ++k) rig.step(1e-3);
  const auto at = rig.state("probe.position");
  EXPECT_GT(std::hypot(at[0], at[1], at[2]), 0.5);
  // Runge-Kutta at 1 ms
  expect_near(rig.out("momentum"), p, 1e-9);
  expect_near(rig.out("angular_momentum"), l, 1e-9);
}

TEST(MultibodySystem, DependsOnForcesOfTheSameTreeOnly) {
  const auto system = from_text(
      body("left", "<hinge kind=\"pin\"/>", "<node name=\"n\" position=\"1 0 0 m\"/>") +
      body("right", "<hinge kind=\"pin\"/>") + body("tip", "<hinge kind=\"pin\" to=\"left.n\"/>") +
      "<sensor name=\"eye\" at=\"tip.frame\"/>");
  const hybrid::SystemSpec& spec = system->spec();
  std::vector<std::string> pairs;
  for (const hybrid::Dependence& d : spec.feedthrough)
    if (spec.outputs[d.output].name == "eye.acceleration")
      pairs.push_back(spec.inputs[d.input].name);
  EXPECT_THAT(pairs, ElementsAre("left.turn_torque", "tip.turn_torque", "left.turn_acceleration",
                                 "tip.turn_acceleration"));
  for (const hybrid::Dependence& d : spec.feedthrough)
    EXPECT_NE(spec.outputs[d.output].name, "eye.rate");
  SystemRig rig(*system);
  rig.state("left.turn_rate")[0] = 0.3;
  testing::expect_conforming(rig);
}

TEST(MultibodySystem, AsksForTheAccelerationOfWhatIsPrescribed) {
  const auto initial = [](const std::string& dof) {
    const auto system = from_text(body("b", "<hinge kind=\"pin\">" + dof + "</hinge>"));
    return system->spec().inputs.at(1).initial;
  };
  EXPECT_FALSE(initial("<dof name=\"turn\" motion=\"prescribed\"/>"));
  EXPECT_TRUE(initial("<dof name=\"turn\" motion=\"prescribed\" hold=\"yes\"/>"));
  EXPECT_TRUE(initial("<dof name=\"turn\" motion=\"locked\"/>"));
  EXPECT_TRUE(initial("<dof name=\"turn\"/>"));
}

TEST(MultibodySystem, TakesItsInitialConditionsByName) {
  const auto system = from_file(
      case_b, {{"arm.turn", "10 deg"}, {"bus.velocity", "1 2 3 m/s"}, {"platform.x_rate", "0.5"}});
  SystemRig rig(*system);
  EXPECT_NEAR(rig.state("arm.turn")[0], M_PI / 18, 1e-15);
  EXPECT_EQ(rig.state("bus.velocity")[2], 3.0);
  EXPECT_EQ(rig.state("platform.x_rate")[0], 0.5);
}

TEST(MultibodySystem, ShowsHingeReactionsWhenAsked) {
  const auto system = from_file(case_b, {{"reactions", "true"}, {"path", "tree"}});
  SystemRig rig(*system);
  rig.in("arm.turn_torque")[0] = 2.0;
  // along its axis, the hinge exerts the torque that is given
  EXPECT_NEAR(rig.out("arm.reaction_moment")[2], 2.0, 1e-12);
  EXPECT_GT(std::abs(rig.out("platform.reaction_force")[2]), 0.1);
  // a free hinge exerts nothing
  testing::expect_conforming(rig, 1e-6, 1e-12);
}

TEST(MultibodySystem, RefusesAPathThatDoesNotFit) {
  const auto path_of = [](const std::string& path, const std::string& inside) {
    const auto system = from_text(inside, {{"path", path}});
    return static_cast<const MultibodySystem&>(*system).spacecraft().tree().path();
  };
  const std::string hub =
      body("hub", "<hinge kind=\"free\"/>", "<node name=\"n\" position=\"1 0 0 m\"/>");
  const std::string arm = body("arm", "<hinge kind=\"pin\" to=\"hub.n\"/>");
  const std::string loose = body("loose", "<hinge kind=\"free\" to=\"hub.n\"/>");
  EXPECT_EQ(path_of("star", hub + arm), multibody::Path::star);
  EXPECT_EQ(path_of("tree", hub + arm), multibody::Path::tree);
  EXPECT_EQ(path_of("automatic", hub + arm), multibody::Path::star);
  EXPECT_THROW(path_of("star", hub + arm + loose), ConfigurationError);
}

TEST(MultibodySystem, Conforms) {
  Diagnostics problems;
  const auto everything = from_text(
      body("bus", "<hinge kind=\"free\" rate=\"0.3 -0.2 0.5 rad/s\"/>",
           "<node name=\"seat\" position=\"1 0 0.5 m\"/>") +
      body("arm",
           "<hinge kind=\"gimbal\" to=\"bus.seat\"><dof name=\"x\" initial=\"20 deg\" "
           "stiffness=\"3 N*m\" friction=\"0.1 N*m\" friction_speed=\"0.1 rad/s\"/><dof "
           "name=\"y\" motion=\"prescribed\" hold=\"yes\" rate=\"0.2 rad/s\"/></hinge>",
           "<node name=\"jet\" position=\"0.5 0 0 m\"/>") +
      "<wheel name=\"wheel\" at=\"bus.seat\" axis=\"0 1 1\" inertia=\"0.1 kg*m^2\" counted=\"no\" "
      "speed=\"50 rad/s\" friction=\"1e-3 N*m*s\"/>"
      "<tank name=\"tank\" body=\"bus\" mass=\"3 kg\" centre=\"0 0 0.2 m\" fuel=\"2 kg\"><inertia "
      "about=\"centre\" unit=\"kg*m^2\" xx=\"0.1\" yy=\"0.1\" zz=\"0.1\"/></tank>"
      "<actuator name=\"jet\" kind=\"thruster\" at=\"arm.jet\" axis=\"1 0 0\" "
      "specific_impulse=\"200 "
      "s\"><feed tank=\"tank\"/></actuator>"
      "<sensor name=\"eye\" at=\"arm.jet\"/>");
  SystemRig rig(*everything);
  rig.in("jet.thrust")[0] = 0.7;
  rig.in("wheel.torque")[0] = 0.2;
  testing::expect_conforming(rig);
  EXPECT_NEAR(rig.rate("tank.fuel")[0], -0.7 / (200 * 9.80665), 1e-15);
  EXPECT_NEAR(rig.rate("wheel.momentum")[0], 0.2 - 1e-3 * rig.out("wheel.speed")[0], 1e-14);

  for (const char* file : {"case_b.xml", "geometric.xml"}) {
    const auto flexible = from_file(std::filesystem::path(case_b).parent_path() / file);
    SystemRig other(*flexible);
    testing::expect_conforming(other);
  }
}

/// Everything that derivatives are known by.
std::vector<std::string> adjustable(const Type& type) {
  std::vector<std::string> all;
  for (const ParameterSpec& s : type.parameters)
    if (s.adjustable) all.push_back(s.name);
  return all;
}

// away from rest and zero, with commands; flexible bodies, tanks, wheels, stops, central gravity
TEST(MultibodySystem, HasDerivativesByItsParametersAndOfAllOutputs) {
  const auto drive = [](SystemRig& rig) {
    for (std::size_t i = 0; i < rig.u.size(); ++i)
      rig.u[i] += 0.1 + 0.03 * std::sin(1.0 + static_cast<double>(i));
    for (std::size_t i = 0; i < rig.x.size(); ++i)
      rig.x[i] += 0.02 * std::sin(2.0 + 3.0 * static_cast<double>(i));
  };
  const std::filesystem::path source = VERNIER_SOURCE_DIR;
  for (const char* file : {"formats/multibody/good/case_b.xml", "formats/multibody/good/case_d.xml",
                           "formats/multibody/good/everything.xml", "missions/cassini/plant.xml",
                           "formats/multibody/good/geometric.xml"})
    for (const char* path : {"automatic", "tree"}) {
      SCOPED_TRACE(std::string(file) + ", " + path);
      Diagnostics problems;
      const Type type = read_type(source / file, problems);
      ASSERT_EQ(rendered(problems), "");
      // these have lumps, and stiffness in place of frequencies
      const bool none = std::string_view(file).find("case_") != std::string_view::npos;
      EXPECT_EQ(adjustable(type).empty(), none);
      testing::expect_adjustable(type, {{"reactions", "true"}, {"path", path}}, adjustable(type),
                                 drive, 1e-5, 1e-9);
    }
}

// the gravity of a point mass, where mass and inertia count twice; a first moment instead of a
// centre; a wheel whose inertia the body counts
TEST(MultibodySystem, HasDerivativesByMassInCentralGravity) {
  Diagnostics problems;
  const auto source = parse_source(
      "<multibody name=\"test\" version=\"1\"><gravity mu=\"4 m^3/s^2\"/>" +
          body("bus",
               "<hinge kind=\"free\" position=\"2 1 -1 m\" rate=\"0.3 -0.2 0.5 rad/s\" "
               "velocity=\"0.1 0.4 0.2 m/s\"/>",
               "<node name=\"seat\" position=\"1 0 0.5 m\"/>") +
          "<body name=\"arm\" mass=\"1.5 kg\" moment=\"0.2 0.3 -0.1 kg*m\"><hinge kind=\"pin\" "
          "to=\"bus.seat\"><dof name=\"turn\" initial=\"20 deg\" rate=\"0.4 rad/s\"/></hinge>"
          "<inertia about=\"origin\" unit=\"kg*m^2\" products=\"tensor\" xx=\"1\" yy=\"1.2\" "
          "zz=\"0.9\" "
          "xy=\"0.1\" xz=\"0.02\" yz=\"-0.03\"/><node name=\"tip\" position=\"0.5 0 0 m\"/></body>"
          "<wheel name=\"wheel\" at=\"bus.seat\" axis=\"0 1 1\" inertia=\"0.1 kg*m^2\" "
          "counted=\"yes\" speed=\"50 rad/s\" friction=\"1e-3 N*m*s\"/>"
          "<sensor name=\"eye\" at=\"arm.tip\"/></multibody>",
      "test.xml", problems);
  ASSERT_EQ(rendered(problems), "");
  const Type type = type_of(source);
  EXPECT_THAT(adjustable(type), ElementsAre("bus.mass", "bus.centre", "bus.inertia", "arm.mass",
                                            "arm.moment", "arm.inertia", "wheel.friction"));
  for (const char* path : {"automatic", "tree"})
    testing::expect_adjustable(
        type, {{"reactions", "true"}, {"path", path}}, adjustable(type),
        [](SystemRig& rig) { rig.in("arm.turn_torque")[0] = 0.3; }, 1e-6, 1e-9);
}

// a pendulum about z: I a = τ - k q - d w, with I = J + m c²; closed forms
TEST(MultibodySystem, DerivativesOfAPendulumByItsParametersAreTheClosedForms) {
  Diagnostics problems;
  const auto source = parse_source(
      "<multibody name=\"test\" version=\"1\"><body name=\"rod\" mass=\"2 kg\" centre=\"0.5 0 0 "
      "m\"><hinge kind=\"pin\"><dof name=\"turn\" initial=\"0.3 rad\" rate=\"0.7 rad/s\" "
      "stiffness=\"3 N*m/rad\" damping=\"0.2 N*m*s/rad\"/></hinge><inertia about=\"centre\" "
      "unit=\"kg*m^2\" xx=\"1\" yy=\"1.2\" zz=\"0.9\"/></body></multibody>",
      "test.xml", problems);
  ASSERT_EQ(rendered(problems), "");
  const Type type = type_of(source);
  ParameterValues values;
  for (const char* name :
       {"rod.mass", "rod.centre", "rod.inertia", "rod.turn_stiffness", "rod.turn_damping"})
    values[name].adjustable = true;
  const auto system = type.system(Parameters("it", type.parameters, values, 1, {}, problems));
  const hybrid::SystemSpec& spec = system->spec();
  SystemRig rig(*system);
  rig.in("rod.turn_torque")[0] = 1.1;
  const double I = 0.9 + 2.0 * 0.25, a = (1.1 - 3.0 * 0.3 - 0.2 * 0.7) / I;
  EXPECT_NEAR(rig.rate("rod.turn_rate")[0], a, 1e-15);
  const auto by = [&](const std::string& name, std::size_t element, const std::string& output) {
    std::size_t first = 0;
    for (const hybrid::Signal& s : spec.parameters) {
      if (s.name == name) break;
      first += s.count;
    }
    std::vector<double> dp(rig.p.size()), xdot(2), y(hybrid::size(spec.outputs));
    dp[first + element] = 1.0;
    system->tangent(rig.point(), {0.0, {}, {}, dp}, {xdot, y, {}}, rig.workspace());
    if (output.empty()) return xdot[1];
    std::size_t at = 0;
    for (const hybrid::Signal& s : spec.outputs) {
      if (s.name == output) break;
      at += s.count;
    }
    return y[at];
  };
  EXPECT_NEAR(by("rod.mass", 0, ""), -0.25 * a / I, 1e-15);
  EXPECT_NEAR(by("rod.centre", 0, ""), -2.0 * 2.0 * 0.5 * a / I, 1e-15);
  EXPECT_NEAR(by("rod.inertia", 2, ""), -a / I, 1e-15);
  EXPECT_EQ(by("rod.inertia", 0, ""), 0.0);
  EXPECT_NEAR(by("rod.turn_stiffness", 0, ""), -0.3 / I, 1e-15);
  EXPECT_NEAR(by("rod.turn_damping", 0, ""), -0.7 / I, 1e-15);
  EXPECT_NEAR(by("rod.turn_stiffness", 0, "rod.turn_effort"), -0.3, 1e-15);
  EXPECT_NEAR(by("rod.turn_stiffness", 0, "spring_energy"), 0.5 * 0.3 * 0.3, 1e-15);
  EXPECT_NEAR(by("rod.mass", 0, "kinetic_energy"), 0.5 * 0.25 * 0.7 * 0.7, 1e-15);
  EXPECT_NEAR(by("rod.inertia", 2, "energy"), 0.5 * 0.7 * 0.7, 1e-15);
  EXPECT_EQ(by("rod.mass", 0, "mass"), 1.0);
}

// a mode alone: η'' = -ω² η - 2 ζ ω η'; in Hz and in rad/s it is the same
TEST(MultibodySystem, ModesHaveFrequenciesThatCanBeSet) {
  const std::string beam =
      "<body name=\"beam\" eta=\"0.1\" eta_rate=\"0.4\"><hinge kind=\"fixed\" at=\"frame\"/><modes "
      "order=\"0\"><mode "
      "name=\"bend\" frequency=\"2 Hz\" damping=\"0.05\"/></modes><lump mass=\"3 kg\" position=\"1 "
      "0 0 "
      "m\"><shape mode=\"bend\" translation=\"0 0 1\"/></lump></body>";
  const double w = 4.0 * M_PI;
  const auto rate = [&](const std::map<std::string, std::string>& given) {
    const auto system = from_text(beam, given);
    SystemRig rig(*system);
    return rig.rate("beam.eta_rate")[0];
  };
  const double expected = -w * w * 0.1 - 2.0 * 0.05 * w * 0.4;
  EXPECT_NEAR(rate({}), expected, 1e-13);
  EXPECT_NEAR(rate({{"beam.frequency", "2 Hz"}}), expected, 1e-13);
  EXPECT_NEAR(rate({{"beam.frequency", std::to_string(w) + " rad/s"}}), expected, 1e-4);
  EXPECT_NEAR(rate({{"beam.damping", "0"}}), -w * w * 0.1, 1e-13);
}

TEST(MultibodySystem, GivesManyThreadsTheSameBits) {
  const auto system = from_file(case_b);
  SystemRig rig(*system);
  const std::size_t n = rig.x.size(), m = hybrid::size(system->spec().outputs);
  std::vector<double> rate(n), y(m);
  system->flow(rig.point(), rate, rig.workspace());
  system->output(rig.point(), y, rig.workspace());
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::vector<double> x = rig.x, r(n), out(m);
      const auto work = system->workspace();
      for (int k = 0; k < 300; ++k) {
        // every other call is for another state
        x[7] = k % 2 == 0 ? rig.x[7] : 0.01 * (t + k);
        const hybrid::Point p{0.0, x, rig.mode, rig.u};
        system->flow(p, r, *work);
        system->output(p, out, *work);
        if (k % 2 == 0 && (r != rate || out != y)) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// closed form: root mean square deflection sqrt(Mff / m) η over the radius of gyration about the
// frame, sqrt(tr J / 2 m): 0.5² / 2 η² <= limit² 4, with the default limit of one half
TEST(MultibodySystem, StopsWhereAModeLeavesItsRangeOfValidity) {
  const auto system = from_file(std::filesystem::path(case_b).parent_path() / "geometric.xml");
  SystemRig rig(*system);
  Fault fault;
  const double bound = 0.5 * std::sqrt(4.0 / 0.5);
  rig.state("lumped.eta")[0] = -0.999 * bound;
  EXPECT_TRUE(std::isfinite(rig.rate("lumped.eta_rate")[0]));
  EXPECT_FALSE(system->explain(rig.point(), fault, rig.workspace()));
  rig.state("lumped.eta")[0] = -1.001 * bound;
  EXPECT_TRUE(std::isnan(rig.rate("lumped.eta_rate")[0]));
  EXPECT_TRUE(system->explain(rig.point(), fault, rig.workspace()));
  EXPECT_STREQ(fault.code, "V3141");
  EXPECT_STREQ(
      fault.text,
      "mode 1 of lumped has left its range of validity (eta = -1.42, limit 1.41): it bends "
      "too far for modes");
}

TEST(MultibodySystem, ExplainsASingularHinge) {
  const auto system = from_text(body("mirror", "<hinge kind=\"gimbal\"/>"));
  SystemRig rig(*system);
  Fault fault;
  EXPECT_FALSE(system->explain(rig.point(), fault, rig.workspace()));
  rig.state("mirror.y")[0] = M_PI / 2;
  EXPECT_TRUE(system->explain(rig.point(), fault, rig.workspace()));
  EXPECT_STREQ(fault.code, "V3140");
  EXPECT_STREQ(fault.text, "the gimbal hinge of mirror is in its singular position (y = 90 deg)");
}

}  // namespace
}  // namespace vernier::multibody_tree
