#include <algorithm>

#include "vernier/gateway/federation/time_manager.hpp"

namespace vernier::federation {

void TimeManager::stop_at(Stamp at) {
  if (!valid(kind_, at)) throw Refusal{Failure::InvalidLogicalTime, "not a time"};
  const auto stop = static_cast<Bound>(at.raw);
  for (const Federate& f : federates_)
    if (f.handle != 0 && f.constrained && f.time > stop)
      throw Refusal{Failure::LogicalTimeAlreadyPassed, "that time has passed"};
  stop_ = stop;
}

std::size_t TimeManager::members() const noexcept {
  return static_cast<std::size_t>(std::count_if(federates_.begin(), federates_.end(),
                                                [](const Federate& f) { return f.handle != 0; }));
}

bool TimeManager::stopped() const noexcept {
  if (stop_ == never) return false;
  for (std::size_t s = 0; s < federates_.size(); ++s) {
    if (federates_[s].handle == 0 || !federates_[s].constrained) continue;
    const auto to = ready(s);
    if (!to || *to <= stop_) return false;
  }
  return true;
}

void TimeManager::go_on() {
  paused_ = false;
  stop_ = never;
  settled_ = 0;
  for (std::size_t s = 0; s < federates_.size(); ++s) changed(s);
}

TimeManager::Report TimeManager::report(Handle federate) const {
  const std::size_t s = slot(federate);
  const Federate& f = federates_[s];
  Report r;
  r.time = *named(f.time);
  r.lookahead = *named(std::max(f.lookahead, minus(f.promised, f.time)));
  r.galt = galt(federate);
  r.lits = lits(federate);
  r.regulating = f.regulating;
  r.constrained = f.constrained;
  r.asynchronous = f.asynchronous;
  r.regulation_pending = f.state == State::enabling;
  r.constrained_pending = f.constrained_pending;
  r.advancing = f.state == State::advancing;
  r.receive_queue = f.waiting.size();
  r.stamp_queue = f.queue.size();
  return r;
}

namespace {

constexpr std::uint32_t record_version = 1;
// minimum size of each entry, to bound allocations by the size of the input
constexpr std::size_t federate_bytes = 71, held_bytes = 28, sent_bytes = 16;

/// All fields of a federate except its queues; `f` is a TimeManager::Federate.
template <class V, class F>
void scalars(V& v, F& f) {
  v(f.handle, f.state, f.how, f.regulating, f.constrained, f.constrained_pending, f.asynchronous,
    f.strict, f.time, f.target, f.lookahead, f.promised, f.floor, f.receivers, f.last_number);
}

}  // namespace

void TimeManager::save(std::vector<std::byte>& to) const {
  Writer w(to);
  const auto count = [&](const auto& list) { w(static_cast<std::uint32_t>(list.size())); };
  const auto members = std::count_if(federates_.begin(), federates_.end(),
                                     [](const Federate& f) { return f.handle != 0; });
  w(record_version, kind_, order_, static_cast<std::uint32_t>(members));
  for (const Federate& f : federates_) {
    if (f.handle == 0) continue;
    scalars(w, f);
    for (const auto* list : {&f.queue, &f.waiting}) {
      count(*list);
      for (const Held& h : *list) w(h.stamp, h.order, h.retraction, *h.frame);
    }
    count(f.sent);
    for (const Sent& s : f.sent) w(s.number, s.receivers, s.stamp);
  }
}

bool TimeManager::load(Bytes from) {
  Reader r(from);
  std::uint32_t version = 0, members = 0;
  TimeKind kind{};
  std::uint64_t order = 0;
  r(version, kind, order, members);
  if (!r.ok() || version != record_version || kind != kind_ ||
      members > from.size() / federate_bytes)
    return false;
  std::vector<Federate> all(members);
  Handle last = 0;
  for (Federate& f : all) {
    scalars(r, f);
    for (auto* list : {&f.queue, &f.waiting}) {
      std::uint32_t n = 0;
      r(n);
      if (n > r.rest().size() / held_bytes) return false;
      list->resize(n);
      for (Held& h : *list) {
        Blob bytes;
        r(h.stamp, h.order, h.retraction, bytes);
        if (!r.ok() || !header(bytes) || h.stamp > final()) return false;
        h.frame = std::make_shared<const Blob>(std::move(bytes));
      }
    }
    std::uint32_t n = 0;
    r(n);
    if (n > r.rest().size() / sent_bytes) return false;
    f.sent.resize(n);
    std::uint64_t receivers = 0;
    for (Sent& s : f.sent) {
      r(s.number, s.receivers, s.stamp);
      receivers += s.receivers;
    }
    const bool sound = r.ok() && f.handle != 0 && f.handle < 0x1000000 &&
                       f.state <= State::advancing && f.how <= AdvanceKind::flush &&
                       std::max({f.time, f.target, f.lookahead}) <= final() &&
                       receivers == f.receivers.size();
    if (!sound) return false;
    last = std::max(last, f.handle);
  }
  if (!r.complete()) return false;
  std::vector<std::uint32_t> slots(last + 1, 0);
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (slots[all[s].handle] != 0) return false;
    slots[all[s].handle] = static_cast<std::uint32_t>(s + 1);
  }
  crowded_.clear();
  federates_ = std::move(all);
  slots_ = std::move(slots);
  order_ = order;
  requests_ = 0;
  settled_ = 0;
  bounds_.assign(bounds_.size(), never);
  grow(std::max(bounds_.size(), federates_.size()));
  for (std::size_t s = 0; s < federates_.size(); ++s) {
    Federate& f = federates_[s];
    std::make_heap(f.queue.begin(), f.queue.end(), Later{});
    f.forget_at = std::max<std::size_t>(64, 2 * f.sent.size());
    for (const auto* list : {&f.queue, &f.waiting})
      for (const Held& h : *list) count(f, h.bytes(), 0);
    place(s);
  }
  return true;
}

}  // namespace vernier::federation
