// The flexible robot of Attolico and Masarati against values that an independent program converged
// to (one beam per link, continuous PIDs).
#include <gtest/gtest.h>

#include <cmath>

#include "tests/constrained/mechanisms.hpp"
#include "vernier/kernel/constrained/solver.hpp"

namespace vernier::constrained {
namespace {

struct Expected {
  double time, first, second, x, y;
};
constexpr Expected expected[] = {{1.0, 0.065412, 0.005062, 1.996145, 0.124011},
                                 {2.5, 0.729209, 0.600284, 0.996507, 1.633547},
                                 {5.0, 1.595489, 1.755534, -1.002590, 0.789574}};

/// Largest difference from the expected values.
double error_of(const Settings& settings, double rate) {
  Solver s(mechanisms::robot(), settings);
  s.initialize();
  double most = 0.0;
  long steps = 0;
  for (const Expected& e : expected) {
    for (; steps < std::lround(e.time * rate); ++steps) {
      if (s.step(1.0 / rate).end == StepReport::End::failed) return INFINITY;
    }
    double first[3], second[3];
    s.measure(mechanisms::robot_servo(0), first);
    s.measure(mechanisms::robot_servo(1), second);
    const Vector3& tip = s.node(5).x;
    most = std::max({most, std::abs(first[2] - e.first), std::abs(second[2] - e.second),
                     std::abs(tip.x - e.x), std::abs(tip.y - e.y)});
  }
  return most;
}

TEST(FlexibleRobot, HasTheEquationsOfThePaper) {
  const Solver s(mechanisms::robot(), {});
  EXPECT_EQ(s.equations(), 84);
  EXPECT_EQ(s.rows(), 48);
}

TEST(FlexibleRobot, FollowsTheReferenceAtBothRates) {
  // values have six digits; the scheme's own error is 7.7e-6 m at 330 Hz and 8.3e-7 m at 1 kHz
  EXPECT_LT(error_of({}, 1000.0), 1.5e-6);
  EXPECT_LT(error_of({}, 330.0), 9e-6);
}

TEST(FlexibleRobot, NeedsOneIterationInRealTime) {
  const Settings once{.iterations_most = 1, .accept_unconverged = true};
  EXPECT_LT(error_of(once, 1000.0), 1.5e-6);
  EXPECT_LT(error_of(once, 330.0), 5e-5);
}

}  // namespace
}  // namespace vernier::constrained
