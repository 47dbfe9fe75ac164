#pragma once

#include "vernier/component/state_machine.hpp"
#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::automaton::detail {

/// Locations and transitions of a model, with their texts as written.
StateMachine machine_of(const Model&);

}  // namespace vernier::automaton::detail
