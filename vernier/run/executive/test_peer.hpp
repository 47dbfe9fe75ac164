#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/exchange/socket_exchange.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/executive/test_parts.hpp"

/// A run of two nodes of which one is real, and the other says what was recorded or something else.
/// For tests and fuzzing, without a test framework.
namespace vernier::executive::test {

/// Reacts at `period` and stops there, also within a step; `tick` counts, `y` follows `u`.
class Beat final : public Small<std::array<std::int64_t, 2>> {
 public:
  Beat(Duration period, bool stops) : period_(period.count()) {
    description_.inputs = {real("u", 1, {{0.0}})};
    description_.outputs = {real("y"), event("tick")};
    description_.abilities = {.predicts = true, .reacts = true, .stops_early = stops};
  }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    y_ = b.real_output("y");
    tick_ = b.integer_output("tick");
  }
  bool initialize(Time, int) override {
    state = {period_, 0};
    return true;
  }
  Outcome output(Instant) noexcept override {
    y_[0] = static_cast<double>(state[1]);
    tick_[0] = state[1];
    return Outcome::ok;
  }
  Outcome react(Instant at) noexcept override {
    if (at.time.time_since_epoch().count() < state[0]) return Outcome::ok;
    state[0] += period_;
    state[1] += u_[0] > 0.5 ? 2 : 1;
    return Outcome::changed;
  }
  Advance advance(Time, Time to) noexcept override {
    const Time next{Duration(state[0])};
    return {description_.abilities.stops_early ? std::min(to, next) : to};
  }
  Time horizon(Time) const noexcept override {
    return description_.abilities.stops_early ? Time::max() : Time{Duration(state[0])};
  }

 private:
  std::int64_t period_;
  std::span<const double> u_;
  std::span<double> y_;
  std::span<std::int64_t> tick_;
};

/// Sends a message at every other call.
class Talker final : public Small<std::int64_t> {
 public:
  Talker() {
    Port p;
    p.name = "said";
    p.scalar = Scalar::byte;
    p.flow = Flow::stream;
    p.capacity = 8;
    p.message_bytes = 24;
    description_.outputs = {p};
  }
  void bind(const Bindings& b) override { said_ = &b.stream_output("said"); }
  bool initialize(Time, int) override {
    state = 0;
    return true;
  }
  Advance advance(Time, Time to) noexcept override {
    const std::array<std::int64_t, 3> words{state, state + 1, state + 2};
    if (++state % 2 == 0) said_->push(to, std::as_bytes(std::span(words).first(1 + state % 3)));
    return {to};
  }

 private:
  Stream* said_ = nullptr;
};

/// Adds up the bytes of all messages, and events that arrive.
class Listener final : public Small<std::array<std::int64_t, 2>> {
 public:
  Listener() {
    Port p;
    p.name = "heard";
    p.scalar = Scalar::byte;
    p.flow = Flow::stream;
    p.capacity = 8;
    p.message_bytes = 24;
    description_.inputs = {p, event("tick"), real("u", 1, {{0.0}})};
    description_.outputs = {real("sum")};
  }
  void bind(const Bindings& b) override {
    heard_ = &b.stream_input("heard");
    tick_ = b.integer_input("tick");
    u_ = b.real_input("u");
    sum_ = b.real_output("sum");
  }
  bool initialize(Time, int) override {
    state = {};
    return true;
  }
  Outcome output(Instant) noexcept override {
    sum_[0] = static_cast<double>(state[0] % 1000 + state[1] % 1000) + u_[0];
    return Outcome::ok;
  }
  Advance advance(Time, Time to) noexcept override {
    Message m;
    while (heard_->pop(m))
      for (const std::byte b : m.content) state[0] += std::to_integer<int>(b);
    state[1] = tick_[0];
    return {to};
  }

 private:
  StreamReader* heard_ = nullptr;
  std::span<const std::int64_t> tick_;
  std::span<const double> u_;
  std::span<double> sum_;
};

/// As Lag, but bound to its node.
class Device final : public Small<One> {
 public:
  Device() {
    description_.inputs = {real("u", 1, {{0.0}})};
    description_.outputs = {real("y")};
    description_.abilities.faces_world = true;
  }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    y_ = b.real_output("y");
  }
  bool initialize(Time, int) override {
    state.x = 0.25;
    return true;
  }
  Outcome output(Instant) noexcept override {
    y_[0] = state.x;
    return Outcome::ok;
  }
  Advance advance(Time, Time to) noexcept override {
    state.x = 0.5 * state.x + 0.25 * u_[0];
    return {to};
  }

 private:
  std::span<const double> u_;
  std::span<double> y_;
};

/// What crosses between two nodes, in all ways there are: several rounds of outputs, reactions,
/// early returns, messages, delayed values and events, parts that only one node can initialize.
struct Pair {
  composition::Plan plan;
  std::vector<std::uint32_t> nodes;

  Pair() {
    Bench b(std::chrono::milliseconds(100));
    const auto add = [&](std::uint32_t node, const std::string& name, auto part) {
      b.add(name, std::move(part));
      nodes.push_back(node);
    };
    for (const std::uint32_t n : {0u, 1u}) {
      const std::string id = std::to_string(n);
      add(n, "lag" + id, std::make_unique<Lag>(1.0 + n, 0.5));
      add(n, "direct" + id, std::make_unique<Scale>(0.5, 0.1));
      add(n, "beat" + id, std::make_unique<Beat>(Duration(137'000'000 + 20'000'000 * n), true));
      add(n, "talker" + id, std::make_unique<Talker>());
      add(n, "listener" + id, std::make_unique<Listener>());
      add(n, "device" + id, std::make_unique<Device>());
      add(n, "late" + id, std::make_unique<Listener>());
      add(n, "far" + id, std::make_unique<Lag>(0.5, 2.0));
      add(n, "pulse" + id, std::make_unique<Beat>(Duration(70'000'000), true));
      add(n, "timer" + id, std::make_unique<Beat>(Duration(230'000'000), false));
    }
    using std::chrono::milliseconds;
    for (const char* const from : {"0", "1"}) {
      const std::string f = from, t = f == "0" ? "1" : "0";
      b.wire("lag" + f + ".y", "direct" + t + ".u");
      b.wire("beat" + f + ".y", "lag" + t + ".u");
      b.wire("direct" + f + ".y", "beat" + t + ".u");
      b.wire("talker" + f + ".said", "listener" + t + ".heard");
      b.wire("beat" + f + ".tick", "listener" + t + ".tick");
      b.wire("device" + f + ".y", "device" + t + ".u");
      b.wire("timer" + f + ".y", "timer" + t + ".u");
      b.wire("far" + f + ".y", "late" + t + ".u", 1.0, milliseconds(250));
      b.wire("pulse" + f + ".tick", "late" + t + ".tick", 1.0, milliseconds(150));
    }
    plan = b.take();
  }
};

/// Passes on what another exchange receives, and keeps it.
class Recorded final : public exchange::Exchange {
 public:
  Recorded(exchange::Exchange& e, std::vector<std::vector<std::byte>>& frames)
      : exchange_(e), frames_(frames) {}
  std::uint32_t nodes() const noexcept override { return 2; }
  std::uint32_t self() const noexcept override { return exchange_.self(); }
  void reserve(std::size_t n) override { exchange_.reserve(n); }
  bool send(std::uint32_t peer, Bytes b) noexcept override { return exchange_.send(peer, b); }
  exchange::Received receive(std::uint32_t peer, Bytes& b,
                             Clock::time_point deadline) noexcept override {
    const exchange::Received r = exchange_.receive(peer, b, deadline);
    if (r == exchange::Received::frame) frames_.emplace_back(b.begin(), b.end());
    return r;
  }
  void interrupt() noexcept override { exchange_.interrupt(); }
  void begin(std::uint32_t epoch) override { exchange_.begin(epoch); }
  std::uint32_t epoch() const noexcept override { return exchange_.epoch(); }
  const char* why(std::uint32_t p) const noexcept override { return exchange_.why(p); }

 private:
  exchange::Exchange& exchange_;
  std::vector<std::vector<std::byte>>& frames_;
};

/// What node 1 tells node 0 in a run of this length.
inline std::vector<std::vector<std::byte>> recorded(Time until) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0) std::abort();
  std::vector<std::vector<std::byte>> frames;
  std::array<std::unique_ptr<exchange::SocketExchange>, 2> ends;
  for (const std::uint32_t self : {0u, 1u}) {
    std::vector<net::Stream> streams(2);
    streams[1 - self] = net::Stream(Descriptor(fds[self]));
    ends[self] = std::make_unique<exchange::SocketExchange>(self, std::move(streams));
  }
  Recorded recorder(*ends[0], frames);
  const auto work = [&](exchange::Exchange& e) {
    Pair pair;
    Executive run(std::move(pair.plan), {}, {.exchange = &e, .nodes = pair.nodes});
    run.initialize();
    if (run.run_until(until) != Ending::reached) {
      std::fputs(rendered(run.fault()).c_str(), stderr);
      std::abort();
    }
  };
  std::thread other([&] { work(*ends[1]); });
  work(recorder);
  other.join();
  return frames;
}

/// Node 1 as node 0 hears it: `next` gives each of its frames, or says how they end.
class Peer final : public exchange::Exchange {
 public:
  std::function<exchange::Received(Bytes&)> next;

  std::uint32_t nodes() const noexcept override { return 2; }
  std::uint32_t self() const noexcept override { return 0; }
  void reserve(std::size_t) override {}
  bool send(std::uint32_t, Bytes) noexcept override { return true; }
  exchange::Received receive(std::uint32_t, Bytes& b, Clock::time_point) noexcept override {
    return next(b);
  }
  void interrupt() noexcept override {}
  void begin(std::uint32_t) override {}
  std::uint32_t epoch() const noexcept override { return 0; }
  const char* why(std::uint32_t) const noexcept override { return "it said no more"; }
};

/// Node 0, again and again from the start.
class Lone {
 public:
  explicit Lone(Time until) : until_(until), frames_(recorded(until)) {
    Pair pair;
    run_ = std::make_unique<Executive>(std::move(pair.plan), std::vector<Pacer*>{},
                                       Options{.exchange = &peer_, .nodes = pair.nodes});
  }
  const std::vector<std::vector<std::byte>>& frames() const { return frames_; }
  const Executive& run() const { return *run_; }

  /// How a run with such a peer ends; empty: it reached its end.
  std::string outcome(std::function<exchange::Received(Bytes&)> next) {
    peer_.next = std::move(next);
    try {
      run_->initialize();
    } catch (const ConfigurationError& e) {
      return rendered(e.diagnostics());
    }
    return run_->run_until(until_) == Ending::reached ? "" : rendered(run_->fault());
  }
  /// The state at the end of a run with the recorded peer; empty: it did not get there.
  std::vector<std::byte> undisturbed() {
    std::size_t at = 0;
    const std::string fault = outcome([&](Bytes& b) {
      if (at == frames_.size()) return exchange::Received::lost;
      b = frames_[at++];
      return exchange::Received::frame;
    });
    std::vector<std::byte> all;
    if (!fault.empty() || at != frames_.size()) return all;
    for (const Section& s : run_->save().sections)
      all.insert(all.end(), s.bytes.begin(), s.bytes.end());
    return all;
  }

 private:
  Time until_;
  std::vector<std::vector<std::byte>> frames_;
  Peer peer_;
  std::unique_ptr<Executive> run_;
};

}  // namespace vernier::executive::test
