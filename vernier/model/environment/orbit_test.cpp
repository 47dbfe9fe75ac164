#include "vernier/model/environment/orbit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vernier/base/diagnostic.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier::environment {
namespace {

using spatial::Vector3;
using testing::made_system;
using testing::SystemRig;
constexpr double half_turn = std::numbers::pi;
constexpr double degree = half_turn / 180.0;

Vector3 vector(const std::vector<double>& v) { return {v[0], v[1], v[2]}; }

TEST(Elements, KeplersEquationHoldsForAnyEccentricity) {
  for (const double e : {0.0, 1e-9, 0.1, 0.5, 0.9, 0.99, 0.9999, 0.999999}) {
    for (double M = -9.0; M < 9.0; M += 0.0137) {
      const double E = eccentric_anomaly(M, e);
      EXPECT_NEAR(E - e * std::sin(E), M, 3e-15 * (1.0 + std::fabs(M))) << e << " " << M;
    }
    for (double M = 1e-12; M < 1e-2; M *= 3.0) {
      const double E = eccentric_anomaly(M, e);
      EXPECT_NEAR(E - e * std::sin(E), M, 1e-15) << e << " " << M;
    }
  }
}

TEST(Elements, ComeBackFromTheState) {
  const Elements k{9.1e6, 0.21, 51.6 * degree, 0.7, -1.2, 2.0};
  const Elements back = elements(state(k, earth_mu), earth_mu);
  EXPECT_NEAR(back.semi_major_axis, k.semi_major_axis, 1e-6);
  EXPECT_NEAR(back.eccentricity, k.eccentricity, 1e-14);
  EXPECT_NEAR(back.inclination, k.inclination, 1e-14);
  EXPECT_NEAR(back.node, k.node, 1e-14);
  EXPECT_NEAR(back.argument_of_perigee, k.argument_of_perigee, 1e-13);
  EXPECT_NEAR(std::remainder(back.mean_anomaly - k.mean_anomaly, 2 * half_turn), 0.0, 1e-13);
}

TEST(Elements, AgreeWithATextbookExample) {
  // Vallado, Fundamentals of Astrodynamics and Applications, example 2-5 (km, km/s)
  const OrbitState s{{6524834.0, 6862875.0, 6448296.0}, {4901.327, 5533.756, -1976.341}};
  const Elements k = elements(s, 3.986004418e14);
  EXPECT_NEAR(k.semi_major_axis, 36127343.0,
              600.0);  // printed with 3 decimals of 6 digits of state
  EXPECT_NEAR(k.eccentricity, 0.832853, 1e-5);
  EXPECT_NEAR(k.inclination / degree, 87.870, 1e-3);
  EXPECT_NEAR(k.node / degree, 227.898 - 360.0, 1e-3);
  EXPECT_NEAR(k.argument_of_perigee / degree, 53.38, 1e-2);
}

TEST(KeplerOrbit, RepeatsAfterThePeriod) {
  const auto orbit = made_system(kepler_orbit_type(), {{"semi_major_axis", "26562 km"},
                                                       {"eccentricity", "0.74"},
                                                       {"inclination", "63.4 deg"},
                                                       {"argument_of_perigee", "270 deg"}});
  SystemRig rig(*orbit);
  const Vector3 start = vector(rig.out("position"));
  EXPECT_NEAR(start.norm(), 26562e3 * (1.0 - 0.74), 1e-6);  // at the perigee
  rig.t = 2.0 * half_turn * std::sqrt(std::pow(26562e3, 3) / earth_mu);
  EXPECT_LT((vector(rig.out("position")) - start).norm(), 1e-6);  // rounding of t times v
  rig.t /= 2.0;
  EXPECT_NEAR(vector(rig.out("position")).norm(), 26562e3 * (1.0 + 0.74), 1e-6);
}

TEST(KeplerOrbit, CircularOrbitIsThatOfTheFactSheet) {
  const auto orbit = made_system(
      kepler_orbit_type(),
      {{"altitude", "600 km"}, {"inclination", "97.79 deg"}, {"argument_of_latitude", "30 deg"}});
  SystemRig rig(*orbit);
  for (const double t : {0.0, 250.0, 5801.231785926518}) {
    rig.t = t;
    const double u = 30.0 * degree + 0.0010830777908964544 * t, i = 97.79 * degree;
    const Vector3 expected =
        6978137.0 * Vector3(std::cos(u), std::sin(u) * std::cos(i), std::sin(u) * std::sin(i));
    EXPECT_LT((vector(rig.out("position")) - expected).norm(), 1e-6);
  }
}

TEST(KeplerOrbit, SunSynchronousNodeFollowsTheSun) {
  // 600 km at 97.79 degrees: the node turns by 360 degrees in a year of 365.2422 days
  const auto orbit =
      made_system(kepler_orbit_type(),
                  {{"altitude", "600 km"}, {"inclination", "97.7876 deg"}, {"secular_j2", "true"}});
  SystemRig rig(*orbit);
  const auto node = [&] {
    const Vector3 h = vector(rig.out("position")).cross(vector(rig.out("velocity")));
    return std::atan2(h[0], -h[1]);
  };
  const double before = node();
  rig.t = 86400.0;
  EXPECT_NEAR((node() - before) / degree, 360.0 / 365.2422, 1e-4);
}

TEST(KeplerOrbit, KeepsTheContractOfSystems) {
  for (const char* drift : {"false", "true"}) {
    const auto orbit = made_system(kepler_orbit_type(), {{"altitude", "900 km"},
                                                         {"eccentricity", "0.05"},
                                                         {"inclination", "1 rad"},
                                                         {"secular_j2", drift}});
    SystemRig rig(*orbit);
    rig.t = 1234.0;
    testing::expect_conforming(rig);
  }
}

TEST(KeplerOrbit, RefusesElementsThatAreNoEllipse) {
  using Texts = std::map<std::string, std::string>;
  for (const Texts& bad :
       {Texts{}, Texts{{"altitude", "600 km"}, {"semi_major_axis", "7000 km"}},
        Texts{{"altitude", "600 km"}, {"eccentricity", "1"}},
        Texts{{"altitude", "600 km"}, {"eccentricity", "nan"}}, Texts{{"semi_major_axis", "-1 m"}},
        Texts{{"altitude", "600 km"}, {"mu", "0"}},
        Texts{{"altitude", "600 km"}, {"inclination", "-1 deg"}},
        Texts{{"altitude", "600 km"}, {"inclination", "181 deg"}},
        Texts{{"altitude", "600 km"}, {"mean_anomaly", "1"}, {"true_anomaly", "1"}}}) {
    EXPECT_THROW(made_system(kepler_orbit_type(), bad), ConfigurationError);
  }
}

TEST(J2Orbit, WithoutOblatenessIsTheEllipse) {
  const std::map<std::string, std::string> start{{"altitude", "800 km"},
                                                 {"eccentricity", "0.02"},
                                                 {"inclination", "50 deg"},
                                                 {"true_anomaly", "70 deg"}};
  auto flat = start;
  flat["j2"] = "0";
  const auto integrated = made_system(j2_orbit_type(), flat);
  const auto closed = made_system(kepler_orbit_type(), start);
  SystemRig a(*integrated), b(*closed);
  for (int i = 0; i < 6000; ++i) a.step(1.0);
  b.t = a.t;
  // RK4 at 1 s: local error (n h)^5 / 120 of the radius, 6000 steps
  EXPECT_LT((vector(a.out("position")) - vector(b.out("position"))).norm(), 1e-3);
}

TEST(J2Orbit, KeepsEnergyAndTheAxialMomentumAndTurnsTheNode) {
  const auto orbit =
      made_system(j2_orbit_type(), {{"altitude", "600 km"}, {"inclination", "97.7876 deg"}});
  SystemRig rig(*orbit);
  const auto momentum = [&] {
    return Vector3(vector(rig.out("position")).cross(vector(rig.out("velocity"))));
  };
  const double energy = rig.out("energy")[0];
  const Vector3 before = momentum();
  const int day = 86400;
  for (int i = 0; i < day / 5; ++i) rig.step(5.0);
  EXPECT_NEAR(rig.out("energy")[0] / energy, 1.0, 1e-9);
  const Vector3 after = momentum();
  EXPECT_NEAR(after[2] / before[2], 1.0, 1e-9);
  const double turned = std::atan2(after[0], -after[1]) - std::atan2(before[0], -before[1]);
  // first-order theory, in osculating rather than mean elements: within 1 %
  EXPECT_NEAR(turned / degree, 360.0 / 365.2422, 0.01);
}

TEST(J2Orbit, KeepsTheContractOfSystems) {
  const auto orbit =
      made_system(j2_orbit_type(),
                  {{"altitude", "600 km"}, {"inclination", "1 rad"}, {"true_anomaly", "0.6 rad"}});
  SystemRig rig(*orbit);
  rig.in("acceleration")[1] = 1e-3;
  testing::expect_conforming(rig);
}

TEST(KeplerOrbit, DoesNotBeginBelowTheSurfaceUnnoticed) {
  const Type type = kepler_orbit_type();
  const auto codes = [&](const std::map<std::string, std::string>& texts) {
    ParameterValues values;
    for (const auto& [name, text] : texts) values[name].text = text;
    Diagnostics problems;
    const Parameters p("it", type.parameters, values, 1, {}, problems);
    EXPECT_EQ(problems.errors(), 0u);
    try {
      type.system(p);
    } catch (const ConfigurationError& e) {
      return e.diagnostics().list().front().code;
    }
    return problems.list().empty() ? std::string() : problems.list().front().code;
  };
  EXPECT_EQ(codes({{"altitude", "600 km"}}), "");
  EXPECT_EQ(codes({{"altitude", "-100 km"}}), "V2143");
  // an ellipse with a perigee of 6978 km (1 - 0.2) = 5582 km: from its apogee it may begin
  EXPECT_EQ(codes({{"altitude", "600 km"}, {"eccentricity", "0.2"}}), "V2143");
  EXPECT_EQ(codes({{"altitude", "600 km"}, {"eccentricity", "0.2"}, {"true_anomaly", "180 deg"}}),
            "V2148");
}

// every way to give an orbit has its own parameters
TEST(KeplerOrbit, HasDerivativesByItsElements) {
  using Texts = std::map<std::string, std::string>;
  const Texts all{{"altitude", "13000 km"},           {"semi_major_axis", "19400 km"},
                  {"inclination", "1 rad"},           {"node", "-0.4 rad"},
                  {"argument_of_perigee", "0.3 rad"}, {"true_anomaly", "0.8 rad"},
                  {"mean_anomaly", "0.7 rad"},        {"argument_of_latitude", "1.9 rad"}};
  for (const char* size : {"altitude", "semi_major_axis"})
    for (const char* start : {"true_anomaly", "mean_anomaly", "argument_of_latitude"})
      for (const char* drift : {"false", "true"})
        for (const char* e : {"0", "0.05", "0.6"}) {
          SCOPED_TRACE(std::string(size) + ", " + start + ", e = " + e);
          Texts texts{{"eccentricity", e}, {"secular_j2", drift}};
          for (const char* name : {size, start, "inclination", "node", "argument_of_perigee"})
            texts[name] = all.at(name);
          // at e = 0 differences would leave the domain
          std::vector<std::string> names{
              size, start, "inclination", "node", "argument_of_perigee", "mu", "radius"};
          if (*e != '0' || e[1] != 0) names.emplace_back("eccentricity");
          testing::expect_adjustable(
              kepler_orbit_type(), texts, names, [](SystemRig& rig) { rig.t = 1234.0; }, 3e-6);
        }
  ParameterValues values;
  values["altitude"].text = "900 km";
  values["semi_major_axis"].adjustable = true;
  Diagnostics problems;
  const Type type = kepler_orbit_type();
  const Parameters wrong("it", type.parameters, values, 1, {}, problems);
  EXPECT_EQ(problems.errors(), 0u);
  EXPECT_THROW(type.system(wrong), ConfigurationError);
}

// ∂r/∂Ω = e_z × r and ∂v/∂M0 = r''/n, whatever the orbit is
TEST(KeplerOrbit, DerivativesByNodeAndAnomalyAreTheClosedForms) {
  const Type type = kepler_orbit_type();
  ParameterValues values;
  values["semi_major_axis"].text = "8300 km";
  values["eccentricity"].text = "0.2";
  values["inclination"].text = "1 rad";
  values["mean_anomaly"].text = "0.7 rad";
  for (const char* name : {"node", "mean_anomaly"}) values[name].adjustable = true;
  Diagnostics problems;
  const auto orbit = type.system(Parameters("it", type.parameters, values, 1, {}, problems));
  SystemRig rig(*orbit);
  rig.t = 800.0;
  ASSERT_EQ(orbit->spec().parameters[0].name, "mean_anomaly");
  std::vector<double> by(6), node{0.0, 1.0}, anomaly{1.0, 0.0};
  const auto r = rig.out("position"), v = rig.out("velocity");
  orbit->tangent(rig.point(), {0.0, {}, {}, node}, {{}, by, {}}, rig.workspace());
  const double size = std::hypot(r[0], r[1], r[2]);
  EXPECT_NEAR(by[0], -r[1], 1e-14 * size);
  EXPECT_NEAR(by[1], r[0], 1e-14 * size);
  EXPECT_NEAR(by[2], 0.0, 1e-14 * size);
  orbit->tangent(rig.point(), {0.0, {}, {}, anomaly}, {{}, by, {}}, rig.workspace());
  const double n = std::sqrt(earth_mu / 8.3e6) / 8.3e6, pull = -earth_mu / (size * size * size) / n;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(by[i], v[i] / n, 1e-13 * size);
    EXPECT_NEAR(by[3 + i], pull * r[i], 1e-13 * size * n);
  }
}

TEST(J2Orbit, HasDerivativesByTheEarthsParameters) {
  testing::expect_adjustable(
      j2_orbit_type(),
      {{"altitude", "600 km"}, {"inclination", "1 rad"}, {"true_anomaly", "0.6 rad"}},
      {"mu", "radius", "j2"}, [](SystemRig& rig) { rig.in("acceleration")[1] = 1e-3; });
}

}  // namespace
}  // namespace vernier::environment
