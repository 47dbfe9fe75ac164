#include "vernier/model/environment/magnetic_field.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/frames/dates.hpp"
#include "vernier/model/environment/orbit.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier::environment {
namespace {

using spatial::Vector3;
using testing::made_system;
using testing::SystemRig;

Vector3 field_of(const std::vector<double>& v) { return {v[0], v[1], v[2]}; }

TEST(DipoleField, IsThatOfTheFactSheetAlongTheOrbit) {
  const auto field = made_system(dipole_field_type());
  const auto orbit = made_system(
      kepler_orbit_type(),
      {{"altitude", "600 km"}, {"inclination", "97.79 deg"}, {"argument_of_latitude", "30 deg"}});
  SystemRig o(*orbit), f(*field);
  for (const double t : {0.0, 100.0, 600.0, 4000.0}) {
    o.t = f.t = t;
    const Vector3 r = field_of(o.out("position"));
    f.in("position")[0] = r[0];
    f.in("position")[1] = r[1];
    f.in("position")[2] = r[2];
    // reference values, AAUSAT-II: B = B0 (Re/r)^3 (3 (m.r) r - m)
    const double c = 10.26 * M_PI / 180.0, l = 288.2 * M_PI / 180.0 + 7.2921159e-5 * t;
    const Vector3 m = -Vector3(std::sin(c) * std::cos(l), std::sin(c) * std::sin(l), std::cos(c));
    const Vector3 n = r.normalized();
    const Vector3 expected = 3.001e-5 * std::pow(6371.2e3 / r.norm(), 3) * (3.0 * m.dot(n) * n - m);
    EXPECT_LT((field_of(f.out("field")) - expected).norm(), 1e-19);
  }
}

TEST(DipoleField, PointsNorthAtTheEquatorAndDownAtTheNorthernPole) {
  const auto field = made_system(dipole_field_type(), {{"colatitude", "0"}});
  SystemRig rig(*field);
  rig.in("position")[0] = 6371.2e3;
  EXPECT_NEAR(rig.out("field")[2], 3.001e-5, 1e-18);
  rig.in("position")[0] = 0.0;
  rig.in("position")[2] = 6371.2e3;
  EXPECT_NEAR(rig.out("field")[2], -2.0 * 3.001e-5, 1e-18);
}

TEST(DipoleField, TurnsWithTheEarthOfItsEpoch) {
  // the same place on the Earth, six hours apart, sees the same field
  const auto field =
      made_system(dipole_field_type(), {{"earth", "iau2006"}, {"epoch", "2026-06-01"}});
  const auto earth = frames::iau2006_rotation(*frames::parsed_epoch("2026-06-01"));
  SystemRig rig(*field);
  const Vector3 place_E(5e6, 2e6, 4e6);
  Vector3 seen[2];
  for (int i = 0; i < 2; ++i) {
    rig.t = i * 21600.0;
    const spatial::Matrix3 R = frames::earth_matrix(earth, rig.t);
    const Vector3 r = R.transpose() * place_E;
    std::copy(r.data(), r.data() + 3, rig.in("position").begin());
    seen[i] = R * field_of(rig.out("field"));
  }
  EXPECT_LT((seen[0] - seen[1]).norm(), 1e-18);
}

TEST(DipoleField, IsIgrfToTheFirstDegree) {
  // dipole of IGRF-14 for 2025: strength and pole from g10, g11, h11
  const double g10 = -29350.0e-9, g11 = -1410.3e-9, h11 = 4545.5e-9;
  const double strength = std::sqrt(g10 * g10 + g11 * g11 + h11 * h11);
  const auto dipole =
      made_system(dipole_field_type(), {{"earth", "iau2006"},
                                        {"epoch", "2025-01-01"},
                                        {"strength", std::to_string(strength * 1e9) + " nT"},
                                        {"colatitude", std::to_string(std::acos(-g10 / strength))},
                                        {"longitude", std::to_string(std::atan2(-h11, -g11))}});
  const auto igrf = made_system(igrf_field_type(), {{"epoch", "2025-01-01"}, {"degree", "1"}});
  SystemRig a(*dipole), b(*igrf);
  for (SystemRig* rig : {&a, &b}) {
    rig->in("position")[0] = 3e6;
    rig->in("position")[1] = -5e6;
    rig->in("position")[2] = 4e6;
  }
  EXPECT_LT((field_of(a.out("field")) - field_of(b.out("field"))).norm(),
            1e-10);  // six decimals given
}

TEST(MagneticField, KeepsTheContractOfSystems) {
  for (const auto& field :
       {made_system(dipole_field_type()),
        made_system(dipole_field_type(), {{"earth", "iau2006"}, {"epoch", "2026-06-01"}}),
        made_system(igrf_field_type(), {{"epoch", "2026-06-01T06:00"}})}) {
    SystemRig rig(*field);
    rig.t = 2345.0;
    rig.in("position")[0] = 3e6;
    rig.in("position")[1] = -5e6;
    rig.in("position")[2] = 4e6;
    testing::expect_conforming(rig);
  }
}

TEST(MagneticField, OfADipoleHasDerivativesByItsParameters) {
  testing::expect_adjustable(dipole_field_type(), {{"earth", "iau2006"}, {"epoch", "2026-06-01"}},
                             {"strength", "radius", "colatitude", "longitude"}, [](SystemRig& rig) {
                               rig.t = 2345.0;
                               rig.in("position")[0] = 3e6;
                               rig.in("position")[1] = -5e6;
                               rig.in("position")[2] = 4e6;
                             });
}

TEST(MagneticField, RefusesDatesThatItCannotUse) {
  EXPECT_THROW(made_system(igrf_field_type()), ConfigurationError);
  EXPECT_THROW(made_system(igrf_field_type(), {{"epoch", "1980-01-01"}}), ConfigurationError);
  EXPECT_THROW(made_system(igrf_field_type(), {{"epoch", "yesterday"}}), ConfigurationError);
  EXPECT_THROW(made_system(igrf_field_type(), {{"epoch", "2026-01-01"}, {"degree", "14"}}),
               ConfigurationError);
  EXPECT_THROW(made_system(dipole_field_type(), {{"earth", "iau2006"}}), ConfigurationError);
  EXPECT_THROW(made_system(dipole_field_type(), {{"radius", "0 m"}}), ConfigurationError);
  EXPECT_THROW(made_system(dipole_field_type(), {{"strength", "-30 uT"}}), ConfigurationError);
  EXPECT_THROW(made_system(dipole_field_type(), {{"colatitude", "200 deg"}}), ConfigurationError);
  // what the choice of the Earth's rotation leaves unused
  EXPECT_THROW(made_system(dipole_field_type(), {{"dut1", "0.1 s"}}), ConfigurationError);
  EXPECT_THROW(
      made_system(igrf_field_type(),
                  {{"epoch", "2026-01-01"}, {"earth", "iau2006"}, {"earth_angle", "10 deg"}}),
      ConfigurationError);
}

}  // namespace
}  // namespace vernier::environment
