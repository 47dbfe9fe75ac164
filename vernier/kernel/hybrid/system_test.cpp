#include "vernier/kernel/hybrid/system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace vernier::hybrid {
namespace {

// x' = sin(x) u + t, y = x u^2; nothing overridden that has a default
class Plain final : public System {
 public:
  Plain() {
    spec_.states = {{.name = "x"}};
    spec_.inputs = {{.name = "u"}};
    spec_.outputs = {{.name = "y"}};
    spec_.guards = 2;
  }
  const SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const Point& p, std::span<double> xdot, Workspace&) const noexcept override {
    xdot[0] = std::sin(p.x[0]) * p.u[0] + p.t;
  }
  void output(const Point& p, std::span<double> y, Workspace&) const noexcept override {
    y[0] = p.x[0] * p.u[0] * p.u[0];
  }

 private:
  SystemSpec spec_;
};

TEST(System, CountsElementsNotSignals) {
  const std::vector<Signal> signals{{.name = "q", .count = 4}, {.name = "h"}};
  EXPECT_EQ(size(signals), 5u);
  EXPECT_EQ(size(std::vector<Signal>{}), 0u);
}

TEST(System, DifferencesAgreeWithTheDerivatives) {
  const Plain system;
  const auto work = system.workspace();
  const std::vector<double> x{0.7}, u{-1.3}, dx{2.0}, du{0.5};
  double xdot = 0.0;
  double y = 0.0;
  double z[2] = {9.0, 9.0};
  system.tangent({3.0, x, {}, u}, {1.0, dx, du}, {{&xdot, 1}, {&y, 1}, z}, *work);
  // by hand; central differences with a step near the cube root of epsilon keep ten digits
  EXPECT_NEAR(xdot, std::cos(0.7) * 2.0 * -1.3 + std::sin(0.7) * 0.5 + 1.0, 1e-9);
  EXPECT_NEAR(y, 2.0 * 1.69 + 0.7 * 2.0 * -1.3 * 0.5, 1e-9);
  EXPECT_EQ(z[0], 0.0);
  EXPECT_EQ(z[1], 0.0);
}

TEST(System, WithoutTransitionsSelectsNone) {
  const Plain system;
  std::vector<int> chosen{5, 5};
  EXPECT_FALSE(system.select({}, {}, chosen, *system.workspace()));
  EXPECT_EQ(chosen, (std::vector<int>{-1, -1}));
  double z[2] = {0.0, 0.0};
  system.guards({}, z, *system.workspace());
  EXPECT_EQ(z[0], 1.0);
}

}  // namespace
}  // namespace vernier::hybrid
