#pragma once

#include "vernier/kernel/frames/epoch.hpp"
#include "vernier/kernel/spatial/motion.hpp"

namespace vernier::frames {

/// Mean rate of the Earth rotation angle, rad per second of UT1 (IERS Conventions 2010, eq. 5.15).
constexpr double earth_rotation_rate = 7.292115146706979e-5;

/// The rotation of the Earth during a run: R_EN = R3(angle + rate t) pole, from inertial axes N to
/// Earth-fixed axes E (x towards longitude 0, z towards the north pole).
///
/// Accuracy: the pole is the precession and nutation of one instant, held constant. It moves by
/// less than 0.15 arc seconds a day; polar motion (0.5 arc seconds) is neglected. At the Earth's
/// surface this is 15 m, and 5 m more per day of the run.
struct EarthRotation {
  spatial::Matrix3 pole = spatial::Matrix3::Identity();  // N to celestial intermediate axes
  double angle = 0.0;                                    // rad, at t = 0
  double rate = earth_rotation_rate;                     // rad/s
};

/// The axes of N as ICRS; t counts from the epoch. IAU 2006/2000A precession-nutation, by ERFA.
EarthRotation iau2006_rotation(const Epoch&, double dut1 = 0.0);

/// R_EN at `t` seconds: components from N to E. The cost is one sine and cosine.
spatial::Matrix3 earth_matrix(const EarthRotation&, double t) noexcept;

/// Greenwich mean sidereal time, rad (IAU 2006), if N refers to the equinox of date.
double greenwich_sidereal_time(const Epoch&, double dut1 = 0.0) noexcept;

}  // namespace vernier::frames
