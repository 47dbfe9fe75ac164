#include "vernier/kernel/frames/epoch.hpp"

#include <gtest/gtest.h>

namespace vernier::frames {
namespace {

TEST(Epoch, ReadsDatesOfUtc) {
  const auto e = parsed_epoch("2026-06-01T12:00:00.5Z");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->day, 2461192.5);  // 2026-06-01 is MJD 61192
  EXPECT_EQ(e->seconds, 43200.5 + 37.0);
  EXPECT_EQ(leap_seconds(*e), 37.0);
  EXPECT_EQ(parsed_epoch("2026-06-01")->seconds, 37.0);
  EXPECT_EQ(parsed_epoch(" 2026-06-01 06:30 ")->seconds, 6.5 * 3600 + 37.0);
}

TEST(Epoch, CountsTheLeapSecondsOfItsDate) {
  EXPECT_EQ(leap_seconds(*parsed_epoch("2008-04-28")), 33.0);
  EXPECT_EQ(leap_seconds(*parsed_epoch("2016-12-31T23:59:59")), 36.0);
  EXPECT_EQ(leap_seconds(*parsed_epoch("2017-01-01")), 37.0);
  // 2016-12-31 had 86401 seconds
  const Epoch before = *parsed_epoch("2016-12-31T23:59:60");
  const Epoch after = *parsed_epoch("2017-01-01T00:00:00");
  EXPECT_EQ((after.day - before.day) * 86400.0 + after.seconds - before.seconds, 1.0);
}

TEST(Epoch, RefusesWhatIsNotADate) {
  for (const char* text : {"", "2026", "2026-13-01", "2026-02-30", "2026-06-01T25:00", "26-06-01",
                           "2026-06-01T12:00:61", "2026-06-01T12:00:00.", "2026-06-01T12",
                           "2026-06-01T12:00 UT", "1969-07-20", "2300-01-01", "2026-6-1"}) {
    EXPECT_FALSE(parsed_epoch(text)) << text;
  }
}

TEST(Epoch, AddsSecondsAcrossMidnight) {
  const Epoch e = shifted({2461192.5, 86000.0}, 86400.0 + 500.0);
  EXPECT_EQ(e.day, 2461194.5);
  EXPECT_EQ(e.seconds, 100.0);
  EXPECT_EQ(shifted({2461192.5, 10.0}, -20.0).day, 2461191.5);
}

TEST(Epoch, TerrestrialTimeIsAheadBy32Point184Seconds) {
  // J2000.0: 2000-01-01 12:00:00 TT = 11:58:55.816 UTC
  const JulianDate tt = terrestrial_time(*parsed_epoch("2000-01-01T11:58:55.816"));
  EXPECT_NEAR((tt.whole - 2451545.0) + tt.part, 0.0, 1e-15);
}

TEST(Epoch, UniversalTimeFollowsTheEarth) {
  const JulianDate ut = universal_time(*parsed_epoch("2007-04-05T12:00:00"), -0.072073685);
  EXPECT_NEAR((ut.whole - 2454195.5) + ut.part, 0.5 - 0.072073685 / 86400.0, 1e-16);
}

TEST(Epoch, DecimalYearsCountTheDaysOfTheYear) {
  EXPECT_NEAR(decimal_year(*parsed_epoch("2025-01-01")), 2025.0, 1e-12);
  EXPECT_NEAR(decimal_year(*parsed_epoch("2024-07-02")), 2024.5, 1e-12);  // day 183 of 366
  EXPECT_NEAR(decimal_year(*parsed_epoch("2025-07-02T12:00")), 2025.5, 1e-12);
}

}  // namespace
}  // namespace vernier::frames
