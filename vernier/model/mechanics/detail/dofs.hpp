#pragma once

#include <string_view>
#include <vector>

#include "vernier/kernel/multibody/model.hpp"

namespace vernier::mechanics::detail {

/// A degree of freedom of a hinge, as documents call it.
struct Dof {
  std::string_view name;
  bool angle;       // rad, N·m; else m, N
  bool coordinate;  // has a coordinate of its own, so that it can be sprung and stopped
};
/// Of a kind of hinge, in the order of its speeds.
std::vector<Dof> dofs(multibody::HingeKind);

}  // namespace vernier::mechanics::detail
