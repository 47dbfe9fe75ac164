// Every set of instructions of this machine computes the same bits.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/multibody/detail/nodes.hpp"
#include "vernier/kernel/multibody/ensemble.hpp"
#include "vernier/kernel/multibody/random_star_test.hpp"
#include "vernier/kernel/multibody/random_test.hpp"

namespace vernier::multibody {
namespace {

std::vector<Instructions> sets() {
  std::vector<Instructions> all;
  for (const auto set : {Instructions::sse2, Instructions::avx2, Instructions::avx512}) {
    if (set <= best_instructions()) all.push_back(set);
  }
  return all;
}

Tree made(const Model& model, Path path, Instructions set,
          Arithmetic arithmetic = Arithmetic::reproducible) {
  ::setenv("VERNIER_INSTRUCTIONS", vernier::name(set), 1);
  Tree tree(model, path, arithmetic);
  ::unsetenv("VERNIER_INSTRUCTIONS");
  return tree;
}

std::vector<std::uint64_t> bits(std::span<const double> x) {
  std::vector<std::uint64_t> all;
  for (const double one : x) all.push_back(std::bit_cast<std::uint64_t>(one));
  return all;
}

void append(std::vector<double>& to, const Motion& m) {
  to.insert(to.end(), m.angular.data(), m.angular.data() + 3);
  to.insert(to.end(), m.linear.data(), m.linear.data() + 3);
}

/// Accelerations and readings of a tree, then accelerations of many states of it.
std::vector<double> results(const Tree& tree, unsigned seed, double prescribed) {
  const random::State s = random::state(tree, seed, prescribed);
  Evaluation e(tree);
  std::vector<double> all(tree.speeds());
  tree.place(s.q, s.u, e);
  EXPECT_TRUE(tree.accelerate({s.force, s.acceleration, s.prescribed, s.nodes}, all, e));
  for (int i = 0; i < static_cast<int>(tree.model().bodies.size()); ++i) {
    append(all, tree.motion(e, i));
    append(all, tree.acceleration(e, {i, NodeId::frame}));
    const Force f = tree.reaction(e, i);
    append(all, {f.moment, f.resultant});
  }
  constexpr std::size_t count = 21;  // no whole number of vectors
  std::vector<double> q(count * tree.coordinates()), u(count * tree.speeds()), udot(u.size());
  for (std::size_t i = 0; i < count; ++i) {
    const random::State one = random::state(tree, seed + 100 + static_cast<unsigned>(i));
    for (std::size_t k = 0; k < one.q.size(); ++k) q[k * count + i] = one.q[k] * double(i % 5);
    for (std::size_t k = 0; k < one.u.size(); ++k) u[k * count + i] = one.u[k];
  }
  // quaternions of length zero
  for (double& x : q) x = x == 0.0 ? 0.25 : x;
  Ensemble ensemble(tree);
  ensemble.accelerate(count, q, u, {}, {}, {}, udot);
  all.insert(all.end(), udot.begin(), udot.end());
  return all;
}

void expect_same_bits(const Model& model, Path path, unsigned seed, double prescribed) {
  const auto first = bits(results(made(model, path, Instructions::sse2), seed, prescribed));
  for (const Instructions set : sets()) {
    const auto other = bits(results(made(model, path, set), seed, prescribed));
    EXPECT_EQ(first, other) << vernier::name(set) << ", seed " << seed;
  }
}

// all numbers of appendages of a kind from 0 to 3: groups that are full, cut and partly idle
TEST(Bits, OfStarsAreTheSameWithAllSets) {
  unsigned seed = 1;
  for (const int appendages : {1, 2, 3, 5, 9, 14, 19, 27, 45, 64, 90, 127}) {
    for (const int modes : {0, 3, 5}) {
      ++seed;
      expect_same_bits(random::star(seed, {.modes = modes,
                                           .order = static_cast<int>(seed % 3),
                                           .free = seed % 4 != 0,
                                           .appendages = appendages,
                                           .full = seed % 2 == 0}),
                       Path::star, seed, seed % 3 == 0 ? 0.3 : 0.0);
    }
  }
}

TEST(Bits, OfTreesAreTheSameWithAllSets) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    RandomTree random(seed);
    expect_same_bits(random.model(3 + static_cast<int>(seed % 9),
                                  {.rotors = seed % 2 == 0, .shortens = seed % 5 == 0}),
                     Path::tree, seed, seed % 3 == 0 ? 0.3 : 0.0);
  }
}

TEST(Bits, OfForcesAndReadingsAtNodesAreTheSameWithAllSets) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    random::Numbers r(seed);
    const std::size_t modes = seed % 4, nodes = 1 + seed % 19;
    detail::NodeBank bank(modes);
    for (std::size_t i = 0; i < nodes; ++i) {
      Node n;
      n.pose.R = r.rotation();
      n.pose.p = r.vector(2.0);
      n.phi_t = r.shapes(static_cast<int>(modes), 0.2);
      // turns of all sizes beside each other
      n.phi_r = r.shapes(static_cast<int>(modes), i % 3 == 0 ? 0.02 : i % 3 == 1 ? 1.0 : 3.0);
      bank.add(n);
    }
    bank.finish();
    std::vector<double> loads(3 * bank.lanes()), eta(modes);
    for (double& x : eta) x = r(-1, 1);
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < nodes; ++i) loads[k * bank.lanes() + i] = r(-5, 5);
    }
    std::vector<std::uint64_t> first;
    for (const Instructions set : sets()) {
      const detail::NodeKernels& kernels = detail::node_kernels(set);
      std::vector<double> all(12 + 2 * modes + detail::sensed::count * bank.lanes());
      double* body = all.data();
      double* modal = body + 12;
      kernels.push(bank.view(), eta.data(), loads.data(), body, modal);
      kernels.twist(bank.view(), eta.data(), loads.data(), body + 6, modal + modes);
      const detail::Carrier carrier{{0.1, 0.2, 0.3}, {1, 2, 3},  {4, 5, 6}, {7, 8, 9},
                                    eta.data(),      eta.data(), eta.data()};
      std::vector<double> found(detail::sensed::count * bank.lanes());
      kernels.sense(bank.view(), carrier, true, found.data());
      for (std::size_t k = 0; k < detail::sensed::count; ++k) {
        for (std::size_t i = 0; i < nodes; ++i)
          all[12 + 2 * modes + k * bank.lanes() + i] = found[k * bank.lanes() + i];
      }
      if (first.empty()) first = bits(all);
      EXPECT_EQ(first, bits(all)) << vernier::name(set) << ", seed " << seed;
    }
  }
}

TEST(Bits, OfTheFastestArithmeticDifferWhereProductsAreFused) {
  const Model star = random::star(3, {.modes = 4});
  RandomTree random(5);
  const Model tree = random.model(8);
  for (const Instructions set : sets()) {
    for (const auto& [model, path] : {std::pair(&star, Path::star), std::pair(&tree, Path::tree)}) {
      const auto exact = results(made(*model, path, set), 7, 0.0);
      const auto fast = results(made(*model, path, set, Arithmetic::fastest), 7, 0.0);
      double scale = 1.0;
      for (const double x : exact) scale = std::max(scale, std::abs(x));
      for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(exact[i], fast[i], 1e-9 * scale);
      EXPECT_EQ(bits(exact) == bits(fast), set == Instructions::sse2) << vernier::name(set);
    }
  }
}

}  // namespace
}  // namespace vernier::multibody
