#define VERNIER_INSTRUCTIONS sse2
#include "vernier/model/spacecraft/detail/lanes.hpp"

namespace vernier::spacecraft::detail {

extern const ModelLanes lanes_sse2;
const ModelLanes lanes_sse2{
    hybrid::LaneCode<2, RigidBodyModel>::table, hybrid::LaneCode<2, RotationModel>::table,
    hybrid::LaneCode<2, MagnetorquersModel>::table, hybrid::LaneCode<2, WheelsModel>::table};

}  // namespace vernier::spacecraft::detail
