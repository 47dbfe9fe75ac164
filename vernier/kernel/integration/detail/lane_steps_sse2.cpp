#define VERNIER_INSTRUCTIONS sse2
#include "vernier/kernel/integration/detail/lane_steps_code.hpp"

namespace vernier::integration::detail {

extern const LaneSteps lane_steps_sse2;
const LaneSteps lane_steps_sse2 = LaneStepsOf<2>::table;

}  // namespace vernier::integration::detail
