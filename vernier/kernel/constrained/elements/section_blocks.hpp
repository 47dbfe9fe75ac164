#pragma once

#include <array>

#include "vernier/kernel/constrained/element.hpp"

/// What beams check of their parameters; all throw std::invalid_argument.
namespace vernier::constrained {

/// A section matrix by blocks; rows: force, moment; columns: strain, curvature.
struct SectionBlocks {
  Matrix3 ee, ek, ke, kk;
  bool diagonal = true, zero = true;
};
/// Of a symmetric matrix; `definite`: positive definite (a stiffness), else semidefinite (damping).
SectionBlocks checked_blocks(const std::array<double, 36>&, bool definite);

/// `what`: "section axes of a beam".
void check_axes(const Matrix3&, const char* what);
/// ds/dξ at a point of a beam whose nodes are up to `size` apart.
void check_length(double ds, double size);
/// The component of the section's axis 1 along the beam.
void check_along(double cosine);
/// The rotation between neighbouring nodes in the reference.
void check_bent(const Vector3& rotation_vector);

}  // namespace vernier::constrained
