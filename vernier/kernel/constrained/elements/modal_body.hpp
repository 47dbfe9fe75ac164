#pragma once

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/multibody/model.hpp"

namespace vernier::constrained {

/// Converts a body of a tree, for a node whose frame is that of the body. All nodes of the tree's
/// body become stations without nodes.
ModalBody modal_body(const multibody::Body&, int node);

}  // namespace vernier::constrained
