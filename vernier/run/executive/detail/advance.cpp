#include <algorithm>

#include "vernier/run/executive/detail/cycle.hpp"

namespace vernier::executive::detail {

Time Cycle::next(Time until) const noexcept {
  Time t = until;
  for (const Cluster& c : clusters_) t = std::min(t, c.next);
  for (const Watch& w : watches_)
    if (w.exact) t = std::min(t, w.next);
  // where all nodes can stop together
  return switchboard_ ? std::min(t, clockwork_.next_base()) : t;
}

Time Cycle::next_event(std::size_t cluster, Time now) const noexcept {
  Time t = Time::max();
  for (const Component* p : clusters_[cluster].predictors) {
    const Time h = p->horizon(now);
    if (h > now) t = std::min(t, h);
  }
  const Time arrival = memory_.next_arrival(static_cast<std::uint32_t>(cluster), now, due_);
  return arrival > now ? std::min(t, arrival) : t;
}

Time Cycle::next_instant(std::size_t cluster, Time now, Time until) const noexcept {
  const Cluster& c = clusters_[cluster];
  Time t = until;
  if (c.continuous) {
    t = std::min(t, clockwork_.next_base());
    t = std::min(t, c.shared ? times_[cluster] : next_event(cluster, now));
  }
  for (const std::uint32_t g : c.groups) {
    const Group& group = clockwork_.groups()[g];
    t = std::min(t, group.due ? group.tick_after() : group.next);
  }
  return t;
}

void Cycle::advance(Time now, Time until) noexcept {
  if (due_parts_ == 0) return;  // only observers sampled
  from_ = now;
  if (switchboard_ && !agreed_ && !agree_after_return(now)) return;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    if (!due_[i]) continue;
    clusters_[i].wanted = clusters_[i].limit = next_instant(i, now, until);
    expect_samples(i);
  }
  if (!stoppers_.empty() || switchboard_) settle_stoppers(now);
  if (switchboard_ && (breakdown_.kind != Breakdown::Kind::none || !promise_limits(now))) return;
  if (breakdown_.kind == Breakdown::Kind::none || surviving_) {
    move_all();
    collect();
  }
  leave(now);
  due_parts_ = 0;
  if (measuring_) finish_measuring();
}

void Cycle::move_all() noexcept {
  for (Group& g : clockwork_.groups())
    if (g.due) g.until = g.rate.periodic() ? g.tick_after() : clusters_[g.cluster].limit;
  run(Task::move, movers_.size());
}

void Cycle::leave(Time now) noexcept {
  for (std::size_t g = 0; g < moves_.size(); ++g) {
    Group& group = clockwork_.groups()[g];
    if (!group.due) continue;
    group.due = false;
    moves_[g] += group.rate.periodic() || now < clusters_[group.cluster].limit;
    if (!group.rate.periodic()) continue;
    group.next = group.tick_after();
    ++group.k;
  }
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    if (!due_[i]) continue;
    Cluster& c = clusters_[i];
    due_[i] = 0;
    c.next = c.limit;
    c.cut_short = c.limit < c.wanted;
    statistics_.early_returns += c.cut_short;
    c.stalls = c.limit > now ? 0 : c.stalls + 1;
    if (c.stalls <= options_.policy.microsteps) continue;
    const auto who = std::find_if(stoppers_.begin(), stoppers_.end(), [&](const Stopper& s) {
      return s.mover.cluster == i && s.reached <= now;
    });
    if (who == stoppers_.end()) continue;  // its own node reports it
    break_down(Breakdown::Kind::no_progress, who->mover.part, {now});
    if (survives()) leave_out(who->mover.part);
  }
}

void Cycle::move_alone(const Mover& m, Time from, Time to, int worker) noexcept {
  const auto most = static_cast<std::uint32_t>(options_.policy.microsteps);
  const auto fail = [&](Breakdown::Kind kind) { note(m.part, Outcome::failed, worker, kind); };
  std::uint32_t stalls = 0;
  for (Time since = from; since < to;) {
    Outcome o = Outcome::changed;
    for (std::uint32_t k = 0; o == Outcome::changed; ++k) {
      if (k > most) return fail(Breakdown::Kind::loop);
      o = m.component->react({since, k});
    }
    if (o == Outcome::failed) return fail(Breakdown::Kind::component);
    const Advance a = m.component->advance(since, to);
    ++more_moves_[m.part];
    if (a.outcome != Outcome::ok) note(m.part, a.outcome, worker);
    if (a.outcome == Outcome::failed) return;
    stalls = a.reached > since ? 0 : stalls + 1;
    if (stalls > most) return fail(Breakdown::Kind::no_progress);
    since = a.reached;
  }
}

void Cycle::settle_stoppers(Time now) noexcept {
  for (Stopper& s : stoppers_) {
    if (!due_[s.mover.cluster]) continue;
    s.reached = Time::max();
    if (!s.alone && s.rewinds) keep(s);
  }
  const bool last_elsewhere = switchboard_ && open_limits(false);
  if (!agree()) return;
  // parts that cannot rewind go last, no further than the others of their cluster
  const auto last =
      std::find_if(stoppers_.begin(), stoppers_.end(), [](const Stopper& s) { return !s.rewinds; });
  if (last == stoppers_.end() && !last_elsewhere) return;
  if (switchboard_) open_limits(true);
  const auto free = static_cast<std::size_t>(last - stoppers_.begin());
  do_slice(Task::stop_early, {free, stoppers_.size()}, 0);
  if (!collect() || !limit_to_reached() || !agree()) return;
  for (auto s = last; s != stoppers_.end(); ++s) {
    const Cluster& c = clusters_[s->mover.cluster];
    if (!due_[s->mover.cluster] || c.limit >= s->reached) continue;
    break_down(Breakdown::Kind::no_agreement, s->mover.part, {now});
    if (survives()) leave_out(s->mover.part);
  }
}

bool Cycle::limit_to_reached() noexcept {
  bool any = false;
  for (const Stopper& s : stoppers_) {
    Time& limit = clusters_[s.mover.cluster].limit;
    if (!due_[s.mover.cluster] || s.reached >= limit) continue;
    limit = s.reached;
    any = true;
  }
  return switchboard_ ? agree_on_limits(any) : any;
}

bool Cycle::agree() noexcept {
  const auto free = static_cast<std::size_t>(std::count_if(
      stoppers_.begin(), stoppers_.end(), [](const Stopper& s) { return s.rewinds; }));
  // each iteration moves a limit back to a new event; a few suffice
  for (int turn = 0; turn < 100; ++turn) {
    for (Stopper& s : std::span(stoppers_).first(free)) {
      if (!due_[s.mover.cluster] || s.reached == Time::max()) continue;
      if (s.reached <= clusters_[s.mover.cluster].limit) continue;
      step_back(s);
      ++statistics_.repeated;
    }
    run(Task::stop_early, free);
    if (!collect()) return false;
    if (!limit_to_reached()) return !switchboard_ || !switchboard_->trouble();
  }
  for (const Stopper& s : stoppers_) {
    if (!due_[s.mover.cluster]) continue;
    break_down(Breakdown::Kind::no_agreement, s.mover.part, {clusters_[s.mover.cluster].limit});
  }
  if (!survives()) return false;
  // none of them knows any more how far the others are
  for (const Stopper& s : stoppers_)
    if (due_[s.mover.cluster] && !s.alone) leave_out(s.mover.part);
  return true;
}

Cycle::Stopper Cycle::stopper(const Mover& m, const Description& d) const {
  Stopper s;
  s.mover = m;
  s.rewinds = d.abilities.rewinds;
  s.state.resize(d.state_bytes);
  for (const Stream* stream : memory_.streams_of(m.part))
    s.streams.emplace_back(stream->state_bytes());
  s.readers.resize(memory_.readers_of(m.part).size());
  return s;
}

void Cycle::keep(Stopper& s) noexcept {
  const std::uint32_t part = s.mover.part;
  s.mover.component->save(s.state);
  s.journal = memory_.journal(part).entries().size();
  const auto streams = memory_.streams_of(part);
  for (std::size_t i = 0; i < streams.size(); ++i) streams[i]->save(s.streams[i]);
  const auto readers = memory_.readers_of(part);
  for (std::size_t i = 0; i < readers.size(); ++i) s.readers[i] = readers[i]->position();
}

void Cycle::step_back(Stopper& s) noexcept {
  const std::uint32_t part = s.mover.part;
  s.mover.component->load(s.state);
  memory_.journal(part).rewind(s.journal);
  const auto streams = memory_.streams_of(part);
  for (std::size_t i = 0; i < streams.size(); ++i) streams[i]->load(s.streams[i]);
  const auto readers = memory_.readers_of(part);
  for (std::size_t i = 0; i < readers.size(); ++i) readers[i]->seek(s.readers[i]);
}

}  // namespace vernier::executive::detail
