#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression::detail {

class Values;

// The instructions: first the operations in the order of Operation, starting with add; then fused
// pairs, which round twice as the separate operations do.
// clang-format off
#define VERNIER_EXPRESSION_INSTRUCTIONS(X) \
  X(add) X(subtract) X(multiply) X(divide) X(negate) X(power) \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(atan2) X(sinh) X(cosh) X(tanh) \
  X(exp) X(log) X(log10) X(sqrt) X(abs) X(sign) X(floor) X(ceil) X(minimum) X(maximum) X(hypot) \
  X(less) X(less_equal) X(greater) X(greater_equal) X(equal) X(not_equal) \
  X(logical_and) X(logical_or) X(logical_not) X(select) \
  X(multiply_add) X(multiply_subtract) X(subtract_product) X(products_sum) X(products_difference) \
  X(end)
// clang-format on

enum class Code : std::uint32_t {
#define VERNIER_EXPRESSION_CODE(name) name,
  VERNIER_EXPRESSION_INSTRUCTIONS(VERNIER_EXPRESSION_CODE)
#undef VERNIER_EXPRESSION_CODE
};

constexpr Code code(Operation o) noexcept {
  return static_cast<Code>(static_cast<std::uint32_t>(o) -
                           static_cast<std::uint32_t>(Operation::add));
}

/// Registers are given as byte offsets into the working memory.
///
///   multiply_add         a*b + c      products_sum         a*b + c*e
///   multiply_subtract    a*b - c      products_difference  a*b - c*e
///   subtract_product     c - a*b      others               as the operation of a, b, c
struct Instruction {
  Code code = Code::end;
  std::uint32_t to = 0, a = 0, b = 0, c = 0, e = 0;
};

/// `count` inputs from `input` go to registers from `to`.
struct Copy {
  std::uint32_t input, to, count;
};

/// An output, from a register (as bytes).
struct Result {
  std::uint32_t output, from;
};

/// The registers hold the inputs that are used, then the constants, then intermediate values. A
/// register of an intermediate value is reused after the value's last use.
struct Bytecode {
  std::vector<Instruction> instructions;  // the last one is `end`
  std::vector<Copy> copies;
  std::vector<double> constants;
  std::uint32_t first_constant = 0;  // register
  std::vector<Result> outputs;
  std::uint32_t registers = 0;
};

/// `values` are the terms of reachable(graph, outputs).
Bytecode compiled(const Values&, std::span<const Term> outputs);

void interpret(const Bytecode&, const double* in, double* out, double* work) noexcept;

/// The vector instructions that interpret_lanes() may use; the results are the same to the bit.
enum class Vectors : std::uint8_t { portable, avx2, avx512 };
/// The widest that this processor supports.
Vectors available_vectors() noexcept;
void interpret_lanes(const Bytecode&, Vectors, const double* const* in, double* out,
                     double* work) noexcept;

}  // namespace vernier::expression::detail
