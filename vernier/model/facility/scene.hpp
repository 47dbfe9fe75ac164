#pragma once

#include "vernier/component/scene.hpp"
#include "vernier/model/facility/facility.hpp"

namespace vernier::facility {

/// What a facility looks like, in the axes of the laboratory: the rail, both arms by their joints,
/// the mock-ups.
scene::Scene scene_of(const Installation&);

}  // namespace vernier::facility
