#define VERNIER_INSTRUCTIONS avx512
#include "vernier/kernel/elementary/lane_code.hpp"

namespace vernier::elementary::detail {

extern const LaneFunctions lanes_avx512;
const LaneFunctions lanes_avx512 = LaneTable<8>::functions;

}  // namespace vernier::elementary::detail
