#define VERNIER_INSTRUCTIONS avx2
#include "vernier/kernel/sparse/detail/elimination.hpp"

namespace vernier::sparse::detail {

const Code code_avx2 = avx2::code;

}  // namespace vernier::sparse::detail
