#pragma once

#include "vernier/kernel/multibody/detail/hinge.hpp"

/// The inward and the second outward sweep: articulated inertias, then accelerations
/// (docs/mathematics/multibody.md, section 4): the recursive form of Jain and Man, eq. (3.6).
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

using spatial::force_from;
using spatial::plus_dot;
using spatial::plus_shifted;
using spatial::plus_times;
using spatial::rigid;
using spatial::rotated;
using spatial::shifted;
using spatial::sym3;

/// Eliminates the modes of a link: factors L D Lᵀ of the modal mass, L⁻¹ of the coupling y, and the
/// remaining P and z at W.
template <class T>
inline void eliminate_modes(const LayoutView& layout, const TreeLink& link, int k, Sym6<T>& P,
                            Vec6<T>& z, const Workspace<T>& work, Watch<T>& watch) noexcept {
  const int n = link.modes;
  Vec6<T>* y = work.y + link.mode;
  T *ze = work.ze + link.mode, *di = work.di + link.mode, *L = work.pairs + link.pair;
  if (link.inboard_moves) {
    // The rigid unknown changes to the acceleration of I: A_W = A_I - ψ η'' - a_i.
    const Vec6<T>* psi = work.psi + link.inboard_psi;
    const Vec6<T>& ai = work.modal[link.mode].ai;
    z -= P * ai;
    for (int i = 0; i < n; ++i) {
      ze[i] = ze[i] - dot(y[i], ai) - dot(psi[i], z);
      // ee - yψ - (yψ)ᵀ + ψᵀPψ, lower half.
      const Vec6<T> Ppsi = P * psi[i];
      for (int l = 0; l <= i; ++l) {
        T& e = L[i * (i + 1) / 2 + l];
        e = e - dot(y[i], psi[l]) - dot(y[l], psi[i]) + dot(Ppsi, psi[l]);
      }
    }
    for (int i = 0; i < n; ++i) y[i] -= P * psi[i];
  }
  const double* mass = ModalConstants(layout.numbers + link.constants, n).mass;
  for (int i = 0; i < n; ++i) {
    T* row = L + i * (i + 1) / 2;
    T d = row[i];
    for (int l = 0; l < i; ++l) {
      const T* other = L + l * (l + 1) / 2;
      T e = row[l];
      for (int j = 0; j < l; ++j) e = e - row[j] * other[j];
      row[l] = e;  // L_il d_l
    }
    for (int l = 0; l < i; ++l) {
      const T e = row[l];
      row[l] = e * di[l];
      d = d - e * row[l];
      y[i] -= y[l] * row[l];
      ze[i] = ze[i] - ze[l] * row[l];
    }
    watch(d > constant<T>(mass[i * (i + 1) / 2 + i] * pivot_bound), k);
    di[i] = constant<T>(1.0) / d;
    z -= y[i] * (ze[i] * di[i]);
    take_rank_one(P, y[i], di[i]);
  }
}

/// Back substitution of the modal accelerations from the acceleration x of I, taken at W.
template <class T>
inline void accelerate_modes(const TreeLink& link, const Vec6<T>& x,
                             const Workspace<T>& work) noexcept {
  const int n = link.modes;
  const Vec6<T>* y = work.y + link.mode;
  const T *ze = work.ze + link.mode, *di = work.di + link.mode, *L = work.pairs + link.pair;
  T* etadd = work.etadd + link.mode;
  for (int i = n - 1; i >= 0; --i) {
    T t = -((dot(y[i], x) + ze[i]) * di[i]);
    for (int j = i + 1; j < n; ++j) t = t - L[j * (j + 1) / 2 + i] * etadd[j];
    etadd[i] = t;
  }
}

/// Adds the articulated inertia P and force z of a link, at I in axes of I, to its parent.
template <class T, bool Prescribed, class M>
VERNIER_INLINE void add_to_parent(const LayoutView& layout, const MassOf<M>* masses,
                                  const TreeLink& link, const LinkState<T>& s, const Sym6<T>& P,
                                  const Vec6<T>& z, const Workspace<T>& work) noexcept {
  LinkState<T>& parent = work.links[link.parent];
  const bool turned_freely = !Prescribed && link.turns_freely;
  const Sym6<T> Pp = turned_freely ? spatial::rotated_without_z(s.E, P) : rotated(s.E, P);
  const Vec6<T> zp = rotated(s.E, z);
  if (link.outboard_moves) {
    const TreeLink& on = layout.links[link.parent];
    const Vec6<T>* psi = work.psi + link.outboard_psi;
    Vec6<T>* y = work.y + on.mode;
    T *ze = work.ze + on.mode, *pair = work.pairs + on.pair;
    for (int i = 0; i < on.modes; ++i) {
      const Vec6<T> f = Pp * psi[i];
      y[i] = {plus_cross(y[i].a + f.a, s.r, f.l), y[i].l + f.l};
      ze[i] = plus_dot(ze[i], psi[i], zp);
      for (int l = 0; l <= i; ++l, ++pair) *pair = plus_dot(*pair, psi[l], f);
    }
  }
  if (link.first) {
    const MassOf<M>& m = masses[link.parent];
    parent.P = plus_shifted(rigid(mass_of<T>(m), moment_of<T>(m), inertia_of<T>(m)), Pp, s.r);
    parent.lost_a = s.lost_a;
    parent.lost_l = s.lost_l;
  } else {
    parent.P = plus_shifted(parent.P, Pp, s.r);
    parent.lost_a = parent.lost_a + s.lost_a;
    parent.lost_l = parent.lost_l + s.lost_l;
  }
  parent.z = {plus_cross(parent.z.a + zp.a, s.r, zp.l), parent.z.l + zp.l};
}

/// Initializes the inward sweep: z with the velocity-product forces, and links with modes with
/// their mass matrix. External forces are then subtracted from z and ze.
template <class T, class M>
inline void begin(const LayoutView& layout, const MassOf<M>* masses, const T* tau,
                  const Workspace<T>& work) noexcept {
  for (int k = 0; k < layout.count; ++k) {
    const TreeLink& link = layout.links[k];
    LinkState<T>& s = work.links[k];
    s.z = s.b;
    if (link.modes == 0) continue;
    const ModalState<T>& m = work.modal[link.mode];
    s.P = rigid(mass_of<T>(masses[k]), m.s, m.J);
    s.lost_a = s.lost_l = constant<T>(0.0);
    const ModalConstants c(layout.numbers + link.constants, link.modes);
    T* pair = work.pairs + link.pair;
    const int pairs = link.modes * (link.modes + 1) / 2;
    for (int i = 0; i < pairs; ++i) pair[i] = constant<T>(c.mass[i]);
    for (int i = 0; i < link.modes; ++i) {
      work.y[link.mode + i] = coupling(layout, link, work, i);
      work.ze[link.mode + i] = work.be[link.mode + i] - tau[link.u_modes + i];
    }
  }
}

/// Loads number by number: a wide load after narrow stores would stall (no store forwarding).
template <class T>
VERNIER_INLINE Sym6<T> loaded(const Sym6<T>& P) noexcept {
  return {
      {P.A.xx, P.A.yy, P.A.zz, P.A.xy, P.A.xz, P.A.yz},
      {{P.B.a[0], P.B.a[1], P.B.a[2], P.B.a[3], P.B.a[4], P.B.a[5], P.B.a[6], P.B.a[7], P.B.a[8]}},
      {P.C.xx, P.C.yy, P.C.zz, P.C.xy, P.C.xz, P.C.yz}};
}

/// The inward sweep at a rigid link on a freely rotating pin. P stays in registers, so only inlined
/// functions may see it.
template <class T, class M>
VERNIER_INLINE void gather_pin(const LayoutView& layout, const MassOf<M>* masses, int k,
                               const Drive<T>& drive, const Workspace<T>& work,
                               Watch<T>& watch) noexcept {
  const TreeLink& link = layout.links[k];
  LinkState<T>& s = work.links[k];
  const MassOf<M>& m = masses[k];
  Sym6<T> P = link.leaf ? rigid(mass_of<T>(m), moment_of<T>(m), inertia_of<T>(m)) : loaded(s.P);
  if (link.leaf) s.lost_a = s.lost_l = constant<T>(0.0);
  Vec6<T> z = plus_times(Vec6<T>{{s.z.a.x, s.z.a.y, s.z.a.z}, {s.z.l.x, s.z.l.y, s.z.l.z}}, P, s.c);
  Elimination<T, false> one{
      P,     z, work.columns + link.column, drive.tau + link.u,    nullptr,  nullptr, link.rotor,
      watch, k, trace(P.A) + s.lost_a,      trace(P.C) + s.lost_l, s.lost_a, s.lost_l};
  one.turn_freely_about_z();
  if (link.parent >= 0) add_to_parent<T, false>(layout, masses, link, s, P, z, work);
  s.P = P;
  s.z = z;
}

/// Whether gather_leaf() handles a link; it does not store P.
VERNIER_INLINE bool turns_freely_at_the_end(const TreeLink& link) noexcept {
  return link.turns_freely && link.leaf && link.modes == 0 && link.parent >= 0 &&
         !link.outboard_moves;
}

/// U = P ez for a rigid inertia and a pin.
template <class T>
VERNIER_INLINE Vec6<T> about_z(const Vec3<T>& s, const Sym3<T>& J) noexcept {
  return {{J.xz, J.yz, J.zz}, {-s.y, s.x, constant<T>(0.0)}};
}

/// The inward sweep at such a link: Xᵀ(P - U Uᵀ/d)X = XᵀPX - (XᵀU)(XᵀU)ᵀ/d. XᵀPX is the inertia of
/// a rigid body, so no 6 x 6 matrix is rotated.
template <class T, class M>
VERNIER_INLINE void gather_leaf(const LayoutView& layout, const MassOf<M>* masses, int k,
                                const Drive<T>& drive, const Workspace<T>& work,
                                Watch<T>& watch) noexcept {
  const TreeLink& link = layout.links[k];
  LinkState<T>& s = work.links[k];
  LinkState<T>& parent = work.links[link.parent];
  const T m = mass_of<T>(masses[k]), two = constant<T>(2.0), half = constant<T>(0.5);
  const Vec3<T> s0 = moment_of<T>(masses[k]);
  const Sym3<T> J0 = inertia_of<T>(masses[k]);
  const Vec6<T> U = about_z(s0, J0);
  // z += P c.
  Vec6<T> z = {plus_cross(plus_times(s.z.a, J0, s.c.a), s0, s.c.l),
               plus_cross(plus_times(s.z.l, s.c.l, m), s.c.a, s0)};
  watch(U.a.z > trace(J0) * pivot_bound, k);
  const T di = constant<T>(1.0) / U.a.z, x = (drive.tau[link.u] - z.a.z) * di;
  Column<T>& column = work.columns[link.column];
  column.g = U * di;
  column.x = x;
  z = {plus_times(z.a, U.a, x), plus_times(z.l, U.l, x)};
  s.z = z;

  // Rotated and shifted rigid inertia: J + 2 (r·a) 1 - r aᵀ - a rᵀ with a = E s + m r/2.
  const Vec3<T> r = s.r, turned = s.E * s0, a = plus_times(turned, r, half * m);
  Sym3<T> J = rotated(s.E, J0);
  const T x2 = two * r.x, y2 = two * r.y, z2 = two * r.z;
  J = {J.xx + y2 * a.y + z2 * a.z,   J.yy + x2 * a.x + z2 * a.z,   J.zz + x2 * a.x + y2 * a.y,
       J.xy - r.x * a.y - r.y * a.x, J.xz - r.x * a.z - r.z * a.x, J.yz - r.y * a.z - r.z * a.y};
  Sym6<T> P = rigid(m, plus_times(turned, r, m), J);
  const Vec6<T> Up = force_from(rotated(s.E, U), r);
  take_rank_one(P, Up, di);
  const T lost_a = dot(U.a, column.g.a), lost_l = dot(U.l, column.g.l);
  if (link.first) {
    const MassOf<M>& own = masses[link.parent];
    P += rigid(mass_of<T>(own), moment_of<T>(own), inertia_of<T>(own));
    parent.lost_a = lost_a;
    parent.lost_l = lost_l;
  } else {
    P += parent.P;
    parent.lost_a = parent.lost_a + lost_a;
    parent.lost_l = parent.lost_l + lost_l;
  }
  parent.P = P;
  parent.z += force_from(rotated(s.E, z), r);
}

/// The inward sweep, tips to base.
template <class T, bool Prescribed, class M>
inline void gather(const LayoutView& layout, const MassOf<M>* masses, const Drive<T>& drive,
                   const Workspace<T>& work, Watch<T>& watch) noexcept {
  for (int k = layout.count - 1; k >= 0; --k) {
    const TreeLink& link = layout.links[k];
    if constexpr (!Prescribed) {
      if (turns_freely_at_the_end(link)) {
        gather_leaf(layout, masses, k, drive, work, watch);
        continue;
      }
      if (link.turns_freely && link.modes == 0) {
        gather_pin(layout, masses, k, drive, work, watch);
        continue;
      }
    }
    LinkState<T>& s = work.links[k];
    Sym6<T> P;
    if (link.leaf && link.modes == 0) {
      const MassOf<M>& m = masses[k];
      P = rigid(mass_of<T>(m), moment_of<T>(m), inertia_of<T>(m));
      s.lost_a = s.lost_l = constant<T>(0.0);
    } else {
      P = s.P;
    }
    Vec6<T> z = s.z;
    if (link.modes > 0) {
      eliminate_modes(layout, link, k, P, z, work, watch);
      if (link.inboard_moves) {
        const ModalState<T>& m = work.modal[link.mode];
        P = rotated(spatial::transposed(m.Ri), shifted(P, -m.pi));
        z = rotated_back(m.Ri, force_from(z, -m.pi));
      }
    }
    z = plus_times(z, P, s.c);
    eliminate_hinge<T, Prescribed>(link, k, s, P, z, work.columns + link.column, drive, watch);
    if (link.parent >= 0) add_to_parent<T, Prescribed>(layout, masses, link, s, P, z, work);
    s.P = P;
    s.z = z;
  }
}

/// The second outward sweep, base to tips. `gravity` is in ground axes.
template <class T>
inline void spread(const LayoutView& layout, const Vec3<T>& gravity, const Drive<T>& drive,
                   const Workspace<T>& work, T* udot) noexcept {
  for (int k = 0; k < layout.count; ++k) {
    const TreeLink& link = layout.links[k];
    LinkState<T>& s = work.links[k];
    Vec6<T> a;
    if (link.parent < 0) {
      a = {zero3<T>(), transposed_times(s.E, -gravity)};
    } else {
      a = motion_at(work.links[link.parent].A, s.r);
      if (link.outboard_moves) {
        const TreeLink& on = layout.links[link.parent];
        const Vec6<T>* psi = work.psi + link.outboard_psi;
        for (int i = 0; i < on.modes; ++i) a += psi[i] * work.etadd[on.mode + i];
      }
      a = rotated_back(s.E, a);
    }
    s.a0 = a;
    accelerate_hinge(link, s, work.columns + link.column, drive, a, udot + link.u);
    a += s.c;
    if (link.modes > 0) {
      if (link.inboard_moves) {
        const ModalState<T>& m = work.modal[link.mode];
        a = motion_at(rotated(m.Ri, a), -m.pi);
      }
      const Vec6<T> x = a;  // a copy, so that `a` stays in registers
      accelerate_modes(link, x, work);
      for (int i = 0; i < link.modes; ++i) udot[link.u_modes + i] = work.etadd[link.mode + i];
      if (link.inboard_moves) {
        const Vec6<T>* psi = work.psi + link.inboard_psi;
        for (int i = 0; i < link.modes; ++i) a -= psi[i] * work.etadd[link.mode + i];
        a -= work.modal[link.mode].ai;
      }
    }
    s.A = a;
  }
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
