#include "vernier/gateway/rsp/trials.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

namespace vernier::rsp {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

/// Uniformly distributed.
double between_of(Random& r, double low, double high) { return low + (high - low) * r.uniform(); }

std::string told(const char* what, std::size_t body, double value, double limit) {
  char text[160];
  std::snprintf(text, sizeof text, "body %zu: %s %.9g, allowed %.9g", body, what, value, limit);
  return text;
}

Limits usual() {
  Limits l;
  l.low = Vector3(-2, -2, -2);
  l.high = Vector3(2, 2, 2);
  l.speed = 0.5, l.acceleration = 0.5, l.jerk = 2.0;
  l.rate = 20 * degree, l.angular_acceleration = 20 * degree, l.angular_jerk = 80 * degree;
  return l;
}

}  // namespace

StreamCheck::StreamCheck(std::vector<Limits> limits, double dt)
    : limits_(std::move(limits)), dt_(dt), before_(limits_.size()) {}

std::string StreamCheck::after(const FacilityServer& server) {
  const States now = server.commanded();
  // acceleration may jump where a curve without continuous acceleration begins or ends
  const bool smooth = smooth_ && server.is_smooth();
  smooth_ = server.is_smooth();
  std::string found;
  for (std::size_t i = 0; i < now.size() && began_ && found.empty(); ++i) {
    const Trajectory &a = before_[i], &b = now[i];
    const Limits& l = limits_[i];
    const auto limit = [&](const char* what, double value, double most, double& used) {
      used = std::max(used, value / most);
      if (!(value <= most * (1.0 + 1e-9)) && found.empty()) found = told(what, i, value, most);
    };
    limit("speed", b.v.norm(), l.speed, used_.speed);
    limit("acceleration", (b.v - a.v).norm() / dt_, l.acceleration, used_.acceleration);
    limit("rate", b.omega.norm(), l.rate, used_.rate);
    limit("angular acceleration", (b.omega - a.omega).norm() / dt_, l.angular_acceleration,
          used_.angular_acceleration);
    if (smooth) {
      limit("jerk", (b.a - a.a).norm() / dt_, l.jerk, used_.jerk);
      limit("angular jerk", (b.alpha - a.alpha).norm() / dt_, l.angular_jerk, used_.angular_jerk);
    }
    for (int k = 0; k < 3 && found.empty(); ++k) {
      if (!(b.p[k] >= l.low[k] - 1e-9)) found = told("position", i, b.p[k], l.low[k]);
      if (!(b.p[k] <= l.high[k] + 1e-9)) found = told("position", i, b.p[k], l.high[k]);
    }
    // the displacement that the velocities imply, by the trapezoidal rule
    const double jump = (b.p - a.p - 0.5 * dt_ * (a.v + b.v)).norm();
    if (!(jump <= 0.5 * l.acceleration * dt_ * dt_ + 1e-12) && found.empty())
      found = told("jump of position", i, jump, 0.5 * l.acceleration * dt_ * dt_);
    const Vector3 turn = spatial::logarithm(spatial::product(b.q, spatial::inverse(a.q)));
    const double leap = (turn - 0.5 * dt_ * (a.omega + b.omega)).norm();
    if (!(leap <= 0.5 * l.angular_acceleration * dt_ * dt_ + 1e-12) && found.empty())
      found = told("jump of attitude", i, leap, 0.5 * l.angular_acceleration * dt_ * dt_);
    if (!(std::abs(b.q.norm() - 1.0) < 1e-12) && found.empty())
      found = told("norm of attitude", i, b.q.norm(), 1.0);
  }
  std::copy(now.begin(), now.end(), before_.begin());
  began_ = true;
  if (!found.empty()) {
    found += ", " + std::string(name(server.state()));
    if (server.state() == ServerState::halting) found += ": " + std::string(words(server.end()));
  }
  return found;
}

Wandering::Wandering(std::uint64_t seed, const std::vector<Limits>& limits, double share) {
  Random r(seed);
  for (const Limits& l : limits) {
    Body b;
    for (int k = 0; k < 3; ++k) {
      b.frequency[k] = between_of(r, 0.2, 2.0);
      // for three axes together near the fraction: speed A w, acceleration A w², jerk A w³
      const double w = b.frequency[k], axis = share / std::sqrt(3.0);
      b.amplitude[k] = axis * std::min({l.speed / w, l.acceleration / (w * w), l.jerk / (w * w * w),
                                        0.4 * (l.high[k] - l.low[k])});
      b.center[k] = 0.5 * (l.low[k] + l.high[k]) + between_of(r, -0.2, 0.2);
      b.phase[k] = between_of(r, 0.0, 6.28);
      b.turn_frequency[k] = between_of(r, 0.2, 1.5);
      const double u = b.turn_frequency[k];
      b.turn[k] = 0.7 * axis *
                  std::min({l.rate / u, l.angular_acceleration / (u * u),
                            l.angular_jerk / (u * u * u), 0.5});
      b.turn_phase[k] = between_of(r, 0.0, 6.28);
    }
    bodies_.push_back(b);
  }
}

void Wandering::at(double t, std::span<Trajectory> to) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& b = bodies_[i];
    Trajectory& s = to[i];
    // the rotation vector and its derivatives; a short quintic gives rates and accelerations
    Vector3 th, dth, ddth;
    for (int k = 0; k < 3; ++k) {
      const double w = b.frequency[k], x = w * t + b.phase[k];
      s.p[k] = b.center[k] + b.amplitude[k] * std::sin(x);
      s.v[k] = b.amplitude[k] * w * std::cos(x);
      s.a[k] = -b.amplitude[k] * w * w * std::sin(x);
      const double u = b.turn_frequency[k], y = u * t + b.turn_phase[k];
      th[k] = b.turn[k] * std::sin(y);
      dth[k] = b.turn[k] * u * std::cos(y);
      ddth[k] = -b.turn[k] * u * u * std::sin(y);
    }
    s.q = spatial::exponential(th);
    // Ω = J(θ) θ', and its derivative by the same Jacobian of a small step
    const auto rate = [](const Vector3& x, const Vector3& v) -> Vector3 {
      const double n2 = x.squaredNorm(), n = std::sqrt(n2);
      const double c = n < 1e-4 ? 0.5 - n2 / 24 : (1 - std::cos(n)) / n2;
      const double d = n < 1e-3 ? 1.0 / 6 - n2 / 120 : (n - std::sin(n)) / (n2 * n);
      const Vector3 xv = x.cross(v);
      return v - c * xv + d * x.cross(xv);
    };
    s.omega = rate(th, dth);
    const double e = 1e-4;
    s.alpha = (rate(th + e * dth + 0.5 * e * e * ddth, dth + e * ddth) -
               rate(th - e * dth + 0.5 * e * e * ddth, dth - e * ddth)) /
              (2 * e);
  }
}

namespace {

void collect(TrialResult& r, const FacilityServer& s, const StreamCheck& check) {
  const ServerCounters& c = s.counters();
  r.extrapolated += c.extrapolated, r.rejoined += c.rejoined, r.late += c.late;
  r.early += c.early, r.duplicates += c.duplicates, r.rejected += c.rejected;
  r.runs += c.runs, r.refused += c.refused;
  r.used = check.used();
}

std::string at_time(double now, const std::string& what) {
  char text[32];
  std::snprintf(text, sizeof text, "at %.3f s: ", now);
  return text + what;
}

}  // namespace

TrialResult random_trial(std::uint64_t seed, std::vector<double>* costs) {
  Random r(seed);
  const auto one_of = [&](auto... values) {
    const double all[] = {static_cast<double>(values)...};
    return all[r.bits() % sizeof...(values)];
  };
  Experiment::Settings s;
  s.seed = seed;
  s.server.period = {4'000'000, 1};
  s.server.limits.assign(1 + r.bits() % 2, usual());
  s.server.curve = static_cast<Curve>(r.bits() % 4);
  s.server.on_limit = static_cast<ServerSettings::OnLimit>(r.bits() % 2);
  // 250, 100, 62.5, 30, 10, 7, 1 Hz
  const Period periods[] = {{4'000'000, 1},      {10'000'000, 1},  {16'000'000, 1},
                            {1'000'000'000, 30}, {100'000'000, 1}, {1'000'000'000, 7},
                            {1'000'000'000, 1}};
  s.client.period = periods[r.bits() % std::size(periods)];
  s.client.bodies = static_cast<std::uint32_t>(s.server.limits.size());
  s.client.accelerations = r.bits() % 2 == 0;
  s.client.nu = *forerun(one_of(0.0, 0.1, 0.5, 0.9, 1.0));
  s.client.initial = std::chrono::seconds(6 + static_cast<int>(r.bits() % 8));
  s.phase = between_of(r, 0.0, 0.1);
  const double period = link::seconds(s.client.period);
  const Wandering motion(seed ^ 0x9e3779b97f4a7c15u, s.server.limits, one_of(0.3, 0.6, 0.9, 1.2));
  s.motion = [&](double t, std::span<Trajectory> to) { motion.at(t, to); };
  Experiment e(s);
  e.server_costs = costs;
  Impairment& bad = e.client_end().impairment;
  bad.delay = one_of(0.0, 0.0, 0.003, 0.02);
  bad.jitter = one_of(0.0, 0.001, 0.01) + (r.bits() % 4 == 0 ? 0.5 * period : 0.0);
  bad.loss = one_of(0.0, 0.02, 0.2);
  bad.doubled = one_of(0.0, 0.1);
  bad.slow = one_of(0.0, 0.05);
  bad.slowness = one_of(0.5, 2.0, 5.0) * period;
  e.server_end().impairment.delay = bad.delay;

  TrialResult result;
  StreamCheck check(s.server.limits, 0.004);
  std::map<std::int64_t, std::vector<Trajectory>> sent;
  std::int64_t target = 0, last_target = 0;
  bool followed = false;
  std::vector<Trajectory> states(s.client.bodies);
  e.after_client = [&] {
    if (e.client().state() != ClientState::running && e.client().state() != ClientState::asking)
      return;
    motion.at(e.simulated(), states);
    sent[e.client().state() == ClientState::asking ? e.client().start().client_step
                                                   : e.client_step()] = states;
  };
  e.after_server = [&] {
    ++result.steps;
    const FacilityServer& server = e.server();
    if (const std::string p = check.after(server); !p.empty() && result.problem.empty())
      result.problem = at_time(e.now(), p);
    // where a command is due exactly at a server step, the bodies are exactly in it
    const bool follows = server.state() == ServerState::approaching ||
                         server.state() == ServerState::running ||
                         server.state() == ServerState::extrapolating;
    if (follows && followed && server.postponed() == 0.0) {
      const ExactStep due = server.due().of(target);
      if (due.rest == 0 && due.whole == e.server_step() && sent.contains(target)) {
        for (std::size_t i = 0; i < states.size(); ++i) {
          const Trajectory &a = sent[target][i], &b = server.commanded()[i];
          const double off =
              (a.p - b.p).norm() + (a.v - b.v).norm() + (a.omega - b.omega).norm() +
              spatial::logarithm(spatial::product(a.q, spatial::inverse(b.q))).norm();
          if (!(off <= 1e-12) && result.problem.empty())
            result.problem = at_time(e.now(), told("off a command", i, off, 0.0));
        }
        ++result.exact_ends;
      }
      if (server.target() != last_target) ++result.segments;
    }
    followed = follows;
    last_target = target;
    target = server.target();
  };
  e.join();
  e.run(between_of(r, 1.0, 1.5) * vernier::seconds(s.client.initial) + between_of(r, 1.0, 8.0) +
        2.0 * period);
  // various ends of the run
  switch (r.bits() % 4) {
    case 0:
      e.stop = true;
      break;
    case 1:
      e.cut();
      break;
    case 2:
      e.client_runs = false;
      break;
    default:
      e.fault = true;
  }
  e.run(40.0);  // the approach to the initial state continues without the client
  const ServerState end = e.server().state();
  if (end != ServerState::ready && end != ServerState::idle && end != ServerState::fault &&
      result.problem.empty())
    result.problem = "it does not come to rest: " + std::string(name(end));
  for (const Trajectory& t : e.server().commanded()) {
    if ((t.v.norm() != 0.0 || t.omega.norm() != 0.0) && result.problem.empty())
      result.problem = "it is not at rest";
  }
  collect(result, e.server(), check);
  return result;
}

TrialResult operation(std::uint64_t seed, double hours) {
  Random r(seed);
  Experiment::Settings s;
  s.seed = seed;
  s.server.period = {4'000'000, 1};
  s.server.limits.assign(2, usual());
  s.client.period = {100'000'000, 1};
  s.client.bodies = 2;
  s.client.accelerations = true;
  s.client.initial = std::chrono::seconds(10);
  const Wandering motion(seed, s.server.limits, 0.6);
  s.motion = [&](double t, std::span<Trajectory> to) { motion.at(t, to); };
  Experiment e(s);
  for (SimulatedEnd* end : {&e.client_end(), &e.server_end()}) {
    end->impairment = {.delay = 0.002,
                       .jitter = 0.003,
                       .loss = 0.002,
                       .doubled = 0.002,
                       .slow = 0.002,
                       .slowness = 0.5,
                       .garbage = 0.02};
  }
  TrialResult result;
  StreamCheck check(s.server.limits, 0.004);
  double last_running = 0.0;
  e.after_server = [&] {
    ++result.steps;
    if (const std::string p = check.after(e.server()); !p.empty() && result.problem.empty())
      result.problem = at_time(e.now(), p);
    if (e.server().state() == ServerState::running) last_running = e.now();
  };
  e.join();
  while (e.now() < 3600.0 * hours && result.problem.empty()) {
    e.run(between_of(r, 1.0, 60.0));
    switch (r.bits() % 8) {
      case 0:
        e.cut();
        e.run(between_of(r, 0.1, 5.0));
        e.join();
        break;
      case 1:
        e.replace_client();
        break;
      case 2:
        e.client_runs = false;
        e.run(between_of(r, 0.1, 6.0));
        e.client_runs = true;
        break;
      case 3:
        e.stop = true;
        e.run(between_of(r, 0.2, 3.0));
        e.stop = false;
        break;
      case 4:
        e.fault = true;
        e.run(between_of(r, 0.1, 3.0));
        e.fault = false;
        break;
      case 5:
        e.ready = false;
        e.run(between_of(r, 0.1, 3.0));
        e.ready = true;
        break;
      case 6:
        e.client_end().references = false;
        e.run(between_of(r, 0.5, 3.0));
        e.client_end().references = true;
        break;
      default:
        e.join();  // a new session at once
    }
    if (e.now() - last_running > 300.0 && result.problem.empty())
      result.problem = at_time(e.now(), "nothing has run for five minutes: server " +
                                            std::string(name(e.server().state())) + ", client " +
                                            std::string(name(e.client().state())));
  }
  collect(result, e.server(), check);
  return result;
}

}  // namespace vernier::rsp
