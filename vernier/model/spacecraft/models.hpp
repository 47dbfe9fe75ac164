#pragma once

#include "vernier/kernel/hybrid/lane_code.hpp"

/// The equations of spacecraft, for any kind of number; see the classes that are named like them.
namespace vernier::spacecraft::detail {

/// Data that do not depend on what code is compiled for.
struct RigidBodyData {
  double inertia[9], inverse[9];  // row major
};
struct RotationData {
  bool to_body = true;
};
struct MagnetorquersData {
  double gain = 1.0, largest = 0.0;
};
struct WheelsData {
  static constexpr int most = 8;
  int count = 0;
  double axes[most][3] = {};
  double inertia = 1.0, max_torque = 0.0, max_momentum = 0.0;
  double viscous = 0.0, coulomb = 0.0, coulomb_speed = 1.0;
};
/// Locations of each wheel.
enum WheelLocation { wheel_free, wheel_upper, wheel_lower };

inline namespace VERNIER_INSTRUCTIONS {

using hybrid::constant;
using hybrid::hyperbolic_tangent;
using hybrid::least;
using hybrid::most;
using hybrid::select;
using hybrid::square_root;
using hybrid::Stateless;

template <class S>
struct Three {
  S x, y, z;
};
template <class S>
VERNIER_INLINE Three<S> three(const S* v) noexcept {
  return {v[0], v[1], v[2]};
}
template <class S>
VERNIER_INLINE void put(const Three<S>& v, S* to) noexcept {
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
template <class S>
VERNIER_INLINE Three<S> times(const double* matrix, const Three<S>& v) noexcept {
  const auto row = [&](const double* r) VERNIER_LAMBDA {
    return dot({constant<S>(r[0]), constant<S>(r[1]), constant<S>(r[2])}, v);
  };
  return {row(matrix), row(matrix + 3), row(matrix + 6)};
}

/// spatial::attitude_matrix, by rows.
template <class S>
struct Attitude {
  Three<S> row[3];
};
template <class S>
VERNIER_INLINE Attitude<S> attitude(const S* q) noexcept {
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

  static constexpr int states = 7, inputs = 6, outputs = 14, atoms = 0;
  static VERNIER_INLINE int n() noexcept { return states; }
  static VERNIER_INLINE int m() noexcept { return inputs; }
  static VERNIER_INLINE int p() noexcept { return outputs; }
  static VERNIER_INLINE int g() noexcept { return 0; }

  template <class S>
  VERNIER_INLINE void flow(const S&, const S* x, const int*, const S* u, S* xdot) const noexcept {
    const S* q = x;
    const Three<S> w = three(x + 4), h = sum(times(of.inertia, w), three(u + 3));
    const S half = constant<S>(0.5);
    xdot[0] = half * (w.z * q[1] - w.y * q[2] + w.x * q[3]);
    xdot[1] = half * (-w.z * q[0] + w.x * q[2] + w.y * q[3]);
    xdot[2] = half * (w.y * q[0] - w.x * q[1] + w.z * q[3]);
    xdot[3] = half * (-w.x * q[0] - w.y * q[1] - w.z * q[2]);
    put(times(of.inverse, difference(three(u), cross(w, h))), xdot + 4);
  }
  template <class S>
  VERNIER_INLINE void output(const S&, const S* x, const int*, const S* u, S* y) const noexcept {
    const S* q = x;
    const Three<S> w = three(x + 4), body = times(of.inertia, w);
    const Three<S> h = to_inertial(attitude(q), sum(body, three(u + 3)));
    for (int i = 0; i < 7; ++i) y[i] = x[i];
    y[7] = length(w);
    put(h, y + 8);
    y[11] = length(h);
    y[12] = constant<S>(0.5) * dot(w, body);
    y[13] = square_root((q[0] * q[0] + q[2] * q[2]) + (q[1] * q[1] + q[3] * q[3]));
  }
  template <class S>
  VERNIER_INLINE void guards(const S&, const S*, const int*, const S*, S*) const noexcept {}
};

struct RotationModel : Stateless {
  using Data = RotationData;
  const Data& of;
  VERNIER_INLINE explicit RotationModel(const Data& d) : of(d) {}

  static constexpr int inputs = 7, outputs = 3;
  static VERNIER_INLINE int m() noexcept { return inputs; }
  static VERNIER_INLINE int p() noexcept { return outputs; }

  template <class S>
  VERNIER_INLINE void output(const S&, const S*, const int*, const S* u, S* y) const noexcept {
    const Attitude<S> R = attitude(u);
    if (of.to_body) {
      put(detail::to_body(R, three(u + 4)), y);
    } else {
      put(to_inertial(R, three(u + 4)), y);
    }
  }
};

struct MagnetorquersModel : Stateless {
  using Data = MagnetorquersData;
  const Data& of;
  VERNIER_INLINE explicit MagnetorquersModel(const Data& d) : of(d) {}

  static constexpr int inputs = 6, outputs = 6;
  static VERNIER_INLINE int m() noexcept { return inputs; }
  static VERNIER_INLINE int p() noexcept { return outputs; }

  template <class S>
  VERNIER_INLINE void output(const S&, const S*, const int*, const S* u, S* y) const noexcept {
    for (int i = 0; i < 3; ++i) {
      S command = u[i];
      if (of.largest > 0.0)
        command = most(least(command, constant<S>(of.largest)), constant<S>(-of.largest));
      y[i] = constant<S>(of.gain) * command;
    }
    put(cross(three(y), three(u + 3)), y + 3);
  }
};

struct WheelsModel {
  using Data = WheelsData;
  const Data& of;

  static constexpr int states = WheelsData::most, inputs = states, outputs = 6 + 2 * states,
                       atoms = 3 * states;
  VERNIER_INLINE int n() const noexcept { return of.count; }
  VERNIER_INLINE int m() const noexcept { return of.count; }
  VERNIER_INLINE int p() const noexcept { return 6 + 2 * of.count; }
  VERNIER_INLINE int g() const noexcept { return bounded() ? 3 * of.count : 0; }

  VERNIER_INLINE bool bounded() const noexcept { return of.max_momentum > 0.0; }
  VERNIER_INLINE bool moves(const int* mode, int i) const noexcept {
    return !bounded() || mode[i] == wheel_free;
  }
  /// h' if there were no limit of momentum.
  template <class S>
  VERNIER_INLINE S drive(const S* x, const S* u, int i) const noexcept {
    S torque = u[i];
    if (of.max_torque > 0.0) {
      const S low = constant<S>(-of.max_torque), high = constant<S>(of.max_torque);
      torque = select(torque < low, low, select(high < torque, high, torque));
    }
    if (of.viscous == 0.0 && of.coulomb == 0.0) return torque;
    const S speed = x[i] / constant<S>(of.inertia);
    return torque - constant<S>(of.viscous) * speed -
           constant<S>(of.coulomb) * hyperbolic_tangent(S(speed / constant<S>(of.coulomb_speed)));
  }

  template <class S>
  VERNIER_INLINE void flow(const S&, const S* x, const int* mode, const S* u,
                           S* xdot) const noexcept {
    for (int i = 0; i < of.count; ++i) xdot[i] = moves(mode, i) ? drive(x, u, i) : constant<S>(0.0);
  }
  template <class S>
  VERNIER_INLINE void output(const S&, const S* x, const int* mode, const S* u,
                             S* y) const noexcept {
    for (int k = 0; k < 6; ++k) y[k] = constant<S>(0.0);
    for (int i = 0; i < of.count; ++i) {
      const S motor = moves(mode, i) ? drive(x, u, i) : constant<S>(0.0);
      for (int k = 0; k < 3; ++k) {
        y[k] = y[k] - motor * constant<S>(of.axes[i][k]);
        y[3 + k] = y[3 + k] + x[i] * constant<S>(of.axes[i][k]);
      }
      y[6 + i] = motor;
      y[6 + of.count + i] = x[i] / constant<S>(of.inertia);
    }
  }
  // relative to what they are compared with, so that a tolerance means the same for all wheels
  template <class S>
  VERNIER_INLINE void guards(const S&, const S* x, const int* mode, const S* u,
                             S* z) const noexcept {
    if (!bounded()) return;
    const S one = constant<S>(1.0);
    for (int i = 0; i < of.count; ++i) {
      const bool inside = mode[i] == wheel_free;
      const S share = x[i] / constant<S>(of.max_momentum);
      z[3 * i] = drive(x, u, i) / constant<S>(of.max_torque > 0.0 ? of.max_torque : 1.0);
      z[3 * i + 1] = inside ? share - one : one;
      z[3 * i + 2] = inside ? share + one : one;
    }
  }
};

}  // namespace VERNIER_INSTRUCTIONS

}  // namespace vernier::spacecraft::detail
