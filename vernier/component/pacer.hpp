#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"
#include "vernier/component/component.hpp"

namespace vernier {

/// Holds simulated time back: a wall clock, a federation, a recorder that must not lose a sample.
class Pacer {
 public:
  virtual ~Pacer() = default;

  /// The run begins (again) at `start`.
  virtual void start(Time) noexcept {}
  /// Returns when the simulation may enter `t`. held: later than intended.
  virtual Outcome wait_for(Time t) noexcept = 0;
  /// Why it failed, after it did.
  virtual Fault fault() const noexcept { return {}; }
  /// It failed because time has ended, as agreed with others: the run ends normally.
  virtual bool over() const noexcept { return false; }
  /// How long others delayed the last wait_for(), ns, and which one; a name is valid until the next
  /// call, null: not known. `pacing`: it is the Pacing federate, whose task is to hold time back.
  struct Kept {
    std::int64_t ns = 0;
    const char* by = nullptr;
    bool pacing = false;
  };
  virtual Kept kept() const noexcept { return {}; }
  /// Whether the run was frozen in the last wait_for(): clocks then restart, and hold time back for
  /// the requested step.
  virtual bool stood_still() noexcept { return false; }
  /// Ends a wait in progress soon; the run will stop. Also from a signal handler.
  virtual void interrupt() noexcept {}
};

/// How a run follows the wall clock.
struct WallPace {
  double rate = 1.0;              // simulated seconds per second
  std::string late = "catch-up";  // what to do about late frames: strict, elastic, catch-up, slip
};

/// When a run that keeps time is due, by another clock than this machine's: that of a link's
/// server. Called by the thread that runs the executive, in the loop.
class TimeBase {
 public:
  virtual ~TimeBase() = default;

  /// The run begins (again) at `t`, which is due at `now`; ns of CLOCK_MONOTONIC.
  virtual void start(Time t, std::int64_t now) noexcept = 0;
  /// When `t` is due, ns of CLOCK_MONOTONIC, as far as known at `now`. Called once for each frame,
  /// in order.
  virtual std::int64_t due(Time t, std::int64_t now) noexcept = 0;
};

/// Also implemented by a component that has a clock which the run is to follow. The session finds
/// it by dynamic_cast.
class TimeBaseSource {
 public:
  virtual ~TimeBaseSource() = default;

  /// Null: it must not be followed. Lives as long as the component.
  virtual TimeBase* time_base() = 0;
};

/// Also implemented by a component whose own threads are between external devices and a run that
/// keeps time.
class ThreadOwner {
 public:
  virtual ~ThreadOwner() = default;

  /// Before initialize(): the SCHED_FIFO priority for its threads, if the system permits it and the
  /// user chose no other.
  virtual void set_priority(int) noexcept = 0;
};

/// Also implemented by a component that must not lose data in an unpaced run: a file that a
/// separate thread writes or reads. The session finds it by dynamic_cast and adds its pacers. In a
/// real-time run they are not used: the component then never holds time back, and counts what it
/// loses.
class PacerSource {
 public:
  virtual ~PacerSource() = default;

  /// They live as long as the component.
  virtual std::vector<Pacer*> pacers() = 0;
  /// True: also used in a run by the clock, before the clock; for components that share time with
  /// others.
  virtual bool withholds_time() const noexcept { return false; }
  /// The clock that it requests for the run, unless the user chose one.
  virtual std::optional<WallPace> pace() const { return {}; }
};

}  // namespace vernier
