#include "vernier/model/environment/orbit.hpp"

#include <cmath>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/spatial/spans.hpp"

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

KeplerOrbit::KeplerOrbit(const Parameters& p)
    : parameters_(p),
      axes_(axes(p.elements)),
      mean_motion_(std::sqrt(p.mu / p.elements.semi_major_axis) / p.elements.semi_major_axis) {
  spec_.outputs = {position, velocity};
  if (p.secular_j2) {
    const double e = p.elements.eccentricity, c = elementary::cos(p.elements.inclination);
    const double ratio = p.radius / (p.elements.semi_major_axis * (1.0 - e * e));
    const double k = 0.75 * p.j2 * mean_motion_ * ratio * ratio;
    node_rate_ = -2.0 * k * c;
    perigee_rate_ = k * (5.0 * c * c - 1.0);
    mean_motion_ += k * std::sqrt(1.0 - e * e) * (3.0 * c * c - 1.0);
  }
}

OrbitState KeplerOrbit::at(double t) const noexcept {
  const double a = parameters_.elements.semi_major_axis, e = parameters_.elements.eccentricity;
  const double M = parameters_.elements.mean_anomaly + mean_motion_ * t;
  const double E = e == 0.0 ? M : eccentric_anomaly(M, e);
  const double c = elementary::cos(E), s = elementary::sin(E),
               root = std::sqrt((1.0 - e) * (1.0 + e));
  const double speed = mean_motion_ * a / (1.0 - e * c);
  if (!parameters_.secular_j2) {
    return {a * (c - e) * axes_.P + a * root * s * axes_.Q,
            speed * (root * c * axes_.Q - s * axes_.P)};
  }
  Elements k = parameters_.elements;
  k.node += node_rate_ * t;
  k.argument_of_perigee += perigee_rate_ * t;
  const OrbitAxes o = axes(k);
  return {a * (c - e) * o.P + a * root * s * o.Q, speed * (root * c * o.Q - s * o.P)};
}

void KeplerOrbit::output(const Point& p, std::span<double> y, Workspace&) const noexcept {
  const OrbitState s = at(p.t);
  vector3(y) = s.position;
  vector3(y, 3) = s.velocity;
}

void KeplerOrbit::tangent(const Point& p, const Direction& d, const Tangent& w,
                          Workspace& scratch) const noexcept {
  if (parameters_.secular_j2) return System::tangent(p, d, w, scratch);
  if (w.y.empty()) return;
  const OrbitState s = at(p.t);
  const double r = s.position.norm();
  vector3(w.y) = d.t * s.velocity;
  vector3(w.y, 3) = (-d.t * parameters_.mu / (r * r * r)) * s.position;
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
