#pragma once

#include "vernier/model/environment/models.hpp"

namespace vernier::environment::detail {

/// The models of this module in lanes, by the instructions that this machine has.
struct ModelLanes {
  hybrid::LaneTable<KeplerData> kepler;
  hybrid::LaneTable<J2Data> j2;
  hybrid::LaneTable<DipoleData> dipole;
};
const ModelLanes& model_lanes() noexcept;

}  // namespace vernier::environment::detail
