#include "vernier/run/composition/time_text.hpp"

#include <gtest/gtest.h>

namespace vernier::composition {
namespace {

using namespace std::chrono_literals;

TEST(TimeDecimals, TellStepsApart) {
  EXPECT_EQ(time_decimals(100ms, 900s), 3);
  EXPECT_EQ(time_decimals(1ms, 40s), 3);
  EXPECT_EQ(time_decimals(500us, 40s), 4);
  EXPECT_EQ(time_decimals(1us, 40s), 6);
  EXPECT_EQ(time_decimals(1ns, 40s), 9);
}

TEST(TimeDecimals, TellAThousandthOfTheRunApart) {
  EXPECT_EQ(time_decimals(1ms, 2ms), 6);  // 2 µs
  EXPECT_EQ(time_decimals(1ms, 1s), 3);
  EXPECT_EQ(time_decimals(1s, 100ns), 9);
  EXPECT_EQ(time_decimals(Duration{}, Duration{}), 3);
}

}  // namespace
}  // namespace vernier::composition
