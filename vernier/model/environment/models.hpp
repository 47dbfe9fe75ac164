#pragma once

#include "vernier/kernel/hybrid/lane_code.hpp"

/// The equations of orbits and fields, for any kind of number; see the classes that are named like
/// them.
namespace vernier::environment {

double eccentric_anomaly(double mean_anomaly, double eccentricity) noexcept;

namespace detail {

/// Data that do not depend on what code is compiled for.
struct KeplerData {
  double semi_major_axis = 7e6, eccentricity = 0.0, mean_anomaly = 0.0, mean_motion = 0.0;
  double P[3] = {}, Q[3] = {};  // the axes, while they do not drift
  bool drifts = false;
  double node = 0.0, node_rate = 0.0, perigee = 0.0, perigee_rate = 0.0;
  double cos_inclination = 1.0, sin_inclination = 0.0;
};
struct DipoleData {
  double moment = 0.0;  // T·m³
  // m = z0 + cos(rate t) c0 + sin(rate t) s0, in N
  double z0[3] = {}, c0[3] = {}, s0[3] = {};
  double rate = 0.0;
};

inline namespace VERNIER_INSTRUCTIONS {

using hybrid::constant;
using hybrid::Moving;
using hybrid::sine_cosine;
using hybrid::square_root;
using hybrid::Stateless;

/// E - e sin E = M, one lane after the other: how long it takes differs.
template <class T>
VERNIER_INLINE T anomaly(const T& M, double e) noexcept {
  if constexpr (elementary::lane_count<T> == 1) {
    return eccentric_anomaly(M, e);
  } else {
    T E = M;
    for (int l = 0; l < elementary::lane_count<T>; ++l) E[l] = eccentric_anomaly(M[l], e);
    return E;
  }
}
template <class T>
VERNIER_INLINE Moving<T> anomaly(const Moving<T>& M, double e) noexcept {
  const T E = anomaly(M.v, e);
  T s, c;
  sine_cosine(E, s, c);
  return {E, M.d / (constant<T>(1.0) - constant<T>(e) * c)};
}

struct KeplerModel : Stateless {
  using Data = KeplerData;
  const Data& of;
  VERNIER_INLINE explicit KeplerModel(const Data& d) : of(d) {}

  static constexpr int inputs = 0, outputs = 6;
  static VERNIER_INLINE int m() noexcept { return 0; }
  static VERNIER_INLINE int p() noexcept { return outputs; }

  template <class S>
  VERNIER_INLINE void output(const S& t, const S*, const int*, const S*, S* y) const noexcept {
    const double e = of.eccentricity;
    const S a = constant<S>(of.semi_major_axis), n = constant<S>(of.mean_motion);
    const S M = constant<S>(of.mean_anomaly) + n * t, E = e == 0.0 ? M : anomaly(M, e);
    S s, c;
    sine_cosine(E, s, c);
    const S root = constant<S>(__builtin_sqrt((1.0 - e) * (1.0 + e)));
    const S speed = n * a / (constant<S>(1.0) - constant<S>(e) * c);
    const S along = a * (c - constant<S>(e)), across = a * root * s;
    S P[3], Q[3];
    axes(t, P, Q);
    for (int i = 0; i < 3; ++i) {
      y[i] = along * P[i] + across * Q[i];
      y[3 + i] = speed * (root * c * Q[i] - s * P[i]);
    }
  }

 private:
  template <class S>
  VERNIER_INLINE void axes(const S& t, S* P, S* Q) const noexcept {
    if (!of.drifts) {
      for (int i = 0; i < 3; ++i) {
        P[i] = constant<S>(of.P[i]);
        Q[i] = constant<S>(of.Q[i]);
      }
      return;
    }
    S sn, cn, sw, cw;
    sine_cosine(S(constant<S>(of.node) + constant<S>(of.node_rate) * t), sn, cn);
    sine_cosine(S(constant<S>(of.perigee) + constant<S>(of.perigee_rate) * t), sw, cw);
    const S ci = constant<S>(of.cos_inclination), si = constant<S>(of.sin_inclination);
    const S node[3] = {cn, sn, constant<S>(0.0)}, beyond[3] = {-sn * ci, cn * ci, si};
    for (int i = 0; i < 3; ++i) {
      P[i] = cw * node[i] + sw * beyond[i];
      Q[i] = -sw * node[i] + cw * beyond[i];
    }
  }
};

struct DipoleModel : Stateless {
  using Data = DipoleData;
  const Data& of;
  VERNIER_INLINE explicit DipoleModel(const Data& d) : of(d) {}

  static constexpr int inputs = 3, outputs = 3;
  static VERNIER_INLINE int m() noexcept { return inputs; }
  static VERNIER_INLINE int p() noexcept { return outputs; }

  template <class S>
  VERNIER_INLINE void output(const S& t, const S*, const int*, const S* r, S* y) const noexcept {
    S s, c, m[3];
    sine_cosine(S(constant<S>(of.rate) * t), s, c);
    for (int i = 0; i < 3; ++i)
      m[i] = constant<S>(of.z0[i]) + c * constant<S>(of.c0[i]) + s * constant<S>(of.s0[i]);
    const S r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const S k = constant<S>(of.moment) / (r2 * square_root(r2));
    const S along = m[0] * r[0] + m[1] * r[1] + m[2] * r[2];
    const S radial = constant<S>(3.0) * k * along / r2;
    for (int i = 0; i < 3; ++i) y[i] = radial * r[i] - k * m[i];
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace detail
}  // namespace vernier::environment
