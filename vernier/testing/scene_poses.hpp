#pragma once

#include <Eigen/Geometry>
#include <functional>
#include <map>
#include <string>

#include "vernier/component/scene.hpp"

namespace vernier::testing {

/// The values of a binding of a scene.
using SceneValues = std::function<std::vector<double>(const scene::Binding&)>;

/// The poses of all bodies in the axes of the scene, by their names: what a viewer computes.
/// Throws std::out_of_range for a parent that does not come before its child.
std::map<std::string, Eigen::Isometry3d> scene_poses(const scene::Scene&, const SceneValues&);

/// The place of a point of a flexible body in its axes.
Eigen::Vector3d scene_point(const scene::Point&, const std::vector<double>& eta);

}  // namespace vernier::testing
