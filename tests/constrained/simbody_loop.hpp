#pragma once

#include <cmath>
#include <vector>

// What loops_test.cpp needs of Simbody, whose headers are C++17 at most.
namespace vernier::peers {

/// A four-bar linkage in the plane of x and y, gravity along -y: links are slender bars on pins
/// about z.
struct FourBar {
  double ground, crank, coupler,
      rocker;          // lengths, m; the second pin of the ground is at (ground, 0)
  double density;      // kg/m
  double angle, rate;  // of the crank at the start
  double gravity;
};

/// Angles against x and rates of coupler and rocker: closed by the cosine theorem, the coupler
/// above.
struct Closure {
  double coupler, rocker, coupler_rate, rocker_rate;
};
inline Closure closed(const FourBar& f) {
  const double bx = f.crank * std::cos(f.angle), by = f.crank * std::sin(f.angle);
  const double dx = f.ground - bx, d = std::sqrt(dx * dx + by * by);
  const double open =
      std::acos((f.coupler * f.coupler + d * d - f.rocker * f.rocker) / (2 * f.coupler * d));
  const double heading = std::atan2(-by, dx) + open;
  const double ux = f.coupler * std::cos(heading), uy = f.coupler * std::sin(heading);
  const double wx = bx + ux - f.ground, wy = by + uy;
  // v_b + ω_c (-uy, ux) = ω_r (-wy, wx)
  const double vx = -by * f.rate, vy = bx * f.rate, det = uy * wx - ux * wy;
  return {heading, std::atan2(wy, wx), (vx * wx + vy * wy) / det, (vx * ux + vy * uy) / det};
}

/// Where the pin between crank and coupler, and that between coupler and rocker, are at each time.
std::vector<std::vector<double>> simbody_motion(const FourBar&, const std::vector<double>& times);

}  // namespace vernier::peers
