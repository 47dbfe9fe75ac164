#include "vernier/run/placement/tick_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vernier/run/placement/test_plans.hpp"

namespace vernier::placement {
namespace {

using namespace std::chrono_literals;
using test::computers;
using test::Sketch;

TickModel::Result result(Sketch& s, const std::vector<std::uint32_t>& nodes,
                         const std::vector<double>& cost, const Nodes& n = computers(2),
                         unsigned processors = 0) {
  s.arranged();
  const TickModel model(s.plan, n, cost, processors);
  return model.of(composition::cut(s.plan, nodes, static_cast<std::uint32_t>(n.hosts.size())));
}

const double frame = line_between(computers(2), 0, 1).frame;

TEST(TickModel, PartsThatAreNotConnectedTakeAsLongAsTheSlowestNode) {
  Sketch s(3);
  EXPECT_NEAR(result(s, {0, 1, 1}, {5e-3, 2e-3, 1e-3}).tick, 5e-3, 1e-12);
  EXPECT_NEAR(result(s, {0, 0, 1}, {5e-3, 2e-3, 1e-3}).tick, 7e-3, 1e-12);
  const auto r = result(s, {0, 1, 1}, {5e-3, 2e-3, 1e-3});
  EXPECT_EQ(r.exchanges, 0.0);
  EXPECT_TRUE(r.traffic.empty());
  EXPECT_THAT(r.work, ::testing::ElementsAre(5e-3, 3e-3));
}

TEST(TickModel, PartsThatNeedEachOtherTakeHalfARoundTripMore) {
  Sketch s(2);
  s.wire(0, 1);
  s.wire(1, 0);
  const auto r = result(s, {0, 1}, {5e-3, 5e-3});
  EXPECT_NEAR(r.tick, 5e-3 + 1e-3 + 2 * frame, 1e-9);
  // a node that has less to do waits for most of it: there and back, each then works once
  EXPECT_NEAR(result(s, {0, 1}, {5e-3, 4e-3}).tick, (5e-3 + 4e-3 + 2e-3) / 2 + 2 * frame, 1e-9);
  EXPECT_NEAR(result(s, {0, 1}, {5e-3, 1e-3}).tick, 5e-3 + 2 * frame, 1e-9);
  EXPECT_NEAR(r.exchanges, 1.0, 1e-9);
  EXPECT_NEAR(r.frames, 2.0, 1e-9);
  ASSERT_EQ(r.traffic.size(), 2u);
  EXPECT_NEAR(r.traffic[0].bytes, 48 + 8, 1e-9);
}

TEST(TickModel, FeedthroughAcrossNodesTakesARoundMore) {
  // a (state) -> b (follows) -> a
  Sketch s;
  s.add("a");
  s.add("b", true);
  s.wire(0, 1);
  s.wire(1, 0);
  const auto r = result(s, {0, 1}, {0, 0});
  EXPECT_NEAR(r.exchanges, 2.0, 1e-9);
  EXPECT_NEAR(r.tick, 2 * 1e-3 + 4 * frame, 1e-9);
}

TEST(TickModel, ANodeThatOnlySendsDoesNotWait) {
  Sketch s(2);
  s.wire(0, 1);
  // the second node is behind by the latency, always the same
  EXPECT_NEAR(result(s, {0, 1}, {5e-3, 2e-3}).tick, 5e-3 + frame, 1e-9);
}

TEST(TickModel, ADelayHidesTheLatencyAsFarAsItReaches) {
  const auto tick = [](Duration delay, Duration round_trip) {
    Sketch s(2);
    s.wire(0, 1, delay);
    s.wire(1, 0, delay);
    return result(s, {0, 1}, {5e-3, 5e-3}, computers(2, round_trip)).tick;
  };
  // one tick: what was sent before the parts were advanced is needed after it
  EXPECT_NEAR(tick(10ms, 2ms), 5e-3 + 2 * frame, 1e-9);
  EXPECT_NEAR(tick(10ms, 100ms), 50e-3 + 2 * frame, 1e-9);
  // two: the latency is shared by two ticks
  EXPECT_NEAR(tick(20ms, 100ms), 25e-3, 3e-3);
  // no more than eight ticks are under way
  EXPECT_NEAR(tick(1s, 100ms), tick(80ms, 100ms), 1e-12);
}

TEST(TickModel, BytesTakeTheirTimeOnTheLine) {
  Sketch s;
  s.count = 12'500;  // 100 kB
  s.add("a");
  s.add("b");
  s.wire(0, 1);
  s.wire(1, 0);
  Nodes n = computers(2);
  n.bandwidth = 100e6;
  const auto r = result(s, {0, 1}, {0, 0}, n);
  EXPECT_NEAR(r.tick, 1e-3 + (100e3 + 48) / 100e6 + 2 * frame, 1e-9);
}

TEST(TickModel, EachClusterExchangesAtItsOwnInstants) {
  // one at 100 Hz, the step, and one at 400 Hz: three instants of four are the second one's alone
  Sketch s(2);
  s.add("c", false, {}, {400, 1});
  s.add("d", false, {}, {400, 1});
  s.wire(0, 1);
  s.wire(1, 0);
  s.wire(2, 3);
  s.wire(3, 2);
  const auto r = result(s, {0, 1, 0, 1}, {0, 0, 0, 0});
  EXPECT_NEAR(r.exchanges, 4.0, 0.05);  // at a common instant one frame for both
  EXPECT_NEAR(r.tick, 4 * (1e-3 + 2 * frame), 2e-4);
  EXPECT_NEAR(TickModel(s.plan, computers(2), std::vector<double>(4)).instants(1), 4.0, 0.05);
}

TEST(TickModel, AgreementAndStopsAreExchangesOfTheirOwn) {
  Sketch s;
  s.add("a", false, {.reacts = true});
  s.add("b");
  s.wire(0, 1);
  s.wire(1, 0);
  EXPECT_NEAR(result(s, {0, 1}, {0, 0}).exchanges, 2.0, 1e-9);
}

TEST(TickModel, ProcessesShareTheProcessorsOfTheirComputer) {
  Sketch s(4);
  Nodes n;
  for (const char* name : {"a", "b", "c", "d"}) n.hosts.push_back({.name = name});
  const std::vector<double> cost(4, 10e-3);
  EXPECT_NEAR(result(s, {0, 1, 2, 3}, cost, n).tick, 10e-3, 1e-12);
  EXPECT_NEAR(result(s, {0, 1, 2, 3}, cost, n, 2).tick, 20e-3, 1e-12);
  EXPECT_NEAR(result(s, {0, 1, 2, 3}, cost, n, 4).tick, 10e-3, 1e-12);
  // and frames take processor time at both ends
  s.wire(0, 1);
  s.wire(2, 3);
  EXPECT_NEAR(result(s, {0, 1, 2, 3}, cost, n, 1).tick, 40e-3 + 4 * line_between(n, 0, 1).frame,
              1e-9);
}

TEST(TickModel, AssumesANetworkBetweenComputersAndMemoryBetweenProcesses) {
  Nodes n;
  n.hosts = {{.name = "a"},
             {.name = "b"},
             {.name = "c", .address = "c"},
             {.name = "d", .address = "c", .port = 2}};
  EXPECT_LT(line_between(n, 0, 1).latency, line_between(n, 2, 3).latency);
  EXPECT_LT(line_between(n, 2, 3).latency, line_between(n, 0, 2).latency);
  const double memory = line_between(n, 0, 1).latency;
  n.round_trip = 1s;
  EXPECT_EQ(line_between(n, 0, 2).latency, 0.5);
  EXPECT_EQ(line_between(n, 0, 1).latency, memory);
  n.hosts.resize(2);
  EXPECT_EQ(line_between(n, 0, 1).latency, 0.5);
}

}  // namespace
}  // namespace vernier::placement
