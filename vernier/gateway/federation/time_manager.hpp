#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation {

/// Whether a federate may use this time (or span): not negative, not -0, NaN or infinite.
bool valid(TimeKind, Stamp) noexcept;
/// Nothing when the sum exceeds the final time.
std::optional<Stamp> sum(TimeKind, Stamp time, Stamp span) noexcept;

/// Logical time of one federation (IEEE 1516.1-2010, section 8): which federate may advance to
/// which time, and which messages wait for that. Messages to federates are passed to `put`, those
/// in time stamp order before the grant they belong to. A service that fails throws Refusal with
/// the failure of the standard and has changed nothing.
///
/// A regulating federate may still send a message with stamp s if s ≥ its output bound: time +
/// lookahead. While it advances, time is the requested one; for next-message requests it is the
/// least that may be granted. The GALT of a federate is the least output bound of the others.
/// Grants of `to` and `next` lie below it, grants of the `available` forms at most at it. With zero
/// lookahead, a federate granted t by `to` or `next` must send after t.
class TimeManager {
 public:
  static constexpr std::size_t most_sent = 1u << 20;

  using Put = std::function<void(Handle federate, const Frame&)>;

  /// `put` must not call back into this object.
  TimeManager(TimeKind, Put put);
  ~TimeManager();
  TimeManager(const TimeManager&) = delete;

  TimeKind kind() const noexcept { return kind_; }
  /// Called when a federate starts to advance or is granted, or when it starts or stops being
  /// regulating, constrained or asynchronous. Must not call back into this object.
  void watch(std::function<void(Handle federate)> w) { watch_ = std::move(w); }

  // ---- members

  /// Adds a federate at time zero, neither regulating nor constrained.
  void add(Handle federate);
  /// Removes a federate; messages that it sent and others wait for remain.
  void remove(Handle federate);
  bool member(Handle h) const noexcept { return h < slots_.size() && slots_[h] != 0; }
  std::size_t members() const noexcept;

  // ---- services of a federate

  /// RegulationEnabled follows, at once or when the constrained federates permit it.
  void enable_regulation(Handle federate, Stamp lookahead);
  void disable_regulation(Handle federate);
  /// ConstrainedEnabled follows, at once or when the regulating federates have advanced far enough.
  void enable_constrained(Handle federate);
  /// Messages that wait for the federate are sent in receive order.
  void disable_constrained(Handle federate);
  void enable_asynchronous(Handle federate);
  void disable_asynchronous(Handle federate);
  /// Granted follows, at once or later.
  void advance(Handle federate, AdvanceKind, Stamp);
  void modify_lookahead(Handle federate, Stamp);
  /// The lookahead in effect, which may still be longer than the requested one.
  Stamp lookahead(Handle federate) const;
  Stamp time(Handle federate) const;
  std::optional<Stamp> galt(Handle federate) const;
  std::optional<Stamp> lits(Handle federate) const;
  /// Retracts a message: removes it from queues where it waits; tells receivers that have it
  /// already.
  void retract(Handle sender, std::uint32_t number);

  // ---- messages; for each: order_for_sending, then sent, then hold or pass for each receiver

  /// time_stamp if the sender is regulating and gives a stamp. Throws InvalidLogicalTime when the
  /// stamp is invalid or, for a regulating federate, below its output bound; in the latter case
  /// returns receive order instead if the sender does not yet know that it is regulating.
  Order order_for_sending(Handle sender, const std::optional<Stamp>&, bool knows = true) const;
  /// Registers a message in time stamp order that its sender may retract; numbers ascend per
  /// sender. The last `most_sent` messages to receivers are kept; older ones can no longer be
  /// retracted.
  void sent(Handle sender, Stamp, std::uint32_t number);
  /// Whether the receiver is constrained and so gets messages through hold().
  bool constrained(Handle receiver) const noexcept;
  bool regulating(Handle federate) const noexcept;
  bool advancing(Handle federate) const noexcept;
  /// Queues a message in time stamp order for a constrained federate. Delivered when permitted: by
  /// stamp, then by sender, then in the order sent.
  void hold(Handle receiver, Stamp, const Frame&, Retraction);
  /// Delivers a message (Reflect, Receive, Remove) in receive order: at once, unless the federate
  /// is constrained, not advancing, and has not enabled asynchronous delivery. `retraction`: if it
  /// was sent in time stamp order.
  void pass(Handle receiver, const Frame&, Retraction = {});

  // ---- accounting of waiting messages

  /// Bytes of messages that wait for a federate, including overhead.
  std::size_t held(Handle federate) const noexcept;
  /// Adds messages that wait for it elsewhere.
  void count(Handle federate, std::size_t come, std::size_t go);
  /// Federates with more waiting than this are listed in crowded().
  void set_crowd(std::size_t bytes) noexcept { crowd_ = bytes; }
  const std::vector<Handle>& crowded() const noexcept { return crowded_; }
  /// Whether the federate waits for a grant or for regulation to be enabled.
  bool waits(Handle federate) const noexcept;
  /// Whether `receiver` waits for something that depends on the sender's next request.
  bool needs(Handle receiver, Handle sender) const noexcept;
  /// Increases when the federate requests an advance or receives waiting messages.
  std::uint64_t moves(Handle federate) const noexcept;

  // ---- saving

  /// From now on no constrained federate is granted a time beyond this. Throws
  /// LogicalTimeAlreadyPassed when one is beyond it already.
  void stop_at(Stamp);
  /// Whether every constrained federate could be granted a time beyond the stop.
  bool stopped() const noexcept;
  /// Ends stop_at and pause: grants what is possible.
  void go_on();
  /// Nothing is granted until go_on(), during a save or restore.
  void pause() noexcept { paused_ = true; }
  /// Appends the complete state, including waiting messages.
  void save(std::vector<std::byte>&) const;
  /// Restores a saved state, for a federation with the same kind of time. False, with nothing
  /// changed, when the bytes are not such a state. Members are those of the save.
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
  /// A raw stamp, or `never`, which is beyond every stamp.
  using Bound = std::uint64_t;
  static constexpr Bound never = ~Bound{0};
  enum class State : std::uint8_t { granted, enabling, advancing };

  struct Held {
    Bound stamp = 0;
    std::uint64_t order = 0;
    Retraction retraction;
    Frame frame;

    std::size_t bytes() const noexcept { return frame->size() + 128; }  // 128: overhead
  };
  /// Whether `a` is delivered after `b`.
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
    std::uint32_t receivers = 0;  // the number of its entries in the federate's `receivers`
    Bound stamp = 0;
  };
  struct Federate {
    Handle handle = 0;  // 0: unused
    State state = State::granted;
    AdvanceKind how = AdvanceKind::to;
    bool regulating = false, constrained = false, constrained_pending = false;
    bool asynchronous = false;
    bool strict = false;         // with zero lookahead, must send after `time`
    bool counted = false;        // included in requests_
    Bound time = 0, target = 0;  // target: as requested, unless granted
    Bound lookahead = 0;         // as requested; a span
    Bound promised = 0;          // sends no more messages below this
    Bound floor = 0;             // receives no more messages below this
    std::vector<Held> queue;     // a heap, the next message first
    std::vector<Held> waiting;   // in receive order
    std::vector<Sent> sent;
    std::vector<Handle> receivers;  // of all `sent`, concatenated
    std::uint32_t last_number = 0;
    std::size_t forget_at = 64;  // size of `sent` at which old ones are dropped
    std::size_t held = 0;        // bytes in queue, waiting, and counted elsewhere
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
  std::size_t requests_ = 0;           // pending next-message requests of regulating federates
  std::vector<Federate> federates_;    // by slot
  std::vector<std::uint32_t> slots_;   // by handle: slot + 1, or 0
  std::vector<Bound> bounds_;          // by slot; `never`: not regulating
  std::vector<std::uint32_t> winner_;  // tournament tree over bounds_: node 1 is the least
  std::size_t crowd_ = never;
  std::vector<Handle> crowded_;
  Bound settled_ = never;  // the least bound when all were last checked
  Bound granted_ = never;  // the time in granted_frame_
  Frame granted_frame_;
};

}  // namespace vernier::federation
