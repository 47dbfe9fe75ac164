#pragma once

#include "vernier/kernel/multibody/detail/deform.hpp"
#include "vernier/kernel/multibody/detail/hinges.hpp"

/// The first outward sweep: poses and motions of the links, and velocity-product forces. Symbols
/// are those of docs/mathematics/multibody.md, sections 2 to 4.
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
  Mat3<T> R, J;  // R of the node; left Jacobian J of its rotation vector
  Vec3<T> p;
  Vec3<T> omega, v;  // relative angular velocity, velocity; working axes
  Vec3<T> bias;      // of the relative angular acceleration
  Vec3<T> bend;      // Σ g_il η'_i η'_l, of the relative acceleration; of links that shorten
};
/// The translation φ_i + Σ_l g_il η_l of a node by mode i of its link.
template <class T>
VERNIER_INLINE Vec3<T> translation(const TreeLink& link, const NodeShape& phi, int i,
                                   const T* eta) noexcept {
  Vec3<T> t = vec3<T>(phi.t + 3 * i);
  for (int l = 0; link.shortens && l < link.modes; ++l) {
    const int high = i > l ? i : l, low = i > l ? l : i;
    t += vec3<T>(phi.g + 3 * (high * (high + 1) / 2 + low)) * eta[l];
  }
  return t;
}
// Deformed pose and relative motion of a node of a link: p = p0 + φ_t η + ½ Σ g_il η_i η_l,
// R = Exp(φ_r η) R0.
template <class T>
VERNIER_INLINE MovingNode<T> moving_node(const double* R0, const double* p0, const double* shape,
                                         const TreeLink& link, const T* eta,
                                         const T* rate) noexcept {
  const int n = link.modes;
  const NodeShape phi(shape, n);
  Vec3<T> th = zero3<T>(), thd = zero3<T>(), p = vec3<T>(p0), v = zero3<T>();
  for (int i = 0; i < n; ++i) {
    const Vec3<T> t = vec3<T>(phi.t + 3 * i), r = vec3<T>(phi.r + 3 * i);
    th += r * eta[i];
    thd += r * rate[i];
    p += t * eta[i];
    v += t * rate[i];
  }
  Vec3<T> bend = zero3<T>();
  if (link.shortens) {
    const double* g = phi.g;
    for (int i = 0; i < n; ++i) {
      for (int l = 0; l <= i; ++l, g += 3) {
        const Vec3<T> by = vec3<T>(g) * constant<T>(l < i ? 1.0 : 0.5);
        p += by * (eta[i] * eta[l]);
        v += by * (eta[i] * rate[l] + rate[i] * eta[l]);
        bend += by * (constant<T>(2.0) * rate[i] * rate[l]);
      }
    }
  }
  const auto turned = spatial::turn(th, thd);
  return {turned.R * mat3<T>(R0), turned.J, p, turned.omega, v, turned.bias, bend};
}
/// The bias of the acceleration of a node on a link that moves with V: everything except the
/// accelerations of the link and of the modes. At the node, in working axes.
template <class T>
VERNIER_INLINE Vec6<T> node_bias(const TreeLink& link, const MovingNode<T>& node,
                                 const Vec6<T>& V) noexcept {
  const Vec3<T> v = V.l + cross(V.a, node.p) + node.v;
  Vec6<T> a = {node.bias + cross(V.a, node.omega), cross(V.a, node.v) - cross(node.omega, v)};
  if (link.shortens) a.l += node.bend;
  return a;
}

/// Velocity-product forces of a rigid link on W: b of a flexible link without modes.
template <class T>
VERNIER_INLINE Vec6<T> rigid_bias(const T& m, const Vec3<T>& s, const Sym3<T>& J,
                                  const Vec6<T>& V) noexcept {
  const Vec3<T> wv = cross(V.a, V.l);
  return {plus_cross(cross(s, wv), V.a, J * V.a), plus_cross(wv * m, V.a, cross(V.a, s))};
}

// The same for T that carries derivatives: mass properties are plain numbers then, which saves
// multiplications of zero derivatives.
/// s × v
template <class T>
VERNIER_INLINE Vec3<T> cross_with(const double* s, const Vec3<T>& v) noexcept {
  return {v.z * s[1] - v.y * s[2], v.x * s[2] - v.z * s[0], v.y * s[0] - v.x * s[1]};
}
/// J v
template <class T>
VERNIER_INLINE Vec3<T> turned_by(const double* J, const Vec3<T>& v) noexcept {
  return {v.x * J[0] + v.y * J[3] + v.z * J[4], v.x * J[3] + v.y * J[1] + v.z * J[5],
          v.x * J[4] + v.y * J[5] + v.z * J[2]};
}
template <class T>
VERNIER_INLINE Vec6<T> rigid_bias(const Mass& m, const Vec6<T>& V) noexcept {
  const Vec3<T> wv = cross(V.a, V.l), ws = cross_with(m.s, V.a);
  return {cross_with(m.s, wv) + cross(V.a, turned_by(m.J, V.a)),
          Vec3<T>{wv.x * m.m, wv.y * m.m, wv.z * m.m} - cross(V.a, ws)};
}
/// The force that gives a rigid body the acceleration a.
template <class T>
VERNIER_INLINE Vec6<T> rigid_needs(const Mass& m, const Vec6<T>& a) noexcept {
  return {turned_by(m.J, a.a) + cross_with(m.s, a.l),
          Vec3<T>{a.l.x * m.m, a.l.y * m.m, a.l.z * m.m} - cross_with(m.s, a.a)};
}

/// Pose and motion of I on an outboard node that the parent's modes move; psi receives ψ = [J φ_r;
/// φ_t] at I.
template <class T>
inline void place_on_moving_node(const TreeLink& link, const LayoutView& layout, const T* q,
                                 const MovingNode<T>& o, const T* rate, const LinkState<T>& parent,
                                 LinkState<T>& s, Vec6<T>& V, Vec6<T>& bias,
                                 Vec6<T>* psi) noexcept {
  const TreeLink& on = layout.links[link.parent];
  const int n = on.modes;
  const T* eta = q + on.q_modes;
  s.E = o.R;
  s.r = o.p;
  const Vec3<T> d = place_hinge(link.kind, link.parameter, q + link.q, s.E, s.r, s.trig);
  const NodeShape phi(layout.numbers + link.outboard_shape, n);
  V = motion_at(parent.V, s.r);
  if constexpr (std::is_class_v<T>) {
    // Shapes carry no derivatives, and most hinges have no displacement.
    const bool displaced = with_kind(link.kind, []<class K>() {
      if constexpr (K::in_star) return slides<K>();
      return true;
    });
    for (int i = 0; i < n; ++i) {
      const double* r = phi.r + 3 * i;
      const T* J = o.J.a;
      psi[i].a = {J[0] * r[0] + J[1] * r[1] + J[2] * r[2], J[3] * r[0] + J[4] * r[1] + J[5] * r[2],
                  J[6] * r[0] + J[7] * r[1] + J[8] * r[2]};
      psi[i].l = translation(on, phi, i, eta);
      if (displaced) psi[i].l += cross(psi[i].a, d);
      V += psi[i] * rate[i];
    }
  } else {
    for (int i = 0; i < n; ++i) {
      const Vec3<T> turn = o.J * vec3<T>(phi.r + 3 * i);
      psi[i] = {turn, translation(on, phi, i, eta) + cross(turn, d)};
      V += psi[i] * rate[i];
    }
  }
  bias = motion_at(node_bias(on, o, parent.V), d);
}

/// The outboard node of a link, moved by the parent's modes.
template <class T>
VERNIER_INLINE MovingNode<T> outboard_node(const LayoutView& layout, const TreeLink& link,
                                           const T* q, const T* u) noexcept {
  const TreeLink& on = layout.links[link.parent];
  return moving_node(link.R0, link.p0, layout.numbers + link.outboard_shape, on, q + on.q_modes,
                     u + on.u_modes);
}

/// Pose and motion of a link from its placed parent: E, r, V, c, b and the deformed integrals. q
/// and u are those of the whole tree; outboard(link) is its outboard node, if the parent's modes
/// move it.
template <class T, class F, class M>
VERNIER_INLINE void place_link(const LayoutView& layout, const MassOf<M>* masses, int k, const T* q,
                               const T* u, const Workspace<T>& work, const F& outboard) noexcept {
  const TreeLink& link = layout.links[k];
  LinkState<T>& s = work.links[k];
  const MassOf<M>& mass = masses[k];
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
    const TreeLink& on = layout.links[link.parent];
    Vec6<T> V, bias;
    place_on_moving_node(link, layout, q, outboard(link), u + on.u_modes, work.links[link.parent],
                         s, V, bias, work.psi + link.outboard_psi);
    s.V = rotated_back(s.E, V);
    move_hinge(link.kind, link.parameter, u + link.u, s.trig, s.V, s.c);
    s.c += rotated_back(s.E, bias);
  }
  if (link.modes == 0) {
    if constexpr (std::is_class_v<T>) {
      s.b = rigid_bias(mass, s.V);
    } else {
      s.b = rigid_bias(mass_of<T>(mass), moment_of<T>(mass), inertia_of<T>(mass), s.V);
    }
  } else {
    if (link.inboard_moves) {
      // s.V is the motion of I. Convert it to that of W: V_W = V_I at W - ψ η'.
      ModalState<T>& m = work.modal[link.mode];
      const double* shape = layout.numbers + link.inboard_shape;
      const T *eta = q + link.q_modes, *rate = u + link.u_modes;
      const MovingNode<T> i = moving_node(link.Ri, link.pi, shape, link, eta, rate);
      m.Ri = i.R;
      m.pi = i.p;
      const NodeShape phi(shape, link.modes);
      Vec6<T>* psi = work.psi + link.inboard_psi;
      Vec6<T> V = motion_at(spatial::rotated(i.R, s.V), -i.p);
      for (int j = 0; j < link.modes; ++j) {
        const Vec3<T> turn = i.J * vec3<T>(phi.r + 3 * j);
        psi[j] = {turn, translation(link, phi, j, eta) - cross(turn, i.p)};
        V -= psi[j] * rate[j];
      }
      s.V = V;
      m.ai = motion_at(node_bias(link, i, V), -i.p);
    }
    deform(layout, link, mass, q, u, s, work);
  }
}
template <class T, class M>
inline void place_links(const LayoutView& layout, const MassOf<M>* masses, const T* q, const T* u,
                        const Workspace<T>& work) noexcept {
  const auto outboard = [&](const TreeLink& link)
                            VERNIER_LAMBDA { return outboard_node(layout, link, q, u); };
  for (int k = 0; k < layout.count; ++k) place_link(layout, masses, k, q, u, work, outboard);
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
