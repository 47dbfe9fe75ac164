#define VERNIER_INSTRUCTIONS avx2
#include "vernier/kernel/elementary/lane_code.hpp"

namespace vernier::elementary::detail {

extern const LaneFunctions lanes_avx2;
const LaneFunctions lanes_avx2 = LaneTable<4>::functions;

}  // namespace vernier::elementary::detail
