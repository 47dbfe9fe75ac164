#define VERNIER_INSTRUCTIONS sse2
#include "vernier/kernel/multibody/detail/tree_code.hpp"

namespace vernier::multibody::detail {

const TreeCode tree_sse2 = TreeTable<2>::code;

}  // namespace vernier::multibody::detail
