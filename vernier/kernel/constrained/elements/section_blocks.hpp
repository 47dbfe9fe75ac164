#pragma once

#include <array>

#include "vernier/kernel/constrained/element.hpp"

/// Checks of the parameters of beams; all throw std::invalid_argument.
namespace vernier::constrained {

/// A section matrix by blocks; rows: force, moment; columns: strain, curvature.
struct SectionBlocks {
  Matrix3 ee, ek, ke, kk;
  bool diagonal = true, zero = true;
};
/// The blocks of a symmetric matrix; `definite`: must be positive definite (stiffness), otherwise
/// semidefinite (damping).
SectionBlocks checked_blocks(const std::array<double, 36>&, bool definite);

/// `what`: "section axes of a beam".
void check_axes(const Matrix3&, const char* what);
/// Checks ds/dξ at a point of a beam whose nodes are up to `size` apart.
void check_length(double ds, double size);
/// Checks the component of axis 1 of the section along the beam.
void check_along(double cosine);
/// Checks the rotation between neighbouring nodes in the reference.
void check_bent(const Vector3& rotation_vector);

}  // namespace vernier::constrained
