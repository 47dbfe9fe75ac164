#define VERNIER_INSTRUCTIONS avx512
#include "vernier/kernel/multibody/detail/star_table.hpp"

namespace vernier::multibody::detail {

const StarCode star_avx512 = StarTable<8>::code;

}  // namespace vernier::multibody::detail
