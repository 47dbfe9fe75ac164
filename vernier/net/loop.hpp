#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vernier/net/wait.hpp"

namespace vernier::net {

/// Times at which something is due, one for each key. No clock in here: the caller says how late
/// it is. Takes its memory when more keys than ever before are set at once.
class Timers {
 public:
  using Key = std::uint64_t;

  /// Replaces the time that the key had.
  void set(Key, Clock::time_point);
  void cancel(Key) noexcept;
  /// `forever` when none is set.
  Clock::time_point next() const noexcept;
  /// Takes the earliest that is due; false when none is.
  bool take_due(Clock::time_point now, Key&) noexcept;

 private:
  struct Timer {
    Clock::time_point at;
    Key key;
  };
  std::vector<Timer> timers_;  // latest first; ties in the order in which they were set
};

/// Waits for descriptors, timers and other threads. All but wake() is for one thread. After it is
/// made, nothing allocates but setting more timers than before.
class Loop {
 public:
  using Key = Timers::Key;
  /// What happened; `what` is Readiness, or `due` for a timer.
  static constexpr std::uint32_t due = 8;
  struct Event {
    Key key = 0;
    std::uint32_t what = 0;
  };
  static constexpr std::size_t most_events = 256;  // from one wait()

  Loop() noexcept;
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  /// The system gave what it needs.
  explicit operator bool() const noexcept { return poll_ && wake_; }

  /// From now on wait() tells when the descriptor is ready for `what`. A connection that is lost or
  /// closed both ways is told also when nothing is asked for. Forget it before it is closed.
  void watch(int fd, std::uint32_t what, Key) noexcept;
  void change(int fd, std::uint32_t what, Key) noexcept;
  void forget(int fd) noexcept;

  Timers& timers() noexcept { return timers_; }

  /// From any thread or signal handler: wait() returns at once, now or the next time.
  void wake() const noexcept { wake_.ring(); }

  /// Until something happens, or `until`. Descriptors first, then timers in the order of their
  /// times; those that are due are no longer set. The events are valid until the next call.
  std::span<const Event> wait(Clock::time_point until) noexcept;
  /// When wait() returned.
  Clock::time_point now() const noexcept { return now_; }

 private:
  Descriptor poll_;
  Wake wake_;
  Timers timers_;
  Clock::time_point now_ = Clock::now();
  std::array<Event, most_events> events_;
};

}  // namespace vernier::net
