#pragma once

#include "vernier/component/catalogue.hpp"

namespace vernier::spacecraft {

/// Adds rigid_body, rotation, magnetorquers, reaction_wheel, reaction_wheels, rate_sensor,
/// magnetometer and sun_sensor.
void register_types(Catalogue&);

}  // namespace vernier::spacecraft
