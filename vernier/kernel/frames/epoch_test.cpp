#include "vernier/kernel/frames/epoch.hpp"

#include <gtest/gtest.h>

#include "vernier/kernel/frames/dates.hpp"

namespace vernier::frames {
namespace {

TEST(Epoch, ReadsDatesOfUtc) {
  const auto e = parsed_epoch("2026-06-01T12:00:00.5Z");
  ASSERT_TRUE(e);
  // 2026-06-01 is MJD 61192, noon of 2000-01-01 is 51544.5
  constexpr std::int64_t morning = 9647 * 86400 + 43200;
  EXPECT_EQ(e->tai, (Seconds{morning + 43200 + 37, attoseconds_per_second / 2}));
  EXPECT_EQ(leap_seconds(*e), 37);
  EXPECT_EQ(parsed_epoch("2026-06-01")->tai.whole, morning + 37);
  EXPECT_EQ(parsed_epoch(" 2026-06-01 06:30 ")->tai.whole, morning + 23400 + 37);
  EXPECT_EQ(parsed_epoch("2026-06-01T00:00:00.000000000000000001999")->tai.attoseconds, 1);
}

TEST(Epoch, CountsTheLeapSecondsOfItsDate) {
  EXPECT_EQ(leap_seconds(*parsed_epoch("2008-04-28")), 33);
  EXPECT_EQ(leap_seconds(*parsed_epoch("2016-12-31T23:59:59")), 36);
  EXPECT_EQ(leap_seconds(*parsed_epoch("2017-01-01")), 37);
  // 2016-12-31 had 86401 seconds
  const Epoch before = *parsed_epoch("2016-12-31T23:59:60");
  const Epoch after = *parsed_epoch("2017-01-01T00:00:00");
  EXPECT_EQ(elapsed(before, after), 1.0);
  EXPECT_EQ(leap_seconds(before), 36);
}

TEST(Epoch, RefusesWhatIsNotADate) {
  for (const char* text : {"", "2026", "2026-13-01", "2026-02-30", "2026-06-01T25:00", "26-06-01",
                           "2026-06-01T12:00:61", "2026-06-01T12:00:00.", "2026-06-01T12",
                           "2026-06-01T12:00 UT", "1969-07-20", "2300-01-01", "2026-6-1"}) {
    EXPECT_FALSE(parsed_epoch(text)) << text;
  }
}

TEST(Epoch, AddsSecondsExactly) {
  const Epoch e = *parsed_epoch("2026-06-01T23:59:59.75");
  EXPECT_EQ(shifted(e, 0.25), *parsed_epoch("2026-06-02"));
  EXPECT_EQ(shifted(e, -0.75), *parsed_epoch("2026-06-01T23:59:59"));
  EXPECT_EQ(shifted(e, std::chrono::nanoseconds(-1)).tai,
            (Seconds{e.tai.whole, 749999999000000000}));
  Epoch sum = e;
  for (int k = 0; k < 1000; ++k) sum = shifted(sum, exact_seconds(0, 1, 1000));
  EXPECT_EQ(sum, shifted(e, 1.0));  // a thousandth is no double, but a number of attoseconds
  EXPECT_EQ(elapsed(shifted(e, 1e-15), e), -1e-15);
  EXPECT_EQ(shifted(e, std::numeric_limits<double>::quiet_NaN()), e);
  EXPECT_EQ(shifted(Epoch{}, 1e300).tai.whole, 1'000'000'000'000);
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
