#include "vernier/base/ordering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace vernier {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Block through() { return {.outputs = 1, .inputs = 1, .needs = {{0, 0}}}; }
Block state() { return {.outputs = 1, .inputs = 1, .needs = {}}; }

TEST(Ordering, CallsProducersBeforeThoseThatNeedThem) {
  // 0 needs 1, 1 needs 2, 2 has a state
  const Ordering o = ordering({through(), through(), state()}, {{1, 0, 0, 0}, {2, 0, 1, 0}});
  EXPECT_THAT(o.calls, ElementsAre(2, 1, 0));
  EXPECT_THAT(o.loop, IsEmpty());
}

TEST(Ordering, AStateBreaksARing) {
  const Ordering o = ordering({through(), state()}, {{0, 0, 1, 0}, {1, 0, 0, 0}});
  EXPECT_THAT(o.calls, ElementsAre(1, 0));
}

TEST(Ordering, CallsABlockTwiceWhenItNeedsWhatItFeeds) {
  // block 0: output 0 from its state, output 1 from its input; block 1 in between
  const Block both{.outputs = 2, .inputs = 1, .needs = {{1, 0}}};
  const Ordering o = ordering({both, through()}, {{0, 0, 1, 0}, {1, 0, 0, 0}});
  EXPECT_THAT(o.calls, ElementsAre(0, 1, 0));
}

TEST(Ordering, NamesTheLoopInTheDirectionOfTheSignals) {
  const std::vector<DirectFeed> links{{2, 0, 0, 0}, {0, 0, 1, 0}, {1, 0, 2, 0}};
  const Ordering o = ordering({through(), through(), through()}, links);
  EXPECT_THAT(o.calls, IsEmpty());
  EXPECT_THAT(o.loop, ElementsAre(links[1], links[2], links[0]));
}

TEST(Ordering, FindsALoopOfOneBlockWithItself) {
  const Ordering o = ordering({through()}, {{0, 0, 0, 0}});
  EXPECT_THAT(o.loop, ElementsAre(DirectFeed{0, 0, 0, 0}));
}

TEST(Ordering, ALoopBehindOtherBlocksIsNamedWithoutThem) {
  // 0 -> 1 <-> 2 -> 3
  const Block two{.outputs = 1, .inputs = 2, .needs = {{0, 0}, {0, 1}}};
  const std::vector<DirectFeed> links{{0, 0, 1, 0}, {1, 0, 2, 0}, {2, 0, 1, 1}, {2, 0, 3, 0}};
  const Ordering o = ordering({state(), two, through(), through()}, links);
  EXPECT_THAT(o.loop, ElementsAre(links[1], links[2]));
}

TEST(Ordering, BlocksWithoutOutputsComeLastAndOnce) {
  const Block sink{.outputs = 0, .inputs = 1, .needs = {}};
  const Ordering o = ordering({sink, state()}, {{1, 0, 0, 0}});
  EXPECT_THAT(o.calls, ElementsAre(1, 0));
}

TEST(Ordering, OfARandomNetworkLeavesNoOutputStale) {
  // oracle: evaluate in the order of the calls, each output as 1 + the largest that it needs; a
  // second evaluation must change nothing
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const std::size_t count = 12;
    std::vector<Block> blocks(count);
    std::vector<DirectFeed> links;
    for (std::size_t b = 0; b < count; ++b) {
      blocks[b] = {.outputs = 2, .inputs = 2, .needs = {}};
      for (std::size_t o = 0; o < 2; ++o) {
        for (std::size_t i = 0; i < 2; ++i) {
          if (random() % 2 == 0) blocks[b].needs.push_back({o, i});
        }
      }
      for (std::size_t i = 0; i < 2; ++i) {
        if (random() % 3 == 0) links.push_back({random() % count, random() % 2, b, i});
      }
    }
    const Ordering order = ordering(blocks, links);
    if (!order.loop.empty()) {
      for (std::size_t k = 0; k < order.loop.size(); ++k) {
        const DirectFeed& next = order.loop[(k + 1) % order.loop.size()];
        EXPECT_EQ(order.loop[k].to, next.from);
      }
      continue;
    }
    std::vector<std::vector<int>> y(count, std::vector<int>(2, 0));
    const auto call = [&](std::size_t b) {
      const std::vector<int> before = y[b];
      y[b] = {1, 1};
      for (const Block::Need& need : blocks[b].needs) {
        for (const DirectFeed& l : links) {
          if (l.to != b || l.input != need.input) continue;
          const int source = l.from == b ? before[l.output] : y[l.from][l.output];
          y[b][need.output] = std::max(y[b][need.output], 1 + source);
        }
      }
    };
    for (std::size_t b : order.calls) call(b);
    const auto settled = y;
    for (std::size_t b = 0; b < count; ++b) call(b);
    EXPECT_EQ(y, settled);
  }
}

}  // namespace
}  // namespace vernier
