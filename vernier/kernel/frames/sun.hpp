#pragma once

#include <vector>

#include "vernier/kernel/frames/epoch.hpp"
#include "vernier/kernel/spatial/motion.hpp"

namespace vernier::frames {

constexpr double astronomical_unit = 149597870700.0;  // m
constexpr double sun_radius = 695700e3;               // m, IAU 2015 nominal

/// The position of the Sun from the Earth's centre, in ICRS axes (m). It uses the Earth ephemeris
/// of ERFA (eraEpv00), whose direction is accurate to 0.02 arc seconds in this century; geometric,
/// without light time (8.3 min, 20 arc seconds of direction) or aberration.
class SunPath {
 public:
  /// `t` counts from this epoch. Prepares the first `days` days, in which evaluation is a cubic
  /// interpolation (error below 0.001 arc seconds); outside it calls ERFA, some thousand times
  /// slower.
  explicit SunPath(const Epoch&, int days = 40);

  spatial::Vector3 position(double t) const noexcept;

 private:
  struct Node {
    spatial::Vector3 position, velocity;  // m, m/s
  };
  static Node at(const Epoch&) noexcept;

  Epoch epoch_;
  std::vector<Node> nodes_;  // one a day
};

}  // namespace vernier::frames
