#define VERNIER_INSTRUCTIONS avx2
#include "vernier/kernel/multibody/detail/tangent_code.hpp"

namespace vernier::multibody::detail {

const TangentCode tangent_avx2 = TangentSweeps::code;

}  // namespace vernier::multibody::detail
