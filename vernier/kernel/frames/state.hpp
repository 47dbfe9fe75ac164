#pragma once

#include <array>
#include <optional>

#include "vernier/kernel/spatial/attitude.hpp"

namespace vernier::frames {

using spatial::Matrix3;
using spatial::Quaternion;
using spatial::Vector3;

/// Frame B relative to frame A, both right-handed: its origin and orientation, with first and
/// second derivatives as seen from A.
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
/// C relative to B, given both relative to A.
FrameState relative(const FrameState& c_in_a, const FrameState& b_in_a) noexcept;

/// The state `dt` seconds later with constant acceleration and angular acceleration (in own axes).
/// Exact for the translation and for rotation at constant rate; otherwise the attitude is accurate
/// to order dt^5.
FrameState propagated(const FrameState&, double dt) noexcept;

/// `now` with accelerations that its sender did not provide: the change of velocity and rate (own
/// axes) since `before`, which is `dt` > 0 older. Propagated by as much, the error is of order
/// dt^3. Zero if position or attitude did not follow the velocities: after a jump, or if `before`
/// is too old.
FrameState with_accelerations(const FrameState& now, const FrameState& before, double dt) noexcept;

/// Axes rotated about one of their own, 0 to 2, by an angle with its derivatives.
FrameState turned_about(int axis, double angle, double rate, double angular_acceleration) noexcept;

/// The rotation whose unit quaternion and its derivatives these are.
FrameState turned_by(const Quaternion& q, const Quaternion& q_rate,
                     const Quaternion& q_second) noexcept;

/// Axes on an orbit: x outward from the centre, z along the angular momentum, y in the direction of
/// motion; the origin stays at the centre. `jerk` is the derivative of the acceleration. Position
/// and velocity must not be parallel.
FrameState orbit_axes(const Vector3& position, const Vector3& velocity, const Vector3& acceleration,
                      const Vector3& jerk) noexcept;

/// Local vertical, local horizontal: the origin on the orbit, z towards the centre, y opposite to
/// the angular momentum, x in the direction of motion. On a Kepler orbit with `gravitation` in
/// m³/s².
FrameState local_vertical(const Vector3& position, const Vector3& velocity,
                          double gravitation) noexcept;
FrameState local_vertical(const Vector3& position, const Vector3& velocity,
                          const Vector3& acceleration, const Vector3& jerk) noexcept;

/// The meaning of an attitude quaternion in SpaceFOM messages, scalar first. The datatypes module
/// (normative) transforms components from the parent's axes to the own ones; some peers follow
/// appendix E, in the opposite direction.
enum class WireAttitude { parent_to_own, own_to_parent };

/// Converts to four numbers to send, scalar first; and from received numbers to a unit quaternion.
/// Nothing if a number is not finite or the length is off by more than 1 %.
std::array<double, 4> wire_attitude(const Quaternion& q_BA, WireAttitude) noexcept;
std::optional<Quaternion> from_wire(const std::array<double, 4>&, WireAttitude) noexcept;

}  // namespace vernier::frames
