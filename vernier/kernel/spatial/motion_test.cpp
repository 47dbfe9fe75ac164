#include "vernier/kernel/spatial/motion.hpp"

#include <gtest/gtest.h>

namespace vernier::spatial {
namespace {

const Motion moving{{0.1, -0.2, 0.3}, {1.0, 2.0, -1.5}};
const Force pushing{{4.0, -1.0, 0.5}, {0.3, 0.7, -2.0}};
const Vector3 arm(0.6, -1.1, 0.2);

TEST(Motion, PowerDoesNotDependOnTheReferencePoint) {
  EXPECT_NEAR(power(shifted(moving, arm), shifted(pushing, arm)), power(moving, pushing), 1e-14);
}

TEST(Motion, ShiftingThereAndBackChangesNothing) {
  const Motion back = shifted(shifted(moving, arm), -arm);
  EXPECT_LT((back.linear - moving.linear).norm(), 1e-15);
  const Force same = shifted(shifted(pushing, arm), -arm);
  EXPECT_LT((same.moment - pushing.moment).norm(), 1e-15);
}

TEST(Motion, APointOfASpinningBodyMovesAcrossTheAxis) {
  const Motion spin{{0.0, 0.0, 2.0}, Vector3::Zero()};
  EXPECT_EQ(shifted(spin, {3.0, 0.0, 0.0}).linear, Vector3(0.0, 6.0, 0.0));
}

}  // namespace
}  // namespace vernier::spatial
