#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vernier/run/composition/plan.hpp"

/// Small components for the tests of the executive, and plans built by hand.
namespace vernier::executive::test {

/// A component whose state is one trivially copyable struct.
template <class State>
class Small : public Component {
 public:
  const Description& description() const noexcept override { return description_; }
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte> b) const noexcept override {
    std::memcpy(b.data(), &state, sizeof state);
  }
  void load(std::span<const std::byte> b) noexcept override {
    std::memcpy(&state, b.data(), sizeof state);
  }
  State state{};

 protected:
  Small() { description_.state_bytes = sizeof(State); }
  Description description_;
};

inline Port real(std::string name, std::uint32_t count = 1,
                 std::optional<std::vector<double>> initial = {}) {
  Port p;
  p.name = std::move(name);
  p.count = count;
  p.initial = std::move(initial);
  return p;
}
inline Port integer(std::string name) {
  Port p;
  p.name = std::move(name);
  p.scalar = Scalar::integer;
  return p;
}
inline Port event(std::string name) {
  Port p = integer(std::move(name));
  p.flow = Flow::event;
  return p;
}

struct One {
  double x = 0.0;
};

/// x' = -a x + u, y = x; exact for a constant input.
class Lag final : public Small<One> {
 public:
  explicit Lag(double a, double x0 = 0.0) : a_(a), x0_(x0) {
    description_.inputs = {real("u", 1, {{0.0}})};
    description_.outputs = {real("y")};
  }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    y_ = b.real_output("y");
  }
  bool initialize(Time, int) override {
    state.x = x0_;
    return true;
  }
  Outcome output(Instant) noexcept override {
    y_[0] = state.x;
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    const double h = seconds(to - from);
    const double e = std::exp(-a_ * h);
    state.x = a_ == 0.0 ? state.x + u_[0] * h : e * state.x + (1.0 - e) / a_ * u_[0];
    return {to};
  }

 private:
  double a_, x0_;
  std::span<const double> u_;
  std::span<double> y_;
};

/// y = gain * u + bias, directly, element by element.
class Scale final : public Small<One> {
 public:
  explicit Scale(double gain, double bias = 0.0, std::uint32_t count = 1)
      : gain_(gain), bias_(bias) {
    description_.inputs = {real("u", count)};
    description_.outputs = {real("y", count)};
    description_.feedthrough = {{"y", "u"}};
  }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    y_ = b.real_output("y");
  }
  Outcome output(Instant) noexcept override {
    for (std::size_t i = 0; i < u_.size(); ++i) y_[i] = gain_ * u_[i] + bias_;
    return Outcome::ok;
  }
  const double* input() const { return u_.data(); }

 private:
  double gain_, bias_;
  std::span<const double> u_;
  std::span<double> y_;
};

/// y: the time in seconds; n: the number of calls; `log` records every call of output.
class Clock final : public Small<One> {
 public:
  explicit Clock(Rate rate = {}) {
    description_.outputs = {real("y")};
    description_.rate = rate;
    log.reserve(10000);
    steps.reserve(10000);
  }
  void bind(const Bindings& b) override { y_ = b.real_output("y"); }
  Outcome output(Instant at) noexcept override {
    if (log.size() < log.capacity()) log.push_back(at.time);
    y_[0] = seconds(at.time);
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    if (steps.size() < 10000) steps.emplace_back(from, to);
    return {to};
  }
  std::vector<Time> log;
  std::vector<std::pair<Time, Time>> steps;

 private:
  std::span<double> y_;
};

/// Calls the given functions, for one-off components.
class Scripted final : public Small<One> {
 public:
  explicit Scripted(Description d) {
    const std::size_t bytes = description_.state_bytes;
    description_ = std::move(d);
    description_.state_bytes = bytes;
  }
  void bind(const Bindings& b) override {
    if (on_bind) on_bind(b);
  }
  bool initialize(Time t, int phase) override {
    return on_initialize ? on_initialize(t, phase) : true;
  }
  Outcome output(Instant at) noexcept override { return on_output ? on_output(at) : Outcome::ok; }
  Outcome react(Instant at) noexcept override { return on_react ? on_react(at) : Outcome::ok; }
  Advance advance(Time from, Time to) noexcept override {
    return on_advance ? on_advance(from, to) : Advance{to};
  }
  Time horizon(Time now) const noexcept override {
    return on_horizon ? on_horizon(now) : Time::max();
  }
  Telling tell(const Entry& e) const override { return on_tell ? on_tell(e) : Telling{}; }
  const Fault& fault() const noexcept override { return the_fault; }

  std::function<void(const Bindings&)> on_bind;
  std::function<bool(Time, int)> on_initialize;
  std::function<Outcome(Instant)> on_output, on_react;
  std::function<Advance(Time, Time)> on_advance;
  std::function<Time(Time)> on_horizon;
  std::function<Telling(const Entry&)> on_tell;
  Fault the_fault;
};

/// Builds plans by hand.
struct Bench {
  composition::Plan plan;

  explicit Bench(Duration step = std::chrono::milliseconds(100)) { plan.step = step; }

  template <class C>
  C& add(const std::string& name, std::unique_ptr<C> c, Duration offset = {}) {
    C& component = *c;
    composition::Part p;
    p.name = name;
    p.prefix = name + ".";
    p.instances = {name};
    p.rate = c->description().rate;
    p.offset = offset;
    p.component = std::move(c);
    plan.parts.push_back(std::move(p));
    return component;
  }

  std::pair<std::uint32_t, std::uint32_t> find(const std::string& path, bool output) const {
    for (std::uint32_t i = 0; i < plan.parts.size(); ++i) {
      const Description& d = plan.parts[i].component->description();
      const auto& ports = output ? d.outputs : d.inputs;
      for (std::uint32_t k = 0; k < ports.size(); ++k)
        if (composition::path(plan.parts[i], ports[k]) == path) return {i, k};
    }
    throw std::runtime_error("no port " + path);
  }

  composition::Wire& wire(const std::string& from, const std::string& to, double gain = 1.0,
                          Duration delay = {}) {
    composition::Wire w;
    std::tie(w.from_part, w.from) = find(from, true);
    std::tie(w.to_part, w.to) = find(to, false);
    w.count = plan.parts[w.to_part].component->description().inputs[w.to].count;
    w.gain = gain;
    w.delay = delay;
    return plan.wires.emplace_back(w);
  }

  composition::Plan take() {
    Diagnostics problems;
    composition::arrange(plan, problems);
    problems.throw_if_errors();
    return std::move(plan);
  }
};

inline Time at(double s) {
  return Time{Duration(static_cast<std::int64_t>(std::llround(s * 1e9)))};
}

}  // namespace vernier::executive::test
