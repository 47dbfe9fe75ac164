#include "vernier/kernel/frames/ephemeris.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/random.hpp"
#include "vernier/kernel/frames/dates.hpp"
#include "vernier/kernel/frames/standard.hpp"

namespace vernier::frames {
namespace {

using spatial::attitude_matrix;

// An ephemeris of two records of 32 days with random coefficients, as JPL writes them.
struct MadeEphemeris {
  static constexpr int terms = 8, pieces = 4, width = 482, records = 2;
  static constexpr double begin = 2461184.5, step = 32.0;
  std::vector<std::byte> bytes = std::vector<std::byte>(8 * width * (records + 2));
  bool swapped;

  template <class T>
  void put(std::size_t at, T value) {
    auto* p = reinterpret_cast<std::byte*>(&value);
    if (swapped) std::reverse(p, p + sizeof(T));
    std::memcpy(&bytes[at], p, sizeof(T));
  }
  static constexpr int bodies[] = {2, 3, 9, 10, 12};  // the last: librations
  static int first(int body) {
    return body == 2 ? 3 : body == 9 ? 99 : body == 10 ? 195 : body == 3 ? 291 : 387;
  }
  static double coefficient(int record, int body, int k) {
    Random r(static_cast<std::uint64_t>(1000 * record + 100 * body + k) + 7);
    const double size = body == 12 ? 2.0 : body == 9 ? 3e5 : 1.5e8;
    return size * (r.uniform() - 0.5) * std::pow(0.3, k % terms);
  }

  explicit MadeEphemeris(bool swap) : swapped(swap) {
    put(2652, begin);
    put(2660, begin + step * records);
    put(2668, step);
    put(2676, std::int32_t{156});
    put(2680, 149597870.691);
    put(2688, 81.30056);
    put(2840, std::int32_t{405});
    for (const int body : bodies) {
      const std::size_t at = body == 12 ? 2844 : 2696 + 12 * static_cast<std::size_t>(body);
      put(at, first(body));
      put(at + 4, terms);
      put(at + 8, pieces);
    }
    for (int r = 0; r < records; ++r) {
      const std::size_t record = 8 * width * static_cast<std::size_t>(r + 2);
      put(record, begin + step * r);
      put(record + 8, begin + step * (r + 1));
      for (const int body : bodies) {
        for (int k = 0; k < 3 * terms * pieces; ++k)
          put(record + 8 * static_cast<std::size_t>(first(body) - 1 + k), coefficient(r, body, k));
      }
    }
  }
};

TEST(Ephemeris, IsTheSumOfItsChebyshevPolynomials) {
  for (const bool swap : {false, true}) {
    const MadeEphemeris made(swap);
    const auto e = Ephemeris::read(made.bytes);
    ASSERT_TRUE(e) << e.error();
    EXPECT_EQ(e->number(), 405);
    EXPECT_EQ(e->begin(), made.begin);
    EXPECT_EQ(e->end(), made.begin + 64.0);
    for (double day = 0.0; day <= 64.0; day += 0.37) {
      Ephemeris::PositionVelocity s;
      ASSERT_TRUE(e->state(Ephemeris::Body::moon, {made.begin, day}, s));
      const int record = day < 32.0 ? 0 : 1, piece = static_cast<int>((day - 32.0 * record) / 8.0);
      const double x = (day - 32.0 * record - 8.0 * piece) / 4.0 - 1.0, angle = std::acos(x);
      for (int i = 0; i < 3; ++i) {
        double p = 0.0, v = 0.0;
        for (int n = 0; n < made.terms; ++n) {
          const double c = made.coefficient(record, 9, made.terms * (3 * piece + i) + n);
          p += 1e3 * c * std::cos(n * angle);  // T_n(x) = cos(n arccos x)
          v += 1e3 * c * n * std::sin(n * angle) / std::sin(angle) / (4.0 * 86400.0);
        }
        EXPECT_NEAR(s.position[i], p, 1e-5);
        if (std::fabs(x) < 0.999) {
          EXPECT_NEAR(s.velocity[i], v, 1e-8);
        }
      }
    }
    Ephemeris::PositionVelocity s;
    EXPECT_FALSE(e->state(Ephemeris::Body::moon, {made.begin, -1e-6}, s));
    EXPECT_FALSE(e->state(Ephemeris::Body::moon, {made.begin, 64.001}, s));
    EXPECT_FALSE(e->state(Ephemeris::Body::moon, {std::nan(""), 0.0}, s));
    EXPECT_FALSE(e->state(Ephemeris::Body::jupiter, {made.begin, 1.0}, s));
  }
}

TEST(Ephemeris, RefusesWhatIsNotOne) {
  const auto refused = [](const MadeEphemeris& m) {
    const auto e = Ephemeris::read(m.bytes);
    return e ? "accepted" : e.error();
  };
  const auto with = [&](std::size_t at, auto value) {
    MadeEphemeris m(false);
    m.put(at, value);
    return refused(m);
  };
  constexpr std::size_t record = 8 * MadeEphemeris::width;
  EXPECT_EQ(with(2676, std::int32_t{0}), "it is not a binary ephemeris of JPL");
  EXPECT_EQ(with(2680, std::nan("")), "it is not a binary ephemeris of JPL");
  EXPECT_EQ(with(2688, 0.0), "its mass ratio of Earth and Moon is absurd");
  EXPECT_EQ(with(2668, 0.0), "its span of time is absurd");
  EXPECT_EQ(with(2660, std::nan("")), "its span of time is absurd");
  EXPECT_EQ(with(2696 + 12 * 9, std::int32_t{-5}), "its table of coefficients is absurd");
  EXPECT_EQ(with(2696 + 12 * 9 + 4, std::int32_t{2000000000}),
            "its table of coefficients is absurd");
  EXPECT_EQ(with(2 * record, 1e200), "one of its coefficients is absurd");
  EXPECT_EQ(with(2 * record, 1e9), "its span of time is absurd");
  EXPECT_EQ(with(2 * record, 2461185.5), "record 1 is not for the days at its place");
  EXPECT_EQ(with(3 * record + 8, 0.0), "record 2 is not for the days at its place");
  EXPECT_EQ(with(2 * record + 800, std::nan("")), "one of its coefficients is absurd");
  MadeEphemeris cut(false);
  cut.bytes.resize(2 * record + 5);
  EXPECT_EQ(refused(cut), "it has no coefficients");
  cut.bytes.resize(100);
  EXPECT_EQ(refused(cut), "it is too short for an ephemeris of JPL");
  EXPECT_THROW(Ephemeris::load("/no/such/file"), ConfigurationError);
  EXPECT_FALSE(Ephemeris::installed());
}

TEST(Ephemeris, GivesTheStandardFramesTheirPlaces) {
  const MadeEphemeris made(true);
  const Ephemeris e = *Ephemeris::read(made.bytes);
  const StandardFrames frames({.ephemeris = e});
  std::array<FrameState, standard_frame_count> s;
  const Epoch at = *parsed_instant("2026-06-07T07:12 TDB");  // within the second polynomial
  ASSERT_TRUE(frames.states(at, s));
  Ephemeris::PositionVelocity both, moon;
  ASSERT_TRUE(e.state(Ephemeris::Body::earth_moon, {2461198.5, 0.3}, both));
  ASSERT_TRUE(e.state(Ephemeris::Body::moon, {2461198.5, 0.3}, moon));
  EXPECT_LT((s[9].position - both.position).norm(), 1e-3);  // EarthMoonBarycentricInertial
  EXPECT_LT((s[9].velocity - both.velocity).norm() / both.velocity.norm(), 3.4e-10);  // by TT
  EXPECT_LT((s[12].position - moon.position).norm(), 1e-5);  // MoonCentricInertial
  EXPECT_LT((s[12].velocity - moon.velocity).norm() / moon.velocity.norm(), 3.4e-10);
  // MoonCentricFixed: R1 R2 R3 by the angles of DE405, after R3 R1 R3 by the librations
  Vector3 angles;
  ASSERT_TRUE(e.librations({2461198.5, 0.3}, angles));
  const auto axes = [](double angle, int axis) {
    return Matrix3(Eigen::AngleAxisd(-angle, Vector3::Unit(axis)));
  };
  const double arc_second = M_PI / 648000.0;
  const Matrix3 mean = axes(-0.1462 * arc_second, 0) * axes(-79.0768 * arc_second, 1) *
                       axes(-63.8986 * arc_second, 2);
  const Matrix3 principal = axes(angles[2], 2) * axes(angles[1], 0) * axes(angles[0], 2);
  EXPECT_LT((attitude_matrix(s[13].attitude) - mean * principal).norm(), 1e-13);
  EXPECT_GT(s[13].rate.norm(), 1e-8);
  EXPECT_FALSE(frames.states(*parsed_epoch("2027-01-01"), s));
  EXPECT_FALSE(frames.states(*parsed_epoch("2026-05-24T01:00"), s));  // no samples before
}

}  // namespace
}  // namespace vernier::frames
