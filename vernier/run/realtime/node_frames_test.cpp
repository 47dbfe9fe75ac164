#include "vernier/run/realtime/node_frames.hpp"

#include <gtest/gtest.h>

namespace vernier::realtime {
namespace {

struct KeptFrames final : FrameSink {
  std::vector<Frame> frames;
  std::vector<std::vector<std::int64_t>> costs;
  void take(const Frame& f, std::span<const std::int64_t> c) noexcept override {
    frames.push_back(f);
    costs.emplace_back(c.begin(), c.end());
  }
};

/// Parts 0, 1, 2 on nodes a, b, c; part 2 is connected to a device. What happens is known, and the
/// measurements of the nodes follow from it: each node needs the values of all others at once.
class FramesOfNodes : public ::testing::Test {
 protected:
  static constexpr std::int64_t us = 1000, ms = 1000 * us, period = 4 * ms;

  FramesOfNodes() { together.divide({"a", "b", "c"}); }

  struct Node {
    std::int64_t wake_up = 20 * us, work = 300 * us, travel = 10 * us;  // to the others
    bool behind = false;
  };

  void frame(std::vector<Node> nodes) {
    std::vector<std::int64_t> ready;
    for (const Node& n : nodes) ready.push_back(n.wake_up + n.work);
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      NodeFrames::Share s;
      std::int64_t end = ready[n];
      s.waits.resize(nodes.size());
      for (std::size_t p = 0; p < nodes.size(); ++p) {
        if (p == n) continue;
        s.waits[p] = std::max<std::int64_t>(0, ready[p] + nodes[p].travel - end);
        end += s.waits[p];
        s.frame.held += s.waits[p];
      }
      s.frame.number = number;
      s.frame.wake_up = nodes[n].wake_up;
      s.frame.cost = end - nodes[n].wake_up;
      s.frame.margin = period - end;
      s.frame.late = s.frame.margin < 0;
      s.frame.slept = !nodes[n].behind;
      s.frame.behind = nodes[n].behind;
      s.costs = {{n, nodes[n].work}};
      together.take(n, std::move(s));
    }
    ++number;
  }
  void usual(int times) {
    for (int k = 0; k < times; ++k) frame({{}, {}, {}});
  }
  std::string last_blame() const {
    return blame(kept.frames.back(), {"one", "two", "three"}, {}, together.names());
  }

  KeptFrames kept;
  NodeFrames together{{0, 0, 1}, kept};
  std::int64_t number = 0;
};

TEST_F(FramesOfNodes, AreThoseOfAllNodes) {
  frame({{.work = 500 * us}, {}, {.wake_up = 70 * us}});
  ASSERT_EQ(kept.frames.size(), 1u);
  const Frame& f = kept.frames[0];
  EXPECT_EQ(f.wake_up, 70 * us);
  EXPECT_EQ(f.cost, 510 * us);  // b, woken after 20 us, has the value of a after 530 us
  EXPECT_EQ(f.margin, period - 530 * us);
  EXPECT_FALSE(f.late);
  EXPECT_EQ(kept.costs[0], (std::vector<std::int64_t>{500 * us, 300 * us, 300 * us}));
}

TEST_F(FramesOfNodes, AreLateByThePartThatTookLongerThanUsual) {
  usual(50);
  frame({{}, {.work = 5 * ms}, {}});
  ASSERT_TRUE(kept.frames.back().late);
  EXPECT_EQ(last_blame(), "work of two on node b");
  EXPECT_EQ(together.nodes()[1].late_by_work, 1u);
  frame({{}, {}, {.work = 5 * ms}});
  EXPECT_EQ(last_blame(), "waiting of three on node c");
}

TEST_F(FramesOfNodes, AreLateByANodeThatIsItselfInTime) {
  usual(50);
  // b needs nearly all of the frame, and a comes too late by what its value needs on the way
  frame({{}, {.work = period - 25 * us}, {}});
  ASSERT_TRUE(kept.frames.back().late);
  EXPECT_EQ(last_blame(), "work of two on node b");
}

TEST_F(FramesOfNodes, AreLateByAWakeUp) {
  usual(50);
  frame({{}, {}, {.wake_up = 5 * ms}});
  EXPECT_EQ(last_blame(), "woken 5.000 ms late on node c");
  EXPECT_EQ(together.nodes()[2].late_by_wake_up, 1u);
}

TEST_F(FramesOfNodes, AreLateByTheNetworkIfNoNodeExplainsIt) {
  usual(50);
  frame({{}, {.travel = 6 * ms}, {}});
  EXPECT_EQ(kept.frames.back().cause, Cause::network);
  const auto paths = together.paths();
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].from, "b");
  EXPECT_EQ(paths[0].late, 1u);
  EXPECT_GT(paths[0].longest, 5 * ms);
}

TEST_F(FramesOfNodes, ThatAnEarlierOneDelaysAreLateForItsReason) {
  usual(50);
  frame({{}, {.work = 7 * ms}, {}});
  frame({{.wake_up = 3 * ms + 800 * us, .behind = true},
         {.wake_up = 3 * ms + 800 * us, .behind = true},
         {.wake_up = 3 * ms + 800 * us, .behind = true}});
  ASSERT_TRUE(kept.frames.back().late);
  EXPECT_EQ(last_blame(), "work of two on node b, after an earlier late frame");
}

TEST_F(FramesOfNodes, AreLateBecauseThePartsWereDividedAnew) {
  usual(50);
  together.divide({"a", "b", "c"});
  frame({{.work = 5 * ms}, {}, {}});
  EXPECT_EQ(last_blame(), "a part was moved, or a node was lost");
  EXPECT_EQ(together.nodes()[0].late_by_work, 0u);
  frame({{}, {.work = 5 * ms}, {}});
  EXPECT_EQ(last_blame(), "work of two on node b");
}

TEST_F(FramesOfNodes, GoOnWithoutANodeWhosePartsRunElsewhere) {
  usual(3);
  NodeFrames::Share s;
  s.frame.number = number;
  s.frame.margin = ms;
  together.take(0, s);
  together.take(2, s);
  EXPECT_EQ(kept.frames.size(), 3u);
  together.lose(1);
  EXPECT_EQ(kept.frames.size(), 4u);
  s.frame.number += 1;
  together.take(2, s);
  together.take(0, s);
  EXPECT_EQ(kept.frames.size(), 5u);
}

TEST_F(FramesOfNodes, OfANodeThatIsLostArePassedOn) {
  usual(3);
  NodeFrames::Share s;
  s.frame.number = number;
  s.frame.margin = ms;
  together.take(0, s);
  EXPECT_EQ(kept.frames.size(), 3u);
  together.divide({"a", "c"});
  EXPECT_EQ(kept.frames.size(), 4u);
  together.take(1, s);  // of a frame that is over
  s.frame.number += 1;
  together.take(0, s);
  together.take(1, s);
  ASSERT_EQ(kept.frames.size(), 5u);
  EXPECT_EQ(together.names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(together.nodes()[1].frames, 3u);
  EXPECT_EQ(together.nodes()[2].frames, 4u);
}

}  // namespace
}  // namespace vernier::realtime
