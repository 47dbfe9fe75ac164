#include "vernier/kernel/frames/names.hpp"

#include <gtest/gtest.h>

#include "vernier/kernel/frames/standard.hpp"

namespace vernier::frames {
namespace {

void reads(std::string_view name, const FrameName& parts) {
  const auto n = parsed_frame_name(name);
  ASSERT_TRUE(n) << name << ": " << n.error().message;
  EXPECT_EQ(*n, parts) << name << ": " << n->origin << "|" << n->point << "|" << n->about << "|"
                       << n->motion << "|" << n->axes;
}

TEST(FrameNames, DivideIntoOriginAndOrientation) {
  reads("SolarSystemBarycentricInertial", {"SolarSystem", "Barycentric", "", "Inertial", ""});
  reads("EarthMJ2000Eq", {"Earth", "", "", "", "MJ2000Eq"});
  reads("EarthICRF", {"Earth", "", "", "", "ICRF"});
  reads("MoonCentricFixed", {"Moon", "Centric", "", "Fixed", ""});
  reads("EarthCenteredInertialMODEc", {"Earth", "Centered", "", "Inertial", "MODEc"});
  reads("EarthMoonBarycentricRotating", {"EarthMoon", "Barycentric", "", "Rotating", ""});
  reads("EarthMoonL2Rotating", {"EarthMoon", "L2", "", "Rotating", ""});
  reads("MoonCentricEarthFixed", {"Moon", "Centric", "Earth", "Fixed", ""});
  reads("Station_1Topodetic", {"Station_1", "", "", "", "Topodetic"});
  reads("Lander$InertialPad7", {"Lander$", "", "", "Inertial", "Pad7"});
  reads("MarsCentricMyAxes", {"Mars", "Centric", "", "", "MyAxes"});
  reads("MarsBodyFixed", {"Mars", "", "", "", "BodyFixed"});
  reads("ITRF", {"Earth", "", "", "", "ITRF"});  // well known, though it names no origin
  reads("Fusée2", {"Fusée2", "", "", "", ""});   // divided in no way that shows
}

TEST(FrameNames, WrongOnesAreRefusedWhereTheyAreWrong) {
  const auto refused = [](std::string_view name) {
    const auto n = parsed_frame_name(name);
    return n ? "accepted" : std::to_string(n.error().position) + ": " + n.error().message;
  };
  EXPECT_EQ(refused(""), "0: a frame needs a name");
  EXPECT_EQ(refused("1Fixed"), "0: a frame's name begins with a letter, $ or _");
  EXPECT_EQ(refused("Éarth-Fixed"), "5: \"-\" cannot be in a frame's name");
  EXPECT_EQ(refused("Earth Fixed"), "5: a frame's name has no blanks or control characters");
  EXPECT_EQ(refused("Earth\xffxed"), "5: this is not UTF-8");
  EXPECT_EQ(refused("Earth\xc0\xaf"), "5: this is not UTF-8");
  EXPECT_EQ(refused("Earth°"), "5: \"°\" cannot be in a frame's name");
  EXPECT_EQ(refused("EarthMoon"),
            "9: the name says no orientation: Inertial, Fixed, Rotating or axes such as ICRF");
  EXPECT_EQ(refused("VehicleCentric"),
            "14: the name says no orientation: Inertial, Fixed, Rotating or axes such as ICRF");
  EXPECT_EQ(refused("InertialICRF"),
            "0: the name begins with its orientation: \"InertialICRF\" of what?");
  EXPECT_EQ(refused("CraftBarycentricFixed"),
            "0: only bodies have a barycentre, and \"Craft\" is not made of their names");
  EXPECT_EQ(refused(std::string(300, 'x')), "255: a frame's name has at most 255 bytes");
}

TEST(FrameNames, WellKnownOnesFollowTheRules) {
  for (const StandardFrame& f : standard_frames()) EXPECT_TRUE(parsed_frame_name(f.name)) << f.name;
}

}  // namespace
}  // namespace vernier::frames
