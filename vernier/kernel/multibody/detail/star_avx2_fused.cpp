#define VERNIER_INSTRUCTIONS avx2_fused
#include "vernier/kernel/multibody/detail/star_table.hpp"

namespace vernier::multibody::detail {

const StarCode star_avx2_fused = StarTable<4>::code;

}  // namespace vernier::multibody::detail
