#pragma once

#include "vernier/component/catalogue.hpp"

namespace vernier::testing {

/// Checks that every type has a one-line summary, is either a system or a component, and describes
/// each of its parameters, in a valid unit.
void expect_described(const Catalogue&);

}  // namespace vernier::testing
