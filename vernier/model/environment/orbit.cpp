#include "vernier/model/environment/orbit.hpp"

#include <cmath>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/spatial/spans.hpp"
#include "vernier/model/environment/detail/lanes.hpp"

namespace vernier::environment {
namespace {

using hybrid::Direction;
using hybrid::Point;
using hybrid::Signal;
using hybrid::Tangent;
using hybrid::Workspace;
using spatial::Vector3;
using spatial::vector3;
using spatial::vector3_or_zero;

const Signal position{"position", "m", "N", 3, {}, "of the spacecraft, from the Earth's centre"};
const Signal velocity{"velocity", "m/s", "N", 3, {}, "of the spacecraft"};

}  // namespace

KeplerOrbit::KeplerOrbit(const Parameters& p) : LaneSystem(detail::model_lanes().kepler) {
  spec_.outputs = {position, velocity};
  const Elements& k = p.elements;
  const double a = k.semi_major_axis, e = k.eccentricity;
  data_.semi_major_axis = a;
  data_.eccentricity = e;
  data_.mean_anomaly = k.mean_anomaly;
  data_.mean_motion = std::sqrt(p.mu / a) / a;
  const OrbitAxes o = axes(k);
  Eigen::Map<Vector3>(data_.P) = o.P;
  Eigen::Map<Vector3>(data_.Q) = o.Q;
  if (!p.secular_j2) return;
  const double c = elementary::cos(k.inclination);
  const double ratio = p.radius / (a * (1.0 - e * e));
  const double drift = 0.75 * p.j2 * data_.mean_motion * ratio * ratio;
  data_.drifts = true;
  data_.node = k.node;
  data_.perigee = k.argument_of_perigee;
  data_.node_rate = -2.0 * drift * c;
  data_.perigee_rate = drift * (5.0 * c * c - 1.0);
  data_.mean_motion += drift * std::sqrt(1.0 - e * e) * (3.0 * c * c - 1.0);
  data_.cos_inclination = c;
  data_.sin_inclination = elementary::sin(k.inclination);
}

J2Orbit::J2Orbit(const Parameters& p) : parameters_(p) {
  const auto start = [](const Vector3& v) { return std::vector<double>{v[0], v[1], v[2]}; };
  spec_.states = {position, velocity};
  spec_.states[0].initial = start(p.start.position);
  spec_.states[1].initial = start(p.start.velocity);
  spec_.inputs = {{"acceleration", "m/s^2", "N", 3, std::vector<double>{0.0, 0.0, 0.0},
                   "of everything but the Earth's gravity"}};
  spec_.outputs = {position, velocity, {"energy", "m^2/s^2", "", 1, {}, "per mass; constant"}};
}

void J2Orbit::flow(const Point& p, std::span<double> xdot, Workspace&) const noexcept {
  const auto r = vector3(p.x);
  const double r2 = r.squaredNorm(), inverse = 1.0 / r2, cube = inverse / std::sqrt(r2);
  const double k = 1.5 * parameters_.j2 * parameters_.radius * parameters_.radius * inverse;
  const double s = r[2] * r[2] * inverse;
  vector3(xdot) = vector3(p.x, 3);
  auto dv = vector3(xdot, 3);
  dv = (-parameters_.mu * cube * (1.0 + k * (1.0 - 5.0 * s))) * r + vector3(p.u);
  dv[2] -= parameters_.mu * cube * k * 2.0 * r[2];
}

void J2Orbit::output(const Point& p, std::span<double> y, Workspace&) const noexcept {
  const auto r = vector3(p.x), v = vector3(p.x, 3);
  vector3(y) = r;
  vector3(y, 3) = v;
  const double r2 = r.squaredNorm(), length = std::sqrt(r2);
  const double flat = parameters_.radius * parameters_.radius / r2;
  // potential: -μ/r (1 - J2 (R/r)² (3 sin²φ - 1)/2)
  y[6] = 0.5 * v.squaredNorm() -
         parameters_.mu / length *
             (1.0 - 0.5 * parameters_.j2 * flat * (3.0 * r[2] * r[2] / r2 - 1.0));
}

void J2Orbit::tangent(const Point& p, const Direction& d, const Tangent& w,
                      Workspace&) const noexcept {
  const auto r = vector3(p.x), v = vector3(p.x, 3);
  const Vector3 dr = vector3_or_zero(d.x), dv = vector3_or_zero(d.x, 3);
  const double r2 = r.squaredNorm(), length = std::sqrt(r2), mu = parameters_.mu;
  const double radial = r.dot(dr) / r2;  // of the length, relative
  const double k = 1.5 * parameters_.j2 * parameters_.radius * parameters_.radius / r2;
  const double s = r[2] * r[2] / r2;
  const double ds = 2.0 * r[2] * dr[2] / r2 - 2.0 * s * radial;
  Vector3 pull = (1.0 + k * (1.0 - 5.0 * s)) * r;
  pull[2] += 2.0 * k * r[2];
  if (!w.xdot.empty()) {
    Vector3 change = (1.0 + k * (1.0 - 5.0 * s)) * dr;
    change[2] += 2.0 * k * dr[2];
    change -= 5.0 * k * ds * r;
    Vector3 flat = (1.0 - 5.0 * s) * r;
    flat[2] += 2.0 * r[2];
    change -= 3.0 * radial * pull + 2.0 * radial * k * flat;
    vector3(w.xdot) = dv;
    vector3(w.xdot, 3) = -mu / (r2 * length) * change + vector3_or_zero(d.u);
  }
  if (!w.y.empty()) {
    vector3(w.y) = dr;
    vector3(w.y, 3) = dv;
    w.y[6] = v.dot(dv) + mu / (r2 * length) * pull.dot(dr);  // the force is minus its gradient
  }
}

Type kepler_orbit_type() {
  Type type{"kepler_orbit", "two-body orbit in closed form", orbit_parameters(), {}, {}};
  ParameterSpec j2;
  j2.name = "secular_j2";
  j2.kind = ParameterKind::boolean;
  j2.initial = "false";
  j2.description = "let node and perigee drift at the mean rates of the Earth's oblateness";
  type.parameters.push_back(j2);
  type.system = [](const vernier::Parameters& p) {
    KeplerOrbit::Parameters k;
    k.elements = elements(p);
    k.mu = p.real("mu");
    k.radius = p.real("radius");
    k.secular_j2 = p.boolean("secular_j2");
    return std::make_unique<KeplerOrbit>(k);
  };
  return type;
}

Type j2_orbit_type() {
  Type type{"j2_orbit", "orbit about the oblate Earth, integrated", orbit_parameters(), {}, {}};
  ParameterSpec j2;
  j2.name = "j2";
  j2.initial = "1.08262982e-3";
  j2.description = "the Earth's oblateness";
  type.parameters.push_back(j2);
  type.system = [](const vernier::Parameters& p) {
    J2Orbit::Parameters k;
    k.mu = p.real("mu");
    k.radius = p.real("radius");
    k.j2 = p.real("j2");
    k.start = state(elements(p), k.mu);
    return std::make_unique<J2Orbit>(k);
  };
  return type;
}

}  // namespace vernier::environment
