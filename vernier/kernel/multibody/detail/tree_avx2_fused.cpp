#define VERNIER_INSTRUCTIONS avx2_fused
#include "vernier/kernel/multibody/detail/tree_code.hpp"

namespace vernier::multibody::detail {

const TreeCode tree_avx2_fused = TreeTable<4>::code;

}  // namespace vernier::multibody::detail
