#include "vernier/kernel/multibody/model.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/kernel/multibody/detail/hinges.hpp"

namespace vernier::multibody {
namespace {

Matrix3 skew(const Vector3& v) {
  Matrix3 m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

/// The degrees of freedom of a kind, with types of the standard library.
template <class K>
struct Dofs {
  static constexpr auto all = [] {
    std::array<HingeDof, K::speeds> to{};
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = {K::dofs[i].name, K::dofs[i].angle};
    return to;
  }();
};

template <class K>
constexpr HingeFacts facts_of(HingeKind kind) {
  static_assert(K::trigs <= 4);
  return {kind,           K::name,           K::coordinates,    Dofs<K>::all,      K::axes,
          K::quaternion,  K::position,       K::parameter_name, K::parameter_unit, K::singular,
          K::singular_at, K::singular_advice};
}

}  // namespace

const HingeFacts& facts(HingeKind kind) noexcept {
  return hinge_kinds()[static_cast<std::size_t>(kind)];
}

std::span<const HingeFacts> hinge_kinds() noexcept {
#define VERNIER_HINGE_FACTS(name, type) facts_of<detail::type>(HingeKind::name),
  static constexpr HingeFacts all[] = {VERNIER_HINGE_KINDS(VERNIER_HINGE_FACTS)};
#undef VERNIER_HINGE_FACTS
  return all;
}

Inertia rigid_inertia(const std::vector<Lump>& lumps) {
  Inertia sum;
  for (const Lump& l : lumps) {
    sum.mass += l.mass;
    sum.moment += l.mass * l.p;
    sum.inertia += l.mass * skew(l.p).transpose() * skew(l.p) + l.inertia;
  }
  return sum;
}

// Modal integrals as sums over lumps (docs/mathematics/multibody.md, section 2).
Modes modal_integrals(const std::vector<Lump>& lumps) {
  Eigen::Index n = 0;
  for (const Lump& l : lumps) n = std::max({n, l.shape.cols(), l.rotation.cols()});
  Modes modes;
  modes.S1 = modes.H0 = Matrix3X::Zero(3, n);
  modes.mass = modes.stiffness = modes.damping = MatrixX::Zero(n, n);
  modes.N0.assign(n, Matrix3::Zero());
  modes.H1.assign(n, Matrix3X::Zero(3, n));
  modes.J2.assign(n * n, Matrix3::Zero());
  const auto pairs = static_cast<Eigen::Index>(pairs_of(static_cast<std::size_t>(n)));
  if (n > 0 &&
      std::ranges::any_of(lumps, [&](const Lump& l) { return l.second.cols() == pairs; })) {
    modes.S2.assign(static_cast<std::size_t>(pairs), Vector3::Zero());
    modes.N2.assign(static_cast<std::size_t>(pairs), Matrix3::Zero());
  }
  for (const Lump& l : lumps) {
    if (l.shape.cols() == n) {
      modes.S1 += l.mass * l.shape;
      modes.H0 += l.mass * skew(l.p) * l.shape;
      modes.mass += l.mass * l.shape.transpose() * l.shape;
      for (Eigen::Index i = 0; i < n; ++i) {
        const Vector3 phi = l.shape.col(i);
        modes.N0[i] += l.mass * (l.p.dot(phi) * Matrix3::Identity() - phi * l.p.transpose());
        modes.H1[i] += l.mass * skew(phi) * l.shape;
        for (Eigen::Index k = 0; k < n; ++k) {
          const Vector3 other = l.shape.col(k);
          modes.J2[i * n + k] +=
              l.mass * (phi.dot(other) * Matrix3::Identity() - phi * other.transpose());
        }
      }
    }
    if (l.rotation.cols() == n) {
      // The inertia of a lump is taken as constant in body axes, so J(η) does not depend on it. N0
      // changes only in its antisymmetric part, which has no effect on J, to satisfy N0 - N0ᵀ =
      // -skew(H0).
      const Matrix3X h = l.inertia * l.rotation;
      modes.H0 += h;
      modes.mass += l.rotation.transpose() * h;
      for (Eigen::Index i = 0; i < n; ++i) modes.N0[i] -= 0.5 * skew(h.col(i));
    }
    for (Eigen::Index k = 0; n > 0 && l.second.cols() == pairs && k < pairs; ++k) {
      const Vector3 g = l.second.col(k);
      modes.S2[k] += l.mass * g;
      modes.N2[k] += l.mass * (l.p.dot(g) * Matrix3::Identity() - g * l.p.transpose());
    }
  }
  return modes;
}

Matrix3X shortened(const Lump& from, const Lump& to) {
  const Eigen::Index n = std::max(from.shape.cols(), to.shape.cols());
  const auto pairs = static_cast<Eigen::Index>(pairs_of(static_cast<std::size_t>(n)));
  const double h = (to.p - from.p).norm();
  const Vector3 e = (to.p - from.p) / h;
  const auto or_zero = [](const Matrix3X& x, Eigen::Index columns) -> Matrix3X {
    return x.cols() == columns ? x : Matrix3X::Zero(3, columns);
  };
  const Matrix3X chord = (or_zero(to.shape, n) - or_zero(from.shape, n)) / h;
  const Matrix3X d = chord - e * (e.transpose() * chord);
  const Matrix3X a = -skew(e) * or_zero(from.rotation, n), b = -skew(e) * or_zero(to.rotation, n);
  Matrix3X g = or_zero(from.second, pairs);
  for (Eigen::Index i = 0, pair = 0; i < n; ++i) {
    for (Eigen::Index l = 0; l <= i; ++l, ++pair) {
      const auto dot = [&](const Matrix3X& x, const Matrix3X& y) { return x.col(i).dot(y.col(l)); };
      const double integral =
          h / 30.0 *
          (36.0 * dot(d, d) - 3.0 * (dot(d, a) + dot(a, d) + dot(d, b) + dot(b, d)) +
           4.0 * (dot(a, a) + dot(b, b)) - dot(a, b) - dot(b, a));
      g.col(pair) -= e * integral;
    }
  }
  return g;
}

double modal_bound(const Inertia& body, const Modes& modes, std::size_t mode) noexcept {
  // ∫ (φ_i η_i)² dm <= limit² ∫ p² dm, and tr J0 = 2 ∫ p² dm
  const auto i = static_cast<Eigen::Index>(mode);
  return modes.limit * std::sqrt(0.5 * body.inertia.trace() / modes.mass(i, i));
}

}  // namespace vernier::multibody
