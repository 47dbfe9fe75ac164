#pragma once

#include "vernier/kernel/multibody/detail/place.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// A node in its current pose, deformed or not.
template <class T>
inline MovingNode<T> node_of(const LayoutView& layout, const NodeRecord& record, const T* q,
                             const T* u) noexcept {
  if (!record.moves) {
    return {mat3<T>(record.R0), spatial::identity3<T>(),
            vec3<T>(record.p0), zero3<T>(),
            zero3<T>(),         zero3<T>(),
            zero3<T>()};
  }
  const TreeLink& link = layout.links[record.link];
  return moving_node(record.R0, record.p0, layout.numbers + record.shape, link, q + link.q_modes,
                     u + link.u_modes);
}

/// The motion of a node on a link that moves with V, in working axes.
template <class T>
VERNIER_INLINE Vec6<T> node_motion(const MovingNode<T>& node, const Vec6<T>& V) noexcept {
  const Vec6<T> v = motion_at(V, node.p);
  return {v.a + node.omega, v.l + node.v};
}

/// Subtracts the force f, in node axes, from the remaining forces z of a link and ze of its modes.
/// Its generalised force on the modes is φ_t·f + (J φ_r)·n. q is that of the whole tree.
template <class T>
inline void apply(const LayoutView& layout, const NodeRecord& record, const MovingNode<T>& node,
                  const T* q, const Vec6<T>& f, const Workspace<T>& work) noexcept {
  const Vec6<T> force = spatial::rotated(node.R, f);
  work.links[record.link].z -= spatial::force_from(force, node.p);
  if (!record.moves) return;
  const TreeLink& link = layout.links[record.link];
  const NodeShape phi(layout.numbers + record.shape, link.modes);
  const Vec3<T> moment = transposed_times(node.J, force.a);
  for (int i = 0; i < link.modes; ++i) {
    T& ze = work.ze[link.mode + i];
    ze = ze - dot(translation(link, phi, i, q + link.q_modes), force.l) -
         dot(vec3<T>(phi.r + 3 * i), moment);
  }
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
