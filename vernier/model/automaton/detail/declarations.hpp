#pragma once

#include <cstddef>

#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::automaton::detail {

constexpr std::size_t longest_name = 100;  // limit for all names

/// Reads the constants, inputs, states, outputs and events of the document.
void read_declarations(Model&, Report&);

/// Reads new values of constants and states from a document that extends that of the model.
void change_declarations(Model&, const Element& root, Report&);

}  // namespace vernier::automaton::detail
