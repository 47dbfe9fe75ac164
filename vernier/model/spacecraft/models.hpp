#pragma once

#include "vernier/kernel/hybrid/lane_code.hpp"

/// The equations of spacecraft for any number type; see the classes of the same names.
namespace vernier::spacecraft::detail {

/// Data that do not depend on what code is compiled for.
template <class S>
struct RigidBodyNumbers {
  S inertia[9], inverse[9];  // row major
};
struct RigidBodyData {
  hybrid::Given<6> given;  // Jxx Jyy Jzz Jxy Jxz Jyz
  RigidBodyNumbers<double> numbers;
};
struct NoNumbers {};
struct RotationData {
  bool to_body = true;
  hybrid::Given<0> given;
  NoNumbers numbers;
};
template <class S>
struct MagnetorquersNumbers {
  S gain, largest;
};
struct MagnetorquersData {
  bool limited = false;
  hybrid::Given<2> given;  // in the order of the numbers
  MagnetorquersNumbers<double> numbers{1.0, 0.0};
};
template <class S>
struct WheelsNumbers {
  S inertia, max_torque, max_momentum, viscous, coulomb, coulomb_speed;
};
struct WheelsData {
  static constexpr int most = 8;
  enum { inertia, max_torque, max_momentum, viscous, coulomb, coulomb_speed };
  int count = 0;
  double axes[most][3] = {};
  bool limited = false, bounded = false;  // in torque, in momentum
  hybrid::Given<6> given;                 // in the order of the numbers
  WheelsNumbers<double> numbers{1.0, 0.0, 0.0, 0.0, 0.0, 1.0};

  bool drags() const noexcept {
    return given.value[viscous] != 0.0 || given.value[coulomb] != 0.0 || given.kept(viscous) ||
           given.kept(coulomb);
  }
};
/// Locations of each wheel.
enum WheelLocation { wheel_free, wheel_upper, wheel_lower };

inline namespace VERNIER_INSTRUCTIONS {

using hybrid::as;
using hybrid::constant;
using hybrid::hyperbolic_tangent;
using hybrid::least;
using hybrid::most;
using hybrid::OutputSet;
using hybrid::select;
using hybrid::square_root;
using hybrid::Stateless;

template <class S>
struct Three {
  S x, y, z;
};
template <class S, class V>
VERNIER_INLINE Three<S> three(const V& v) noexcept {
  return {v[0], v[1], v[2]};
}
template <class S, class R>
VERNIER_INLINE void put(const Three<S>& v, const R& to) noexcept {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}
template <class S>
VERNIER_INLINE Three<S> sum(const Three<S>& a, const Three<S>& b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class S>
VERNIER_INLINE Three<S> difference(const Three<S>& a, const Three<S>& b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S>
VERNIER_INLINE S dot(const Three<S>& a, const Three<S>& b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
VERNIER_INLINE S length(const Three<S>& a) noexcept {
  return square_root(dot(a, a));
}
template <class S>
VERNIER_INLINE Three<S> cross(const Three<S>& a, const Three<S>& b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class N, class S>
VERNIER_INLINE Three<S> times(const N* matrix, const Three<S>& v) noexcept {
  const auto row = [&](const N* r) VERNIER_LAMBDA {
    return dot({as<S>(r[0]), as<S>(r[1]), as<S>(r[2])}, v);
  };
  return {row(matrix), row(matrix + 3), row(matrix + 6)};
}

/// spatial::attitude_matrix() by rows.
template <class S>
struct Attitude {
  Three<S> row[3];
};
template <class S, class V>
VERNIER_INLINE Attitude<S> attitude(const V& q) noexcept {
  const S a = q[0], b = q[1], c = q[2], s = q[3], two = constant<S>(2.0);
  return {{{a * a - b * b - c * c + s * s, two * (a * b + c * s), two * (a * c - b * s)},
           {two * (a * b - c * s), -a * a + b * b - c * c + s * s, two * (b * c + a * s)},
           {two * (a * c + b * s), two * (b * c - a * s), -a * a - b * b + c * c + s * s}}};
}
template <class S>
VERNIER_INLINE Three<S> to_body(const Attitude<S>& R, const Three<S>& v) noexcept {
  return {dot(R.row[0], v), dot(R.row[1], v), dot(R.row[2], v)};
}
template <class S>
VERNIER_INLINE Three<S> to_inertial(const Attitude<S>& R, const Three<S>& v) noexcept {
  const auto column = [&](const S& a, const S& b, const S& c)
                          VERNIER_LAMBDA { return a * v.x + b * v.y + c * v.z; };
  return {column(R.row[0].x, R.row[1].x, R.row[2].x), column(R.row[0].y, R.row[1].y, R.row[2].y),
          column(R.row[0].z, R.row[1].z, R.row[2].z)};
}

struct RigidBodyModel {
  using Data = RigidBodyData;
  const Data& of;

  static constexpr int parameters = 6;
  static constexpr OutputSet state = 0b11;  // attitude and omega

  /// The inverse by cofactors, in the order of Eigen.
  template <class S>
  static VERNIER_INLINE RigidBodyNumbers<S> numbers(const Data&, const S* g) noexcept {
    RigidBodyNumbers<S> n{{g[0], g[3], g[4], g[3], g[1], g[5], g[4], g[5], g[2]}, {}};
    const auto m = [&](int row, int column) VERNIER_LAMBDA { return n.inertia[3 * row + column]; };
    const auto cofactor = [&](int i, int j) VERNIER_LAMBDA {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      return m(a, c) * m(b, d) - m(a, d) * m(b, c);
    };
    const S one = constant<S>(1.0);
    const S over =
        one / (cofactor(0, 0) * m(0, 0) + cofactor(1, 0) * m(1, 0) + cofactor(2, 0) * m(2, 0));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) n.inverse[3 * i + j] = cofactor(j, i) * over;
    return n;
  }

  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void flow(const N& n, const S&, const X& x, const int*, const U& u,
                           const R& xdot) const noexcept {
    const S q[4] = {x[0], x[1], x[2], x[3]}, half = constant<S>(0.5);
    const Three<S> w = three<S>(x + 4), h = sum(times(n.inertia, w), three<S>(u + 3));
    const Three<S> torque = three<S>(u);
    xdot[0] = half * (w.z * q[1] - w.y * q[2] + w.x * q[3]);
    xdot[1] = half * (-w.z * q[0] + w.x * q[2] + w.y * q[3]);
    xdot[2] = half * (w.y * q[0] - w.x * q[1] + w.z * q[3]);
    xdot[3] = half * (-w.x * q[0] - w.y * q[1] - w.z * q[2]);
    put(times(n.inverse, difference(torque, cross(w, h))), xdot + 4);
  }
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void output(const N& n, const S&, const X& x, const int*, const U& u,
                             OutputSet wanted, const R& y) const noexcept {
    for (int i = 0; i < 7; ++i) y[i] = x[i];
    if ((wanted & ~state) == 0) return;
    const S q[4] = {x[0], x[1], x[2], x[3]};
    const Three<S> w = three<S>(x + 4), body = times(n.inertia, w);
    const Three<S> h = to_inertial(attitude<S>(q), sum(body, three<S>(u + 3)));
    y[7] = length(w);
    put(h, y + 8);
    y[11] = length(h);
    y[12] = constant<S>(0.5) * dot(w, body);
    y[13] = square_root((q[0] * q[0] + q[2] * q[2]) + (q[1] * q[1] + q[3] * q[3]));
  }
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void guards(const N&, const S&, const X&, const int*, const U&,
                             const R&) const noexcept {}
};

struct RotationModel : Stateless {
  using Data = RotationData;
  const Data& of;
  VERNIER_INLINE explicit RotationModel(const Data& d) : of(d) {}

  static constexpr int parameters = 0;

  template <class S>
  static VERNIER_INLINE NoNumbers numbers(const Data&, const S*) noexcept {
    return {};
  }
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void output(const N&, const S&, const X&, const int*, const U& u, OutputSet,
                             const R& y) const noexcept {
    const Attitude<S> A = attitude<S>(u);
    const Three<S> v = three<S>(u + 4);
    if (of.to_body) {
      put(detail::to_body(A, v), y);
    } else {
      put(to_inertial(A, v), y);
    }
  }
};

struct MagnetorquersModel : Stateless {
  using Data = MagnetorquersData;
  const Data& of;
  VERNIER_INLINE explicit MagnetorquersModel(const Data& d) : of(d) {}

  static constexpr int parameters = 2;

  template <class S>
  static VERNIER_INLINE MagnetorquersNumbers<S> numbers(const Data&, const S* g) noexcept {
    return {g[0], g[1]};
  }
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void output(const N& n, const S&, const X&, const int*, const U& u, OutputSet,
                             const R& y) const noexcept {
    S dipole[3];
    for (int i = 0; i < 3; ++i) {
      S command = u[i];
      if (of.limited) command = most(least(command, as<S>(n.largest)), S(-as<S>(n.largest)));
      dipole[i] = as<S>(n.gain) * command;
    }
    const Three<S> m = three<S>(dipole);
    const Three<S> torque = cross(m, three<S>(u + 3));
    put(m, y);
    put(torque, y + 3);
  }
};

struct WheelsModel {
  using Data = WheelsData;
  const Data& of;

  static constexpr int parameters = 6;
  static constexpr OutputSet on_body = 0b11;  // torque and momentum

  template <class S>
  static VERNIER_INLINE WheelsNumbers<S> numbers(const Data&, const S* g) noexcept {
    return {g[0], g[1], g[2], g[3], g[4], g[5]};
  }
  VERNIER_INLINE bool moves(const int* mode, int i) const noexcept {
    return !of.bounded || mode[i] == wheel_free;
  }
  /// h' without the limit of momentum.
  template <class S, class N, class X, class U>
  VERNIER_INLINE S drive(const N& n, const X& x, const U& u, int i) const noexcept {
    S torque = u[i];
    if (of.limited) {
      const S high = as<S>(n.max_torque), low = -high;
      torque = select(torque < low, low, select(high < torque, high, torque));
    }
    if (!of.drags()) return torque;
    const S speed = x[i] / as<S>(n.inertia);
    return torque - as<S>(n.viscous) * speed -
           as<S>(n.coulomb) * hyperbolic_tangent(S(speed / as<S>(n.coulomb_speed)));
  }

  template <class S, class N, class X, class U>
  VERNIER_INLINE S motor(const N& n, const X& x, const int* mode, const U& u,
                         int i) const noexcept {
    return moves(mode, i) ? drive<S>(n, x, u, i) : constant<S>(0.0);
  }

  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void flow(const N& n, const S&, const X& x, const int* mode, const U& u,
                           const R& xdot) const noexcept {
    for (int i = 0; i < of.count; ++i) xdot[i] = motor<S>(n, x, mode, u, i);
  }
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void output(const N& n, const S&, const X& x, const int* mode, const U& u,
                             OutputSet wanted, const R& y) const noexcept {
    S torque[3], momentum[3];
    for (int k = 0; k < 3; ++k) torque[k] = momentum[k] = constant<S>(0.0);
    for (int i = 0; i < of.count; ++i) {
      const S by = motor<S>(n, x, mode, u, i), stored = x[i];
      for (int k = 0; k < 3; ++k) {
        torque[k] = torque[k] - by * constant<S>(of.axes[i][k]);
        momentum[k] = momentum[k] + stored * constant<S>(of.axes[i][k]);
      }
      if ((wanted & ~on_body) == 0) continue;
      y[6 + i] = by;
      y[6 + of.count + i] = stored / as<S>(n.inertia);
    }
    for (int k = 0; k < 3; ++k) {
      y[k] = torque[k];
      y[3 + k] = momentum[k];
    }
  }
  // Guards are relative to their thresholds, so that a tolerance means the same for all wheels.
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void guards(const N& n, const S&, const X& x, const int* mode, const U& u,
                             const R& z) const noexcept {
    if (!of.bounded) return;
    const S one = constant<S>(1.0);
    for (int i = 0; i < of.count; ++i) {
      const bool inside = mode[i] == wheel_free;
      const S share = x[i] / as<S>(n.max_momentum);
      const S driven = drive<S>(n, x, u, i);
      z[3 * i] = of.limited ? S(driven / as<S>(n.max_torque)) : driven;
      z[3 * i + 1] = inside ? share - one : one;
      z[3 * i + 2] = inside ? share + one : one;
    }
  }
};

}  // namespace VERNIER_INSTRUCTIONS

}  // namespace vernier::spacecraft::detail
