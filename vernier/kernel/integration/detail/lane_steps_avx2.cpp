#define VERNIER_INSTRUCTIONS avx2
#include "vernier/kernel/integration/detail/lane_steps_code.hpp"

namespace vernier::integration::detail {

extern const LaneSteps lane_steps_avx2;
const LaneSteps lane_steps_avx2 = LaneStepsOf<4>::table;

}  // namespace vernier::integration::detail
