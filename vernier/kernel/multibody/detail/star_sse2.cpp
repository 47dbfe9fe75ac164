#define VERNIER_INSTRUCTIONS sse2
#include "vernier/kernel/multibody/detail/star_table.hpp"

namespace vernier::multibody::detail {

const StarCode star_sse2 = StarTable<2>::code;

}  // namespace vernier::multibody::detail
