#include "vernier/kernel/frames/ephemeris.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

/// The tables of real files, as their headers have them (GROUP 1050): first number, coefficients,
/// polynomials, for each item.
struct RealLayout {
  const char* name;
  int number, constants, width;
  double begin, end, unit, ratio;
  std::array<std::array<int, 3>, 15> table;
};
constexpr std::array<std::array<int, 3>, 13> usual{{{3, 14, 4},
                                                    {171, 10, 2},
                                                    {231, 13, 2},
                                                    {309, 11, 1},
                                                    {342, 8, 1},
                                                    {366, 7, 1},
                                                    {387, 6, 1},
                                                    {405, 6, 1},
                                                    {423, 6, 1},
                                                    {441, 13, 8},
                                                    {753, 11, 2},
                                                    {819, 10, 4},
                                                    {899, 10, 4}}};
RealLayout real_layout(int number, const char* name, int constants, int width,
                       std::array<int, 3> mantle, std::array<int, 3> clock) {
  RealLayout r{name,      number,      constants,     width, 2305424.5,
               2305488.5, 149597870.7, 81.3005690741, {}};
  std::copy(usual.begin(), usual.end(), r.table.begin());
  r.table[13] = mantle;
  r.table[14] = clock;
  return r;
}

double made_coefficient(int record, std::size_t item, int k) {
  Random r(static_cast<std::uint64_t>(100'000 * record + 5'000 * static_cast<int>(item) + k) + 3);
  return (item >= 11 ? 1.0 : 1e6) * (r.uniform() - 0.5);
}

std::vector<std::byte> made_file(const RealLayout& l, bool swapped) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(8 * l.width * 4));
  const auto put = [&](std::size_t at, auto value) {
    auto* p = reinterpret_cast<std::byte*>(&value);
    if (swapped) std::reverse(p, p + sizeof value);
    std::memcpy(&bytes[at], p, sizeof value);
  };
  const auto text = [&](std::size_t at, std::string s, std::size_t width) {
    s.resize(width, ' ');
    std::memcpy(&bytes[at], s.data(), width);
  };
  text(0, std::string("JPL Planetary Ephemeris ") + l.name, 84);
  text(84, "Start Epoch: JED=  2305424.5 1599-DEC-09 00:00:00", 84);
  text(168, "Final Epoch: JED=  2305488.5 1600-FEB-11 00:00:00", 84);
  for (int i = 0; i < 400; ++i)
    text(252 + 6 * static_cast<std::size_t>(i), i < l.constants ? "C" + std::to_string(i) : "", 6);
  put(2652, l.begin);
  put(2660, l.end);
  put(2668, 32.0);
  put(2676, l.constants);
  put(2680, l.unit);
  put(2688, l.ratio);
  put(2840, l.number);
  std::size_t at = 2856;
  for (int i = 400; i < l.constants; ++i, at += 6) text(at, "C" + std::to_string(i), 6);
  for (std::size_t i = 0; i < (l.number >= 430 ? 15u : 13u); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      put((i < 12 ? 2696 + 12 * i : i == 12 ? 2844 : at + 12 * (i - 13)) + 4 * k, l.table[i][k]);
  for (int r = 0; r < 2; ++r) {
    const std::size_t record = static_cast<std::size_t>(8 * l.width * (r + 2));
    put(record, l.begin + 32.0 * r);
    put(record + 8, l.begin + 32.0 * (r + 1));
    for (std::size_t i = 0; i < 15; ++i) {
      const int numbers = l.table[i][1] * l.table[i][2] * (i == 11 ? 2 : i == 14 ? 1 : 3);
      for (int k = 0; k < numbers; ++k)
        put(record + 8 * static_cast<std::size_t>(l.table[i][0] - 1 + k),
            made_coefficient(r, i, k));
    }
  }
  return bytes;
}

TEST(Ephemeris, ReadsTheLayoutsOfRealFiles) {
  // DE405; DE430 with the short header that leaves out asteroids, with TT - TDB; DE440
  const RealLayout layouts[]{
      real_layout(405, "DE405/LE405", 156, 1018, {}, {}),
      real_layout(430, "DE430/LE430", 229, 1122, {1019, 0, 0}, {1019, 13, 8}),
      real_layout(430, "DE430t/LE430t", 572, 1122, {1019, 0, 0}, {1019, 13, 8}),
      real_layout(440, "DE440/LE440", 645, 1018, {1019, 0, 0}, {1019, 0, 0})};
  for (const RealLayout& l : layouts)
    for (const bool swapped : {false, true}) {
      SCOPED_TRACE(std::string(l.name) + (swapped ? ", the other byte order" : ""));
      const auto e = Ephemeris::read(made_file(l, swapped));
      ASSERT_TRUE(e) << e.error();
      EXPECT_EQ(e->number(), l.number);
      EXPECT_EQ(e->astronomical_unit(), l.unit * 1e3);
      EXPECT_EQ(e->mass_ratio(), l.ratio);
      EXPECT_EQ(e->begin(), l.begin);
      EXPECT_EQ(e->end(), l.end);
      for (const double day : {0.0, 3.3, 15.99, 32.0, 45.25, 64.0}) {
        const JulianDate at{l.begin, day};
        // every item by T_n(x) = cos(n arccos x), from the table alone
        const auto sum = [&](std::size_t item, int component) {
          const auto [first, terms, pieces] = l.table[item];
          const int record = day < 32.0 ? 0 : 1;
          const double into = day - 32.0 * record, length = 32.0 / pieces;
          const int piece = std::min(pieces - 1, static_cast<int>(into / length));
          const double angle = std::acos(2.0 * (into - piece * length) / length - 1.0);
          const int parts = item == 11 ? 2 : item == 14 ? 1 : 3;
          double s = 0.0;
          for (int n = 0; n < terms; ++n)
            s += made_coefficient(record, item, terms * (parts * piece + component) + n) *
                 std::cos(n * angle);
          return s;
        };
        for (std::size_t item = 0; item < 11; ++item) {
          Ephemeris::PositionVelocity s;
          ASSERT_TRUE(e->state(static_cast<Ephemeris::Body>(item), at, s));
          for (int i = 0; i < 3; ++i) EXPECT_NEAR(s.position[i], 1e3 * sum(item, i), 1e-3) << item;
        }
        double longitude = 0.0, obliquity = 0.0, seconds = 0.0;
        Vector3 angles;
        ASSERT_TRUE(e->nutations(at, longitude, obliquity));
        EXPECT_NEAR(longitude, sum(11, 0), 1e-12);
        EXPECT_NEAR(obliquity, sum(11, 1), 1e-12);
        ASSERT_TRUE(e->librations(at, angles));
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(angles[i], sum(12, i), 1e-12);
        ASSERT_EQ(e->tt_minus_tdb(at, seconds), l.table[14][1] > 0);
        if (l.table[14][1] > 0) {
          EXPECT_NEAR(seconds, sum(14, 0), 1e-12);
        }
      }
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
