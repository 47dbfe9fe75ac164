// What a tick exchanges with other nodes of the run. Every decision about a cluster follows from
// what all of its nodes know, so that all of them decide the same.
#include <algorithm>

#include "vernier/run/executive/detail/cycle.hpp"

namespace vernier::executive::detail {
namespace {

/// The round of reactions that follows a return to an earlier state, instead of a settled instant.
constexpr std::uint32_t after_return = 0xffffffff;

}  // namespace

bool Cycle::together(bool exchanged, Time now) noexcept {
  if (exchanged) return true;
  const Switchboard::Trouble& t = *switchboard_->trouble();
  if (t.differs())
    break_down(Breakdown::Kind::replicas, t.part, {now});
  else
    break_down(Breakdown::Kind::peer, t.peer, {now});
  return false;
}

void Cycle::outputs_of_initialized(Time now) noexcept {
  for (const Call& c : calls_) {
    if (switchboard_->unique(c.part) && !here(c.part)) continue;
    detail::run(c.before);
    note(c.part, c.component->output({now}), 0);
  }
}

bool Cycle::compute_all_together(Time now, std::uint32_t phase, bool& settled) noexcept {
  const std::uint32_t times = switchboard_->births();
  for (std::uint32_t i = 0; i < times; ++i) {
    if (!compute_all(now)) return false;
    if (!switchboard_->any_unique()) return true;
    if (!together(switchboard_->start(now, phase * times + i, settled), now)) return false;
  }
  memory_.carry_all();
  return true;
}

bool Cycle::begin_together(Time now) noexcept {
  agreed_ = false;
  return together(switchboard_->await_delayed(now, due_, clockwork_.next_base()) &&
                      switchboard_->streams(now, due_),
                  now);
}

bool Cycle::finish_together(Time now) noexcept {
  if (switchboard_->trouble()) return false;  // while observers sampled
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    if (!due_[i]) continue;
    const bool known = !clusters_[i].early && until_ > now;
    promised_[i] = known ? next_instant(i, now, until_) : now;
  }
  return together(switchboard_->send_delayed(now, due_, promised_), now);
}

bool Cycle::promise_again(Time now) noexcept {
  if (!switchboard_) return true;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    chosen_[i] = clusters_[i].here && !due_[i];
    promised_[i] = std::min(clusters_[i].next, until_);
  }
  return together(switchboard_->send_promises(now, chosen_, promised_), now);
}

bool Cycle::promise_limits(Time now) noexcept {
  bool any = false;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    chosen_[i] = due_[i] && promised_[i] < clusters_[i].limit;
    if (!chosen_[i]) continue;
    any = true;
    promised_[i] = clusters_[i].limit;
  }
  return !any || together(switchboard_->send_promises(now, chosen_, promised_), now);
}

bool Cycle::exchange_reactions(Time now, std::uint32_t round) noexcept {
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    const Cluster& c = clusters_[i];
    chosen_[i] = due_[i] && c.shared && (c.active || !agreed_);
    if (chosen_[i]) times_[i] = next_event(i, now);
  }
  return together(switchboard_->reactions(now, round, chosen_, changed_, times_), now);
}

bool Cycle::agree_after_return(Time now) noexcept {
  agreed_ = exchange_reactions(now, after_return);
  return agreed_;
}

bool Cycle::react_together(Time now, std::uint32_t round, bool& any) noexcept {
  for (const std::uint32_t p : reacting_)
    if (!here(p)) changed_[p] = 0;
  if (!exchange_reactions(now, round)) return false;
  agreed_ = true;
  for (const std::uint32_t p : reacting_) any |= changed_[p] != 0;
  return true;
}

bool Cycle::open_limits(bool only_last) noexcept {
  bool any_last = false;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    Cluster& c = clusters_[i];
    unsettled_[i] = 0;
    if (!due_[i] || !c.shared || !c.early) continue;
    const composition::Cut::Cluster& cut = switchboard_->cut().clusters[i];
    any_last |= cut.stops_last;
    unsettled_[i] = only_last ? cut.stops_last : cut.stops;
    c.agreed = c.limit;
  }
  return any_last;
}

bool Cycle::agree_on_limits(bool any) noexcept {
  for (std::size_t i = 0; i < clusters_.size(); ++i)
    if (unsettled_[i]) times_[i] = clusters_[i].limit;
  if (!together(switchboard_->limits(from_, unsettled_, times_), from_)) return false;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    if (!unsettled_[i]) continue;
    Cluster& c = clusters_[i];
    c.limit = times_[i];
    unsettled_[i] = c.limit < c.agreed;
    c.agreed = c.limit;
    any |= unsettled_[i] != 0;
  }
  return any;
}

void Cycle::sample_shared(Time now) noexcept {
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    if (due_[i] || !clusters_[i].shared) continue;
    if (std::any_of(watches_.begin(), watches_.end(),
                    [&](const Watch& w) { return w.exact && w.sees(i) && w.next <= now; }))
      sample(i, now);
  }
}

}  // namespace vernier::executive::detail
