#include "vernier/model/environment/orbit.hpp"

#include <algorithm>
#include <iterator>

#include "vernier/component/scene.hpp"
#include "vernier/model/environment/detail/lanes.hpp"

namespace vernier::environment {
namespace {

using hybrid::Signal;
using spatial::Vector3;

const Signal position{"position", "m", "N", 3, {}, "of the spacecraft, from the Earth's centre"};
const Signal velocity{"velocity", "m/s", "N", 3, {}, "of the spacecraft"};

/// The Earth, and the place of a craft; position and velocity are the first outputs of the system.
scene::Scene orbit_looks(const hybrid::System& orbit, const vernier::Parameters& p) {
  std::vector<double> x, y(hybrid::size(orbit.spec().outputs));
  for (const Signal& s : orbit.spec().states)
    x.insert(x.end(), s.initial->begin(), s.initial->end());
  std::vector<double> u(hybrid::size(orbit.spec().inputs), 0.0);
  const auto work = orbit.workspace();
  orbit.output({.t = 0.0, .x = x, .mode = {}, .u = u}, y, *work);
  scene::Scene s;
  s.bodies.push_back(scene::earth(p.real("radius")));
  s.places.push_back(
      {{.about = "Earth",
        .mu = p.real("mu"),
        .position = {.signal = "position", .count = 3, .start = {y.begin(), y.begin() + 3}},
        .velocity = {.signal = "velocity", .count = 3, .start = {y.begin() + 3, y.begin() + 6}}}});
  return s;
}

}  // namespace

KeplerOrbit::KeplerOrbit(const Parameters& p) : LaneSystem(detail::model_lanes().kepler) {
  using Data = detail::KeplerData;
  spec_.outputs = {position, velocity};
  const Elements& k = p.elements;
  data_.by_altitude = p.by_altitude;
  data_.start = p.start;
  data_.drifts = p.secular_j2;
  data_.j2 = p.j2;
  const bool mean = p.start == Data::Start::mean;
  const double given[] = {p.by_altitude ? p.altitude : k.semi_major_axis,
                          k.eccentricity,
                          k.inclination,
                          k.node,
                          k.argument_of_perigee,
                          mean ? k.mean_anomaly : p.anomaly,
                          p.mu,
                          p.radius};
  std::copy(std::begin(given), std::end(given), data_.given.value);
  const bool latitude = p.start == Data::Start::latitude;
  finish({{p.by_altitude ? "altitude" : "semi_major_axis", "m", Data::size},
          {"eccentricity", "1", Data::eccentricity},
          {"inclination", "rad", Data::inclination},
          {"node", "rad", Data::node},
          {"argument_of_perigee", "rad", Data::perigee},
          {mean       ? "mean_anomaly"
           : latitude ? "argument_of_latitude"
                      : "true_anomaly",
           "rad", Data::anomaly},
          {"mu", "m^3/s^2", Data::mu},
          {"radius", "m", Data::radius}});
}

J2Orbit::J2Orbit(const Parameters& p) : LaneSystem(detail::model_lanes().j2) {
  const auto start = [](const Vector3& v) { return std::vector<double>{v[0], v[1], v[2]}; };
  spec_.states = {position, velocity};
  spec_.states[0].initial = start(p.start.position);
  spec_.states[1].initial = start(p.start.velocity);
  spec_.inputs = {{"acceleration", "m/s^2", "N", 3, std::vector<double>{0.0, 0.0, 0.0},
                   "of everything but the Earth's gravity"}};
  spec_.outputs = {position, velocity, {"energy", "m^2/s^2", "", 1, {}, "per mass; constant"}};
  const double given[] = {p.mu, p.radius, p.j2};
  std::copy(std::begin(given), std::end(given), data_.given.value);
  finish({{"mu", "m^3/s^2", 0}, {"radius", "m", 1}, {"j2", "1", 2}});
}

Type kepler_orbit_type() {
  Type type{"kepler_orbit", "two-body orbit in closed form", orbit_parameters(), {}, {}};
  for (ParameterSpec& s : type.parameters) s.adjustable = true;
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
    k.by_altitude = p.given("altitude");
    k.altitude = p.real("altitude");
    using Start = detail::KeplerData::Start;
    if (!p.given("mean_anomaly")) {
      const bool latitude = p.given("argument_of_latitude");
      k.start = latitude ? Start::latitude : Start::true_anomaly;
      k.anomaly = p.real(latitude ? "argument_of_latitude" : "true_anomaly");
    }
    return adjusted(std::make_unique<KeplerOrbit>(k), p);
  };
  type.scene = [made = type.system](const vernier::Parameters& p) {
    return orbit_looks(*made(p), p);
  };
  return type;
}

Type j2_orbit_type() {
  Type type{"j2_orbit", "orbit about the oblate Earth, integrated", orbit_parameters(), {}, {}};
  // The other parameters only determine the initial state.
  for (ParameterSpec& s : type.parameters) s.adjustable = s.name == "mu" || s.name == "radius";
  ParameterSpec j2;
  j2.name = "j2";
  j2.initial = "1.08262982e-3";
  j2.description = "the Earth's oblateness";
  j2.adjustable = true;
  type.parameters.push_back(j2);
  type.system = [](const vernier::Parameters& p) {
    J2Orbit::Parameters k;
    k.mu = p.real("mu");
    k.radius = p.real("radius");
    k.j2 = p.real("j2");
    k.start = state(elements(p), k.mu);
    return adjusted(std::make_unique<J2Orbit>(k), p);
  };
  type.scene = [made = type.system](const vernier::Parameters& p) {
    return orbit_looks(*made(p), p);
  };
  return type;
}

}  // namespace vernier::environment
