#define VERNIER_INSTRUCTIONS avx512
#include "vernier/kernel/multibody/detail/tangent_code.hpp"

namespace vernier::multibody::detail {

const TangentCode tangent_avx512 = TangentSweeps::code;

}  // namespace vernier::multibody::detail
