#pragma once

#include <cstdint>
#include <string>

#include "vernier/base/time.hpp"

namespace vernier {

/// Also implemented by a component that moves something which must not be left moving when time
/// stops: a robot, or the side of a protocol that commands one. However a run ends or freezes, the
/// executive first lets these components come to rest: it tells them, and ticks continue until all
/// of them are at rest, at most for the sum of their longest_rest(). The executive finds them by
/// dynamic_cast, and calls them between two ticks.
class ComesToRest {
 public:
  virtual ~ComesToRest() = default;

  /// Whether nothing moves.
  virtual bool at_rest() const noexcept = 0;
  /// From the next tick on it comes to rest, and then stays there until end_rest(). `leaders`: the
  /// longest time that those who may command it need for the same. For this long it may follow
  /// them; if it then still moves, it must stop by itself. A second call has no effect.
  virtual void begin_rest(Duration leaders) noexcept = 0;
  /// It may move again: the run continues.
  virtual void end_rest() noexcept = 0;
  /// The longest time that it needs, from its limits, without `leaders`.
  virtual Duration longest_rest() const noexcept = 0;
  /// What moves and how fast, for a message: "servicer at 0.31 m/s". Not called in the loop.
  virtual std::string motion() const = 0;
};

enum class RestPhase : std::uint8_t {
  running,
  coming_to_rest,
  at_rest,      // time stands still: the run is frozen, or has ended
  still_moving  // the same, but something moves: it did not come to rest in time
};

/// Also implemented by a component that reports to others whether the run may stop being heard of:
/// a heartbeat. Found and called in the same way.
class RestListener {
 public:
  virtual ~RestListener() = default;
  virtual void rest(RestPhase) noexcept = 0;
};

}  // namespace vernier
