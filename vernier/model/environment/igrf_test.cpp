#include "vernier/model/environment/igrf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace vernier::environment {
namespace {

using spatial::Vector3;
constexpr double one_degree = std::numbers::pi / 180.0;

struct Place {
  Vector3 position, north, east, down;
};

// on the ellipsoid of WGS 84
Place geodetic(double latitude, double longitude, double height) {
  const double a = 6378137.0, f = 1.0 / 298.257223563, e2 = f * (2.0 - f);
  const double s = std::sin(latitude), c = std::cos(latitude);
  const double sl = std::sin(longitude), cl = std::cos(longitude);
  const double N = a / std::sqrt(1.0 - e2 * s * s);
  return {{(N + height) * c * cl, (N + height) * c * sl, (N * (1.0 - e2) + height) * s},
          {-s * cl, -s * sl, c},
          {-sl, cl, 0.0},
          {-c * cl, -c * sl, -s}};
}

struct Published {
  double year, latitude, longitude;  // degrees
  double x, y, z;                    // nT: north, east, down
};

// NOAA's magnetic field calculator (ngdc.noaa.gov/geomag/calculators), model IGRF-14, at sea level
// on the first of January of the year, as published in the tests of PmagPy, retrieved there in
// February 2026.
const Published noaa[] = {
    {2000, 20, 50, 35605.7, 754.0, 19252.5},     {2003, 20, 50, 35616.8, 799.9, 19430.9},
    {2007, 20, 50, 35631.5, 887.5, 19677.9},     {2010, 20, 50, 35642.7, 973.1, 19870.0},
    {2013, 20, 50, 35664.8, 1052.9, 20041.3},    {2015, 20, 50, 35679.6, 1106.2, 20155.5},
    {2018, 20, 50, 35720.5, 1174.8, 20369.0},    {2020, 20, 50, 35747.8, 1220.6, 20511.3},
    {2023, 20, 50, 35798.9, 1228.4, 20630.9},    {2025, 20, 50, 35833.0, 1233.7, 20710.7},
    {2029, 20, 50, 35902.5, 1214.5, 20812.8},    {2000, -20, 50, 19485.8, -5914.7, -27575.8},
    {2005, -20, 50, 19732.7, -6107.1, -27845.5}, {2010, -20, 50, 20011.1, -6188.0, -28116.0},
    {2015, -20, 50, 20295.4, -6296.2, -28380.3}, {2020, -20, 50, 20616.4, -6474.3, -28630.4},
    {2025, -20, 50, 20848.7, -6687.7, -29002.6}, {2029, -20, 50, 20990.4, -6853.3, -29326.3},
    {2000, 20, -50, 27079.2, -8457.3, 23560.9},  {2005, 20, -50, 27176.6, -8359.2, 22770.8},
    {2010, 20, -50, 27311.2, -8235.0, 21997.0},  {2015, 20, -50, 27492.7, -8118.9, 21165.6},
    {2020, 20, -50, 27728.3, -7998.8, 20337.2},  {2025, 20, -50, 27953.8, -7876.9, 19462.6},
    {2027, 20, -50, 28032.0, -7822.2, 19104.9},  {2029, 20, -50, 28110.1, -7767.5, 18747.1}};

TEST(Igrf, AgreesWithNoaasCalculator) {
  for (const Published& p : noaa) {
    // sea level is the geoid, which lies below the ellipsoid here (fitted, one number per place)
    const double geoid = p.latitude < 0.0 ? -11.0 : p.longitude > 0.0 ? -31.0 : -33.0;
    const Place at = geodetic(p.latitude * one_degree, p.longitude * one_degree, geoid);
    const Vector3 b = 1e9 * Igrf(p.year).field(at.position);
    // the published values have one decimal
    EXPECT_NEAR(b.dot(at.north), p.x, 0.06) << p.year << " " << p.latitude << " " << p.longitude;
    EXPECT_NEAR(b.dot(at.east), p.y, 0.06) << p.year << " " << p.latitude << " " << p.longitude;
    EXPECT_NEAR(b.dot(at.down), p.z, 0.06) << p.year << " " << p.latitude << " " << p.longitude;
  }
}

TEST(Igrf, IsWithinTensOfNanoteslaOfTheWorldMagneticModel) {
  // test values published with WMM2025 (NOAA, BGS): another model of the same field, to one_degree
  // 12; heights in km
  struct Row {
    double year, height, latitude, longitude, x, y, z;
  };
  const Row rows[] = {{2025, 28, 89, -121, -255.4, -1482.5, 56194.3},
                      {2025, 48, 80, -96, 1876.0, -1079.3, 55623.0},
                      {2025, 54, 82, 87, 1324.3, 1883.4, 56740.8},
                      {2025, 65, 43, 93, 24299.9, 210.5, 50037.9},
                      {2025, 51, -33, 109, 21737.8, -2090.3, -52710.0},
                      {2025, 39, -59, -8, 14358.1, -4049.1, -24389.1},
                      {2025, 3, -50, -103, 19526.5, 10363.0, -31437.6},
                      {2025, 94, -29, -110, 23275.5, 6559.0, -19063.6},
                      {2025, 66, 14, 143, 35003.4, -116.6, 7966.3},
                      {2025, 18, 0, 21, 29274.8, 659.8, -14316.7},
                      {2027.5, 8, 62, 53, 12260.4, 4315.5, 54849.8},
                      {2027.5, 77, -68, -7, 16578.1, -4813.7, -29680.4},
                      {2027.5, 98, -5, 159, 33545.0, 4589.7, -14525.8},
                      {2027.5, 34, -29, -107, 23540.4, 6592.4, -18723.1},
                      {2027.5, 60, 27, 65, 33062.2, 1068.6, 30667.4},
                      {2027.5, 73, -72, 95, -2912.4, -12984.1, -55399.2},
                      {2027.5, 96, -46, -85, 18947.7, 6129.6, -21631.4},
                      {2027.5, 0, -13, -59, 21365.8, -6732.6, -6112.3},
                      {2027.5, 16, 66, -178, 13821.3, 89.2, 54092.6},
                      {2027.5, 72, -87, 38, 6926.1, -15153.9, -48295.6}};
  for (const Row& p : rows) {
    const Place at = geodetic(p.latitude * one_degree, p.longitude * one_degree, p.height * 1e3);
    const Vector3 b = 1e9 * Igrf(p.year).field(at.position);
    EXPECT_NEAR(b.dot(at.north), p.x, 30.0) << p.year << " " << p.latitude << " " << p.longitude;
    EXPECT_NEAR(b.dot(at.east), p.y, 30.0) << p.year << " " << p.latitude << " " << p.longitude;
    EXPECT_NEAR(b.dot(at.down), p.z, 30.0) << p.year << " " << p.latitude << " " << p.longitude;
  }
}

TEST(Igrf, FieldIsThatOfASourceFreeRegion) {
  // div B = 0 and curl B = 0 outside the Earth, by central differences over 100 m: error below
  // 1e-12 T/m
  const Igrf igrf(2026.4);
  const Vector3 r(2.1e6, -4.4e6, 4.9e6);
  const double h = 100.0;
  spatial::Matrix3 gradient;
  for (int j = 0; j < 3; ++j) {
    Vector3 d = Vector3::Zero();
    d[j] = h;
    gradient.col(j) = (igrf.field(r + d) - igrf.field(r - d)) / (2.0 * h);
  }
  EXPECT_NEAR(gradient.trace() / gradient.norm(), 0.0, 1e-8);
  EXPECT_LT((gradient - gradient.transpose()).norm() / gradient.norm(), 1e-8);
}

TEST(Igrf, IsSmoothThroughThePole) {
  const Igrf igrf(2026.0);
  const Vector3 pole(0.0, 0.0, 6.9e6);
  const Vector3 b = igrf.field(pole);
  EXPECT_TRUE(b.allFinite());
  EXPECT_LT((igrf.field(pole + Vector3(1.0, 0.0, 0.0)) - b).norm(), 1e-10);
  EXPECT_LT((igrf.field(pole + Vector3(-1.0, 1.0, 0.0)) - b).norm(), 1e-10);
}

TEST(Igrf, DegreeOneIsADipole) {
  const Igrf igrf(2025.0, 1);
  const Vector3 m(-1410.3e-9, 4545.5e-9, -29350.0e-9);  // g11, h11, g10
  const Vector3 r(5e6, -3e6, 4e6);
  const double k = std::pow(6371.2e3 / r.norm(), 3);
  const Vector3 dipole = k * (3.0 * m.dot(r.normalized()) * r.normalized() - m);
  EXPECT_LT((igrf.field(r) - dipole).norm(), 1e-19);
}

TEST(Igrf, ChangesDuringARunAsBetweenEpochs) {
  const Vector3 r(5e6, -3e6, 4e6);
  EXPECT_LT((Igrf(2026.0).field(r, 1.5) - Igrf(2027.5).field(r)).norm(), 1e-17);
}

TEST(Igrf, RefusesYearsItDoesNotKnow) {
  EXPECT_THROW(Igrf(1999.9), std::out_of_range);
  EXPECT_THROW(Igrf(2030.1), std::out_of_range);
  EXPECT_NO_THROW(Igrf(2030.0));
}

}  // namespace
}  // namespace vernier::environment
