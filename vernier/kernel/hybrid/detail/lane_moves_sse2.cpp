#define VERNIER_INSTRUCTIONS sse2
#include "vernier/kernel/hybrid/detail/lane_moves_code.hpp"

namespace vernier::hybrid::detail {

extern const LaneMoves lane_moves_sse2;
const LaneMoves lane_moves_sse2 = LaneMovesOf<2>::table;

}  // namespace vernier::hybrid::detail
