#include <cstring>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/expression/detail/bytecode.hpp"
#include "vernier/kernel/expression/detail/operations.hpp"

// Threaded code: each instruction jumps directly to the next one, so that the processor predicts
// each jump separately. Addresses of labels are an extension of gcc and clang.
#pragma GCC diagnostic ignored "-Wpedantic"

namespace vernier::expression::detail {

void interpret(const Bytecode& code, const double* in, double* out, double* work) noexcept {
  for (const Copy& c : code.copies) {
    std::memcpy(work + c.to, in + c.input, c.count * sizeof(double));
  }
  if (!code.constants.empty()) {
    std::memcpy(work + code.first_constant, code.constants.data(),
                code.constants.size() * sizeof(double));
  }

  static const void* const labels[] = {
#define VERNIER_EXPRESSION_LABEL(name) &&do_##name,
      VERNIER_EXPRESSION_INSTRUCTIONS(VERNIER_EXPRESSION_LABEL)
#undef VERNIER_EXPRESSION_LABEL
  };
  const Instruction* p = code.instructions.data();
  const auto at = [work](std::uint32_t bytes) -> double& {
    return *reinterpret_cast<double*>(reinterpret_cast<char*>(work) + bytes);
  };

#define NEXT (labels[static_cast<std::uint32_t>(p->code)])
#define DO(name, value)  \
  do_##name : {          \
    at(p->to) = (value); \
    ++p;                 \
    goto* NEXT;          \
  }
#define A at(p->a)
#define B at(p->b)
#define C at(p->c)
#define E at(p->e)

  goto* NEXT;
  DO(add, A + B)
  DO(subtract, A - B)
  DO(multiply, A * B)
  DO(divide, A / B)
  DO(negate, -A)
  DO(power, elementary::pow(A, B))
  DO(sin, elementary::sin(A))
  DO(cos, elementary::cos(A))
  DO(tan, elementary::tan(A))
  DO(asin, elementary::asin(A))
  DO(acos, elementary::acos(A))
  DO(atan, elementary::atan(A))
  DO(atan2, elementary::atan2(A, B))
  DO(sinh, elementary::sinh(A))
  DO(cosh, elementary::cosh(A))
  DO(tanh, elementary::tanh(A))
  DO(exp, elementary::exp(A))
  DO(log, elementary::log(A))
  DO(log10, elementary::log10(A))
  DO(sqrt, std::sqrt(A))
  DO(abs, std::fabs(A))
  DO(sign, detail::sign(A))
  DO(floor, std::floor(A))
  DO(ceil, std::ceil(A))
  DO(minimum, detail::minimum(A, B))
  DO(maximum, detail::maximum(A, B))
  DO(hypot, elementary::hypot(A, B))
  DO(less, truth(A < B))
  DO(less_equal, truth(A <= B))
  DO(greater, truth(A > B))
  DO(greater_equal, truth(A >= B))
  DO(equal, truth(A == B))
  DO(not_equal, truth(A != B))
  DO(logical_and, truth(A != 0.0 && B != 0.0))
  DO(logical_or, truth(A != 0.0 || B != 0.0))
  DO(logical_not, truth(A == 0.0))
  DO(select, A != 0.0 ? B : C)
  DO(multiply_add, A * B + C)
  DO(multiply_subtract, A * B - C)
  DO(subtract_product, C - A * B)
  DO(products_sum, A * B + C * E)
  DO(products_difference, A * B - C * E)
do_end:
  for (const Result& r : code.outputs) out[r.output] = at(r.from);

#undef NEXT
#undef DO
#undef A
#undef B
#undef C
#undef E
}

}  // namespace vernier::expression::detail
