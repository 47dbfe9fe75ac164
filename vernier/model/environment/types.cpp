#include "vernier/model/environment/types.hpp"

#include "vernier/model/environment/magnetic_field.hpp"
#include "vernier/model/environment/orbit.hpp"
#include "vernier/model/environment/reference_frame.hpp"
#include "vernier/model/environment/sun.hpp"

namespace vernier::environment {

void register_types(Catalogue& catalogue) {
  catalogue.add(kepler_orbit_type());
  catalogue.add(j2_orbit_type());
  catalogue.add(dipole_field_type());
  catalogue.add(igrf_field_type());
  catalogue.add(sun_type());
  catalogue.add(eclipse_type());
  catalogue.add(reference_frame_type());
}

}  // namespace vernier::environment
