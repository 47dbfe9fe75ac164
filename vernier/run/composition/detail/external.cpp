#include "vernier/run/composition/detail/external.hpp"

#include <algorithm>
#include <cstring>

namespace vernier::composition::detail {

External::External(std::vector<Port> outputs, std::vector<Action> actions)
    : actions_(std::move(actions)) {
  description_.outputs = std::move(outputs);
  std::stable_sort(actions_.begin(), actions_.end(),
                   [](const Action& a, const Action& b) { return a.at < b.at; });
  std::size_t reals = 0, events = 0;
  for (const Port& p : description_.outputs) {
    const bool event = p.flow == Flow::event;
    places_.push_back(event ? events : reals);
    (event ? events : reals) += p.count;
  }
  values_.resize(reals);
  counts_.resize(events);
  description_.abilities.reacts = description_.abilities.predicts = !actions_.empty();
  description_.abilities.constant = actions_.empty();
  description_.abilities.dense = true;  // its outputs are constant until it reacts
  description_.state_bytes = 8 * (reals + events) + sizeof done_;
}

void External::bind(const Bindings& b) {
  reals_.clear();
  events_.clear();
  for (const Port& p : description_.outputs) {
    const bool event = p.flow == Flow::event;
    reals_.push_back(event ? std::span<double>{} : b.real_output(p.name));
    events_.push_back(event ? b.integer_output(p.name) : std::span<std::int64_t>{});
  }
}

bool External::initialize(Time, int) {
  for (std::size_t o = 0; o < description_.outputs.size(); ++o) {
    const Port& p = description_.outputs[o];
    if (p.flow == Flow::event || !p.initial) continue;
    for (std::size_t i = 0; i < p.count && i < p.initial->size(); ++i)
      values_[places_[o] + i] = (*p.initial)[i];
  }
  std::fill(counts_.begin(), counts_.end(), 0);
  done_ = 0;
  return true;
}

Outcome External::output(Instant) noexcept {
  for (std::size_t o = 0; o < reals_.size(); ++o) {
    for (std::size_t i = 0; i < reals_[o].size(); ++i) reals_[o][i] = values_[places_[o] + i];
    for (std::size_t i = 0; i < events_[o].size(); ++i) events_[o][i] = counts_[places_[o] + i];
  }
  return Outcome::ok;
}

Outcome External::react(Instant at) noexcept {
  const std::uint64_t before = done_;
  for (; done_ < actions_.size() && actions_[done_].at <= at.time; ++done_) {
    const Action& a = actions_[done_];
    if (a.values.empty()) ++counts_[places_[a.output]];
    for (std::size_t i = 0; i < a.values.size(); ++i)
      values_[places_[a.output] + a.first + i] = a.values[i];
  }
  return done_ == before ? Outcome::ok : Outcome::changed;
}

Time External::horizon(Time) const noexcept {
  return done_ < actions_.size() ? actions_[done_].at : Time::max();
}

void External::save(std::span<std::byte> b) const noexcept {
  const std::size_t reals = 8 * values_.size(), events = 8 * counts_.size();
  if (reals) std::memcpy(b.data(), values_.data(), reals);
  if (events) std::memcpy(b.data() + reals, counts_.data(), events);
  std::memcpy(b.data() + reals + events, &done_, sizeof done_);
}

void External::load(std::span<const std::byte> b) noexcept {
  const std::size_t reals = 8 * values_.size(), events = 8 * counts_.size();
  if (reals) std::memcpy(values_.data(), b.data(), reals);
  if (events) std::memcpy(counts_.data(), b.data() + reals, events);
  std::memcpy(&done_, b.data() + reals + events, sizeof done_);
}

}  // namespace vernier::composition::detail
