#define VERNIER_INSTRUCTIONS avx512
#include "vernier/kernel/integration/detail/lane_steps_code.hpp"

namespace vernier::integration::detail {

extern const LaneSteps lane_steps_avx512;
const LaneSteps lane_steps_avx512 = LaneStepsOf<8>::table;

}  // namespace vernier::integration::detail
