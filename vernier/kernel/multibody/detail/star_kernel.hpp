#pragma once

#include "vernier/kernel/multibody/detail/hinges.hpp"
#include "vernier/kernel/multibody/detail/layout.hpp"
#include "vernier/kernel/multibody/detail/star_plan.hpp"
#include "vernier/kernel/spatial/turns.hpp"

/// The recursion of a star with everything in the axes of the hub and inertial accelerations: no 6
/// x 6 matrix is rotated. T is a vector: an appendage in each lane (one state at a time), or a
/// state in each lane.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

using namespace spatial;

/// Constants of an appendage. Its memory holds these, then for each mode φ_t and φ_r of its
/// outboard node (`shapes`).
template <class T>
struct Appendage {
  Mat3<T> R0;  // axes of the undeformed outboard node
  Vec3<T> r0;  // its position
  Sym3<T> J;   // about the inboard node, in its axes
  Vec3<T> s;
  T m;
  T rotor[3];
  T parameter;  // of its hinge
};
/// A node of the hub, moved by the modes.
template <class T>
struct PlacedNode {
  Mat3<T> R;     // from its axes to those of the hub
  Vec3<T> r, v;  // its position, and its velocity relative to the hub
  Vec3<T> w;     // angular velocity, inertial
  Vec6<T> bias;  // its acceleration without those of hub and modes
};
/// The current configuration of a body, at the outboard node.
template <class T>
struct Placed {
  PlacedNode<T> node;
  Mat3<T> R;        // from the axes of the inboard node to those of the hub
  Vec3<T> d;        // from the outboard to the inboard node
  Vec3<T> w;        // angular velocity, inertial
  Vec6<T> axis[3];  // S: the axis of each speed
  Vec6<T> c;        // bias acceleration relative to the node, without S udot
  Sym3<T> J;
  Vec3<T> s;
  Vec6<T> z;  // velocity-product forces, without P A_node
};
/// The rows of an eliminated hinge: udot_k = e_k - row_k·x - Σ_{i<k} coupling_ki udot_i, where x
/// are the accelerations of modes and hub.
template <class T>
struct Rows {
  T e[3];
  T coupling[3];  // 1 with 0, 2 with 0, 2 with 1
  // The rows follow in memory, modes + 6 numbers each.
};

/// Access to numbers that differ between lanes (Wide), or are the same in all (Same).
template <class T>
struct Wide {
  const double* p;
  VERNIER_INLINE T operator[](int i) const noexcept {
    T x;
    __builtin_memcpy(&x, p + static_cast<std::ptrdiff_t>(i) * lane_count<T>, sizeof x);
    return x;
  }
};
template <class T>
struct Same {
  const double* p;
  VERNIER_INLINE T operator[](int i) const noexcept { return constant<T>(p[i]); }
};
template <class T, class C>
VERNIER_INLINE Vec3<T> vec3_at(const C& c, int i) noexcept {
  return {c[i], c[i + 1], c[i + 2]};
}
template <class T, class C>
VERNIER_INLINE Sym3<T> sym3_at(const C& c, int i) noexcept {
  return {c[i], c[i + 1], c[i + 2], c[i + 3], c[i + 4], c[i + 5]};
}
template <class T, class C>
VERNIER_INLINE Appendage<T> appendage_at(const C& c) noexcept {
  Appendage<T> a;
  for (int i = 0; i < 9; ++i) a.R0.a[i] = c[i];
  a.r0 = vec3_at<T>(c, 9);
  a.J = sym3_at<T>(c, 12);
  a.s = vec3_at<T>(c, 18);
  a.m = c[21];
  for (int i = 0; i < 3; ++i) a.rotor[i] = c[22 + i];
  a.parameter = c[25];
  return a;
}
inline constexpr int appendage_size = 26, node_size = 12;

/// The motion of the hub.
template <class T>
struct Hub {
  Vec3<T> w;
  const T* eta;
  const T* rate;
};

/// The modes that move a node; shapes contain only these.
struct MovingModes {
  int count;
  const int* index;
  int in_all;  // modes of the hub
};

/// Places a node with undeformed axes R0 at r0. psi receives J φ_r of each mode.
template <class T, bool flexible, class C>
VERNIER_INLINE void place_node(const Mat3<T>& R0, const Vec3<T>& r0, const C& shapes,
                               const MovingModes& modes, const Hub<T>& hub, PlacedNode<T>& node,
                               Vec3<T>* psi) noexcept {
  if constexpr (flexible) {
    Vec3<T> r = r0, v = zero3<T>(), th = zero3<T>(), rate = zero3<T>();
    for (int i = 0; i < modes.count; ++i) {
      const Vec3<T> phi_t = vec3_at<T>(shapes, 6 * i), phi_r = vec3_at<T>(shapes, 6 * i + 3);
      const T eta = hub.eta[modes.index[i]], eta_rate = hub.rate[modes.index[i]];
      r += phi_t * eta;
      v += phi_t * eta_rate;
      th += phi_r * eta;
      rate += phi_r * eta_rate;
    }
    const Turn<T> t = turn(th, rate);
    for (int i = 0; i < modes.count; ++i) psi[i] = t.J * vec3_at<T>(shapes, 6 * i + 3);
    node.R = t.R * R0;
    node.r = r;
    node.v = v;
    node.w = hub.w + t.omega;
    node.bias = {plus_cross(t.bias, hub.w, t.omega), cross(hub.w, plus_cross(v + v, hub.w, r))};
  } else {
    node.R = R0;
    node.r = r0;
    node.v = zero3<T>();
    node.w = hub.w;
    node.bias = {zero3<T>(), cross(hub.w, cross(hub.w, r0))};
  }
}

/// Places the hinge from its own q and u.
template <class T, class K>
VERNIER_INLINE void hang(const T* q, const T* u, const T& parameter, Placed<T>& p) noexcept {
  p.w = p.node.w;
  p.c = zero6<T>();
  p.d = zero3<T>();
  Hanging<T, Placed<T>> h{p, column(p.node.R, 0), column(p.node.R, 1), column(p.node.R, 2)};
  K::hang(q, u, parameter, h);
  p.R = from_columns(h.x, h.y, h.z);
}

/// Inertia and velocity-product forces of a placed body.
template <class T, class K>
VERNIER_INLINE void place_inertia(const Appendage<T>& a, Placed<T>& p) noexcept {
  p.J = rotated(p.R, a.J);
  p.s = p.R * a.s;
  if constexpr (slides<K>()) {
    const Vec3<T> md = p.d * a.m, sd = p.s + p.s + md;
    const T t = dot(sd, p.d);
    p.J.xx = p.J.xx + t - sd.x * p.d.x;
    p.J.yy = p.J.yy + t - sd.y * p.d.y;
    p.J.zz = p.J.zz + t - sd.z * p.d.z;
    const Vec3<T> h = p.s + md;  // off-diagonal: J -= s dᵀ + d sᵀ + m d dᵀ
    p.J.xy = p.J.xy - p.s.x * p.d.y - p.d.x * h.y;
    p.J.xz = p.J.xz - p.s.x * p.d.z - p.d.x * h.z;
    p.J.yz = p.J.yz - p.s.y * p.d.z - p.d.y * h.z;
    p.s = h;
  }
  p.z.a = plus_cross(p.J * p.c.a, p.w, p.J * p.w);
  p.z.l = plus_cross(cross(p.c.a, p.s), p.w, cross(p.w, p.s));
  if constexpr (slides<K>()) {
    p.z.a += cross(p.s, p.c.l);
    p.z.l += p.c.l * a.m;
  }
}

/// The loads of the speeds of a hinge.
template <class T>
struct HingeLoads {
  T tau[3], given[3];
  Mask<T> prescribed[3];
};

/// Sums over the appendages, in the axes and at the origin of the hub. Followed in memory by, for
/// each mode, the column of the coupling with the hub (6) and the force (1), then the lower
/// triangle of the modal matrix by rows.
template <class T>
struct Sums {
  Sym6<T> P;
  Vec6<T> z;
};
inline constexpr int sums_size(int modes) { return 27 + 7 * modes + modes * (modes + 1) / 2; }
inline constexpr int padded_sums_size(int modes) { return (sums_size(modes) + 3) / 4 * 4; }

inline constexpr double least_pivot = 1e-13;  // relative to the inertia before the elimination

/// Eliminates the hinge and adds the articulated inertia and force to the sums. Returns which lanes
/// are singular.
template <class T, class K, bool flexible, class C>
VERNIER_INLINE Mask<T> eliminate(const Placed<T>& p, const T& m, const C& rotor, const C& shapes,
                                 const MovingModes& modes, const Vec3<T>* psi,
                                 const HingeLoads<T>& loads, const Vec6<T>& external, Rows<T>& rows,
                                 T* row, Sums<T>& sums) noexcept {
  constexpr int speeds = K::speeds;
  Sym6<T> P = rigid(m, p.s, p.J);
  Vec6<T> z = p.z - external;
  Vec6<T> gain[3];
  Mask<T> bad = m != m;
  const T least = trace(p.J) * constant<T>(least_pivot);
  // Rank-one eliminations, innermost speed first. The first one still has the structure of a rigid
  // inertia.
  for (int k = speeds - 1; k >= 0; --k) {
    const Vec6<T>& axis = p.axis[k];
    Vec6<T> U;
    if (k == speeds - 1) {
      if (!K::slides(k)) {
        U = {P.A * axis.a, cross(axis.a, p.s)};
      } else if (!K::turns(k)) {
        U = {cross(p.s, axis.l), axis.l * m};
      } else {
        U = {P.A * axis.a + cross(p.s, axis.l), cross(axis.a, p.s) + axis.l * m};
      }
    } else if (!K::slides(k)) {
      U = {P.A * axis.a, transposed_times(P.B, axis.a)};
    } else {
      U = {P.B * axis.l, P.C * axis.l};
    }
    T d = rotor[k], f = -loads.tau[k];
    if (K::turns(k)) {
      d = plus_dot(d, axis.a, U.a);
      f = plus_dot(f, axis.a, z.a);
    }
    if (K::slides(k)) {
      d = plus_dot(d, axis.l, U.l);
      f = plus_dot(f, axis.l, z.l);
    }
    const auto held = loads.prescribed[k];
    const auto good = d > (K::turns(k) ? least : m * constant<T>(least_pivot));
    bad = bad | ((!good) & (!held));
    const T inverse = select(held, constant<T>(0.0), constant<T>(1.0) / d);
    const T e = select(held, loads.given[k], -(f * inverse));
    gain[k] = U * inverse;
    take_rank_one(P, U, inverse);
    z += U * e;
    rows.e[k] = e;
  }
  // Store the rows for substitute(): gains shifted from the node to the origin of the hub.
  const Vec3<T>& r = p.node.r;
  for (int k = 0; k < speeds; ++k) {
    T* own = row + k * (modes.count + 6);
    T e = rows.e[k] - dot(gain[k].l, p.node.bias.l);
    if constexpr (flexible) e -= dot(gain[k].a, p.node.bias.a);
    rows.e[k] = e;
    for (int i = 0; i < k; ++i) {
      T coupling = constant<T>(0.0);
      if (K::turns(i)) coupling += dot(gain[k].a, p.axis[i].a);
      if (K::slides(i)) coupling += dot(gain[k].l, p.axis[i].l);
      rows.coupling[k + i - 1] = coupling;
    }
    if constexpr (flexible) {
      for (int i = 0; i < modes.count; ++i) {
        own[i] = dot(gain[k], {psi[i], vec3_at<T>(shapes, 6 * i)});
      }
    }
    const Vec3<T> angular = plus_cross(gain[k].a, r, gain[k].l);
    T* rigid_part = own + modes.count;
    rigid_part[0] = angular.x;
    rigid_part[1] = angular.y;
    rigid_part[2] = angular.z;
    rigid_part[3] = gain[k].l.x;
    rigid_part[4] = gain[k].l.y;
    rigid_part[5] = gain[k].l.z;
  }
  if constexpr (flexible) {
    z = plus_times(z, P, p.node.bias);
  } else {
    z = {plus_times(z.a, P.B, p.node.bias.l), plus_times(z.l, P.C, p.node.bias.l)};
  }
  sums.P = plus_shifted(sums.P, P, r);
  sums.z = {plus_cross(sums.z.a + z.a, r, z.l), sums.z.l + z.l};
  if constexpr (flexible) {
    // Modal part: ψᵀPψ, ψᵀP shifted, ψᵀz.
    T* by_mode = reinterpret_cast<T*>(&sums) + 27;
    T* triangle = by_mode + 7 * modes.in_all;
    for (int i = 0; i < modes.count; ++i) {
      const int mode = modes.index[i];
      const Vec6<T> shape = {psi[i], vec3_at<T>(shapes, 6 * i)};
      const Vec6<T> G = P * shape;
      T* own = by_mode + 7 * mode;
      const Vec3<T> angular =
          plus_cross(Vec3<T>{own[0] + G.a.x, own[1] + G.a.y, own[2] + G.a.z}, r, G.l);
      own[0] = angular.x;
      own[1] = angular.y;
      own[2] = angular.z;
      own[3] += G.l.x;
      own[4] += G.l.y;
      own[5] += G.l.z;
      own[6] = plus_dot(own[6], shape, z);
      T* pairs = triangle + mode * (mode + 1) / 2;
      for (int j = 0; j <= i; ++j) {
        T& pair = pairs[modes.index[j]];
        pair = plus_dot(pair, {psi[j], vec3_at<T>(shapes, 6 * j)}, G);
      }
    }
  }
  return bad;
}

/// The frame of the inboard node of a placed body in that of the hub, and its motion in its own
/// axes. u: of the whole star; own: speeds of its hinge.
template <class T>
VERNIER_INLINE void place_of(const StarPlan& plan, const Placed<T>& p, const T* u, const T* own,
                             int speeds, Mat3<T>& E, Vec3<T>& r, Vec6<T>& V) noexcept {
  E = p.R;
  r = p.node.r + p.d;
  Vec3<T> w = zero3<T>(), v = zero3<T>();
  if (plan.free) {
    const T* hub = u + plan.hub_u;
    w = {hub[0], hub[1], hub[2]};
    v = {hub[3], hub[4], hub[5]};
  }
  v += cross(w, p.node.r) + p.node.v + cross(p.w, p.d);
  for (int k = 0; k < speeds; ++k) v += p.axis[k].l * own[k];
  V = rotated_back(p.R, Vec6<T>{p.w, v});
}

/// For an accelerated star: the spatial acceleration of the frame of the inboard node of an
/// appendage less gravity, in its axes, and the force of the hinge on the appendage without forces
/// at nodes. x: accelerations of modes and hub; psi(i), phi(i): of mode i of those that move its
/// node; own: accelerations of its hinge; V: from place_of().
template <class T, class Psi, class Phi>
VERNIER_INLINE void acceleration_of(const Placed<T>& p, const T& mass, const T* x,
                                    const MovingModes& modes, const Psi& psi, const Phi& phi,
                                    const T* own, int speeds, const Vec6<T>& V, Vec6<T>& A,
                                    Vec6<T>& reaction) noexcept {
  const T* hub = x + modes.in_all;
  // The inertial acceleration of the body at the outboard node: hub, bias, modes, then hinge
  // speeds.
  Vec6<T> a = motion_at(Vec6<T>{{hub[0], hub[1], hub[2]}, {hub[3], hub[4], hub[5]}}, p.node.r);
  a += p.node.bias + p.c;
  for (int i = 0; i < modes.count; ++i) {
    const T acceleration = x[modes.index[i]];
    a.a += psi(i) * acceleration;
    a.l += phi(i) * acceleration;
  }
  for (int k = 0; k < speeds; ++k) a += p.axis[k] * own[k];
  // The force on the body at the outboard node, by Newton and Euler.
  const Vec6<T> f = {p.J * a.a + cross(p.s, a.l) + cross(p.w, p.J * p.w),
                     a.l * mass + cross(a.a, p.s) + cross(p.w, cross(p.w, p.s))};
  reaction = rotated_back(p.R, force_from(f, -p.d));
  const Vec3<T> linear = a.l + cross(a.a, p.d) + cross(p.w, cross(p.w, p.d));
  A = rotated_back(p.R, Vec6<T>{a.a, linear});
  A.l -= cross(V.a, V.l);
}

/// Accelerations of the speeds from those of modes and hub, x, outermost first.
template <class T, class K>
VERNIER_INLINE void substitute(const Rows<T>& rows, const T* row, const T* x,
                               const MovingModes& modes, T* udot) noexcept {
  const T* rigid_x = x + modes.in_all;
  for (int k = 0; k < K::speeds; ++k) {
    const T* own = row + k * (modes.count + 6);
    T even = rows.e[k], odd = constant<T>(0.0);
    for (int i = 0; i < modes.count; ++i) even -= own[i] * x[modes.index[i]];
    own += modes.count;
    for (int i = 0; i < 6; i += 2) {
      even -= own[i] * rigid_x[i];
      odd += own[i + 1] * rigid_x[i + 1];
    }
    even -= odd;
    for (int j = 0; j < k; ++j) even -= rows.coupling[k + j - 1] * udot[j];
    udot[k] = even;
  }
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
