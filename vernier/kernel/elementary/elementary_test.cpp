// vectors of any width, whatever the processor passes in registers: nothing is passed to other code
#pragma GCC diagnostic ignored "-Wpsabi"

#include "vernier/kernel/elementary/elementary.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "vernier/kernel/elementary/circular.hpp"
#include "vernier/kernel/elementary/exponential.hpp"
#include "vernier/kernel/elementary/inverse.hpp"

namespace vernier::elementary {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Distance from the truth in units of the last place there.
double ulps(double value, long double truth) {
  const double rounded = static_cast<double>(truth);
  if (std::isnan(value) || std::isnan(rounded))
    return std::isnan(value) == std::isnan(rounded) ? 0.0 : infinity;
  if (std::isinf(value) || std::isinf(rounded)) return value == rounded ? 0.0 : infinity;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  const long double ulp = std::ldexp(1.0L, std::max(exponent - 53, -1074));
  return static_cast<double>(std::abs(value - truth) / ulp);
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

using Real = double (*)(double);
using Wide = long double (*)(long double);
using Two = Lanes<2>;
using Four = Lanes<4>;
using Eight = Lanes<8>;

struct Function {
  const char* name;
  Real ours, library;
  Wide truth;  // the C library in long double: 11 bits more
  double bound;
  std::function<Two(const Two&)> two;
  std::function<void(const double*, double*)> four, eight;
};

template <class T, class F>
std::function<void(const double*, double*)> in_lanes(F f) {
  return [f](const double* from, double* to) {
    T x;
    std::memcpy(&x, from, sizeof x);
    x = f(x);
    std::memcpy(to, &x, sizeof x);
  };
}

#define VERNIER_FUNCTION(name, lanes, bound)                                                  \
  Function {                                                                                  \
#name, [](double x) { return elementary::name(x); }, [](double x) { return std::name(x); }, \
        [](long double x) { return std::name(x); }, bound, [](const Two& x) { return lanes(x); }, \
        in_lanes<Four>([](const Four& x) { return lanes(x); }),                                 \
        in_lanes<Eight>([](const Eight& x) { return lanes(x); }) \
  }

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      VERNIER_FUNCTION(sin, sine, 0.8),
      VERNIER_FUNCTION(cos, cosine, 0.8),
      VERNIER_FUNCTION(tan, tangent, 0.95),
      VERNIER_FUNCTION(asin, arcsine, 0.75),
      VERNIER_FUNCTION(acos, arccosine, 0.75),
      VERNIER_FUNCTION(atan, arctangent, 0.75),
      VERNIER_FUNCTION(sinh, hyperbolic_sine, 0.8),
      VERNIER_FUNCTION(cosh, hyperbolic_cosine, 0.8),
      VERNIER_FUNCTION(tanh, hyperbolic_tangent, 0.8),
      VERNIER_FUNCTION(exp, exponential, 0.8),
      VERNIER_FUNCTION(log, logarithm, 0.9),
      VERNIER_FUNCTION(log10, logarithm10, 0.55),
      VERNIER_FUNCTION(cbrt, cube_root, 0.55),
  };
  return all;
}

/// Arguments of all magnitudes, and more of those near one and near multiples of π/2.
class Arguments {
 public:
  double operator()() {
    const std::uint64_t kind = random_() % 8;
    if (kind == 0) return std::bit_cast<double>(random_());  // NaN and infinities too
    if (kind == 1) return uniform(-750.0, 750.0);
    if (kind == 2) return uniform(-1e6, 1e6);
    if (kind == 3) return beside(static_cast<double>(random_() % 1000000) * (std::numbers::pi / 2));
    if (kind == 4) return uniform(-1.0, 1.0);
    if (kind == 5) return beside(static_cast<double>(random_() % 40) / 4.0 - 5.0);
    return uniform(-8.0, 8.0);
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double beside(double x) {
    for (std::uint64_t n = random_() % 4; n > 0; --n) x = std::nextafter(x, infinity);
    return x;
  }
  std::mt19937_64 random_{20260101};
};

const std::vector<double> special = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     infinity,
                                     -infinity,
                                     nan,
                                     5e-324,
                                     -5e-324,
                                     1e-310,
                                     0x1p-1022,
                                     std::numeric_limits<double>::max(),
                                     -std::numeric_limits<double>::max(),
                                     0.5,
                                     -0.5,
                                     2.0,
                                     -2.0,
                                     3.0,
                                     -3.0,
                                     2.5,
                                     -2.5,
                                     1e300,
                                     4503599627370497.0,  // odd, just below and above 2^53 / 2
                                     -4503599627370497.0,
                                     9007199254740991.0,
                                     9007199254740992.0,
                                     std::numbers::pi / 2,
                                     std::numbers::pi,
                                     std::nextafter(1.0, 0.0),
                                     std::nextafter(1.0, 2.0),
                                     709.782712893384,
                                     -745.1332191019411,
                                     -745.1332191019412};

/// The same, up to rounding: signs of zeros, infinities and NaN agree.
void expect_like_the_library(double ours, double library, const std::string& what) {
  EXPECT_EQ(std::isnan(ours), std::isnan(library)) << what;
  if (std::isnan(ours) || std::isnan(library)) return;
  EXPECT_EQ(std::signbit(ours), std::signbit(library)) << what;
  if (std::isinf(library) || library == 0.0) {
    EXPECT_EQ(ours, library) << what;
  } else {
    EXPECT_LE(ulps(ours, library), 4.0) << what;  // the library's own error
  }
}

TEST(Elementary, FunctionsOfOneNumberAreGoodToOneUlp) {
  for (const Function& f : functions()) {
    Arguments argument;
    double worst = 0.0, at = 0.0;
    for (int i = 0; i < 100000; ++i) {
      const double x = argument(), error = ulps(f.ours(x), f.truth(x));
      if (error > worst) worst = error, at = x;
    }
    EXPECT_LT(worst, f.bound) << f.name << "(" << std::hexfloat << at << ")";
  }
}

TEST(Elementary, FunctionsOfTwoNumbersAreGoodToOneUlp) {
  Arguments argument;
  double of_pow = 0.0, of_atan2 = 0.0, of_hypot = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const double x = argument(), y = argument();
    const long double a = x, b = y;
    of_atan2 = std::max(of_atan2, ulps(elementary::atan2(y, x), std::atan2(b, a)));
    of_hypot = std::max(of_hypot, ulps(elementary::hypot(x, y), std::hypot(a, b)));
    // exponents for which the power is in range, whole ones among them
    const double base = i % 3 == 0 ? x : std::abs(x);
    double exponent = y;
    if (i % 2 == 0 && base != 1.0) exponent = std::fmod(y, 745.0) / std::log(std::abs(base));
    if (i % 3 == 0) exponent = std::round(exponent);
    of_pow = std::max(
        of_pow, ulps(elementary::pow(base, exponent),
                     std::pow(static_cast<long double>(base), static_cast<long double>(exponent))));
  }
  EXPECT_LT(of_pow, 0.8);
  EXPECT_LT(of_atan2, 0.75);
  EXPECT_LT(of_hypot, 0.75);
}

TEST(Elementary, SpecialCasesAreThoseOfTheStandard) {
  for (const Function& f : functions()) {
    for (const double x : special)
      expect_like_the_library(f.ours(x), f.library(x), f.name + ("(" + std::to_string(x) + ")"));
  }
  for (const double x : special) {
    for (const double y : special) {
      const std::string what = "(" + std::to_string(x) + ", " + std::to_string(y) + ")";
      expect_like_the_library(elementary::pow(x, y), std::pow(x, y), "pow" + what);
      expect_like_the_library(elementary::atan2(x, y), std::atan2(x, y), "atan2" + what);
      expect_like_the_library(elementary::hypot(x, y), std::hypot(x, y), "hypot" + what);
    }
  }
}

TEST(Elementary, WhatIsExactComesOutExactly) {
  double power = 1.0;
  for (int n = 0; n <= 22; ++n, power *= 10.0) {
    EXPECT_EQ(elementary::log10(power), n);
    EXPECT_EQ(elementary::pow(10.0, n), power);
  }
  for (int n = -1074; n < 1024; ++n) EXPECT_EQ(elementary::pow(2.0, n), std::ldexp(1.0, n));
  for (int n = -1000; n <= 1000; ++n) {
    const double x = n;
    EXPECT_EQ(elementary::cbrt(x * x * x), x);
    EXPECT_EQ(elementary::pow(x, 3.0), x * x * x);
    EXPECT_EQ(elementary::pow(x * x, 0.5), std::abs(x));
    EXPECT_EQ(elementary::hypot(3.0 * x, 4.0 * x), 5.0 * std::abs(x));
  }
  EXPECT_EQ(elementary::exp(0.0), 1.0);
  EXPECT_EQ(elementary::cosh(0.0), 1.0);
  EXPECT_EQ(elementary::acos(-1.0), std::numbers::pi);
  EXPECT_EQ(elementary::asin(1.0), std::numbers::pi / 2);
  EXPECT_EQ(elementary::atan(1.0), std::numbers::pi / 4);
  EXPECT_EQ(elementary::atan2(0.0, -1.0), std::numbers::pi);
}

// The hardest arguments of reduction: Muller, Elementary Functions, 3rd ed., section 11.4: the
// number nearest to a multiple of π/2, and others far away; and doubles next to such multiples.
TEST(Elementary, SineKeepsItsDigitsNextToMultiplesOfHalfPi) {
  std::vector<double> hard = {
      6381956970095103.0 * 0x1p797, 5.319372648326541e+255, 1e22, 0x1p1023, 1e6,
      std::nextafter(1e6, 2e6)};
  for (int k = 1; k < 2000000; k = k * 5 / 4 + 1) {
    const double x = k * (std::numbers::pi / 2);
    for (const double at : {std::nextafter(x, 0.0), x, std::nextafter(x, infinity)}) {
      hard.push_back(at);
      hard.push_back(-at);
    }
  }
  for (const double x : hard) {
    EXPECT_LT(ulps(elementary::sin(x), std::sin(static_cast<long double>(x))), 0.8) << x;
    EXPECT_LT(ulps(elementary::cos(x), std::cos(static_cast<long double>(x))), 0.8) << x;
    EXPECT_LT(ulps(elementary::tan(x), std::tan(static_cast<long double>(x))), 0.95) << x;
  }
}

TEST(Elementary, SineAndCosineTogetherAreThoseAlone) {
  Arguments argument;
  for (int i = 0; i < 50000; ++i) {
    const double x = argument();
    double s = 0.0, c = 0.0;
    sine_cosine(x, s, c);
    EXPECT_TRUE(same_bits(s, elementary::sin(x)) || x == 0.0) << x;
    EXPECT_TRUE(same_bits(c, elementary::cos(x))) << x;
  }
}

// neighbours in a vector take other branches: a lane must not notice
TEST(Elementary, LanesHaveTheBitsOfSingleNumbers) {
  for (const Function& f : functions()) {
    Arguments argument;
    for (int i = 0; i < 3000; ++i) {
      alignas(64) double x[8], four[4], eight[8];
      for (double& one : x) one = argument();
      if (i < 32) x[i % 8] = special[static_cast<std::size_t>(i)];
      f.four(x, four);
      f.eight(x, eight);
      const Two two = f.two(Two{x[0], x[1]});
      for (int k = 0; k < 8; ++k) {
        const double one = f.ours(x[k]);
        if (k < 2) ASSERT_TRUE(same_bits(two[k], one)) << f.name << " of " << x[k];
        if (k < 4) ASSERT_TRUE(same_bits(four[k], one)) << f.name << " of " << x[k];
        ASSERT_TRUE(same_bits(eight[k], one)) << f.name << " of " << x[k];
      }
    }
  }
  Arguments argument;
  for (int i = 0; i < 20000; ++i) {
    const Two x = {argument(), argument()}, y = {argument(), argument()};
    const Two a = power(x, y), b = arctangent2(x, y), c = hypotenuse(x, y);
    for (int k = 0; k < 2; ++k) {
      ASSERT_TRUE(same_bits(a[k], elementary::pow(x[k], y[k]))) << x[k] << " " << y[k];
      ASSERT_TRUE(same_bits(b[k], elementary::atan2(x[k], y[k]))) << x[k] << " " << y[k];
      ASSERT_TRUE(same_bits(c[k], elementary::hypot(x[k], y[k]))) << x[k] << " " << y[k];
    }
  }
}

// found with this code: whoever compiles it elsewhere, or otherwise, must get these bits
TEST(Elementary, BitsAreTheseEverywhere) {
  std::uint64_t digest = 14695981039346656037u;  // FNV-1a
  const auto add = [&](double x) {
    if (std::isnan(x)) x = nan;
    digest = (digest ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211u;
  };
  Arguments argument;
  for (int i = 0; i < 20000; ++i) {
    const double x = argument(), y = argument();
    for (const Function& f : functions()) add(f.ours(x));
    add(elementary::pow(std::abs(x), y));
    add(elementary::atan2(y, x));
    add(elementary::hypot(x, y));
  }
  EXPECT_EQ(digest, 4203343063486948267u);
}

}  // namespace
}  // namespace vernier::elementary
