#include "vernier/model/spacecraft/types.hpp"

#include "vernier/model/spacecraft/actuators.hpp"
#include "vernier/model/spacecraft/rigid_body.hpp"
#include "vernier/model/spacecraft/sensors.hpp"

namespace vernier::spacecraft {

void register_types(Catalogue& catalogue) {
  catalogue.add(rigid_body_type());
  catalogue.add(rotation_type());
  catalogue.add(magnetorquers_type());
  catalogue.add(reaction_wheel_type());
  catalogue.add(reaction_wheels_type());
  catalogue.add(rate_sensor_type());
  catalogue.add(magnetometer_type());
  catalogue.add(sun_sensor_type());
}

}  // namespace vernier::spacecraft
