#include "vernier/gateway/federation/time_manager.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "vernier/base/require.hpp"
#include "vernier/gateway/federation/callbacks.hpp"

namespace vernier::federation {

namespace {

std::uint64_t final_of(TimeKind kind) noexcept {
  return kind == TimeKind::integer64
             ? static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
             : std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
}

/// Saturates beyond the final time; both representations have room there.
std::uint64_t added(TimeKind kind, std::uint64_t a, std::uint64_t b) noexcept {
  if (kind == TimeKind::integer64) return std::min(a + b, std::uint64_t{1} << 63);
  return std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
}

/// The same message marked as delivered in receive order.
template <class M>
Frame unordered(const Frame& f) {
  M m;
  require(read(*f, m));
  m.received = Order::receive;
  return frame(m);
}
Frame in_receive_order(const Frame& f) {
  const auto h = header(*f);
  require(h.has_value());
  if (h->kind == Kind::reflect) return unordered<Reflect>(f);
  return h->kind == Kind::receive ? unordered<Receive>(f) : unordered<Remove>(f);
}

}  // namespace

bool valid(TimeKind kind, Stamp t) noexcept {
  return t.raw >= 0 && static_cast<std::uint64_t>(t.raw) <= final_of(kind);
}

std::optional<Stamp> sum(TimeKind kind, Stamp time, Stamp span) noexcept {
  const auto s =
      added(kind, static_cast<std::uint64_t>(time.raw), static_cast<std::uint64_t>(span.raw));
  if (s > final_of(kind)) return {};
  return Stamp{static_cast<std::int64_t>(s)};
}

TimeManager::TimeManager(TimeKind kind, Put put) : kind_(kind), put_(std::move(put)) { grow(4); }
TimeManager::~TimeManager() = default;

// ---- arithmetic

TimeManager::Bound TimeManager::final() const noexcept { return final_of(kind_); }
TimeManager::Bound TimeManager::plus(Bound time, Bound span) const noexcept {
  return added(kind_, time, span);
}
/// At least zero.
TimeManager::Bound TimeManager::minus(Bound time, Bound span) const noexcept {
  if (time <= span) return 0;
  if (kind_ == TimeKind::integer64) return time - span;
  return std::bit_cast<Bound>(std::bit_cast<double>(time) - std::bit_cast<double>(span));
}
std::optional<Stamp> TimeManager::named(Bound b) const noexcept {
  if (b == never) return {};
  return Stamp{static_cast<std::int64_t>(std::min(b, final()))};
}

static bool available(AdvanceKind k) noexcept {
  return k != AdvanceKind::to && k != AdvanceKind::next;
}

/// Whether the federate, with zero lookahead, must send after `time` once it is granted `time`.
bool TimeManager::strict_at(const Federate& f, Bound time) const noexcept {
  if (f.state != State::advancing) return f.strict;
  return !available(f.how) || (f.strict && time == f.time);
}

/// The output bound: the least stamp of what a federate may send once its time is `time`.
TimeManager::Bound TimeManager::output(const Federate& f, Bound time) const noexcept {
  const Bound b = plus(time, f.lookahead);
  return std::max(b == time && strict_at(f, time) ? b + 1 : b, f.promised);
}

bool TimeManager::asks_next(const Federate& f) const noexcept {
  return f.state == State::advancing && f.constrained && f.how != AdvanceKind::to &&
         f.how != AdvanceKind::to_available;
}

/// The least time it can be granted, from its request and the messages that wait for it.
TimeManager::Bound TimeManager::least_target(const Federate& f) const noexcept {
  return f.queue.empty() ? f.target : std::min(f.target, f.queue.front().stamp);
}

TimeManager::Bound TimeManager::bound(const Federate& f) const noexcept {
  if (f.state == State::granted) return f.regulating ? output(f, f.time) : never;
  if (f.state == State::enabling) return output(f, f.target);
  if (!f.regulating) return never;
  return output(f, asks_next(f) ? least_target(f) : f.target);
}

/// The least stamp it may use now: while it advances, the requested time counts.
TimeManager::Bound TimeManager::earliest(const Federate& f) const noexcept {
  return output(f, f.state == State::advancing ? f.target : f.time);
}

/// The least stamp that may still arrive at a federate: its GALT (greatest available logical time,
/// 8.16).
///
/// Let b be the bound of a federate that follows from its own queue, and m the least b, attained by
/// federate w. A federate that requests the next message may be granted at any message that
/// arrives, so its output is o = output(min(least target, min of o of the others)). An output never
/// lies before the time, so all o ≥ m and o(w) = m; thus for all other federates the minimum of o
/// over the others is m.
TimeManager::Bound TimeManager::incoming(std::size_t slot) const noexcept {
  const std::size_t w = winner_[1];
  const Bound m = bounds_[w];
  if (slot != w || m == never) return m;
  Bound least = never;
  if (requests_ == 0) {
    for (std::size_t i = winner_.size() / 2 + slot; i > 1; i /= 2)
      least = std::min(least, bounds_[winner_[i ^ 1]]);
    return least;
  }
  for (std::size_t k = 0; k < federates_.size(); ++k) {
    const Federate& f = federates_[k];
    if (k == slot || bounds_[k] == never) continue;
    least = std::min(least, asks_next(f) ? output(f, std::min(least_target(f), m)) : bounds_[k]);
  }
  return least;
}

// ---- members

std::size_t TimeManager::slot(Handle federate) const {
  const std::uint32_t s = federate < slots_.size() ? slots_[federate] : 0;
  if (s == 0) throw Refusal{Failure::FederateNotExecutionMember, "not a member"};
  return s - 1;
}

void TimeManager::grow(std::size_t slots) {
  const std::size_t capacity = std::bit_ceil(slots);
  bounds_.resize(capacity, never);
  winner_.resize(2 * capacity);
  for (std::size_t i = 0; i < capacity; ++i) winner_[capacity + i] = static_cast<std::uint32_t>(i);
  for (std::size_t i = capacity - 1; i > 0; --i) {
    const auto a = winner_[2 * i], b = winner_[2 * i + 1];
    winner_[i] = bounds_[a] <= bounds_[b] ? a : b;
  }
}

void TimeManager::add(Handle federate) {
  require(federate != 0 && (federate >= slots_.size() || slots_[federate] == 0));
  if (federate >= slots_.size()) slots_.resize(federate + 1, 0);
  std::size_t s = 0;
  while (s < federates_.size() && federates_[s].handle != 0) ++s;
  if (s == federates_.size()) federates_.emplace_back();
  if (s >= bounds_.size()) grow(s + 1);
  federates_[s].handle = federate;
  slots_[federate] = static_cast<std::uint32_t>(s + 1);
}

void TimeManager::remove(Handle federate) {
  const std::size_t s = slot(federate);
  requests_ -= federates_[s].counted ? 1 : 0;
  count(federates_[s], 0, federates_[s].held);
  federates_[s] = {};
  slots_[federate] = 0;
  changed(s);
}

// ---- granting

void TimeManager::place(std::size_t slot) {
  Federate& f = federates_[slot];
  bounds_[slot] = bound(f);
  const bool next = bounds_[slot] != never && asks_next(f);
  if (next != f.counted) {
    next ? ++requests_ : --requests_;
    f.counted = next;
  }
  for (std::size_t i = (winner_.size() / 2 + slot) / 2; i > 0; i /= 2) {
    const auto a = winner_[2 * i], b = winner_[2 * i + 1];
    winner_[i] = bounds_[a] <= bounds_[b] ? a : b;
  }
}

/// Called after any change of a federate. The GALT of all federates except the one with the least
/// bound is that bound, so they need to be checked only when it has grown.
void TimeManager::changed(std::size_t slot) {
  place(slot);
  if (paused_) return;
  settle(slot);
  for (;;) {
    const std::size_t w = winner_[1];
    const Bound least = bounds_[w];
    const bool grown = least > settled_;
    settled_ = least;
    if (grown) {
      for (std::size_t s = 0; s < federates_.size(); ++s) settle(s);
    } else if (w >= federates_.size() || !settle(w)) {
      return;
    }
  }
}

/// The time to which a waiting federate can advance now.
std::optional<TimeManager::Bound> TimeManager::ready(std::size_t slot) const noexcept {
  const Federate& f = federates_[slot];
  if (f.state == State::granted) return {};
  if (!f.constrained) return f.target;
  const Bound galt = incoming(slot);
  if (f.state == State::enabling) return f.target <= galt ? std::optional(f.target) : std::nullopt;
  const Bound to = asks_next(f) ? least_target(f) : f.target;
  if (f.how == AdvanceKind::flush) return std::max(f.time, std::min(to, galt));
  return (available(f.how) ? to <= galt : to < galt) ? std::optional(to) : std::nullopt;
}

/// Completes a federate's pending request if possible; true when it did.
bool TimeManager::settle(std::size_t slot) {
  Federate& f = federates_[slot];
  if (f.constrained_pending && f.time <= incoming(slot)) {
    f.constrained_pending = false;
    f.constrained = true;
    f.floor = f.time;
    put_(f.handle, frame(ConstrainedEnabled{*named(f.time)}));
    tell_watch(f);
  }
  if (f.state == State::granted) return false;
  const auto to = ready(slot);
  if (!to || (f.constrained && *to > stop_)) return false;
  const bool advanced = f.state == State::advancing;
  deliver(f, advanced && f.how == AdvanceKind::flush ? never : *to);
  const bool strict = strict_at(f, *to);
  f.state = State::granted;
  f.time = *to;
  if (!advanced) {
    f.regulating = true;
    f.floor = std::max(f.floor, *to);
    place(slot);
    put_(f.handle, frame(RegulationEnabled{*named(*to), f.strict}));
    tell_watch(f);
    return true;
  }
  f.strict = strict;
  f.floor = std::max(f.floor, *to + (available(f.how) ? 0 : 1));
  place(slot);
  if (granted_ != *to) {
    granted_ = *to;
    granted_frame_ = frame(Granted{*named(*to)});
  }
  put_(f.handle, granted_frame_);
  tell_watch(f);
  return true;
}

void TimeManager::deliver(Federate& f, Bound through) {
  std::size_t bytes = 0;
  while (!f.queue.empty() && f.queue.front().stamp <= through) {
    put_(f.handle, f.queue.front().frame);
    bytes += f.queue.front().bytes();
    std::pop_heap(f.queue.begin(), f.queue.end(), Later{});
    f.queue.pop_back();
  }
  count(f, 0, bytes);
}

void TimeManager::deliver_waiting(Federate& f) {
  std::size_t bytes = 0;
  for (const Held& h : f.waiting) {
    put_(f.handle, h.frame);
    bytes += h.bytes();
  }
  f.waiting.clear();
  count(f, 0, bytes);
}

// ---- services

/// Finds the least time, not before its own, from which its messages are in no other federate's
/// past.
void TimeManager::start_regulating(Federate& f, Bound lookahead) const noexcept {
  Bound need = 0;
  bool after = false;  // need is right after a granted time
  for (const Federate& k : federates_) {
    if (&k == &f || k.handle == 0 || !k.constrained || k.floor < need) continue;
    after = k.floor > k.time && (k.floor > need || after);
    need = k.floor;
  }
  f.lookahead = lookahead;
  f.promised = 0;
  f.target = f.time;
  f.strict = false;
  if (plus(f.time, lookahead) >= need) return;
  // Stamps must lie after a granted time, and there may be no least such stamp that can be named:
  // take the granted time itself, and send only after it.
  if (after && (lookahead == 0 || kind_ == TimeKind::float64)) {
    f.target = std::max(f.time, need - 1);
    f.strict = true;
    return;
  }
  f.target = minus(need, lookahead);
  while (plus(f.target, lookahead) < need) ++f.target;
}

// 8.2, enableTimeRegulation
void TimeManager::enable_regulation(Handle federate, Stamp lookahead) {
  const std::size_t s = slot(federate);
  Federate& f = federates_[s];
  if (f.regulating) throw Refusal{Failure::TimeRegulationAlreadyEnabled, "already regulating"};
  if (f.state == State::enabling)
    throw Refusal{Failure::RequestForTimeRegulationPending, "regulation is pending"};
  if (f.state == State::advancing)
    throw Refusal{Failure::InTimeAdvancingState, "an advance is pending"};
  if (!valid(kind_, lookahead)) throw Refusal{Failure::InvalidLookahead, "not a lookahead"};
  start_regulating(f, static_cast<Bound>(lookahead.raw));
  f.state = State::enabling;
  changed(s);
}

// 8.4, disableTimeRegulation
void TimeManager::disable_regulation(Handle federate) {
  const std::size_t s = slot(federate);
  Federate& f = federates_[s];
  if (!f.regulating) throw Refusal{Failure::TimeRegulationIsNotEnabled, "not regulating"};
  f.regulating = false;
  f.lookahead = f.promised = 0;
  f.sent.clear();
  f.receivers.clear();
  tell_watch(f);
  changed(s);
}

// 8.5, enableTimeConstrained
void TimeManager::enable_constrained(Handle federate) {
  const std::size_t s = slot(federate);
  Federate& f = federates_[s];
  if (f.constrained) throw Refusal{Failure::TimeConstrainedAlreadyEnabled, "already constrained"};
  if (f.constrained_pending)
    throw Refusal{Failure::RequestForTimeConstrainedPending, "constraining is pending"};
  if (f.state == State::advancing)
    throw Refusal{Failure::InTimeAdvancingState, "an advance is pending"};
  f.constrained_pending = true;
  changed(s);
}

// 8.7, disableTimeConstrained: waiting messages are delivered in receive order
void TimeManager::disable_constrained(Handle federate) {
  const std::size_t s = slot(federate);
  Federate& f = federates_[s];
  if (!f.constrained) throw Refusal{Failure::TimeConstrainedIsNotEnabled, "not constrained"};
  f.constrained = false;
  deliver_waiting(f);
  std::sort_heap(f.queue.begin(), f.queue.end(), Later{});
  std::size_t bytes = 0;
  std::for_each(f.queue.rbegin(), f.queue.rend(), [&](const Held& h) {
    put_(federate, in_receive_order(h.frame));
    bytes += h.bytes();
  });
  f.queue.clear();
  count(f, 0, bytes);
  tell_watch(f);
  changed(s);
}

// 8.14, enableAsynchronousDelivery
void TimeManager::enable_asynchronous(Handle federate) {
  Federate& f = of(federate);
  if (f.asynchronous) throw Refusal{Failure::AsynchronousDeliveryAlreadyEnabled, "already enabled"};
  f.asynchronous = true;
  tell_watch(f);
  deliver_waiting(f);
}

// 8.15, disableAsynchronousDelivery
void TimeManager::disable_asynchronous(Handle federate) {
  Federate& f = of(federate);
  if (!f.asynchronous)
    throw Refusal{Failure::AsynchronousDeliveryAlreadyDisabled, "already disabled"};
  f.asynchronous = false;
  tell_watch(f);
}

// 8.8 to 8.12, timeAdvanceRequest to flushQueueRequest
void TimeManager::advance(Handle federate, AdvanceKind how, Stamp to) {
  const std::size_t s = slot(federate);
  Federate& f = federates_[s];
  if (f.state == State::advancing)
    throw Refusal{Failure::InTimeAdvancingState, "an advance is pending"};
  if (f.state == State::enabling)
    throw Refusal{Failure::RequestForTimeRegulationPending, "regulation is pending"};
  if (f.constrained_pending)
    throw Refusal{Failure::RequestForTimeConstrainedPending, "constraining is pending"};
  if (!valid(kind_, to)) throw Refusal{Failure::InvalidLogicalTime, "not a time"};
  if (static_cast<Bound>(to.raw) < f.time)
    throw Refusal{Failure::LogicalTimeAlreadyPassed, "that time has passed"};
  f.state = State::advancing;
  f.how = how;
  f.target = static_cast<Bound>(to.raw);
  ++f.moves;
  tell_watch(f);
  deliver_waiting(f);
  changed(s);
}

// 8.19, modifyLookahead
void TimeManager::modify_lookahead(Handle federate, Stamp lookahead) {
  const std::size_t s = slot(federate);
  Federate& f = federates_[s];
  if (!f.regulating) throw Refusal{Failure::TimeRegulationIsNotEnabled, "not regulating"};
  if (f.state == State::advancing)
    throw Refusal{Failure::InTimeAdvancingState, "an advance is pending"};
  if (!valid(kind_, lookahead)) throw Refusal{Failure::InvalidLookahead, "not a lookahead"};
  const auto now = static_cast<Bound>(lookahead.raw);
  // a shorter lookahead takes effect as time advances (8.19)
  if (now < f.lookahead) f.promised = earliest(f);
  f.lookahead = now;
  changed(s);
}

// 8.20, queryLookahead
Stamp TimeManager::lookahead(Handle federate) const {
  const Federate& f = of(federate);
  if (!f.regulating) throw Refusal{Failure::TimeRegulationIsNotEnabled, "not regulating"};
  return *named(std::max(f.lookahead, minus(f.promised, f.time)));
}

Stamp TimeManager::time(Handle federate) const { return *named(of(federate).time); }

// 8.16, queryGALT
std::optional<Stamp> TimeManager::galt(Handle federate) const {
  return named(incoming(slot(federate)));
}

// 8.18, queryLITS: the least stamp that may still be received, also of waiting messages
std::optional<Stamp> TimeManager::lits(Handle federate) const {
  const std::size_t s = slot(federate);
  const Federate& f = federates_[s];
  return named(std::min(incoming(s), f.queue.empty() ? never : f.queue.front().stamp));
}

// ---- messages

Order TimeManager::order_for_sending(Handle sender, const std::optional<Stamp>& stamp,
                                     bool knows) const {
  if (!stamp) return Order::receive;
  const Federate& f = of(sender);
  if (!valid(kind_, *stamp)) throw Refusal{Failure::InvalidLogicalTime, "not a time"};
  if (!f.regulating) return Order::receive;
  if (static_cast<Bound>(stamp->raw) < earliest(f) && !knows) return Order::receive;
  if (static_cast<Bound>(stamp->raw) < earliest(f))
    throw Refusal{Failure::InvalidLogicalTime, "the stamp is before time and lookahead"};
  return Order::time_stamp;
}

void TimeManager::sent(Handle sender, Stamp stamp, std::uint32_t number) {
  Federate& f = of(sender);
  if (f.sent.size() >= f.forget_at || f.sent.size() + f.receivers.size() >= most_sent)
    forget_sent(f);
  f.sent.push_back({number, 0, static_cast<Bound>(stamp.raw)});
  f.last_number = std::max(f.last_number, number);
}

/// Drops messages that can no longer be retracted.
void TimeManager::forget_sent(Federate& f) {
  const Bound from = earliest(f);
  // all may lie in the future: then drop the older half
  const bool full = f.sent.size() + f.receivers.size() >= most_sent;
  const std::size_t oldest = full ? f.sent.size() / 2 : 0;
  std::size_t kept = 0, receiver = 0, kept_receivers = 0, at = 0;
  for (const Sent& s : f.sent) {
    if (s.stamp >= from && at++ >= oldest) {
      for (std::uint32_t i = 0; i < s.receivers; ++i)
        f.receivers[kept_receivers++] = f.receivers[receiver + i];
      receiver += s.receivers;
      f.sent[kept++] = s;
    } else {
      receiver += s.receivers;
    }
  }
  f.sent.resize(kept);
  f.receivers.resize(kept_receivers);
  f.forget_at = std::max<std::size_t>(64, 2 * kept);
}

void TimeManager::note(Retraction r, Handle receiver) {
  if (r.number == 0 || r.federate >= slots_.size() || slots_[r.federate] == 0) return;
  Federate& f = of(r.federate);
  if (f.sent.empty() || f.sent.back().number != r.number) return;
  f.receivers.push_back(receiver);
  ++f.sent.back().receivers;
}

bool TimeManager::constrained(Handle receiver) const noexcept {
  return receiver < slots_.size() && slots_[receiver] != 0 &&
         federates_[slots_[receiver] - 1].constrained;
}
bool TimeManager::regulating(Handle federate) const noexcept {
  return federate < slots_.size() && slots_[federate] != 0 &&
         federates_[slots_[federate] - 1].regulating;
}

bool TimeManager::advancing(Handle federate) const noexcept {
  return federate < slots_.size() && slots_[federate] != 0 &&
         federates_[slots_[federate] - 1].state == State::advancing;
}

void TimeManager::hold(Handle receiver, Stamp stamp, const Frame& message, Retraction r) {
  const std::size_t s = slot(receiver);
  Federate& f = federates_[s];
  f.queue.push_back({static_cast<Bound>(stamp.raw), order_++, r, message});
  count(f, f.queue.back().bytes(), 0);
  std::push_heap(f.queue.begin(), f.queue.end(), Later{});
  note(r, receiver);
  if (asks_next(f)) changed(s);
}

void TimeManager::pass(Handle receiver, const Frame& message, Retraction r) {
  Federate& f = of(receiver);
  note(r, receiver);
  if (f.constrained && !f.asynchronous && f.state != State::advancing) {
    f.waiting.push_back({0, 0, r, message});
    count(f, f.waiting.back().bytes(), 0);
  } else {
    put_(receiver, message);
  }
}

// 8.21, retract: removed where it waits, receivers that have it are told (8.22)
void TimeManager::retract(Handle sender, std::uint32_t number) {
  Federate& f = of(sender);
  if (!f.regulating) throw Refusal{Failure::TimeRegulationIsNotEnabled, "not regulating"};
  if (number == 0 || number > f.last_number)
    throw Refusal{Failure::InvalidMessageRetractionHandle, "no such message"};
  std::size_t receiver = 0;
  auto it = f.sent.begin();
  for (; it != f.sent.end() && it->number != number; ++it) receiver += it->receivers;
  if (it == f.sent.end() || it->stamp < earliest(f))
    throw Refusal{Failure::MessageCanNoLongerBeRetracted, "its time has passed"};
  const auto first = f.receivers.begin() + static_cast<std::ptrdiff_t>(receiver);
  std::vector<Handle> to(first, first + it->receivers);
  f.receivers.erase(first, first + it->receivers);
  f.sent.erase(it);
  std::sort(to.begin(), to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
  std::size_t bytes = 0;
  const auto is_it = [&](const Held& h) {
    const bool same = h.retraction.federate == sender && h.retraction.number == number;
    if (same) bytes += h.bytes();
    return same;
  };
  Frame told;
  for (const Handle h : to) {
    if (h >= slots_.size() || slots_[h] == 0) continue;
    const std::size_t s = slots_[h] - 1;
    Federate& k = federates_[s];
    const auto removed = std::erase_if(k.queue, is_it);
    if (removed > 0) std::make_heap(k.queue.begin(), k.queue.end(), Later{});
    const bool had = removed + std::erase_if(k.waiting, is_it) > 0;
    count(k, 0, std::exchange(bytes, 0));
    if (!had) {
      if (!told) told = frame(RetractionRequested{{sender, number}});
      put_(h, told);
    } else if (asks_next(k)) {
      changed(s);
    }
  }
}

}  // namespace vernier::federation
