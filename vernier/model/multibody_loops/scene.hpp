#pragma once

#include "vernier/component/scene.hpp"
#include "vernier/model/multibody_loops/definition.hpp"

namespace vernier::multibody_loops {

/// What a mechanism looks like: a body for each node, with the boxes of its masses by their
/// inertia and struts to its joints; beams and rods as curves through nodes. Every node is placed
/// by its outputs `position` and `attitude`.
scene::Scene scene_of(const Definition&);

}  // namespace vernier::multibody_loops
