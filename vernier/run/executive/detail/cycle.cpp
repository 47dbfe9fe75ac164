#include "vernier/run/executive/detail/cycle.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::executive::detail {

namespace {

using composition::Plan;

constexpr int most_threads = 256;

bool continuous(const composition::Part& p) noexcept { return !p.rate.periodic(); }

}  // namespace

Cycle::Cycle(const Plan& plan, Memory& memory, const Options& options, Switchboard* switchboard)
    : workers_(std::clamp(options.threads, 1, most_threads)),
      memory_(memory),
      switchboard_(switchboard),
      options_(options),
      step_(plan.step),
      clockwork_(plan.step, plan.step_rate),
      clusters_(plan.clusters.size()),
      due_(plan.clusters.size(), std::uint8_t{1}),
      followers_(plan.parts.size()),
      desks_(static_cast<std::size_t>(workers_.count())),
      changed_(plan.parts.size()),
      affected_(plan.parts.size()),
      chosen_(plan.clusters.size()),
      unsettled_(plan.clusters.size()),
      times_(plan.clusters.size(), Time::max()),
      promised_(plan.clusters.size(), Time::min()),
      costs_(plan.parts.size()),
      last_entries_(plan.parts.size()) {
  statistics_.parts.resize(plan.parts.size());
  for (std::uint32_t c = 0; c < clusters_.size(); ++c) {
    clusters_[c].early = plan.clusters[c].early_return && !options.real_time;
    clusters_[c].dense = plan.clusters[c].dense;
    if (!switchboard_) continue;
    clusters_[c].here = switchboard_->attends(c);
    clusters_[c].shared = switchboard_->shares(c);
    if (clusters_[c].shared) clusters_[c].rounds = switchboard_->cut().clusters[c].rounds;
  }
  for (const composition::Part& p : plan.parts) {
    group_of_.push_back(clockwork_.group(p.cluster, p.rate, p.offset));
    cluster_of_.push_back(p.cluster);
  }
  std::vector<int> stopping(plan.clusters.size());
  for (std::uint32_t i = 0; i < plan.parts.size(); ++i) {
    const composition::Part& p = plan.parts[i];
    Cluster& cluster = clusters_[p.cluster];
    const Abilities& can = p.component->description().abilities;
    const std::uint32_t group = group_of_[i];
    const Mover mover{p.component.get(), &clockwork_.groups()[group], i, p.cluster,
                      can.stops_early};
    const bool stops = cluster.early && can.stops_early && continuous(p);
    stopping[p.cluster] += stops;
    if (can.reacts) reacting_.push_back(i);
    if (continuous(p)) {
      cluster.continuous = true;
      cluster.group = group;
    } else if (std::find(cluster.groups.begin(), cluster.groups.end(), group) ==
               cluster.groups.end()) {
      cluster.groups.push_back(group);
    }
    if (stops) group_of_[i] = none;
    if (!here(i)) continue;
    ++cluster.parts;
    if (can.reacts) reactors_.push_back(mover);
    if (continuous(p) && can.predicts) cluster.predictors.push_back(p.component.get());
    if (continuous(p) && can.dense) cluster.sampled.push_back(p.component.get());
    if (stops)
      stoppers_.push_back(stopper(mover, p.component->description()));
    else
      movers_.push_back(mover);
  }
  std::stable_partition(stoppers_.begin(), stoppers_.end(),
                        [](const Stopper& s) { return s.rewinds; });
  for (Stopper& s : stoppers_) s.alone = stopping[s.mover.cluster] == 1;

  find_resters(plan);
  moves_.resize(clockwork_.groups().size());
  more_moves_.resize(plan.parts.size());

  order_calls(plan);
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

void Cycle::order_calls(const Plan& plan) {
  std::vector<std::size_t> order(plan.order.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto round = [this](std::size_t i) {
    return switchboard_ ? switchboard_->cut().round[i] : 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&round](std::size_t a, std::size_t b) { return round(a) < round(b); });
  std::uint32_t level = 0;
  levels_ = rounds_ = {0};
  for (const std::size_t i : order) {
    const Plan::Call& c = plan.order[i];
    const bool next_round = !calls_.empty() && round(i) != calls_.back().round;
    if (!calls_.empty() && (next_round || c.level != level)) levels_.push_back(calls_.size());
    if (next_round) rounds_.push_back(levels_.size() - 1);
    level = c.level;
    const composition::Part& p = plan.parts[c.part];
    if (continuous(p) && here(c.part))
      clusters_[p.cluster].calls.push_back(static_cast<std::uint32_t>(calls_.size()));
    const std::uint32_t group = clockwork_.group(p.cluster, p.rate, p.offset);
    calls_.push_back({p.component.get(), memory_.before_output(c.part),
                      here(c.part) ? &clockwork_.groups()[group] : &elsewhere_,
                      &clusters_[p.cluster].at, c.part, p.component->description().abilities.dense,
                      round(i)});
  }
  levels_.push_back(calls_.size());
  rounds_.push_back(levels_.size() - 1);
}

void Cycle::break_down(Breakdown::Kind kind, std::uint32_t part, Instant at) noexcept {
  if (breakdown_.kind == Breakdown::Kind::none) breakdown_ = {kind, part, at};
}

// -- work shared among threads --------------------------------------------------------------------

void Cycle::run(Task task, std::size_t items) noexcept {
  const int workers = workers_.count();
  // waking threads costs more than a few cheap calls
  if (workers == 1 || std::min(items, due_parts_) < 2 * static_cast<std::size_t>(workers))
    return do_slice(task, {0, items}, 0);
  task_ = task;
  items_ = items;
  workers_.run(&Cycle::work, this);
}

void Cycle::work(void* cycle, int worker) noexcept {
  auto& c = *static_cast<Cycle*>(cycle);
  c.do_slice(c.task_, slice(c.items_, worker, c.workers_.count()), worker);
}

inline void Cycle::call(const Call& c, int worker) noexcept {
  if (!c.group->due) return;
  detail::run(c.before);
  const Outcome o = c.component->output(*c.at);
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
  // no other part rewinds for its events: it continues alone, and others react at their next tick
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
        call(c, worker);
        watch.lap(c.part);
      }
      return;
    case Task::react:
      for (const Mover& m : std::span(reactors_).subspan(s.begin, s.end - s.begin)) {
        changed_[m.part] = 0;
        if (!m.group->due || !clusters_[m.cluster].active) continue;
        const Outcome o = m.component->react(clusters_[m.cluster].at);
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
        const Time limit = clusters_[p.mover.cluster].limit;
        if (!due_[p.mover.cluster] || p.reached <= limit) continue;
        const Advance a = p.mover.component->advance(from_, limit);
        p.reached = a.reached;
        ++more_moves_[p.mover.part];
        if (a.outcome != Outcome::ok) note(p.mover.part, a.outcome, worker);
        watch.lap(p.mover.part);
      }
      return;
    case Task::move:
      for (const Mover& m : std::span(movers_).subspan(s.begin, s.end - s.begin)) {
        if (!m.group->due) continue;
        if (from_ < m.group->until) move(m, from_, m.group->until, worker);
        watch.lap(m.part);
      }
      return;
  }
}

void Cycle::note(std::uint32_t part, Outcome o, int worker, Breakdown::Kind kind) noexcept {
  if (o == Outcome::held) ++statistics_.parts[part].held;
  if (o != Outcome::failed) return;
  // the lowest index is kept, so that the result does not depend on the number of threads
  Desk& d = desks_[static_cast<std::size_t>(worker)];
  if (part < d.failed) {
    d.failed = part;
    d.kind = kind;
  }
}

bool Cycle::collect() noexcept {
  const Desk* worst = nullptr;
  for (const Desk& d : desks_)
    if (d.failed != none && (!worst || d.failed < worst->failed)) worst = &d;
  if (!worst) return true;
  break_down(worst->kind, worst->failed, {clusters_[cluster_of_[worst->failed]].limit});
  const bool continues = survives();
  for (Desk& d : desks_) {
    if (continues && d.failed != none) leave_out(d.failed);
    d.failed = none;
    d.kind = Breakdown::Kind::none;
  }
  return continues;
}

// -- output, react, exchange ----------------------------------------------------------------------

bool Cycle::outputs(Time now) noexcept {
  for (std::uint32_t r = 0; r + 1 < rounds_.size(); ++r) {
    outputs_of_round(r);
    if (switchboard_ && !together(switchboard_->values(now, r, due_), now)) return false;
  }
  return true;
}

void Cycle::outputs_of_round(std::uint32_t round) noexcept {
  const std::size_t first = rounds_[round], end = rounds_[round + 1];
  if (workers_.count() == 1) {
    first_ = 0;
    return do_slice(Task::output, {levels_[first], levels_[end]}, 0);
  }
  for (std::size_t l = first; l < end; ++l) {
    first_ = levels_[l];
    run(Task::output, levels_[l + 1] - levels_[l]);
  }
}

bool Cycle::outputs_of_changed(Time now) noexcept {
  for (std::size_t i = 0; i < changed_.size(); ++i) affected_[i] = changed_[i];
  for (std::size_t i = 0; i < clusters_.size(); ++i) chosen_[i] = clusters_[i].active;
  for (std::uint32_t r = 0; r + 1 < rounds_.size(); ++r) {
    if (measuring_)
      outputs_of_affected<true>(r);
    else
      outputs_of_affected<false>(r);
    if (switchboard_ && !together(switchboard_->values(now, r, chosen_), now)) return false;
  }
  return true;
}

template <bool measuring>
void Cycle::outputs_of_affected(std::uint32_t round) noexcept {
  Stopwatch<measuring> watch(*this);
  const std::size_t first = levels_[rounds_[round]], end = levels_[rounds_[round + 1]];
  for (const Call& c : std::span(calls_).subspan(first, end - first)) {
    if (!affected_[c.part]) continue;
    call(c, 0);
    watch.lap(c.part);
    for (const std::uint32_t f : followers_[c.part]) affected_[f] = 1;
  }
}

bool Cycle::reactions(Time now, std::uint32_t round, bool& any) noexcept {
  for (Desk& d : desks_) d.changed = false;
  run(Task::react, reactors_.size());
  any = std::any_of(desks_.begin(), desks_.end(), [](const Desk& d) { return d.changed; });
  return !switchboard_ || react_together(now, round, any);
}

void Cycle::carry_late() noexcept {
  for (const std::uint32_t p : memory_.late_parts())
    if (due_[cluster_of_[p]]) detail::run(memory_.before_react(p));
}

bool Cycle::compute_all(Time now) noexcept {
  clockwork_.all_due();
  std::fill(due_.begin(), due_.end(), std::uint8_t{1});
  due_parts_ = cluster_of_.size();
  for (Cluster& c : clusters_) {
    c.at = {now};
    c.limit = now;
  }
  memory_.publish(due_);
  if (switchboard_)
    outputs_of_initialized(now);
  else
    outputs(now);
  carry_late();
  memory_.publish(due_);
  return collect();
}

bool Cycle::enter(Time now) noexcept {
  const bool base = clockwork_.enter(now);
  bool tick = false;
  due_parts_ = 0;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    Cluster& c = clusters_[i];
    due_[i] = c.next == now;
    if (!due_[i]) continue;
    due_parts_ += c.parts;
    c.at = {now, c.settled && c.at.time == now ? c.at.microstep + 1 : 0};
    c.settled = c.active = true;
    c.event = c.cut_short;
    c.shown = false;
    c.limit = now;
    if (c.continuous) {
      clockwork_.groups()[c.group].due = true;
      tick |= base;
    }
    for (const std::uint32_t g : c.groups) {
      Group& group = clockwork_.groups()[g];
      group.due = group.next == now;
      tick |= group.due;
    }
  }
  statistics_.ticks += tick;
  return due_parts_ > 0;
}

bool Cycle::settle(Time now) noexcept {
  // a further instant at the same time follows all rounds of the one before
  constexpr std::uint32_t rounds = 1u << 16;
  emptied_ = now == now_ ? (emptied_ / rounds + 1) * rounds : 0;
  now_ = now;
  ++statistics_.instants;
  const auto every = static_cast<std::uint64_t>(options_.measure_every);
  measuring_ = options_.meter || (every != 0 && statistics_.instants % every == 0);
  if (enter(now) && !settle_due(now)) return false;
  show(now);
  if (switchboard_ && !finish_together(now)) return false;
  memory_.push_delays(now, due_);
  if (options_.policy.not_a_number && memory_.not_a_number()) [[unlikely]] {
    break_down(Breakdown::Kind::not_a_number, 0, {now});
    return survives();
  }
  return true;
}

bool Cycle::settle_due(Time now) noexcept {
  if (switchboard_ && !begin_together(now)) return false;
  memory_.read_delays(now, due_);
  memory_.publish(due_);
  if (!sample_before() || !outputs(now)) return false;
  carry_late();
  memory_.publish(due_);
  if (!collect() || !react_until_quiet(now)) return false;
  empty_journals();
  return true;
}

bool Cycle::react_until_quiet(Time now) noexcept {
  if (reactors_.empty() && !switchboard_) return true;
  for (int round = 0;; ++round) {
    bool any = false;
    if (!reactions(now, static_cast<std::uint32_t>(round), any)) return false;
    if (!any) return collect();
    if (!collect()) return false;
    take_up_changes();
    if (round >= options_.policy.microsteps) {
      const auto who = std::find(changed_.begin(), changed_.end(), 1) - changed_.begin();
      const auto part = static_cast<std::uint32_t>(who);
      break_down(Breakdown::Kind::loop, part, clusters_[cluster_of_[part]].at);
      if (!survives()) return false;
      for (std::uint32_t i = 0; i < changed_.size(); ++i)
        if (changed_[i]) leave_out(i);
      return true;
    }
    if (!outputs_of_changed(now)) return false;
    carry_late();
    memory_.publish(due_);
    if (!collect()) return false;
  }
}

void Cycle::take_up_changes() noexcept {
  ++statistics_.microsteps;
  for (Cluster& c : clusters_) c.active = false;
  for (const std::uint32_t p : reacting_)
    if (changed_[p]) clusters_[cluster_of_[p]].active = true;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    Cluster& c = clusters_[i];
    if (!c.active) continue;
    // the outputs still hold the values before the event
    if (!c.shown) show_before(i);
    c.event = true;
    ++c.at.microstep;
  }
  empty_journals();
}

void Cycle::empty_journals() noexcept {
  ++emptied_;
  for (const std::uint32_t i : memory_.journaling()) {
    Journal& j = memory_.journal(i);
    const auto entries = j.entries();
    if (entries.empty() || !due_[cluster_of_[i]]) [[likely]]
      continue;
    for (const Watch& w : watches_) w.observer->note(i, entries);
    last_entries_[i] = entries.back();
    j.clear();
  }
}

void Cycle::take_over(Cycle& c) {
  statistics_ = std::move(c.statistics_);
  // they still look at the times in the memory of the other
  for (const Cluster& cluster : c.clusters_)
    for (Component* p : cluster.sampled) p->expect({});
  for (std::size_t i = 0; i < more_moves_.size(); ++i)
    more_moves_[i] = here(static_cast<std::uint32_t>(i)) ? c.calls(i) : 0;
  watches_.clear();
  for (const Watch& w : c.watches_) observe(*w.observer, w.sampling, now_);
}

void Cycle::restart(Time start) noexcept {
  breakdown_ = {};
  reinstate();
  now_ = start;
  clockwork_.start(start);
  for (Cluster& c : clusters_) {
    c.next = c.here ? start : Time::max();
    c.limit = start;
    c.at = {};
    c.settled = c.cut_short = false;
    c.stalls = 0;
    c.sampled_at = Time::min();
  }
  std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
  agreed_ = false;
  for (Desk& d : desks_) d = {};
  for (Watch& w : watches_) aim(w, start);
}

void Cycle::resettled(Time now, std::span<const std::uint32_t> microsteps) noexcept {
  now_ = now;
  clockwork_.enter(now);
  due_parts_ = 0;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    Cluster& c = clusters_[i];
    c.next = c.here && c.continuous ? now : Time::max();
    if (c.continuous) clockwork_.groups()[c.group].due = true;
    for (const std::uint32_t g : c.groups) {
      Group& group = clockwork_.groups()[g];
      group.due = group.next == now;
      if (c.here) c.next = std::min(c.next, group.next);
    }
    due_[i] = c.next == now;
    due_parts_ += due_[i] ? c.parts : 0;
    c.at = {now, microsteps[i]};
    c.settled = true;
  }
  for (Watch& w : watches_) aim(w, now + Duration(1));
}

bool Cycle::aligned_here() const noexcept {
  for (std::size_t i = 0; i < clusters_.size(); ++i)
    if (clusters_[i].here && clusters_[i].continuous && !due_[i]) return false;
  return true;
}

bool Cycle::aligned_here(Time now) const noexcept {
  return std::all_of(clusters_.begin(), clusters_.end(),
                     [now](const Cluster& c) { return !c.here || !c.continuous || c.next == now; });
}

bool Cycle::shared_by_all(Time t) const noexcept {
  return !switchboard_ || clockwork_.at_base(t) || t == until_;
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
