#include "vernier/base/instructions.hpp"
#include "vernier/kernel/hybrid/detail/gather.hpp"

namespace vernier::hybrid::detail {

extern const LaneMoves lane_moves_sse2;
#if defined(VERNIER_WIDE_INSTRUCTIONS)
extern const LaneMoves lane_moves_avx2, lane_moves_avx512;
#endif

const LaneMoves& lane_moves() noexcept {
#if defined(VERNIER_WIDE_INSTRUCTIONS)
  if (chosen_instructions() == Instructions::avx512) return lane_moves_avx512;
  if (chosen_instructions() == Instructions::avx2) return lane_moves_avx2;
#endif
  return lane_moves_sse2;
}

}  // namespace vernier::hybrid::detail
