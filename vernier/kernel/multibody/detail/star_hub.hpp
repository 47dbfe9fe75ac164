#pragma once

#include "vernier/kernel/multibody/detail/star_kernel.hpp"

/// The equations of the hub: modes first, then its angular and its linear acceleration.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

VERNIER_INLINE int triangle(int i, int j) noexcept { return i * (i + 1) / 2 + j; }

/// M (lower triangle by rows) and z of M x + z = 0: the hub's own and what its appendages add.
/// c: constants; sums: as Sums lays them out.
template <class T, bool flexible>
VERNIER_INLINE void hub_equations(const StarPlan& plan, const double* c, const Hub<T>& hub,
                                  const T* sums, T* M, T* z) noexcept {
  const int n = flexible ? plan.modes : 0;
  const HubFields at(n);
  const Vec3<T>& w = hub.w;
  const T* A = sums;
  const T* B = sums + 6;
  const T* C = sums + 15;
  Vec3<T> moment = {sums[21], sums[22], sums[23]}, force = {sums[24], sums[25], sums[26]};
  Vec3<T> s = vec3<T>(c + at.moment);
  Sym3<T> J = sym3<T>(c + at.inertia);
  if constexpr (flexible) {
    const T half = constant<T>(0.5), two = constant<T>(2.0);
    const T* by_mode = sums + 27;
    const T* of_modes = by_mode + 7 * n;
    Sym3<T> Jdot = {};
    Vec3<T> sdot = zero3<T>(), momentum = zero3<T>();  // S1 η', H η'
    Jdot = Jdot * constant<T>(0.0);
    // ½ wᵀ dJ w as a product with the six products of w
    const T ww[6] = {w.x * w.x * half, w.y * w.y * half, w.z * w.z * half,
                     w.x * w.y,        w.x * w.z,        w.y * w.z};
    for (int i = 0; i < n; ++i) {
      const Vec3<T> S1 = vec3<T>(c + at.S1 + 3 * i);
      Vec3<T> H = vec3<T>(c + at.H0 + 3 * i);
      s += S1 * hub.eta[i];
      sdot += S1 * hub.rate[i];
      T b = by_mode[7 * i + 6];
      if (plan.diagonal) {
        b += constant<T>(c[at.K + i]) * hub.eta[i] + constant<T>(c[at.D + i]) * hub.rate[i];
      } else {
        for (int l = 0; l < n; ++l) {
          b += constant<T>(c[at.K + i * n + l]) * hub.eta[l] +
               constant<T>(c[at.D + i * n + l]) * hub.rate[l];
        }
      }
      if (plan.order >= 1) {
        const Sym3<T> J1 = sym3<T>(c + at.J1 + 6 * i);
        Sym3<T> dJ = J1;
        Vec3<T> g = zero3<T>();
        for (int l = 0; l < n; ++l) {
          if (plan.order == 2) {
            dJ += sym3<T>(c + at.J2 + 6 * (i > l ? triangle(i, l) : triangle(l, i))) * hub.eta[l];
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
      z[i] = b;
      for (int j = 0; j <= i; ++j) {
        M[triangle(i, j)] = constant<T>(c[at.Mff + triangle(i, j)]) + of_modes[triangle(i, j)];
      }
      M[triangle(n, i)] = H.x + by_mode[7 * i];
      M[triangle(n + 1, i)] = H.y + by_mode[7 * i + 1];
      M[triangle(n + 2, i)] = H.z + by_mode[7 * i + 2];
      M[triangle(n + 3, i)] = S1.x + by_mode[7 * i + 3];
      M[triangle(n + 4, i)] = S1.y + by_mode[7 * i + 4];
      M[triangle(n + 5, i)] = S1.z + by_mode[7 * i + 5];
    }
    moment += Jdot * w + cross(w, momentum);
    force += cross(w, sdot + sdot);
  }
  moment += cross(w, J * w);
  force += cross(w, cross(w, s));
  const T m = constant<T>(c[at.mass]);
  T* row = M + triangle(n, n);
  row[0] = J.xx + A[0];
  row += n + 1;
  row[0] = J.xy + A[3];
  row[1] = J.yy + A[1];
  row += n + 2;
  row[0] = J.xz + A[4];
  row[1] = J.yz + A[5];
  row[2] = J.zz + A[2];
  // rows of Bᵀ, with skew(s) of the hub
  row += n + 3;
  row[0] = B[0];
  row[1] = B[3] + s.z;
  row[2] = B[6] - s.y;
  row[3] = m + C[0];
  row += n + 4;
  row[0] = B[1] - s.z;
  row[1] = B[4];
  row[2] = B[7] + s.x;
  row[3] = C[3];
  row[4] = m + C[1];
  row += n + 5;
  row[0] = B[2] + s.y;
  row[1] = B[5] - s.x;
  row[2] = B[8];
  row[3] = C[4];
  row[4] = C[5];
  row[5] = m + C[2];
  z[n] = moment.x;
  z[n + 1] = moment.y;
  z[n + 2] = moment.z;
  z[n + 3] = force.x;
  z[n + 4] = force.y;
  z[n + 5] = force.z;
}

/// x of M x + z = 0 by L D Lᵀ; the last six are known where held. Overwrites M and z. Returns which
/// lanes are singular. work: 2 unknowns.
template <class T>
VERNIER_INLINE Mask<T> solve_hub(int unknowns, T* M, T* z, const T* given, const Mask<T>* held,
                                 T* work, T* x) noexcept {
  const int modes = unknowns - 6;
  T* inverse = work;
  T* scaled = work + unknowns;
  Mask<T> bad = z[0] != z[0];
  for (int j = 0; j < unknowns; ++j) {
    T* own = M + triangle(j, 0);
    T d = own[j], f = z[j];
    const T least = d * constant<T>(least_pivot);
    for (int k = 0; k < j; ++k) {
      const T l = own[k] * inverse[k];
      d -= own[k] * l;
      f += own[k] * x[k];
      scaled[k] = l;
    }
    for (int i = j + 1; i < unknowns; ++i) {
      const T* other = M + triangle(i, 0);
      T v = other[j];
      for (int k = 0; k < j; ++k) v -= other[k] * scaled[k];
      M[triangle(i, j)] = v;
    }
    auto good = d > least;
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
    for (int i = j + 1; i < unknowns; ++i) t += M[triangle(i, j)] * x[i];
    x[j] -= t * inverse[j];
  }
  return bad;
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
