#include "vernier/gateway/link/steps.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/base/random.hpp"

namespace vernier::link {
namespace {

TEST(Period, IsExactForRatesThatAreNotWholeNanoseconds) {
  EXPECT_EQ(period_of({250, 1}), (Period{4'000'000, 1}));
  EXPECT_EQ(period_of({30, 1}), (Period{100'000'000, 3}));
  EXPECT_EQ(instant(0, {100'000'000, 3}, 3'000'000), 100'000'000'000'000);  // 100000 s
  EXPECT_EQ(instant(7, {100'000'000, 3}, -1), 7 - 33'333'334);
  EXPECT_FALSE(plausible({999, 1}));
  EXPECT_FALSE(plausible({1'000'000, 0}));
  EXPECT_TRUE(plausible({1'000'000'000'000, 1}));
  EXPECT_FALSE(plausible({~std::uint64_t{0}, 1}));
}

TEST(Ratio, IsInLowestTerms) {
  EXPECT_EQ(ratio(period_of({10, 1}), period_of({250, 1})), (Ratio{25, 1}));
  EXPECT_EQ(ratio(period_of({30, 1}), period_of({250, 1})), (Ratio{25, 3}));
  EXPECT_EQ(ratio(period_of({250, 1}), period_of({10, 1})), (Ratio{1, 25}));
  EXPECT_EQ(ratio({0, 1}, {1'000, 1}), std::nullopt);
  // two large primes each: 78 bits over 78 bits
  EXPECT_EQ(
      ratio({4'611'686'018'427'387'847, 4'294'967'291}, {4'611'686'018'427'387'817, 4'294'967'279}),
      std::nullopt);
}

// the worked example of the reference: Δt_c/Δt_s = 4; pairs (0,21), (1,25), (2,29) give step 41 for
// 5
TEST(StepMap, ReproducesTheWorkedExample) {
  const std::pair<std::int64_t, std::int64_t> pairs[] = {{0, 21}, {1, 25}, {2, 29}};
  for (const auto& [client, server] : pairs) {
    StepMap map{*ratio({16'000'000, 1}, {4'000'000, 1})};
    map.refer(client - 1, server);  // arrived in the step before the boundary
    EXPECT_EQ(map.home_reference, client);
    EXPECT_EQ(map.target(5), (ExactStep{41, 0, 1}));
    EXPECT_EQ(map.home(41).whole, 5);
  }
}

TEST(StepMap, RoundsOnlyWhenAsked) {
  StepMap map{{25, 3}, 0, 100};
  EXPECT_EQ(map.target(1), (ExactStep{108, 1, 3}));
  EXPECT_EQ(map.target(1).ceil(), 109);
  EXPECT_EQ(map.target(1).rounded(), 108);
  EXPECT_EQ(map.target(2).rounded(), 117);  // 116 2/3
  EXPECT_EQ(map.target(-1), (ExactStep{91, 2, 3}));
  EXPECT_EQ(map.target(3'000'000'000).whole, 25'000'000'100);
  EXPECT_EQ((StepMap{{1, 2}, 0, 0}.target(1).rounded()), 1);
  // where doubles fail: 0.2/0.004 times 1.1 and 4.001/0.001
  EXPECT_EQ(ratio({2'200'000'000, 10}, {4'000'000, 1}), (Ratio{55, 1}));
  EXPECT_EQ(ratio({4'001'000'000, 1}, {1'000'000, 1}), (Ratio{4001, 1}));
}

// The error of the mapped instant in a simulation of both sides: always late, by at least the
// packet's delay and at most one more step of the faster side.
TEST(StepMap, IsLateByTheDelayAndLessThanAStepOfTheFasterSide) {
  Random random(7);
  const std::pair<Rate, Rate> rates[] = {{{250, 1}, {1000, 1}}, {{10, 1}, {250, 1}},
                                         {{1, 1}, {250, 1}},    {{30, 1}, {250, 1}},
                                         {{100, 1}, {250, 1}},  {{250, 1}, {10, 1}}};
  for (const auto& [home_rate, target_rate] : rates) {
    const Period home = period_of(home_rate), target = period_of(target_rate);
    StepMap map{*ratio(home, target)};
    const double h = seconds(home), t = seconds(target), fast = std::min(h, t);
    const double phase = 0.37 * h;  // home's step 0 begins this long after the target's
    for (int trial = 0; trial < 2000; ++trial) {
      const auto sent = static_cast<std::int64_t>(1000 + 1000 * random.uniform());
      const double delay = 0.0023 * -std::log(random.uniform());
      const double arrival = static_cast<double>(sent) * t + delay;
      const auto home_step = static_cast<std::int64_t>(std::floor((arrival - phase) / h));
      // only the last packet before a boundary counts there
      const double boundary = phase + static_cast<double>(home_step + 1) * h;
      if (boundary - arrival > t) continue;
      map.refer(home_step, sent);
      const double mapped = map.target(home_step + 1).value() * t;  // target time it names
      const double late = boundary - mapped;
      EXPECT_GE(late, delay - 1e-9);
      EXPECT_LE(late, delay + fast + 1e-9);
    }
  }
}

}  // namespace
}  // namespace vernier::link
