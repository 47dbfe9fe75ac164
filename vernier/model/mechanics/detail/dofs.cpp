#include "vernier/model/mechanics/detail/dofs.hpp"

namespace vernier::mechanics::detail {

std::vector<Dof> dofs(multibody::HingeKind k) {
  using multibody::HingeKind;
  switch (k) {
    case HingeKind::fixed:
      return {};
    case HingeKind::pin:
      return {{"turn", true, true}};
    case HingeKind::prismatic:
      return {{"slide", false, true}};
    case HingeKind::cylindrical:
      return {{"turn", true, true}, {"slide", false, true}};
    case HingeKind::universal:
      return {{"x", true, true}, {"y", true, true}};
    case HingeKind::gimbal:
      return {{"x", true, true}, {"y", true, true}, {"z", true, true}};
    case HingeKind::ball:
      return {{"wx", true, false}, {"wy", true, false}, {"wz", true, false}};
    case HingeKind::planar:
      return {{"x", false, true}, {"y", false, true}, {"turn", true, true}};
    case HingeKind::free:
      return {{"wx", true, false},  {"wy", true, false},  {"wz", true, false},
              {"vx", false, false}, {"vy", false, false}, {"vz", false, false}};
  }
  return {};
}

}  // namespace vernier::mechanics::detail
