#define VERNIER_INSTRUCTIONS avx2
#include "vernier/kernel/hybrid/detail/lane_moves_code.hpp"

namespace vernier::hybrid::detail {

extern const LaneMoves lane_moves_avx2;
const LaneMoves lane_moves_avx2 = LaneMovesOf<4>::table;

}  // namespace vernier::hybrid::detail
