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

TEST(StepText, IsWhatADocumentSays) {
  EXPECT_EQ(step_text(10ms, {}), "0.01 s");
  EXPECT_EQ(step_text(10ms, {}, 2), "0.005 s");
  EXPECT_EQ(step_text(3030303ns, Rate{330, 1}), "1/330 s");
  EXPECT_EQ(step_text(3030303ns, Rate{330, 1}, 2), "1/660 s");
}

}  // namespace
}  // namespace vernier::composition
