#pragma once

#include <span>
#include <string_view>

#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression::detail {

/// What a function requires of the units of its arguments, and the unit of its result.
enum class UnitRule {
  none_to_none,  // arguments and result have no unit: sin
  same_to_same,  // arguments and result have one unit: min, hypot, if
  same_to_none,  // arguments have one unit, the result has none: atan2
  any_to_none,   // sign
  root,          // sqrt
  raised         // pow
};

struct Function {
  std::string_view name;
  Operation operation;
  int least, most;  // arguments
  UnitRule units;
};

/// Functions of vectors and matrices.
enum class VectorKind {
  cross,
  dot,
  norm,
  unit,
  sum,
  transpose,
  inverse,
  diag,
  skew,
  identity,
  zeros,
  ones,
  rotate,
  dcm,
  qmul,
  qinv,
  qrate,
  table
};

struct VectorFunction {
  std::string_view name;
  VectorKind kind;
  int least, most;  // arguments
};

/// In the order of the reference page.
std::span<const VectorFunction> vector_functions() noexcept;
const VectorFunction* find_vector_function(std::string_view) noexcept;

/// Of single numbers, in the order of the reference page.
std::span<const Function> functions() noexcept;
const Function* find_function(std::string_view) noexcept;

}  // namespace vernier::expression::detail
