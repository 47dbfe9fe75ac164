// Where the parts of a composition run never changes a bit. Random compositions are run by one
// executive, and again divided at random among one to eight nodes, threads here, each with its own
// executive: every output of every part must be the same at every instant of its cluster, and so
// must its state at the end. The oracle is the undivided run.
#include <gtest/gtest.h>

#include "tests/distribution/divided.hpp"

namespace vernier {
namespace {

using executive::Ending;
using sketches::Divided;
using sketches::Outcomes;
using sketches::Shown;
using sketches::Sketch;

/// A quarter of the compositions each, so that they run side by side.
class RandomPlacements : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Distribution, RandomPlacements, ::testing::Values(0, 15, 30, 45));

TEST_P(RandomPlacements, ChangeNoBit) {
  std::size_t crossing = 0, rows = 0, feeds = 0;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 15; ++seed) {
    const Sketch sketch(seed);
    Random random(seed + 5000);
    const Outcomes plain = shown(sketch, {.film = true}, nullptr).all;
    const std::size_t parts = sketch.plan().parts.size();
    for (int trial = 0; trial < 4; ++trial) {
      Divided how;
      how.count = 1 + static_cast<std::uint32_t>(random.uniform() * 8);
      how.threads = trial == 3 ? 2 : 1;
      how.film = trial % 2 == 1;
      composition::Division::Nodes nodes;
      for (std::size_t p = 0; p < parts; ++p)
        nodes.push_back(static_cast<std::uint32_t>(random.uniform() * how.count));
      how.nodes = nodes;
      const composition::Cut cut = composition::cut(sketch.plan(), how.nodes, how.count);
      for (const auto& c : cut.clusters) crossing += c.crosses();
      feeds += cut.feeds.size();
      exchange::test::Hub hub(how.count);
      Outcomes found;
      for (Shown& s : divided(sketch, how, hub)) {
        ASSERT_EQ(s.ending, Ending::reached) << s.fault;
        found.merge(s.all);
      }
      for (const auto& [path, outcome] : found) {
        rows += outcome.second;
        const auto expected = plain.find(path);
        ASSERT_NE(expected, plain.end()) << path;
        ASSERT_EQ(expected->second, outcome)
            << path << " with " << words(how) << ", seed " << seed << "\n"
            << sketch.document(false);
      }
      ASSERT_EQ(
          found.size(), how.film ? plain.size() : plain.size() - [&] {
            std::size_t films = 0;
            for (const auto& [path, outcome] : plain) films += path.ends_with(" film");
            return films;
          }());
    }
  }
  EXPECT_GT(crossing, 20u);  // there was something to exchange
  EXPECT_GT(feeds, 5u);
  EXPECT_GT(rows, 5'000u);
}

}  // namespace
}  // namespace vernier
