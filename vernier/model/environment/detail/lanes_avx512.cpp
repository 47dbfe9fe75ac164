#define VERNIER_INSTRUCTIONS avx512
#include "vernier/model/environment/detail/lanes.hpp"

namespace vernier::environment::detail {

extern const ModelLanes lanes_avx512;
const ModelLanes lanes_avx512{hybrid::LaneCode<8, KeplerModel>::table,
                              hybrid::LaneCode<8, J2Model>::table,
                              hybrid::LaneCode<8, DipoleModel>::table};

}  // namespace vernier::environment::detail
