#pragma once

#include "vernier/kernel/constrained/model.hpp"

/// Mechanisms that tests and benchmarks share.
namespace vernier::constrained::mechanisms {

/// 17 equations: 1 kg with 0.01 kg m² at 1 m from a hinge about z, `angle` from hanging along -y.
/// The node is at the hinge. Input 0: a torque in the hinge, held over each step. Elements: the
/// hinge, the torque.
Model pendulum(double angle);

/// 17 n equations: n equal bars, together 1 m and 1 kg, on hinges about z, horizontal along x from
/// the origin; gravity along -y. Node k is the middle of bar k.
Model chain(int n);

/// 84 equations with one beam per link: the planar robot of Attolico and Masarati, Table 1, with a
/// continuous PID in each joint that goes from 0 to 90° in 5 s by two parabola arcs. Nodes along
/// the links; element `robot_servo(k, beams)` is the servo of joint k.
Model robot(int beams_per_link = 1);
int robot_servo(int joint, int beams_per_link = 1);

}  // namespace vernier::constrained::mechanisms
