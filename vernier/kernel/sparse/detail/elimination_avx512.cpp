#define VERNIER_INSTRUCTIONS avx512
#include "vernier/kernel/sparse/detail/elimination.hpp"

namespace vernier::sparse::detail {

const Code code_avx512 = avx512::code;

}  // namespace vernier::sparse::detail
