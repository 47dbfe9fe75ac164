#define VERNIER_INSTRUCTIONS avx2
#include "vernier/kernel/multibody/detail/lanes_code.hpp"

namespace vernier::multibody::detail {

const LanesCode lanes_avx2 = LaneSweeps::code;

}  // namespace vernier::multibody::detail
