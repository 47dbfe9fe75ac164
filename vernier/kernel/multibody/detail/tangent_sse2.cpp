#define VERNIER_INSTRUCTIONS sse2
#include "vernier/kernel/multibody/detail/tangent_code.hpp"

namespace vernier::multibody::detail {

const TangentCode tangent_sse2 = TangentSweeps::code;

}  // namespace vernier::multibody::detail
