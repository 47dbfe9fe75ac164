// Scenes against what the models themselves say of places, in runs of missions.
#include "vernier/component/scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <set>
#include <vector>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/scene/scene_of.hpp"
#include "vernier/run/session/prepare.hpp"
#include "vernier/standard/catalogue.hpp"
#include "vernier/standard/simulation.hpp"
#include "vernier/testing/scene_poses.hpp"

namespace vernier {
namespace {

namespace fs = std::filesystem;
using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using scene::Composed;

const fs::path root = VERNIER_SOURCE_DIR;

Composed scene_of(const fs::path& document, const session::Changes& changes = {}) {
  const Catalogue catalogue = standard_catalogue();
  Diagnostics problems;
  const session::Prepared p = session::prepare(document, changes, catalogue, problems, false);
  return scene::scene_of(p.composition, p.plan, catalogue);
}

/// Values from a simulation; only of what is recorded.
testing::SceneValues values_of(const Simulation& s) {
  return [&s](const scene::Binding& b) {
    if (b.signal.empty()) return b.start;
    EXPECT_TRUE(b.recorded) << b.signal;
    const std::vector<double> all = s.read(b.signal);
    std::vector<double> found;
    for (std::uint32_t i = 0; i < b.count; ++i) found.push_back(b.gain * all.at(b.element + i));
    return found;
  };
}

/// R_SB of a quaternion from the axes of S to those of B.
Matrix3d turn(const std::vector<double>& q) {
  return Quaterniond(q[3], q[0], q[1], q[2]).toRotationMatrix();
}
Vector3d vector(const std::vector<double>& v, std::size_t first = 0) {
  return {v.at(first), v.at(first + 1), v.at(first + 2)};
}

const scene::Body& body(const Composed& c, const std::string& name) {
  for (const scene::Body& b : c.scene.bodies)
    if (b.name == name) return b;
  throw std::out_of_range(name);
}

/// A sensor of a tree at a place of a body: both say where it is in the frame of the bus.
void expect_sensor(const Simulation& s, const std::string& sensor, const Isometry3d& in_bus,
                   double tolerance) {
  EXPECT_LT((vector(s.read(sensor + ".position")) - in_bus.translation()).norm(), tolerance)
      << sensor << " at " << s.time();
  EXPECT_LT((turn(s.read(sensor + ".attitude")) - in_bus.linear()).norm(), tolerance)
      << sensor << " at " << s.time();
}

constexpr double rounding = 1e-9;

TEST(SceneOfATree, HasTheBodiesOfCassiniWhereItsSensorsAre) {
  const fs::path document = root / "missions/cassini/coast.xml";
  const Composed c = scene_of(document);
  EXPECT_TRUE(c.missing.empty());
  Simulation s(document);
  for (const double t : {0.0, 12.0, 25.0}) {
    s.run_until(t);
    const auto values = values_of(s);
    const auto poses = testing::scene_poses(c.scene, values);
    const Isometry3d bus = poses.at("sc.plant.bus").inverse();
    // the node `optics` in the document
    Isometry3d optics = bus * poses.at("sc.plant.hpsp");
    optics.translate(Vector3d(-0.7, 0, 0.1));
    expect_sensor(s, "sc.plant.gyro", optics, rounding);
    // points 161 and 162 of the modal file, where these sensors are: the last two
    const scene::Body& flexible = body(c, "sc.plant.bus");
    const std::vector<double> eta = values(*flexible.modes);
    for (const auto& [sensor, place] :
         {std::pair{"sc.plant.magnetometer", scene::Vector{10.9, 0, 2.0}},
          std::pair{"sc.plant.imu", scene::Vector{0, 0, 1.8}}}) {
      const auto found = std::find_if(flexible.points.begin(), flexible.points.end(),
                                      [&at = place](const scene::Point& p) { return p.at == at; });
      ASSERT_NE(found, flexible.points.end()) << sensor;
      EXPECT_LT(
          (testing::scene_point(*found, eta) - vector(s.read(sensor + std::string(".position"))))
              .norm(),
          rounding);
    }
    // thrusters are on flexible nodes; the probe is locked to one
    expect_sensor(s, "sc.plant.probe_seat",
                  bus * poses.at("sc.plant.huygens") *
                      Isometry3d(turn({-std::sqrt(0.5), 0, 0, std::sqrt(0.5)})),
                  rounding);
    EXPECT_LT(
        (poses.at("sc.plant.bus").translation() - vector(s.read("sc.plant.bus.position"))).norm(),
        rounding);
  }
  EXPECT_GT(vector(s.read("sc.plant.gyro.position")).norm(), 4.0) << "something was compared";
}

/// One body for each kind of hinge, all turned and displaced, each with a sensor.
TEST(SceneOfATree, MovesEveryKindOfHingeAsTheModelDoes) {
  const TemporaryFolder folder;
  const fs::path document = folder.path() / "hinges.xml";
  const char* const hinges[] = {
      R"(<hinge kind="fixed" to="bus.seat" at="root"/>)",
      R"(<hinge kind="pin" to="bus.seat" at="root" axis="1 2 3"><dof name="turn" initial="40 deg" rate="0.3 rad/s"/></hinge>)",
      R"(<hinge kind="prismatic" to="bus.seat" at="root" axis="0 1 1"><dof name="slide" initial="0.4 m" rate="0.1 m/s"/></hinge>)",
      R"(<hinge kind="cylindrical" to="bus.seat" at="root" axis="1 0 1"><dof name="turn" initial="30 deg" rate="0.2 rad/s"/><dof name="slide" initial="0.2 m"/></hinge>)",
      R"(<hinge kind="universal" to="bus.seat" at="root" axis="0 0 1" axis2="1 0 0"><dof name="x" initial="20 deg"/><dof name="y" initial="-50 deg" rate="0.2 rad/s"/></hinge>)",
      R"(<hinge kind="gimbal" to="bus.seat" at="root"><dof name="x" initial="20 deg"/><dof name="y" initial="30 deg"/><dof name="z" initial="-70 deg" rate="0.1 rad/s"/></hinge>)",
      R"(<hinge kind="planar" to="bus.seat" at="root"><dof name="x" initial="0.3 m"/><dof name="y" initial="-0.2 m"/><dof name="turn" initial="50 deg" rate="0.2 rad/s"/></hinge>)",
      R"(<hinge kind="screw" to="bus.seat" at="root" pitch="30 mm/rad"><dof name="turn" initial="200 deg" rate="0.4 rad/s"/></hinge>)",
      R"(<hinge kind="ball" to="bus.seat" at="root" turned="x 20 deg, z 70 deg" rate="0.1 -0.2 0.1 rad/s"/>)",
      R"(<hinge kind="free" to="bus.seat" at="root" turned="y 20 deg, z 30 deg" position="1 2 3 m" velocity="0.1 0 0.2 m/s"/>)"};
  {
    std::ofstream out(document);
    out << "<multibody name=\"hinges\" version=\"1\"><body name=\"bus\" mass=\"500 kg\" centre=\"0 "
           "0 0\">"
           "<hinge kind=\"free\" turned=\"x 25 deg, y 10 deg\" position=\"3 4 5 m\" rate=\"0.1 "
           "0.05 -0.1 rad/s\"/>"
           "<inertia about=\"centre\" unit=\"kg*m^2\" xx=\"200\" yy=\"210\" zz=\"190\"/>"
           "<node name=\"seat\" position=\"0.5 0.2 0.1 m\" turned=\"z 30 deg, x 40 deg\"/></body>";
    int k = 0;
    for (const char* h : hinges) {
      out << "<body name=\"b" << k << "\" mass=\"5 kg\" centre=\"0.1 0 0.2 m\">" << h
          << "<inertia about=\"centre\" unit=\"kg*m^2\" xx=\"1\" yy=\"1.2\" zz=\"0.9\"/>"
             "<node name=\"root\" position=\"-0.3 0.1 0 m\" turned=\"y 15 deg, z -20 "
             "deg\"/></body>";
      ++k;
    }
    for (int i = 0; i < k; ++i) out << "<sensor name=\"s" << i << "\" at=\"b" << i << ".frame\"/>";
    out << "</multibody>";
  }
  const Composed c = scene_of(document);
  Simulation s(document, {.until = 2.0});
  const std::string prefix =
      c.scene.bodies.front().name.substr(0, c.scene.bodies.front().name.find('.') + 1);
  for (const double t : {0.0, 0.7, 2.0}) {
    s.run_until(t);
    const auto poses = testing::scene_poses(c.scene, values_of(s));
    for (std::size_t i = 0; i < std::size(hinges); ++i) {
      const std::string n = std::to_string(i);
      SCOPED_TRACE(hinges[i]);
      expect_sensor(s, prefix + "s" + n,
                    poses.at(prefix + "bus").inverse() * poses.at(prefix + "b" + n), rounding);
    }
  }
}

TEST(SceneOfABody, TurnsVectorsAsTheBodyDoes) {
  const fs::path document = root / "missions/aausat2/aausat2.xml";
  const Composed c = scene_of(document);
  EXPECT_TRUE(c.missing.empty());
  EXPECT_EQ(body(c, "wheels.wheel2").parent, "body");
  Simulation s(document);
  for (const double t : {0.0, 100.0, 240.0}) {
    s.run_until(t);
    const auto poses = testing::scene_poses(c.scene, values_of(s));
    const Isometry3d& craft = poses.at("body");
    EXPECT_EQ(craft.translation(), vector(s.read("orbit.position")));
    // the momentum in inertial axes is that in body axes, turned: h_N = R_NB (J omega + h)
    const Vector3d J(1377e-6, 1623e-6, 1569e-6);
    const Vector3d own =
        J.cwiseProduct(vector(s.read("body.omega"))) + vector(s.read("wheels.momentum"));
    EXPECT_LT((craft.linear() * own - vector(s.read("body.momentum"))).norm(), 1e-12 * own.norm());
  }
  const scene::Body& b = body(c, "body");
  ASSERT_TRUE(b.orbit);
  EXPECT_EQ(b.orbit->about, "Earth");
  // the start that the scene says is that of the run
  Simulation fresh(document);
  const Vector3d start(b.orbit->position.start.data());
  EXPECT_LT((start - vector(fresh.read("orbit.position"))).norm(), 1e-6);
}

TEST(SceneOfAMechanism, CarriesTheMassWhereTheAngleSays) {
  const fs::path document = root / "missions/pendulum/pendulum.xml";
  const Composed c = scene_of(document);
  EXPECT_TRUE(c.missing.empty());
  ASSERT_TRUE(c.scene.up);
  EXPECT_EQ(*c.scene.up, (scene::Vector{0, 1, 0}));
  const scene::Body& rod = body(c, "pendulum.rod");
  const auto bob = std::find_if(rod.shapes.begin(), rod.shapes.end(),
                                [](const scene::Shape& s) { return s.shape == "box"; });
  ASSERT_NE(bob, rod.shapes.end());
  Simulation s(document);
  for (const double t : {0.0, 0.3, 1.0}) {
    s.run_until(t);
    const auto poses = testing::scene_poses(c.scene, values_of(s));
    const double angle = s.read("pendulum.hinge.angle")[0];
    const Vector3d place = poses.at("pendulum.rod") * Vector3d(bob->at.data());
    EXPECT_LT((place - Vector3d(std::sin(angle), -std::cos(angle), 0)).norm(), rounding) << t;
  }
}

TEST(SceneOfAMechanism, JoinsItsBeamsAtTheirHinges) {
  const fs::path document = root / "missions/boom/deploy.xml";
  const Composed c = scene_of(document);
  EXPECT_TRUE(c.missing.empty());
  ASSERT_EQ(c.scene.curves.size(), 4u);
  Simulation s(document);
  for (const double t : {0.0, 0.5}) {
    s.run_until(t);
    const auto poses = testing::scene_poses(c.scene, values_of(s));
    const auto at = [&](const scene::Curve::Through& p) -> Vector3d {
      return poses.at(p.body) * Vector3d(p.at.data());
    };
    for (std::size_t k = 0; k + 1 < 4; ++k) {
      const scene::Curve &a = c.scene.curves[k], &b = c.scene.curves[k + 1];
      // constraints hold to 1e-6, as the mission checks
      EXPECT_LT((at(a.through.back()) - at(b.through.front())).norm(), 2e-6) << k << " at " << t;
      EXPECT_NEAR((at(a.through.back()) - at(a.through.front())).norm(), 1.0, 0.05);
    }
    EXPECT_LT((at(c.scene.curves[3].through.back()) - vector(s.read("boom.tip.position"))).norm(),
              rounding);
  }
}

TEST(Scene, BindsInputsToWhatFeedsThem) {
  const Composed c = scene_of(root / "missions/epos/simulator.xml");
  const scene::Body& servicer = body(c, "facility.servicer");
  ASSERT_EQ(servicer.pose.size(), 2u);
  EXPECT_EQ(servicer.pose[0].by.signal, "formation.orbit.position");
  EXPECT_EQ(servicer.pose[1].by.signal, "formation.servicer.attitude");
  // fed by an input of the composition, which nothing changes
  const scene::Body& target = body(c, "facility.target");
  EXPECT_TRUE(target.pose[0].by.signal.empty());
  EXPECT_EQ(target.pose[0].by.start, (std::vector<double>{0, 0, 0}));
}

TEST(Scene, AddsWhatSeveralConnectionsGive) {
  const Composed c = scene_of(root / "missions/cassini/cassini.xml");
  const scene::Body& jet = body(c, "plant.r1_up");
  const auto plume = std::find_if(jet.shapes.begin(), jet.shapes.end(),
                                  [](const scene::Shape& s) { return s.shape == "plume"; });
  ASSERT_NE(plume, jet.shapes.end());
  ASSERT_EQ(plume->by.sum.size(), 2u);
  EXPECT_EQ(plume->by.sum[0].signal, "jets_x.plus");
  EXPECT_EQ(plume->by.sum[1].signal, "jets_y.minus");
}

TEST(Scene, SaysWhatIsNotRecordedAndWhatToAdd) {
  const Composed c = scene_of(root / "missions/pendulum/pendulum.xml", {.record = {"law.*"}});
  EXPECT_EQ(body(c, "pendulum.rod").missing,
            (std::vector<std::string>{"pendulum.rod.position", "pendulum.rod.attitude"}));
  ASSERT_EQ(c.missing.size(), 1u);
  EXPECT_EQ(c.missing[0].add, "<record signals=\"pendulum.rod.attitude pendulum.rod.position\"/>");
}

TEST(Scene, AsksForOutputsThatAMechanismDoesNotHave) {
  const TemporaryFolder folder;
  const fs::path document = folder.path() / "rod.xml";
  std::ofstream(document) << R"(<mechanism name="m" version="1"><node name="rod"/>
<body name="bob" node="rod" mass="1 kg" centre="0 0 -1 m">
<inertia about="centre" unit="kg*m^2" xx="0.1" yy="0.1" zz="0.1"/></body>
<joint name="hinge" kind="spherical"><end node="ground"/><end node="rod"/></joint>
<output of="mechanism"/></mechanism>)";
  const Composed c = scene_of(document);
  ASSERT_EQ(c.missing.size(), 1u);
  EXPECT_EQ(c.missing[0].add,
            "<output of=\"rod\" measures=\"position attitude\"/> in the mechanism");
}

TEST(Scene, PutsFramesOfAFederationIntoTheirTree) {
  const Composed c = scene_of(root / "missions/spacefom/earth.xml");
  EXPECT_EQ(body(c, "EarthFixed").parent, "EarthMJ2000Eq");
  EXPECT_EQ(body(c, "EarthMJ2000Eq").parent, "EarthMoonBarycentricInertial");
  EXPECT_EQ(body(c, "EarthMJ2000Eq").pose[0].by.signal, "motion.earth");
  EXPECT_EQ(body(c, "EarthFixed").shapes.back().planet, "earth");
  EXPECT_TRUE(c.missing.empty());
}

TEST(Scene, CanBeMadeOfEveryMissionAndExample) {
  int made = 0;
  for (const char* folder : {"missions", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".xml") continue;
      std::ifstream in(entry.path());
      const std::string content{std::istreambuf_iterator<char>(in), {}};
      if (content.find("<interconnection") == std::string::npos) continue;
      try {
        const Composed c = scene_of(entry.path());
        testing::scene_poses(c.scene, [](const scene::Binding& b) {
          std::vector<double> v = b.start;
          v.resize(b.count, b.count == 4 ? 0.5 : 0.0);
          return v;
        });
        EXPECT_TRUE(scene::to_json(c).starts_with("{\"version\":1,")) << entry.path();
        ++made;
      } catch (const ConfigurationError& e) {
        // documents that need something that is not there: native code that nobody trusted, or a
        // table that another run writes first (V7301)
        EXPECT_TRUE(content.find("plugin") != std::string::npos ||
                    content.find("federat") != std::string::npos ||
                    std::string_view(e.what()).find("V7301") != std::string_view::npos)
            << entry.path() << "\n"
            << e.what();
      }
    }
  }
  EXPECT_GT(made, 30);
}

/// A document without its <mesh> elements.
std::string without_meshes(std::string text) {
  while (true) {
    const std::size_t from = text.find("<mesh ");
    if (from == std::string::npos) return text;
    text.erase(from, text.find("/>", from) + 2 - from);
  }
}

TEST(SceneOfMeshes, HasTheFilesWhereTheDocumentPlacesThem) {
  const fs::path folder = root / "examples/shapes";
  const Composed c = scene_of(folder / "shapes.xml");
  const scene::Shape& bus = body(c, "craft.bus").shapes.at(0);
  EXPECT_EQ(bus.shape, "file");
  EXPECT_EQ(bus.file, (folder / "bus.glb").string());
  EXPECT_EQ(bus.role, "bus");  // that of the box which it replaces
  EXPECT_EQ(bus.scale, (scene::Vector{1, 1, 1}));
  ASSERT_EQ(bus.instead.size(), 1u);
  EXPECT_EQ(bus.instead[0].shape, "box");
  EXPECT_EQ(body(c, "craft.bus").shapes.size(), 1u);

  const scene::Shape& panel = body(c, "craft.panel").shapes.at(0);
  EXPECT_EQ(panel.scale, (scene::Vector{0.001, 0.001, 0.001}));
  EXPECT_EQ(panel.at, (scene::Vector{0.25, 0, 0}));

  // z of the file, turned by 60 degrees about y of the body
  const scene::Shape& dish = body(c, "craft.antenna").shapes.at(0);
  const Quaterniond q(dish.rotation[3], dish.rotation[0], dish.rotation[1], dish.rotation[2]);
  const double angle = std::numbers::pi / 3.0;
  EXPECT_LT((q * Vector3d::UnitZ() - Vector3d(std::sin(angle), 0, std::cos(angle))).norm(),
            rounding);
  EXPECT_EQ(dish.role, "probe");

  const std::string json = scene::to_json(c);
  EXPECT_NE(json.find("\"format\":\"gltf\""), std::string::npos);
  EXPECT_NE(json.find("\"format\":\"stl\",\"scale\":[0.001,0.001,0.001],\"instead\":[{"),
            std::string::npos);
}

TEST(SceneOfMeshes, NothingIsComputedWithThem) {
  const TemporaryFolder other;
  for (const char* file : {"shapes.xml", "craft.xml"}) {
    std::ifstream in(root / "examples/shapes" / file);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    std::ofstream(other / file) << without_meshes(content);
  }
  Simulation with(root / "examples/shapes/shapes.xml"), without(other / "shapes.xml");
  EXPECT_EQ(body(scene_of(other / "shapes.xml"), "craft.bus").shapes.at(0).shape, "box");
  with.run_until(5.0);
  without.run_until(5.0);
  for (const char* signal :
       {"craft.bus.quaternion", "craft.panel.turn", "craft.antenna.turn", "craft.energy"})
    EXPECT_EQ(with.read(signal), without.read(signal)) << signal;
}

TEST(SceneOfMeshes, StandOnTheNodesOfAMechanism) {
  const TemporaryFolder there;
  fs::copy_file(root / "formats/scene/good/triangle.stl", there / "Plate.STL");
  const auto write = [&](const char* mesh) {
    std::ofstream(there / "swing.xml")
        << "<mechanism name=\"swing\" version=\"1\"><node name=\"rod\"/>"
           "<body name=\"plate\" node=\"rod\" mass=\"2 kg\" centre=\"0 -1 0 m\">"
           "<inertia about=\"centre\" unit=\"kg*m^2\" xx=\"1\" yy=\"1\" zz=\"1\"/>"
        << mesh << "</body></mechanism>";
    std::ofstream(there / "run.xml")
        << "<interconnection name=\"r\"><component id=\"m\" file=\"swing.xml\"/>"
           "<run stop=\"1 s\" step=\"1 ms\"/></interconnection>";
    return scene_of(there / "run.xml");
  };
  const Composed c = write(
      "<mesh file=\"Plate.STL\" scale=\"1 -2 1\" position=\"0 -100 0 cm\" rotation=\"90 0 0 "
      "deg\"/>");
  ASSERT_EQ(body(c, "m.rod").shapes.size(), 1u);
  const scene::Shape& plate = body(c, "m.rod").shapes[0];
  EXPECT_EQ(plate.file, (there / "Plate.STL").string());
  EXPECT_EQ(plate.scale, (scene::Vector{1, -2, 1}));
  EXPECT_EQ(plate.at, (scene::Vector{0, -1, 0}));
  EXPECT_NEAR(plate.rotation[0], std::sqrt(0.5), rounding);
  EXPECT_NEAR(plate.rotation[3], std::sqrt(0.5), rounding);
  EXPECT_EQ(plate.instead.at(0).shape, "box");
  // without it: the box, and the rod to it
  EXPECT_EQ(body(write(""), "m.rod").shapes.size(), 2u);
}

TEST(SceneOfAField, HasTheLinesOfADipole) {
  using std::numbers::pi;
  // r = L sin² of the angle from the moment, in the axes of the Earth
  const double colatitude = 10.26 * pi / 180.0, longitude = 288.2 * pi / 180.0;
  const Vector3d pole(std::sin(colatitude) * std::cos(longitude),
                      std::sin(colatitude) * std::sin(longitude), std::cos(colatitude));
  const fs::path document = root / "missions/aausat2/aausat2.xml";
  const Composed c = scene_of(document);
  std::set<double> farthest;
  int lines = 0;
  for (const scene::Shape& s : body(c, "Earth").shapes) {
    if (s.role != "field") continue;
    ++lines;
    std::vector<double> across;
    double L = 0.0;
    for (const scene::Vector& v : s.points) {
      const Vector3d r(v[0], v[1], v[2]);
      across.push_back(r.norm() / r.normalized().cross(pole).squaredNorm());
      L = std::max(L, r.norm());
    }
    EXPECT_GT(across.size(), 20u);
    for (const double l : across) EXPECT_NEAR(l / L, 1.0, 1e-3);
    farthest.insert(std::round(10.0 * L / 6371.2e3));
  }
  EXPECT_EQ(lines, 24);
  EXPECT_EQ(farthest, (std::set<double>{16.0, 26.0, 42.0}));

  const Composed none = scene_of(document, {.set = {"field.strength=0 T"}});
  EXPECT_EQ(body(none, "Earth").shapes.size(), 1u);  // the globe
}

}  // namespace
}  // namespace vernier
