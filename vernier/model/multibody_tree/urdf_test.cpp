#include "vernier/model/multibody_tree/urdf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/model/multibody_tree/reader.hpp"
#include "vernier/testing/files.hpp"

// liburdfdom loses what it had read when it refuses a description
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:urdf::parseURDF\n"; }

namespace vernier::multibody_tree {
namespace {

namespace fs = std::filesystem;
using multibody::HingeKind;
using multibody::Matrix3;
using multibody::Vector3;
using ::testing::HasSubstr;

const fs::path folder = fs::path(VERNIER_SOURCE_DIR) / "formats/multibody/urdf";
const fs::path arm = fs::path(VERNIER_SOURCE_DIR) / "examples/multibody/arm.urdf";

Spacecraft read(const std::string& document) {
  Diagnostics problems;
  const auto source = parse_source(document, "model.xml", problems);
  EXPECT_EQ(rendered(problems), "") << document;
  if (!source) return {};
  const Parameters p("x", source->parameters(), {}, 1, {}, problems);
  return source->made(p);
}

std::string imported(bool free_base = false) {
  Diagnostics problems;
  const auto document =
      imported_urdf(testing::content(arm), "arm.urdf", {.free_base = free_base}, problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  return document.value_or("");
}

const multibody::Body& body(const Spacecraft& s, const std::string& name) {
  for (const multibody::Body& b : s.model.tree.bodies) {
    if (b.name == name) return b;
  }
  ADD_FAILURE() << "no body " << name;
  return s.model.tree.bodies.front();
}

TEST(Urdf, SaysWhatWasNotCarriedOver) {
  Diagnostics problems;
  imported_urdf(testing::content(arm), "arm.urdf", {}, problems);
  EXPECT_EQ(rendered(problems), testing::content(folder / "arm.txt"));
}

TEST(Urdf, GivesADocumentThatReadsBack) {
  EXPECT_EQ(imported(), testing::content(folder / "arm.xml"));
  const Spacecraft s = read(imported());
  // world is the ground, tool0 and camera are nodes
  EXPECT_EQ(s.model.tree.bodies.size(), 7u);
  const multibody::Body& upper = body(s, "upper");
  EXPECT_EQ(upper.inertia.mass, 2.5);
  // its own axes of inertia are turned by 90 degrees about z; 2.5 kg at 0.3 m add 0.225
  const Matrix3 J = Vector3(0.08, 0.01 + 0.225, 0.085 + 0.225).asDiagonal();
  EXPECT_TRUE(upper.inertia.inertia.isApprox(J, 1e-14));
  EXPECT_EQ(upper.hinge.kind, HingeKind::pin);
  // roll, pitch, yaw about fixed axes: Rz Ry Rx
  const Matrix3 R =
      (Eigen::AngleAxisd(0.3, Vector3::UnitZ()) * Eigen::AngleAxisd(0.2, Vector3::UnitY()) *
       Eigen::AngleAxisd(0.1, Vector3::UnitX()))
          .toRotationMatrix();
  EXPECT_TRUE(upper.hinge.outboard.pose.R.col(2).isApprox(R.col(1), 1e-14));
  EXPECT_TRUE(
      (upper.hinge.outboard.pose.R * upper.hinge.inboard.pose.R.transpose()).isApprox(R, 1e-14));
  EXPECT_EQ(upper.hinge.outboard.pose.p, Vector3(0, 0, 0.2));
  ASSERT_GE(s.model.laws.size(), 2u);
  EXPECT_EQ(s.model.laws[0].damping, 0.4);
  EXPECT_EQ(s.model.laws[0].friction, 0.1);
  EXPECT_EQ(s.model.laws[0].upper, 1.5);
  EXPECT_EQ(s.model.laws[0].stop_stiffness, 1e4);
  EXPECT_EQ(body(s, "sheet").hinge.kind, HingeKind::planar);
  EXPECT_EQ(body(s, "stone").hinge.kind, HingeKind::free);
  EXPECT_EQ(body(s, "stone").hinge.parent, multibody::ground);
  EXPECT_EQ(body(s, "base_plate").hinge.kind, HingeKind::fixed);
}

TEST(Urdf, PlacesThroughLinksWithoutMass) {
  const Spacecraft s = read(imported());
  // camera on tool0 on fore: 0.4 m up, then 0.05 m along the x of tool0, which is y of fore
  const multibody::Body& fore = body(s, "fore");
  const auto camera = std::find_if(fore.nodes.begin(), fore.nodes.end(),
                                   [](const multibody::Node& n) { return n.name == "camera"; });
  ASSERT_NE(camera, fore.nodes.end());
  EXPECT_TRUE(camera->pose.p.isApprox(Vector3(0, 0.05, 0.4), 1e-14));
  // the slider hangs at fore, at (0, 0.1, 0) of tool0 and along its x
  const multibody::Body& slider = body(s, "slider");
  EXPECT_EQ(s.model.tree.bodies[static_cast<std::size_t>(slider.hinge.parent)].name, "fore");
  EXPECT_TRUE(slider.hinge.outboard.pose.p.isApprox(Vector3(-0.1, 0, 0.4), 1e-14));
  EXPECT_TRUE(slider.hinge.outboard.pose.R.col(2).isApprox(Vector3::UnitY(), 1e-14));
}

TEST(Urdf, CanFlyFreely) {
  Diagnostics problems;
  const std::string one =
      "<robot name=\"r\"><link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
      "ixy=\"0\" ixz=\"0\" "
      "iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link></robot>";
  const auto document = imported_urdf(one, "r.urdf", {.free_base = true}, problems);
  ASSERT_TRUE(document);
  EXPECT_EQ(rendered(problems), "");
  EXPECT_EQ(read(*document).model.tree.bodies[0].hinge.kind, HingeKind::free);
}

std::string link(const std::string& name, double mass, const std::string& looks) {
  return "<link name=\"" + name + "\"><inertial><mass value=\"" + std::to_string(mass) +
         "\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>" +
         looks + "</link>";
}

std::string mesh(const std::string& file, const std::string& more = "",
                 const std::string& origin = "") {
  return "<visual>" + origin + "<geometry><mesh filename=\"" + file + "\"" + more +
         "/></geometry></visual>";
}

TEST(Urdf, KeepsTheMeshesThatAreThere) {
  const TemporaryFolder work;
  fs::create_directories(work / "robot/urdf");
  fs::create_directories(work / "robot/meshes");
  const fs::path good = fs::path(VERNIER_SOURCE_DIR) / "formats/scene/good";
  fs::copy_file(good / "triangle.stl", work / "robot/meshes/base.stl");
  fs::copy_file(good / "antenna.obj", work / "robot/urdf/dish.obj");
  std::ofstream(work / "robot/meshes/arm.dae") << "<COLLADA/>";
  std::ofstream(work / "robot/urdf/robot.urdf")
      << "<robot name=\"r\">"
      << link("base", 1.0,
              mesh("package://robot/meshes/base.stl", " scale=\"0.001 0.001 0.001\"",
                   "<origin xyz=\"0 0 0.5\" rpy=\"0 0 1.5707963267948966\"/>") +
                  "<visual><geometry><sphere radius=\"1\"/></geometry></visual>")
      << "<link name=\"tool\">" + mesh("dish.obj", " scale=\"1 -1 1\"") + "</link>"
      << link("arm", 1.0, mesh("package://robot/meshes/arm.dae"))
      << link("fore", 1.0, mesh("../meshes/gone.stl"))
      << "<joint name=\"j\" type=\"fixed\"><parent link=\"base\"/><child link=\"tool\"/>"
         "<origin xyz=\"1 0 0\"/></joint>"
         "<joint name=\"k\" type=\"fixed\"><parent link=\"base\"/><child link=\"arm\"/></joint>"
         "<joint name=\"l\" type=\"fixed\"><parent link=\"base\"/><child link=\"fore\"/></joint>"
         "</robot>";
  Diagnostics problems;
  const auto document = import_urdf(work / "robot/urdf/robot.urdf",
                                    {.free_base = true, .beside = work.path()}, problems);
  ASSERT_TRUE(document);
  const std::string said = rendered(problems);
  EXPECT_THAT(said, HasSubstr("were not found: ../meshes/gone.stl"));
  EXPECT_THAT(said, HasSubstr("cannot be drawn: package://robot/meshes/arm.dae"));
  EXPECT_THAT(said, HasSubstr("other than meshes were left out, of links: base"));

  std::ofstream(work / "model.xml") << *document;
  Diagnostics found;
  const auto source = read_source(work / "model.xml", found);
  ASSERT_TRUE(source) << rendered(found);
  EXPECT_EQ(source->files().size(), 2u);
  const Spacecraft s = source->made(Parameters("x", source->parameters(), {}, 1, {}, found));
  EXPECT_EQ(rendered(found), "");
  ASSERT_EQ(s.meshes.size(), 3u);
  ASSERT_EQ(s.meshes[0].size(), 2u) << *document;
  const scene::Shape& base = s.meshes[0][0];
  EXPECT_EQ(base.file, (work / "robot/meshes/base.stl").string());
  EXPECT_EQ(base.scale, (scene::Vector{0.001, 0.001, 0.001}));
  EXPECT_EQ(base.at, (scene::Vector{0, 0, 0.5}));
  EXPECT_NEAR(base.rotation[2], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(base.rotation[3], std::sqrt(0.5), 1e-15);
  // the tool has no mass: its mesh is one of the base
  const scene::Shape& dish = s.meshes[0][1];
  EXPECT_EQ(dish.file, (work / "robot/urdf/dish.obj").string());
  EXPECT_EQ(dish.scale, (scene::Vector{1, -1, 1}));
  EXPECT_EQ(dish.at, (scene::Vector{1, 0, 0}));
  EXPECT_TRUE(s.meshes[1].empty() && s.meshes[2].empty());
}

TEST(Urdf, RefusesWhatItCannotRead) {
  const std::string link =
      "<link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
      "iyy=\"1\" "
      "iyz=\"0\" izz=\"1\"/></inertial></link>";
  std::string deep = "<robot name=\"r\">";
  for (int i = 0; i < 100; ++i) deep += "<a>";
  const std::string bad[] = {
      "",
      "<multibody/>",
      "<robot name=\"r\"/>",
      "<robot name=\"r\"><link name=\"a\"/></robot>",  // nothing has mass
      "<robot name=\"r\">" + link + link + "</robot>",
      "<robot name=\"r\">" + link +
          "<joint name=\"j\" type=\"fixed\"><parent link=\"b\"/><child "
          "link=\"c\"/></joint></robot>",
      "<robot name=\"r\">" + link +
          "<link name=\"c\"/><link name=\"d\"/><joint name=\"j\" type=\"fixed\"><parent "
          "link=\"c\"/><child link=\"d\"/></joint>"
          "<joint name=\"k\" type=\"fixed\"><parent link=\"d\"/><child "
          "link=\"c\"/></joint></robot>",
      "<!DOCTYPE robot [<!ENTITY a \"b\">]><robot name=\"r\">" + link + "</robot>",
      deep,
      std::string("<robot name=\"r\">\0</robot>", 26),
  };
  for (const std::string& text : bad) {
    Diagnostics problems;
    EXPECT_FALSE(imported_urdf(text, "bad.urdf", {}, problems)) << text;
    ASSERT_EQ(problems.errors(), 1u) << text;
    EXPECT_EQ(problems.list().back().code, "V1670");
    EXPECT_FALSE(problems.list().back().notes.empty()) << text;
  }
  Diagnostics problems;
  EXPECT_FALSE(import_urdf("/nowhere.urdf", {}, problems));
  EXPECT_EQ(problems.errors(), 1u);
}

}  // namespace
}  // namespace vernier::multibody_tree
