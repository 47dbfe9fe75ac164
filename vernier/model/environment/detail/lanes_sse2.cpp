#define VERNIER_INSTRUCTIONS sse2
#include "vernier/model/environment/detail/lanes.hpp"

namespace vernier::environment::detail {

extern const ModelLanes lanes_sse2;
const ModelLanes lanes_sse2{hybrid::LaneCode<2, KeplerModel>::table,
                            hybrid::LaneCode<2, J2Model>::table,
                            hybrid::LaneCode<2, DipoleModel>::table};

}  // namespace vernier::environment::detail
