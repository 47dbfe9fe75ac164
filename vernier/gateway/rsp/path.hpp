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

/// What a body of the facility may do. All of them must be given: nothing moves by default.
struct Limits {
  Vector3 low = Vector3::Zero(), high = Vector3::Zero();              // m, reference axes
  double speed = 0.0, acceleration = 0.0, jerk = 0.0;                 // m/s, m/s², m/s³
  double rate = 0.0, angular_acceleration = 0.0, angular_jerk = 0.0;  // rad/s, rad/s², rad/s³
};

/// A limit that a motion does not keep.
struct Violation {
  Refusal quantity = Refusal::none;
  std::uint32_t body = 0;
  double value = 0.0, limit = 0.0;
  double ratio = 0.0;  // how bad it is: over 1; a centimetre too far is 2
};

/// The largest speed, acceleration or jerk that a limit allows counts as kept when rounding alone
/// is beyond it.
inline constexpr double slack = 1.0 + 1e-9;

/// Watches states that follow one another `dt` apart: each within a share of its limits, and no
/// change from one to the next larger than the next limit allows. `smooth`: accelerations are
/// continuous, and jerk is watched too. Positions are limited in full.
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
/// in which accelerations fade to zero. Time in s from its beginning. Only the constructor
/// allocates.
class Path {
 public:
  explicit Path(std::size_t bodies) : bodies_(bodies) {}

  std::size_t bodies() const noexcept { return bodies_.size(); }
  /// At rest where `at` is.
  void rest(States at) noexcept;
  /// From one to the other in `h` seconds. Accelerations beyond the end fade over `fade` seconds,
  /// longer where the limit of jerk asks for it.
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

/// The end of a motion: time along a path slows down to a stop, so that all bodies stop together
/// and on their way, with continuous acceleration.
struct Halt {
  double begin = 0.0;  // s, path time
  spatial::SlowDown slow;

  /// The state `t` seconds after the halt began.
  void at(const Path&, double t, std::span<Trajectory>) const noexcept;
};

/// Shares of limits that commands may use, and that a halt from their way must need at most when it
/// is looked at roughly; so that a halt can always be found that keeps them.
inline constexpr double command_share = 0.98, rough_share = 0.99;

/// Finds halts; keeps work space.
class Halting {
 public:
  /// `shortest`: no halt takes less, s.
  Halting(std::span<const Limits>, double shortest);
  /// The shortest halt from path time `t` on that keeps a share of all limits; when there is none,
  /// the one that comes nearest, and its worst violation. `smooth` as in Watch. Looked at in every
  /// `dt`; 0: roughly.
  std::optional<Violation> find(const Path&, double t, bool smooth, double dt, double share,
                                Halt& found) noexcept;

 private:
  /// The worst, or one that is worse than `enough`.
  std::optional<Violation> worst(const Path&, const Halt&, bool smooth, double dt, double share,
                                 double enough) noexcept;
  std::span<const Limits> limits_;
  double shortest_;
  std::vector<Trajectory> before_, now_;
};

}  // namespace vernier::rsp
