#pragma once

#include "vernier/model/multibody_loops/definition.hpp"

namespace vernier::multibody_loops {

/// What keeps a mechanism from being put together, in words, at the places of what it concerns.
ConfigurationError in_words(const constrained::AssemblyProblem&, const Definition&);

/// Brings a solver to the start that the definition asks for. Throws ConfigurationError when there
/// is none, naming joints and how far they are apart (V3200 to V3205).
void put_together(constrained::Solver&, const Definition&, double time);

}  // namespace vernier::multibody_loops
