#include <algorithm>

#include "vernier/run/executive/detail/cycle.hpp"

// Observers see instants of the run, or values between them by dense output. The run takes the same
// steps with and without them.
namespace vernier::executive::detail {

namespace {

/// The most samples stored for one step; composition::make_plan() refuses more.
constexpr double most_samples = 1e6;

}  // namespace

void Cycle::aim(Watch& w, Time from) noexcept {
  if (!w.sampling.rate.periodic()) return;
  w.k = first_tick(w.sampling.rate, from);
  w.next = vernier::tick(w.sampling.rate, w.k);
}

void Cycle::observe(Observer& o, const Sampling& s, Time now) {
  const bool dense = s.cluster ? clusters_[*s.cluster].dense
                               : std::all_of(clusters_.begin(), clusters_.end(),
                                             [](const Cluster& c) { return c.dense; });
  watches_.push_back(
      {.observer = &o, .sampling = s, .exact = s.rate.periodic() && s.exactly && dense});
  const bool settled = std::any_of(clusters_.begin(), clusters_.end(), [now](const Cluster& c) {
    return c.settled && c.at.time == now;
  });
  aim(watches_.back(), settled ? now + Duration(1) : now);
  for (std::size_t i = 0; i < clusters_.size(); ++i) reserve_samples(i);
}

void Cycle::reserve_samples(std::size_t cluster) {
  Cluster& c = clusters_[cluster];
  if (!c.continuous || !c.dense) return;
  double most = 0.0;
  for (const Watch& w : watches_) {
    if (!w.exact || !w.sees(cluster)) continue;
    const Rate r = w.sampling.rate;
    most += 2.0 + seconds(step_) * static_cast<double>(r.times) / static_cast<double>(r.seconds);
  }
  const auto room = static_cast<std::size_t>(std::min(most, most_samples));
  if (room <= c.expected.capacity()) return;
  c.expected.reserve(room);
  for (Component* p : c.sampled) p->reserve_samples(c.expected.capacity());
}

void Cycle::remove(Observer& o) noexcept {
  std::erase_if(watches_, [&o](const Watch& w) { return w.observer == &o; });
}

void Cycle::expect_samples(std::size_t cluster) noexcept {
  Cluster& c = clusters_[cluster];
  if (c.expected.capacity() == 0) return;
  const bool before = !c.expected.empty();
  c.expected.clear();
  for (const Watch& w : watches_) {
    if (!w.exact || !w.sees(cluster)) continue;
    std::int64_t k = w.k;
    for (Time t = w.next; t < c.wanted; t = vernier::tick(w.sampling.rate, ++k))
      if (t > from_ && c.expected.size() < c.expected.capacity()) c.expected.push_back(t);
  }
  std::sort(c.expected.begin(), c.expected.end());
  c.expected.erase(std::unique(c.expected.begin(), c.expected.end()), c.expected.end());
  if (!before && c.expected.empty()) return;
  for (Component* p : c.sampled) p->expect(c.expected);
}

bool Cycle::sample(std::size_t cluster, Time at) noexcept {
  Cluster& c = clusters_[cluster];
  // parts with a rate do not change until their next tick
  if (!c.continuous || c.sampled_at == at) return true;
  if (!c.dense || !std::binary_search(c.expected.begin(), c.expected.end(), at)) return false;
  c.sampled_at = at;
  const bool done = recompute(
      cluster, at, [this, at](const Call& k) { note(k.part, k.component->sample(at), 0); });
  if (!done) return false;
  for (const std::uint32_t p : memory_.late_parts())
    if (cluster_of_[p] == cluster) detail::run(memory_.before_react(p));
  return true;
}

template <class F>
bool Cycle::recompute(std::size_t cluster, Time at, const F& f) noexcept {
  const Cluster& c = clusters_[cluster];
  std::size_t done = 0;
  for (std::uint32_t round = 0; done < c.calls.size() || round < c.rounds; ++round) {
    for (; done < c.calls.size() && calls_[c.calls[done]].round == round; ++done) {
      const Call& k = calls_[c.calls[done]];
      detail::run(k.before);
      f(k);
    }
    if (!c.shared) continue;
    std::fill(chosen_.begin(), chosen_.end(), std::uint8_t{0});
    chosen_[cluster] = 1;
    if (!together(switchboard_->values(at, round, chosen_), at)) return false;
  }
  return true;
}

bool Cycle::sample_before() noexcept {
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    Cluster& c = clusters_[i];
    if (!due_[i] || !c.cut_short) continue;
    const bool watched = std::any_of(watches_.begin(), watches_.end(), [i](const Watch& w) {
      return w.sampling.events && w.sees(i);
    });
    if (!watched && !c.shared) continue;
    const bool done = recompute(i, c.at.time, [this, &c](const Call& k) {
      note(k.part, k.dense ? k.component->sample(c.at.time) : k.component->output(c.at), 0);
    });
    if (!done) return false;
    carry_late();
    show_before(i);
  }
  return true;
}

void Cycle::show_before(std::size_t cluster) noexcept {
  clusters_[cluster].shown = true;
  for (const Watch& w : watches_)
    if (w.sampling.events && w.sees(cluster)) w.observer->sample(clusters_[cluster].at, false);
}

void Cycle::show(Time now) noexcept {
  if (switchboard_) sample_shared(now);
  for (Watch& w : watches_) {
    Instant at{now};
    bool instant = false, event = false;
    const bool tick = w.sampling.rate.periodic() && w.next <= now;
    bool known = true;
    const std::size_t first = w.sampling.cluster.value_or(0);
    const std::size_t end = w.sampling.cluster ? first + 1 : clusters_.size();
    for (std::size_t i = first; i < end; ++i) {
      const Cluster& c = clusters_[i];
      if (due_[i]) {
        instant = true;
        event |= c.event;
        at.microstep = std::max(at.microstep, c.at.microstep);
      } else if (tick && w.exact) {
        known = sample(i, now) && known;
      }
    }
    // of several clusters, one without values for this time shows its last instant
    const bool serves = instant || (w.exact && (known || !w.sampling.cluster));
    const bool wanted = w.sampling.rate.periodic() ? tick && serves : instant;
    if (wanted || (event && w.sampling.events)) w.observer->sample(at, true);
    if (!tick || !(instant || w.exact)) continue;
    while (w.next <= now) w.next = vernier::tick(w.sampling.rate, ++w.k);
  }
}

}  // namespace vernier::executive::detail
