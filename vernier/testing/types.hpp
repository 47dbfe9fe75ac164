#pragma once

#include "vernier/component/catalogue.hpp"

namespace vernier::testing {

/// Every type says in a line what it is, is either a system or a component, and describes each of
/// its parameters, in a unit that there is.
void expect_described(const Catalogue&);

}  // namespace vernier::testing
