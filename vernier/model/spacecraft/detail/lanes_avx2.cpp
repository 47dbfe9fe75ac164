#define VERNIER_INSTRUCTIONS avx2
#include "vernier/model/spacecraft/detail/lanes.hpp"

namespace vernier::spacecraft::detail {

extern const ModelLanes lanes_avx2;
const ModelLanes lanes_avx2{
    hybrid::LaneCode<4, RigidBodyModel>::table, hybrid::LaneCode<4, RotationModel>::table,
    hybrid::LaneCode<4, MagnetorquersModel>::table, hybrid::LaneCode<4, WheelsModel>::table};

}  // namespace vernier::spacecraft::detail
