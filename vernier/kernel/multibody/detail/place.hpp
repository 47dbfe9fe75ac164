#pragma once

#include "vernier/kernel/multibody/detail/deform.hpp"
#include "vernier/kernel/multibody/detail/hinges.hpp"

/// The outward sweep: where the links are and how they move, and the forces of velocity products.
/// Symbols are those of docs/mathematics/multibody.md.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

using spatial::from_columns;
using spatial::mat3;
using spatial::motion_at;
using spatial::plus_cross;
using spatial::rotated_back;
using spatial::transposed_times;
using spatial::vec3;

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
  const Vec3<T> d = place_hinge(link.kind, link.parameter, q + link.q, s.E, s.r, s.trig);
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
      place_hinge(link.kind, link.parameter, q + link.q, s.E, s.r, s.trig);
      s.V = zero6<T>();
      move_hinge(link.kind, link.parameter, u + link.u, s.trig, s.V, s.c);
    } else if (!link.outboard_moves) {
      const LinkState<T>& parent = work.links[link.parent];
      Mat3<T> E = mat3<T>(link.R0);
      Vec3<T> r = vec3<T>(link.p0);
      place_hinge(link.kind, link.parameter, q + link.q, E, r, s.trig);
      Vec6<T> V = rotated_back(E, motion_at(parent.V, r)), c;
      move_hinge(link.kind, link.parameter, u + link.u, s.trig, V, c);
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
      move_hinge(link.kind, link.parameter, u + link.u, s.trig, s.V, s.c);
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
