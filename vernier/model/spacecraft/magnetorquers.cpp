#include <algorithm>

#include "vernier/kernel/spatial/spans.hpp"
#include "vernier/model/spacecraft/actuators.hpp"

namespace vernier::spacecraft {
namespace {

using hybrid::Direction;
using hybrid::Point;
using hybrid::Tangent;
using hybrid::Workspace;
using spatial::vector3;
using spatial::Vector3;
using spatial::vector3_or_zero;

}  // namespace

Magnetorquers::Magnetorquers(const Parameters& p)
    : gain_(p.by_voltage ? p.gain : 1.0), largest_(p.largest) {
  spec_.inputs = {{"command", p.by_voltage ? "V" : "A*m^2", "B", 3, {}, "asked of the coils"},
                  {"field", "T", "B", 3, {}, "magnetic field at the spacecraft"}};
  spec_.outputs = {{"moment", "A*m^2", "B", 3, {}, "magnetic moment of the coils"},
                   {"torque", "N*m", "B", 3, {}, "on the body"}};
  spec_.feedthrough = {{0, 0}, {1, 0}, {1, 1}};
}

void Magnetorquers::output(const Point& p, std::span<double> y, Workspace&) const noexcept {
  Vector3 command = vector3(p.u);
  if (largest_ > 0.0) command = command.cwiseMin(largest_).cwiseMax(-largest_);
  const Vector3 moment = gain_ * command;
  vector3(y) = moment;
  vector3(y, 3) = moment.cross(Vector3(vector3(p.u, 3)));
}

void Magnetorquers::tangent(const Point& p, const Direction& d, const Tangent& t,
                            Workspace&) const noexcept {
  if (t.y.empty()) return;
  Vector3 command = vector3(p.u), change = vector3_or_zero(d.u);
  if (largest_ > 0.0) {
    for (int i = 0; i < 3; ++i) {
      if (std::abs(command[i]) > largest_) change[i] = 0.0;
    }
    command = command.cwiseMin(largest_).cwiseMax(-largest_);
  }
  const Vector3 field = vector3(p.u, 3), field_change = vector3_or_zero(d.u, 3);
  vector3(t.y) = gain_ * change;
  vector3(t.y, 3) = gain_ * (change.cross(field) + command.cross(field_change));
}

Type magnetorquers_type() {
  Type type{"magnetorquers", "three coils along the body axes", {}, {}, {}};
  type.parameters = {{.name = "drive",
                      .kind = ParameterKind::choice,
                      .initial = "voltage",
                      .description = "what the command is",
                      .choices = {"voltage", "moment"}},
                     {.name = "gain",
                      .unit = "A*m^2/V",
                      .initial = "0",
                      .description = "drive = voltage: moment per volt; must be given"},
                     {.name = "max_voltage",
                      .unit = "V",
                      .initial = "0",
                      .description = "drive = voltage: limit per axis; 0: none"},
                     {.name = "max_moment",
                      .unit = "A*m^2",
                      .initial = "0",
                      .description = "drive = moment: limit per axis; 0: none"}};
  type.system = [](const vernier::Parameters& p) {
    Magnetorquers::Parameters k;
    k.by_voltage = p.text("drive") == "voltage";
    const char* limit = k.by_voltage ? "max_voltage" : "max_moment";
    const char* other = k.by_voltage ? "max_moment" : "max_voltage";
    k.gain = p.real("gain");
    k.largest = p.real(limit);
    if (k.by_voltage && !(k.gain > 0.0)) p.reject("gain", "must be positive");
    if (!(k.largest >= 0.0)) p.reject(limit, "must not be negative");
    if (p.given(other)) p.reject(other, std::string("the command is the other one: use ") + limit);
    return std::make_unique<Magnetorquers>(k);
  };
  return type;
}

}  // namespace vernier::spacecraft
