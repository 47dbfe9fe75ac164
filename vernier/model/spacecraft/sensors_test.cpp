#include "vernier/model/spacecraft/sensors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/testing/rig.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier::spacecraft {
namespace {

using namespace std::chrono_literals;
using testing::made_component;
using testing::Rig;
using Texts = std::map<std::string, std::string>;

std::vector<double> samples(Component& sensor, int count, double truth) {
  Rig rig(sensor);
  std::vector<double> values;
  for (int i = 0; i < 3; ++i) rig.in("truth", i) = truth;
  for (int k = 0; k < count; ++k) {
    rig.settle();
    values.push_back(rig.out("reading", 0));
    rig.step(100ms);
  }
  return values;
}

TEST(VectorSensor, WithoutErrorsSaysTheTruth) {
  const auto sensor = made_component(magnetometer_type());
  Rig rig(*sensor);
  rig.in("truth", 1) = 3.1e-5;
  rig.settle();
  EXPECT_EQ(rig.out("reading", 1), 3.1e-5);
  EXPECT_EQ(sensor->description().inputs[0].unit, "T");
  EXPECT_EQ(sensor->description().rate, (Rate{10, 1}));
  EXPECT_TRUE(sensor->description().outputs[0].noise.empty());
}

TEST(VectorSensor, NoiseHasTheGivenMeanAndDeviation) {
  const auto sensor = made_component(
      rate_sensor_type(), {{"noise", "0.01"}, {"bias", "0.5 0 0"}, {"scale", "0.1 0 0"}});
  const int n = 100000;
  const auto values = samples(*sensor, n, 2.0);
  double mean = 0.0, square = 0.0;
  for (const double v : values) mean += v / n;
  for (const double v : values) square += (v - mean) * (v - mean) / n;
  // five standard deviations of the estimates
  EXPECT_NEAR(mean, 1.1 * 2.0 + 0.5, 5 * 0.01 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(square) / 0.01, 1.0, 5 / std::sqrt(2.0 * n));
  EXPECT_EQ(sensor->description().outputs[0].noise, std::vector<double>(3, 0.01));
}

// Allan variance of samples 0.1 s apart, over groups of m
double allan(const std::vector<double>& v, int m) {
  std::vector<double> means;
  for (std::size_t i = 0; i + m <= v.size(); i += m) {
    double sum = 0.0;
    for (int k = 0; k < m; ++k) sum += v[i + k];
    means.push_back(sum / m);
  }
  double sum = 0.0;
  for (std::size_t i = 1; i < means.size(); ++i) sum += std::pow(means[i] - means[i - 1], 2);
  return sum / (2.0 * static_cast<double>(means.size() - 1));
}

TEST(VectorSensor, AllanVarianceIsThatOfWhiteNoiseAndARandomWalk) {
  const auto white = made_component(rate_sensor_type(), {{"noise", "0.02"}});
  const auto values = samples(*white, 200000, 0.0);
  for (const int m : {1, 10, 100}) {
    // σ²/m; the estimate has a relative deviation of sqrt(3 m / n)
    EXPECT_NEAR(allan(values, m) / (0.02 * 0.02 / m), 1.0, 5 * std::sqrt(3.0 * m / 200000)) << m;
  }
  const auto drifting = made_component(rate_sensor_type(), {{"bias_drift", "0.001"}});
  const auto walk = samples(*drifting, 200000, 0.0);
  for (const int m : {10, 100}) {
    // walk with deviation K per square root of a second: K² τ/3 (1 + 1/(2 m²)) for sampled means
    const double tau = 0.1 * m, expected = 1e-6 * tau / 3.0 * (1.0 + 0.5 / (m * m));
    EXPECT_NEAR(allan(walk, m) / expected, 1.0, 5 * std::sqrt(3.0 * m / 200000)) << m;
  }
}

TEST(VectorSensor, QuantisesAndSaturates) {
  const auto sensor =
      made_component(rate_sensor_type(), {{"resolution", "0.01"}, {"range", "0.5 rad/s"}});
  Rig rig(*sensor);
  rig.in("truth", 0) = 0.1234;
  rig.in("truth", 1) = -3.0;
  rig.in("truth", 2) = 0.499;
  rig.settle();
  EXPECT_NEAR(rig.out("reading", 0), 0.12, 1e-15);
  EXPECT_EQ(rig.out("reading", 1), -0.5);
  EXPECT_NEAR(rig.out("reading", 2), 0.5, 1e-15);
}

TEST(VectorSensor, EqualSeedsGiveEqualReadingsAndOthersDoNot) {
  const Texts texts{{"noise", "0.02"}, {"bias_drift", "0.01"}};
  const auto a = made_component(rate_sensor_type(), texts, 7);
  const auto b = made_component(rate_sensor_type(), texts, 7);
  const auto c = made_component(rate_sensor_type(), texts, 8);
  const auto first = samples(*a, 50, 0.1);
  EXPECT_EQ(first, samples(*b, 50, 0.1));
  EXPECT_NE(first, samples(*c, 50, 0.1));
  EXPECT_EQ(first, samples(*a, 50, 0.1)) << "initialize() begins anew";
}

TEST(Sensors, KeepTheComponentContract) {
  const Texts texts{
      {"noise", "0.02"}, {"bias_drift", "0.01"}, {"resolution", "1e-4"}, {"range", "3"}};
  for (const auto& sensor :
       {made_component(rate_sensor_type(), texts), made_component(magnetometer_type(), texts)}) {
    testing::expect_conforming(*sensor, 100ms, [](Rig& r, int k) {
      for (int i = 0; i < 3; ++i) r.in("truth", i) = std::sin(0.3 * k + i);
    });
  }
  const auto sun =
      made_component(sun_sensor_type(), {{"noise", "1 deg"}, {"half_angle", "60 deg"}});
  testing::expect_conforming(*sun, 100ms, [](Rig& r, int k) {
    r.in("truth", 0) = std::cos(0.1 * k);
    r.in("truth", 1) = std::sin(0.1 * k);
    r.in("illumination") = k % 7 ? 1.0 : 0.0;
  });
}

TEST(SunSensor, SeesTheSunInItsFieldOfViewOnly) {
  const auto sensor =
      made_component(sun_sensor_type(), {{"boresight", "0 0 2"}, {"half_angle", "30 deg"}});
  Rig rig(*sensor);
  const auto look = [&](double angle) {
    rig.in("truth", 0) = std::sin(angle);
    rig.in("truth", 2) = std::cos(angle);
    rig.settle();
    return rig.out("seen");
  };
  EXPECT_EQ(look(0.52), 1.0);
  EXPECT_NEAR(rig.out("reading", 0), std::sin(0.52), 1e-15);
  EXPECT_EQ(look(0.53), 0.0);
  EXPECT_EQ(rig.out("reading", 2), 0.0);
  rig.in("illumination") = 0.4;
  EXPECT_EQ(look(0.0), 0.0);
}

TEST(SunSensor, ErrsByTheGivenAngle) {
  const auto sensor = made_component(sun_sensor_type(), {{"noise", "0.01 rad"}});
  Rig rig(*sensor);
  rig.in("truth", 0) = 0.6;
  rig.in("truth", 1) = 0.8;
  double square = 0.0;
  const int n = 20000;
  for (int k = 0; k < n; ++k) {
    rig.settle();
    double length = 0.0;
    for (int i = 0; i < 3; ++i) length += std::pow(rig.out("reading", i), 2);
    ASSERT_NEAR(length, 1.0, 1e-14);
    const double across = -0.8 * rig.out("reading", 0) + 0.6 * rig.out("reading", 1);
    square += (across * across + std::pow(rig.out("reading", 2), 2)) / n;
    rig.step(100ms);
  }
  EXPECT_NEAR(std::sqrt(square / 2.0) / 0.01, 1.0, 5 / std::sqrt(4.0 * n));
}

TEST(Sensors, RefuseParametersThatMakeNoSense) {
  EXPECT_THROW(made_component(rate_sensor_type(), {{"noise", "-1"}}), ConfigurationError);
  EXPECT_THROW(made_component(rate_sensor_type(), {{"rate", "0"}}), ConfigurationError);
  EXPECT_THROW(made_component(rate_sensor_type(), {{"rate", "3.7 Hz"}}), ConfigurationError);
  EXPECT_THROW(made_component(sun_sensor_type(), {{"half_angle", "200 deg"}}), ConfigurationError);
  EXPECT_THROW(made_component(sun_sensor_type(), {{"boresight", "0 0 0"}}), ConfigurationError);
  EXPECT_EQ(made_component(rate_sensor_type(), {{"rate", "0.1 Hz"}})->description().rate,
            (Rate{1, 10}));
}

}  // namespace
}  // namespace vernier::spacecraft
