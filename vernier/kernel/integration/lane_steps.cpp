#include "vernier/kernel/integration/detail/lane_steps.hpp"

namespace vernier::integration::detail {

extern const LaneSteps lane_steps_sse2;
#if defined(VERNIER_WIDE_INSTRUCTIONS)
extern const LaneSteps lane_steps_avx2, lane_steps_avx512;
#endif

const LaneSteps& lane_steps() noexcept {
#if defined(VERNIER_WIDE_INSTRUCTIONS)
  if (chosen_instructions() == Instructions::avx512) return lane_steps_avx512;
  if (chosen_instructions() == Instructions::avx2) return lane_steps_avx2;
#endif
  return lane_steps_sse2;
}

}  // namespace vernier::integration::detail
