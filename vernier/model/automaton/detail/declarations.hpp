#pragma once

#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::automaton::detail {

/// Constants, inputs, states, outputs and events of the document.
void read_declarations(Model&, Report&);

}  // namespace vernier::automaton::detail
