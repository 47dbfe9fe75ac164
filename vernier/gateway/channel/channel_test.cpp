#include "vernier/gateway/channel/channel.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "vernier/gateway/channel/ports.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::channel {
namespace {

Channels sample() {
  Channels c;
  c.inputs.resize(3);
  c.inputs[0].name = "rate";
  c.inputs[0].count = 2;
  EXPECT_TRUE(set_unit(c.inputs[0], "deg/s"));
  c.inputs[0].initial = {{1.0, 2.0}};
  c.inputs[1].name = "mode";
  c.inputs[1].scalar = Scalar::integer;
  c.inputs[1].initial = {{3.0}};
  c.inputs[2].name = "on";
  c.inputs[2].scalar = Scalar::boolean;
  c.inputs[2].initial = {{1.0}};
  c.outputs = c.inputs;
  for (auto& o : c.outputs) o.name += "_back", o.initial.reset();
  c.events_in = {"start"};
  c.events_out = {"low"};
  return c;
}

/// Passes everything through its ports in external units.
class Mirror final : public Component {
 public:
  Mirror() : channels(channel::sample()), description_(described(channels)) {
    for (std::size_t i = 0; i < 3; ++i) {
      description_.feedthrough.push_back({channels.outputs[i].name, channels.inputs[i].name});
    }
    description_.feedthrough.push_back({"low", "start"});
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override { ports.bind(channels, b); }
  Outcome output(Instant) noexcept override {
    ports.take_inputs(values);
    ports.give_outputs(values);
    const std::int64_t count = ports.happened(0);
    ports.give_events({&count, 1});
    return Outcome::ok;
  }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

  Channels channels;
  Ports ports;
  std::array<double, 4> values{};

 private:
  Description description_;
};

TEST(Channel, IsInItsUnitOutsideAndInSiInside) {
  Mirror mirror;
  testing::Rig rig(mirror);
  rig.in("rate", 1) = std::numbers::pi;  // rad/s
  rig.settle();
  EXPECT_NEAR(mirror.values[1], 180.0, 1e-12);                    // one division, rounded
  EXPECT_NEAR(rig.out("rate_back", 1), std::numbers::pi, 1e-15);  // and one product
  EXPECT_EQ(mirror.values[2], 3.0);
  EXPECT_EQ(rig.integer("mode_back"), 3);
}

TEST(Channel, PassesEventsAsCounts) {
  Mirror mirror;
  testing::Rig rig(mirror);
  rig.send("start");
  rig.send("start");
  rig.settle();
  EXPECT_EQ(rig.emitted("low"), 2);
}

TEST(Channel, DescribesPortsInSi) {
  const Description d = described(sample());
  ASSERT_EQ(d.inputs.size(), 4u);
  EXPECT_EQ(d.inputs[0].count, 2u);
  EXPECT_EQ(d.inputs[0].unit, "1/s");
  EXPECT_EQ(d.inputs[3].flow, Flow::event);
  EXPECT_EQ(element_name(sample().inputs, 1), "rate[1]");
  EXPECT_EQ(element_name(sample().inputs, 2), "mode");
  Channel c;
  EXPECT_FALSE(set_unit(c, "furlong per fortnight"));
}

TEST(Channel, GivesInitialValuesInTheUnitOfTheOutside) {
  const auto values = initial_values(sample().inputs);
  ASSERT_EQ(values.size(), 4u);
  EXPECT_NEAR(values[0], 180.0 / std::numbers::pi, 1e-12);
  EXPECT_EQ(values[3], 1.0);
}

}  // namespace
}  // namespace vernier::channel
