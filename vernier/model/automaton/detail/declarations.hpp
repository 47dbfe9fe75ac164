#pragma once

#include <cstddef>

#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::automaton::detail {

constexpr std::size_t longest_name = 100;  // of whatever a document names

/// Constants, inputs, states, outputs and events of the document.
void read_declarations(Model&, Report&);

/// New values for constants and states, from the root of a document that extends the model's.
void change_declarations(Model&, const Element& root, Report&);

}  // namespace vernier::automaton::detail
