#include "vernier/model/environment/elements.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/base/text.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/model/environment/earth.hpp"

namespace vernier::environment {

using spatial::Vector3;

double eccentric_anomaly(double mean_anomaly, double e) noexcept {
  const double M = std::remainder(mean_anomaly, 2.0 * std::numbers::pi);
  const double turns = mean_anomaly - M;
  // Danby's starting value.
  double E = M + std::copysign(0.85 * e, M);
  // Danby's quartic correction (Fundamentals of Celestial Mechanics, section 6.6), kept inside the
  // bracket [M - e, M + e] that Kepler's equation gives.
  for (int i = 0; i < 16; ++i) {
    const double s = e * elementary::sin(E), c = e * elementary::cos(E);
    const double f = E - s - M, f1 = 1.0 - c;
    const double d1 = -f / f1;
    const double d2 = -f / (f1 + 0.5 * d1 * s);
    const double d3 = -f / (f1 + 0.5 * d2 * s + d2 * d2 * c / 6.0);
    const double next = std::clamp(E + d3, M - e, M + e);
    const bool done = std::fabs(next - E) <= 4e-16 * std::fabs(E);
    E = next;
    if (done) break;
  }
  return E + turns;
}

// tan(E/2) = √((1 - e)/(1 + e)) tan(ν/2), then Kepler's equation.
double mean_from_true(double true_anomaly, double e) noexcept {
  const double half = 0.5 * true_anomaly;
  const double E = 2.0 * elementary::atan2(std::sqrt(1.0 - e) * elementary::sin(half),
                                           std::sqrt(1.0 + e) * elementary::cos(half));
  return E - e * elementary::sin(E);
}

OrbitAxes axes(const Elements& k) noexcept {
  const double cn = elementary::cos(k.node), sn = elementary::sin(k.node);
  const double ci = elementary::cos(k.inclination), si = elementary::sin(k.inclination);
  const double cw = elementary::cos(k.argument_of_perigee),
               sw = elementary::sin(k.argument_of_perigee);
  const Vector3 along(cn, sn, 0.0), across(-sn * ci, cn * ci, si);
  return {cw * along + sw * across, -sw * along + cw * across};
}

OrbitState state(const Elements& k, double mu) noexcept {
  const double a = k.semi_major_axis, e = k.eccentricity;
  const OrbitAxes o = axes(k);
  const double E = eccentric_anomaly(k.mean_anomaly, e);
  const double c = elementary::cos(E), s = elementary::sin(E),
               root = std::sqrt((1.0 - e) * (1.0 + e));
  const double speed = std::sqrt(mu / a) / (1.0 - e * c);
  return {a * (c - e) * o.P + a * root * s * o.Q, speed * (root * c * o.Q - s * o.P)};
}

Elements elements(const OrbitState& s, double mu) noexcept {
  const Vector3 h = s.position.cross(s.velocity);
  const double r = s.position.norm();
  // The eccentricity vector points to the perigee; the semi-major axis follows from the vis-viva
  // equation.
  const Vector3 e_vector = s.velocity.cross(h) / mu - s.position / r;
  Elements k;
  k.semi_major_axis = 1.0 / (2.0 / r - s.velocity.squaredNorm() / mu);
  k.eccentricity = e_vector.norm();
  k.inclination = elementary::atan2(elementary::hypot(h[0], h[1]), h[2]);
  Vector3 node(-h[1], h[0], 0.0);
  node = node.norm() > 1e-12 * h.norm() ? Vector3(node.normalized()) : Vector3::UnitX();
  k.node = elementary::atan2(node[1], node[0]);
  const Vector3 across = h.cross(node).normalized();
  Vector3 perigee = node;
  if (k.eccentricity > 1e-12) perigee = e_vector;
  k.argument_of_perigee = elementary::atan2(perigee.dot(across), perigee.dot(node));
  const double latitude = elementary::atan2(s.position.dot(across), s.position.dot(node));
  k.mean_anomaly = mean_from_true(latitude - k.argument_of_perigee, k.eccentricity);
  return k;
}

std::vector<ParameterSpec> orbit_parameters() {
  return {
      real_parameter("semi_major_axis", "m", "0", "this or altitude must be given"),
      real_parameter("altitude", "m", "0", "semi-major axis less the Earth's radius"),
      real_parameter("eccentricity", "1", "0", "0 <= e < 1"),
      real_parameter("inclination", "rad", "0", "of the orbit to the plane x, y of N"),
      real_parameter("node", "rad", "0", "right ascension of the ascending node, from x of N"),
      real_parameter("argument_of_perigee", "rad", "0", "from the node, along the motion"),
      real_parameter("true_anomaly", "rad", "0", "at the start, from the perigee"),
      real_parameter("mean_anomaly", "rad", "0", "at the start; instead of true_anomaly"),
      real_parameter("argument_of_latitude", "rad", "0",
                     "at the start, from the node; instead of true_anomaly"),
      real_parameter("mu", "m^3/s^2", "3.986004418e14", "gravitational parameter of the Earth"),
      real_parameter("radius", "m", "6378137", "equatorial radius of the Earth"),
  };
}

namespace {

/// Kilometres with a decimal.
std::string kilometres(double metres) { return exact(std::round(metres / 100.0) / 10.0) + " km"; }

/// Refuses an orbit that begins below the surface, and warns of one that leads there.
void check_height(const Parameters& p, const Elements& k) {
  const char* size = p.given("semi_major_axis") ? "semi_major_axis" : "altitude";
  const double perigee = p.real("radius") - k.semi_major_axis * (1.0 - k.eccentricity);
  if (!(perigee > 0.0)) return;
  const double start = p.real("radius") - state(k, p.real("mu")).position.norm();
  if (start > 0.0) p.reject(size, "the orbit begins " + kilometres(start) + " below the surface");
  p.warn(k.semi_major_axis < p.real("radius") ? size : "eccentricity", "V2148",
         "the perigee is " + kilometres(perigee) + " below the surface");
}

}  // namespace

Elements elements(const Parameters& p) {
  Elements k;
  if (!(p.real("mu") > 0.0)) p.reject("mu", "must be positive");
  if (!(p.real("radius") > 0.0)) p.reject("radius", "must be positive");
  const bool axis = p.given("semi_major_axis"), height = p.given("altitude");
  if (axis == height) {
    p.reject("semi_major_axis", axis ? "give this or altitude, not both"
                                     : "give this or altitude, for example altitude = 600 km");
  }
  k.semi_major_axis = axis ? p.real("semi_major_axis") : p.real("radius") + p.real("altitude");
  k.eccentricity = p.real("eccentricity");
  if (!(k.eccentricity >= 0.0 && k.eccentricity < 1.0)) {
    p.reject("eccentricity", "must be at least 0 and less than 1");
  }
  if (!(p.real("inclination") >= 0.0 && p.real("inclination") <= std::numbers::pi))
    p.reject("inclination", "must be from 0 to 180 deg");
  if (!(k.semi_major_axis > 0.0 && std::isfinite(k.semi_major_axis))) {
    p.reject(axis ? "semi_major_axis" : "altitude", "the semi-major axis must be positive");
  }
  k.inclination = p.real("inclination");
  k.node = p.real("node");
  k.argument_of_perigee = p.real("argument_of_perigee");
  const int ways = int{p.given("true_anomaly")} + int{p.given("mean_anomaly")} +
                   int{p.given("argument_of_latitude")};
  if (ways > 1) {
    p.reject(p.given("mean_anomaly") ? "mean_anomaly" : "argument_of_latitude",
             "give one of true_anomaly, mean_anomaly and argument_of_latitude");
  }
  if (p.given("mean_anomaly")) {
    k.mean_anomaly = p.real("mean_anomaly");
  } else {
    const double nu = p.given("argument_of_latitude")
                          ? p.real("argument_of_latitude") - k.argument_of_perigee
                          : p.real("true_anomaly");
    k.mean_anomaly = mean_from_true(nu, k.eccentricity);
  }
  check_height(p, k);
  return k;
}

}  // namespace vernier::environment
