#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation {

/// May a federate name this time (or span of it)? Not below zero, no -0, NaN, infinity.
bool valid(TimeKind, Stamp) noexcept;
/// Nothing when the sum is beyond the last time that can be named.
std::optional<Stamp> sum(TimeKind, Stamp time, Stamp span) noexcept;

/// Logical time of one federation (IEEE 1516.1-2010, section 8): who may advance to where, and
/// which messages wait for it. What federates are told goes through `put`, messages before the
/// grant they belong to. Services throw Refusal with the failure of the standard and have then
/// changed nothing.
///
/// A message of stamp s may still come from a regulating federate when s ≥ its output bound: time +
/// lookahead, where time is the one asked for while it advances, or the least it may be granted
/// after next-message requests. GALT of a federate is the least bound of the others: what it is
/// granted by `to` and `next` lies below it, by the `available` ones at it at most. With lookahead
/// zero, a federate granted t by `to` or `next` sends later than t only.
class TimeManager {
 public:
  static constexpr std::size_t most_sent = 1u << 20;

  using Put = std::function<void(Handle federate, const Frame&)>;

  /// `put` must not call back.
  TimeManager(TimeKind, Put put);
  ~TimeManager();
  TimeManager(const TimeManager&) = delete;

  TimeKind kind() const noexcept { return kind_; }
  /// Told of a federate that begins to advance or is granted, or begins or ceases to be regulating,
  /// constrained or asynchronous. Must not call back.
  void watch(std::function<void(Handle federate)> w) { watch_ = std::move(w); }

  // ---- members

  /// At time zero, neither regulating nor constrained.
  void add(Handle federate);
  /// What it sent and others still wait for stays.
  void remove(Handle federate);
  bool member(Handle h) const noexcept { return h < slots_.size() && slots_[h] != 0; }
  std::size_t members() const noexcept;

  // ---- services of a federate

  /// RegulationEnabled follows, at once or when a constrained federate has got so far.
  void enable_regulation(Handle federate, Stamp lookahead);
  void disable_regulation(Handle federate);
  /// ConstrainedEnabled follows, at once or when the others have got as far.
  void enable_constrained(Handle federate);
  /// What waits for the federate goes out in receive order.
  void disable_constrained(Handle federate);
  void enable_asynchronous(Handle federate);
  void disable_asynchronous(Handle federate);
  /// Granted follows, at once or later.
  void advance(Handle federate, AdvanceKind, Stamp);
  void modify_lookahead(Handle federate, Stamp);
  /// The one in effect, which may still be larger than the one asked for.
  Stamp lookahead(Handle federate) const;
  Stamp time(Handle federate) const;
  std::optional<Stamp> galt(Handle federate) const;
  std::optional<Stamp> lits(Handle federate) const;
  /// Takes a message back: from the queues where it waits; who has it already is told so.
  void retract(Handle sender, std::uint32_t number);

  // ---- messages; per message: order_for_sending, then sent, then hold or pass for each receiver

  /// time_stamp when the sender is regulating and gives a stamp. Throws InvalidLogicalTime when the
  /// stamp is not one or, of a regulating federate, below its output bound.
  /// Receive order for it instead when the sender does not know yet that it is regulating.
  Order order_for_sending(Handle sender, const std::optional<Stamp>&, bool knows = true) const;
  /// A message in time stamp order that its sender may retract; numbers ascend per sender. The
  /// last `most_sent` messages to receivers are remembered; older ones can be retracted no longer.
  void sent(Handle sender, Stamp, std::uint32_t number);
  /// Is the receiver constrained, and so gets messages by hold()?
  bool constrained(Handle receiver) const noexcept;
  bool regulating(Handle federate) const noexcept;
  bool advancing(Handle federate) const noexcept;
  /// A message in time stamp order for a constrained federate, delivered when it may be: by stamp,
  /// then by sender, then in the order sent.
  void hold(Handle receiver, Stamp, const Frame&, Retraction);
  /// A message (Reflect, Receive, Remove) in receive order: at once unless the federate is
  /// constrained, not advancing, and has not enabled asynchronous delivery. `retraction`: of one
  /// that was sent in time stamp order.
  void pass(Handle receiver, const Frame&, Retraction = {});

  // ---- how much waits

  /// Bytes of messages that wait for a federate, with what it costs to keep them.
  std::size_t held(Handle federate) const noexcept;
  /// Messages for it that wait elsewhere come and go.
  void count(Handle federate, std::size_t come, std::size_t go);
  /// Whoever has more waiting than this is one of crowded().
  void set_crowd(std::size_t bytes) noexcept { crowd_ = bytes; }
  const std::vector<Handle>& crowded() const noexcept { return crowded_; }
  /// Does the federate wait for others: to be granted a time, or to be regulating?
  bool waits(Handle federate) const noexcept;
  /// Does `receiver` wait for something that depends on what `sender` says next?
  bool needs(Handle receiver, Handle sender) const noexcept;
  /// Grows when the federate asks for time or gets what waited.
  std::uint64_t moves(Handle federate) const noexcept;

  // ---- saving

  /// From now on no constrained federate is granted a time beyond this. Throws
  /// LogicalTimeAlreadyPassed when one has it behind.
  void stop_at(Stamp);
  /// Every constrained federate could be granted a time beyond the stop.
  bool stopped() const noexcept;
  /// Ends stop_at and pause: grants what waits.
  void go_on();
  /// Nothing is granted until go_on(), while a save or restore lasts.
  void pause() noexcept { paused_ = true; }
  /// All of it, with messages that wait; appended.
  void save(std::vector<std::byte>&) const;
  /// As saved, for a federation of the same kind of time. False (and nothing changed) when the
  /// bytes are no such state. Members are those of the save.
  bool load(Bytes);

  // ---- for reports

  struct Report {
    Stamp time, lookahead;
    std::optional<Stamp> galt, lits;
    bool regulating = false, constrained = false, asynchronous = false;
    bool regulation_pending = false, constrained_pending = false, advancing = false;
    std::size_t receive_queue = 0, stamp_queue = 0;
  };
  Report report(Handle federate) const;

 private:
  /// A raw stamp, or `never`: beyond every stamp.
  using Bound = std::uint64_t;
  static constexpr Bound never = ~Bound{0};
  enum class State : std::uint8_t { granted, enabling, advancing };

  struct Held {
    Bound stamp = 0;
    std::uint64_t order = 0;
    Retraction retraction;
    Frame frame;

    std::size_t bytes() const noexcept { return frame->size() + 128; }  // 128: for keeping it
  };
  /// Is `a` delivered after `b`?
  struct Later {
    bool operator()(const Held& a, const Held& b) const noexcept {
      if (a.stamp != b.stamp) return a.stamp > b.stamp;
      if (a.retraction.federate != b.retraction.federate)
        return a.retraction.federate > b.retraction.federate;
      return a.order > b.order;
    }
  };
  struct Sent {
    std::uint32_t number = 0;
    std::uint32_t receivers = 0;  // how many, in `receivers` of the federate
    Bound stamp = 0;
  };
  struct Federate {
    Handle handle = 0;  // 0: nobody
    State state = State::granted;
    AdvanceKind how = AdvanceKind::to;
    bool regulating = false, constrained = false, constrained_pending = false;
    bool asynchronous = false;
    bool strict = false;         // with lookahead zero, sends later than `time` only
    bool counted = false;        // in requests_
    Bound time = 0, target = 0;  // target: asked for, unless granted
    Bound lookahead = 0;         // as asked for; a span
    Bound promised = 0;          // no message below this is sent any more
    Bound floor = 0;             // no message below this is received any more
    std::vector<Held> queue;     // a heap, the next one in front
    std::vector<Held> waiting;   // in receive order
    std::vector<Sent> sent;
    std::vector<Handle> receivers;  // of `sent`, one after the other
    std::uint32_t last_number = 0;
    std::size_t forget_at = 64;  // how many of `sent` before old ones are dropped
    std::size_t held = 0;        // bytes of queue, waiting and what was counted
    std::uint64_t moves = 0;
  };

  std::size_t slot(Handle) const;
  Federate& of(Handle federate) { return federates_[slot(federate)]; }
  const Federate& of(Handle federate) const { return federates_[slot(federate)]; }
  Bound final() const noexcept;
  Bound plus(Bound time, Bound span) const noexcept;
  Bound minus(Bound time, Bound span) const noexcept;
  Bound output(const Federate&, Bound time) const noexcept;
  bool strict_at(const Federate&, Bound time) const noexcept;
  bool asks_next(const Federate&) const noexcept;
  Bound least_target(const Federate&) const noexcept;
  Bound bound(const Federate&) const noexcept;
  Bound earliest(const Federate&) const noexcept;
  Bound incoming(std::size_t slot) const noexcept;
  std::optional<Bound> ready(std::size_t slot) const noexcept;
  void start_regulating(Federate&, Bound lookahead) const noexcept;
  void grow(std::size_t slots);
  void place(std::size_t slot);
  void changed(std::size_t slot);
  bool settle(std::size_t slot);
  void deliver(Federate&, Bound through);
  void deliver_waiting(Federate&);
  void count(Federate&, std::size_t come, std::size_t go);
  void note(Retraction, Handle receiver);
  void tell_watch(const Federate& f) const {
    if (watch_) watch_(f.handle);
  }
  void forget_sent(Federate&);
  std::optional<Stamp> named(Bound) const noexcept;

  TimeKind kind_;
  Put put_;
  std::function<void(Handle)> watch_;
  bool paused_ = false;
  Bound stop_ = never;
  std::uint64_t order_ = 0;
  std::size_t requests_ = 0;           // next-message requests of regulating federates that wait
  std::vector<Federate> federates_;    // by slot
  std::vector<std::uint32_t> slots_;   // by handle: slot + 1, or 0
  std::vector<Bound> bounds_;          // by slot; `never`: not regulating
  std::vector<std::uint32_t> winner_;  // a tournament over bounds_: node 1 is the least of all
  std::size_t crowd_ = never;
  std::vector<Handle> crowded_;
  Bound settled_ = never;  // least of all when all were last looked at
  Bound granted_ = never;  // of granted_frame_
  Frame granted_frame_;
};

}  // namespace vernier::federation
