#pragma once

#include <cstddef>

#include "vernier/kernel/multibody/hinge_kind.hpp"
#include "vernier/kernel/spatial/turns.hpp"

/// The memory layout of a tree: bodies become links, parents first, and the numbers of a link are
/// contiguous. Plain types only, so that units compiled for special instruction sets can include it
/// (kernel/elementary/lanes.hpp).
///
/// The working frame W of a link is that of its inboard node if the modes do not move this node,
/// which saves a transformation; otherwise it is the body frame.
namespace vernier::multibody::detail {

/// Constants of a link.
struct TreeLink {
  HingeKind kind = HingeKind::fixed;
  bool outboard_moves = false;  // modes of the parent move the outboard node
  bool inboard_moves = false;   // modes of the body move the inboard node
  bool first = false;           // the first child of a rigid parent in inward order
  bool leaf = true;             // no children
  bool driven = false;          // geared rotors at its hinge
  bool turns_freely = false;    // only rotates about z, without rotor
  bool shortens = false;        // its modes have second-order displacements
  int order = 0;                // of its modes
  int body = 0;                 // in the model
  int parent = -1;              // a link; -1: the ground
  int q = 0, u = 0;             // where its coordinates and speeds begin
  int q_modes = 0, u_modes = 0;
  int column = 0;                         // first of its columns
  int speeds = 0;                         // of its hinge
  int modes = 0;                          // n
  int mode = 0;                           // first of its modes among those of all links
  int pair = 0;                           // first of its n (n + 1) / 2 pairs of modes
  int outboard_psi = 0, inboard_psi = 0;  // first of n (of the parent, own) shapes of a moving node
  std::size_t constants = 0;              // of its modes, in Layout::numbers: see ModalConstants
  std::size_t outboard_shape = 0, inboard_shape = 0;  // NodeShape
  double R0[9], p0[3];  // outboard node, undeformed, in the parent's working frame
  double Ri[9], pi[3];  // inboard node in the working frame; identity and zero unless it moves
  double rotor[6] = {};
  double parameter = 0.0;  // of its hinge
};

/// Mass properties of a link about the origin of its working frame. They may change during a run. M
/// is a number, or a vector with one number per lane.
template <class M>
struct MassOf {
  M m = {};
  M s[3] = {};
  M J[6] = {};  // xx yy zz xy xz yz
};
using Mass = MassOf<double>;

/// The constants of n modes in an array, all in working axes (symbols:
/// docs/mathematics/multibody.md, section 2).
struct ModalConstants {
  const double* S1;    // 3 n
  const double* H0;    // 3 n
  const double* mass;  // n (n + 1) / 2: row by row, lower half
  const double* K;     // n n
  const double* D;     // n n
  const double* N;     // 6 n: N0 + N0ᵀ; order >= 1
  const double* H1;    // 3 n (n - 1) / 2: H1_i[:, l] for i < l, row by row; order >= 1
  const double* J2;  // 6 n (n + 1) / 2: (J2_il + J2_ilᵀ) / 2, i >= l, row by row; order 2. Links
                     // that shorten: also (N2_il + N2_ilᵀ) / 2
  const double* g;   // links that shorten, 6 n (n + 1) / 2: ∫ p × g_il dm, then S2_il

  static std::size_t size(int n, bool shortens) {
    const auto k = static_cast<std::size_t>(n);
    return 6 * k + k * (k + 1) / 2 + 2 * k * k + 6 * k + 3 * k * (k - 1) / 2 + 3 * k * (k + 1) +
           (shortens ? 3 * k * (k + 1) : 0);
  }
  ModalConstants(const double* p, int n) noexcept
      : S1(p),
        H0(S1 + 3 * n),
        mass(H0 + 3 * n),
        K(mass + n * (n + 1) / 2),
        D(K + n * n),
        N(D + n * n),
        H1(N + 6 * n),
        J2(H1 + 3 * n * (n - 1) / 2),
        g(J2 + 3 * n * (n + 1)) {}
};

/// Shapes of a moving node, in working axes: translation, then rotation, 3 n each; then, if its
/// link shortens, 3 n (n + 1) / 2 for the second-order displacement by pairs of modes.
struct NodeShape {
  const double *t, *r, *g;
  NodeShape(const double* p, int n) noexcept : t(p), r(p + 3 * n), g(p + 6 * n) {}
};

/// A node in the working frame of its link.
struct NodeRecord {
  int link = 0;
  bool moves = false;
  std::size_t shape = 0;
  double R0[9], p0[3];
};

/// A view of all constants.
struct LayoutView {
  const TreeLink* links;
  int count;
  const double* numbers;
  int columns, modes, pairs, psis, coordinates, speeds;  // in all
};

inline namespace VERNIER_INSTRUCTIONS {

using spatial::Mat3;
using spatial::Sym3;
using spatial::Sym6;
using spatial::Vec3;
using spatial::Vec6;

// Converts mass properties to the arithmetic T.
template <class T, class M>
VERNIER_INLINE T mass_of(const MassOf<M>& x) noexcept {
  if constexpr (std::is_same_v<T, M>) {
    return x.m;
  } else {
    return spatial::constant<T>(x.m);
  }
}
template <class T, class M>
VERNIER_INLINE Vec3<T> moment_of(const MassOf<M>& x) noexcept {
  if constexpr (std::is_same_v<T, M>) {
    return {x.s[0], x.s[1], x.s[2]};
  } else {
    return spatial::vec3<T>(x.s);
  }
}
template <class T, class M>
VERNIER_INLINE Sym3<T> inertia_of(const MassOf<M>& x) noexcept {
  if constexpr (std::is_same_v<T, M>) {
    return {x.J[0], x.J[1], x.J[2], x.J[3], x.J[4], x.J[5]};
  } else {
    return spatial::sym3<T>(x.J);
  }
}

/// The results of an evaluation for a link.
template <class T>
struct LinkState {
  Mat3<T> E;         // from the axes of I, the child's side of the hinge, to those of the parent
  Vec3<T> r;         // origin of I in the parent's frame
  T trig[4];         // sines and cosines stored by its hinge
  Vec6<T> V;         // motion of W
  Vec6<T> c;         // bias of the acceleration of I
  Vec6<T> b;         // velocity-product forces on W
  Vec6<T> z;         // remaining forces, at W; at I after the elimination
  Sym6<T> P;         // articulated inertia, likewise
  Vec6<T> A;         // acceleration of W, with -g
  Vec6<T> a0;        // acceleration of I without the hinge
  T lost_a, lost_l;  // inertia eliminated outboard: the scale of rounding errors
};

/// The results of an evaluation for a link with modes.
template <class T>
struct ModalState {
  Mat3<T> Ri;  // inboard node, if it moves
  Vec3<T> pi;
  Vec6<T> ai;  // bias of its acceleration, at W
  Vec3<T> s;
  Sym3<T> J;
};

/// A hinge speed after the elimination: udot = x - g·a.
template <class T>
struct Column {
  Vec6<T> g;
  T x;
};

/// Working memory of one evaluation; the layout gives the sizes of the arrays.
template <class T>
struct Workspace {
  LinkState<T>* links;
  Column<T>* columns;
  ModalState<T>* modal;  // at index TreeLink::mode of a link with modes
  Vec6<T>* psi;          // shapes of moving nodes of hinges
  // By mode
  Vec3<T>* H;
  Vec3<T>* S1;  // of links that shorten; of others it is constant
  Sym3<T>* dJ;
  T* be;       // velocity-product and elastic forces
  Vec6<T>* y;  // coupling including children; L⁻¹ y after the elimination
  T* ze;
  T* di;  // inverse pivots
  T* etadd;
  T* pairs;  // modal mass including children; L after the elimination
};

/// Divides memory that is aligned for T into a workspace; `bytes` receives the size.
template <class T>
inline Workspace<T> make_workspace(void* memory, const LayoutView& layout,
                                   std::size_t* bytes = nullptr) noexcept {
  auto* const begin = static_cast<char*>(memory);
  char* p = begin;
  const auto take = [&p]<class U>(U*& array, int count) {
    array = reinterpret_cast<U*>(p);
    p += sizeof(U) * static_cast<std::size_t>(count);
  };
  Workspace<T> w;
  take(w.links, layout.count);
  take(w.columns, layout.columns);
  take(w.modal, layout.modes);
  take(w.psi, layout.psis);
  take(w.H, layout.modes);
  take(w.S1, layout.modes);
  take(w.dJ, layout.modes);
  take(w.be, layout.modes);
  take(w.y, layout.modes);
  take(w.ze, layout.modes);
  take(w.di, layout.modes);
  take(w.etadd, layout.modes);
  take(w.pairs, layout.pairs);
  if (bytes != nullptr) *bytes = static_cast<std::size_t>(p - begin);
  return w;
}
/// The coupling of mode i to the rigid motion of its deformed link, without children.
template <class T>
VERNIER_INLINE Vec6<T> coupling(const LayoutView& layout, const TreeLink& link,
                                const Workspace<T>& work, int i) noexcept {
  return {work.H[link.mode + i],
          link.shortens
              ? work.S1[link.mode + i]
              : spatial::vec3<T>(ModalConstants(layout.numbers + link.constants, link.modes).S1 +
                                 3 * i)};
}
template <class T>
inline std::size_t workspace_bytes(const LayoutView& layout) noexcept {
  std::size_t bytes = 0;
  make_workspace<T>(nullptr, layout, &bytes);
  return bytes;
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
