#include "vernier/kernel/spatial/lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace vernier::spatial {
namespace {

using Two = double __attribute__((vector_size(16)));

double ulps(double value, long double truth) {
  const double t = static_cast<double>(truth);
  const double ulp = std::nextafter(std::abs(t), 2.0) - std::abs(t);
  return static_cast<double>(std::abs(value - truth)) / ulp;
}

// oracle: the C library in long double
TEST(Lanes, SineAndCosineAreGoodToOneAndAHalfUlps) {
  std::mt19937_64 random(1);
  double worst = 0.0, worst_lanes = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const double scale = i % 3 == 0 ? 1e6 : i % 3 == 1 ? 7.0 : 1e-3;
    const double x = std::uniform_real_distribution<double>(-scale, scale)(random);
    double s = 0.0, c = 0.0;
    sine_cosine(x, s, c);
    worst = std::max({worst, ulps(s, std::sin(static_cast<long double>(x))),
                      ulps(c, std::cos(static_cast<long double>(x)))});
    Two fs, fc;
    sine_cosine(Two{x, -x}, fs, fc);
    worst_lanes = std::max({worst_lanes, ulps(fs[0], std::sin(static_cast<long double>(x))),
                            ulps(fc[1], std::cos(static_cast<long double>(x)))});
  }
  EXPECT_LT(worst, 1.5);
  EXPECT_LT(worst_lanes, 1.5);
}

TEST(Lanes, SineNextToAMultipleOfHalfPiKeepsItsDigits) {
  for (int k : {1, 2, 3, 1000, 65537, 600000}) {
    const double x = k * (std::numbers::pi / 2);
    double s = 0.0, c = 0.0;
    sine_cosine(x, s, c);
    EXPECT_LT(ulps(s, std::sin(static_cast<long double>(x))), 1.5) << k;
    EXPECT_LT(ulps(c, std::cos(static_cast<long double>(x))), 1.5) << k;
  }
}

TEST(Lanes, SineFarAwayIsThatOfTheLibraryAndOfNothingIsNothing) {
  double s = 0.0, c = 0.0;
  sine_cosine(1e15, s, c);
  EXPECT_EQ(s, std::sin(1e15));
  EXPECT_EQ(c, std::cos(1e15));
  Two fs, fc;
  sine_cosine(Two{0.5, 1e15}, fs, fc);
  EXPECT_EQ(fs[1], std::sin(1e15));
  EXPECT_EQ(fc[0], std::cos(0.5));
  sine_cosine(std::numeric_limits<double>::infinity(), s, c);
  EXPECT_TRUE(std::isnan(s) && std::isnan(c));
  sine_cosine(0.0, s, c);
  EXPECT_EQ(s, 0.0);
  EXPECT_EQ(c, 1.0);
}

TEST(Lanes, ConstantsMasksAndSelectionGoLaneByLane) {
  EXPECT_EQ(lane_count<double>, 1);
  EXPECT_EQ(lane_count<Two>, 2);
  const Two a = {1.0, 4.0}, b = constant<Two>(2.5);
  const Two smaller = select(a < b, a, b);
  EXPECT_EQ(smaller[0], 1.0);
  EXPECT_EQ(smaller[1], 2.5);
  EXPECT_TRUE(all(a < constant<Two>(5.0)));
  EXPECT_FALSE(all(a < b));
  EXPECT_EQ(square_root(a)[1], 2.0);
}

}  // namespace
}  // namespace vernier::spatial
