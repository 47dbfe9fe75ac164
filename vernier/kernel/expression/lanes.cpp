#include <algorithm>
#include <cstring>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/elementary/lane_functions.hpp"
#include "vernier/kernel/expression/detail/bytecode.hpp"
#include "vernier/kernel/expression/detail/operations.hpp"
#include "vernier/kernel/expression/program.hpp"

namespace vernier::expression::detail {
namespace {

constexpr std::size_t lanes = Program::lanes;

// Vectors of 2, 4 and 8 numbers, the width of SSE2, AVX2 and AVX-512. They are unaligned, because
// the memory belongs to the caller.
template <int n>
struct Vector;
template <>
struct Vector<2> {
  typedef double type __attribute__((vector_size(16), aligned(8), may_alias));
};
template <>
struct Vector<4> {
  typedef double type __attribute__((vector_size(32), aligned(8), may_alias));
};
template <>
struct Vector<8> {
  typedef double type __attribute__((vector_size(64), aligned(8), may_alias));
};

// Executes each bytecode instruction for all lanes. It is inlined into one function per instruction
// set, so that the compiler may use that set. A result register may be the same as an operand
// register, but the two never overlap partly.
template <int n>
[[gnu::always_inline]] inline void run(const Bytecode& code, const double* const* in, double* out,
                                       double* work) noexcept {
  using V = typename Vector<n>::type;
  const elementary::LaneFunctions& functions =
      elementary::lane_functions(n == 8   ? Instructions::avx512
                                 : n == 4 ? Instructions::avx2
                                          : Instructions::sse2);
  double second[lanes];
  for (const Copy& c : code.copies) {
    for (std::uint32_t i = 0; i < c.count; ++i)
      std::memcpy(work + (c.to + i) * lanes, in[c.input + i], lanes * sizeof(double));
  }
  double* constant = work + code.first_constant * lanes;
  for (const double value : code.constants) constant = std::fill_n(constant, lanes, value);

  for (const Instruction* p = code.instructions.data();; ++p) {
    const auto at = [work](std::uint32_t bytes) { return work + bytes / sizeof(double) * lanes; };
    double* to = at(p->to);
    const double *a = at(p->a), *b = at(p->b), *c = at(p->c), *e = at(p->e);
#define LOAD(x) (*reinterpret_cast<const V*>((x) + i))
#define VECTORS(value)                         \
  for (std::size_t i = 0; i < lanes; i += n) { \
    *reinterpret_cast<V*>(to + i) = (value);   \
  }                                            \
  break
#define EACH(value)                                        \
  for (std::size_t i = 0; i < lanes; ++i) to[i] = (value); \
  break
// The lane functions work in place, hence the copy of the operand to the result.
#define FUNCTION(name)                         \
  std::memmove(to, a, lanes * sizeof(double)); \
  functions.name(to, lanes);                   \
  break
#define FUNCTION_OF_TWO(name)                     \
  std::memcpy(second, b, lanes * sizeof(double)); \
  std::memmove(to, a, lanes * sizeof(double));    \
  functions.name(to, second, lanes);              \
  break
#define TRUTH(holds) ((holds) ? V{} + 1.0 : V{})
    switch (p->code) {
      case Code::add:
        VECTORS(LOAD(a) + LOAD(b));
      case Code::subtract:
        VECTORS(LOAD(a) - LOAD(b));
      case Code::multiply:
        VECTORS(LOAD(a) * LOAD(b));
      case Code::divide:
        VECTORS(LOAD(a) / LOAD(b));
      case Code::negate:
        VECTORS(-LOAD(a));
      case Code::multiply_add:
        VECTORS(LOAD(a) * LOAD(b) + LOAD(c));
      case Code::multiply_subtract:
        VECTORS(LOAD(a) * LOAD(b) - LOAD(c));
      case Code::subtract_product:
        VECTORS(LOAD(c) - LOAD(a) * LOAD(b));
      case Code::products_sum:
        VECTORS(LOAD(a) * LOAD(b) + LOAD(c) * LOAD(e));
      case Code::products_difference:
        VECTORS(LOAD(a) * LOAD(b) - LOAD(c) * LOAD(e));
      case Code::minimum:
        VECTORS(LOAD(a) < LOAD(b) ? LOAD(a) : LOAD(b));
      case Code::maximum:
        VECTORS(LOAD(a) > LOAD(b) ? LOAD(a) : LOAD(b));
      case Code::less:
        VECTORS(TRUTH(LOAD(a) < LOAD(b)));
      case Code::less_equal:
        VECTORS(TRUTH(LOAD(a) <= LOAD(b)));
      case Code::greater:
        VECTORS(TRUTH(LOAD(a) > LOAD(b)));
      case Code::greater_equal:
        VECTORS(TRUTH(LOAD(a) >= LOAD(b)));
      case Code::equal:
        VECTORS(TRUTH(LOAD(a) == LOAD(b)));
      case Code::not_equal:
        VECTORS(TRUTH(LOAD(a) != LOAD(b)));
      case Code::logical_and:
        VECTORS(TRUTH((LOAD(a) != V{}) & (LOAD(b) != V{})));
      case Code::logical_or:
        VECTORS(TRUTH((LOAD(a) != V{}) | (LOAD(b) != V{})));
      case Code::logical_not:
        VECTORS(TRUTH(LOAD(a) == V{}));
      case Code::select:
        VECTORS(LOAD(a) != V{} ? LOAD(b) : LOAD(c));
      case Code::sign:
        EACH(detail::sign(a[i]));
      case Code::sqrt:
        EACH(std::sqrt(a[i]));
      case Code::abs:
        EACH(std::fabs(a[i]));
      case Code::floor:
        EACH(std::floor(a[i]));
      case Code::ceil:
        EACH(std::ceil(a[i]));
      case Code::power:
        FUNCTION_OF_TWO(pow);
      case Code::sin:
        FUNCTION(sin);
      case Code::cos:
        FUNCTION(cos);
      case Code::tan:
        FUNCTION(tan);
      case Code::asin:
        FUNCTION(asin);
      case Code::acos:
        FUNCTION(acos);
      case Code::atan:
        FUNCTION(atan);
      case Code::atan2:
        FUNCTION_OF_TWO(atan2);
      case Code::sinh:
        FUNCTION(sinh);
      case Code::cosh:
        FUNCTION(cosh);
      case Code::tanh:
        FUNCTION(tanh);
      case Code::exp:
        FUNCTION(exp);
      case Code::log:
        FUNCTION(log);
      case Code::log10:
        FUNCTION(log10);
      case Code::hypot:
        FUNCTION_OF_TWO(hypot);
      case Code::end:
        for (const Result& r : code.outputs)
          std::memcpy(out + r.output * lanes, at(r.from), lanes * sizeof(double));
        return;
    }
#undef LOAD
#undef VECTORS
#undef EACH
#undef FUNCTION
#undef FUNCTION_OF_TWO
#undef TRUTH
  }
}

void run_portable(const Bytecode& code, const double* const* in, double* out,
                  double* work) noexcept {
  run<2>(code, in, out, work);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void run_avx2(const Bytecode& code, const double* const* in, double* out,
                                      double* work) noexcept {
  run<4>(code, in, out, work);
}
[[gnu::target("avx512f,avx512dq,avx512vl")]] void run_avx512(const Bytecode& code,
                                                             const double* const* in, double* out,
                                                             double* work) noexcept {
  run<8>(code, in, out, work);
}
#endif

}  // namespace

Vectors available_vectors() noexcept {
  const Instructions set = chosen_instructions();
  return set == Instructions::avx512 ? Vectors::avx512
         : set == Instructions::avx2 ? Vectors::avx2
                                     : Vectors::portable;
}

void interpret_lanes(const Bytecode& code, Vectors vectors, const double* const* in, double* out,
                     double* work) noexcept {
#if defined(__x86_64__)
  if (vectors == Vectors::avx512) return run_avx512(code, in, out, work);
  if (vectors == Vectors::avx2) return run_avx2(code, in, out, work);
#endif
  static_cast<void>(vectors);
  run_portable(code, in, out, work);
}

}  // namespace vernier::expression::detail
