#include "vernier/model/island/detail/linear_inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/model/island/island.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::island {
namespace {

using namespace std::chrono_literals;
using testing::Rig;

/// x' = u, y = x; leaves "Below" when u > 1.
class Follower final : public hybrid::System {
 public:
  Follower() {
    spec_.states = {{.name = "x"}};
    spec_.inputs = {{.name = "u", .initial = std::vector{0.0}}};
    spec_.outputs = {{.name = "y"}};
    spec_.automata = {{"", {"Below", "Above"}, {{"up", 0, 1, "u > 1"}}, 0}};
    spec_.guards = 1;
  }
  const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const hybrid::Point& p, std::span<double> xdot,
            hybrid::Workspace&) const noexcept override {
    xdot[0] = p.u[0];
  }
  void output(const hybrid::Point& p, std::span<double> y,
              hybrid::Workspace&) const noexcept override {
    y[0] = p.x[0];
  }
  void guards(const hybrid::Point& p, std::span<double> z,
              hybrid::Workspace&) const noexcept override {
    z[0] = p.mode[0] == 0 ? p.u[0] - 1.0 : 1.0;
  }
  bool select(const hybrid::Point& p, std::span<const std::uint8_t>, std::span<int> chosen,
              hybrid::Workspace&) const noexcept override {
    chosen[0] = p.mode[0] == 0 && p.u[0] > 1.0 ? 0 : -1;
    return chosen[0] == 0;
  }
  void jump(const hybrid::Point&, std::span<const int>, hybrid::Jump& j,
            hybrid::Workspace&) const noexcept override {
    j.mode[0] = 1;
  }

 private:
  hybrid::SystemSpec spec_;
};

std::unique_ptr<Component> follower(const char* inputs) {
  IslandSettings settings;
  settings.inputs = inputs;
  return make_island(std::make_unique<Follower>(), settings);
}

// the integral of sin(t) over 2 s, from samples every 10 ms
double integral_of_samples(const char* inputs) {
  const auto c = follower(inputs);
  Rig rig(*c);
  for (int k = 0; k < 200; ++k) {
    rig.in("u") = std::sin(0.01 * k);
    rig.step(10ms);
  }
  return rig.out("y");
}

TEST(LinearInputs, FollowASmoothSignalToSecondOrder) {
  const double exact = 1.0 - std::cos(2.0);
  EXPECT_GT(std::abs(integral_of_samples("hold") - exact), 1e-3);    // half a tick of delay
  EXPECT_LT(std::abs(integral_of_samples("linear") - exact), 1e-4);  // but for the first two steps
}

TEST(LinearInputs, HoldASignalThatJumps) {
  const auto c = follower("linear");
  Rig rig(*c);
  double held = 0.0;
  for (int k = 0; k < 100; ++k) {
    rig.in("u") = k % 2 == 0 ? 0.25 : -0.5;
    held += rig.in("u") * 0.01;
    rig.step(10ms);
  }
  EXPECT_NEAR(rig.out("y"), held, 1e-12);
}

TEST(LinearInputs, ShowEventsBetweenTheSamples) {
  const auto c = follower("linear");
  Rig rig(*c);
  for (int k = 0; k < 200 && rig.integer("mode") == 0; ++k) {
    rig.in("u") = 0.993 * 0.01 * k;  // passes 1 at t = 1.00705 s
    rig.step(10ms);
  }
  ASSERT_EQ(rig.journal().entries().size(), 1u);
  const Entry& e = rig.journal().entries()[0];
  EXPECT_NEAR(seconds(e.at.time) + e.remainder, 1.0 / 0.993, 1e-12);
}

TEST(LinearInputs, KeepTheComponentContract) {
  const auto c = follower("linear");
  testing::expect_conforming(*c, 10ms, [](Rig& r, int k) { r.in("u") = 0.5 * std::sin(0.03 * k); });
}

TEST(LinearInputs, HaveTheTangentThatDifferencesShow) {
  const detail::LinearInputs lines(std::make_unique<Follower>());
  const auto work = lines.workspace();
  std::vector<double> x{0.0}, u{0.4, 2.0, 3.0}, dx{0.0}, du{0.1, 0.2, 0.3};
  const std::vector<int> mode{0};
  double y = 0, z = 0, xdot = 0;
  lines.tangent({5.0, x, mode, u}, {0.7, dx, du}, {{&xdot, 1}, {&y, 1}, {&z, 1}}, *work);
  // u(t) = 0.4 + 2 (5 - 3), along d = (dt 0.7, du 0.1, dslope 0.2, dt0 0.3)
  EXPECT_NEAR(xdot, 0.1 + 0.2 * 2.0 + 2.0 * (0.7 - 0.3), 1e-7);  // Follower's own is by differences
  EXPECT_NEAR(z, xdot, 1e-12);
}

TEST(LinearInputs, AreAChoiceOfTwo) { EXPECT_THROW(follower("cubic"), ConfigurationError); }

}  // namespace
}  // namespace vernier::island
