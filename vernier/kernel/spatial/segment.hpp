#pragma once

#include <array>

#include "vernier/kernel/spatial/attitude.hpp"

namespace vernier::spatial {

/// Position and motion of a body. Position and its derivatives are in the reference axes; attitude
/// q_BN; angular velocity and acceleration in body axes.
struct Trajectory {
  Vector3 p = Vector3::Zero(), v = Vector3::Zero(), a = Vector3::Zero();
  Quaternion q = Quaternion(0, 0, 0, 1);
  Vector3 omega = Vector3::Zero(), alpha = Vector3::Zero();
};

/// The quaternion of axes rotated by |φ| about φ.
Quaternion exponential(const Vector3& phi) noexcept;
/// The inverse for a unit q, by the shorter rotation: |φ| <= π. q and -q give the same.
Vector3 logarithm(const Quaternion& q) noexcept;

/// The interpolation from one state to the next.
enum class Curve : std::uint8_t {
  kim,      // position: cubic; attitude: the cubic of Kim, Kim and Shin (1995). Continuous rates
  cubic,    // attitude: cubic in the rotation vector from the start. Continuous rates, fourth order
  quintic,  // the same of degree five: accelerations are continuous too, sixth order
  kim_quintic  // Kim, Kim and Shin of degree five. Continuous accelerations, third order
};

/// A motion between two states in a given time. It matches both exactly: position, velocity,
/// attitude and angular velocity; the quintics also match accelerations. Between the ends it may
/// rotate by less than π beyond the rotation of the rates alone; curves in the rotation vector by
/// less than π in total.
class Segment {
 public:
  Segment() = default;
  /// `duration` > 0, s.
  Segment(const Trajectory& from, const Trajectory& to, double duration, Curve) noexcept;

  double duration() const noexcept { return h_; }
  /// At `t` seconds after the start; meant for [0, duration], defined beyond.
  Trajectory at(double t) const noexcept;

 private:
  /// Coefficients in s = t/h, and in 1 - s for the second half, so that both ends are exact.
  struct Polynomial {
    std::array<Vector3, 6> from_start{}, from_end{};
  };
  struct Value {
    Vector3 x, v, a;
  };
  Value value(const Polynomial&, double t) const noexcept;
  void kim_at(double t, Trajectory&) const noexcept;

  double h_ = 1.0;
  Curve curve_ = Curve::cubic;
  Quaternion q_ = Quaternion(0, 0, 0, 1);
  Polynomial position_{};
  Polynomial turn_{};             // rotation vector from q_
  std::array<Vector3, 5> phi_{};  // of Kim, Kim and Shin
};

/// Extrapolation while no new state arrives: the acceleration fades to zero over `fade` seconds.
class Fading {
 public:
  Fading() = default;
  Fading(const Trajectory& from, double fade) noexcept : from_(from), fade_(fade) {}
  Trajectory at(double t) const noexcept;

 private:
  Trajectory from_;
  double fade_ = 1.0;
};

/// Slows down the time along a path to a stop, so that everything stops together and stays on its
/// path.
struct SlowDown {
  double duration = 1.0;  // s

  struct Value {
    double path;   // s: time along the path
    double rate;   // of the path's time: 1 at the start, 0 at the end
    double decay;  // 1/s: derivative of rate
  };
  Value at(double t) const noexcept;

  /// The slowed motion at the point `on` of the path, which belongs to at(t).path.
  static Trajectory slowed(const Trajectory& on, const Value&) noexcept;
  /// The shortest duration to stop from speed v within the limits of acceleration and jerk.
  static double shortest(double v, double a_max, double j_max) noexcept;
};

}  // namespace vernier::spatial
