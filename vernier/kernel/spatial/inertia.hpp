#pragma once

#include <string>

#include "vernier/kernel/spatial/motion.hpp"

namespace vernier::spatial {

/// Whether a body can have a matrix of inertia about its centre of mass: its principal moments are
/// not negative, and none exceeds the sum of the other two (the second moments of mass are not
/// negative).
struct InertiaCheck {
  bool positive = true;
  bool triangle = true;
  Vector3 principal = Vector3::Zero();  // kg m^2, in ascending order
};

/// `size`: what rounding is measured by; that of the matrix before it was moved to the centre.
InertiaCheck checked_inertia(const Matrix3& about_centre, double size);

/// "breaks the triangle inequality: 9 > 3 + 4 kg m^2"
std::string broken_triangle(const InertiaCheck&);

}  // namespace vernier::spatial
