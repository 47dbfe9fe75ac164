#define VERNIER_INSTRUCTIONS sse2
#include "vernier/kernel/multibody/detail/lanes_code.hpp"

namespace vernier::multibody::detail {

const LanesCode lanes_sse2 = LaneSweeps::code;

}  // namespace vernier::multibody::detail
