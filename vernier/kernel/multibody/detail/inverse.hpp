#pragma once

#include "vernier/kernel/multibody/detail/place.hpp"

/// Inverse dynamics of placed links by recursive Newton-Euler: accelerations outward, then forces
/// inward.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

using spatial::force_from;
using spatial::rigid;
using spatial::rotated;
using spatial::sym3;

/// v s, where s is a T or a number.
template <class T, class U>
VERNIER_INLINE Vec6<T> times(const Vec6<T>& v, const U& s) noexcept {
  return {{v.a.x * s, v.a.y * s, v.a.z * s}, {v.l.x * s, v.l.y * s, v.l.z * s}};
}

/// The acceleration of a link from that of the parent's W (of the ground: -g), and the inertia
/// forces, which are added to z and ze.
template <class T, class U>
VERNIER_INLINE void accelerate_link(const LayoutView& layout, const Mass* masses, int k,
                                    const Vec6<T>& parent, const U* udot,
                                    const Workspace<T>& work) noexcept {
  const TreeLink& link = layout.links[k];
  LinkState<T>& s = work.links[k];
  Vec6<T> a = parent;
  if (link.parent >= 0) {
    a = motion_at(a, s.r);
    if (link.outboard_moves) {
      const TreeLink& on = layout.links[link.parent];
      for (int i = 0; i < on.modes; ++i)
        a += times(work.psi[link.outboard_psi + i], udot[on.u_modes + i]);
    }
  }
  a = rotated_back(s.E, a);
  s.a0 = a;
  const auto next = [&](int i) -> T { return udot[link.u + i]; };
  with_kind(link.kind, [&]<class K>() VERNIER_LAMBDA {
    K::accelerate(next, constant<T>(link.parameter), s.trig, a);
  });
  a += s.c;
  const U* etadd = udot + link.u_modes;
  if (link.inboard_moves) {
    const ModalState<T>& m = work.modal[link.mode];
    a = motion_at(rotated(m.Ri, a), -m.pi);
    for (int i = 0; i < link.modes; ++i) a -= times(work.psi[link.inboard_psi + i], etadd[i]);
    a -= m.ai;
  }
  s.A = a;
  if (link.modes == 0) {
    s.z += rigid_needs(masses[k], a);
    return;
  }
  const ModalState<T>& m = work.modal[link.mode];
  s.z += rigid(constant<T>(masses[k].m), m.s, m.J) * a;
  const ModalConstants c(layout.numbers + link.constants, link.modes);
  for (int i = 0; i < link.modes; ++i) {
    const Vec6<T> by = coupling(layout, link, work, i);
    s.z += times(by, etadd[i]);
    T ze = work.ze[link.mode + i] + dot(by, a);
    for (int l = 0; l < link.modes; ++l) {
      const int high = i > l ? i : l, low = i > l ? l : i;
      ze = ze + etadd[l] * c.mass[high * (high + 1) / 2 + low];
    }
    work.ze[link.mode + i] = ze;
  }
}

/// The forces along the speeds of a link, after all its children have added to its z and ze.
/// Returns the force on the parent's outboard node, in the parent's axes at I.
template <class T, class U>
VERNIER_INLINE Vec6<T> project_link(const LayoutView& layout, int k, const U* udot,
                                    const Workspace<T>& work, T* tau) noexcept {
  const TreeLink& link = layout.links[k];
  const LinkState<T>& s = work.links[k];
  Vec6<T> f = s.z;
  for (int i = 0; i < link.modes; ++i) {
    T force = work.ze[link.mode + i];
    if (link.inboard_moves) force = force - dot(work.psi[link.inboard_psi + i], f);
    tau[link.u_modes + i] = force;
  }
  if (link.inboard_moves) {
    const ModalState<T>& m = work.modal[link.mode];
    f = rotated_back(m.Ri, force_from(f, -m.pi));
  }
  for (int i = 0; i < link.speeds; ++i) {
    tau[link.u + i] =
        dot(hinge_axis(link.kind, link.parameter, i, s.trig), f) + udot[link.u + i] * link.rotor[i];
  }
  return rotated(s.E, f);
}

/// Adds this force to the parent.
template <class T>
VERNIER_INLINE void add_force(const LayoutView& layout, int k, const Vec6<T>& f,
                              const Workspace<T>& work) noexcept {
  const TreeLink& link = layout.links[k];
  if (link.outboard_moves) {
    const TreeLink& on = layout.links[link.parent];
    for (int i = 0; i < on.modes; ++i) {
      T& ze = work.ze[on.mode + i];
      ze = ze + dot(work.psi[link.outboard_psi + i], f);
    }
  }
  work.links[link.parent].z += force_from(f, work.links[k].r);
}

/// The complete inverse dynamics. `gravity` is in ground axes; z and ze must hold what begin()
/// leaves, less the external forces.
template <class T>
inline void inverse(const LayoutView& layout, const Mass* masses, const Vec3<T>& gravity,
                    const T* udot, const Workspace<T>& work, T* tau) noexcept {
  const Vec6<T> down = {zero3<T>(), -gravity};
  for (int k = 0; k < layout.count; ++k) {
    const int parent = layout.links[k].parent;
    accelerate_link(layout, masses, k, parent < 0 ? down : work.links[parent].A, udot, work);
  }
  for (int k = layout.count - 1; k >= 0; --k) {
    const Vec6<T> f = project_link(layout, k, udot, work, tau);
    if (layout.links[k].parent >= 0) add_force(layout, k, f, work);
  }
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
