#include "vernier/model/environment/detail/lanes.hpp"

namespace vernier::environment::detail {

extern const ModelLanes lanes_sse2;
#if defined(VERNIER_WIDE_INSTRUCTIONS)
extern const ModelLanes lanes_avx2, lanes_avx512;
#endif

const ModelLanes& model_lanes() noexcept {
#if defined(VERNIER_WIDE_INSTRUCTIONS)
  if (chosen_instructions() == Instructions::avx512) return lanes_avx512;
  if (chosen_instructions() == Instructions::avx2) return lanes_avx2;
#endif
  return lanes_sse2;
}

}  // namespace vernier::environment::detail
