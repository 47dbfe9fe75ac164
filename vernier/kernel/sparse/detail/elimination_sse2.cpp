#define VERNIER_INSTRUCTIONS sse2
#include "vernier/kernel/sparse/detail/elimination.hpp"

namespace vernier::sparse::detail {

const Code code_sse2 = sse2::code;

}  // namespace vernier::sparse::detail
