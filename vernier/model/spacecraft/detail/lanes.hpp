#pragma once

#include "vernier/model/spacecraft/models.hpp"

namespace vernier::spacecraft::detail {

/// The models of this module in lanes, for the instructions of this machine.
struct ModelLanes {
  hybrid::LaneTable<RigidBodyData> rigid_body;
  hybrid::LaneTable<RotationData> rotation;
  hybrid::LaneTable<MagnetorquersData> magnetorquers;
  hybrid::LaneTable<WheelsData> wheels;
};
const ModelLanes& model_lanes() noexcept;

}  // namespace vernier::spacecraft::detail
