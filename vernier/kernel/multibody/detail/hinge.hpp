#pragma once

#include "vernier/kernel/multibody/detail/place.hpp"

/// The speeds of one hinge: eliminated one by one from the articulated inertia in the inward sweep,
/// and accelerated in the second outward sweep (docs/mathematics/multibody.md, section 4).
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

using spatial::all;
using spatial::take_rank_one;
using spatial::trace;

/// A speed or mode is singular if its pivot is not larger than this fraction of the inertia that
/// acts there. A universal or gimbal hinge reaches this about 1e-6 rad from its singular position.
inline constexpr double pivot_bound = 1e-12;

/// The loads of a tree, by speed.
template <class T>
struct Drive {
  const T* tau;           // forces on regular speeds
  const T* given;         // accelerations of prescribed speeds, zero for regular ones
  const double* regular;  // 1: regular, 0: prescribed; null: all are regular
};

/// Records which solutions are singular.
template <class T>
struct Watch {
  spatial::Mask<T> good = constant<T>(0.0) <= constant<T>(1.0);
  int first = -1;  // the first link with a pivot too small
  VERNIER_INLINE void operator()(const spatial::Mask<T>& fine, int link) noexcept {
    good = good & fine;
    if constexpr (spatial::lane_count<T> == 1) {
      if (!fine && first < 0) first = link;
    }
  }
};

/// Eliminates hinge speeds one by one, the innermost first: each is a rank-one update of the
/// articulated inertia (articulated-body algorithm, Featherstone, chapter 7).
template <class T, bool Prescribed>
struct Elimination {
  Sym6<T>& P;
  Vec6<T>& z;  // includes P c
  Column<T>* columns;
  const T* tau;
  const T* given;
  const double* regular;
  const double* rotor;
  Watch<T>& watch;
  int link;
  T scale_a, scale_l;
  // Inertia that was eliminated, here and outboard: the scale of rounding errors in P.
  T &lost_a, &lost_l;

  /// Along an axis S: U = P S, d = S·U + rotor, x = (τ - S·z)/d, g = U/d, P -= U Uᵀ/d, z += U x.
  /// `pivot` is S·U and `s` is S·z. A prescribed speed has 1/d := 0 and x := its acceleration.
  VERNIER_INLINE void along(int i, const Vec6<T>& U, const T& pivot, const T& s,
                            const T& scale) noexcept {
    const T d = pivot + constant<T>(rotor[i]);
    T di = constant<T>(1.0) / d;
    if constexpr (Prescribed) {
      const T on = constant<T>(regular[i]);
      watch((d > scale * pivot_bound) | (on < constant<T>(0.5)), link);
      // The pivot of a prescribed speed may be zero: select, because multiplying inf by a mask
      // gives NaN.
      di = spatial::select(on < constant<T>(0.5), constant<T>(0.0), di);
    } else {
      watch(d > scale * pivot_bound, link);
    }
    T x = (tau[i] - s) * di;
    if constexpr (Prescribed) x = x + given[i];
    Column<T>& column = columns[i];
    column.g = U * di;
    column.x = x;
    lost_a = lost_a + dot(U.a, column.g.a);
    lost_l = lost_l + dot(U.l, column.g.l);
    take_rank_one(P, U, di);
    z += U * x;
  }
  /// About z without rotor or prescribed motion: row and column z of P become exactly zero, so they
  /// are not computed.
  VERNIER_INLINE void turn_freely_about_z() noexcept {
    const Vec6<T> U = {{P.A.xz, P.A.yz, P.A.zz}, {P.B.a[6], P.B.a[7], P.B.a[8]}};
    watch(U.a.z > scale_a * pivot_bound, link);
    const T di = constant<T>(1.0) / U.a.z, x = (tau[0] - z.a.z) * di, o = constant<T>(0.0);
    const Vec6<T> g = U * di;
    columns[0].g = g;
    columns[0].x = x;
    lost_a = lost_a + dot(U.a, g.a);
    lost_l = lost_l + dot(U.l, g.l);
    P.A = {P.A.xx - g.a.x * U.a.x, P.A.yy - g.a.y * U.a.y, o, P.A.xy - g.a.x * U.a.y, o, o};
    P.B = {{P.B.a[0] - g.a.x * U.l.x, P.B.a[1] - g.a.x * U.l.y, P.B.a[2] - g.a.x * U.l.z,
            P.B.a[3] - g.a.y * U.l.x, P.B.a[4] - g.a.y * U.l.y, P.B.a[5] - g.a.y * U.l.z, o, o, o}};
    P.C = {P.C.xx - g.l.x * U.l.x, P.C.yy - g.l.y * U.l.y, P.C.zz - g.l.z * U.l.z,
           P.C.xy - g.l.x * U.l.y, P.C.xz - g.l.x * U.l.z, P.C.yz - g.l.y * U.l.z};
    z = {{z.a.x + U.a.x * x, z.a.y + U.a.y * x, tau[0]}, spatial::plus_times(z.l, U.l, x)};
  }
  VERNIER_INLINE void turn_x(int i) noexcept {
    along(i, {{P.A.xx, P.A.xy, P.A.xz}, {P.B.a[0], P.B.a[1], P.B.a[2]}}, P.A.xx, z.a.x, scale_a);
  }
  VERNIER_INLINE void turn_y(int i) noexcept {
    along(i, {{P.A.xy, P.A.yy, P.A.yz}, {P.B.a[3], P.B.a[4], P.B.a[5]}}, P.A.yy, z.a.y, scale_a);
  }
  VERNIER_INLINE void turn_z(int i) noexcept {
    along(i, {{P.A.xz, P.A.yz, P.A.zz}, {P.B.a[6], P.B.a[7], P.B.a[8]}}, P.A.zz, z.a.z, scale_a);
  }
  VERNIER_INLINE void slide_x(int i) noexcept {
    along(i, {{P.B.a[0], P.B.a[3], P.B.a[6]}, {P.C.xx, P.C.xy, P.C.xz}}, P.C.xx, z.l.x, scale_l);
  }
  VERNIER_INLINE void slide_y(int i) noexcept {
    along(i, {{P.B.a[1], P.B.a[4], P.B.a[7]}, {P.C.xy, P.C.yy, P.C.yz}}, P.C.yy, z.l.y, scale_l);
  }
  VERNIER_INLINE void slide_z(int i) noexcept {
    along(i, {{P.B.a[2], P.B.a[5], P.B.a[8]}, {P.C.xz, P.C.yz, P.C.zz}}, P.C.zz, z.l.z, scale_l);
  }
  VERNIER_INLINE void turn(int i, const Vec3<T>& axis) noexcept {
    const Vec6<T> U = {P.A * axis, transposed_times(P.B, axis)};
    along(i, U, dot(axis, U.a), dot(axis, z.a), scale_a);
  }
  VERNIER_INLINE void slide(int i, const Vec3<T>& axis) noexcept {
    const Vec6<T> U = {P.B * axis, P.C * axis};
    along(i, U, dot(axis, U.l), dot(axis, z.l), scale_l);
  }
  /// Along an axis with a rotation and a translation.
  VERNIER_INLINE void move(int i, const Vec6<T>& axis) noexcept {
    const Vec6<T> U = P * axis;
    along(i, U, dot(axis, U), dot(axis, z),
          dot(axis.a, axis.a) * scale_a + dot(axis.l, axis.l) * scale_l);
  }
};

/// A free hinge with six regular speeds passes only their forces to the parent: P = 0, z = τ. One 6
/// x 6 LDLᵀ solves P x = τ - z.
template <class T>
inline void eliminate_free(Sym6<T>& P, Vec6<T>& z, Column<T>* columns, const T* tau,
                           Watch<T>& watch, int link) noexcept {
  const Mat3<T>& B = P.B;
  T M[6][6] = {{P.A.xx},
               {P.A.xy, P.A.yy},
               {P.A.xz, P.A.yz, P.A.zz},
               {B.a[0], B.a[3], B.a[6], P.C.xx},
               {B.a[1], B.a[4], B.a[7], P.C.xy, P.C.yy},
               {B.a[2], B.a[5], B.a[8], P.C.xz, P.C.yz, P.C.zz}};
  T e[6] = {tau[0] - z.a.x, tau[1] - z.a.y, tau[2] - z.a.z,
            tau[3] - z.l.x, tau[4] - z.l.y, tau[5] - z.l.z};
  T di[6];
  for (int j = 0; j < 6; ++j) {
    T l[6];
    const T diagonal = M[j][j];
    T d = diagonal;
    for (int k = 0; k < j; ++k) {
      l[k] = M[j][k] * di[k];
      d = d - M[j][k] * l[k];
      e[j] = e[j] - l[k] * e[k];
    }
    watch(d > diagonal * pivot_bound, link);
    for (int r = j + 1; r < 6; ++r) {
      T y = M[r][j];
      for (int k = 0; k < j; ++k) y = y - M[r][k] * l[k];
      M[r][j] = y;
    }
    di[j] = constant<T>(1.0) / d;
  }
  for (int j = 5; j >= 0; --j) {
    T t = e[j];
    for (int r = j + 1; r < 6; ++r) t = t - M[r][j] * e[r];
    e[j] = t * di[j];
  }
  for (int j = 0; j < 6; ++j) columns[j].x = e[j];  // udot + a0
  P = spatial::zero66<T>();
  z = {{tau[0], tau[1], tau[2]}, {tau[3], tau[4], tau[5]}};
}

/// Whether eliminate_free() applies to a free hinge.
inline bool all_regular(const TreeLink& link, const double* regular) noexcept {
  if (link.driven) return false;
  if (regular == nullptr) return true;
  for (int i = 0; i < 6; ++i) {
    if (regular[link.u + i] == 0.0) return false;
  }
  return true;
}

template <class T, bool Prescribed>
VERNIER_INLINE void eliminate_hinge(const TreeLink& link, int k, LinkState<T>& s, Sym6<T>& P,
                                    Vec6<T>& z, Column<T>* columns, const Drive<T>& drive,
                                    Watch<T>& watch) noexcept {
  if (link.kind == HingeKind::free && all_regular(link, drive.regular)) {
    eliminate_free(P, z, columns, drive.tau + link.u, watch, k);
    s.lost_a = s.lost_l = constant<T>(0.0);
    return;
  }
  Elimination<T, Prescribed> one{P,
                                 z,
                                 columns,
                                 drive.tau + link.u,
                                 drive.given + link.u,
                                 Prescribed ? drive.regular + link.u : nullptr,
                                 link.rotor,
                                 watch,
                                 k,
                                 trace(P.A) + s.lost_a,
                                 trace(P.C) + s.lost_l,
                                 s.lost_a,
                                 s.lost_l};
  if constexpr (!Prescribed) {
    if (link.turns_freely) return one.turn_freely_about_z();
  }
  with_kind(link.kind, [&]<class K>() VERNIER_LAMBDA {
    K::eliminate(one, constant<T>(link.parameter), s.trig);
  });
}

/// Accelerations of the hinge speeds, outermost first: udot = x - g·a; adds S udot to a.
template <class T>
VERNIER_INLINE void accelerate_hinge(const TreeLink& link, const LinkState<T>& s,
                                     const Column<T>* columns, const Drive<T>& drive, Vec6<T>& a,
                                     T* udot) noexcept {
  const auto next = [&](int i)
                        VERNIER_LAMBDA { return udot[i] = columns[i].x - dot(columns[i].g, a); };
  if (link.kind == HingeKind::free && all_regular(link, drive.regular)) {
    const T known[6] = {a.a.x, a.a.y, a.a.z, a.l.x, a.l.y, a.l.z};
    for (int i = 0; i < 6; ++i) udot[i] = columns[i].x - known[i];
    a = {{columns[0].x, columns[1].x, columns[2].x}, {columns[3].x, columns[4].x, columns[5].x}};
    return;
  }
  with_kind(link.kind, [&]<class K>() VERNIER_LAMBDA {
    K::accelerate(next, constant<T>(link.parameter), s.trig, a);
  });
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
