#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vernier/kernel/expression/expression.hpp"
#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::automaton::detail {

using expression::Term;

struct TransitionTerms {
  Term condition = 0;  // only where the transition has a domain
  bool has_condition = false;
  std::vector<expression::Atom> atoms;
  std::vector<std::size_t> states;  // that it resets, holders of outputs included
  std::vector<Term> values;         // of these
};

/// The terms of a location and of the transitions that leave it, in a graph of their own: what is
/// done with a graph then costs in proportion to the location, not to the document.
struct LocationTerms {
  expression::Graph graph;
  std::vector<Term> flow;    // by state and holder
  std::vector<Term> output;  // by output
};

/// Which constants stay adjustable: by element the number of its symbol among them, or `fixed`.
struct Adjustable {
  static constexpr std::size_t fixed = static_cast<std::size_t>(-1);
  std::vector<std::size_t> symbol;  // empty: all are fixed
  std::size_t count = 0;
};

/// All expressions of a model as terms over the symbols x (states and holders), then u, then p
/// (constants that stay adjustable).
struct Equations {
  std::vector<LocationTerms> locations;
  std::vector<TransitionTerms> transitions;
  std::vector<std::uint8_t> constants_used, inputs_used, states_used;  // by element
};

/// Parses and checks all expressions, with the given values of the constants. Pass the model's own
/// values and a report to check a document; without a report the expressions are known to be good.
Equations build_equations(const Model&, std::span<const double> constants, Report*,
                          const Adjustable& = {});

/// The constants as the document gives them.
std::vector<double> default_constants(const Model&);

/// Warns of what is allowed but seldom meant. Only for a model without errors.
void check_sense(const Model&, const Equations&, Report&);

}  // namespace vernier::automaton::detail
