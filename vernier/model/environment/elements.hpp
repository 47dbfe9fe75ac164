#pragma once

#include <vector>

#include "vernier/component/parameters.hpp"
#include "vernier/kernel/spatial/motion.hpp"

namespace vernier::environment {

constexpr double earth_mu = 3.986004418e14;  // m³/s²
constexpr double earth_radius = 6378137.0;   // m, equatorial (WGS 84)
constexpr double earth_j2 = 1.08262982e-3;   // EGM96, zero tide

/// Classical elements of an ellipse about the Earth; angles in rad, relative to the x and z axes of
/// N.
struct Elements {
  double semi_major_axis = 7e6;  // m
  double eccentricity = 0.0;     // 0 <= e < 1
  double inclination = 0.0;
  double node = 0.0;  // right ascension of the ascending node
  double argument_of_perigee = 0.0;
  double mean_anomaly = 0.0;
};

struct OrbitState {
  spatial::Vector3 position = spatial::Vector3::Zero();  // m, N
  spatial::Vector3 velocity = spatial::Vector3::Zero();  // m/s, N
};

/// E - e sin E = M, to rounding; at most 16 iterations for any e < 1.
double eccentric_anomaly(double mean_anomaly, double eccentricity) noexcept;
double mean_from_true(double true_anomaly, double eccentricity) noexcept;

/// The perifocal axes in N: P towards the perigee, Q in the plane, along the motion at perigee.
struct OrbitAxes {
  spatial::Vector3 P, Q;
};
OrbitAxes axes(const Elements&) noexcept;

OrbitState state(const Elements&, double mu) noexcept;
/// The inverse of state(). For circular orbits the perigee is set to the node, for equatorial
/// orbits the node to the x axis.
Elements elements(const OrbitState&, double mu) noexcept;

/// Parameters of the initial state of an orbit: semi_major_axis or altitude, eccentricity,
/// inclination, node, argument_of_perigee, and one of true_anomaly, mean_anomaly,
/// argument_of_latitude; mu and radius.
std::vector<ParameterSpec> orbit_parameters();
Elements elements(const Parameters&);

}  // namespace vernier::environment
