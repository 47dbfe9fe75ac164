#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "vernier/kernel/expression/program.hpp"
#include "vernier/kernel/hybrid/system.hpp"
#include "vernier/model/automaton/detail/equations.hpp"
#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::automaton::detail {

using expression::Program;

/// One transition, ready to be tried and taken.
struct TransitionCode {
  int number = 0;  // in the spec
  int to = 0;
  std::size_t in = Transition::none;         // event
  std::vector<std::size_t> out;              // events
  std::size_t condition = Transition::none;  // among the conditions of its location; none: holds
  std::size_t first_side = 0, sides = 0;     // its comparisons in `actions`, two outputs each
  std::vector<expression::Operation> comparisons;
  std::vector<std::size_t> states;  // that it resets
  std::size_t first_value = 0;      // of these in `actions`
};

/// Programs over (x, u), and their derivatives over (x, u, dx, du). Nothing where there is nothing
/// to compute.
struct LocationCode {
  std::optional<Program> flow, output, guards, conditions;
  std::optional<Program> actions;  // both sides of each comparison, and the values of all resets
  std::optional<Program> flow_tangent, output_tangent, guards_tangent;
  std::size_t guard_count = 0;
  std::vector<TransitionCode> transitions;  // in the order they are tried
};

/// A compiled model: immutable, shared by all instances with the same constants.
struct Code {
  hybrid::SystemSpec spec;  // with the document's initial values
  std::size_t n = 0, m = 0, p = 0;
  std::vector<LocationCode> locations;
  std::vector<std::size_t>
      place_of;  // by transition of the spec: its place among those of its location
  std::vector<std::vector<std::size_t>> inactive_states, inactive_outputs;  // by location; signals
};

std::shared_ptr<const Code> compile(const Model&, Equations);

}  // namespace vernier::automaton::detail
