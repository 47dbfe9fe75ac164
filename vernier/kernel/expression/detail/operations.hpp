#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression::detail {

constexpr bool comparison(Operation o) noexcept {
  return o >= Operation::less && o <= Operation::not_equal;
}

/// Whether the result is 0 or 1, always.
constexpr bool truth_valued(Operation o) noexcept {
  return o >= Operation::less && o <= Operation::logical_not;
}

// What the operations mean where C++ has no function of that meaning. Any number but zero is true,
// NaN included. These forms are those of the instructions minsd and maxsd: where the operands do
// not compare, or are zeros, the answer is the second one.
inline double minimum(double a, double b) noexcept { return a < b ? a : b; }
inline double maximum(double a, double b) noexcept { return a > b ? a : b; }
inline double sign(double a) noexcept { return a < 0.0 ? -1.0 : (a > 0.0 ? 1.0 : a); }
inline double truth(bool holds) noexcept { return holds ? 1.0 : 0.0; }

using Unary = double (*)(double);
using Binary = double (*)(double, double);

/// The library function of an operation, the same for all back ends; null when it is not done by
/// one.
Unary unary_function(Operation) noexcept;
Binary binary_function(Operation) noexcept;

/// Everything the given terms are made of, themselves included, ascending: operands come first.
std::vector<Term> reachable(const Graph&, std::span<const Term> from);

/// The comparisons that a condition is a logical combination of, each once, as written.
std::vector<Term> comparisons(const Graph&, Term condition);

/// The meaning of an operation other than constant and symbol.
double evaluate(Operation, double a, double b, double c) noexcept;

}  // namespace vernier::expression::detail
