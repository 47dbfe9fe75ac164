#define VERNIER_INSTRUCTIONS avx2
#include "vernier/kernel/multibody/detail/tree_code.hpp"

namespace vernier::multibody::detail {

const TreeCode tree_avx2 = TreeTable<4>::code;

}  // namespace vernier::multibody::detail
