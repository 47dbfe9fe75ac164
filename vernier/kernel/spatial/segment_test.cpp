#include "vernier/kernel/spatial/segment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace vernier::spatial {
namespace {

constexpr Curve curves[] = {Curve::kim, Curve::cubic, Curve::quintic, Curve::kim_quintic};

double angle(const Quaternion& a, const Quaternion& b) {
  return logarithm(product(a, inverse(b))).norm();
}

Vector3 random_vector(std::mt19937& g, double size) {
  std::uniform_real_distribution<double> u(-size, size);
  return {u(g), u(g), u(g)};
}
Trajectory random_state(std::mt19937& g) {
  Trajectory s;
  s.p = random_vector(g, 2);
  s.v = random_vector(g, 1);
  s.a = random_vector(g, 1);
  s.q = exponential(random_vector(g, 0.8));
  s.omega = random_vector(g, 0.5);
  s.alpha = random_vector(g, 0.5);
  return s;
}

// the reference's numbers are scalar first
Quaternion scalar_first(double w, double x, double y, double z) { return {x, y, z, w}; }

/// Ends of the reference's example, sections D2 and D3, over 2 s.
Trajectory example_start() {
  Trajectory s;
  s.omega = {0.2, 0.1, -0.3};
  s.alpha = {0.05, -0.02, 0.04};
  return s;
}
Trajectory example_end() {
  Trajectory s;
  s.q = exponential({0.3, -0.8, 1.1});
  s.omega = {-0.4, 0.5, 0.25};
  s.alpha = {-0.03, 0.06, 0.01};
  return s;
}
void expect_attitude(const Trajectory& x, const Quaternion& q, const Vector3& omega) {
  EXPECT_LT((x.q - q).norm(), 2e-14);
  if (!omega.isZero()) {
    EXPECT_LT((x.omega - omega).norm(), 3e-14);
  }
}

TEST(Segment, GivesTheCheckValuesOfThePosition) {
  Trajectory a, b;
  a.p.x() = 1.0, a.v.x() = 0.2;
  b.p.x() = 1.5, b.v.x() = -0.1;
  const Segment s(a, b, 0.1, Curve::kim);
  const double expected[3][4] = {{0.25, 1.08140625, 5.69375, 145.5},
                                 {0.5, 1.25375, 7.475, -3.0},
                                 {0.75, 1.42421875, 5.54375, -151.5}};
  for (const auto& row : expected) {
    const Trajectory x = s.at(0.1 * row[0]);
    EXPECT_NEAR(x.p.x(), row[1], 1e-14);
    EXPECT_NEAR(x.v.x(), row[2], 1e-13);
    EXPECT_NEAR(x.a.x(), row[3], 1e-11);
  }
}

TEST(Segment, GivesTheCheckValuesOfKimKimAndShin) {
  const Segment s(example_start(), example_end(), 2.0, Curve::kim);
  expect_attitude(
      s.at(0.5),
      scalar_first(0.993851042115063, 0.0912214569722661, -0.0491267544323322, 0.0390552669124900),
      {0.480933127170272, -0.417032966926831, 0.542809365693147});
  expect_attitude(
      s.at(1.0),
      scalar_first(0.935602924650567, 0.199915817828040, -0.190416554553836, 0.220050832580331),
      {0.414500667084867, -0.556132437946243, 0.925036911956725});
  expect_attitude(
      s.at(1.5),
      scalar_first(0.819435682942808, 0.231944221851392, -0.324782817514770, 0.411391736568653),
      {0.0474027492852269, -0.291663577619892, 0.823145110537240});
  EXPECT_LT((s.at(0).alpha - Vector3(0.90147320778687, -1.32585019729799, 2.20052205934385)).norm(),
            1e-13);
  EXPECT_LT(
      (s.at(2).alpha - Vector3(-0.629548297308447, 2.3289945353089, -1.46173087860019)).norm(),
      1e-13);
}

TEST(Segment, GivesTheCheckValuesOfTheOtherCurves) {
  expect_attitude(
      Segment(example_start(), example_end(), 2.0, Curve::cubic).at(1.0),
      scalar_first(0.935532919270858, 0.185223371415277, -0.204955558296288, 0.220144676895811),
      {0.404727633455529, -0.584874460581240, 0.910277572001780});
  expect_attitude(
      Segment(example_start(), example_end(), 2.0, Curve::quintic).at(1.0),
      scalar_first(0.932926286252373, 0.212741708103166, -0.204798334281688, 0.206027066979436),
      Vector3::Zero());
  expect_attitude(
      Segment(example_start(), example_end(), 2.0, Curve::kim_quintic).at(1.0),
      scalar_first(0.932015928388033, 0.229186253126808, -0.190182790544936, 0.206519918625850),
      {0.588217913557930, -0.691609583037801, 1.18467211342364});
}

TEST(Segment, EndsExactlyWhereItShould) {
  std::mt19937 g(1);
  for (int k = 0; k < 500; ++k) {
    const Trajectory a = random_state(g);
    Trajectory b = random_state(g);
    if (k % 2) b.q = -b.q;  // the same attitude
    for (const Curve c : curves) {
      const double h = 0.05 + 0.01 * k;
      const Segment s(a, b, h, c);
      const bool second = c == Curve::quintic || c == Curve::kim_quintic;
      for (const auto& [x, y] : {std::pair{s.at(0), a}, std::pair{s.at(h), b}}) {
        EXPECT_LT((x.p - y.p).norm(), 1e-14);
        EXPECT_LT((x.v - y.v).norm(), 1e-12);
        EXPECT_LT(angle(x.q, y.q), 1e-14);
        EXPECT_LT((x.omega - y.omega).norm(), 1e-12);
        if (second) {
          EXPECT_LT((x.a - y.a).norm(), 2e-10);
          EXPECT_LT((x.alpha - y.alpha).norm(), 2e-9);
        }
      }
    }
  }
}

/// Oracle: central differences of attitude and rate.
TEST(Segment, RatesAndAccelerationsAreDerivatives) {
  std::mt19937 g(2);
  constexpr double e = 1e-5;
  for (int k = 0; k < 50; ++k) {
    const Trajectory a = random_state(g), b = random_state(g);
    for (const Curve c : curves) {
      const Segment s(a, b, 1.5, c);
      for (double t = 0.1; t < 1.5; t += 0.2) {
        const Trajectory before = s.at(t - e), at = s.at(t), after = s.at(t + e);
        EXPECT_LT(((after.p - before.p) / (2 * e) - at.v).norm(), 1e-8);
        EXPECT_LT(((after.v - before.v) / (2 * e) - at.a).norm(), 1e-7);
        EXPECT_LT((logarithm(product(after.q, inverse(before.q))) / (2 * e) - at.omega).norm(),
                  1e-8);
        EXPECT_LT(((after.omega - before.omega) / (2 * e) - at.alpha).norm(), 1e-7);
      }
    }
  }
}

/// A coning motion in closed form: turns about z, tilt, turns about z again.
Trajectory coning(double t) {
  constexpr double k = 0.4, c1 = 0.8, c2 = -0.5;
  const Quaternion q1 = exponential({0, 0, c1 * t}), q2 = exponential({k, 0, 0}),
                   q3 = exponential({0, 0, c2 * t});
  Trajectory s;
  s.q = product(q3, product(q2, q1));
  const Vector3 spin(0, 0, c2), tilted = to_body(q2, {0, 0, c1});
  s.omega = to_body(q3, tilted) + spin;
  s.alpha = -spin.cross(to_body(q3, tilted));
  return s;
}

TEST(Segment, HasTheOrdersOfTheFactSheetOnAConingMotion) {
  const auto worst = [](Curve c, double h) {
    double e = 0.0;
    for (double t = 0.0; t < 8.0 - 1e-9; t += h) {
      const Segment s(coning(t), coning(t + h), h, c);
      for (int k = 0; k <= 12; ++k)
        e = std::max(e, angle(s.at(h * k / 12).q, coning(t + h * k / 12).q));
    }
    return e;
  };
  const double table[3][5] = {{1.0, 3.0e-4, 1.5e-4, 3.0e-7, 6.0e-5},
                              {0.5, 3.4e-5, 9.3e-6, 4.5e-9, 8.0e-6},
                              {0.25, 4.2e-6, 5.8e-7, 6.9e-11, 1.0e-6}};
  for (const auto& row : table)
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(worst(curves[c], row[0]) / row[c + 1], 1.0, 0.2);
}

TEST(Segment, ReproducesASteadySpinOfSeveralTurns) {
  for (const double turns : {0.4, 1.2, 2.3, 5.7}) {
    Trajectory a;
    a.omega = 2 * std::numbers::pi * turns * Vector3(1, 2, -2) / 3;
    Trajectory b = a;
    b.q = exponential(a.omega);
    const Segment s(a, b, 1.0, Curve::kim);
    for (double t = 0; t <= 1.0; t += 0.1)
      EXPECT_LT(angle(s.at(t).q, exponential(t * a.omega)), 1e-14) << turns;
  }
}

TEST(Segment, FromRestWithSpeedAtTheEndGoesBackFirst) {
  // reference values D5: why limits are checked over the whole path
  Trajectory a, b;
  b.p.x() = 0.1;
  b.v.x() = 0.1;
  EXPECT_NEAR(Segment(a, b, 30.0, Curve::cubic).at(30 * 0.642857142857).p.x(), -0.371938775510,
              1e-11);
  const Segment s(a, b, 30.0, Curve::quintic);
  double lowest = 0.0;
  for (double t = 0; t < 30; t += 0.01) lowest = std::min(lowest, s.at(t).p.x());
  EXPECT_NEAR(lowest, -0.5147, 1e-4);
}

TEST(Fading, KeepsEverythingContinuousAndEndsWithoutAcceleration) {
  std::mt19937 g(3);
  for (int k = 0; k < 20; ++k) {
    const Trajectory a = random_state(g);
    const Fading f(a, 0.4);
    const Trajectory first = f.at(0);
    EXPECT_EQ(first.p, a.p);
    EXPECT_LT((first.a - a.a).norm() + (first.alpha - a.alpha).norm(), 1e-15);
    constexpr double e = 1e-5;
    for (const double t : {0.1, 0.3, 0.4, 0.5, 1.0}) {
      const Trajectory before = f.at(t - e), at = f.at(t), after = f.at(t + e);
      EXPECT_LT(((after.p - before.p) / (2 * e) - at.v).norm(), 1e-8);
      EXPECT_LT(((after.v - before.v) / (2 * e) - at.a).norm(), 2e-5);  // a kink at the end
      EXPECT_LT((logarithm(product(after.q, inverse(before.q))) / (2 * e) - at.omega).norm(), 1e-8);
    }
    EXPECT_TRUE(f.at(0.4).a.isZero());
    EXPECT_LT((f.at(2.0).v - f.at(0.4).v).norm(), 1e-15);
  }
}

TEST(Fading, HasTheErrorsOfTheFactSheet) {
  // section D4: on the coning motion after 1, 2, 3 intervals of 0.1 s, fading over two; there the
  // acceleration was that of the cubic's end
  const double expected[3] = {1.3e-4, 1.0e-3, 3.4e-3};
  double worst[3] = {};
  for (double t = 0.0; t < 8.0; t += 0.1) {
    const Segment s(coning(t), coning(t + 0.1), 0.1, Curve::cubic);
    const Fading f(s.at(0.1), 0.2);
    for (int k = 0; k < 3; ++k)
      worst[k] = std::max(worst[k], angle(f.at(0.1 * (k + 1)).q, coning(t + 0.1 * (k + 2)).q));
  }
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(worst[k] / expected[k], 1.0, 0.25) << worst[k];
}

TEST(SlowDown, GivesTheCheckValues) {
  const SlowDown s{2.0};
  EXPECT_NEAR(s.at(0.5).rate, 0.896484375, 1e-15);
  EXPECT_NEAR(0.05 * s.at(0.5).path, 0.024291992188, 1e-12);
  EXPECT_NEAR(s.at(1.0).rate, 0.5, 1e-15);
  EXPECT_NEAR(0.05 * s.at(1.0).path, 0.0421875, 1e-15);
  EXPECT_NEAR(0.05 * s.at(2.0).path, 0.05, 1e-15);
  EXPECT_EQ(s.at(2.0).rate, 0.0);
  EXPECT_EQ(s.at(9.0).path, 1.0);  // stays
  EXPECT_NEAR(SlowDown::shortest(0.5, 0.5, 2.0), 1.875, 1e-12);
  EXPECT_NEAR(SlowDown::shortest(0.05, 0.1, 0.5), 0.9375, 1e-12);
}

TEST(SlowDown, NeverExceedsItsAccelerationAndJerk) {
  const double v = 0.3, a = 0.5, j = 2.0;
  const SlowDown s{SlowDown::shortest(v, a, j)};
  double before = 0.0;
  constexpr double e = 1e-4;
  for (double t = 0; t <= s.duration; t += e) {
    Trajectory on;
    on.v.x() = v;
    const Trajectory x = SlowDown::slowed(on, s.at(t));
    EXPECT_LE(std::abs(x.a.x()), a * (1 + 1e-12));
    EXPECT_LE(std::abs(x.a.x() - before) / e, j * 1.001);
    before = x.a.x();
  }
}

/// Slowed on a curved path, rates and accelerations are still derivatives.
TEST(SlowDown, StaysOnThePath) {
  std::mt19937 g(4);
  const Segment path(random_state(g), random_state(g), 5.0, Curve::cubic);
  const SlowDown s{3.0};
  const auto at = [&](double t) {
    const SlowDown::Value v = s.at(t);
    return SlowDown::slowed(path.at(1.0 + v.path), v);
  };
  constexpr double e = 1e-5;
  for (double t = 0.1; t < 3.0; t += 0.3) {
    EXPECT_LT(((at(t + e).p - at(t - e).p) / (2 * e) - at(t).v).norm(), 1e-8);
    EXPECT_LT(((at(t + e).omega - at(t - e).omega) / (2 * e) - at(t).alpha).norm(), 1e-7);
  }
}

}  // namespace
}  // namespace vernier::spatial
