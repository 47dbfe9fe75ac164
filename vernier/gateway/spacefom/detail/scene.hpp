#pragma once

#include "vernier/component/scene.hpp"
#include "vernier/gateway/spacefom/document.hpp"

namespace vernier::spacefom::detail {

/// What a federate knows of its federation: frames in their tree, entities and interfaces, by the
/// names that all federates use.
scene::Scene scene_of(const FederateDocument&);

}  // namespace vernier::spacefom::detail
