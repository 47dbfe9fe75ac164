#define VERNIER_INSTRUCTIONS avx512_fused
#include "vernier/kernel/multibody/detail/star_table.hpp"

namespace vernier::multibody::detail {

const StarCode star_avx512_fused = StarTable<8>::code;

}  // namespace vernier::multibody::detail
