#pragma once

#include "vernier/kernel/multibody/detail/deform.hpp"

/// The outward sweep: where the links are and how they move, and the forces of velocity products.
/// Symbols are those of docs/mathematics/multibody.md.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

using spatial::column;
using spatial::constant;
using spatial::cross;
using spatial::dot;
using spatial::from_columns;
using spatial::mat3;
using spatial::motion_at;
using spatial::plus_cross;
using spatial::rotated_back;
using spatial::sine_cosine;
using spatial::transposed_times;
using spatial::vec3;
using spatial::zero3;
using spatial::zero6;

/// Axes turned about their own z by an angle.
template <class T>
VERNIER_INLINE void turn_about_z(Mat3<T>& R, const T& s, const T& c) noexcept {
  for (int i = 0; i < 9; i += 3) {
    const T x = R.a[i], y = R.a[i + 1];
    R.a[i] = x * c + y * s;
    R.a[i + 1] = y * c - x * s;
  }
}
template <class T>
VERNIER_INLINE void turn_about_x(Mat3<T>& R, const T& s, const T& c) noexcept {
  for (int i = 0; i < 9; i += 3) {
    const T y = R.a[i + 1], z = R.a[i + 2];
    R.a[i + 1] = y * c + z * s;
    R.a[i + 2] = z * c - y * s;
  }
}
template <class T>
VERNIER_INLINE void turn_about_y(Mat3<T>& R, const T& s, const T& c) noexcept {
  for (int i = 0; i < 9; i += 3) {
    const T x = R.a[i], z = R.a[i + 2];
    R.a[i] = x * c - z * s;
    R.a[i + 2] = z * c + x * s;
  }
}
/// From the axes that the quaternion q_IO leads to, back: R of x_O = R x_I. Any length but zero.
template <class T>
VERNIER_INLINE Mat3<T> from_quaternion(const T* q) noexcept {
  const T x = q[0], y = q[1], z = q[2], w = q[3];
  const T k = constant<T>(2.0) / (x * x + y * y + z * z + w * w), o = constant<T>(1.0);
  const T kx = k * x, ky = k * y, kz = k * z;
  const T xx = kx * x, yy = ky * y, zz = kz * z, xy = kx * y, xz = kx * z, yz = ky * z;
  const T wx = kx * w, wy = ky * w, wz = kz * w;
  return {{o - yy - zz, xy - wz, xz + wy, xy + wz, o - xx - zz, yz - wx, xz - wy, yz + wx,
           o - xx - yy}};
}

/// Pose of I in the parent's frame, from the outboard node's (E, r) and the hinge coordinates.
/// Returns by how much the hinge displaces I from O, in the parent's axes.
template <class T>
VERNIER_INLINE Vec3<T> place_hinge(HingeKind kind, const T* q, Mat3<T>& E, Vec3<T>& r,
                                   T* trig) noexcept {
  T s, c;
  Vec3<T> d = zero3<T>();
  switch (kind) {
    case HingeKind::fixed:
      break;
    case HingeKind::pin:
      sine_cosine(q[0], s, c);
      turn_about_z(E, s, c);
      break;
    case HingeKind::prismatic:
      d = column(E, 2) * q[0];
      r += d;
      break;
    case HingeKind::cylindrical:
      d = column(E, 2) * q[1];
      r += d;
      sine_cosine(q[0], s, c);
      turn_about_z(E, s, c);
      break;
    case HingeKind::universal:
      sine_cosine(q[0], s, c);
      turn_about_x(E, s, c);
      sine_cosine(q[1], trig[0], trig[1]);
      turn_about_y(E, trig[0], trig[1]);
      break;
    case HingeKind::gimbal:
      sine_cosine(q[0], s, c);
      turn_about_x(E, s, c);
      sine_cosine(q[1], trig[0], trig[1]);
      turn_about_y(E, trig[0], trig[1]);
      sine_cosine(q[2], trig[2], trig[3]);
      turn_about_z(E, trig[2], trig[3]);
      break;
    case HingeKind::ball:
      E = E * from_quaternion(q);
      break;
    case HingeKind::planar:
      d = column(E, 0) * q[0] + column(E, 1) * q[1];
      r += d;
      sine_cosine(q[2], trig[0], trig[1]);
      turn_about_z(E, trig[0], trig[1]);
      break;
    case HingeKind::free:
      d = E * Vec3<T>{q[4], q[5], q[6]};
      r += d;
      E = E * from_quaternion(q);
      break;
  }
  return d;
}

/// Adds the hinge's motion to that of I, which comes as if the hinge stood still, and gives the
/// bias c = S' u + V_I x (S u).
template <class T>
VERNIER_INLINE void move_hinge(HingeKind kind, const T* u, const T* trig, Vec6<T>& V,
                               Vec6<T>& c) noexcept {
  const T o = constant<T>(0.0);
  switch (kind) {
    case HingeKind::fixed:
      c = zero6<T>();
      break;
    case HingeKind::pin:
      c = {{V.a.y * u[0], -(V.a.x * u[0]), o}, {V.l.y * u[0], -(V.l.x * u[0]), o}};
      V.a.z = V.a.z + u[0];
      break;
    case HingeKind::prismatic:
      c = {{o, o, o}, {V.a.y * u[0], -(V.a.x * u[0]), o}};
      V.l.z = V.l.z + u[0];
      break;
    case HingeKind::cylindrical:
      c = {{V.a.y * u[0], -(V.a.x * u[0]), o},
           {V.l.y * u[0] + V.a.y * u[1], -(V.l.x * u[0]) - V.a.x * u[1], o}};
      V.a.z = V.a.z + u[0];
      V.l.z = V.l.z + u[1];
      break;
    case HingeKind::universal: {
      const Vec3<T> w = {trig[1] * u[0], u[1], trig[0] * u[0]};
      const T uu = u[0] * u[1];
      V.a += w;
      c = {cross(V.a, w), cross(V.l, w)};
      c.a.x = c.a.x - trig[0] * uu;
      c.a.z = c.a.z + trig[1] * uu;
      break;
    }
    case HingeKind::gimbal: {
      const T s2 = trig[0], c2 = trig[1], s3 = trig[2], c3 = trig[3];
      const Vec3<T> w = {c2 * c3 * u[0] + s3 * u[1], c3 * u[1] - c2 * s3 * u[0], s2 * u[0] + u[2]};
      const T u12 = u[0] * u[1], u13 = u[0] * u[2], u23 = u[1] * u[2];
      V.a += w;
      c = {cross(V.a, w), cross(V.l, w)};
      c.a += Vec3<T>{c3 * u23 - s2 * c3 * u12 - c2 * s3 * u13,
                     s2 * s3 * u12 - c2 * c3 * u13 - s3 * u23, c2 * u12};
      break;
    }
    case HingeKind::ball: {
      const Vec3<T> w = {u[0], u[1], u[2]};
      c = {cross(V.a, w), cross(V.l, w)};  // w x w = 0
      V.a += w;
      break;
    }
    case HingeKind::planar: {
      const Vec3<T> v = {trig[1] * u[0] + trig[0] * u[1], trig[1] * u[1] - trig[0] * u[0], o};
      V.a.z = V.a.z + u[2];
      V.l += v;
      c = {{V.a.y * u[2], -(V.a.x * u[2]), o},
           cross(V.a, v) + Vec3<T>{V.l.y * u[2], -(V.l.x * u[2]), o}};
      c.l += Vec3<T>{v.y * u[2], -(v.x * u[2]), o};
      break;
    }
    case HingeKind::free: {
      const Vec6<T> v = {{u[0], u[1], u[2]}, {u[3], u[4], u[5]}};
      c = {cross(V.a, v.a), cross(V.a, v.l) + cross(V.l, v.a)};  // v x v = 0
      V += v;
      break;
    }
  }
}

/// A node of a deforming body: pose in the body's working frame, motion relative to it, and bias.
template <class T>
struct MovingNode {
  Mat3<T> R, J;  // R of the node; J of its rotation vector
  Vec3<T> p;
  Vec3<T> omega, v;  // relative angular velocity, velocity; working axes
  Vec3<T> bias;      // of the relative angular acceleration
};
template <class T>
VERNIER_INLINE MovingNode<T> moving_node(const double* R0, const double* p0, const double* shape,
                                         int n, const T* eta, const T* rate) noexcept {
  const NodeShape phi(shape, n);
  Vec3<T> th = zero3<T>(), thd = zero3<T>(), p = vec3<T>(p0), v = zero3<T>();
  for (int i = 0; i < n; ++i) {
    const Vec3<T> t = vec3<T>(phi.t + 3 * i), r = vec3<T>(phi.r + 3 * i);
    th += r * eta[i];
    thd += r * rate[i];
    p += t * eta[i];
    v += t * rate[i];
  }
  const auto turned = spatial::turn(th, thd);
  return {turned.R * mat3<T>(R0), turned.J, p, turned.omega, v, turned.bias};
}
/// Bias of the acceleration of a node on a body that moves with V: without the body's own
/// acceleration and the modes'. At the node, working axes.
template <class T>
VERNIER_INLINE Vec6<T> node_bias(const MovingNode<T>& node, const Vec6<T>& V) noexcept {
  const Vec3<T> v = V.l + cross(V.a, node.p) + node.v;
  return {node.bias + cross(V.a, node.omega), cross(V.a, node.v) - cross(node.omega, v)};
}

/// Velocity-product forces of a rigid link on W.
template <class T>
VERNIER_INLINE Vec6<T> rigid_bias(const T& m, const Vec3<T>& s, const Sym3<T>& J,
                                  const Vec6<T>& V) noexcept {
  const Vec3<T> wv = cross(V.a, V.l);
  return {plus_cross(cross(s, wv), V.a, J * V.a), plus_cross(wv * m, V.a, cross(V.a, s))};
}

/// Pose and motion of I from an outboard node that the parent's modes move.
template <class T>
inline void place_on_moving_node(const Link& link, const LayoutView& layout, const T* q,
                                 const T* eta, const T* rate, const LinkState<T>& parent, int n,
                                 LinkState<T>& s, Vec6<T>& V, Vec6<T>& bias,
                                 Vec6<T>* psi) noexcept {
  const double* shape = layout.numbers + link.outboard_shape;
  const MovingNode<T> o = moving_node(link.R0, link.p0, shape, n, eta, rate);
  s.E = o.R;
  s.r = o.p;
  const Vec3<T> d = place_hinge(link.kind, q + link.q, s.E, s.r, s.trig);
  const NodeShape phi(shape, n);
  V = motion_at(parent.V, s.r);
  for (int i = 0; i < n; ++i) {
    const Vec3<T> turn = o.J * vec3<T>(phi.r + 3 * i);
    psi[i] = {turn, vec3<T>(phi.t + 3 * i) + cross(turn, d)};
    V += psi[i] * rate[i];
  }
  bias = motion_at(node_bias(o, parent.V), d);
}

/// Where the links are and how they move: q and u of the whole tree to E, r, V, c, b and the
/// deformed integrals. `gains` nothing: see accelerate.
template <class T>
inline void place_links(const LayoutView& layout, const Mass* masses, const T* q, const T* u,
                        const Workspace<T>& work) noexcept {
  for (int k = 0; k < layout.count; ++k) {
    const Link& link = layout.links[k];
    LinkState<T>& s = work.links[k];
    const Mass& mass = masses[k];
    if (link.parent < 0) {
      s.E = mat3<T>(link.R0);
      s.r = vec3<T>(link.p0);
      place_hinge(link.kind, q + link.q, s.E, s.r, s.trig);
      s.V = zero6<T>();
      move_hinge(link.kind, u + link.u, s.trig, s.V, s.c);
    } else if (!link.outboard_moves) {
      const LinkState<T>& parent = work.links[link.parent];
      Mat3<T> E = mat3<T>(link.R0);
      Vec3<T> r = vec3<T>(link.p0);
      place_hinge(link.kind, q + link.q, E, r, s.trig);
      Vec6<T> V = rotated_back(E, motion_at(parent.V, r)), c;
      move_hinge(link.kind, u + link.u, s.trig, V, c);
      s.E = E;
      s.r = r;
      s.V = V;
      s.c = c;
    } else {
      const Link& on = layout.links[link.parent];
      Vec6<T> V, bias;
      place_on_moving_node(link, layout, q, q + on.q_modes, u + on.u_modes, work.links[link.parent],
                           on.modes, s, V, bias, work.psi + link.outboard_psi);
      s.V = rotated_back(s.E, V);
      move_hinge(link.kind, u + link.u, s.trig, s.V, s.c);
      s.c += rotated_back(s.E, bias);
    }
    if (link.modes == 0) {
      s.b = rigid_bias(constant<T>(mass.m), vec3<T>(mass.s), spatial::sym3<T>(mass.J), s.V);
    } else {
      if (link.inboard_moves) {
        // s.V is the motion of I: from here on that of W
        ModalState<T>& m = work.modal[link.mode];
        const double* shape = layout.numbers + link.inboard_shape;
        const T *eta = q + link.q_modes, *rate = u + link.u_modes;
        const MovingNode<T> i = moving_node(link.Ri, link.pi, shape, link.modes, eta, rate);
        m.Ri = i.R;
        m.pi = i.p;
        const NodeShape phi(shape, link.modes);
        Vec6<T>* psi = work.psi + link.inboard_psi;
        Vec6<T> V = motion_at(spatial::rotated(i.R, s.V), -i.p);
        for (int j = 0; j < link.modes; ++j) {
          const Vec3<T> turn = i.J * vec3<T>(phi.r + 3 * j);
          psi[j] = {turn, vec3<T>(phi.t + 3 * j) - cross(turn, i.p)};
          V -= psi[j] * rate[j];
        }
        s.V = V;
        m.ai = motion_at(node_bias(i, V), -i.p);
      }
      deform(layout, link, mass, q, u, s, work);
    }
  }
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
