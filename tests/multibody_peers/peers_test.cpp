// Accelerations of rigid models against MuJoCo and Simbody, which know nothing of each other or of
// us, at random states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "family.hpp"

namespace vernier::peers {
namespace {

using namespace multibody;

using Make = std::unique_ptr<Peer> (*)(const Tree&, const std::vector<State>&);

/// Largest difference over 20 states, relative to the largest acceleration of the state.
double difference(const Model& model, Path path, Make make) {
  const Tree tree(model, path);
  const std::vector<State> states = random_states(tree, 20, 99);
  const auto peer = make(tree, states);
  if (peer == nullptr) return INFINITY;
  Evaluation evaluation(tree);
  std::vector<double> udot(tree.speeds());
  double worst = 0.0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    tree.place(states[i].q, states[i].u, evaluation);
    EXPECT_TRUE(tree.accelerate({states[i].force, {}, {}, {}}, udot, evaluation));
    peer->evaluate(i);
    const std::vector<double> theirs = peer->accelerations();
    double scale = 0.0, most = 0.0;
    for (std::size_t k = 0; k < udot.size(); ++k) {
      scale = std::max(scale, std::abs(theirs[k]));
      const double d = std::abs(udot[k] - theirs[k]);
      if (!(d <= most)) most = d;
    }
    worst = std::max(worst, most / scale);
  }
  return worst;
}

struct Engine {
  const char* name;
  Make make;
};
class Peers : public ::testing::TestWithParam<Engine> {};

// Long chains are ill-conditioned (the mass matrix of chain100 has a condition number of about
// 1e8): what is left there is the rounding of both engines.
TEST_P(Peers, AgreeOnTheSpacecraftByBothPaths) {
  for (const Path path : {Path::tree, Path::star}) {
    EXPECT_LT(difference(cassini(0), path, GetParam().make), 1e-11);
    EXPECT_LT(difference(star(30), path, GetParam().make), 1e-11);
  }
}

TEST_P(Peers, AgreeOnChainsAndTrees) {
  EXPECT_LT(difference(chain(10), Path::automatic, GetParam().make), 1e-10);
  EXPECT_LT(difference(chain(30), Path::automatic, GetParam().make), 1e-9);
  EXPECT_LT(difference(binary_tree(127), Path::automatic, GetParam().make), 1e-9);
}

TEST_P(Peers, AgreeOnTreesWithAllHingesThatTheyHave) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    EXPECT_LT(difference(mixed_tree(9, seed % 2 == 0, seed), Path::automatic, GetParam().make),
              1e-9)
        << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Peers,
                         ::testing::Values(Engine{"MuJoCo", mujoco}, Engine{"Simbody", simbody}),
                         [](const auto& at) { return at.param.name; });

}  // namespace
}  // namespace vernier::peers
