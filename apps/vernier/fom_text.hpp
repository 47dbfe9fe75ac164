#pragma once

#include <string>

#include "vernier/gateway/fom/model.hpp"

namespace vernier::app {

/// The contents of a FOM: classes with their members, data types with their sizes, and the rest.
/// The MIM only with `all`.
std::string fom_text(const fom::Fom&, bool all);

/// The same as a JSON object, always with the MIM; indices are those of the FOM.
std::string fom_json(const fom::Fom&);

}  // namespace vernier::app
