#include "vernier/kernel/integration/zeno.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace vernier::integration {
namespace {

// feeds instants t (s) as whole nanoseconds and a remainder
bool note(ZenoWatch& z, long double t) {
  const auto n = static_cast<std::int64_t>(std::ceil(t * 1e9L));
  return z.note(Time(Duration(n)), static_cast<double>(t - static_cast<long double>(n) * 1e-9L));
}

TEST(ZenoWatch, SeesAGeometricAccumulationAndItsLimit) {
  ZenoWatch z;
  long double left = 4.0L;  // to t = 6
  int events = 0;
  while (!note(z, 6.0L - left)) {
    left /= 2.0L;
    ASSERT_LT(++events, 60);
  }
  EXPECT_LT(left, 6e-9L);
  // Aitken is exact for a geometric sequence; the instants were rounded to 1e-17
  EXPECT_NEAR(static_cast<double>(6.0L - left) + z.ahead(), 6.0, 1e-14);
}

TEST(ZenoWatch, LetsRegularAndSlowingEventsPass) {
  ZenoWatch regular, slowing, alternating;
  for (int k = 1; k < 10000; ++k) {
    EXPECT_FALSE(note(regular, 0.001L * k));
    EXPECT_FALSE(note(slowing, 1e-12L * k * k * k));
    EXPECT_FALSE(note(alternating, 0.1L * k + (k % 2 == 0 ? 1e-6L : 0.0L)));
  }
}

TEST(ZenoWatch, LetsAFewCoincidencesPassButNotMany) {
  ZenoWatch z;
  note(z, 1.0L);
  for (int k = 0; k < 9; ++k) EXPECT_FALSE(note(z, 1.0L));
  EXPECT_TRUE(note(z, 1.0L));
}

}  // namespace
}  // namespace vernier::integration
