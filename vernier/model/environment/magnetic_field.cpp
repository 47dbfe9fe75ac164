#include "vernier/model/environment/magnetic_field.hpp"

#include <cmath>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/spatial/spans.hpp"
#include "vernier/model/environment/earth.hpp"

namespace vernier::environment {
namespace {

using hybrid::Direction;
using hybrid::Point;
using hybrid::Tangent;
using hybrid::Workspace;
using spatial::vector3;
using spatial::Vector3;
using spatial::vector3_or_zero;

constexpr double seconds_per_year = 365.25 * 86400.0;

hybrid::SystemSpec field_spec() {
  hybrid::SystemSpec s;
  s.inputs = {{"position", "m", "N", 3, {}, "of the spacecraft, from the Earth's centre"}};
  s.outputs = {{"field", "T", "N", 3, {}, "the Earth's magnetic field there"}};
  s.feedthrough = {{0, 0}};
  return s;
}

}  // namespace

DipoleField::DipoleField(const Parameters& p)
    : moment_(p.strength * p.radius * p.radius * p.radius),
      rate_(p.earth.rate),
      spec_(field_spec()) {
  const double s = elementary::sin(p.colatitude), c = elementary::cos(p.colatitude);
  // the angle of the pole from x of the axes in which the Earth turns about z
  const double angle = p.longitude + p.earth.angle;
  const Vector3 cosine(-s * elementary::cos(angle), -s * elementary::sin(angle), 0.0);
  const Vector3 sine(s * elementary::sin(angle), -s * elementary::cos(angle), 0.0);
  z0_ = p.earth.pole.transpose() * Vector3(0.0, 0.0, -c);
  c0_ = p.earth.pole.transpose() * cosine;
  s0_ = p.earth.pole.transpose() * sine;
}

DipoleField::Axis DipoleField::axis(double t) const noexcept {
  const double c = elementary::cos(rate_ * t), s = elementary::sin(rate_ * t);
  return {z0_ + c * c0_ + s * s0_, rate_ * (c * s0_ - s * c0_)};
}

void DipoleField::output(const Point& p, std::span<double> y, Workspace&) const noexcept {
  const auto r = vector3(p.u);
  const Vector3 m = axis(p.t).m;
  const double r2 = r.squaredNorm();
  const double k = moment_ / (r2 * std::sqrt(r2));
  vector3(y) = (3.0 * k * m.dot(r) / r2) * r - k * m;
}

void DipoleField::tangent(const Point& p, const Direction& d, const Tangent& w,
                          Workspace&) const noexcept {
  if (w.y.empty()) return;
  const auto r = vector3(p.u);
  const Vector3 dr = vector3_or_zero(d.u);
  const Axis a = axis(p.t);
  const Vector3 dm = d.t * a.rate;
  const double r2 = r.squaredNorm(), radial = r.dot(dr) / r2;
  const double k = moment_ / (r2 * std::sqrt(r2)), along = a.m.dot(r);
  vector3(w.y) =
      (3.0 * k / r2) * ((dm.dot(r) + a.m.dot(dr) - 5.0 * along * radial) * r + along * dr) -
      k * (dm - 3.0 * radial * a.m);
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
  for (auto& s : earth_parameters("uniform")) type.parameters.push_back(std::move(s));
  type.parameters.push_back(epoch_parameter(""));
  type.system = [](const vernier::Parameters& p) {
    if (!(p.real("radius") > 0.0)) p.reject("radius", "must be positive");
    DipoleField::Parameters k;
    k.strength = p.real("strength");
    k.radius = p.real("radius");
    k.colatitude = p.real("colatitude");
    k.longitude = p.real("longitude");
    k.earth = earth_rotation(p);
    return std::make_unique<DipoleField>(k);
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
  return type;
}

}  // namespace vernier::environment
