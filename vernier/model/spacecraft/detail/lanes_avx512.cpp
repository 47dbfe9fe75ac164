#define VERNIER_INSTRUCTIONS avx512
#include "vernier/model/spacecraft/detail/lanes.hpp"

namespace vernier::spacecraft::detail {

extern const ModelLanes lanes_avx512;
const ModelLanes lanes_avx512{
    hybrid::LaneCode<8, RigidBodyModel>::table, hybrid::LaneCode<8, RotationModel>::table,
    hybrid::LaneCode<8, MagnetorquersModel>::table, hybrid::LaneCode<8, WheelsModel>::table};

}  // namespace vernier::spacecraft::detail
