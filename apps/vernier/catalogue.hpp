#pragma once

#include "vernier/component/catalogue.hpp"

namespace vernier::app {

/// Everything that documents can name in this program; filled once.
const Catalogue& catalogue();

}  // namespace vernier::app
