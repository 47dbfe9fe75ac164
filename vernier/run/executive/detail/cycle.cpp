#include "vernier/run/executive/detail/cycle.hpp"

#include <algorithm>

namespace vernier::executive::detail {

namespace {

using composition::Plan;

constexpr int most_threads = 256;

bool continuous(const composition::Part& p) noexcept { return !p.rate.periodic(); }

}  // namespace

Cycle::Cycle(const Plan& plan, Memory& memory, const Options& options)
    : workers_(std::clamp(options.threads, 1, most_threads)),
      memory_(memory),
      options_(options),
      step_(plan.step),
      clockwork_(plan.step, plan.step_rate),
      clusters_(plan.clusters.size()),
      due_(plan.clusters.size(), std::uint8_t{1}),
      followers_(plan.parts.size()),
      desks_(static_cast<std::size_t>(workers_.count())),
      changed_(plan.parts.size()),
      affected_(plan.parts.size()),
      costs_(plan.parts.size()),
      last_entries_(plan.parts.size()) {
  statistics_.parts.resize(plan.parts.size());
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    clusters_[c].early = plan.clusters[c].early_return && !options.real_time;
    clusters_[c].dense = plan.clusters[c].dense;
  }
  for (const composition::Part& p : plan.parts) {
    group_of_.push_back(clockwork_.group(p.cluster, p.rate, p.offset));
    cluster_of_.push_back(p.cluster);
  }
  for (std::uint32_t i = 0; i < plan.parts.size(); ++i) {
    const composition::Part& p = plan.parts[i];
    Cluster& cluster = clusters_[p.cluster];
    ++cluster.parts;
    const Abilities& can = p.component->description().abilities;
    const std::uint32_t group = group_of_[i];
    const Mover mover{p.component.get(), &clockwork_.groups()[group], i, p.cluster,
                      can.stops_early};
    if (can.reacts) reactors_.push_back(mover);
    if (continuous(p)) {
      cluster.continuous = true;
      cluster.group = group;
      if (can.predicts) cluster.predictors.push_back(p.component.get());
      if (can.dense) cluster.sampled.push_back(p.component.get());
    } else if (std::find(cluster.groups.begin(), cluster.groups.end(), group) ==
               cluster.groups.end()) {
      cluster.groups.push_back(group);
    }
    if (cluster.early && can.stops_early && continuous(p)) {
      stoppers_.push_back(stopper(mover, p.component->description()));
      group_of_[i] = none;
    } else {
      movers_.push_back(mover);
    }
  }
  std::stable_partition(stoppers_.begin(), stoppers_.end(),
                        [](const Stopper& s) { return s.rewinds; });
  for (Stopper& s : stoppers_)
    s.alone = std::none_of(stoppers_.begin(), stoppers_.end(), [&s](const Stopper& o) {
      return &o != &s && o.mover.cluster == s.mover.cluster;
    });

  find_resters(plan);
  moves_.resize(clockwork_.groups().size());
  more_moves_.resize(plan.parts.size());

  std::uint32_t level = 0;
  levels_.push_back(0);
  for (const Plan::Call& c : plan.order) {
    if (c.level != level) levels_.push_back(calls_.size());
    level = c.level;
    const composition::Part& p = plan.parts[c.part];
    if (continuous(p))
      clusters_[p.cluster].calls.push_back(static_cast<std::uint32_t>(calls_.size()));
    const std::uint32_t group = clockwork_.group(p.cluster, p.rate, p.offset);
    calls_.push_back({p.component.get(), memory.before_output(c.part), &clockwork_.groups()[group],
                      &clusters_[p.cluster].at, c.part,
                      p.component->description().abilities.dense});
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

void Cycle::outputs() noexcept {
  if (workers_.count() == 1) {
    first_ = 0;
    return do_slice(Task::output, {0, calls_.size()}, 0);
  }
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    first_ = levels_[l];
    run(Task::output, levels_[l + 1] - levels_[l]);
  }
}

void Cycle::outputs_of_changed() noexcept {
  for (std::size_t i = 0; i < changed_.size(); ++i) affected_[i] = changed_[i];
  if (measuring_)
    outputs_of<true>();
  else
    outputs_of<false>();
}

template <bool measuring>
void Cycle::outputs_of() noexcept {
  Stopwatch<measuring> watch(*this);
  for (const Call& c : calls_) {
    if (!affected_[c.part]) continue;
    call(c, 0);
    watch.lap(c.part);
    for (const std::uint32_t f : followers_[c.part]) affected_[f] = 1;
  }
}

bool Cycle::reactions() noexcept {
  for (Desk& d : desks_) d.changed = false;
  run(Task::react, reactors_.size());
  return std::any_of(desks_.begin(), desks_.end(), [](const Desk& d) { return d.changed; });
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
  outputs();
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
  ++statistics_.instants;
  const auto every = static_cast<std::uint64_t>(options_.measure_every);
  measuring_ = options_.meter || (every != 0 && statistics_.instants % every == 0);
  if (enter(now) && !settle_due(now)) return false;
  show(now);
  memory_.push_delays(now, due_);
  if (options_.policy.not_a_number && memory_.not_a_number()) [[unlikely]] {
    break_down(Breakdown::Kind::not_a_number, 0, {now});
    return survives();
  }
  return true;
}

bool Cycle::settle_due(Time now) noexcept {
  memory_.read_delays(now, due_);
  memory_.publish(due_);
  sample_before();
  outputs();
  carry_late();
  memory_.publish(due_);
  if (!collect() || !react_until_quiet()) return false;
  empty_journals();
  return true;
}

bool Cycle::react_until_quiet() noexcept {
  if (reactors_.empty()) return true;
  for (int round = 0; reactions(); ++round) {
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
    outputs_of_changed();
    carry_late();
    memory_.publish(due_);
    if (!collect()) return false;
  }
  return collect();
}

void Cycle::take_up_changes() noexcept {
  ++statistics_.microsteps;
  for (Cluster& c : clusters_) c.active = false;
  for (const Mover& m : reactors_)
    if (changed_[m.part]) clusters_[m.cluster].active = true;
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

void Cycle::restart(Time start) noexcept {
  breakdown_ = {};
  reinstate();
  clockwork_.start(start);
  for (Cluster& c : clusters_) {
    c.next = c.limit = start;
    c.at = {};
    c.settled = c.cut_short = false;
    c.stalls = 0;
    c.sampled_at = Time::min();
  }
  std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
  for (Desk& d : desks_) d = {};
  for (Watch& w : watches_) aim(w, start);
}

void Cycle::resettled(Time now, std::span<const std::uint32_t> microsteps) noexcept {
  clockwork_.enter(now);
  due_parts_ = 0;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    Cluster& c = clusters_[i];
    c.next = c.continuous ? now : Time::max();
    if (c.continuous) clockwork_.groups()[c.group].due = true;
    for (const std::uint32_t g : c.groups) {
      Group& group = clockwork_.groups()[g];
      group.due = group.next == now;
      c.next = std::min(c.next, group.next);
    }
    due_[i] = c.next == now;
    due_parts_ += due_[i] ? c.parts : 0;
    c.at = {now, microsteps[i]};
    c.settled = true;
  }
  for (Watch& w : watches_) aim(w, now + Duration(1));
}

bool Cycle::aligned() const noexcept {
  for (std::size_t i = 0; i < clusters_.size(); ++i)
    if (clusters_[i].continuous && !due_[i]) return false;
  return true;
}

bool Cycle::aligned(Time now) const noexcept {
  return std::all_of(clusters_.begin(), clusters_.end(),
                     [now](const Cluster& c) { return !c.continuous || c.next == now; });
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
