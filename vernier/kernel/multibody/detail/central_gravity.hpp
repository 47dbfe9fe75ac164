#pragma once

#include <span>

#include "vernier/kernel/multibody/model.hpp"
#include "vernier/kernel/spatial/motion.hpp"

namespace vernier::multibody::detail {

/// The acceleration at r, measured from an attracting point mass.
Vector3 central_acceleration(double mu, const Vector3& r) noexcept;

/// Gravity of a point mass on a deformed body, to second order in its size (MacCullagh's formula).
/// With r from the point mass to the centre of mass and J about the centre of mass, the potential
/// is
///
///   V = -μ m / r - μ (tr J - 3 e·J e) / (2 r³),   e = r / |r|
///
/// Force, moment and modal forces are its derivatives, so energy and momenta are conserved.
///
/// The force is at the origin of the body frame, in its axes. `pose` is that of the body frame,
/// with the point mass at the origin. The modal forces are added to `modal`.
spatial::Force central_force(double mu, const Pose& pose, const Inertia& undeformed, const Modes*,
                             std::span<const double> eta, std::span<double> modal) noexcept;

double central_potential(double mu, const Pose& pose, const Inertia& undeformed, const Modes*,
                         std::span<const double> eta) noexcept;

/// Mass, first moment and inertia of a deformed body, to the order of its modes.
Inertia deformed(const Inertia&, const Modes*, std::span<const double> eta) noexcept;

}  // namespace vernier::multibody::detail
