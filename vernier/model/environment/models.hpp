#pragma once

#include <type_traits>

#include "vernier/kernel/hybrid/lane_code.hpp"

/// The equations of orbits and fields for any number type; see the classes of the same names.
namespace vernier::environment {

double eccentric_anomaly(double mean_anomaly, double eccentricity) noexcept;
double mean_from_true(double true_anomaly, double eccentricity) noexcept;

namespace detail {

/// Data that do not depend on what code is compiled for.
template <class S>
struct KeplerNumbers {
  S semi_major_axis, eccentricity, root, mean_anomaly, mean_motion;  // root = sqrt(1 - e²)
  S P[3], Q[3];                                                      // the axes at the start
  S node, node_rate, perigee, perigee_rate, cos_inclination, sin_inclination;  // while they drift
};
struct KeplerData {
  enum { size, eccentricity, inclination, node, perigee, anomaly, mu, radius };  // of `given`
  enum class Start { mean, true_anomaly, latitude };  // what the anomaly at the start is
  bool by_altitude = false;                           // the size is that above the radius
  Start start = Start::mean;
  bool drifts = false;
  double j2 = 0.0;
  hybrid::Given<8> given;
  KeplerNumbers<double> numbers{};
};
template <class S>
struct J2Numbers {
  S mu, radius, j2;
};
struct J2Data {
  hybrid::Given<3> given;  // in the order of the numbers
  J2Numbers<double> numbers{};
};
template <class S>
struct DipoleNumbers {
  S moment;  // T·m³
  // m = z0 + cos(rate t) c0 + sin(rate t) s0, in N
  S z0[3], c0[3], s0[3];
};
struct DipoleData {
  enum { strength, radius, colatitude, longitude };  // of `given`
  double rate = 0.0, angle = 0.0;                    // of the Earth
  double pole[9] = {};                               // from N, row major
  hybrid::Given<4> given;
  DipoleNumbers<double> numbers{};
};

inline namespace VERNIER_INSTRUCTIONS {

using hybrid::as;
using hybrid::constant;
using hybrid::Moving;
using hybrid::OutputSet;
using hybrid::sine_cosine;
using hybrid::square_root;
using hybrid::Stateless;

/// f(a, b), lane by lane, because the number of iterations differs.
template <class T, class F>
VERNIER_INLINE T lane_by_lane(const T& a, const T& b, const F& f) noexcept {
  if constexpr (elementary::lane_count<T> == 1) {
    return f(a, b);
  } else {
    T r = a;
    for (int l = 0; l < elementary::lane_count<T>; ++l) r[l] = f(a[l], b[l]);
    return r;
  }
}

/// Kepler's equation, E - e sin E = M.
template <class T>
VERNIER_INLINE T anomaly(const T& M, const T& e) noexcept {
  return lane_by_lane(M, e,
                      [](double m, double k) { return k == 0.0 ? m : eccentric_anomaly(m, k); });
}
template <class T>
VERNIER_INLINE Moving<T> anomaly(const Moving<T>& M, const Moving<T>& e) noexcept {
  const T E = anomaly(M.v, e.v);
  T s, c;
  sine_cosine(E, s, c);
  return {E, (M.d + s * e.d) / (constant<T>(1.0) - e.v * c)};
}

template <class T>
VERNIER_INLINE T mean_of_true(const T& nu, const T& e) noexcept {
  return lane_by_lane(nu, e, [](double n, double k) { return mean_from_true(n, k); });
}
/// dM = (k³ dν - k sin ν (2 + e cos ν) de) / (1 + e cos ν)²,  k² = 1 - e²
template <class T>
VERNIER_INLINE Moving<T> mean_of_true(const Moving<T>& nu, const Moving<T>& e) noexcept {
  T s, c;
  sine_cosine(nu.v, s, c);
  const T one = constant<T>(1.0), ec = e.v * c, k2 = one - e.v * e.v;
  const T across = square_root(k2) / ((one + ec) * (one + ec));
  return {mean_of_true(nu.v, e.v), across * (k2 * nu.d - s * (constant<T>(2.0) + ec) * e.d)};
}

struct KeplerModel : Stateless {
  using Data = KeplerData;
  const Data& of;
  VERNIER_INLINE explicit KeplerModel(const Data& d) : of(d) {}

  static constexpr int parameters = 8;
  static constexpr OutputSet velocity = 0b10;

  template <class S>
  static VERNIER_INLINE KeplerNumbers<S> numbers(const Data& d, const S* g) noexcept {
    const S one = constant<S>(1.0), e = g[Data::eccentricity], radius = g[Data::radius];
    const S a = d.by_altitude ? radius + g[Data::size] : g[Data::size];
    KeplerNumbers<S> n;
    n.semi_major_axis = a;
    n.eccentricity = e;
    n.root = square_root(S((one - e) * (one + e)));
    n.mean_anomaly = g[Data::anomaly];
    if (d.start == Data::Start::latitude) n.mean_anomaly = n.mean_anomaly - g[Data::perigee];
    if (d.start != Data::Start::mean) n.mean_anomaly = mean_of_true(n.mean_anomaly, e);
    n.mean_motion = square_root(S(g[Data::mu] / a)) / a;
    n.node = g[Data::node];
    n.perigee = g[Data::perigee];
    sine_cosine(g[Data::inclination], n.sin_inclination, n.cos_inclination);
    n.node_rate = n.perigee_rate = constant<S>(0.0);
    axes(n, n.node, n.perigee, n.P, n.Q);
    if (!d.drifts) return n;
    const S c = n.cos_inclination, flat = one - e * e, ratio = radius / (a * flat);
    const S drift = constant<S>(0.75 * d.j2) * n.mean_motion * ratio * ratio;
    n.node_rate = constant<S>(-2.0) * drift * c;
    n.perigee_rate = drift * (constant<S>(5.0) * c * c - one);
    n.mean_motion = n.mean_motion + drift * square_root(flat) * (constant<S>(3.0) * c * c - one);
    return n;
  }

  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void output(const N& n, const S& t, const X&, const int*, const U&,
                             OutputSet wanted, const R& y) const noexcept {
    const S a = as<S>(n.semi_major_axis), e = as<S>(n.eccentricity), root = as<S>(n.root),
            motion = as<S>(n.mean_motion);
    const S M = as<S>(n.mean_anomaly) + motion * t, E = circle(n) ? M : anomaly(M, e);
    S s, c;
    sine_cosine(E, s, c);
    const S along = a * (c - e), across = a * root * s;
    S P[3], Q[3];
    if (of.drifts) {
      axes(n, S(as<S>(n.node) + as<S>(n.node_rate) * t),
           S(as<S>(n.perigee) + as<S>(n.perigee_rate) * t), P, Q);
    } else {
      for (int i = 0; i < 3; ++i) {
        P[i] = as<S>(n.P[i]);
        Q[i] = as<S>(n.Q[i]);
      }
    }
    for (int i = 0; i < 3; ++i) y[i] = along * P[i] + across * Q[i];
    if ((wanted & velocity) == 0) return;
    const S speed = motion * a / (constant<S>(1.0) - e * c);
    for (int i = 0; i < 3; ++i) y[3 + i] = speed * (root * c * Q[i] - s * P[i]);
  }

 private:
  /// A circular orbit in all lanes: there is no equation to solve.
  template <class N>
  static VERNIER_INLINE bool circle(const N& n) noexcept {
    if constexpr (std::is_same_v<N, KeplerNumbers<double>>) {
      return n.eccentricity == 0.0;
    } else {
      return false;
    }
  }
  template <class N, class S>
  static VERNIER_INLINE void axes(const N& n, const S& right_ascension, const S& argument, S* P,
                                  S* Q) noexcept {
    S sn, cn, sw, cw;
    sine_cosine(right_ascension, sn, cn);
    sine_cosine(argument, sw, cw);
    const S ci = as<S>(n.cos_inclination), si = as<S>(n.sin_inclination);
    const S node[3] = {cn, sn, constant<S>(0.0)}, beyond[3] = {-sn * ci, cn * ci, si};
    for (int i = 0; i < 3; ++i) {
      P[i] = cw * node[i] + sw * beyond[i];
      Q[i] = -sw * node[i] + cw * beyond[i];
    }
  }
};

struct J2Model {
  using Data = J2Data;
  const Data& of;

  static constexpr int parameters = 3;

  template <class S>
  static VERNIER_INLINE J2Numbers<S> numbers(const Data&, const S* g) noexcept {
    return {g[0], g[1], g[2]};
  }
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void flow(const N& n, const S&, const X& x, const int*, const U& u,
                           const R& xdot) const noexcept {
    const S r[3] = {x[0], x[1], x[2]}, one = constant<S>(1.0), r2 = square_of(r),
            inverse = one / r2, cube = inverse / square_root(r2), mu = as<S>(n.mu),
            radius = as<S>(n.radius);
    const S k = constant<S>(1.5) * as<S>(n.j2) * radius * radius * inverse;
    const S s = r[2] * r[2] * inverse;
    const S pull = -mu * cube * (one + k * (one - constant<S>(5.0) * s));
    S a[3];
    for (int i = 0; i < 3; ++i) a[i] = pull * r[i] + u[i];
    a[2] = a[2] - mu * cube * k * constant<S>(2.0) * r[2];
    for (int i = 0; i < 3; ++i) {
      xdot[i] = x[3 + i];
      xdot[3 + i] = a[i];
    }
  }
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void output(const N& n, const S&, const X& x, const int*, const U&,
                             OutputSet wanted, const R& y) const noexcept {
    for (int i = 0; i < 6; ++i) y[i] = x[i];
    if ((wanted & energy) == 0) return;
    const S r[3] = {x[0], x[1], x[2]}, v[3] = {x[3], x[4], x[5]};
    const S one = constant<S>(1.0), half = constant<S>(0.5), radius = as<S>(n.radius);
    const S r2 = square_of(r), flat = radius * radius / r2;
    // Potential: -μ/r (1 - J2 (R/r)² (3 sin²φ - 1)/2).
    y[6] = half * square_of(v) -
           as<S>(n.mu) / square_root(r2) *
               (one - half * as<S>(n.j2) * flat * (constant<S>(3.0) * r[2] * r[2] / r2 - one));
  }
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void guards(const N&, const S&, const X&, const int*, const U&,
                             const R&) const noexcept {}

 private:
  static constexpr OutputSet energy = 0b100;
  template <class S>
  static VERNIER_INLINE S square_of(const S* v) noexcept {
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  }
};

struct DipoleModel : Stateless {
  using Data = DipoleData;
  const Data& of;
  VERNIER_INLINE explicit DipoleModel(const Data& d) : of(d) {}

  static constexpr int parameters = 4;

  template <class S>
  static VERNIER_INLINE DipoleNumbers<S> numbers(const Data& d, const S* g) noexcept {
    DipoleNumbers<S> n;
    const S R = g[Data::radius];
    n.moment = g[Data::strength] * R * R * R;
    S s, c, sine, cosine;
    sine_cosine(g[Data::colatitude], s, c);
    // The longitude of the pole in the axes in which the Earth rotates about z.
    sine_cosine(S(g[Data::longitude] + constant<S>(d.angle)), sine, cosine);
    for (int i = 0; i < 3; ++i) {
      const S x = constant<S>(d.pole[i]), y = constant<S>(d.pole[3 + i]),
              z = constant<S>(d.pole[6 + i]);
      n.z0[i] = z * -c;
      n.c0[i] = x * (-s * cosine) + y * (-s * sine);
      n.s0[i] = x * (s * sine) + y * (-s * cosine);
    }
    return n;
  }

  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void output(const N& n, const S& t, const X&, const int*, const U& u, OutputSet,
                             const R& y) const noexcept {
    const S r[3] = {u[0], u[1], u[2]};
    S s, c, m[3];
    sine_cosine(S(constant<S>(of.rate) * t), s, c);
    for (int i = 0; i < 3; ++i) m[i] = as<S>(n.z0[i]) + c * as<S>(n.c0[i]) + s * as<S>(n.s0[i]);
    const S r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const S k = as<S>(n.moment) / (r2 * square_root(r2));
    const S along = m[0] * r[0] + m[1] * r[1] + m[2] * r[2];
    const S radial = constant<S>(3.0) * k * along / r2;
    for (int i = 0; i < 3; ++i) y[i] = radial * r[i] - k * m[i];
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace detail
}  // namespace vernier::environment
