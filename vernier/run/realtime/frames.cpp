#include "vernier/run/realtime/frames.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vernier::realtime {
namespace {

/// The longest single sleep, so that interrupt() takes effect soon.
constexpr std::int64_t nap = 50'000'000;

void relax() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

std::string_view word(Cause c) noexcept {
  switch (c) {
    case Cause::none:
      return "none";
    case Cause::work:
      return "work";
    case Cause::wake_up:
      return "wake-up";
    case Cause::wait:
      return "wait";
    case Cause::federation:
      return "federation";
    case Cause::pacing:
      return "pacing";
    case Cause::node:
      return "node";
    case Cause::network:
      return "network";
    case Cause::division:
      return "division";
  }
  return "none";
}

Time Grid::tick(std::int64_t k) const noexcept {
  return rate.periodic() ? vernier::tick(rate, k) : origin + k * step;
}

std::int64_t Grid::number(Time t) const noexcept {
  if (!rate.periodic()) {
    const std::int64_t k = (t - origin) / step;
    return origin + k * step > t ? k - 1 : k;
  }
  // ticks are rounded down to the nanosecond: one that seems earlier may be at this time
  auto k = static_cast<std::int64_t>(static_cast<long double>(t.time_since_epoch().count()) *
                                     static_cast<long double>(rate.times) /
                                     (static_cast<long double>(rate.seconds) * 1e9L)) -
           2;
  while (tick(k + 1) <= t) ++k;
  return k;
}

double Grid::period() const noexcept {
  return rate.periodic() ? static_cast<double>(rate.seconds) / static_cast<double>(rate.times)
                         : seconds(step);
}

Grid grid_of(const composition::Plan& plan) {
  Grid grid{.step = plan.step, .rate = plan.step_rate};
  bool base = false;
  for (const composition::Part& p : plan.parts) base |= !p.rate.periodic();
  for (const composition::Part& p : plan.parts) {
    if (!p.rate.periodic()) continue;
    const Grid other{.rate = p.rate};
    if (!base || other.period() < grid.period() * (1.0 - 1e-9)) {
      grid = other;
      base = true;
    }
  }
  return grid;
}

FramePacer::FramePacer(const Settings& s, Clock& clock, TimeBase* base)
    : settings_(s), clock_(clock), base_(base) {
  if (!(s.rate > 0.0) || !std::isfinite(s.rate))
    throw ConfigurationError("V4110", "the rate must be positive, not " + exact(s.rate) +
                                          ": 1 is real time, 2 twice it");
  late_ends_.resize(static_cast<std::size_t>(std::max(s.late.in_window, 1)));
}

void FramePacer::know(const std::vector<composition::Part>& parts) {
  for (const composition::Part& p : parts) {
    names_.push_back(p.name);
    faces_world_.push_back(p.component->description().abilities.faces_world);
    auto* source = dynamic_cast<PacerSource*>(p.component.get());
    if (!source || !source->withholds_time()) continue;
    for (const Pacer* pacer : source->pacers()) pacers_.push_back({pacer, names_.size() - 1});
  }
  if (!pacers_.empty() && !others_) others_ = std::make_unique<Known[]>(kept_others);
  if (!pacers_.empty()) book_.know_others();
  costs_.resize(parts.size());
  book_.know(parts.size());
}

void FramePacer::know_nodes(std::vector<std::string> names) {
  nodes_ = std::move(names);
  if (nodes_.size() > 1) book_.know_others();
  waits_.assign(nodes_.size(), 0);
  last_waits_.assign(nodes_.size(), 0);
}

std::int64_t FramePacer::due(Time t, std::int64_t now) noexcept {
  if (base_) return base_->due(t, now);
  const std::int64_t simulated = (t - origin_).count();
  if (settings_.rate == 1.0) return origin_wall_ + simulated;
  return origin_wall_ +
         static_cast<std::int64_t>(static_cast<long double>(simulated) / settings_.rate);
}

void FramePacer::start(Time t) noexcept {
  interrupted_.store(false);
  origin_ = t;
  origin_wall_ = begin_ = due_ = clock_.now();
  if (base_) base_->start(t, origin_wall_);
  number_ = settings_.grid.number(t);
  next_ = settings_.grid.tick(number_ + 1);
  deadline_ = due(next_, origin_wall_);
  slept_ = false;
  book_.begin_row();
  cause_behind_ = Cause::none;
  std::fill(costs_.begin(), costs_.end(), 0);
  std::fill(waits_.begin(), waits_.end(), 0);
  held_ = held_longest_ = 0;
  keeper_ = nobody;
  kept_by_ = Cause::federation;
}

Outcome FramePacer::wait_for(Time t) noexcept {
  if (t < next_) return Outcome::ok;  // belongs to the current frame
  const std::int64_t end = clock_.now();
  const std::int64_t began = begin_;
  finish(end);
  if (last().late && !tolerated(end)) return Outcome::failed;

  const std::int64_t period = deadline_ - due_;
  while (next_ <= t) {
    next_ = settings_.grid.tick(++number_ + 1);
    due_ = deadline_;
    deadline_ = due(next_, end);
  }
  std::int64_t target = due_;
  const std::int64_t lag = end - due_;
  if (lag > 0 && settings_.late.kind == Late::slip) {
    origin_wall_ += lag;
    due_ = target = end;
    deadline_ += lag;
    book_.statistics().slipped += lag;
  } else if (lag > 0 && settings_.late.kind == Late::elastic) {
    target = std::max(target, began + period / settings_.late.burst);
  }
  slept_ = due_ > end;
  if (target > end) rest_until(end, target);
  begin_ = target > end ? clock_.now() : end;
  if (target > end) book_.statistics().busy += std::max<std::int64_t>(0, begin_ - target);
  book_.statistics().wall += begin_ - began;
  if (lag <= 0) cause_behind_ = Cause::none;
  return last().late ? Outcome::held : Outcome::ok;
}

void FramePacer::rest_until(std::int64_t now, std::int64_t target) noexcept {
  const std::int64_t spin = settings_.spin.count();
  while (now < target - spin && !interrupted_.load(std::memory_order_relaxed)) {
    clock_.sleep_until(std::min(target - spin, now + nap));
    ++book_.statistics().sleeps;
    now = clock_.now();
  }
  if (spin <= 0) return;
  const std::int64_t awake = now;
  while (now < target && !interrupted_.load(std::memory_order_relaxed)) {
    relax();
    now = clock_.now();
  }
  book_.statistics().busy += now - awake;
}

void FramePacer::spent(std::span<const std::int64_t> by_part) noexcept {
  const std::size_t n = std::min(by_part.size(), costs_.size());
  for (std::size_t i = 0; i < n; ++i) costs_[i] += by_part[i];
}

void FramePacer::waited(const Pacer& p, std::int64_t ns) noexcept {
  for (const SharedTime& s : pacers_) {
    if (s.pacer != &p) continue;
    // the time not spent waiting for others is the component's own, such as sending
    const Pacer::Kept kept = p.kept();
    const std::int64_t held = std::clamp<std::int64_t>(kept.ns, 0, std::max<std::int64_t>(ns, 0));
    costs_[s.part] += ns - held;
    held_ += held;
    if (held <= held_longest_) return;
    held_longest_ = held;
    keeper_ = other(kept.by);
    kept_by_ = kept.pacing ? Cause::pacing : Cause::federation;
    return;
  }
}

void FramePacer::waited_for(std::uint32_t node, std::int64_t ns) noexcept {
  if (node >= waits_.size()) return;
  waits_[node] += ns;
  held_ += ns;
  if (waits_[node] <= held_longest_) return;
  held_longest_ = waits_[node];
  keeper_ = node;
  kept_by_ = Cause::node;
}

std::uint32_t FramePacer::other(const char* name) noexcept {
  if (!name || !*name) return nobody;
  const std::uint32_t known = others_known_.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < known; ++i)
    if (std::strncmp(others_[i].name, name, sizeof Known::name - 1) == 0) return i;
  if (known == kept_others) return nobody;
  std::strncpy(others_[known].name, name, sizeof Known::name - 1);
  others_known_.store(known + 1, std::memory_order_release);
  return known;
}

std::vector<Other> FramePacer::others() const {
  std::vector<Other> all;
  const std::uint32_t known = others_known_.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < known; ++i)
    all.push_back({others_[i].name, others_[i].held, others_[i].late, others_[i].longest});
  return all;
}

void FramePacer::finish(std::int64_t end) noexcept {
  Frame f;
  f.number = number_;
  f.time = settings_.grid.tick(number_);
  f.wake_up = begin_ - due_;
  f.cost = end - begin_;
  f.margin = deadline_ - end;
  f.held = held_;
  f.late = f.margin < 0;
  f.slept = slept_;
  f.behind = !slept_ && f.wake_up > 0;
  if (f.late) attribute(f, deadline_ - due_);  // compares with what was usual before this frame
  book_.take(f, costs_);
  if (keeper_ != nobody && kept_by_ != Cause::node) {
    Known& k = others_[keeper_];
    k.held.fetch_add(1, std::memory_order_relaxed);
    k.longest.store(std::max(k.longest.load(std::memory_order_relaxed), held_longest_),
                    std::memory_order_relaxed);
  }
  if (f.culprit != nobody && (f.cause == Cause::federation || f.cause == Cause::pacing))
    others_[f.culprit].late.fetch_add(1, std::memory_order_relaxed);
  std::fill(costs_.begin(), costs_.end(), 0);
  std::swap(waits_, last_waits_);
  std::fill(waits_.begin(), waits_.end(), 0);
  held_ = held_longest_ = 0;
  keeper_ = nobody;
  if (sink_) sink_->take(f, book_.last_costs());
}

void FramePacer::attribute(Frame& f, std::int64_t period) noexcept {
  if (f.behind && cause_behind_ != Cause::none && f.cost <= period) {
    // it would have been in time without the earlier late frame
    f.cause = cause_behind_;
    f.culprit = culprit_behind_;
    return;
  }
  // the part that exceeded its usual p99 most; without a usual cost, the one that took longest
  std::int64_t most = 0, longest = 0, of_parts = 0;
  std::uint32_t exceeded = nobody, dearest = nobody;
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    of_parts += costs_[i];
    const std::int64_t excess = costs_[i] - statistics().parts[i].quantile(0.99);
    if (costs_[i] > 0 && excess > most) {
      most = excess;
      exceeded = static_cast<std::uint32_t>(i);
    }
    if (costs_[i] > longest) {
      longest = costs_[i];
      dearest = static_cast<std::uint32_t>(i);
    }
  }
  bool by_others = false;
  if (const std::int64_t excess = f.held - statistics().held.quantile(0.99);
      f.held > 0 && excess > most) {
    most = excess;
    by_others = true;
  }
  const std::int64_t own = f.cost - of_parts - f.held;
  if (const std::int64_t excess = own - statistics().rest.quantile(0.99); excess > most) {
    most = excess;
    exceeded = nobody;
    by_others = false;
  } else if (exceeded == nobody && !by_others) {
    exceeded = own > longest ? nobody : dearest;
    by_others = f.held > std::max(own, longest);
  }
  if (f.cost <= period && f.wake_up >= most) {
    f.cause = Cause::wake_up;
  } else if (by_others) {
    f.culprit = keeper_;
    f.cause = kept_by_;
  } else {
    f.culprit = exceeded;
    f.cause = exceeded != nobody && faces_world_[exceeded] ? Cause::wait : Cause::work;
  }
  cause_behind_ = f.cause;
  culprit_behind_ = f.culprit;
}

bool FramePacer::tolerated(std::int64_t now) noexcept {
  const LatePolicy& p = settings_.late;
  if (tolerant_) return true;
  if (p.kind == Late::strict) {
    broken_ = Broken::strict;
    return false;
  }
  if (p.kind != Late::elastic) return true;
  if (book_.late_in_a_row() >= static_cast<std::uint64_t>(p.in_a_row)) {
    broken_ = Broken::in_a_row;
    return false;
  }
  if (p.in_window <= 0) return true;
  // the entry overwritten is the in_window-th before
  std::int64_t& oldest = late_ends_[(statistics().late - 1) % late_ends_.size()];
  const bool full = statistics().late > late_ends_.size();
  if (full && now - oldest <= p.window.count()) broken_ = Broken::in_window;
  oldest = now;
  return broken_ == Broken::no;
}

Fault FramePacer::fault() const noexcept {
  Fault f;
  if (broken_ == Broken::no) return f;
  const bool strict = broken_ == Broken::strict;
  const Frame& l = last();
  char why[160];
  const char* who = l.culprit < names_.size() ? names_[l.culprit].c_str() : "the run itself";
  if (l.cause == Cause::wake_up)
    std::snprintf(why, sizeof why, "it was woken %.3g us late",
                  static_cast<double>(l.wake_up) / 1e3);
  else if (l.cause == Cause::federation || l.cause == Cause::pacing)
    std::snprintf(why, sizeof why, "waiting for the federation%s%.64s",
                  l.culprit == nobody        ? ""
                  : l.cause == Cause::pacing ? ", whose pace is set by "
                                             : ", which was held back by ",
                  l.culprit == nobody ? "" : others_[l.culprit].name);
  else if (l.cause == Cause::node)
    std::snprintf(why, sizeof why, "waiting for node %.64s", nodes_[l.culprit].c_str());
  else
    std::snprintf(why, sizeof why, "%s of %.64s", l.cause == Cause::wait ? "waiting" : "work", who);
  char what[160];
  if (strict)
    std::snprintf(what, sizeof what, "stopped: frame %lld was late (policy strict)",
                  static_cast<long long>(l.number));
  else if (broken_ == Broken::in_a_row)
    std::snprintf(what, sizeof what, "stopped: %d late frames in a row (policy)",
                  settings_.late.in_a_row);
  else
    std::snprintf(what, sizeof what, "stopped: more than %d late frames within %.3g s (policy)",
                  settings_.late.in_window, seconds(settings_.late.window));
  const bool others = l.cause == Cause::federation || l.cause == Cause::pacing;
  f.set(Category::lateness, strict ? "V4101" : "V4107", "%s\nthe last one by %.3g ms: %s\n%s", what,
        static_cast<double>(-l.margin) / 1e6, why,
        l.cause == Cause::node
            ? "that node or the network does not keep up: the report of the run tells which"
        : others ? "that federate does not keep up: its own report says why; a slower pace "
                   "or a longer step of it may help"
                 : "the machine does not keep up: a smaller --rate or a longer step may "
                   "help; vernier doctor --for FILE tells more");
  return f;
}

}  // namespace vernier::realtime
