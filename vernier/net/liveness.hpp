#pragma once

#include <atomic>
#include <chrono>

#include "vernier/net/wait.hpp"

namespace vernier::net {

/// How long a peer has said nothing, and how long nothing has been said to it. No clock in here:
/// the caller says what time it is. Functions of different threads may overlap.
class Liveness {
 public:
  explicit Liveness(Clock::time_point now) noexcept : heard_(now), said_(now) {}

  void hear(Clock::time_point now) noexcept { heard_.store(now, std::memory_order_relaxed); }
  void say(Clock::time_point now) noexcept { said_.store(now, std::memory_order_relaxed); }
  /// The peer has said nothing for longer.
  bool silent(Clock::time_point now, Clock::duration tolerance) const noexcept {
    return now - heard_.load(std::memory_order_relaxed) > tolerance;
  }
  /// When the peer must be told that this side lives, if nothing is said until then.
  Clock::time_point beat() const noexcept {
    return said_.load(std::memory_order_relaxed) + std::chrono::seconds(1);
  }

 private:
  std::atomic<Clock::time_point> heard_, said_;
};

}  // namespace vernier::net
