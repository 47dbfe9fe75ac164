// Many states at once against one at a time.
#include "vernier/kernel/multibody/ensemble.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/multibody/random_star_test.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::multibody {
namespace {

/// The same star as a tree: one appendage hangs at another.
Model tree_model(unsigned seed, int modes) {
  Model m = random::star(seed, {.modes = modes, .appendages = 11});
  m.bodies[2].hinge.parent = 0;
  m.bodies[2].hinge.outboard.phi_t.resize(3, 0);
  m.bodies[2].hinge.outboard.phi_r.resize(3, 0);
  return m;
}

struct Arrays {
  Arrays(const Tree& tree, std::size_t n, double prescribed) : count(n) {
    for (std::size_t i = 0; i < n; ++i) {
      states.push_back(random::state(tree, static_cast<unsigned>(1000 + i), prescribed));
      states.back().prescribed = states.front().prescribed;
    }
    const auto spread = [&](auto member, std::size_t elements) {
      std::vector<double> all(elements * n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < elements; ++k) all[k * n + i] = (states[i].*member)[k];
      }
      return all;
    };
    q = spread(&random::State::q, tree.coordinates());
    u = spread(&random::State::u, tree.speeds());
    force = spread(&random::State::force, tree.speeds());
    acceleration = spread(&random::State::acceleration, tree.speeds());
    udot.resize(u.size());
  }
  std::size_t run(Ensemble& e) {
    return e.accelerate(count, q, u, force, acceleration, states.front().prescribed, udot);
  }
  std::size_t count;
  std::vector<random::State> states;
  std::vector<double> q, u, force, acceleration, udot;
};

void compare(const Model& model, std::size_t count, double prescribed) {
  for (const auto set : {Instructions::sse2, Instructions::avx2, Instructions::avx512}) {
    if (set > best_instructions()) continue;
    SCOPED_TRACE(vernier::name(set));
    ::setenv("VERNIER_INSTRUCTIONS", vernier::name(set), 1);
    const Tree tree(model);
    ::unsetenv("VERNIER_INSTRUCTIONS");
    Ensemble ensemble(tree);
    EXPECT_STREQ(ensemble.instructions(), vernier::name(set));
    EXPECT_GE(ensemble.lanes(), 2U);
    Arrays arrays(tree, count, prescribed);
    EXPECT_EQ(arrays.run(ensemble), 0U);
    Evaluation evaluation(tree);
    std::vector<double> one(tree.speeds());
    for (std::size_t i = 0; i < count; ++i) {
      const random::State& s = arrays.states[i];
      tree.place(s.q, s.u, evaluation);
      ASSERT_TRUE(tree.accelerate({s.force, s.acceleration, s.prescribed, {}}, one, evaluation));
      double scale = 1.0;
      for (const double x : one) scale = std::max(scale, std::abs(x));
      for (std::size_t k = 0; k < one.size(); ++k)
        ASSERT_NEAR(arrays.udot[k * count + i], one[k], 1e-11 * scale) << i << ' ' << k;
    }
  }
}

TEST(Ensemble, OfStarsEqualsOneAtATime) {
  for (const std::size_t count : {1U, 3U, 8U, 21U})
    compare(random::star(1, {.modes = 3}), count, count == 8U ? 0.4 : 0.0);
  compare(random::star(2, {}), 9, 0.0);
  compare(random::star(3, {.modes = 2, .order = 0, .free = false}), 9, 0.3);
}

TEST(Ensemble, OfTreesEqualsOneAtATime) {
  for (const std::size_t count : {1U, 3U, 8U, 21U})
    compare(tree_model(4, 3), count, count == 8U ? 0.4 : 0.0);
  compare(tree_model(5, 0), 9, 0.3);
}

TEST(Ensemble, ABadStateSpoilsItsOwnLaneOnly) {
  for (const bool star : {true, false}) {
    const Tree tree(star ? random::star(6, {.modes = 2}) : tree_model(6, 2));
    Ensemble ensemble(tree);
    Arrays arrays(tree, 13, 0.0);
    ASSERT_EQ(arrays.run(ensemble), 0U);
    const std::vector<double> good = arrays.udot;
    arrays.q[tree.block(1).q * 13 + 5] = NAN;
    arrays.u[3 * 13 + 9] = INFINITY;
    EXPECT_EQ(arrays.run(ensemble), 2U);
    for (std::size_t k = 0; k < tree.speeds(); ++k) {
      for (std::size_t i = 0; i < 13; ++i) {
        if (i == 5 || i == 9) {
          EXPECT_TRUE(std::isnan(arrays.udot[k * 13 + i]));
        } else {  // sine and turns may choose another branch for all lanes: rounding
          EXPECT_NEAR(arrays.udot[k * 13 + i], good[k * 13 + i],
                      1e-10 * (1.0 + std::abs(good[k * 13 + i])));
        }
      }
    }
  }
}

TEST(Ensemble, AllocatesNothing) {
  for (const bool star : {true, false}) {
    const Tree tree(star ? random::star(7, {.modes = 2}) : tree_model(7, 2));
    Ensemble ensemble(tree);
    Arrays arrays(tree, 13, 0.2);
    const long before = testing::allocations();
    arrays.run(ensemble);
    EXPECT_EQ(testing::allocations(), before);
  }
}

}  // namespace
}  // namespace vernier::multibody
