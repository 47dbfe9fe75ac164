#pragma once

#include "vernier/component/scene.hpp"
#include "vernier/model/multibody_tree/reader.hpp"

namespace vernier::multibody_tree {

/// What a spacecraft looks like: its bodies as boxes by their inertia, wheels, tanks, engines;
/// flexible bodies by the points of their modal files. Every pose follows from the states.
scene::Scene scene_of(const Spacecraft&);

}  // namespace vernier::multibody_tree
