#pragma once

#include "vernier/model/environment/models.hpp"

namespace vernier::environment::detail {

/// The models of this module in lanes, for the instructions of this machine.
struct ModelLanes {
  hybrid::LaneTable<KeplerData> kepler;
  hybrid::LaneTable<J2Data> j2;
  hybrid::LaneTable<DipoleData> dipole;
};
const ModelLanes& model_lanes() noexcept;

}  // namespace vernier::environment::detail
