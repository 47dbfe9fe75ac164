#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression::detail {

constexpr bool comparison(Operation o) noexcept {
  return o >= Operation::less && o <= Operation::not_equal;
}

/// Whether the result is always 0 or 1.
constexpr bool truth_valued(Operation o) noexcept {
  return o >= Operation::less && o <= Operation::logical_not;
}

// Operations for which C++ has no function of the same meaning. Any number except zero is true,
// including NaN. Minimum and maximum are those of the instructions minsd and maxsd: if the operands
// are unordered, or both are zero, the result is the second one.
inline double minimum(double a, double b) noexcept { return a < b ? a : b; }
inline double maximum(double a, double b) noexcept { return a > b ? a : b; }
inline double sign(double a) noexcept { return a < 0.0 ? -1.0 : (a > 0.0 ? 1.0 : a); }
inline double truth(bool holds) noexcept { return holds ? 1.0 : 0.0; }

using Unary = double (*)(double);
using Binary = double (*)(double, double);

/// The library function of an operation, the same for all back ends; null if the operation is not a
/// call.
Unary unary_function(Operation) noexcept;
Binary binary_function(Operation) noexcept;

/// All terms that the given ones depend on, including themselves, ascending: operands come first.
std::vector<Term> reachable(const Graph&, std::span<const Term> from);

/// The comparisons that a condition combines, each once, in the order written.
std::vector<Term> comparisons(const Graph&, Term condition);

/// The value of an operation other than constant and symbol.
double evaluate(Operation, double a, double b, double c) noexcept;

}  // namespace vernier::expression::detail
