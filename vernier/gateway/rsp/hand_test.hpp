#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <numbers>

#include "vernier/gateway/rsp/trials.hpp"

/// A transport operated by the test, and a server connected to it.
namespace vernier::rsp::hand {

inline constexpr double degree = std::numbers::pi / 180.0;

inline Limits usual() {
  Limits l;
  l.low = Vector3(-5, -5, -5);
  l.high = Vector3(5, 5, 5);
  l.speed = 0.5, l.acceleration = 0.5, l.jerk = 2.0;
  l.rate = 20 * degree, l.angular_acceleration = 20 * degree, l.angular_jerk = 80 * degree;
  return l;
}

struct Hand final : Transport {
  bool is_up = true, known = true;
  std::uint32_t number = 1;
  link::StepMap map{{1, 25}, 0, 0};
  std::size_t size = numbers(1, true);
  std::deque<std::vector<double>> in;
  std::vector<double> taken;
  std::vector<Packet> out;  // of the last step

  bool up() const noexcept override { return is_up; }
  std::uint32_t session() const noexcept override { return number; }
  const link::StepMap* steps() const noexcept override { return known ? &map : nullptr; }
  std::size_t room() const noexcept override { return size; }
  Vector next() noexcept override {
    if (in.empty()) return {};
    taken = in.front();
    in.pop_front();
    return {taken, 0.0};
  }
  void send(std::span<const double> v) noexcept override {
    Packet p;
    EXPECT_EQ(decode(v, p), Flaw::none);
    out.push_back(p);
  }
  void give(const Packet& p) {
    std::vector<double> v(size);
    encode(p, v);
    in.push_back(std::move(v));
  }
};

inline Trajectory at(double x, double v = 0.0) {
  Trajectory t;
  t.p = Vector3(x, 0, 0);
  t.v = Vector3(v, 0, 0);
  return t;
}

/// A 250 Hz server for a 10 Hz client, stepped manually; each step is checked for continuity and
/// limits.
struct Facility10 {
  explicit Facility10(ServerSettings s = {}) : settings(completed(std::move(s))), server(settings) {
    server.observe({true, false, measured});
    hand.size = numbers(static_cast<std::uint32_t>(settings.limits.size()), accelerations);
  }

  static ServerSettings completed(ServerSettings s) {
    s.period = {4'000'000, 1};
    if (s.limits.empty()) s.limits = {usual()};
    return s;
  }

  void step(std::int64_t count = 1) {
    for (; count > 0; --count) {
      hand.out.clear();
      server.begin(++n, hand, gap);
      gap = false;
      for (const Note& x : server.notes()) notes.push_back(x);
      for (std::size_t i = 0; i < measured.size(); ++i) measured[i] = server.commanded()[i];
      server.observe({ready, fault, measured});
      server.send(hand);
      for (const Packet& p : hand.out) {
        sent.push_back(p.kind);
        last = p;
        if (p.kind == Kind::init_nak) nak = p;
      }
      EXPECT_EQ(check.after(server), "") << "in step " << n;
    }
  }
  void until(std::int64_t step_number) { step(step_number - n); }

  Packet init(double ahead = 2.0, const Trajectory& to = at(0.1)) {
    Packet p;
    p.kind = Kind::init;
    p.run = ++run;
    p.step = 100;
    p.bodies = static_cast<std::uint32_t>(settings.limits.size());
    p.accelerations = accelerations;
    start = n + 1 + std::llround(ahead / 0.004);
    p.arguments = {static_cast<double>(start), 100e6, 1.0, 0.5, ahead, 0.0};
    p.states.fill(to);
    return p;
  }
  Packet command(std::int64_t k, const Trajectory& to) {
    Packet p;
    p.kind = Kind::state;
    p.run = run;
    p.step = 100 + k;
    p.bodies = static_cast<std::uint32_t>(settings.limits.size());
    p.accelerations = accelerations;
    p.states.fill(to);
    return p;
  }
  Packet stop() {
    Packet p;
    p.kind = Kind::stop;
    p.run = run;
    return p;
  }
  /// The server step at which command k is due.
  std::int64_t due(std::int64_t k) const { return start + 25 * k; }

  /// A run along a line at speed v, with commands up to `last` received; `n` is the step in which
  /// that one begins to be followed.
  void run_to(std::int64_t last_command, double v = 0.05) {
    speed = v;
    step(2);
    hand.give(init(6.0, at(0.1, v)));
    step(5);
    ASSERT_EQ(server.state(), ServerState::approaching);
    for (std::int64_t k = 1; k <= last_command; ++k) {
      until(due(k - 1) - 5);
      give(k);
    }
    until(due(last_command - 1));
    ASSERT_EQ(server.state(), ServerState::running);
  }
  Trajectory line(std::int64_t k) const {
    return at(0.1 + speed * 0.1 * static_cast<double>(k), speed);
  }
  void give(std::int64_t k) { hand.give(command(k, line(k))); }
  double x() const { return server.commanded()[0].p[0]; }
  double v() const { return server.commanded()[0].v[0]; }
  /// Steps until the state is `s`, at most that many.
  bool reaches(ServerState s, std::int64_t most) {
    for (; most > 0 && server.state() != s; --most) step();
    return server.state() == s;
  }

  ServerSettings settings;
  bool accelerations = false, ready = true, fault = false, gap = false;
  Hand hand;
  std::vector<Trajectory> measured = std::vector<Trajectory>(settings.limits.size());
  FacilityServer server;
  StreamCheck check{settings.limits, 0.004};
  std::int64_t n = -1, run = 0, start = 0;
  double speed = 0.05;
  std::vector<Kind> sent;
  std::vector<Note> notes;
  Packet last, nak;
};

}  // namespace vernier::rsp::hand
