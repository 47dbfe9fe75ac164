#include "vernier/kernel/frames/standard.hpp"

#include <erfa.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vernier/kernel/frames/dates.hpp"
#include "vernier/kernel/frames/rotations.hpp"
#include "vernier/kernel/frames/sun.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::frames {
namespace {

constexpr double to_degrees = 180.0 / std::numbers::pi;

// one relative to the other, by the tree
FrameState seen(const char* subject, const char* observer, const Epoch& e,
                const StandardFrames& frames = StandardFrames({})) {
  FrameTree tree = StandardFrames::tree();
  EXPECT_TRUE(frames.update(tree, e));
  FrameState s;
  EXPECT_TRUE(tree.resolve(tree.find(subject), tree.find(observer), s));
  return s;
}

TEST(StandardFrames, EarthIsWhereTheTestsOfErfaHaveIt) {
  // t_erfa_c: eraEpv00(2400000.5, 53411.52501161), au and au/day
  const Epoch e = *parsed_instant("MJD 53411.52501161 TDB");
  const FrameState s = seen("EarthICRF", "SolarSystemBarycentricInertial", e);
  const Vector3 p(-0.7714104440491111971, 0.5598412061824171323, 0.2425996277722452400);
  const Vector3 v(-0.1091874268116823295e-1, -0.1246525461732861538e-1, -0.5404773180966231279e-2);
  EXPECT_LT((s.position / astronomical_unit - p).norm(), 1e-14);
  // the velocity is the derivative of interpolated places by TT, theirs of the series by TDB
  EXPECT_LT((s.velocity / astronomical_unit * 86400.0 - v).norm() / v.norm(), 3.4e-10);
  const FrameState h = seen("EarthICRF", "SunCentricInertial", e);
  const Vector3 from_sun(-0.7757238809297706813, 0.5598052241363340596, 0.2426998466481686993);
  EXPECT_LT((h.position / astronomical_unit - from_sun).norm(), 1e-14);
}

TEST(StandardFrames, MoonIsWhereTheTestsOfErfaHaveIt) {
  // t_erfa_c: eraMoon98(2400000.5, 43999.9), of TT
  const FrameState s = seen("MoonCentricInertial", "EarthICRF", *parsed_instant("MJD 43999.9 TT"));
  const Vector3 p(-0.2601295959971044180e-2, 0.6139750944302742189e-3, 0.2640794528229828909e-3);
  const Vector3 v(-0.1244321506649895021e-3, -0.5219076942678119398e-3, -0.1716132214378462047e-3);
  EXPECT_LT((s.position / astronomical_unit - p).norm(), 1e-14);  // 1.5 mm
  // theirs leaves out that the equinox moves: 7.7e-12 rad/s, 3 mm/s
  EXPECT_LT((s.velocity / astronomical_unit * 86400.0 - v).norm(), 2e-9);
}

TEST(StandardFrames, FollowErfaThroughTheCentury) {
  // samples and polynomials against the series themselves, at odd instants
  const StandardFrames frames({});
  FrameTree tree = StandardFrames::tree();
  for (int k = 0; k < 40; ++k) {
    const std::string day = std::to_string(33300.0 + 913.137 * k);  // 1950 to 2047
    const double mjd = std::stod(day);
    ASSERT_TRUE(frames.update(tree, *parsed_instant("MJD " + day + " TDB")));
    double h[2][3], b[2][3];
    ASSERT_EQ(eraEpv00(2400000.5, mjd, h, b), 0);
    const auto place = [&](const char* subject, const char* observer) -> Vector3 {
      FrameState s;
      EXPECT_TRUE(tree.resolve(tree.find(subject), tree.find(observer), s));
      return s.position;
    };
    // the double of such a day, and ERFA's of it, are off by up to 1e-6 s: 3 cm of the Earth's way
    const Vector3 sun(h[0]), barycentre(b[0]);
    EXPECT_LT((place("EarthICRF", "SunCentricInertial") / astronomical_unit - sun).norm(), 2e-13);
    EXPECT_LT(
        (place("EarthICRF", "SolarSystemBarycentricInertial") / astronomical_unit - barycentre)
            .norm(),
        2e-13);
    // the Moon goes 1 km/s: TT as the program has it
    ASSERT_TRUE(frames.update(tree, *parsed_instant("MJD " + day + " TT")));
    double m[2][3];
    eraMoon98(2400000.5, mjd, m);
    // 3 mm: what interpolating leaves
    EXPECT_LT(
        (place("MoonCentricInertial", "EarthICRF") / astronomical_unit - Vector3(m[0])).norm(),
        2e-14);
  }
}

TEST(StandardFrames, EarthTurnsAsInTheSofaExample) {
  // "SOFA Tools for Earth Attitude", section 5.5, with polar motion; without the corrections of
  // the pole given there (0.3 mas, 1.5e-9)
  const double arc_second = std::numbers::pi / 648000.0;
  const StandardFrames frames(
      {.dut1 = -0.072073685, .polar_x = 0.0349282 * arc_second, .polar_y = 0.4833163 * arc_second},
      *parsed_epoch("2007-04-05T12:00"), 1);
  Matrix3 published;
  published << 0.973104317697535, 0.230363826239128, -0.000703163482198,  //
      -0.230363800456037, 0.973104570632801, 0.000118545366625,           //
      0.000711560162668, 0.000046626403995, 0.999999745754024;
  const FrameState s = seen("EarthFixed", "EarthICRF", *parsed_epoch("2007-04-05T12:00"), frames);
  EXPECT_LT((spatial::attitude_matrix(s.attitude) - published).cwiseAbs().maxCoeff(), 2.5e-9);
  EXPECT_NEAR(s.rate.norm(), 7.292115e-5, 1e-11);
  EXPECT_LT(seen("ITRF", "EarthFixed", *parsed_epoch("2007-04-05T12:00"), frames).position.norm(),
            1e-3);
}

TEST(StandardFrames, MoonShowsTheSideOfMeeus) {
  // Astronomical Algorithms, example 53.a, 1992 April 12, 0h TD: librations -1.23 and +4.20 deg;
  // the latitude that of the principal axis, 0.022 deg from the mean one
  const FrameState s = seen("EarthICRF", "MoonCentricFixed", *parsed_instant("1992-04-12 TT"));
  const double lon = std::atan2(s.position[1], s.position[0]) * to_degrees;
  const double lat = std::asin(s.position[2] / s.position.norm()) * to_degrees + 79.0768 / 3600.0;
  EXPECT_NEAR(lon, -1.23, 0.01);
  EXPECT_NEAR(lat, 4.20, 0.01);
}

TEST(StandardFrames, MarsShowsTheMeridianOfMeeus) {
  // the same, example 42.a, 1992 November 9, 0h UT: declination of the Earth 12.44 deg, central
  // meridian 111.55 deg (counted westward), as seen with light time; elements of the IAU of 1982,
  // whose meridian was 0.24 deg away
  const Epoch e = *parsed_epoch("1992-11-09");
  const Vector3 earth = seen("EarthICRF", "SolarSystemBarycentricInertial", e).position;
  double light = 0.0;
  FrameState mars;
  for (int i = 0; i < 4; ++i) {
    mars = seen("MarsCentricFixed", "SolarSystemBarycentricInertial", shifted(e, -light));
    light = (mars.position - earth).norm() / 299792458.0;
  }
  const Vector3 d = spatial::to_body(mars.attitude, earth - mars.position).normalized();
  EXPECT_NEAR(std::asin(d[2]) * to_degrees, 12.44, 0.05);
  const double west = -std::atan2(d[1], d[0]) * to_degrees;
  EXPECT_NEAR(west, 111.55, 0.3);
}

TEST(StandardFrames, DerivativesAreThoseOfTheStates) {
  const Epoch e = *parsed_epoch("2026-06-01T12:34:56.7");
  const StandardFrames frames({}, e, 1);
  std::array<FrameState, standard_frame_count> before, now, after;
  const double h = 100.0;
  ASSERT_TRUE(frames.states(shifted(e, -h), before));
  ASSERT_TRUE(frames.states(e, now));
  ASSERT_TRUE(frames.states(shifted(e, h), after));
  for (std::size_t i = 0; i < standard_frame_count; ++i) {
    SCOPED_TRACE(standard_frames()[i].name);
    const FrameState &a = before[i], &b = after[i], &s = now[i];
    EXPECT_LT(((b.position - a.position) / (2 * h) - s.velocity).norm(),
              2e-5);  // h²/6 times the jerk
    EXPECT_LT(((b.velocity - a.velocity) / (2 * h) - s.acceleration).norm(), 1e-9);
    const double sign = a.attitude.dot(b.attitude) < 0.0 ? -1.0 : 1.0;
    const double other = a.attitude.dot(s.attitude) < 0.0 ? -1.0 : 1.0;
    const Quaternion rate = other * (sign * b.attitude - a.attitude) / (2 * h);
    // the third derivative of the Earth's quaternion: h²/6 (omega/2)³
    EXPECT_LT((rate - spatial::quaternion_rate(s.attitude, s.rate)).norm(), 1e-10);
    EXPECT_LT(((b.rate - a.rate) / (2 * h) - s.angular_acceleration).norm(), 1e-15);
  }
}

TEST(StandardFrames, FallAsNewtonSays) {
  // EMB falls to the Sun but for Jupiter and its like (1e-4 of it) and the Sun's own motion
  const Epoch e = *parsed_epoch("2026-06-01");
  const FrameState s = seen("EarthMoonBarycentricInertial", "SunCentricInertial", e);
  const Vector3 newton = -1.32712440018e20 / std::pow(s.position.norm(), 3) * s.position;
  EXPECT_LT((s.acceleration - newton).norm() / newton.norm(), 2e-4);
  const FrameState moon = seen("MoonCentricInertial", "EarthICRF", e);
  const Vector3 pull = -4.03503235e14 / std::pow(moon.position.norm(), 3) * moon.position;
  EXPECT_LT((moon.acceleration - pull).norm() / pull.norm(), 0.02);  // the Sun's tide is 1 %
}

TEST(StandardFrames, MoonStandsStillWhereBothTurnWithIt) {
  const Epoch e = *parsed_epoch("2026-06-01T05:00");
  const FrameState s = seen("MoonCentricInertial", "EarthMoonBarycentricRotating", e);
  const double r = seen("MoonCentricInertial", "EarthICRF", e).position.norm();
  EXPECT_NEAR(s.position[0], r * 81.30056 / 82.30056, 1e-3);
  EXPECT_LT(s.position.tail<2>().norm(), 1e-3);
  EXPECT_LT(s.velocity.tail<2>().norm(), 1e-8);
  // L2 of the Earth and the Moon: 0.16783 of their distance behind the Moon (mu = 0.01215)
  const FrameState beyond = seen("EarthMoonL2Rotating", "MoonCentricInertial", e);
  EXPECT_NEAR(beyond.position.norm() / r, 0.16783, 1e-5);
}

TEST(StandardFrames, PreparedDaysChangeNoBit) {
  const Epoch from = *parsed_epoch("2026-06-01"), later = shifted(from, 200000.25);
  const StandardFrames prepared({}, from, 3), bare({});
  std::array<FrameState, standard_frame_count> a, b;
  const long before = testing::allocations();
  ASSERT_TRUE(prepared.states(later, a));
  ASSERT_TRUE(bare.states(later, b));
  EXPECT_EQ(testing::allocations(), before);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].position, b[i].position);
    EXPECT_EQ(a[i].acceleration, b[i].acceleration);
  }
  EXPECT_FALSE(bare.states(*parsed_epoch("2101-06-01"), a));
}

TEST(StandardFrames, FillsTreesWithOtherParents) {
  // as simulators of exploration arrange them: Earth and Moon below their common centre
  const Epoch e = *parsed_epoch("2026-06-01");
  FrameTree tree;
  for (const auto& [name, parent] :
       {std::pair{"SolarSystemBarycentricInertial", ""},
        {"EarthMoonBarycentricInertial", "SolarSystemBarycentricInertial"},
        {"EarthCentricInertial", "EarthMoonBarycentricInertial"},
        {"MoonCentricInertial", "EarthMoonBarycentricInertial"},
        {"MoonCentricFixed", "MoonCentricInertial"},
        {"Craft", "MoonCentricInertial"}})
    ASSERT_TRUE(tree.add(name, parent));
  ASSERT_TRUE(StandardFrames({}).update(tree, e));
  EXPECT_FALSE(tree.has_state(tree.find("Craft")));
  FrameState s;
  ASSERT_TRUE(tree.resolve(tree.find("MoonCentricFixed"), tree.find("EarthCentricInertial"), e, s));
  const FrameState t = seen("MoonCentricFixed", "EarthICRF", e);
  EXPECT_LT((s.position - t.position).norm(), 1e-3);  // over the barycentre, 1.5e11 m away
  EXPECT_LT((s.velocity - t.velocity).norm(), 1e-8);
  EXPECT_LT((s.attitude - t.attitude).norm(), 1e-15);
}

}  // namespace
}  // namespace vernier::frames
