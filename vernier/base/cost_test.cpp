#include "vernier/base/cost.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace vernier {
namespace {

using namespace std::chrono_literals;

double work(int n) {
  volatile double x = 1.0;
  for (int i = 0; i < n; ++i) x = x * 1.000001;
  return x;
}

TEST(Cost, IsOfTheLeastDisturbedMeasurements) {
  std::vector<double> mostly_disturbed(20, 100.0);
  mostly_disturbed[3] = 10.0;
  mostly_disturbed[7] = 11.0;
  mostly_disturbed[11] = 12.0;
  EXPECT_EQ(undisturbed(mostly_disturbed), 12.0);
  EXPECT_EQ(undisturbed({}), 0.0);
}

// other processes take the processor away: the thread waits, as it does when it sleeps
TEST(Cost, DoesNotCountTimeInWhichOthersRun) {
  const auto began = std::chrono::steady_clock::now();
  const double cost = cost_us(
      [] {
        work(100);
        std::this_thread::sleep_for(1ms);
      },
      10, 10);
  const double wall =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count();
  EXPECT_GT(cost, 0.0);
  EXPECT_LT(cost, 0.5 * wall / 100);  // of 100 calls, each at least a millisecond long
}

}  // namespace
}  // namespace vernier
