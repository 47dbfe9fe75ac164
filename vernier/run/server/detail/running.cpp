#include <fmt/format.h>

#include <algorithm>

#include "vernier/run/server/common_clock.hpp"
#include "vernier/run/server/detail/work.hpp"

namespace vernier::server {
namespace {

using namespace std::chrono_literals;

/// Nodes that have nothing to wait for any more halt by themselves.
constexpr auto halt_within = 20s;
/// How far the nodes may run ahead of what was shown, in wall time: about twice this.
constexpr auto ahead = 10ms;
constexpr Duration longest_span = std::chrono::hours(1);
/// In a run by the clock: what an order to go, or to halt, needs on its way.
constexpr std::chrono::nanoseconds start_within = 10ms, halt_notice = 20ms;

}  // namespace

bool Composer::Work::lost() const noexcept {
  return std::any_of(active_.begin(), active_.end(), [](const Peer* e) { return e->lost; });
}

bool Composer::Work::all_halted() const noexcept {
  return std::none_of(active_.begin(), active_.end(), [](const Peer* e) { return e->busy; });
}

bool Composer::Work::any(Ending how) const noexcept {
  return std::any_of(active_.begin(), active_.end(),
                     [how](const Peer* e) { return ending(*e) == how; });
}

bool Composer::Work::over() const noexcept {
  return std::any_of(active_.begin(), active_.end(), [this](const Peer* e) {
    return !e->lost && !e->busy && !e->rests && ending(*e) == Ending::reached &&
           e->halted.now < asked_until_;
  });
}

bool Composer::Work::behind() const noexcept { return progress() < merger_.shown(); }

Time Composer::Work::halt_at() const noexcept {
  const Time asked = run_.stops() ? Time::min() : Time(Duration(run_.freeze_at()));
  return std::max(asked, merger_.shown() - Duration(1));
}

void Composer::Work::catch_up() {
  while ((lost() || behind() || any(Ending::cut_off)) && fault_.code.empty())
    run(Time(Duration(asked_until_)));
}

Ending Composer::Work::run(Time until) {
  if (!fault_.code.empty()) return Ending::failed;
  run_.start_pacers();
  while (true) {
    if (const auto e = decide(until)) return *e;
    go(until);
    while (!all_halted() && !lost()) {
      fleet_.listen(Clock::now() + 50ms);
      do_orders(false);
      if (!show_all()) return end_by_pacer();
      extend(until);
      resume_halted();
      see_to_seats();
      lose_cut_off();
    }
    if (lost()) survive();
  }
}

std::optional<Ending> Composer::Work::decide(Time until) {
  if (any(Ending::failed)) return fail();
  lose_cut_off();
  if (lost()) {
    survive();
    return decide(until);  // it may have returned to where it is to stand still
  }
  if (any(Ending::cut_off)) return cut_off(until);
  if (!show_all()) return end_by_pacer();
  const Time now = time_of_nodes();
  failures_ = 0;
  halting_ = false;
  const bool together = std::all_of(active_.begin(), active_.end(), [&](const Peer* e) {
    return Time(Duration(e->halted.now)) == now;
  });
  reached(together && !behind() ? now : std::max(run_.now(), now));
  if (over()) return Ending::reached;
  if (!together) return {};
  if (now >= until) return Ending::reached;
  do_orders(true);
  if (lost()) survive();
  if (wants_rearrangement()) rearrange();
  if (time_of_nodes() >= halt_at()) return run_.stops() ? Ending::stopped : Ending::frozen;
  return {};
}

void Composer::Work::go(Time until) {
  const Time now = time_of_nodes();
  asked_until_ = until.time_since_epoch().count();
  if (by_the_clock()) {
    if (std::exchange(clock_stands_, false)) {
      origin_ = now;
      due_ = clock_now() + std::chrono::nanoseconds(start_within).count();
    }
    if (all_halted()) {  // else others were lost, and those that go know how far
      Time last = now;   // that one of them has reached
      for (const Peer* e : active_) last = std::max(last, Time(Duration(e->halted.now)));
      window_ = last > now ? last : std::clamp(halt_at(), now + Duration(1), until);
    }
  } else if (window_ <= now) {
    span_ = std::max(span_, run_.plan().step);
    window_ = now + span_;
    limit_window(now);
  }
  extended_ = Clock::now();
  resume_halted();
}

std::int64_t Composer::Work::clock_now() const noexcept {
  return team_.begin.pace->synchronised ? time_of_day() : monotonic();
}

void Composer::Work::halt_in_time() {
  if (all_halted() || (!halting_ && halt_at() >= window_)) return;
  const double rate = team_.timing->frames().settings().rate;
  const auto simulated = [rate](std::chrono::nanoseconds d) {
    return Duration(static_cast<std::int64_t>(static_cast<double>(d.count()) * rate));
  };
  // where they are by the clock; or, if they do not keep up with it, not far from what they said
  Time reached = Time::min();
  for (const Peer* e : active_) reached = std::max(reached, e->progress);
  if (reached == Time::min()) reached = time_of_nodes();
  const Time by_clock = origin_ + simulated(std::chrono::nanoseconds(clock_now() - due_));
  Time at = std::min(std::max(by_clock, reached), reached + simulated(halt_notice)) +
            simulated(halt_notice);
  if (!halting_) at = std::max(at, halt_at());
  if (at >= window_) return;
  window_ = at;
  for (Peer* e : active_)
    if (e->busy) fleet_.send(*e, Word::freeze, window_.time_since_epoch().count());
}

void Composer::Work::limit_window(Time now) noexcept {
  const Time asked = halt_at();
  if (window_ > asked) window_ = std::max(asked, now + Duration(1));
}

void Composer::Work::extend(Time until) {
  if (by_the_clock()) return halt_in_time();
  if (halting_ || all_halted()) return;
  const Time now = progress();
  if (now == Time::min() || now >= halt_at() || window_ >= until) return;
  if (window_ - now > span_ / 2) return;
  const auto passed = Clock::now() - extended_;
  if (passed < ahead && span_ < longest_span) span_ *= 2;
  if (passed > 3 * ahead) span_ = std::max(span_ / 2, 2 * run_.plan().step);
  const Time before = window_;
  window_ = now + span_;
  limit_window(now);
  if (window_ <= before) {
    window_ = before;
    return;
  }
  extended_ = Clock::now();
  for (Peer* e : active_)
    if (e->busy) fleet_.send(*e, Word::freeze, window_.time_since_epoch().count());
}

void Composer::Work::resume_halted() {
  Go g{.until = asked_until_, .freeze = window_.time_since_epoch().count()};
  if (by_the_clock()) {
    g.origin = origin_.time_since_epoch().count();
    g.due = due_;
    g.rate = team_.timing->frames().settings().rate;
  }
  for (Peer* e : active_)
    if (!e->busy && !e->lost && continues(*e) && Time(Duration(e->halted.now)) < window_)
      fleet_.ask(*e, Word::go, g);
}

void Composer::Work::interrupt_all() {
  interrupted_ = true;
  for (Peer* e : active_) fleet_.send(*e, Word::interrupt);
  fleet_.settle(Clock::now() + halt_within);
}

Ending Composer::Work::end_by_pacer() {
  interrupt_all();
  if (paced_out_ && run_.over()) return run_.stops() ? Ending::stopped : Ending::reached;
  return Ending::failed;
}

Ending Composer::Work::fail() {
  const Peer* first = nullptr;
  for (const Peer* e : active_)
    if (ending(*e) == Ending::failed && (!first || e->halted.now < first->halted.now)) first = e;
  static_cast<void>(show_all());
  run_.reached(std::max(merger_.shown() - Duration(1), Time{}));
  fault_ = first->halted.fault ? decoded(*first->halted.fault) : Diagnostic{};
  fault_.notes.push_back("on node " + name_of(*first));
  return Ending::failed;
}

std::optional<Ending> Composer::Work::cut_off(Time until) {
  static_cast<void>(show_all());
  if (over()) {
    run_.reached(time_of_nodes());
    return Ending::reached;
  }
  // the loss of another may not be known here yet
  for (const auto end = Clock::now() + 200ms; !lost() && Clock::now() < end;) fleet_.listen(end);
  recover();
  return decide(until);
}

}  // namespace vernier::server
