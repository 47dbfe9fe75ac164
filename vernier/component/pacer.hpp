#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"
#include "vernier/component/component.hpp"

namespace vernier {

/// Whoever holds time back: a wall clock, a federation, another node, a recorder that must not
/// lose a sample.
class Pacer {
 public:
  virtual ~Pacer() = default;

  /// The run begins (again) at `start`.
  virtual void start(Time) noexcept {}
  /// Returns when the simulation may enter `t`. held: later than it should have been.
  virtual Outcome wait_for(Time t) noexcept = 0;
  /// Why it failed, after it did.
  virtual Fault fault() const noexcept { return {}; }
  /// It failed because time is over, as agreed with others: the run ends, and ends well.
  virtual bool over() const noexcept { return false; }
  /// For how long others kept the last wait_for(), ns, and who; a name is good until the next one,
  /// null: not known. `pacing`: it is their office to hold time back.
  struct Kept {
    std::int64_t ns = 0;
    const char* by = nullptr;
    bool pacing = false;
  };
  virtual Kept kept() const noexcept { return {}; }
  /// Whether time stood still in the last wait_for(): clocks begin anew, and then
  /// hold time back for the step that was asked for.
  virtual bool stood_still() noexcept { return false; }
  /// A wait that is under way ends soon; the run will stop. From a signal handler too.
  virtual void interrupt() noexcept {}
};

/// How a run shall keep to the clock.
struct WallPace {
  double rate = 1.0;              // simulated seconds per second
  std::string late = "catch-up";  // what to do about late frames: strict, elastic, catch-up, slip
};

/// When a run that keeps time is due, by another clock than this machine's: the one of a link's
/// server. Called by the thread that runs the executive, in the loop.
class TimeBase {
 public:
  virtual ~TimeBase() = default;

  /// The run begins (again) at `t`, which is due at `now`; ns of CLOCK_MONOTONIC.
  virtual void start(Time t, std::int64_t now) noexcept = 0;
  /// When `t` is due, ns of CLOCK_MONOTONIC, as far as it is known at `now`. Asked once for each
  /// frame, in order.
  virtual std::int64_t due(Time t, std::int64_t now) noexcept = 0;
};

/// Also implemented by a component that knows a clock which the run shall follow. Whoever starts a
/// run that keeps time finds it by dynamic_cast.
class TimeBaseSource {
 public:
  virtual ~TimeBaseSource() = default;

  /// Null: this one does not want to be followed. It lives as long as the component.
  virtual TimeBase* time_base() = 0;
};

/// Also implemented by a component whose own threads stand between the outside and a run that keeps
/// time.
class ThreadOwner {
 public:
  virtual ~ThreadOwner() = default;

  /// Before initialize(): its threads shall have this SCHED_FIFO priority where the system allows
  /// it and the user chose no other.
  virtual void set_priority(int) noexcept = 0;
};

/// Also implemented by a component that must not lose data in a run that goes as fast as it can: a
/// file that is written or read by a thread of its own. Whoever starts the run finds it by
/// dynamic_cast and adds its pacers. In a real-time run they are left out: then the component never
/// holds time back, and counts what it loses.
class PacerSource {
 public:
  virtual ~PacerSource() = default;

  /// They live as long as the component.
  virtual std::vector<Pacer*> pacers() = 0;
  /// True: also in a run by the clock, before that; for those who share time with others.
  virtual bool withholds_time() const noexcept { return false; }
  /// By which clock it wants the run to go, unless the run was told.
  virtual std::optional<WallPace> pace() const { return {}; }
};

}  // namespace vernier
