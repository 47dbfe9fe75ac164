#include "vernier/kernel/spatial/inertia.hpp"

#include <Eigen/Eigenvalues>
#include <cstdio>

namespace vernier::spatial {

InertiaCheck checked_inertia(const Matrix3& about_centre, double size) {
  constexpr double rounding = 1e-9;
  InertiaCheck found;
  found.principal =
      Eigen::SelfAdjointEigenSolver<Matrix3>(about_centre, Eigen::EigenvaluesOnly).eigenvalues();
  const double slack = rounding * size;
  const Vector3& J = found.principal;
  found.positive = J[0] >= -slack;
  found.triangle = J[2] <= J[0] + J[1] + slack;
  return found;
}

std::string broken_triangle(const InertiaCheck& c) {
  char text[128];
  std::snprintf(text, sizeof text, "breaks the triangle inequality: %.3g > %.3g + %.3g kg m^2",
                c.principal[2], c.principal[0], c.principal[1]);
  return text;
}

}  // namespace vernier::spatial
