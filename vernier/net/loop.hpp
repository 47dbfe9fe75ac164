#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vernier/net/wait.hpp"

namespace vernier::net {

/// Deadlines, one for each key. Contains no clock: the caller passes the time. Allocates only when
/// more keys than ever before are set at once.
class Timers {
 public:
  using Key = std::uint64_t;

  /// Replaces an earlier deadline of the key.
  void set(Key, Clock::time_point);
  void cancel(Key) noexcept;
  /// `forever` when none is set.
  Clock::time_point next() const noexcept;
  /// Removes the earliest deadline that has passed; false when there is none.
  bool take_due(Clock::time_point now, Key&) noexcept;

 private:
  struct Timer {
    Clock::time_point at;
    Key key;
  };
  std::vector<Timer> timers_;  // latest first; ties in the order in which they were set
};

/// Waits for descriptors, timers and other threads. One thread calls all functions except wake().
/// After construction, only setting more timers than before allocates.
class Loop {
 public:
  using Key = Timers::Key;
  /// An event; `what` is a Readiness, or `due` for a timer.
  static constexpr std::uint32_t due = 8;
  struct Event {
    Key key = 0;
    std::uint32_t what = 0;
  };
  static constexpr std::size_t most_events = 256;  // per wait()

  Loop() noexcept;
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  /// Whether the system provided the descriptors it needs.
  explicit operator bool() const noexcept { return poll_ && wake_; }

  /// From now on wait() reports when the descriptor is ready for `what`. A connection that is lost
  /// or closed in both directions is always reported. Call forget() before closing it.
  void watch(int fd, std::uint32_t what, Key) noexcept;
  void change(int fd, std::uint32_t what, Key) noexcept;
  void forget(int fd) noexcept;

  Timers& timers() noexcept { return timers_; }

  /// From any thread or signal handler: makes wait() return at once, now or at its next call.
  void wake() const noexcept { wake_.ring(); }

  /// Waits for an event, or until `until`. Returns descriptors first, then timers in order of time;
  /// timers that are due are removed. The events are valid until the next call.
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
