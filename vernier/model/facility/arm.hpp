#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>

#include "vernier/kernel/multibody/model.hpp"

/// Robots of a laboratory that move mock-ups of spacecraft.
namespace vernier::facility {

using multibody::Pose;
using spatial::Matrix3;
using spatial::Vector3;
using Angles = Eigen::Matrix<double, 6, 1>;    // rad, of A1 to A6
using Jacobian = Eigen::Matrix<double, 6, 6>;  // angular rows first

/// A six-axis arm with a spherical wrist, by its lengths in m. With all angles zero the upper arm
/// stands upright, forearm and hand point along x, and the axes of the flange are those of the
/// base. A1 turns about z; A2, A3 and A5 about y, A4 and A6 about x:
///
///   R = Rz(A1) Ry(A2 + A3) Rx(A4) Ry(A5) Rx(A6)
///   wrist = Rz(A1) [(shoulder_offset, 0, shoulder_height) + Ry(A2) (0, 0, upper_arm)
///                   + Ry(A2 + A3) (forearm, 0, elbow_offset)]
///   flange = wrist + R (hand, 0, 0)
struct Arm {
  double shoulder_height = 0.0;  // of axis 2 above the base
  double shoulder_offset = 0.0;  // of axis 2 before axis 1
  double upper_arm = 1.0;        // from axis 2 to axis 3
  double elbow_offset = 0.0;     // of axis 4 over axis 3
  double forearm = 1.0;          // from axis 3 to the wrist, along axis 4
  double hand = 0.0;             // from the wrist to the flange
};

/// The pose of the flange in the axes of the base.
Pose flange(const Arm&, const Angles&) noexcept;
/// The motion of the flange (angular velocity, velocity of its origin; axes of the base) for unit
/// rates.
Jacobian jacobian(const Arm&, const Angles&) noexcept;

/// Positions in which some motion of the flange requires unbounded rates: the wrist on axis 1; the
/// arm stretched or folded; axes 4 and 6 in line.
enum class Singularity : std::uint8_t { none, shoulder, elbow, wrist };

/// The distance from singularities: the distance of the wrist from axis 1 relative to the reach of
/// the arm, the sine of the angle between upper arm and forearm, the sine of A5.
struct Conditions {
  double shoulder = 0.0, elbow = 0.0, wrist = 0.0;
};
Conditions conditions(const Arm&, const Angles&) noexcept;
/// The first condition below `limit`.
Singularity singularity(const Conditions&, double limit) noexcept;

/// Up to eight solutions for a pose of the flange: in front of or behind axis 1, elbow up or down,
/// wrist flipped or not. None if the wrist is out of reach.
struct Solutions {
  std::array<Angles, 8> angles;
  int count = 0;
  double distance = 0.0;                 // from axis 2 to the wrist, for the nearer shoulder
  double nearest = 0.0, farthest = 0.0;  // limits of the reach
};
/// If A4 and A6 are in line, A4 is that of `previous`.
Solutions solutions(const Arm&, const Pose& flange, const Angles& previous) noexcept;

/// The solution nearest to `previous`, with each angle unwrapped to the nearest turn: the branch
/// that continues it. If there is none, `found.count` is 0 and the angles are `previous`.
Angles nearest_solution(const Arm&, const Pose& flange, const Angles& previous,
                        Solutions& found) noexcept;

}  // namespace vernier::facility
