#include "vernier/kernel/multibody/model.hpp"

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
  }
  return modes;
}

}  // namespace vernier::multibody
