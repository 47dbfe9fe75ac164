#include "multibody_peak.hpp"

#include <algorithm>

#include "machine.hpp"

namespace vernier::bench {
namespace {

#if defined(__x86_64__)
constexpr long turns = 1000000;

#define TWELVE(OP) OP(0) OP(1) OP(2) OP(3) OP(4) OP(5) OP(6) OP(7) OP(8) OP(9) OP(10) OP(11)

#define DECLARE(i) V v##i = start * (i);
#define FUSED(i) asm volatile("vfmadd231pd %1, %1, %0" : "+v"(v##i) : "v"(c));
#define USE(i) asm volatile("" ::"v"(v##i));

__attribute__((target("avx512f"))) void wide() {
  typedef double V __attribute__((vector_size(64)));
  const V start = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3}, c = start * 1e-6;
  TWELVE(DECLARE)
  for (long k = 0; k < turns; ++k) {
    TWELVE(FUSED)
  }
  TWELVE(USE)
}
__attribute__((target("avx2,fma"))) void narrow() {
  typedef double V __attribute__((vector_size(32)));
  const V start = {1e-3, 1e-3, 1e-3, 1e-3}, c = start * 1e-6;
  TWELVE(DECLARE)
  for (long k = 0; k < turns; ++k) {
    TWELVE(FUSED)
  }
  TWELVE(USE)
}

double best_of(void (*run)(), double flops) {
  double least = 1e9;
  for (int i = 0; i < 25; ++i) {
    const double t = cpu_seconds();
    run();
    least = std::min(least, cpu_seconds() - t);
  }
  return flops / least * 1e-9;
}
#endif

}  // namespace

double peak_gigaflops() {
  double peak = 0.0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("fma")) peak = best_of(narrow, 12.0 * turns * 8);
  if (__builtin_cpu_supports("avx512f")) peak = std::max(peak, best_of(wide, 12.0 * turns * 16));
#endif
  return peak;
}

}  // namespace vernier::bench
