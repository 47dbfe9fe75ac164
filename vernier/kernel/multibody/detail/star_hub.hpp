#pragma once

#include "vernier/kernel/multibody/detail/star_kernel.hpp"

/// The equations of the hub. Unknowns: modal accelerations, then the angular and the linear
/// acceleration.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// The hub's own contribution to M x + z = 0, with which the sums start: M and b of
/// docs/mathematics/multibody.md, section 2, without the ω × v terms, because accelerations are
/// inertial. c: constants, which begin with the mass of one state (hub_mass()).
template <class T, bool flexible, class M>
VERNIER_INLINE void hub_equations(const StarPlan& plan, const double* c,
                                  const MassOf<M>& mass_of_hub, const Hub<T>& hub,
                                  T* sums) noexcept {
  const int n = flexible ? plan.modes : 0;
  const HubFields at(n);
  const Vec3<T>& w = hub.w;
  const T o = constant<T>(0.0);
  Vec3<T> moment = zero3<T>(), force = zero3<T>();
  Vec3<T> s = moment_of<T>(mass_of_hub);
  Sym3<T> J = inertia_of<T>(mass_of_hub);
  if constexpr (flexible) {
    const T half = constant<T>(0.5), two = constant<T>(2.0);
    T* by_mode = sums + 27;
    T* pair = by_mode + 7 * n;
    Sym3<T> Jdot = {o, o, o, o, o, o};
    Vec3<T> sdot = zero3<T>(), momentum = zero3<T>();  // S1 η', H η'
    // ½ ωᵀ dJ ω as a dot product with the six products of ω.
    const T ww[6] = {w.x * w.x * half, w.y * w.y * half, w.z * w.z * half,
                     w.x * w.y,        w.x * w.z,        w.y * w.z};
    const double* mass = c + at.Mff;
    for (int i = 0; i < n; ++i) {
      const Vec3<T> S1 = vec3<T>(c + at.S1 + 3 * i);
      Vec3<T> H = vec3<T>(c + at.H0 + 3 * i);
      s += S1 * hub.eta[i];
      sdot += S1 * hub.rate[i];
      T b = o;
      if (plan.diagonal) {
        b = constant<T>(c[at.K + i]) * hub.eta[i] + constant<T>(c[at.D + i]) * hub.rate[i];
      } else {
        for (int l = 0; l < n; ++l) {
          b += constant<T>(c[at.K + i * n + l]) * hub.eta[l];
          b += constant<T>(c[at.D + i * n + l]) * hub.rate[l];
        }
      }
      if (plan.order >= 1) {
        const Sym3<T> J1 = sym3<T>(c + at.J1 + 6 * i);
        Sym3<T> dJ = J1;
        Vec3<T> g = zero3<T>();
        for (int l = 0; l < n; ++l) {
          if (plan.order == 2) {
            const int il = i > l ? i * (i + 1) / 2 + l : l * (l + 1) / 2 + i;
            dJ += sym3<T>(c + at.J2 + 6 * il) * hub.eta[l];
          }
          H += vec3<T>(c + at.H1 + 3 * (l * n + i)) * hub.eta[l];
          g += vec3<T>(c + at.H1 + 3 * (i * n + l)) * hub.rate[l];
        }
        J += (J1 + dJ) * (hub.eta[i] * half);
        Jdot += dJ * hub.rate[i];
        b -= ww[0] * dJ.xx + ww[1] * dJ.yy + ww[2] * dJ.zz + ww[3] * dJ.xy + ww[4] * dJ.xz +
             ww[5] * dJ.yz + two * dot(w, g);
      }
      momentum += H * hub.rate[i];
      T* own = by_mode + 7 * i;
      own[0] = H.x;
      own[1] = H.y;
      own[2] = H.z;
      own[3] = S1.x;
      own[4] = S1.y;
      own[5] = S1.z;
      own[6] = b;
      for (int j = 0; j <= i; ++j) *pair++ = constant<T>(*mass++);
    }
    moment = plus_cross(Jdot * w, w, momentum);
    force = cross(w, sdot + sdot);
  }
  const T m = mass_of<T>(mass_of_hub);
  auto& all = *reinterpret_cast<Sums<T>*>(sums);
  all.P = rigid(m, s, J);
  all.z = {plus_cross(moment, w, J * w), plus_cross(force, w, cross(w, s))};
}

/// The mass properties in the block of constants.
VERNIER_INLINE const Mass& hub_mass(const double* constants) noexcept {
  static_assert(HubFields(0).mass == 0 && HubFields(0).moment == 1 && HubFields(0).inertia == 4);
  return *reinterpret_cast<const Mass*>(constants);
}

/// The force of the hub's hinge, if these forces act on its speeds: the row of M x + z that belongs
/// to the hub, plus the forces that were subtracted from z.
template <class T>
VERNIER_INLINE Vec6<T> force_on_hub(const StarPlan& plan, const T* sums, const T* x,
                                    const T* force) noexcept {
  const int n = plan.modes;
  T f[6];
  for (int i = 0; i < 6; ++i) {
    const int row = n + i;
    f[i] = sums[plan.forces[row]] + (plan.free ? force[plan.hub_u + i] : constant<T>(0.0));
    for (int j = 0; j < plan.unknowns(); ++j) {
      const int high = row > j ? row : j, low = row > j ? j : row;
      f[i] += sums[plan.entries[high * (high + 1) / 2 + low]] * x[j];
    }
  }
  return {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
}

/// Solves M x + z = 0 by L D Lᵀ, with M and z in the sums; of the last six unknowns, those that are
/// `held` are given. work: memory for the factors and 2 unknowns. Returns which lanes are singular.
template <class T>
VERNIER_INLINE Mask<T> solve_hub(const StarPlan& plan, const T* sums, const T* given,
                                 const Mask<T>* held, T* work, T* x) noexcept {
  const int unknowns = plan.unknowns(), modes = plan.modes;
  T* L = work;  // lower triangle by rows, times the pivots
  T* inverse = L + unknowns * (unknowns + 1) / 2;
  T* scaled = inverse + unknowns;
  const int* entry = plan.entries;
  Mask<T> bad = sums[0] != sums[0];
  for (int j = 0; j < unknowns; ++j) {
    const T* own = L + j * (j + 1) / 2;
    T d = sums[entry[j * (j + 1) / 2 + j]], f = sums[plan.forces[j]];
    const T least = d * constant<T>(least_pivot);
    for (int k = 0; k < j; ++k) {
      const T l = own[k] * inverse[k];
      d -= own[k] * l;
      f += own[k] * x[k];
      scaled[k] = l;
    }
    for (int i = j + 1; i < unknowns; ++i) {
      T* other = L + i * (i + 1) / 2;
      T v = sums[entry[i * (i + 1) / 2 + j]];
      for (int k = 0; k < j; ++k) v -= other[k] * scaled[k];
      other[j] = v;
    }
    const auto good = d > least;
    const T i1 = constant<T>(1.0) / d;
    if (j < modes) {
      bad = bad | !good;
      inverse[j] = i1;
      x[j] = -(f * i1);
    } else {
      const auto known = held[j - modes];
      bad = bad | ((!good) & (!known));
      inverse[j] = select(known, constant<T>(0.0), i1);
      x[j] = select(known, given[j - modes], -(f * i1));
    }
  }
  for (int j = unknowns - 2; j >= 0; --j) {
    T t = constant<T>(0.0);
    for (int i = unknowns - 1; i > j; --i) t += L[i * (i + 1) / 2 + j] * x[i];
    x[j] -= t * inverse[j];
  }
  return bad;
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
