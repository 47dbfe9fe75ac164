#include "vernier/kernel/frames/sun.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vernier/kernel/frames/dates.hpp"

namespace vernier::frames {
namespace {

using spatial::Vector3;
constexpr double in_degrees = 180.0 / std::numbers::pi;

TEST(Sun, IsWhereTheAlmanacPutsIt) {
  // Meeus, Astronomical Algorithms, example 25.b: 1992 October 13.0 TD, the Sun's geometric place
  // of the FK5: longitude 199.907372 deg (equinox of date); radius vector 0.99760853 au by the
  // complete VSOP87 theory.
  const SunPath path(shifted(*parsed_epoch("1992-10-13T00:00:00"), -59.184));  // TT midnight
  const Vector3 r = path.position(0.0);
  EXPECT_NEAR(r.norm() / astronomical_unit, 0.99760853, 2e-8);
  // to the ecliptic of J2000, then by precession in longitude since J2000: -7.2208 years
  const double e = 23.4392911 / in_degrees;
  const double y = std::cos(e) * r[1] + std::sin(e) * r[2];
  const double longitude = std::atan2(y, r[0]) * in_degrees + 360.0 - 7.2208 * 50.29 / 3600.0;
  EXPECT_NEAR(longitude, 199.907372, 2e-4);
}

TEST(Sun, InterpolationAgreesWithTheEphemeris) {
  const Epoch e = *parsed_epoch("2026-06-01");
  const SunPath table(e, 40), direct(e, 0);
  for (double t = 0.0; t < 40 * 86400.0; t += 40123.0) {
    EXPECT_LT((table.position(t) - direct.position(t)).norm() / astronomical_unit * 206264.8, 1e-3)
        << t;
  }
  EXPECT_EQ(table.position(41 * 86400.0), direct.position(41 * 86400.0));
  EXPECT_EQ(table.position(-5.0), direct.position(-5.0));
}

TEST(Sun, CrossesTheEquatorAtTheEquinox) {
  // March equinox of 2024: 03:06 UTC on March 20 (of the true equator; that of ICRS is 8' away)
  const SunPath path(*parsed_epoch("2024-03-20T03:06:00"));
  const Vector3 r = path.position(0.0).normalized();
  EXPECT_NEAR(std::asin(r[2]) * in_degrees, 0.0, 0.14);
  EXPECT_NEAR(r[0], 1.0, 1e-4);
}

}  // namespace
}  // namespace vernier::frames
