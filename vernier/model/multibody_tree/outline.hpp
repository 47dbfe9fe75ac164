#pragma once

#include "vernier/component/scene.hpp"
#include "vernier/model/multibody_tree/modal_file.hpp"

namespace vernier::multibody_tree {

/// The points of a flexible body, and the lines and sheets between them.
struct Outline {
  std::vector<scene::Point> points;
  std::vector<scene::Shape> shapes;
};

/// Lines along the beams of the file; without beams, between points that no third point is nearer
/// to than they are to each other (the relative neighbourhood graph). Points with an elongated
/// inertia are bars; neighbouring bars span a sheet.
Outline outline(const ModalFile&);

}  // namespace vernier::multibody_tree
