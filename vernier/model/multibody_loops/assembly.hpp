#pragma once

#include "vernier/model/multibody_loops/definition.hpp"

namespace vernier::multibody_loops {

/// Translates a failed assembly into a message, at the places of the joints or nodes concerned.
ConfigurationError in_words(const constrained::AssemblyProblem&, const Definition&);

/// Brings a solver to the initial state that the definition requests. Throws ConfigurationError if
/// there is none; the message names the joints and the remaining gap (V3200 to V3205).
void put_together(constrained::Solver&, const Definition&, double time);

}  // namespace vernier::multibody_loops
