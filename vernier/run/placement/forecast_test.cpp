#include "vernier/run/placement/forecast.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "vernier/run/placement/cost.hpp"
#include "vernier/run/placement/test_plans.hpp"

namespace vernier::placement {
namespace {

using namespace std::chrono_literals;
using test::computers;
using test::Sketch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Forecast forecast_of(Sketch& s, const std::vector<std::uint32_t>& nodes,
                     const std::vector<double>& cost = {}) {
  s.arranged();
  Placement p;
  p.nodes = nodes;
  return forecast(s.plan, p, computers(2), cost);
}

TEST(Forecast, NamesTheWiresThatAreCutAndWhichOfThemWait) {
  Sketch s(3);
  s.wire(0, 1);
  s.wire(1, 0, 10ms);
  s.wire(0, 2);
  s.wire(2, 1, 20ms);
  const Forecast f = forecast_of(s, {0, 1, 0});
  ASSERT_EQ(f.wires.size(), 3u);
  EXPECT_EQ(f.wires[0].from, "a.y");
  EXPECT_EQ(f.wires[0].to, "b.u");
  EXPECT_EQ(f.wires[0].from_node, 0u);
  EXPECT_EQ(f.wires[0].to_node, 1u);
  EXPECT_TRUE(f.wires[0].waits);
  // delayed, but between nodes that both have parts of the cluster
  EXPECT_EQ(f.wires[1].delay, Duration(10ms));
  EXPECT_TRUE(f.wires[1].waits);
  EXPECT_EQ(f.wires[2].delay, Duration(20ms));
}

TEST(Forecast, ExplainsEachExchange) {
  Sketch s;
  s.add("a", false, {.reacts = true});
  s.add("b", true);
  s.add("c", true);
  s.wire(0, 1);
  s.wire(1, 2);
  s.wire(2, 0);
  const Forecast f = forecast_of(s, {0, 1, 0}, {1e-3, 1e-3, 1e-3});
  ASSERT_EQ(f.clusters.size(), 1u);
  EXPECT_THAT(f.clusters[0].parts, ElementsAre("a", "b", "c"));
  EXPECT_THAT(f.clusters[0].exchanges, ElementsAre("outputs from the state: a.y → b.u",
                                                   "outputs that need others first: a.y → b.u",
                                                   "events and their times: a"));
  EXPECT_NEAR(f.load.exchanges, 3.0, 1e-9);
  // as the executive counts them
  const auto cut = composition::cut(s.plan, {0, 1, 0}, 2);
  EXPECT_EQ(cut.clusters[0].exchanges(), f.clusters[0].exchanges.size());
}

TEST(Forecast, ShowsTheWholeChainOfARound) {
  Sketch s;
  s.add("a");
  for (const char* name : {"b", "c", "d"}) s.add(name, true);
  for (std::uint32_t i = 0; i < 3; ++i) s.wire(i, i + 1);
  const Forecast f = forecast_of(s, {0, 1, 0, 1});
  ASSERT_EQ(f.clusters.size(), 1u);
  EXPECT_THAT(
      f.clusters[0].exchanges,
      ElementsAre("outputs from the state: a.y → b.u", "outputs that need others first: a.y → b.u",
                  "outputs that need others first: a.y → b.u, then b.y → c.u"));
}

TEST(Forecast, CountsCostAndWaiting) {
  Sketch s(2);
  s.wire(0, 1);
  s.wire(1, 0);
  const double frame = line_between(computers(2), 0, 1).frame;
  const Forecast f = forecast_of(s, {0, 1}, {4e-3, 4e-3});
  EXPECT_TRUE(f.cost_known);
  EXPECT_NEAR(f.rate(), 1 / (4e-3 + 1e-3 + 2 * frame), 1e-3);
  EXPECT_NEAR(f.speed(), 10e-3 / (5e-3 + 2 * frame), 1e-3);
  const Forecast unknown = forecast_of(s, {0, 1});
  EXPECT_FALSE(unknown.cost_known);
  EXPECT_NEAR(unknown.load.tick, 1e-3 + 2 * frame, 1e-9);
  EXPECT_TRUE(std::isinf(forecast_of(s, {0, 0}).rate()));
}

TEST(Forecast, SaysWhichDelaySavesWhat) {
  Sketch s;
  s.add("a");
  s.add("b", true);
  s.wire(0, 1);
  s.wire(1, 0, {}, 1);
  const auto order = s.arranged().plan.order.size();
  const Forecast f = forecast_of(s, {0, 1}, {1e-3, 1e-3});
  EXPECT_NEAR(f.load.exchanges, 2.0, 1e-9);
  ASSERT_EQ(f.hints.size(), 2u);
  using Wires = std::vector<std::pair<std::string, std::string>>;
  // both: no exchange is left; the first: b no longer waits for a
  EXPECT_EQ(f.hints[0].wires, (Wires{{"a.y", "b.u"}, {"b.y", "a.v"}}));
  EXPECT_NEAR(f.hints[0].exchanges, 2.0, 1e-9);
  EXPECT_EQ(f.hints[1].wires, (Wires{{"a.y", "b.u"}}));
  EXPECT_NEAR(f.hints[1].exchanges, 1.0, 1e-9);
  EXPECT_LT(f.hints[0].tick, f.load.tick);
  // the plan is as before
  EXPECT_EQ(s.plan.wires[0].delay, Duration{});
  EXPECT_EQ(s.plan.clusters.size(), 1u);
  EXPECT_EQ(s.plan.order.size(), order);
}

TEST(Forecast, HasNoHintWhereNothingWaits) {
  Sketch s(2);
  s.wire(0, 1, 10ms);
  EXPECT_THAT(forecast_of(s, {0, 1}).hints, IsEmpty());
  EXPECT_THAT(forecast_of(s, {0, 1}).clusters, IsEmpty());
}

/// Is busy for a while.
class Busy final : public Component {
 public:
  explicit Busy(Duration time) : time_(time) { description_.outputs = {{.name = "y"}}; }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override {
    const auto end = std::chrono::steady_clock::now() + time_;
    while (std::chrono::steady_clock::now() < end) continue;
    return {to};
  }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Duration time_;
  Description description_;
};

TEST(Cost, IsMeasuredPerTickOfTheStep) {
  Sketch s(2);
  s.plan.parts[0].component = std::make_unique<Busy>(200us);
  s.plan.parts[0].rate = {200, 1};  // twice a tick
  const Cost c = measured_cost(std::move(s.arranged().plan), s.composition, 20ms);
  EXPECT_EQ(c.unknown, "");
  ASSERT_EQ(c.by_part.size(), 2u);
  EXPECT_GE(c.ticks, 2.0);
  // however busy the machine is
  EXPECT_GE(c.by_part[0], 390e-6);
  EXPECT_GT(c.by_part[0], c.by_part[1]);
}

TEST(Cost, IsUnknownWhereARunWouldHaveEffects) {
  Sketch s(1);
  s.add("device", false, {.faces_world = true});
  const Cost c = measured_cost(std::move(s.arranged().plan), s.composition, 20ms);
  EXPECT_TRUE(c.by_part.empty());
  EXPECT_THAT(c.unknown, HasSubstr("device is connected to a device or another program"));
  Sketch peer(1);
  peer.composition.instances[0].kind = composition::Instance::Kind::connector;
  EXPECT_THAT(measured_cost(std::move(peer.arranged().plan), peer.composition, 20ms).unknown,
              HasSubstr("a is connected to"));
}

TEST(Cost, OfARunThatIsShorterThanATickIsThatOfTheWholeRun) {
  Sketch s(1);
  s.plan.stop = 5ms;
  const Cost c = measured_cost(std::move(s.arranged().plan), s.composition, 20ms);
  EXPECT_EQ(c.by_part.size(), 1u);
  EXPECT_EQ(c.ticks, 0.5);
}

}  // namespace
}  // namespace vernier::placement
