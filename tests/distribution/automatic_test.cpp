// Automatic placement of random compositions of real models: every node gets a part, and the run
// sends the frames that the forecast says, with and without replicas. The oracle is the executive
// itself.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tests/distribution/queue_exchange.hpp"
#include "tests/watching/sketch.hpp"
#include "vernier/run/composition/cut.hpp"
#include "vernier/run/placement/forecast.hpp"
#include "vernier/run/placement/place.hpp"

namespace vernier {
namespace {

using namespace std::chrono_literals;
using sketches::Sketch;

/// The frames between the nodes of a run until `end`.
std::uint64_t frames_of(const Sketch& sketch, const placement::Placement& where, Time end) {
  const auto count = static_cast<std::uint32_t>(where.names.size());
  exchange::test::Hub hub(count);
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < count; ++n)
    nodes.emplace_back([&, n] {
      exchange::test::QueueExchange exchange(hub, n);
      executive::Executive run(sketch.plan(), {},
                               {.exchange = &exchange, .nodes = where.division()});
      run.initialize();
      EXPECT_EQ(run.run_until(end), executive::Ending::reached) << rendered(run.fault());
    });
  for (std::thread& t : nodes) t.join();
  return hub.frames;
}

TEST(AutomaticPlacement, SendsTheFramesThatTheForecastSays) {
  std::size_t still = 0, eventful = 0, waiting = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Sketch sketch(seed);
    composition::Plan plan = sketch.plan();
    for (std::size_t p = 0; seed % 3 == 0 && p < plan.parts.size(); ++p)
      plan.parts[p].replicas = 1 + (seed + p) % 2;
    placement::Nodes nodes;
    const std::size_t count = 2 + seed % 3;
    for (std::size_t i = 0; i < count; ++i) nodes.hosts.push_back({.name = std::to_string(i)});
    Diagnostics problems;
    const placement::Placement where = place(plan, {}, nodes, {}, problems);
    const auto cut = composition::cut(plan, where.division(), static_cast<std::uint32_t>(count));
    std::set<std::uint32_t> used;
    std::size_t movable = 0;
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
      if (where.why[p] == placement::Why::everywhere) continue;
      used.insert(where.nodes[p]);
      used.insert(where.more[p].begin(), where.more[p].end());
      movable += 1 + where.more[p].size();
    }
    EXPECT_EQ(used.size(), std::min(count, movable)) << seed;
    EXPECT_EQ(problems.warnings() > 0, used.size() < count) << seed;

    const placement::Forecast f = forecast(plan, where, nodes, placement::assumed_cost(plan));
    ASSERT_EQ(f.clusters.empty(), std::none_of(cut.clusters.begin(), cut.clusters.end(),
                                               [](const auto& c) { return c.crosses(); }));
    bool events = false;
    for (std::size_t c = 0, k = 0; c < cut.clusters.size(); ++c) {
      if (!cut.clusters[c].crosses()) continue;
      events |= cut.clusters[c].agrees || cut.clusters[c].stops;
      EXPECT_EQ(f.clusters[k++].exchanges.size(), cut.clusters[c].exchanges()) << seed;
      ++waiting;
    }
    // without the start
    const std::uint64_t some = frames_of(sketch, where, Time(plan.step * 5));
    const std::uint64_t more = frames_of(sketch, where, Time(plan.step * 25));
    const double counted = static_cast<double>(more - some) / 20;
    // ticks of other rates are not the same number in all steps
    const double unsure = 0.3 + 0.05 * f.load.frames;
    if (events) {
      EXPECT_GE(counted, f.load.frames - unsure) << seed;
      ++eventful;
    } else {
      EXPECT_NEAR(counted, f.load.frames, unsure) << seed;
      still += f.load.frames > 0.0;
    }
  }
  EXPECT_GT(still, 5u);
  EXPECT_GT(eventful, 5u);
  EXPECT_GT(waiting, 20u);
}

}  // namespace
}  // namespace vernier
