#pragma once

#include "vernier/component/catalogue.hpp"
#include "vernier/kernel/hybrid/lane_system.hpp"
#include "vernier/model/environment/elements.hpp"
#include "vernier/model/environment/models.hpp"

namespace vernier::environment {

/// Motion on an ellipse in closed form (two bodies); a function of time, without states.
///
///   M = M0 + n t,  E - e sin E = M,  r = a (cos E - e) P + a sqrt(1 - e²) sin E Q
///
/// With `secular_j2` node, perigee and mean anomaly drift at the mean rates that the Earth's
/// oblateness causes (Vallado, section 9.6): positions then are mean ones, some kilometres from the
/// osculating.
///
/// out  position  m    N
/// out  velocity  m/s  N
class KeplerOrbit final : public hybrid::LaneSystem<detail::KeplerModel> {
 public:
  struct Parameters {
    Elements elements;
    double mu = earth_mu;
    bool secular_j2 = false;
    double radius = earth_radius;
    double j2 = earth_j2;
    /// The orbit as given; the parameters of adjust() have these names.
    bool by_altitude = false;
    double altitude = 0.0;
    detail::KeplerData::Start start = detail::KeplerData::Start::mean;
    double anomaly = 0.0;  // initial, if it is not the mean anomaly
  };

  explicit KeplerOrbit(const Parameters&);
};

/// Motion about the oblate Earth, integrated. The z axis of N is the Earth's.
///
///   r' = v,  v' = -μ r/r³ - (3/2) J2 μ R²/r⁵ ((1 - 5 z²/r²) r + 2 z e_z) + acceleration
///
/// in   acceleration  m/s²     N  of everything else; zero when not connected
/// out  position      m        N
/// out  velocity      m/s      N
/// out  energy        m²/s²       per mass; constant without acceleration
class J2Orbit final : public hybrid::LaneSystem<detail::J2Model> {
 public:
  struct Parameters {
    OrbitState start;
    double mu = earth_mu;
    double radius = earth_radius;
    double j2 = earth_j2;
  };

  explicit J2Orbit(const Parameters&);
};

Type kepler_orbit_type();
Type j2_orbit_type();

}  // namespace vernier::environment
