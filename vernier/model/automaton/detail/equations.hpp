#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vernier/kernel/expression/expression.hpp"
#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::automaton::detail {

using expression::Term;

struct TransitionTerms {
  Term condition = 0;  // valid if has_condition
  bool has_condition = false;
  std::vector<expression::Atom> atoms;
  std::vector<std::size_t> states;  // states that it resets, including holders of outputs
  std::vector<Term> values;         // their new values
};

/// The terms of a location and of its transitions, in their own graph, so that the cost of
/// operations on a graph depends on the location, not on the whole document.
struct LocationTerms {
  expression::Graph graph;
  std::vector<Term> flow;    // by state and holder
  std::vector<Term> output;  // by output
};

/// Which constants remain adjustable: by element, its index among the adjustable ones, or `fixed`.
struct Adjustable {
  static constexpr std::size_t fixed = static_cast<std::size_t>(-1);
  std::vector<std::size_t> symbol;  // empty: all are fixed
  std::size_t count = 0;
};

/// All expressions of a model as terms of the symbols x (states and holders), then u, then p
/// (adjustable constants).
struct Equations {
  std::vector<LocationTerms> locations;
  std::vector<TransitionTerms> transitions;
  std::vector<std::uint8_t> constants_used, inputs_used, states_used;  // by element
};

/// Parses and checks all expressions with the given values of the constants. To check a document,
/// pass the values of the model and a report. Without a report, the expressions must be valid.
Equations build_equations(const Model&, std::span<const double> constants, Report*,
                          const Adjustable& = {});

/// The constants as the document gives them.
std::vector<double> default_constants(const Model&);

/// Warns about constructs that are allowed but rarely intended. Requires a model without errors.
void check_sense(const Model&, const Equations&, Report&);

}  // namespace vernier::automaton::detail
