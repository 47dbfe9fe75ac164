#include "vernier/model/environment/sun.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vernier/base/diagnostic.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier::environment {
namespace {

using testing::made_system;
using testing::SystemRig;
constexpr double au = frames::astronomical_unit;

void put(std::span<double> v, double x, double y, double z) {
  v[0] = x;
  v[1] = y;
  v[2] = z;
}

TEST(VisibleShare, IsMonotoneBetweenItsClosedForms) {
  EXPECT_EQ(visible_share(0.3, 1.0, 1.3), 1.0);
  EXPECT_EQ(visible_share(0.3, 1.0, 0.7), 0.0);
  EXPECT_NEAR(visible_share(1.0, 0.5, 0.2), 0.75, 1e-15);  // annular
  // two equal circles, one radius apart: lens area 2 pi/3 - sqrt(3)/2
  const double lens = 2.0 * std::numbers::pi / 3.0 - std::sqrt(3.0) / 2.0;
  EXPECT_NEAR(visible_share(1.0, 1.0, 1.0), 1.0 - lens / std::numbers::pi, 1e-15);
  double before = 0.0;
  for (double c = 0.7; c <= 1.3; c += 0.001) {
    const double share = visible_share(0.3, 1.0, c);
    EXPECT_GE(share, before - 1e-15);
    before = share;
  }
  EXPECT_NEAR(before, 1.0, 1e-3);
}

TEST(Eclipse, FollowsTheCraftThroughTheConeOfTheEarth) {
  const auto system = made_system(eclipse_type());
  SystemRig rig(*system);
  put(rig.in("sun"), au, 0, 0);
  const double r = 6978137.0;
  std::vector<std::string> taken;
  std::vector<double> angles;
  // around the orbit, from noon to noon, in steps of 1e-4 rad
  double dark = 0.0;
  for (int i = 0; i <= 62832; ++i) {
    const double a = i * 1e-4;
    put(rig.in("position"), r * std::cos(a), r * std::sin(a), 0.0);
    for (const std::string& name : rig.react()) {
      taken.push_back(name);
      angles.push_back(a);
    }
    dark += (1.0 - rig.out("illumination")[0]) * 1e-4;
  }
  ASSERT_EQ(taken, (std::vector<std::string>{"enter penumbra", "enter umbra", "leave umbra",
                                             "leave penumbra"}));
  // geometry: the limb of the Earth is asin(R/r) from the antisun point; the Sun is 0.00465 rad
  // wide
  const double limb = std::asin(6378137.0 / r), half_sun = std::asin(frames::sun_radius / au);
  const double pi = std::numbers::pi;
  EXPECT_NEAR(angles[0], pi - limb - half_sun, 3e-4);
  EXPECT_NEAR(angles[1], pi - limb + half_sun, 3e-4);
  EXPECT_NEAR(angles[2], pi + limb - half_sun, 3e-4);
  EXPECT_NEAR(angles[3], pi + limb + half_sun, 3e-4);
  EXPECT_NEAR(dark, 2.0 * limb, 1e-3);  // half the penumbra on either side
}

TEST(Eclipse, OfACylinderIsOnOrOff) {
  const auto system = made_system(eclipse_type(), {{"shadow", "cylindrical"}});
  SystemRig rig(*system);
  put(rig.in("sun"), 0, au, 0);
  put(rig.in("position"), 0, 7e6, 0);
  EXPECT_TRUE(rig.react().empty());
  EXPECT_EQ(rig.out("illumination")[0], 1.0);
  put(rig.in("position"), 6.3e6, -3e6, 0);
  EXPECT_EQ(rig.react(), std::vector<std::string>{"enter shadow"});
  EXPECT_EQ(rig.out("illumination")[0], 0.0);
  put(rig.in("position"), 6.4e6, -3e6, 0);
  EXPECT_EQ(rig.react(), std::vector<std::string>{"leave shadow"});
}

TEST(Sun, DirectionIsSeenFromTheSpacecraft) {
  const auto system = made_system(sun_type(), {{"epoch", "2026-06-01"}});
  SystemRig rig(*system);
  const auto sun = rig.out("sun");
  const auto from_centre = rig.out("direction");
  put(rig.in("position"), 0.0, 0.0, 42164e3);
  const auto from_orbit = rig.out("direction");
  // the parallax of a geostationary radius, 42164 km over 1.014 au, times the cosine of 22 degrees
  double angle = 0.0;
  for (int i = 0; i < 3; ++i) angle += std::pow(from_orbit[i] - from_centre[i], 2);
  EXPECT_NEAR(std::sqrt(angle), 42164e3 / (1.014 * au) * std::cos(22.0 * M_PI / 180.0), 2e-6);
  EXPECT_GT(sun[2], 0.0);  // northern summer
}

TEST(Sun, KeepsTheContractOfSystems) {
  const auto sun = made_system(sun_type(), {{"epoch", "2026-06-01"}});
  SystemRig a(*sun);
  a.t = 5000.0;
  put(a.in("position"), 3e6, -5e6, 4e6);
  testing::expect_conforming(a);
  for (const char* shadow : {"conical", "cylindrical"}) {
    const auto eclipse = made_system(eclipse_type(), {{"shadow", shadow}});
    SystemRig b(*eclipse);
    put(b.in("sun"), au, 1e9, 2e9);
    put(b.in("position"), -2.9e6, 6.38e6, 1e5);
    b.react();
    testing::expect_conforming(b, 1e-4);
  }
}

TEST(Sun, RefusesWhatIsNotADate) {
  EXPECT_THROW(made_system(sun_type(), {{"epoch", "soon"}}), ConfigurationError);
  EXPECT_THROW(made_system(eclipse_type(), {{"earth_radius", "0"}}), ConfigurationError);
}

}  // namespace
}  // namespace vernier::environment
