#pragma once

#include "vernier/component/catalogue.hpp"

namespace vernier::environment {

/// Adds kepler_orbit, j2_orbit, dipole_field, igrf_field, sun and eclipse.
void register_types(Catalogue&);

}  // namespace vernier::environment
