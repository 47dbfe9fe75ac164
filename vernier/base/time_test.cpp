#include "vernier/base/time.hpp"

#include <gtest/gtest.h>

namespace vernier {
namespace {

using namespace std::chrono_literals;

TEST(Rate, DoesNotDriftOverThirtyYears) {
  const Rate sixty{60, 1};
  const std::int64_t years = 30LL * 365 * 86400;
  EXPECT_EQ(tick(sixty, 60 * years), Time{std::chrono::seconds(years)});
  EXPECT_EQ(tick(sixty, 60 * years + 1), Time{std::chrono::seconds(years) + 16'666'666ns});
  EXPECT_EQ(tick(sixty, 60 * years + 59), Time{std::chrono::seconds(years) + 983'333'333ns});
}

TEST(Rate, NeverStandsStillOrRunsBack) {
  const Rate odd{7, 3};
  for (std::int64_t k = 0; k < 10'000; ++k) EXPECT_LT(tick(odd, k), tick(odd, k + 1));
  EXPECT_EQ(tick(odd, 7), Time{3s});
}

TEST(Instant, OrdersByTimeThenMicrostep) {
  EXPECT_LT((Instant{Time{1s}, 5}), (Instant{Time{2s}, 0}));
  EXPECT_LT((Instant{Time{1s}, 0}), (Instant{Time{1s}, 1}));
}

}  // namespace
}  // namespace vernier
