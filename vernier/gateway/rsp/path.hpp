#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vernier/gateway/rsp/packet.hpp"

namespace vernier::rsp {

using spatial::Curve;
using spatial::Trajectory;
using spatial::Vector3;
using States = std::span<const Trajectory>;  // one for each body

/// The limits of a body of the facility. All must be given: by default nothing may move.
struct Limits {
  Vector3 low = Vector3::Zero(), high = Vector3::Zero();              // m, reference axes
  double speed = 0.0, acceleration = 0.0, jerk = 0.0;                 // m/s, m/s², m/s³
  double rate = 0.0, angular_acceleration = 0.0, angular_jerk = 0.0;  // rad/s, rad/s², rad/s³
};

/// A limit that a motion exceeds.
struct Violation {
  Refusal quantity = Refusal::none;
  std::uint32_t body = 0;
  double value = 0.0, limit = 0.0;
  double ratio = 0.0;  // severity: more than 1; a centimetre too far is 2
};

/// A speed, acceleration or jerk counts as within its limit if only rounding exceeds it.
inline constexpr double slack = 1.0 + 1e-9;

/// Checks states that are `dt` apart: each must be within a fraction of its limits, and no change
/// between two larger than the next limit allows. `smooth`: accelerations are continuous, and jerk
/// is checked too. Positions may use their full limits.
class Watch {
 public:
  Watch(std::span<const Limits> limits, double dt, bool smooth, double share) noexcept
      : limits_(limits), dt_(dt), share_(share), smooth_(smooth) {}
  /// The worst violation. `before` is the state one step before `now`; with `first` there is none.
  std::optional<Violation> check(States before, States now, bool first) const noexcept;

 private:
  std::span<const Limits> limits_;
  double dt_, share_;
  bool smooth_;
};

/// A motion of all bodies: a segment to given states, and beyond its end a motion without command,
/// in which accelerations fade to zero. Time is in s from its beginning. Only the constructor
/// allocates.
class Path {
 public:
  explicit Path(std::size_t bodies) : bodies_(bodies) {}

  std::size_t bodies() const noexcept { return bodies_.size(); }
  /// At rest at `at`.
  void rest(States at) noexcept;
  /// From one set of states to the other in `h` seconds. Accelerations beyond the end fade over
  /// `fade` seconds, longer where the jerk limit requires it.
  void join(States from, States to, double h, Curve, double fade, std::span<const Limits>) noexcept;

  double duration() const noexcept { return h_; }
  void at(double t, std::span<Trajectory>) const noexcept;

 private:
  struct Body {
    spatial::Segment segment;
    spatial::Fading tail;
  };
  std::vector<Body> bodies_;
  double h_ = 0.0;
};

/// The end of a motion: time along a path slows down to zero, so that all bodies stop together and
/// on their path, with continuous acceleration.
struct Halt {
  double begin = 0.0;  // s, path time
  spatial::SlowDown slow;

  /// The state `t` seconds after the halt began.
  void at(const Path&, double t, std::span<Trajectory>) const noexcept;
};

/// The fractions of the limits that commands may use, and that a coarse check of a halt from their
/// path may use; so that a halt within the limits can always be found.
inline constexpr double command_share = 0.98, rough_share = 0.99;

/// Finds halts; keeps its work space.
class Halting {
 public:
  /// `shortest`: the least duration of a halt, s.
  Halting(std::span<const Limits>, double shortest);
  /// The shortest halt from path time `t` that keeps a fraction of all limits; if there is none,
  /// the closest one and its worst violation. `smooth` as in Watch. Checked at every `dt`; 0:
  /// coarsely.
  std::optional<Violation> find(const Path&, double t, bool smooth, double dt, double share,
                                Halt& found) noexcept;

 private:
  /// The worst violation, or the first worse than `enough`.
  std::optional<Violation> worst(const Path&, const Halt&, bool smooth, double dt, double share,
                                 double enough) noexcept;
  std::span<const Limits> limits_;
  double shortest_;
  std::vector<Trajectory> before_, now_;
};

}  // namespace vernier::rsp
