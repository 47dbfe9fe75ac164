#pragma once

#include <chrono>
#include <cstdint>

#include "vernier/base/descriptor.hpp"

struct timespec;

namespace vernier::net {

using Clock = std::chrono::steady_clock;
inline constexpr Clock::time_point forever = Clock::time_point::max();

/// What a descriptor can be ready for; combined with |. hung_up: the peer sends no more, or the
/// connection is lost; the descriptor is then also readable.
enum Readiness : std::uint32_t { readable = 1, writable = 2, hung_up = 4 };

/// Ends another thread's wait. Any thread or signal handler may call ring(): one system call that
/// neither blocks nor allocates. A ring before the wait counts.
class Wake {
 public:
  Wake() noexcept;
  explicit operator bool() const noexcept { return static_cast<bool>(event_); }
  /// Readable after ring(), until clear().
  int descriptor() const noexcept { return event_.get(); }
  void ring() const noexcept;
  /// Resets it. True: it was rung.
  bool clear() const noexcept;

 private:
  Descriptor event_;
};

/// What became ready, of what was requested, before the deadline; 0: nothing. `woken`: the other
/// descriptor (-1: none) became readable; it takes precedence.
struct Waited {
  std::uint32_t ready = 0;
  bool woken = false;
};
Waited wait_for(int fd, std::uint32_t what, Clock::time_point deadline, int wake = -1) noexcept;

/// The time left, between zero and an hour.
timespec time_left(Clock::time_point) noexcept;

}  // namespace vernier::net
