#include "vernier/run/executive/detail/cycle.hpp"

#include <algorithm>

namespace vernier::executive::detail {

namespace {

using composition::Plan;

constexpr int most_threads = 256;

bool continuous(const composition::Part& p) noexcept { return !p.rate.periodic(); }

bool any_continuous(const Plan& plan) {
  return std::any_of(plan.parts.begin(), plan.parts.end(), continuous);
}

}  // namespace

Cycle::Cycle(const Plan& plan, Memory& memory, const Options& options)
    : workers_(std::clamp(options.threads, 1, most_threads)),
      memory_(memory),
      options_(options),
      early_(plan.early_return && !options.real_time),
      clockwork_(plan.step, any_continuous(plan)),
      followers_(plan.parts.size()),
      desks_(static_cast<std::size_t>(workers_.count())),
      changed_(plan.parts.size()),
      affected_(plan.parts.size()),
      costs_(plan.parts.size()),
      last_entries_(plan.parts.size()) {
  statistics_.parts.resize(plan.parts.size());
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < plan.parts.size(); ++i) {
    const composition::Part& p = plan.parts[i];
    const Abilities& can = p.component->description().abilities;
    const std::uint32_t group = clockwork_.group(p.rate, p.offset);
    groups.push_back(group);
    group_of_.push_back(group);
    const Mover mover{p.component.get(), i, group, can.stops_early};
    if (can.reacts) reactors_.push_back(mover);
    if (can.predicts && continuous(p)) predictors_.push_back(p.component.get());
    if (early_ && can.stops_early && continuous(p)) {
      stoppers_.push_back(stopper(mover, p.component->description()));
      group_of_.back() = none;
    } else {
      movers_.push_back(mover);
    }
  }
  std::stable_partition(stoppers_.begin(), stoppers_.end(),
                        [](const Stopper& s) { return s.rewinds; });

  moves_.resize(clockwork_.groups().size());
  more_moves_.resize(plan.parts.size());

  std::uint32_t level = 0;
  levels_.push_back(0);
  for (const Plan::Call& c : plan.order) {
    if (c.level != level) levels_.push_back(calls_.size());
    level = c.level;
    calls_.push_back(
        {plan.parts[c.part].component.get(), memory.before_output(c.part), c.part, groups[c.part]});
  }
  levels_.push_back(calls_.size());

  for (const composition::Wire& w : plan.wires) {
    if (w.delay > Duration{}) continue;
    const Description& d = plan.parts[w.to_part].component->description();
    const std::string& input = d.inputs[w.to].name;
    if (std::any_of(d.feedthrough.begin(), d.feedthrough.end(),
                    [&](const Feedthrough& f) { return f.input == input; }))
      followers_[w.from_part].push_back(w.to_part);
  }
  for (auto& f : followers_) {
    std::sort(f.begin(), f.end());
    f.erase(std::unique(f.begin(), f.end()), f.end());
  }
}

void Cycle::break_down(Breakdown::Kind kind, std::uint32_t part, Instant at) noexcept {
  if (breakdown_.kind == Breakdown::Kind::none) breakdown_ = {kind, part, at};
}

// -- work shared among threads --------------------------------------------------------------------

void Cycle::run(Task task, std::size_t items) noexcept {
  const int workers = workers_.count();
  // waking others costs more than a handful of cheap calls
  if (workers == 1 || items < 2 * static_cast<std::size_t>(workers))
    return do_slice(task, {0, items}, 0);
  task_ = task;
  items_ = items;
  workers_.run(&Cycle::work, this);
}

void Cycle::work(void* cycle, int worker) noexcept {
  auto& c = *static_cast<Cycle*>(cycle);
  c.do_slice(c.task_, slice(c.items_, worker, c.workers_.count()), worker);
}

inline void Cycle::call(const Call& c, Instant at, int worker) noexcept {
  if (c.group != 0 && !clockwork_.due(c.group)) return;
  detail::run(c.before);
  const Outcome o = c.component->output(at);
  if (o != Outcome::ok) [[unlikely]]
    note(c.part, o, worker);
}

inline void Cycle::move(const Mover& m, Time from, Time to, int worker) noexcept {
  const Advance a = m.component->advance(from, to);
  if (a.outcome == Outcome::ok && a.reached >= to) [[likely]]
    return;
  if (a.outcome != Outcome::ok) note(m.part, a.outcome, worker);
  if (a.outcome == Outcome::failed || a.reached >= to) return;
  if (!m.stops) return note(m.part, Outcome::failed, worker, Breakdown::Kind::unannounced);
  // nobody goes back for its events: it goes on alone, and others hear at their next tick
  move_alone(m, a.reached, to, worker);
}

void Cycle::do_slice(Task task, Slice s, int worker) noexcept {
  if (measuring_) [[unlikely]]
    do_calls<true>(task, s, worker);
  else
    do_calls<false>(task, s, worker);
}

template <bool measuring>
void Cycle::do_calls(Task task, Slice s, int worker) noexcept {
  Stopwatch<measuring> watch(*this);
  switch (task) {
    case Task::output:
      for (const Call& c : std::span(calls_).subspan(first_ + s.begin, s.end - s.begin)) {
        call(c, at_, worker);
        watch.lap(c.part);
      }
      return;
    case Task::react:
      for (const Mover& m : std::span(reactors_).subspan(s.begin, s.end - s.begin)) {
        if (!clockwork_.due(m.group)) continue;
        const Outcome o = m.component->react(at_);
        changed_[m.part] = o == Outcome::changed;
        if (o == Outcome::changed)
          desks_[static_cast<std::size_t>(worker)].changed = true;
        else if (o != Outcome::ok)
          note(m.part, o, worker);
        watch.lap(m.part);
      }
      return;
    case Task::stop_early:
      for (Stopper& p : std::span(stoppers_).subspan(s.begin, s.end - s.begin)) {
        if (p.reached <= to_) continue;
        const Advance a = p.mover.component->advance(from_, to_);
        p.reached = a.reached;
        ++more_moves_[p.mover.part];
        if (a.outcome != Outcome::ok) note(p.mover.part, a.outcome, worker);
        watch.lap(p.mover.part);
      }
      return;
    case Task::move:
      for (const Mover& m : std::span(movers_).subspan(s.begin, s.end - s.begin)) {
        if (m.group == 0) [[likely]] {
          if (from_ < to_) move(m, from_, to_, worker);
        } else if (clockwork_.due(m.group)) {
          move(m, from_, clockwork_.groups()[m.group].tick_after(), worker);
        }
        watch.lap(m.part);
      }
      return;
  }
}

void Cycle::note(std::uint32_t part, Outcome o, int worker, Breakdown::Kind kind) noexcept {
  if (o == Outcome::held) ++statistics_.parts[part].held;
  if (o != Outcome::failed) return;
  // the lowest number counts, so that any number of threads blames the same one
  Desk& d = desks_[static_cast<std::size_t>(worker)];
  if (part < d.failed) {
    d.failed = part;
    d.kind = kind;
  }
}

bool Cycle::collect(Instant at) noexcept {
  const Desk* worst = nullptr;
  for (const Desk& d : desks_)
    if (d.failed != none && (!worst || d.failed < worst->failed)) worst = &d;
  if (!worst) return true;
  break_down(worst->kind, worst->failed, at);
  for (Desk& d : desks_) d = {};
  return false;
}

// -- output, react, exchange ----------------------------------------------------------------------

void Cycle::outputs(Instant at) noexcept {
  at_ = at;
  if (workers_.count() == 1) {
    first_ = 0;
    return do_slice(Task::output, {0, calls_.size()}, 0);
  }
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    first_ = levels_[l];
    run(Task::output, levels_[l + 1] - levels_[l]);
  }
}

void Cycle::outputs_of_changed(Instant at) noexcept {
  for (std::size_t i = 0; i < changed_.size(); ++i) affected_[i] = changed_[i];
  if (measuring_)
    outputs_of<true>(at);
  else
    outputs_of<false>(at);
}

template <bool measuring>
void Cycle::outputs_of(Instant at) noexcept {
  Stopwatch<measuring> watch(*this);
  for (const Call& c : calls_) {
    if (!affected_[c.part]) continue;
    call(c, at, 0);
    watch.lap(c.part);
    for (const std::uint32_t f : followers_[c.part]) affected_[f] = 1;
  }
}

bool Cycle::reactions(Instant at) noexcept {
  at_ = at;
  for (Desk& d : desks_) d.changed = false;
  run(Task::react, reactors_.size());
  return std::any_of(desks_.begin(), desks_.end(), [](const Desk& d) { return d.changed; });
}

void Cycle::carry_late() noexcept {
  for (const std::uint32_t p : memory_.late_parts()) detail::run(memory_.before_react(p));
}

bool Cycle::compute_all(Time now) noexcept {
  clockwork_.all_due();
  memory_.publish();
  outputs({now});
  carry_late();
  memory_.publish();
  return collect({now});
}

bool Cycle::settle(Time now) noexcept {
  ++statistics_.instants;
  statistics_.ticks += clockwork_.enter(now);
  const auto every = static_cast<std::uint64_t>(options_.measure_every);
  measuring_ = options_.meter || (every != 0 && statistics_.instants % every == 0);

  Instant at{now, settled_ == now ? microstep_ + 1 : 0};
  memory_.read_delays(now);
  memory_.publish();
  outputs(at);
  carry_late();
  memory_.publish();
  if (!collect(at)) return false;

  bool event = cut_short_;
  const std::uint32_t first = at.microstep;
  while (!reactors_.empty()) {
    const bool any = reactions(at);
    if (!collect(at)) return false;
    if (!any) break;
    // outputs still show what was before
    if (at.microstep == first) show(at, false, true);
    empty_journals();
    event = true;
    ++statistics_.microsteps;
    ++at.microstep;
    if (at.microstep - first > static_cast<std::uint32_t>(options_.policy.microsteps)) {
      const auto who = std::find(changed_.begin(), changed_.end(), 1) - changed_.begin();
      break_down(Breakdown::Kind::loop, static_cast<std::uint32_t>(who), at);
      return false;
    }
    outputs_of_changed(at);
    carry_late();
    memory_.publish();
    if (!collect(at)) return false;
  }
  settled_ = now;
  microstep_ = at.microstep;
  exchange(at, event);
  if (options_.policy.not_a_number && memory_.not_a_number()) [[unlikely]] {
    break_down(Breakdown::Kind::not_a_number, 0, at);
    return false;
  }
  return true;
}

void Cycle::exchange(Instant at, bool event) noexcept {
  empty_journals();
  show(at, true, event);
  memory_.push_delays(at.time);
}

void Cycle::show(Instant at, bool last, bool event) noexcept {
  for (Watch& w : watches_) {
    const bool periodic = w.sampling.rate.periodic();
    const bool wanted = !periodic || w.next <= at.time;
    if (last ? wanted || (event && w.sampling.events) : w.sampling.events)
      w.observer->sample(at, last);
    if (!last || !periodic) continue;
    while (w.next <= at.time) w.next = vernier::tick(w.sampling.rate, ++w.k);
  }
}

void Cycle::empty_journals() noexcept {
  for (const std::uint32_t i : memory_.journaling()) {
    Journal& j = memory_.journal(i);
    const auto entries = j.entries();
    if (entries.empty()) [[likely]]
      continue;
    for (const Watch& w : watches_) w.observer->note(i, entries);
    last_entries_[i] = entries.back();
    j.clear();
  }
}

void Cycle::restart(Time start) noexcept {
  breakdown_ = {};
  clockwork_.start(start);
  settled_ = Time::min();
  microstep_ = 0;
  stalls_ = 0;
  cut_short_ = false;
  std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
  for (Desk& d : desks_) d = {};
  for (Watch& w : watches_) aim(w, start);
}

void Cycle::resettled(Time now, std::uint32_t microstep) noexcept {
  clockwork_.enter(now);
  settled_ = now;
  microstep_ = microstep;
  for (Watch& w : watches_) aim(w, now + Duration(1));
}

void Cycle::aim(Watch& w, Time from) noexcept {
  if (!w.sampling.rate.periodic()) return;
  w.k = first_tick(w.sampling.rate, from);
  w.next = vernier::tick(w.sampling.rate, w.k);
}

void Cycle::observe(Observer& o, const Sampling& s, Time now) {
  watches_.push_back({.observer = &o, .sampling = s});
  aim(watches_.back(), settled_ == now ? now + Duration(1) : now);
}

void Cycle::remove(Observer& o) noexcept {
  std::erase_if(watches_, [&o](const Watch& w) { return w.observer == &o; });
}

// -- advance
// ---------------------------------------------------------------------------------------

Time Cycle::next(Time now, Time until) const noexcept {
  Time t = std::min(until, clockwork_.next());
  for (const Component* c : predictors_) {
    const Time h = c->horizon(now);
    if (h > now) t = std::min(t, h);
  }
  for (const Watch& w : watches_)
    if (w.sampling.rate.periodic() && w.sampling.exactly) t = std::min(t, w.next);
  const Time arrival = memory_.next_arrival();
  if (arrival > now) t = std::min(t, arrival);
  return t;
}

Time Cycle::advance(Time now, Time to) noexcept {
  const Time wanted = to;
  from_ = now;
  if (!stoppers_.empty()) to = settle_stoppers(now, to);
  to_ = to;
  if (breakdown_.kind == Breakdown::Kind::none) {
    run(Task::move, movers_.size());
    collect({to});
    moves_[0] += from_ < to_;
    for (std::size_t g = 1; g < moves_.size(); ++g) moves_[g] += clockwork_.groups()[g].due;
  }
  clockwork_.moved();
  cut_short_ = to < wanted;
  statistics_.early_returns += cut_short_;
  stalls_ = to > now ? 0 : stalls_ + 1;
  if (stalls_ > options_.policy.microsteps) {
    const auto who = std::find_if(stoppers_.begin(), stoppers_.end(),
                                  [now](const Stopper& s) { return s.reached <= now; });
    break_down(Breakdown::Kind::no_progress, who->mover.part, {now});
  }
  if (measuring_) finish_measuring();
  return to;
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

Time Cycle::settle_stoppers(Time now, Time to) noexcept {
  // all that can rewind go first; the one that cannot goes last, no further than they came
  const bool has_last = !stoppers_.back().rewinds;
  const std::size_t free = stoppers_.size() - has_last;
  const bool keeps = stoppers_.size() > 1;
  for (Stopper& s : stoppers_) {
    s.reached = Time::max();
    if (keeps && s.rewinds) keep(s);
  }
  const auto earliest = [this](std::size_t n, Time limit) {
    for (std::size_t i = 0; i < n; ++i) limit = std::min(limit, stoppers_[i].reached);
    return limit;
  };
  const auto agree = [&](Time limit) {
    // each turn moves the limit back to an event that was not seen before; a few are enough
    for (int turn = 0; turn < 100; ++turn) {
      to_ = limit;
      for (std::size_t i = 0; i < free; ++i) {
        if (stoppers_[i].reached == Time::max() || stoppers_[i].reached <= limit) continue;
        step_back(stoppers_[i]);
        ++statistics_.repeated;
      }
      run(Task::stop_early, free);
      if (!collect({now})) return limit;
      const Time found = earliest(free, limit);
      if (found == limit) return limit;
      limit = found;
    }
    break_down(Breakdown::Kind::no_agreement, stoppers_.front().mover.part, {limit});
    return limit;
  };

  Time limit = agree(to);
  if (!has_last || breakdown_.kind != Breakdown::Kind::none) return limit;
  to_ = limit;
  do_slice(Task::stop_early, {free, free + 1}, 0);
  if (!collect({now})) return limit;
  const Time last = stoppers_[free].reached;
  if (last >= limit) return limit;
  limit = agree(last);
  if (limit < last) break_down(Breakdown::Kind::no_agreement, stoppers_[free].mover.part, {last});
  return limit;
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

std::uint64_t Cycle::calls(std::size_t part) const noexcept {
  const std::uint32_t g = group_of_[part];
  return more_moves_[part] + (g == none ? 0 : moves_[g]);
}

void Cycle::on_every_thread(void (*f)(void*) noexcept, void* context) noexcept {
  struct Work {
    void (*f)(void*) noexcept;
    void* context;
  } w{f, context};
  workers_.run(
      [](void* x, int) noexcept {
        const Work& work = *static_cast<Work*>(x);
        work.f(work.context);
      },
      &w);
}

void Cycle::finish_measuring() noexcept {
  if (options_.meter) options_.meter->spent(costs_);
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    if (costs_[i] == 0) continue;
    PartStatistics& p = statistics_.parts[i];
    ++p.measured;
    p.cost_total += costs_[i];
    p.cost_worst = std::max(p.cost_worst, costs_[i]);
    costs_[i] = 0;
  }
  measuring_ = false;
}

}  // namespace vernier::executive::detail
