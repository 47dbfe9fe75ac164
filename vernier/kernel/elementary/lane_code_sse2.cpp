#define VERNIER_INSTRUCTIONS sse2
#include "vernier/kernel/elementary/lane_code.hpp"

namespace vernier::elementary::detail {

extern const LaneFunctions lanes_sse2;
const LaneFunctions lanes_sse2 = LaneTable<2>::functions;

}  // namespace vernier::elementary::detail
