#define VERNIER_INSTRUCTIONS avx512
#include "vernier/kernel/multibody/detail/lanes_code.hpp"

namespace vernier::multibody::detail {

const LanesCode lanes_avx512 = LaneSweeps::code;

}  // namespace vernier::multibody::detail
