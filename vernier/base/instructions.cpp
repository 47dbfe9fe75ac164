#include "vernier/base/instructions.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace vernier {

const char* name(Instructions set) noexcept {
  switch (set) {
    case Instructions::avx512:
      return "avx512";
    case Instructions::avx2:
      return "avx2";
    default:
      return "sse2";
  }
}

const char* name(Arithmetic a) noexcept {
  return a == Arithmetic::fastest ? "fastest" : "reproducible";
}

bool alike(const Computing& a, const Computing& b) noexcept {
  if (a.arithmetic != b.arithmetic) return false;
  return a.arithmetic == Arithmetic::reproducible || a.instructions == b.instructions;
}

Instructions best_instructions() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
      return Instructions::avx512;
    return Instructions::avx2;
  }
#endif
  return Instructions::sse2;
}

Instructions chosen_instructions() noexcept {
  const Instructions best = best_instructions();
  const char* asked = std::getenv("VERNIER_INSTRUCTIONS");  // NOLINT(concurrency-mt-unsafe)
  if (asked == nullptr) return best;
  for (const Instructions set : {Instructions::sse2, Instructions::avx2})
    if (std::strcmp(asked, name(set)) == 0 && set < best) return set;
  return best;
}

}  // namespace vernier
