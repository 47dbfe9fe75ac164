#include "apps/vernier/link_measurement.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/gateway/link/packets.hpp"

namespace vernier::app {
namespace {

using link::Element;
using link::Link;

/// Steps a link by the wall clock with changing vectors.
class Stepper {
 public:
  explicit Stepper(Link& l)
      : link_(l), period_(l.settings().period), reals_(l.settings().send), bytes_(reals_.size()) {
    begin();
  }
  void begin() {
    origin_ = link_.now();
    step_ = 0;
  }
  std::int64_t due() const noexcept { return link::instant(origin_, period_, step_); }
  /// Waits until the step is due, and executes it.
  void step() {
    const std::int64_t planned = due(), left = planned - link_.now();
    if (left > 0) {
      const timespec t{static_cast<time_t>(left / 1'000'000'000),
                       static_cast<long>(left % 1'000'000'000)};
      nanosleep(&t, nullptr);
    }
    const auto length = static_cast<std::int64_t>(link::seconds(period_) * 1e9);
    const bool overran = link_.now() - planned > length;
    late += overran;
    link_.begin_step(step_, planned, overran);
    link_.receive();
    for (std::size_t i = 0; i < reals_.size(); ++i)
      reals_[i] = std::cos(static_cast<double>(step_) * link::seconds(period_) + 0.1 * double(i));
    switch (link_.settings().send_element) {
      case Element::real:
        link_.send(std::span<const double>(reals_));
        break;
      case Element::int8:
        link_.send(std::span(reinterpret_cast<const std::int8_t*>(bytes_.data()), bytes_.size()));
        break;
      case Element::uint8:
        link_.send(std::span<const std::uint8_t>(bytes_));
        break;
      case Element::none:
        break;
    }
    for (auto& b : bytes_) ++b;
    ++step_;
  }
  std::int64_t steps() const noexcept { return step_; }
  std::int64_t late = 0;

 private:
  Link& link_;
  link::Period period_;
  std::int64_t origin_ = 0, step_ = 0;
  std::vector<double> reals_;
  std::vector<std::uint8_t> bytes_;
};

/// The peer, on a thread, during its life.
class Other {
 public:
  explicit Other(Link& l)
      : thread_([this, &l] {
          Stepper s(l);
          while (!over_) s.step();
        }) {}
  ~Other() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

/// The network between the two sides.
struct Path {
  std::unique_ptr<link::Relay> relay;
  std::unique_ptr<link::PacketNetwork> packets;

  template <class Act>
  void each(const Act& act) {
    if (relay) act(*relay);
    if (packets) act(*packets);
  }
};

bool is_up(const Link& l) {
  return l.state() == link::LinkState::up || l.state() == link::LinkState::degraded;
}

/// Whether retrying is useless.
bool hopeless(link::Reason r) {
  return r == link::Reason::version || r == link::Reason::dimensions ||
         r == link::Reason::interface || r == link::Reason::key;
}

void wait_for_peer(Link& l, const LinkTest& t, const std::atomic<bool>& stop) {
  const bool server = t.home.role == link::Role::server;
  const auto end = net::Clock::now() + std::chrono::duration<double>(t.patience);
  bool refused = false;
  while (!stop && !is_up(l)) {
    const link::Quality& q = l.quality();
    // a server continues: another client may fit
    refused = !server && q.troubles > 0 && hopeless(q.last_trouble);
    if (refused || net::Clock::now() >= end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (stop || is_up(l)) return;
  if (refused) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // for its message
  Diagnostics problems;
  auto& d = problems.error("V5142",
                           fmt::format("the link \"{}\" did not come up at {}{}", t.home.name,
                                       net::text(server ? l.control_address() : t.home.control),
                                       refused ? "" : " within " + exact(t.patience) + " s"),
                           {});
  d.category = Category::peer;
  if (const std::string why = l.status().last_error; !why.empty()) d.notes.push_back(why);
  if (refused && l.quality().last_trouble == link::Reason::dimensions)
    d.notes.push_back("--send and --receive say how many numbers go out and come in");
  throw ConfigurationError(std::move(problems));
}

}  // namespace

LinkFindings measure_link(const LinkTest& asked, const std::atomic<bool>& stop,
                          LinkWatcher& watcher) {
  LinkTest t = asked;
  LinkFindings f;
  Path path;
  const link::ImpairmentPlan plan = t.impairment.value_or(link::ImpairmentPlan{});
  f.expected_losses = plan.stall || plan.cut;
  if (t.packets && t.other) {
    auto made = link::PacketNetwork::made();
    if (made) {
      path.packets = std::move(*made);
      f.network = "packets between two namespaces";
      const char* host = link::PacketNetwork::addresses[0];
      t.other->control.host = t.other->data.host = host;
    } else {
      f.fallback = made.error();
    }
  }
  const bool relayed = t.impairment && !path.packets;
  net::Address listen_control = t.home.control, listen_data = t.home.data;
  if (relayed && t.home.role == link::Role::server) {
    t.home.control = t.home.data = {"127.0.0.1", "0"};  // the relay takes this place
  }
  std::unique_ptr<Link> other;
  if (t.other) {
    other = std::make_unique<Link>(*t.other);
    if (path.packets) {
      path.packets->in(0, [&] { other->start(); });
    } else {
      other->start();
    }
    t.home.control = other->control_address();
    t.home.data = other->data_address();
  }
  if (relayed && t.home.role == link::Role::client) {
    path.relay = std::make_unique<link::Relay>(t.home.control, t.home.data);
    t.home.control = path.relay->control();
    t.home.data = path.relay->data();
  }
  if (relayed) f.network = "a relay in this process";
  path.each([&](auto& network) { network.impair(plan.steady); });
  Link home(t.home);
  if (relayed && t.home.role == link::Role::server) {
    home.open();
    path.relay = std::make_unique<link::Relay>(home.control_address(), home.data_address(),
                                               listen_control, listen_data);
    path.relay->impair(plan.steady);
  }
  if (path.packets) {
    path.packets->in(1, [&] { home.start(); });
  } else {
    home.start();
  }
  std::optional<Other> steps;
  if (other) steps.emplace(*other);
  LinkTest shown = t;
  if (!asked.other) shown.home = asked.home;
  wait_for_peer(home, shown, stop);
  if (!stop) watcher.up(home.status());

  Stepper stepper(home);
  link::ImpairmentSchedule schedule(plan, t.seconds);
  const std::int64_t began = home.now();
  double told = 0.0, trip = 0.0;
  while (!stop && f.measured < t.seconds) {
    stepper.step();
    f.measured = static_cast<double>(home.now() - began) * 1e-9;
    path.each([&](auto& network) { schedule.follow(f.measured, network); });
    const link::Quality& q = home.quality();
    if (!is_up(home) && q.counters.ups > 0 && q.last_trouble_theirs &&
        q.last_trouble == link::Reason::closing) {
      f.farewell = true;
      break;
    }
    if (q.round_trip != trip && is_up(home)) f.round_trip.add(trip = q.round_trip);
    if (f.measured - told >= 0.25) {
      told = f.measured;
      watcher.goes(f.measured, q);
    }
  }
  f.steps = stepper.steps();
  f.late = stepper.late;
  f.status = home.status();
  f.status.quality = home.quality();
  f.status.quality.state = home.state();
  if (path.packets) {
    f.packets_lost = path.packets->counts().lost;
    f.packets_overtaken = path.packets->counts().overtaken;
  }
  home.stop();
  return f;
}

std::string findings_text(const LinkFindings& f) {
  const link::Quality& q = f.status.quality;
  const auto row = [](const char* name, double now, double mean, double p99, double most) {
    return fmt::format("  {}{:>9.3f}{:>10.3f}{:>10.3f}{:>10.3f}\n",
                       name + std::string(22 - width(name), ' '), now * 1e3, mean * 1e3, p99 * 1e3,
                       most * 1e3);
  };
  const auto delay = [&](const char* name, const link::DelaySummary& d) {
    return d.count == 0
               ? fmt::format("  {}   none yet\n", name + std::string(22 - width(name), ' '))
               : row(name, d.last, d.mean, d.p99, d.most);
  };
  const link::Counters& c = q.counters;
  std::string out =
      fmt::format("  {:<22}{:>9}{:>10}{:>10}{:>10}   ms\n", "", "now", "mean", "p99", "max");
  out += delay("send → receive", q.send_to_receive);
  out += delay("acquisition → output", q.acquisition_to_output);
  out += delay("dead time", q.dead_time);
  if (f.round_trip.count() > 0) {
    out += row("round trip", f.round_trip.last(), f.round_trip.mean(),
               f.round_trip.percentile(0.99), f.round_trip.most());
  }
  if (c.losses > 0) out += "  (delays since the link came up last)\n";
  out += "\n";
  if (q.clock.ready) {
    out += fmt::format(
        "  clock     offset {:+.3f} ms ± {:.3f} (plain mean {:+.3f}), skew {:+.2f} ppm ± "
        "{:.2f}{}\n",
        static_cast<double>(q.offset) * 1e-6, q.clock.offset_deviation * 1e3,
        static_cast<double>(q.mean_offset) * 1e-6, q.clock.skew * 1e6, q.clock.skew_deviation * 1e6,
        q.clock.converged ? "" : ", not settled");
  }
  out += fmt::format(
      "  vectors   {} sent, {} received; {} replaced before sending, {} before a step took them\n",
      c.sent, c.received, c.replaced, c.missed);
  out += fmt::format("  steps     {}, {} of them late\n", f.steps, f.late);
  out += fmt::format(
      "  link      {}; up {}, lost {} ({} by silence), {} refused, {} packets dropped\n",
      f.farewell ? "the peer closed the link" : link::name(q.state), c.ups, c.losses, c.timeouts,
      c.refused, c.misplaced + c.unknown + c.unasked);
  if (!f.network.empty()) {
    out += fmt::format("  through   {}", f.network);
    if (f.packets_lost + f.packets_overtaken > 0)
      out += fmt::format("; {} lost, {} overtaken", f.packets_lost, f.packets_overtaken);
    out += "\n";
  }
  return out;
}

std::string findings_json(const LinkFindings& f, int exit_status) {
  using Json = nlohmann::ordered_json;
  const link::Quality& q = f.status.quality;
  const auto figures = [](std::uint64_t n, double now, double mean, double p99, double most) {
    return Json{{"count", n}, {"now", now}, {"mean", mean}, {"p99", p99}, {"max", most}};
  };
  const auto delay = [&](const link::DelaySummary& d) {
    return figures(d.count, d.last, d.mean, d.p99, d.most);
  };
  const link::Counters& c = q.counters;
  Json all;
  all["peer"] = f.status.peer;
  all["state"] = link::name(q.state);
  all["measured_s"] = f.measured;
  all["steps"] = f.steps;
  all["late"] = f.late;
  all["delays_s"] = {
      {"send_to_receive", delay(q.send_to_receive)},
      {"acquisition_to_output", delay(q.acquisition_to_output)},
      {"dead_time", delay(q.dead_time)},
      {"round_trip", figures(f.round_trip.count(), f.round_trip.last(), f.round_trip.mean(),
                             f.round_trip.percentile(0.99), f.round_trip.most())}};
  all["clock"] = {{"ready", q.clock.ready},
                  {"offset_s", static_cast<double>(q.offset) * 1e-9},
                  {"offset_deviation_s", q.clock.offset_deviation},
                  {"mean_offset_s", static_cast<double>(q.mean_offset) * 1e-9},
                  {"skew", q.clock.skew},
                  {"skew_deviation", q.clock.skew_deviation}};
  all["counts"] = {{"sent", c.sent},         {"received", c.received},
                   {"replaced", c.replaced}, {"missed", c.missed},
                   {"ups", c.ups},           {"losses", c.losses},
                   {"timeouts", c.timeouts}, {"refused", c.refused},
                   {"gaps", c.gaps},         {"dropped", c.misplaced + c.unknown + c.unasked}};
  if (!f.network.empty()) all["through"] = f.network;
  if (!f.status.last_error.empty()) all["last_error"] = f.status.last_error;
  all["exit_status"] = exit_status;
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vernier::app
