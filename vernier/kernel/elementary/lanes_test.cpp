#include "vernier/kernel/elementary/lanes.hpp"

#include <gtest/gtest.h>

namespace vernier::elementary {
namespace {

using Two = Lanes<2>;

TEST(Lanes, ConstantsMasksAndSelectionGoLaneByLane) {
  EXPECT_EQ(lane_count<double>, 1);
  EXPECT_EQ(lane_count<Two>, 2);
  const Two a = {1.0, 4.0}, b = constant<Two>(2.5);
  const Two smaller = select(a < b, a, b);
  EXPECT_EQ(smaller[0], 1.0);
  EXPECT_EQ(smaller[1], 2.5);
  EXPECT_TRUE(all(a < constant<Two>(5.0)));
  EXPECT_FALSE(all(a < b));
  EXPECT_EQ(square_root(a)[1], 2.0);
}

}  // namespace
}  // namespace vernier::elementary
