#include "vernier/model/environment/magnetic_field.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <iterator>
#include <numbers>
#include <utility>
#include <vector>

#include "vernier/component/scene.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
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

/// Lines along a field, in the axes of the Earth: one from each of eight directions on its magnetic
/// equator at each of three distances, both ways to the surface. The field is that of the start.
std::vector<scene::Shape> field_lines(const hybrid::System& field, const spatial::Matrix3& R_EN) {
  const auto work = field.workspace();
  const auto at = [&](const Vector3& r_E) {
    const Vector3 r = R_EN.transpose() * r_E;
    Vector3 B = Vector3::Zero();
    field.output({.t = 0.0, .x = {}, .mode = {}, .u = {r.data(), 3}}, {B.data(), 3}, *work);
    return Vector3(R_EN * B);
  };
  // far away only the dipole is left, and its field on an axis is along the moment's component
  constexpr double far = 1e10;
  const Vector3 moment(at({far, 0, 0}).x(), at({0, far, 0}).y(), at({0, 0, far}).z());
  if (!(moment.norm() > 0.0)) return {};
  const Vector3 one = moment.unitOrthogonal(), other = moment.normalized().cross(one);
  const auto along = [&](const Vector3& r) { return Vector3(at(r).normalized() * r.norm()); };

  constexpr double step = 0.08;  // of the distance from the centre; fourth order: within 1e-3
  constexpr int most = 100, directions = 8;
  std::vector<scene::Shape> lines;
  for (const double distance : {1.6, 2.6, 4.2}) {
    for (int k = 0; k < directions; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / directions;
      const Vector3 start =
          distance * earth_radius * (elementary::cos(angle) * one + elementary::sin(angle) * other);
      scene::Shape line{.shape = "line", .role = "field"};
      for (const double h : {-step, step}) {
        std::reverse(line.points.begin(), line.points.end());
        Vector3 r = start;
        if (h < 0.0) line.points.push_back(scene::vector(r.array().round().eval()));
        for (int i = 0; i < most && r.norm() > earth_radius; ++i) {
          const Vector3 a = along(r), b = along(r + 0.5 * h * a), c = along(r + 0.5 * h * b),
                        d = along(r + h * c);
          r += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
          line.points.push_back(scene::vector(r.array().round().eval()));
        }
      }
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

/// The field at a craft, and the Earth as it turns, with lines of the field.
scene::Scene field_looks(const hybrid::System& field, const vernier::Parameters& p) {
  const frames::EarthRotation turn = earth_rotation(p);
  scene::Body earth = scene::earth(earth_radius);
  for (scene::Shape& s : field_lines(field, frames::earth_matrix(turn, 0.0)))
    earth.shapes.push_back(std::move(s));
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
  type.scene = [made = type.system](const vernier::Parameters& p) {
    return field_looks(*made(p), p);
  };
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
  type.scene = [made = type.system](const vernier::Parameters& p) {
    return field_looks(*made(p), p);
  };
  return type;
}

}  // namespace vernier::environment
