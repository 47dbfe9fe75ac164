#include "vernier/kernel/multibody/detail/central_gravity.hpp"

#include <cmath>

namespace vernier::multibody::detail {

namespace {

std::size_t pair(std::size_t i, std::size_t l) noexcept {
  return i > l ? pair_of(i, l) : pair_of(l, i);
}

// ∂s/∂η_i: S1_i + Σ_l η_l S2_il
Vector3 moment_by_mode(const Modes& m, std::size_t i, std::span<const double> eta) noexcept {
  Vector3 S1 = m.S1.col(static_cast<Eigen::Index>(i));
  for (std::size_t l = 0; m.shortens() && l < m.count(); ++l) S1 += eta[l] * m.S2[pair(i, l)];
  return S1;
}

// ∂J/∂η_i: N0_i + N0_iᵀ + Σ_l η_l (J2s_il + J2s_li + N2_il + N2_ilᵀ)
Matrix3 inertia_by_mode(const Modes& m, std::size_t i, std::span<const double> eta) noexcept {
  if (m.order == 0) return Matrix3::Zero();
  Matrix3 dJ = m.N0[i] + m.N0[i].transpose();
  if (m.order < 2 && !m.shortens()) return dJ;
  const std::size_t n = m.count();
  for (std::size_t l = 0; l < n; ++l) {
    const Matrix3 both = m.J2[i * n + l] + m.J2[l * n + i];
    dJ += 0.5 * eta[l] * (both + both.transpose());
    if (!m.shortens()) continue;
    const Matrix3& N2 = m.N2[pair(i, l)];
    dJ += eta[l] * (N2 + N2.transpose());
  }
  return dJ;
}

// Twice the inertia of a unit point mass: 2 (a·b) 1 - a bᵀ - b aᵀ.
Matrix3 products(const Vector3& a, const Vector3& b) noexcept {
  return 2.0 * a.dot(b) * Matrix3::Identity() - a * b.transpose() - b * a.transpose();
}

}  // namespace

Inertia deformed(const Inertia& undeformed, const Modes* m, std::span<const double> eta) noexcept {
  Inertia now = undeformed;
  if (m == nullptr) return now;
  const std::size_t n = m->count();
  for (std::size_t i = 0; i < n; ++i) {
    const auto S1 = m->S1.col(static_cast<Eigen::Index>(i));
    now.moment += eta[i] * S1;
    if (m->shortens()) now.moment += 0.5 * eta[i] * (moment_by_mode(*m, i, eta) - S1);
    if (m->order == 0) continue;
    // dJ contains the second-order part twice, so half of it belongs to J.
    const Matrix3 linear = m->N0[i] + m->N0[i].transpose();
    now.inertia += 0.5 * eta[i] * (linear + inertia_by_mode(*m, i, eta));
  }
  return now;
}

Vector3 central_acceleration(double mu, const Vector3& r) noexcept {
  const double r2 = r.squaredNorm();
  return -mu / (r2 * std::sqrt(r2)) * r;
}

namespace {

// The centre of mass relative to the attracting point mass, and the inertia about it, in body axes.
struct Seen {
  Vector3 c, r, e, Je;
  double distance, k, eJe, trace;
};
Seen seen(double mu, const Pose& pose, const Inertia& now) noexcept {
  Seen s;
  s.c = now.moment / now.mass;
  s.r = pose.R.transpose() * pose.p + s.c;
  const Matrix3 J = now.inertia - 0.5 * products(now.moment, now.moment) / now.mass;
  s.distance = s.r.norm();
  s.e = s.r / s.distance;
  s.k = mu / (s.distance * s.distance * s.distance);
  s.Je = J * s.e;
  s.eJe = s.e.dot(s.Je);
  s.trace = J.trace();
  return s;
}

}  // namespace

spatial::Force central_force(double mu, const Pose& pose, const Inertia& undeformed,
                             const Modes* modes, std::span<const double> eta,
                             std::span<double> modal) noexcept {
  const Inertia now = deformed(undeformed, modes, eta);
  if (!(now.mass > 0.0)) return {};
  const Seen s = seen(mu, pose, now);
  // F = -dV/dr: the attraction of the mass and of its second moments.
  const Vector3 force =
      -now.mass * s.k * s.r - 1.5 * s.k / s.distance * ((s.trace - 5.0 * s.eJe) * s.e + 2.0 * s.Je);
  spatial::Force load{s.c.cross(force) + 3.0 * s.k * s.e.cross(s.Je), force};
  if (modes == nullptr) return load;
  for (std::size_t i = 0; i < modes->count(); ++i) {
    const Vector3 S1 = moment_by_mode(*modes, i, eta);
    // -∂V/∂η_i: the mode moves the centre of mass by S1/m and changes the inertia about it.
    const Matrix3 dJ = inertia_by_mode(*modes, i, eta) - products(now.moment, S1) / now.mass;
    modal[i] += S1.dot(force) / now.mass + 0.5 * s.k * (dJ.trace() - 3.0 * s.e.dot(dJ * s.e));
  }
  return load;
}

double central_potential(double mu, const Pose& pose, const Inertia& undeformed, const Modes* modes,
                         std::span<const double> eta) noexcept {
  const Inertia now = deformed(undeformed, modes, eta);
  if (!(now.mass > 0.0)) return 0.0;
  const Seen s = seen(mu, pose, now);
  return -mu * now.mass / s.distance - 0.5 * s.k * (s.trace - 3.0 * s.eJe);
}

}  // namespace vernier::multibody::detail
