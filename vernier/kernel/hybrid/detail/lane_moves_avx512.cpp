#define VERNIER_INSTRUCTIONS avx512
#include "vernier/kernel/hybrid/detail/lane_moves_code.hpp"

namespace vernier::hybrid::detail {

extern const LaneMoves lane_moves_avx512;
const LaneMoves lane_moves_avx512 = LaneMovesOf<8>::table;

}  // namespace vernier::hybrid::detail
