#define VERNIER_INSTRUCTIONS avx2
#include "vernier/model/environment/detail/lanes.hpp"

namespace vernier::environment::detail {

extern const ModelLanes lanes_avx2;
const ModelLanes lanes_avx2{hybrid::LaneCode<4, KeplerModel>::table,
                            hybrid::LaneCode<4, J2Model>::table,
                            hybrid::LaneCode<4, DipoleModel>::table};

}  // namespace vernier::environment::detail
