#define VERNIER_INSTRUCTIONS avx512
#include "vernier/kernel/multibody/detail/tree_code.hpp"

namespace vernier::multibody::detail {

const TreeCode tree_avx512 = TreeTable<8>::code;

}  // namespace vernier::multibody::detail
