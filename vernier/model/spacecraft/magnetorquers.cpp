#include "vernier/model/spacecraft/actuators.hpp"

#include "vernier/component/scene.hpp"
#include "vernier/model/spacecraft/detail/lanes.hpp"

namespace vernier::spacecraft {

Magnetorquers::Magnetorquers(const Parameters& p)
    : LaneSystem(detail::model_lanes().magnetorquers) {
  data_.limited = p.largest > 0.0;
  data_.given.value[0] = p.by_voltage ? p.gain : 1.0;
  data_.given.value[1] = p.largest;
  std::vector<Offer> offers;
  if (p.by_voltage) offers.push_back({"gain", "A*m^2/V", 0});
  if (data_.limited)
    offers.push_back(
        {p.by_voltage ? "max_voltage" : "max_moment", p.by_voltage ? "V" : "A*m^2", 1});
  finish(std::move(offers));
  spec_.inputs = {{"command", p.by_voltage ? "V" : "A*m^2", "B", 3, {}, "asked of the coils"},
                  {"field", "T", "B", 3, {}, "magnetic field at the spacecraft"}};
  spec_.outputs = {{"moment", "A*m^2", "B", 3, {}, "magnetic moment of the coils"},
                   {"torque", "N*m", "B", 3, {}, "on the body"}};
  spec_.feedthrough = {{0, 0}, {1, 0}, {1, 1}};
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
                      .description = "drive = voltage: moment per volt; must be given",
                      .adjustable = true},
                     {.name = "max_voltage",
                      .unit = "V",
                      .initial = "0",
                      .description = "drive = voltage: limit per axis; 0: none",
                      .adjustable = true},
                     {.name = "max_moment",
                      .unit = "A*m^2",
                      .initial = "0",
                      .description = "drive = moment: limit per axis; 0: none",
                      .adjustable = true}};
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
    return adjusted(std::make_unique<Magnetorquers>(k), p);
  };
  type.scene = [](const vernier::Parameters&) {
    scene::Scene s;
    s.vectors = {{.name = "torque",
                  .of_craft = true,
                  .by = {.signal = "torque", .count = 3},
                  .unit = "N*m",
                  .role = "torque"},
                 {.name = "moment",
                  .of_craft = true,
                  .by = {.signal = "moment", .count = 3},
                  .unit = "A*m^2",
                  .role = "field",
                  .shown = false}};
    return s;
  };
  return type;
}

}  // namespace vernier::spacecraft
