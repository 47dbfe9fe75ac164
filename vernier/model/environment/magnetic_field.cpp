#include "vernier/model/environment/magnetic_field.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <iterator>
#include <numbers>

#include "vernier/component/scene.hpp"
#include "vernier/kernel/spatial/spans.hpp"
#include "vernier/model/environment/detail/lanes.hpp"
#include "vernier/model/environment/earth.hpp"
#include "vernier/model/environment/elements.hpp"

namespace vernier::environment {
namespace {

using hybrid::Point;
using hybrid::Workspace;
using spatial::vector3;
using spatial::Vector3;

constexpr double seconds_per_year = 365.25 * 86400.0;

hybrid::SystemSpec field_spec() {
  hybrid::SystemSpec s;
  s.inputs = {{"position", "m", "N", 3, {}, "of the spacecraft, from the Earth's centre"}};
  s.outputs = {{"field", "T", "N", 3, {}, "the Earth's magnetic field there"}};
  s.feedthrough = {{0, 0}};
  return s;
}

/// The field at a craft, and the Earth as it turns.
scene::Scene field_looks(const vernier::Parameters& p) {
  const frames::EarthRotation turn = earth_rotation(p);
  scene::Body earth = scene::earth(earth_radius);
  const Eigen::Quaterniond pole(spatial::Matrix3(turn.pole.transpose()));
  earth.pose = {scene::rotation({pole.x(), pole.y(), pole.z(), pole.w()}),
                scene::about({0, 0, 1}, {.start = {turn.angle}, .rate = turn.rate})};
  scene::Scene s;
  s.bodies.push_back(std::move(earth));
  s.vectors = {
      {.name = "field", .by = {.signal = "field", .count = 3}, .unit = "T", .role = "field"}};
  return s;
}

}  // namespace

DipoleField::DipoleField(const Parameters& p) : LaneSystem(detail::model_lanes().dipole) {
  spec_ = field_spec();
  using Data = detail::DipoleData;
  data_.rate = p.earth.rate;
  data_.angle = p.earth.angle;
  for (int i = 0; i < 9; ++i) data_.pole[i] = p.earth.pole(i / 3, i % 3);
  const double given[] = {p.strength, p.radius, p.colatitude, p.longitude};
  std::copy(std::begin(given), std::end(given), data_.given.value);
  finish({{"strength", "T", Data::strength},
          {"radius", "m", Data::radius},
          {"colatitude", "rad", Data::colatitude},
          {"longitude", "rad", Data::longitude}});
}

IgrfField::IgrfField(const Parameters& p)
    : earth_(p.earth), igrf_(frames::decimal_year(p.epoch), p.degree), spec_(field_spec()) {}

void IgrfField::output(const Point& p, std::span<double> y, Workspace&) const noexcept {
  const spatial::Matrix3 R_EN = frames::earth_matrix(earth_, p.t);
  const Vector3 r_E = R_EN * vector3(p.u);
  vector3(y) = R_EN.transpose() * igrf_.field(r_E, p.t / seconds_per_year);
}

Type dipole_field_type() {
  Type type{"dipole_field", "the Earth's magnetic field as a tilted dipole", {}, {}, {}};
  type.parameters = {
      real_parameter("strength", "T", "3.001e-5", "at the magnetic equator, at the radius"),
      real_parameter("radius", "m", "6371.2e3", "of the sphere on which strength is given"),
      real_parameter("colatitude", "rad", "10.26 deg", "of the northern geomagnetic pole"),
      real_parameter("longitude", "rad", "288.2 deg", "of the northern geomagnetic pole, east")};
  for (ParameterSpec& s : type.parameters) s.adjustable = true;
  for (auto& s : earth_parameters("uniform")) type.parameters.push_back(std::move(s));
  type.parameters.push_back(epoch_parameter(""));
  type.system = [](const vernier::Parameters& p) {
    if (!(p.real("radius") > 0.0)) p.reject("radius", "must be positive");
    if (!(p.real("strength") >= 0.0))
      p.reject("strength", "must not be negative: colatitude and longitude give the direction");
    if (!(p.real("colatitude") >= 0.0 && p.real("colatitude") <= std::numbers::pi))
      p.reject("colatitude", "must be from 0 to 180 deg");
    DipoleField::Parameters k;
    k.strength = p.real("strength");
    k.radius = p.real("radius");
    k.colatitude = p.real("colatitude");
    k.longitude = p.real("longitude");
    k.earth = earth_rotation(p);
    return adjusted(std::make_unique<DipoleField>(k), p);
  };
  type.scene = field_looks;
  return type;
}

Type igrf_field_type() {
  Type type{"igrf_field", "the Earth's magnetic field by IGRF-14, 2000 to 2030", {}, {}, {}};
  ParameterSpec degree;
  degree.name = "degree";
  degree.kind = ParameterKind::integer;
  degree.initial = "13";
  degree.description = "of the harmonics, 1 to 13";
  type.parameters = {epoch_parameter(), degree};
  for (auto& s : earth_parameters("iau2006")) type.parameters.push_back(std::move(s));
  type.system = [](const vernier::Parameters& p) {
    const auto n = p.integer("degree");
    if (n < 1 || n > Igrf::most) p.reject("degree", "must be from 1 to 13");
    const frames::Epoch e = epoch(p);
    const double year = frames::decimal_year(e);
    if (year < Igrf::first_year || year > Igrf::last_year) {
      p.reject("epoch", "IGRF-14 is known from 2000 to 2030");
    }
    return std::make_unique<IgrfField>(
        IgrfField::Parameters{e, earth_rotation(p), static_cast<int>(n)});
  };
  type.scene = field_looks;
  return type;
}

}  // namespace vernier::environment
