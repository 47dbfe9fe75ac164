#pragma once

#include "vernier/kernel/constrained/rotation.hpp"

/// What beams of two and three nodes share, at their evaluation points. One node is the base, with
/// section axes Q; those of the others are Q exp(ψ_i). Where a beam is evaluated,
///   ψ = Σ N_i ψ_i,  ψ' = Σ N'_i ψ_i (sums over the others),  R = Q exp(ψ),  L = dp/ds
///   ε = Rᵀ L,  κ = T(ψ)ᵀ ψ',  [F; M] = R (C [ε - ε_0; κ - κ_0] + C_v [ε'; κ'])
/// and with the rotations θ of the base and θ_i of the others, W_i = T(ψ_i)⁻¹ Qᵀ:
///   θ_R = θ + Q T(ψ) Σ N_i W_i (θ_i - θ),   δε = Rᵀ (δL + L × θ_R)
///   δκ = exp(ψ)ᵀ Σ (N'_i T(ψ) + N_i ∂T(ψ)·ψ') W_i (θ_i - θ)
/// (Morandini, Masarati, Mantegazza, with rotations interpolated relative to a node of the beam, so
/// that strains depend neither on the frame nor on the path.) T: lanes hold evaluation points.
namespace vernier::constrained::beams {

using spatial::Sym3;

#define VERNIER_OF_T \
  template <class T> \
  VERNIER_INLINE

VERNIER_OF_T Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) noexcept {
  Mat3<T> r;
  for (int i = 0; i < 9; ++i) r.a[i] = a.a[i] + b.a[i];
  return r;
}
VERNIER_OF_T Mat3<T> operator-(const Mat3<T>& a, const Mat3<T>& b) noexcept {
  Mat3<T> r;
  for (int i = 0; i < 9; ++i) r.a[i] = a.a[i] - b.a[i];
  return r;
}
VERNIER_OF_T Mat3<T> operator*(const Mat3<T>& a, const T& s) noexcept {
  Mat3<T> r;
  for (int i = 0; i < 9; ++i) r.a[i] = a.a[i] * s;
  return r;
}
/// m skew(v)
VERNIER_OF_T Mat3<T> times_skew(const Mat3<T>& m, const Vec3<T>& v) noexcept {
  Mat3<T> r;
  for (int i = 0; i < 9; i += 3) {
    r.a[i] = m.a[i + 1] * v.z - m.a[i + 2] * v.y;
    r.a[i + 1] = m.a[i + 2] * v.x - m.a[i] * v.z;
    r.a[i + 2] = m.a[i] * v.y - m.a[i + 1] * v.x;
  }
  return r;
}
/// s + skew(v) m
VERNIER_OF_T Mat3<T> plus_skew_times(const Mat3<T>& s, const Vec3<T>& v,
                                     const Mat3<T>& m) noexcept {
  Mat3<T> r;
  for (int j = 0; j < 3; ++j) {
    r.a[j] = s.a[j] + (v.y * m.a[6 + j] - v.z * m.a[3 + j]);
    r.a[3 + j] = s.a[3 + j] + (v.z * m.a[j] - v.x * m.a[6 + j]);
    r.a[6 + j] = s.a[6 + j] + (v.x * m.a[3 + j] - v.y * m.a[j]);
  }
  return r;
}
/// m - skew(v)
VERNIER_OF_T Mat3<T> minus_skew(const Mat3<T>& m, const Vec3<T>& v) noexcept {
  return {{m.a[0], m.a[1] + v.z, m.a[2] - v.y, m.a[3] - v.z, m.a[4], m.a[5] + v.x, m.a[6] + v.y,
           m.a[7] - v.x, m.a[8]}};
}
/// m diag(d)
VERNIER_OF_T Mat3<T> times_diagonal(const Mat3<T>& m, const Vec3<T>& d) noexcept {
  return {{m.a[0] * d.x, m.a[1] * d.y, m.a[2] * d.z, m.a[3] * d.x, m.a[4] * d.y, m.a[5] * d.z,
           m.a[6] * d.x, m.a[7] * d.y, m.a[8] * d.z}};
}
/// m diag(d) mᵀ
VERNIER_OF_T Mat3<T> congruent(const Mat3<T>& m, const Vec3<T>& d) noexcept {
  const Mat3<T> s = times_diagonal(m, d);
  const Vec3<T> a = row(m, 0), b = row(m, 1), c = row(m, 2);
  const T ab = dot(row(s, 0), b), ac = dot(row(s, 0), c), bc = dot(row(s, 1), c);
  return {{dot(row(s, 0), a), ab, ac, ab, dot(row(s, 1), b), bc, ac, bc, dot(row(s, 2), c)}};
}

/// C or C_v: the diagonal if nothing couples, otherwise the blocks.
template <class T>
struct Coefficients {
  Vec3<T> force, moment;   // the diagonal
  Mat3<T> ee, ek, ke, kk;  // rows: force, moment; columns: strain, curvature
};

/// Another node relative to the base.
template <class T>
struct Relative {
  Vec3<T> psi;
  Mat3<T> W;
};
/// ψ = log(Qᵀ Q_i) and, if `linear`, W. Angles must be below half a turn.
VERNIER_OF_T Relative<T> relative(const Mat3<T>& Q, const Mat3<T>& Qi, bool linear) noexcept {
  const Mat3<T> Qt = transposed(Q), m = Qt * Qi;
  const T one = constant<T>(1.0);
  // tan(angle / 2) along the axis
  const Vec3<T> t = rotations::axial(m) * (one / (one + (m.a[0] + m.a[4] + m.a[8])));
  const T ratio = rotations::arctangent_ratio(dot(t, t));
  Relative<T> r;
  r.psi = t * (ratio + ratio);
  if (linear) r.W = inverse_tangent(r.psi) * Qt;
  return r;
}

/// An evaluation point: its axes, forces, and their derivatives.
template <class T>
struct SectionPoint {
  Mat3<T> R;
  Vec3<T> strain, curvature;  // ε, κ
  Vec3<T> F, M;
  // by δL: F += P δL, M += PM δL; by θ_R: F += GF θ_R, M += GM θ_R
  Mat3<T> P, PM, GF, GM;
  // F by W_i (θ_i - θ): N_i XN + N'_i XD; M: N_i YN + N'_i YD
  Mat3<T> XN, XD, YN, YD;
  // by Σ N_i δω_i: F += VF, M += VM; by Σ N'_i δω_i: F += UF, M += UM; by δL': F += S_v, M += SM_v
  Mat3<T> VF, VM, UF, UM, Sv, SMv;
};

/// The inputs of a point from the nodes.
template <class T>
struct SectionInput {
  Mat3<T> Q;
  Vec3<T> psi, psi_rate;  // ψ, ψ'
  Vec3<T> L;
  Vec3<T> initial_strain, initial_curvature;  // ε_0, κ_0
  Vec3<T> L_rate, omega, omega_gradient;      // dL/dt, Σ N_i ω_i, Σ N'_i ω_i
};

/// Forces and, if `linear`, derivatives, those by rates of values times c.
template <bool Full, class T>
VERNIER_INLINE void evaluate(SectionPoint<T>& o, const SectionInput<T>& in,
                             const Coefficients<T>& C, const Coefficients<T>* Cv, const T& c,
                             bool linear) noexcept {
  const T a2 = dot(in.psi, in.psi);
  const auto k = spatial::turn_coefficients(a2);
  const Mat3<T> E = rotations::combined(in.psi, k.sigma, k.c);
  o.R = in.Q * E;
  o.strain = transposed_times(o.R, in.L);
  const Vec3<T> turn = cross(in.psi, in.psi_rate);
  o.curvature = in.psi_rate - turn * k.c + cross(in.psi, turn) * k.d;
  const Vec3<T> e = o.strain - in.initial_strain, q = o.curvature - in.initial_curvature;
  Vec3<T> n, m;
  const auto multiply = [](const Coefficients<T>& K, const Vec3<T>& x, const Vec3<T>& y, Vec3<T>& f,
                           Vec3<T>& g) {
    if constexpr (Full) {
      f = K.ee * x + K.ek * y;
      g = K.ke * x + K.kk * y;
    } else {
      f = {K.force.x * x.x, K.force.y * x.y, K.force.z * x.z};
      g = {K.moment.x * y.x, K.moment.y * y.y, K.moment.z * y.z};
    }
  };
  multiply(C, e, q, n, m);
  Vec3<T> w{};  // dε/dt in global axes
  if (Cv) {
    w = in.L_rate - cross(in.omega, in.L);
    Vec3<T> nv, mv;
    multiply(*Cv, transposed_times(o.R, w), transposed_times(o.R, in.omega_gradient), nv, mv);
    n += nv;
    m += mv;
  }
  o.F = o.R * n;
  o.M = o.R * m;
  if (!linear) return;

  const Mat3<T> J = rotations::combined(in.psi, k.c, k.d);  // T(ψ)
  const T p = dot(in.psi, in.psi_rate);
  // ∂T·ψ' = p (c' K + d' K²) + c K' + d (ψ ψ'ᵀ + ψ' ψᵀ - 2 p)
  const Vec3<T>&u = in.psi, &v = in.psi_rate;
  const Vec3<T> s = u * (k.c_rate * p) + v * k.c;
  const T dp = k.d_rate * p, o1 = -(dp * a2) - (k.d + k.d) * p;
  const Vec3<T> du = u * k.d, dv = v * k.d + u * dp;  // D = s× + dv uᵀ + du vᵀ + o1
  const Mat3<T> D = {
      {o1 + dv.x * u.x + du.x * v.x, dv.x * u.y + du.x * v.y - s.z, dv.x * u.z + du.x * v.z + s.y,
       dv.y * u.x + du.y * v.x + s.z, o1 + dv.y * u.y + du.y * v.y, dv.y * u.z + du.y * v.z - s.x,
       dv.z * u.x + du.z * v.x - s.y, dv.z * u.y + du.z * v.y + s.x, o1 + dv.z * u.z + du.z * v.z}};
  const Mat3<T> QJ = in.Q * J;
  Mat3<T> S, SM, Zk;
  if constexpr (Full) {
    const Mat3<T> Rt = transposed(o.R), Et = transposed(E);
    S = o.R * (C.ee * Rt);
    SM = o.R * (C.ke * Rt);
    Zk = o.R * (C.kk * Et);
    const Mat3<T> Ze = o.R * (C.ek * Et);
    o.XD = Ze * J * c;
    o.XN = Ze * D * c;
  } else {
    S = congruent(o.R, C.force);
    Zk = times_transposed(times_diagonal(o.R, C.moment * c), E);
  }
  if constexpr (Full) Zk = Zk * c;
  o.P = S * c;
  o.GF = minus_skew(times_skew(S, in.L), o.F);
  if constexpr (Full) {
    o.PM = SM * c;
    o.GM = minus_skew(times_skew(SM, in.L), o.M);
  }
  if (Cv) {
    if constexpr (Full) {
      const Mat3<T> Rt = transposed(o.R);
      o.Sv = o.R * (Cv->ee * Rt);
      o.SMv = o.R * (Cv->ke * Rt);
      o.UF = o.R * (Cv->ek * Rt);
      o.UM = o.R * (Cv->kk * Rt);
      o.PM = o.PM + o.SMv - times_skew(o.SMv, in.omega * c);
      o.GM = o.GM + times_skew(o.SMv, w) + times_skew(o.UM, in.omega_gradient);
      o.GF = o.GF + times_skew(o.UF, in.omega_gradient);
      o.VM = times_skew(o.SMv, in.L);
    } else {
      o.Sv = congruent(o.R, Cv->force);
      o.UM = congruent(o.R, Cv->moment);
      o.GM = minus_skew(times_skew(o.UM, in.omega_gradient), o.M);
    }
    o.P = o.P + o.Sv - times_skew(o.Sv, in.omega * c);
    o.GF = o.GF + times_skew(o.Sv, w);
    o.VF = times_skew(o.Sv, in.L);
  } else if constexpr (!Full) {
    o.GM = minus_skew(Mat3<T>{}, o.M);
  }
  o.GF = o.GF * c;
  o.GM = o.GM * c;
  o.YD = Zk * J;
  o.YN = Zk * D + o.GM * QJ;
  if constexpr (Full) {
    o.XN = o.XN + o.GF * QJ;
  } else {
    o.XN = o.GF * QJ;
  }
}

#undef VERNIER_OF_T

}  // namespace vernier::constrained::beams
