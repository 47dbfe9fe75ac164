#define VERNIER_INSTRUCTIONS avx512_fused
#include "vernier/kernel/multibody/detail/tree_code.hpp"

namespace vernier::multibody::detail {

const TreeCode tree_avx512_fused = TreeTable<8>::code;

}  // namespace vernier::multibody::detail
