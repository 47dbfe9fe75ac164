#pragma once

#include "vernier/kernel/multibody/detail/layout.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// The mass matrix of a deformed link, and its velocity-product and elastic forces, both truncated
/// at the same order: s, J, H, S1 and b_η, b_ω, b_v of docs/mathematics/multibody.md, section 2.
template <class T, class M>
inline void deform(const LayoutView& layout, const TreeLink& link, const MassOf<M>& mass,
                   const T* q, const T* u, LinkState<T>& state, const Workspace<T>& work) noexcept {
  using namespace spatial;
  const int n = link.modes;
  const ModalConstants k(layout.numbers + link.constants, n);
  const T *eta = q + link.q_modes, *rate = u + link.u_modes;
  ModalState<T>& m = work.modal[link.mode];
  Vec3<T>* H = work.H + link.mode;
  Sym3<T>* dJ = work.dJ + link.mode;
  T* be = work.be + link.mode;
  const T half = constant<T>(0.5), two = constant<T>(2.0), o = constant<T>(0.0);
  // Terms of every order: s = s0 + S1 η, H0, and S1·(ω × v) + K η + D η'.
  const Vec3<T> w = state.V.a, wv = cross(w, state.V.l);

  Vec3<T> s = moment_of<T>(mass), S1_rate = zero3<T>();
  for (int i = 0; i < n; ++i) {
    const Vec3<T> S1 = vec3<T>(k.S1 + 3 * i);
    s += S1 * eta[i];
    S1_rate += S1 * rate[i];
    H[i] = vec3<T>(k.H0 + 3 * i);
    be[i] = dot(S1, wv);
    for (int l = 0; l < n; ++l) {
      be[i] = be[i] + constant<T>(k.K[n * i + l]) * eta[l] + constant<T>(k.D[n * i + l]) * rate[l];
    }
  }
  Sym3<T> J = inertia_of<T>(mass), J_rate = {o, o, o, o, o, o};
  if (link.order >= 1) {
    // Order 1 and 2: dJ_i = ∂J/∂η_i.
    for (int i = 0; i < n; ++i) dJ[i] = sym3<T>(k.N + 6 * i);
    if (link.order == 2) {
      const double* J2 = k.J2;
      for (int i = 0; i < n; ++i) {
        for (int l = 0; l < i; ++l, J2 += 6) {
          const Sym3<T> j = sym3<T>(J2) * two;
          dJ[i] += j * eta[l];
          dJ[l] += j * eta[i];
        }
        dJ[i] += sym3<T>(J2) * (two * eta[i]);
        J2 += 6;
      }
    }
    // J(η) = J0 + Σ η_i (N_i + dJ_i) / 2: dJ contains the quadratic part twice.
    for (int i = 0; i < n; ++i) {
      J += (sym3<T>(k.N + 6 * i) + dJ[i]) * (half * eta[i]);
      J_rate += dJ[i] * rate[i];
      be[i] = be[i] - half * dot(w, dJ[i] * w);
    }
    const double* H1 = k.H1;
    for (int i = 0; i < n; ++i) {
      for (int l = i + 1; l < n; ++l, H1 += 3) {
        // H = H0 + Σ η_i H1_i, and the Coriolis term -2 ω·(H1_i η') of b_η.
        const Vec3<T> h = vec3<T>(H1);  // H1_i[:, l] = -H1_l[:, i]
        H[l] += h * eta[i];
        H[i] -= h * eta[l];
        const T wh = two * dot(w, h);
        be[i] = be[i] - wh * rate[l];
        be[l] = be[l] + wh * rate[i];
      }
    }
  }
  Vec6<T> bend = zero6<T>();
  if (link.shortens) {
    // Second-order displacements ½ Σ g_il η_i η_l: s += ½ Σ S2_il η_i η_l, H_i and S1_i grow by
    // Σ_l [∫ p × g_il dm; S2_il] η_l, and their rates push with Σ [...] η'_i η'_l. J contains N2.
    const double* g = k.g;
    Vec3<T>* S1 = work.S1 + link.mode;
    for (int i = 0; i < n; ++i) {
      S1[i] = vec3<T>(k.S1 + 3 * i);
      for (int l = 0; l <= i; ++l, g += 6) {
        const Vec6<T> by = {vec3<T>(g), vec3<T>(g + 3)};
        const T share = l < i ? constant<T>(1.0) : half;
        s += by.l * (share * eta[i] * eta[l]);
        bend += by * (two * share * rate[i] * rate[l]);
        H[i] += by.a * eta[l];
        S1[i] += by.l * eta[l];
        if (l == i) continue;
        H[l] += by.a * eta[i];
        S1[l] += by.l * eta[i];
      }
    }
    for (int i = 0; i < n; ++i) {
      const Vec3<T> more = S1[i] - vec3<T>(k.S1 + 3 * i);
      S1_rate += more * rate[i];
      be[i] = be[i] + dot(more, wv);
    }
  }
  // b_ω and b_v.
  Vec3<T> H_rate = zero3<T>();
  for (int i = 0; i < n; ++i) H_rate += H[i] * rate[i];
  m.s = s;
  m.J = J;
  const T mm = mass_of<T>(mass);
  state.b = {cross(s, wv) + cross(w, J * w + H_rate) + J_rate * w,
             wv * mm + cross(w, cross(w, s) + S1_rate * two)};
  if (link.shortens) state.b += bend;
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
