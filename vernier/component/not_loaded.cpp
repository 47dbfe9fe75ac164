#include "vernier/component/not_loaded.hpp"

#include "vernier/base/diagnostic.hpp"

namespace vernier {

bool NotLoaded::initialize(Time, int) {
  throw ConfigurationError("V7603", description_.unchecked + "; it cannot be run");
}

}  // namespace vernier
