#pragma once

#include "vernier/model/mechanism/definition.hpp"

namespace vernier::mechanism {

/// Brings a solver to the start that the definition asks for. Throws ConfigurationError when there
/// is none, naming joints and how far they are apart (V3200 to V3205).
void put_together(constrained::Solver&, const Definition&, double time);

}  // namespace vernier::mechanism
