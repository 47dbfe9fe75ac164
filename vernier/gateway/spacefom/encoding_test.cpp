#include "vernier/gateway/spacefom/encoding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vernier::spacefom {
namespace {

using frames::WireAttitude;

Octets octets(std::initializer_list<int> values) {
  Octets o;
  for (const int v : values) o.push_back(std::byte(v));
  return o;
}

template <class F>
Octets written(F f) {
  Octets o;
  f(o);
  return o;
}

// the vectors are computed by hand from the standard's encodings

TEST(Encoding, WritesStringsBigEndian) {
  EXPECT_EQ(written([](Octets& o) { put_string("ExCO", o); }),
            octets({0, 0, 0, 4, 0, 0x45, 0, 0x78, 0, 0x43, 0, 0x4f}));
  EXPECT_EQ(written([](Octets& o) { put_string("", o); }), octets({0, 0, 0, 0}));
  const std::string text = "Mond-\u00fc\u2609\U0001f680";
  EXPECT_EQ(read_string(written([&](Octets& o) { put_string(text, o); })), text);
  EXPECT_EQ(narrow(wide(text)), text);
}

TEST(Encoding, WritesNumbersLittleEndianAndTicksBigEndian) {
  const double epoch = 1597341669.184, seven = 7000.0;
  EXPECT_EQ(written([&](Octets& o) {
              put_reals({&seven, 1}, o);
            }),
            octets({0, 0, 0, 0, 0, 0x58, 0xbb, 0x40}));
  EXPECT_EQ(written([&](Octets& o) {
              put_reals({&epoch, 1}, o);
            }),
            octets({0xa8, 0xc6, 0x4b, 0xf9, 0x5f, 0xcd, 0xd7, 0x41}));
  EXPECT_EQ(written([](Octets& o) { put_mode(Mode::freeze, o); }), octets({3, 0}));
  EXPECT_EQ(written([](Octets& o) { put_ticks(1'000'000, o); }),
            octets({0, 0, 0, 0, 0, 0x0f, 0x42, 0x40}));
  EXPECT_EQ(written([](Octets& o) { put_ticks(250'000, o); }),
            octets({0, 0, 0, 0, 0, 0x03, 0xd0, 0x90}));
  EXPECT_EQ(read_mode(octets({3, 0})), Mode::freeze);
  EXPECT_EQ(read_ticks(octets({0, 0, 0, 0, 0, 0x03, 0xd0, 0x90})), 250'000);
}

TEST(Encoding, PutsTheStateRecordInto112BytesScalarFirst) {
  TimedState s;
  s.state.position = {1, 2, 3};
  s.state.velocity = {4, 5, 6};
  // own axes rotated by +90 degrees about the parent's z: encoded as Q = (cos 45, 0, 0, -sin 45)
  s.state.attitude = spatial::turned({0, 0, 1}, std::acos(-1.0) / 2);
  s.state.rate = {7, 8, 9};
  s.time = 10;
  const Octets o = written([&](Octets& b) { put_state(s, WireAttitude::parent_to_own, b); });
  ASSERT_EQ(o.size(), 112u);
  std::array<double, 14> n{};
  ASSERT_TRUE(read_reals(o, n));
  const double h = std::sqrt(0.5);
  const double expected[]{1, 2, 3, 4, 5, 6, h, 0, 0, -h, 7, 8, 9, 10};
  for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(n[i], expected[i], 1e-15) << i;
  // the other convention uses the conjugate
  const Octets e = written([&](Octets& b) { put_state(s, WireAttitude::own_to_parent, b); });
  ASSERT_TRUE(read_reals(e, n));
  EXPECT_NEAR(n[9], h, 1e-15);
  for (const auto way : {WireAttitude::parent_to_own, WireAttitude::own_to_parent}) {
    const auto back = read_state(written([&](Octets& b) { put_state(s, way, b); }), way);
    ASSERT_TRUE(back);
    EXPECT_LT((back->state.attitude - s.state.attitude).norm(), 1e-15);
    EXPECT_EQ(back->time, 10.0);
  }
}

TEST(Encoding, RefusesWhatIsNotOfTheType) {
  EXPECT_FALSE(read_string(octets({0, 0, 0})));
  EXPECT_FALSE(read_string(octets({0xff, 0xff, 0xff, 0xff, 0, 1})));
  EXPECT_FALSE(read_string(octets({0, 0, 0, 1, 0xd8, 0})));
  EXPECT_FALSE(read_string(octets({0, 0, 0, 1, 0xdc, 0})));
  EXPECT_FALSE(read_mode(octets({5, 0})));
  EXPECT_FALSE(read_mode(octets({0xff, 0xff})));
  EXPECT_FALSE(read_ticks(octets({1, 2})));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double x = 3.0;
  EXPECT_FALSE(read_reals(written([&](Octets& o) { put_reals({&nan, 1}, o); }), {&x, 1}));
  EXPECT_EQ(x, 3.0);
  const Octets zeros(state_bytes, std::byte{0});  // a zero quaternion is not a rotation
  EXPECT_FALSE(read_state(zeros, WireAttitude::parent_to_own));
}

TEST(Steps, SayWhichRuleIsBroken) {
  EXPECT_EQ(broken_rule({.step = 250'000,
                         .simulation = 50'000,
                         .federation = 250'000,
                         .least_common = 1'000'000}),
            "");
  EXPECT_NE(broken_rule({.step = 250'000, .simulation = 100'000}).find("4-18"), std::string::npos);
  EXPECT_NE(broken_rule({.step = 250'000, .federation = 100'000}).find("4-19"), std::string::npos);
  EXPECT_NE(broken_rule({.step = 250'000, .lookahead = 0}).find("4-20"), std::string::npos);
  EXPECT_NE(broken_rule({.step = 250'000, .least_common = 600'000}).find("4-17"),
            std::string::npos);
  EXPECT_NE(broken_rule({.step = 2'000'000, .least_common = 1'000'000}).find("shorter"),
            std::string::npos);
  EXPECT_NE(broken_rule({.step = 0}).find("4-16"), std::string::npos);
}

TEST(Steps, PutsBoundariesStrictlyBeyond) {
  EXPECT_EQ(boundary_after(0, 1'000'000), 1'000'000);
  EXPECT_EQ(boundary_after(999'999, 1'000'000), 1'000'000);
  EXPECT_EQ(boundary_after(1'000'000, 1'000'000), 2'000'000);
  // untrusted times must not overflow
  constexpr Ticks last = std::numeric_limits<Ticks>::max();
  EXPECT_EQ(boundary_after(last, 1'000'000), last / 1'000'000 * 1'000'000);
  EXPECT_EQ(sum_of(last - 1, 1), last);
  EXPECT_EQ(sum_of(last, last), last);
  EXPECT_EQ(sum_of(-last, -last), std::numeric_limits<Ticks>::min());
  EXPECT_EQ(freeze_time(250'000, 1'000'000, 1'000'000), 2'000'000);
  EXPECT_EQ(freeze_time(1'000'000, 1'000'000, 1'000'000), 2'000'000);
  EXPECT_EQ(usual_padding(1'000'000), 1'000'000);
  EXPECT_EQ(usual_padding(100'000), 300'000);
  EXPECT_EQ(broken_padding(300'000, 100'000), "");
  EXPECT_NE(broken_padding(200'000, 100'000), "");
  EXPECT_NE(broken_padding(150'000, 100'000), "");
}

TEST(Steps, PutsASwappedCommonStepRight) {
  EXPECT_EQ(straightened(1'000'000), 1'000'000);
  EXPECT_EQ(straightened(0x40420f0000000000), 1'000'000);
  EXPECT_EQ(straightened(-1), -1);  // neither byte order gives a plausible value
}

}  // namespace
}  // namespace vernier::spacefom
