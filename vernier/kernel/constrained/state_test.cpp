#include "vernier/kernel/constrained/state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "vernier/kernel/constrained/mechanisms_test.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::constrained {
namespace {

using End = StepReport::End;

std::vector<std::byte> image(const State& s) {
  std::vector<std::byte> bytes(s.bytes());
  s.save(bytes);
  return bytes;
}

/// Two motions of one chain, by inputs that differ, and steps that change, jump and fail.
class TwoMotions : public ::testing::TestWithParam<Scheme> {
 protected:
  TwoMotions() : solver_(with_torque(), settings()) { solver_.initialize(); }

  static Model with_torque() {
    Model m = chain(4);
    add_torque(m);
    return m;
  }
  static Settings settings() {
    return {.scheme = GetParam(), .iterations_most = 6, .project_velocities = true};
  }
  const Mechanism& mechanism() const { return solver_.mechanism(); }
  const State& start() const { return solver_.state(); }

  /// Step k of motion `which`; what it answers.
  StepReport step(int which, int k, State& s, Workspace& w) const {
    s.inputs[0] = which == 0 ? std::sin(0.1 * k) : 2.0 - 0.05 * k;
    if (k % 23 == 11) s.restart();
    if (k == 40) EXPECT_TRUE(mechanism().project(s, w));
    const double h = k == 60 ? 1e3 : k % 7 == 3 ? 5e-4 : which == 0 ? 1e-3 : 2e-3;
    return mechanism().step(s, w, h);
  }
  /// All steps of a motion, with a workspace of its own.
  State alone(int which) const {
    State s = start();
    Workspace w(mechanism());
    int failed = 0;
    for (int k = 0; k < steps; ++k) failed += step(which, k, s, w).end == End::failed ? 1 : 0;
    EXPECT_GE(failed, 1);
    return s;
  }

  static constexpr int steps = 80;
  Solver solver_;
};

TEST_P(TwoMotions, ComeOutAsAloneWhenTheyTakeTurnsInOneWorkspace) {
  State a = start(), b = start();
  Workspace w(mechanism());
  for (int k = 0; k < steps; ++k) {
    step(0, k, a, w);
    step(1, k, b, w);
  }
  EXPECT_NE(image(a), image(b));
  EXPECT_EQ(image(a), image(alone(0)));
  EXPECT_EQ(image(b), image(alone(1)));
}

TEST_P(TwoMotions, ComeOutAsAloneOnTwoThreadsAtOnce) {
  State a = start(), b = start();
  std::thread first([&] { a = alone(0); }), second([&] { b = alone(1); });
  first.join();
  second.join();
  EXPECT_EQ(image(a), image(alone(0)));
  EXPECT_EQ(image(b), image(alone(1)));
}

TEST_P(TwoMotions, AreReadWithoutADifferenceToThem) {
  State a = start(), read = start();
  Workspace w(mechanism());
  for (int k = 0; k < steps; ++k) {
    step(0, k, a, w);
    step(0, k, read, w);
    double measures[16];
    mechanism().measure(read, 0, measures);
    const double sum = mechanism().constraint_violation(read, w) +
                       mechanism().constraint_rate_violation(read, w) +
                       mechanism().accelerations(read, w)[0].angular.z;
    EXPECT_TRUE(std::isfinite(sum));
  }
  EXPECT_EQ(image(a), image(read));
}

TEST_P(TwoMotions, GoOnFromACopyWithoutAllocating) {
  State a = start(), copy = start();
  Workspace w(mechanism());
  for (int k = 0; k < 30; ++k) step(0, k, a, w);
  const long before = testing::allocations();
  copy = a;
  for (int k = 30; k < 50; ++k) step(0, k, a, w);
  for (int k = 30; k < 50; ++k) step(0, k, copy, w);
  EXPECT_EQ(testing::allocations() - before, 0);
  EXPECT_EQ(image(a), image(copy));
}

INSTANTIATE_TEST_SUITE_P(OfEveryScheme, TwoMotions, ::testing::ValuesIn(all_schemes),
                         [](const auto& info) {
                           return "scheme_" + std::to_string(static_cast<int>(info.param));
                         });

/// Steps that fail, and how.
struct Failing {
  const char* how;
  Settings settings;
  double torque, h;
};

class FailedStep : public ::testing::TestWithParam<Failing> {};

TEST_P(FailedStep, LeavesTheBytesOfTheState) {
  const Failing& f = GetParam();
  for (const Scheme scheme : all_schemes) {
    Model m = chain(6);
    add_torque(m);
    Settings settings = f.settings;
    settings.scheme = scheme;
    Solver s(std::move(m), settings);
    s.initialize();
    for (int i = 0; i < 5; ++i) ASSERT_EQ(s.step(1e-4).end, End::converged);
    State state = s.state();
    Workspace w(s.mechanism());
    state.inputs[0] = f.torque;
    const std::vector<std::byte> before = image(state);
    const StepReport r = s.mechanism().step(state, w, f.h);
    ASSERT_EQ(r.end, End::failed);
    EXPECT_EQ(image(state), before);
    // and it goes on as if nothing had been tried
    s.step(1e-4);
    state.inputs[0] = 0.0;
    s.mechanism().step(state, w, 1e-4);
    EXPECT_EQ(image(state), image(s.state()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Because, FailedStep,
    ::testing::Values(
        Failing{"of_no_number", {}, std::nan(""), 1e-3}, Failing{"of_its_length", {}, 0.0, -1.0},
        // some pieces of it are taken before one fails
        Failing{"in_pieces", {.iterations_most = 2}, 0.0, 0.3},
        Failing{
            "of_a_budget", {.iterations_most = 2, .accept_unconverged = true}, std::nan(""), 1e-3},
        Failing{"where_it_follows_the_motion", {.local_error = 1e-6}, std::nan(""), 1e-2}),
    [](const auto& info) { return info.param.how; });

TEST(State, ForgetsTheOldestOfFourLevels) {
  Level zero;
  History h(zero);
  for (int k = 1; k <= 6; ++k) {
    Level next;
    next.time = k;
    h.push(next);
    EXPECT_EQ(next.time, k > 4 ? k - 4 : 0.0);  // the room of the oldest
  }
  for (int age = 0; age < History::length; ++age) EXPECT_EQ(h[age].time, 6 - age);
}

}  // namespace
}  // namespace vernier::constrained
