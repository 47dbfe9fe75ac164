#define VERNIER_INSTRUCTIONS avx2
#include "vernier/kernel/multibody/detail/star_table.hpp"

namespace vernier::multibody::detail {

const StarCode star_avx2 = StarTable<4>::code;

}  // namespace vernier::multibody::detail
