#pragma once

#include <array>
#include <string>

#include "vernier/model/facility/arm.hpp"

namespace vernier::facility {

using spatial::Motion;
using Coordinates = Eigen::Matrix<double, 7, 1>;  // rail (m), then A1 to A6 (rad)

/// The limits of one joint, in SI units.
struct Joint {
  std::string name;
  double minimum = 0.0, maximum = 0.0;
  double rate = 0.0, acceleration = 0.0;
  double home = 0.0, parked = 0.0;
};

/// An arm that holds a mock-up, optionally on a rail. L are the axes of the laboratory.
struct Robot {
  std::string name;                 // of the spacecraft whose mock-up it moves
  Pose base;                        // of the arm in L; of one on a rail: with the rail at zero
  bool railed = false;              // without a rail, coordinate 0 is always zero
  Vector3 axis = Vector3::UnitX();  // of the rail, a unit vector in L
  double stand = 0.0;               // m: see placed()
  Arm arm;
  Pose mount;  // of the spacecraft's body frame on the flange
  std::array<Joint, 7> joints;
};

Coordinates home(const Robot&) noexcept;
Coordinates parked(const Robot&) noexcept;

/// The pose of the body frame of the spacecraft in L.
Pose body_pose(const Robot&, const Coordinates&) noexcept;
/// The motion of the body frame: angular velocity and velocity of its origin, in L.
Motion body_motion(const Robot&, const Coordinates& q, const Coordinates& rates) noexcept;

struct Placement {
  Coordinates q;
  bool reached = false;
  double distance = 0.0, nearest = 0.0, farthest = 0.0;  // of the wrist from axis 2, m
};
/// The coordinates that bring the body to a pose. A rail leaves one coordinate free. It carries the
/// arm along so that the wrist stays `stand` in front of the base, measured along the rail:
///
///   rail = (wrist - base) · axis - stand
///
/// So the arm always works at the same reach, motion along the rail does not move it, and the
/// result depends on the pose alone. The branch of the arm is the one nearest to `previous`.
Placement placed(const Robot&, const Pose& body, const Coordinates& previous) noexcept;
/// The rates for a motion of the body, by the same rule. Not finite in a singular position.
Coordinates rates_of(const Robot&, const Coordinates& q, const Motion& body) noexcept;

}  // namespace vernier::facility
