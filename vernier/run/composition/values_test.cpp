#include "vernier/run/composition/detail/values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vernier::composition::detail {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(Duration, IsExactInEveryUnitOfTime) {
  EXPECT_EQ(parsed_duration("600 s"), 600s);
  EXPECT_EQ(parsed_duration("600"), 600s);
  EXPECT_EQ(parsed_duration(" 10ms "), 10ms);
  EXPECT_EQ(parsed_duration("5 min"), 300s);
  EXPECT_EQ(parsed_duration("0.1 s"), 100ms);
  EXPECT_EQ(parsed_duration("1e-9"), 1ns);
  EXPECT_EQ(parsed_duration("2.5e3 us"), 2500us);
  EXPECT_EQ(parsed_duration("1 h"), 3600s);
  EXPECT_EQ(parsed_duration("3650 d"), 3650 * 24h);
  EXPECT_EQ(parsed_duration("0"), 0s);
}

TEST(Duration, IsRoundedToTheNearestNanosecond) {
  EXPECT_EQ(parsed_duration("0.0000000016"), 2ns);
  EXPECT_EQ(parsed_duration("0.333333333333 s"), 333333333ns);
}

TEST(Duration, IsNothingElse) {
  for (const char* text : {"", "s", "10 m", "-1 s", "1 s s", "nan", "inf", "1e300", "1e31 s",
                           "300 y", "400000 d", "0x10", "1..2", "."}) {
    EXPECT_EQ(parsed_duration(text), std::nullopt) << text;
  }
}

TEST(Duration, OfAFractionIsExactOrNothing) {
  EXPECT_EQ(parsed_duration("1/4 s"), 250ms);
  EXPECT_EQ(parsed_duration("1/330 s"), std::nullopt);
  EXPECT_EQ(parsed_duration("1/0 s"), std::nullopt);
}

TEST(Periods, AreTimesOrThoseOfRates) {
  const auto is = [](const char* text, Duration time, Rate rate = {}) {
    const auto p = parsed_period(text);
    ASSERT_TRUE(p) << text;
    EXPECT_EQ(p->time, time) << text;
    EXPECT_EQ(p->rate, rate) << text;
  };
  is("4 ms", 4ms);
  is("1/250 s", 4ms);
  is("250 Hz", 4ms);
  is("60 per 3 s", 50ms);
  // no whole number of nanoseconds: 1e9/330 = 3030303.03, 1e9/72 = 13888888.9
  is("1/330 s", 3030303ns, {330, 1});
  is("72 Hz", 13888888ns, {72, 1});
  EXPECT_EQ(parsed_period("1/330 s")->length(), 1.0 / 330.0);
  EXPECT_EQ(parsed_period("4 ms")->length(), 0.004);
  EXPECT_FALSE(parsed_period("fast"));
  EXPECT_FALSE(parsed_period("0 Hz"));
}

TEST(Rates, MayBeFractions) {
  EXPECT_EQ(parsed_rate("1/330 s"), (Rate{330, 1}));
  EXPECT_EQ(parsed_rate("1/3 Hz"), (Rate{1, 3}));
}

TEST(Rates, AreExactRatios) {
  EXPECT_EQ(parsed_rate("10 Hz"), (Rate{10, 1}));
  EXPECT_EQ(parsed_rate("0.5 Hz"), (Rate{1, 2}));
  EXPECT_EQ(parsed_rate("2.5Hz"), (Rate{5, 2}));
  EXPECT_EQ(parsed_rate("1 kHz"), (Rate{1000, 1}));
  EXPECT_EQ(parsed_rate("60 per 1 s"), (Rate{60, 1}));
  EXPECT_EQ(parsed_rate("30 per 1001 ms"), (Rate{30000, 1001}));
  EXPECT_EQ(parsed_rate("100 ms"), (Rate{10, 1}));
  EXPECT_EQ(parsed_rate("5 min"), (Rate{1, 300}));
  EXPECT_EQ(parsed_rate("1 ns"), (Rate{1'000'000'000, 1}));
}

TEST(Rates, AreRefusedWhenUnclearOrTooLargeForTicks) {
  for (const char* text : {"10", "0 Hz", "0 s", "fast", "Hz", "-1 Hz", "2e9 Hz", "60 per",
                           "60 per 0 s", "1 per 1 m", "0.1234567891234 Hz", "1e30 per 1 ns"}) {
    EXPECT_EQ(parsed_rate(text), std::nullopt) << text;
  }
}

TEST(Delays, AreTicksOrTimes) {
  EXPECT_EQ(parsed_delay("1 tick")->ticks, 1);
  EXPECT_EQ(parsed_delay("3 ticks")->ticks, 3);
  EXPECT_EQ(parsed_delay("5 ms")->time, 5ms);
  EXPECT_FALSE(parsed_delay("one tick"));
  EXPECT_FALSE(parsed_delay("-1 tick"));
  EXPECT_FALSE(parsed_delay("1.5 ticks"));
}

TEST(Numbers, ShareTheUnitThatFollows) {
  EXPECT_THAT(*parsed_numbers("1 2, 3", "", ""), ElementsAre(1.0, 2.0, 3.0));
  EXPECT_THAT(*parsed_numbers("1 2 km", "", ""), ElementsAre(1000.0, 2000.0));
  EXPECT_THAT(*parsed_numbers("1 2km", "", ""), ElementsAre(1000.0, 2000.0));
  EXPECT_THAT(*parsed_numbers("4", "km", "m"), ElementsAre(4000.0));
  EXPECT_THAT(*parsed_numbers("4", "", "km"), ElementsAre(4000.0));
  EXPECT_THAT(*parsed_numbers("-1e-3 rad/s", "", "rad/s"), ElementsAre(-1e-3));
}

TEST(Numbers, AreRefusedInAnotherDimensionOrWithTwoUnits) {
  EXPECT_FALSE(parsed_numbers("4 s", "", "m"));
  EXPECT_FALSE(parsed_numbers("4 m", "m", ""));
  EXPECT_FALSE(parsed_numbers("2 Hz", "", "rad/s"));
  EXPECT_FALSE(parsed_numbers("0,5", "", ""));  // one number, or two?
  EXPECT_FALSE(parsed_numbers("1 2,3", "", ""));
  EXPECT_FALSE(parsed_numbers("m", "", ""));
  EXPECT_FALSE(parsed_numbers("", "", ""));
  EXPECT_FALSE(parsed_numbers("4 parsnips", "", ""));
}

TEST(Paths, HaveSlicesAsInPython) {
  const auto check = [](const char* text, const char* path, std::uint32_t first,
                        std::uint32_t last) {
    const auto p = parsed_path(text);
    ASSERT_TRUE(p) << text;
    EXPECT_EQ(p->path, path);
    EXPECT_EQ(p->first, first) << text;
    EXPECT_EQ(p->last, last) << text;
    EXPECT_EQ(p->path + slice_text(p->first, p->last), text);
  };
  check("body.omega", "body.omega", 0, UINT32_MAX);
  check("body.omega[1]", "body.omega", 1, 2);
  check("q[0:3]", "q", 0, 3);
  check("bus.wheel-1.speed[2:]", "bus.wheel-1.speed", 2, UINT32_MAX);
  EXPECT_EQ(parsed_path("q[:3]")->last, 3u);
}

TEST(Paths, AreRefusedWhenEmptyOrOpen) {
  for (const char* text : {"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[1", "a[3:0]", "a[1:1]",
                           "a[-1]", "a[1]b", "a b", "a[99999999999]", "a[x]", "1a"}) {
    EXPECT_FALSE(parsed_path(text)) << text;
  }
}

}  // namespace
}  // namespace vernier::composition::detail
