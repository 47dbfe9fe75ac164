#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "vernier/gateway/spacefom/federate_component.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/executive/test_parts.hpp"
#include "vernier/run/realtime/frames.hpp"

/// Federations in virtual time: real members at a real RTI, each in a thread of its own, whose
/// clocks pass only when they work, sleep or wait for each other.
namespace vernier::spacefom::test {

constexpr std::int64_t ms = 1'000'000;

/// When who asked for what. A federate that asked for T sends nothing before T + its lookahead; so
/// whoever asks for t is granted it when the last of the others has gone beyond.
class Ledger {
 public:
  void enter(std::size_t who, Ticks bound) {
    const std::lock_guard lock(mutex_);
    asked_[who] = {{bound, 0}};
  }
  void ask(std::size_t who, Ticks bound, std::int64_t at) {
    const std::lock_guard lock(mutex_);
    asked_[who].emplace(bound, at);
  }
  /// Called when it is granted: all that it depends on has been asked.
  std::int64_t granted(std::size_t who, Ticks t) const {
    const std::lock_guard lock(mutex_);
    std::int64_t at = 0;
    for (const auto& [other, all] : asked_)
      if (const auto beyond = all.upper_bound(t); other != who && beyond != all.end())
        at = std::max(at, beyond->second);
    return at;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::size_t, std::map<Ticks, std::int64_t>> asked_;  // bound, when
};

inline std::atomic<int> waiting{0};  // members that wait for others, now

/// Lets so many others wait, in earnest, until they have asked for whom: they need a few turns for
/// that, and get many, however long they last on a machine that is busy.
inline void keep_waiting(int others) {
  using namespace std::chrono_literals;
  while (waiting.load() < others) std::this_thread::sleep_for(1ms);
  for (int turns = 0; turns < 100; ++turns) std::this_thread::sleep_for(500us);
}

class VirtualClock final : public realtime::Clock {
 public:
  std::int64_t now() noexcept override { return now_; }
  void sleep_until(std::int64_t ns) noexcept override { now_ = std::max(now_, ns); }
  void work(std::int64_t ns) noexcept { now_ += ns; }

 private:
  std::int64_t now_ = 0;
};

/// A member whose waits pass in virtual time.
class VirtualMember final : public Component, public PacerSource {
 public:
  VirtualMember(FederateDocument d, std::size_t number, Ledger& l, VirtualClock& c)
      : step_(d.settings.steps.step),
        number_(number),
        member_(std::move(d)),
        ledger_(l),
        clock_(c) {}

  const Description& description() const noexcept override { return member_.description(); }
  void bind(const Bindings& b) override { member_.bind(b); }
  bool initialize(Time t, int phase) override {
    const bool ready = member_.initialize(t, phase);
    if (phase == 0 && made) made(member_);
    return ready;
  }
  Outcome output(Instant at) noexcept override { return member_.output(at); }
  Advance advance(Time from, Time to) noexcept override { return member_.advance(from, to); }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}
  std::vector<Pacer*> pacers() override { return {&waiter_}; }
  bool withholds_time() const noexcept override { return true; }
  FederateComponent& member() noexcept { return member_; }

  std::function<void(FederateComponent&)> made = {};  // before it joins
  std::int64_t resumed_at = 0;                        // after a freeze
  std::vector<Ticks> frozen;                          // where it stood still

 private:
  class Waiter final : public Pacer {
   public:
    explicit Waiter(VirtualMember& m) : m_(m), inner_(*m.member_.pacers().front()) {}
    Outcome wait_for(Time t) noexcept override {
      const Ticks asked = m_.member_.federate().granted() + m_.step_;
      kept_ = {};
      if (asked + m_.step_ > t.time_since_epoch().count() / 1000) return inner_.wait_for(t);
      m_.ledger_.ask(m_.number_, asked + m_.step_, m_.clock_.now());
      ++waiting;
      const Outcome o = inner_.wait_for(t);
      --waiting;
      if (o == Outcome::failed) return o;
      kept_ = inner_.kept();
      kept_.ns = std::max<std::int64_t>(0, m_.ledger_.granted(m_.number_, asked) - m_.clock_.now());
      m_.clock_.work(kept_.ns);
      return o;
    }
    Kept kept() const noexcept override { return kept_; }
    Fault fault() const noexcept override { return inner_.fault(); }
    bool over() const noexcept override { return inner_.over(); }
    bool stood_still() noexcept override {
      if (!inner_.stood_still()) return false;
      m_.frozen.push_back(m_.member_.federate().granted());
      m_.clock_.sleep_until(m_.resumed_at);
      return true;
    }

   private:
    VirtualMember& m_;
    Pacer& inner_;
    Kept kept_;
  };

  Ticks step_;
  std::size_t number_;
  FederateComponent member_;
  Ledger& ledger_;
  VirtualClock& clock_;
  Waiter waiter_{*this};
};

/// How a federate of a scenario behaves.
struct Role {
  std::string name;
  Ticks step = 1'000'000;
  bool pacing = false;
  double rate = 0.0;                                    // by the clock; 0: as fast as possible
  realtime::LatePolicy late = {};                       // of one by the clock
  std::function<std::int64_t(std::int64_t)> cost = {};  // ns of tick k; 10 ms
  std::function<void(FederateComponent&, std::int64_t)> each = {};  // at tick k
  std::function<void(FederateComponent&)> made = {};                // before it joins
};

/// What became of one.
struct Lived {
  executive::Ending ending = executive::Ending::failed;
  Diagnostic fault;
  std::string thrown;
  std::vector<std::int64_t> entered;  // ns; when tick k began
  realtime::FrameStatistics frames;
  std::vector<realtime::Other> others;
  std::vector<Ticks> frozen;
};

/// Runs a federation for `seconds` of simulated time, or to its end. The first is the Master and
/// publishes the root frame; all know who paces.
inline std::vector<Lived> live(const std::string& federation, std::vector<Role> roles,
                               double seconds, std::int64_t resumed_at = 0) {
  Ledger ledger;
  std::vector<Lived> lived(roles.size());
  std::vector<std::thread> threads;
  std::string pacer;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    ledger.enter(i, roles[i].step);
    if (roles[i].pacing) pacer = roles[i].name;
  }
  const auto run = [&](std::size_t i) {
    const Role& role = roles[i];
    Lived& l = lived[i];
    FederateDocument d;
    Settings& s = d.settings;
    s.federation = federation;
    s.name = s.type = role.name;
    s.steps.step = role.step;
    s.pacing = role.pacing;
    s.pacer = pacer;
    s.patience = std::chrono::seconds(200);
    if (i == 0) {
      s.master = s.root_publisher = true;
      s.steps.least_common = 1'000'000;
      s.epoch = 1000.0;
      for (std::size_t k = 1; k < roles.size(); ++k) s.federates.push_back(roles[k].name);
      d.frames.push_back({"Root", "", "root", {}});
    }
    VirtualClock clock;
    executive::test::Bench b{std::chrono::microseconds(role.step)};
    auto& plant = b.add("plant", std::make_unique<executive::test::Scripted>(Description{}));
    auto& member =
        b.add("federate", std::make_unique<VirtualMember>(std::move(d), i, ledger, clock));
    member.resumed_at = resumed_at;
    member.made = role.made;
    plant.on_advance = [&](Time from, Time to) {
      const std::int64_t k = from.time_since_epoch().count() / 1000 / role.step;
      l.entered.push_back(clock.now());
      if (role.each) role.each(member.member(), k);
      clock.work(role.cost ? role.cost(k) : 10 * ms);
      return Advance{to};
    };
    std::vector<Pacer*> pacers = member.pacers();
    std::unique_ptr<realtime::FramePacer> by_clock;
    if (role.rate > 0.0) {
      by_clock = std::make_unique<realtime::FramePacer>(
          realtime::FramePacer::Settings{.grid = {.step = std::chrono::microseconds(role.step)},
                                         .rate = role.rate,
                                         .spin = {},
                                         .late = role.late},
          clock);
      pacers.push_back(by_clock.get());
    }
    try {
      executive::Executive exec(b.take(), pacers, {.real_time = true, .meter = by_clock.get()});
      if (by_clock) by_clock->know(exec.parts());
      exec.initialize();
      l.ending = exec.run_until(executive::test::at(seconds));
      if (l.ending == executive::Ending::failed) l.fault = exec.fault();
      l.frozen = member.frozen;
      if (by_clock) {
        l.frames = by_clock->statistics();
        l.others = by_clock->others();
      }
      member.member().federate().resign();
    } catch (const ConfigurationError& e) {
      l.thrown = rendered(e.diagnostics().list().front());
    }
  };
  for (std::size_t i = 0; i < roles.size(); ++i) threads.emplace_back(run, i);
  for (std::thread& t : threads) t.join();
  return lived;
}

}  // namespace vernier::spacefom::test
