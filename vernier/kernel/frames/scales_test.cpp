#include "vernier/kernel/frames/scales.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vernier/base/random.hpp"
#include "vernier/kernel/frames/dates.hpp"

namespace vernier::frames {
namespace {

std::string shown(const Epoch& e, Scale s, int digits = 6, double dut1 = 0.0) {
  return date_text(reading(e, s, dut1), digits);
}

TEST(Scales, ShowWhatTheSofaExampleShows) {
  // "SOFA Time Scale and Calendar Tools", section 3: 2006-01-15 21:24:37.5 UTC, dut1 = 0.3341 s.
  // TDB there is that of an observatory, within 2.1 us of the geocentre's
  const Epoch e = *parsed_epoch("2006-01-15T21:24:37.5");
  EXPECT_EQ(shown(e, Scale::utc), "2006-01-15T21:24:37.500000");
  EXPECT_EQ(shown(e, Scale::ut1, 6, 0.3341), "2006-01-15T21:24:37.834100");
  EXPECT_EQ(shown(e, Scale::tai), "2006-01-15T21:25:10.500000");
  EXPECT_EQ(shown(e, Scale::tt), "2006-01-15T21:25:42.684000");
  EXPECT_EQ(shown(e, Scale::tcg), "2006-01-15T21:25:43.322690");
  const Seconds ahead = reading(e, Scale::tdb).count - reading(e, Scale::tt).count;
  EXPECT_NEAR(rounded(ahead), 0.000373, 2.1e-6);
}

TEST(Scales, TdbFollowsTheEarthsAnomaly) {
  // Explanatory Supplement (1992), eq. 2.222-1: good to 0.03 ms
  for (int k = 0; k < 40; ++k) {
    const Epoch e{{k * 31557600LL / 7, 0}};
    const double days = rounded(e.tai) / 86400.0;
    const double g = (357.53 + 0.9856003 * days) * std::numbers::pi / 180.0;
    const double ahead = rounded(reading(e, Scale::tdb).count - reading(e, Scale::tt).count);
    EXPECT_NEAR(ahead, 0.001658 * std::sin(g) + 0.000014 * std::sin(2.0 * g), 5e-5) << k;
  }
}

TEST(Scales, GpsBeganWithUtcIn1980) {
  const Epoch e = *parsed_epoch("1980-01-06");
  EXPECT_EQ(since(Origin::gps, reading(e, Scale::gps)), Seconds{});
  EXPECT_EQ(shown(e, Scale::gps, 0), "1980-01-06T00:00:00");
  EXPECT_EQ(shown(*parsed_epoch("2017-01-01"), Scale::gps, 0), "2017-01-01T00:00:18");
  EXPECT_EQ(*parsed_instant("GPS 0 0"), e);
  EXPECT_EQ(*parsed_instant("gps 1930 18"), *parsed_epoch("2017-01-01"));  // a Sunday
}

TEST(Scales, UnixTimeEndsIn2038) {
  const Epoch e = *parsed_epoch("2038-01-19T03:14:07Z");
  EXPECT_EQ(since(Origin::unix, reading(e, Scale::utc)), (Seconds{2147483647, 0}));
  EXPECT_EQ(*parsed_instant("UNIX 2147483647"), e);
  EXPECT_EQ(since(Origin::unix, reading(*parsed_epoch("1972-01-01"), Scale::utc)).whole, 63072000);
}

TEST(Scales, ALeapSecondIsASecondOfItsOwn) {
  const Epoch e = *parsed_epoch("2016-12-31T23:59:60.25");
  EXPECT_EQ(shown(e, Scale::tai, 2), "2017-01-01T00:00:36.25");
  EXPECT_EQ(shown(e, Scale::utc, 2), "2016-12-31T23:59:60.25");
  EXPECT_EQ(instant(reading(e, Scale::utc), Scale::utc), e);
  EXPECT_EQ(since(Origin::unix, reading(e, Scale::utc)).whole, 1483228800);  // as the second after
  EXPECT_FALSE(parsed_epoch("2017-12-31T23:59:60"));
  EXPECT_FALSE(parsed_epoch("2016-12-31T22:59:60"));
  EXPECT_FALSE(parsed_instant("2016-12-31T23:59:60 TT"));
  // 27 of them from 1972 to 2017, ten seconds before
  int found = 0;
  for (int year = 1972; year < 2018; ++year) {
    for (const char* day : {"-06-30", "-12-31"})
      found += parsed_epoch(std::to_string(year) + day + "T23:59:60").has_value();
  }
  EXPECT_EQ(found, 27);
  EXPECT_EQ(leap_seconds(*parsed_epoch("1972-01-01")), 10);
}

TEST(Scales, EveryScaleGoesBackToTheSameInstant) {
  Random random(11);
  for (int k = 0; k < 2000; ++k) {
    // 1973 to 2100
    const auto s = static_cast<std::int64_t>(-8.5e8 + 4e9 * random.uniform());
    const Epoch e{{s, static_cast<std::int64_t>(1e18 * random.uniform())}};
    for (const Scale scale : {Scale::tai, Scale::tt, Scale::utc, Scale::tcg, Scale::gps})
      ASSERT_EQ(instant(reading(e, scale), scale), e) << k << " " << name_of(scale);
    ASSERT_EQ(instant(reading(e, Scale::ut1, -0.3), Scale::ut1, -0.3), e);
    if (k % 50 == 0) {
      ASSERT_LT(std::fabs(elapsed(instant(reading(e, Scale::tdb), Scale::tdb), e)), 1e-16);
    }
  }
}

TEST(Scales, TcgRunsFasterByAnExactRatio) {
  // at 1977-01-01 TAI it equals TT; after 1e19 attoseconds of TCG times n, TT has lost L_G of them
  const Epoch begin{{-8400 * 86400LL - 43200, 0}};
  EXPECT_EQ(reading(begin, Scale::tcg), reading(begin, Scale::tt));
  const Seconds later = reading(begin, Scale::tcg).count + Seconds{1'000'000'000, 0};
  const Epoch e = instant({later}, Scale::tcg);
  // 1e9 s less 0.6969290134 s, exactly
  EXPECT_EQ(e.tai - begin.tai, (Seconds{999'999'999, 303'070'986'600'000'000}));
}

TEST(Scales, EpochsAreWhereTheCalendarPutsThem) {
  const auto at = [](const char* tt) { return reading(*parsed_instant(tt), Scale::tt); };
  EXPECT_EQ(since(Origin::j2000, at("2000-01-01T12:00 TT")), Seconds{});
  EXPECT_EQ(day_text(since(Origin::julian, at("2000-01-01T12:00 TT")), 1), "2451545.0");
  EXPECT_EQ(since(Origin::mjd, at("1858-11-17 TT")), Seconds{});
  EXPECT_EQ(since(Origin::tjd, at("1968-05-24 TT")), Seconds{});
  EXPECT_EQ(since(Origin::unix, at("1970-01-01 TT")), Seconds{});
  EXPECT_EQ(day_text(since(Origin::mjd, at("1858-11-16T12:00 TT")), 2), "-0.50");
  EXPECT_EQ(second_text({-1, attoseconds_per_second / 4}, 2), "-0.75");
  EXPECT_EQ(*parsed_instant("MJD 61192.5"), *parsed_epoch("2026-06-01T12:00"));
  EXPECT_EQ(*parsed_instant("JD 2461193 UTC"), *parsed_epoch("2026-06-01T12:00"));
  EXPECT_EQ(*parsed_instant("J2000 -32.184 TT"),
            instant({Seconds{} - exact_seconds(32, 184, 1000)}, Scale::tt));
  for (const char* bad :
       {"MJD", "MJD x", "MJD 1 2 3", "FOO 1", "GPS 1.5", "JD 1e9", "JD 99999999999",
        "2026-06-01 EST", "1500-01-01 TT", "J2000 1 EST", "2026-06-01T12:00 utcx"})
    EXPECT_FALSE(parsed_instant(bad)) << bad;
}

TEST(Scales, ScenarioTimeIsSecondsOfTtInTjd) {
  // TJD 18487.75 UTC with 37 leap seconds: the example of the SpaceFOM standard
  const Epoch e = *parsed_instant("TJD 18487.75 UTC");
  EXPECT_EQ(scenario_time(e), 1597341669.184);
  EXPECT_EQ(scenario_instant(1597341669.184), e);
  EXPECT_EQ(*parsed_instant("TJDS 1597341669.184"), e);
  EXPECT_EQ(logical_time(1597341669.184, 1597341669.184 + 0.25), 250000);
  for (std::int64_t us : {0LL, 1LL, 999999LL, 7812500LL, 86400LL * 1000000 + 3, -5LL})
    EXPECT_EQ(logical_time(1597341669.184, *scenario_time(1597341669.184, us)), us);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(logical_time(nan, 0.0));
  EXPECT_FALSE(logical_time(0.0, 1e300));
  EXPECT_FALSE(scenario_time(0.0, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace
}  // namespace vernier::frames
