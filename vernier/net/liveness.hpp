#pragma once

#include <atomic>
#include <chrono>

#include "vernier/net/wait.hpp"

namespace vernier::net {

/// How long nothing was received from a peer, and how long nothing was sent to it. Contains no
/// clock: the caller passes the time. Different threads may call different functions at once.
class Liveness {
 public:
  explicit Liveness(Clock::time_point now) noexcept : heard_(now), said_(now) {}

  void hear(Clock::time_point now) noexcept { heard_.store(now, std::memory_order_relaxed); }
  void say(Clock::time_point now) noexcept { said_.store(now, std::memory_order_relaxed); }
  /// Whether the peer has been silent for longer than `tolerance`.
  bool silent(Clock::time_point now, Clock::duration tolerance) const noexcept {
    return now - heard_.load(std::memory_order_relaxed) > tolerance;
  }
  /// When this side must send a sign of life, if nothing else is sent until then.
  Clock::time_point beat() const noexcept {
    return said_.load(std::memory_order_relaxed) + std::chrono::seconds(1);
  }

 private:
  std::atomic<Clock::time_point> heard_, said_;
};

}  // namespace vernier::net
