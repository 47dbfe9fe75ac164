#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/placement/nodes.hpp"

/// Plans of parts that only have ports and abilities.
namespace vernier::placement::test {

class Box final : public Component {
 public:
  Box(bool follows, std::uint32_t count, Abilities can) {
    description_.inputs = {{.name = "u", .count = count, .initial = {{}}},
                           {.name = "v", .count = count, .initial = {{}}}};
    description_.outputs = {{.name = "y", .count = count}};
    if (follows) description_.feedthrough = {{"y", "u"}};
    description_.abilities = can;
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
};

/// Computers p, q, … with so much bandwidth that bytes cost nothing.
inline Nodes computers(int count, Duration round_trip = std::chrono::milliseconds(2)) {
  Nodes n;
  for (int i = 0; i < count; ++i) {
    const std::string name(1, static_cast<char>('p' + i));
    n.hosts.push_back({.name = name, .address = name});
  }
  n.round_trip = round_trip;
  n.bandwidth = 1e18;
  return n;
}

struct Sketch {
  composition::Composition composition;
  composition::Plan plan;
  std::uint32_t count = 1;  // elements of each port

  Sketch() { plan.step = std::chrono::milliseconds(10); }
  explicit Sketch(int parts) : Sketch() {
    for (int i = 0; i < parts; ++i) add(std::string(1, static_cast<char>('a' + i)));
  }

  /// `follows`: y follows u at once.
  std::uint32_t add(const std::string& name, bool follows = false, Abilities can = {},
                    Rate rate = {}, const std::string& node = "") {
    composition::Part p;
    p.name = name;
    p.prefix = name + ".";
    p.instances = {name};
    p.component = std::make_unique<Box>(follows, count, can);
    p.rate = rate;
    plan.parts.push_back(std::move(p));
    composition::Instance i;
    i.name = name;
    i.node = node;
    i.place = {"sketch.xml", static_cast<int>(plan.parts.size()), 3, 1};
    composition.instances.push_back(std::move(i));
    return static_cast<std::uint32_t>(plan.parts.size()) - 1;
  }
  /// To the input u, which y may follow, or v.
  void wire(std::uint32_t from, std::uint32_t to, Duration delay = {}, std::uint32_t input = 0) {
    composition::Wire w;
    w.from_part = from;
    w.to_part = to;
    w.to = input;
    w.count = count;
    w.delay = delay;
    plan.wires.push_back(w);
  }
  Sketch& arranged() {
    Diagnostics problems;
    arrange(plan, problems);
    problems.throw_if_errors();
    return *this;
  }
};

}  // namespace vernier::placement::test
