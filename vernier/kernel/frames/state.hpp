#pragma once

#include <array>
#include <optional>

#include "vernier/kernel/spatial/attitude.hpp"

namespace vernier::frames {

using spatial::Matrix3;
using spatial::Quaternion;
using spatial::Vector3;

/// Frame B relative to frame A, both right-handed: where its origin is and how its axes stand, with
/// first and second derivatives as seen from A.
struct FrameState {
  Vector3 position = Vector3::Zero();              // m, from A's origin to B's, in axes of A
  Vector3 velocity = Vector3::Zero();              // m/s, in axes of A
  Vector3 acceleration = Vector3::Zero();          // m/s², in axes of A
  Quaternion attitude = {0.0, 0.0, 0.0, 1.0};      // q_BA: components from A to B
  Vector3 rate = Vector3::Zero();                  // rad/s, omega_BA_B
  Vector3 angular_acceleration = Vector3::Zero();  // rad/s², its derivative, in axes of B
};

/// C relative to A.
FrameState composed(const FrameState& b_in_a, const FrameState& c_in_b) noexcept;
/// A relative to B.
FrameState inverse(const FrameState& b_in_a) noexcept;
/// C relative to B, of what both are relative to A.
FrameState relative(const FrameState& c_in_a, const FrameState& b_in_a) noexcept;

/// The state `dt` seconds later when acceleration and angular acceleration (in own axes) stay.
/// Exact for the translation and for turning at constant rate; else the attitude is good to the
/// order dt^5.
FrameState propagated(const FrameState&, double dt) noexcept;

/// `now` with accelerations that its sender did not give: how much velocity and rate (own axes)
/// changed since `before`, which is `dt` > 0 older. Propagated by as much, the error is of the
/// order dt^3. Zero where position or attitude did not go the way that both velocities say: a jump,
/// or too long ago.
FrameState with_accelerations(const FrameState& now, const FrameState& before, double dt) noexcept;

/// Axes turned about one of their own, 0 to 2, by an angle with its derivatives.
FrameState turned_about(int axis, double angle, double rate, double angular_acceleration) noexcept;

/// The rotation whose unit quaternion and its derivatives these are.
FrameState turned_by(const Quaternion& q, const Quaternion& q_rate,
                     const Quaternion& q_second) noexcept;

/// Axes on an orbit: x away from the centre, z along the angular momentum, y in the direction of
/// motion; the origin stays at the centre. `jerk` is the derivative of the acceleration. Needs
/// position and velocity that are not parallel.
FrameState orbit_axes(const Vector3& position, const Vector3& velocity, const Vector3& acceleration,
                      const Vector3& jerk) noexcept;

/// Local vertical, local horizontal: the origin on the orbit, z to the centre, y against the
/// angular momentum, x in the direction of motion. On a Kepler orbit with `gravitation` in m³/s².
FrameState local_vertical(const Vector3& position, const Vector3& velocity,
                          double gravitation) noexcept;
FrameState local_vertical(const Vector3& position, const Vector3& velocity,
                          const Vector3& acceleration, const Vector3& jerk) noexcept;

/// What an attitude quaternion on the wire of SpaceFOM does to components, scalar first. The
/// datatypes module (normative) takes them from the parent's axes to the own ones; some peers
/// follow appendix E, the other way.
enum class WireAttitude { parent_to_own, own_to_parent };

/// Four numbers, scalar first, to send; and what was received, made a unit quaternion. Nothing when
/// a number is not finite or the length is off by more than 1 %.
std::array<double, 4> wire_attitude(const Quaternion& q_BA, WireAttitude) noexcept;
std::optional<Quaternion> from_wire(const std::array<double, 4>&, WireAttitude) noexcept;

}  // namespace vernier::frames
