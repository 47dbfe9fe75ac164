#pragma once

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

/// The primitives of joints and forces between two nodes a and b (docs/mathematics/constrained.md,
/// section 3). Order of coordinates: x_a, θ_a, x_b, θ_b. A primitive writes values Φ into its own
/// rows, Φ_qᵀ λ into those of the nodes, and the Jacobian with its geometric part c ∂(Φ_qᵀ λ)/∂q.
/// Rows and columns of the ground are omitted.
namespace vernier::constrained::parts {

using spatial::column;

/// The ground as a node.
inline const NodeState ground_state{
    {0.0, 0.0, 0.0}, spatial::identity3<double>(), {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

/// Two attachments, with the indices of their nodes in the element; -1: the ground.
struct Ends {
  int a = -1, b = -1;
  Attachment on_a, on_b;

  VERNIER_INLINE const NodeState& node_a(const Point& p) const noexcept {
    return a < 0 ? ground_state : p.node(a);
  }
  VERNIER_INLINE const NodeState& node_b(const Point& p) const noexcept {
    return b < 0 ? ground_state : p.node(b);
  }
};

/// Where a primitive writes: first rows of the nodes (negative: ground). J may be null.
struct Rows {
  double *r, *J;
  int n;
  double c;
  int a, b;

  VERNIER_INLINE Rows(const Contribution& out, const Ends& ends, double step) noexcept
      : r(out.residual), J(out.jacobian), n(out.size), c(step), a(6 * ends.a), b(6 * ends.b) {}

  VERNIER_INLINE void act(int row, const Vector3& f) const noexcept {
    r[row] += f.x, r[row + 1] += f.y, r[row + 2] += f.z;
  }
  /// s 1
  VERNIER_INLINE void diagonal(int row, int col, double s) const noexcept {
    double* p = J + row * n + col;
    p[0] += s, p[n + 1] += s, p[2 * n + 2] += s;
  }
  /// s skew(v)
  VERNIER_INLINE void skew(int row, int col, const Vector3& v, double s) const noexcept {
    double* p = J + row * n + col;
    const double x = v.x * s, y = v.y * s, z = v.z * s;
    p[1] -= z, p[2] += y;
    p += n;
    p[0] += z, p[2] -= x;
    p += n;
    p[0] -= y, p[1] += x;
  }
  /// s skew(u) skew(w) = s (w uᵀ - u·w)
  VERNIER_INLINE void skew2(int row, int col, const Vector3& u, const Vector3& w,
                            double s) const noexcept {
    double* p = J + row * n + col;
    const double x = u.x * s, y = u.y * s, z = u.z * s, d = x * w.x + y * w.y + z * w.z;
    p[0] += w.x * x - d, p[1] += w.x * y, p[2] += w.x * z;
    p += n;
    p[0] += w.y * x, p[1] += w.y * y - d, p[2] += w.y * z;
    p += n;
    p[0] += w.z * x, p[1] += w.z * y, p[2] += w.z * z - d;
  }
  /// s u wᵀ
  VERNIER_INLINE void outer(int row, int col, const Vector3& u, const Vector3& w,
                            double s) const noexcept {
    double* p = J + row * n + col;
    const double x = w.x * s, y = w.y * s, z = w.z * s;
    p[0] += u.x * x, p[1] += u.x * y, p[2] += u.x * z;
    p += n;
    p[0] += u.y * x, p[1] += u.y * y, p[2] += u.y * z;
    p += n;
    p[0] += u.z * x, p[1] += u.z * y, p[2] += u.z * z;
  }
  VERNIER_INLINE void block(int row, int col, const Matrix3& m, double s) const noexcept {
    double* p = J + row * n + col;
    for (int i = 0; i < 3; ++i, p += n) {
      for (int j = 0; j < 3; ++j) p[j] += m.a[3 * i + j] * s;
    }
  }
  /// Writes the gradient of constraint `row` by three coordinates from `at`: c times in the row,
  /// once in the column.
  VERNIER_INLINE void gradient(int row, int at, const Vector3& g) const noexcept {
    double *across = J + row * n + at, *down = J + at * n + row;
    across[0] += c * g.x, across[1] += c * g.y, across[2] += c * g.z;
    down[0] += g.x, down[n] += g.y, down[2 * n] += g.z;
  }
};

/// A force f on b at d_b from its node, and its opposite on a at d_a.
VERNIER_INLINE void pull(const Rows& o, const Vector3& f, const Vector3& da,
                         const Vector3& db) noexcept {
  if (o.a >= 0) {
    o.act(o.a, -f);
    o.act(o.a + 3, cross(f, da));
  }
  if (o.b >= 0) {
    o.act(o.b, f);
    o.act(o.b + 3, cross(db, f));
  }
}

/// Points coincide: r = p_b - p_a = 0. Rows row…row + 2, global axes.
VERNIER_INLINE void coincide(const Rows& o, int row, const Vector3& da, const Vector3& db,
                             const Vector3& r, const Vector3& l) noexcept {
  o.r[row] = r.x, o.r[row + 1] = r.y, o.r[row + 2] = r.z;
  pull(o, l, da, db);
  if (o.J == nullptr) return;
  if (o.a >= 0) {
    o.diagonal(row, o.a, -o.c);
    o.diagonal(o.a, row, -1.0);
    o.skew(row, o.a + 3, da, o.c);
    o.skew(o.a + 3, row, da, -1.0);
    o.skew2(o.a + 3, o.a + 3, l, da, -o.c);
  }
  if (o.b >= 0) {
    o.diagonal(row, o.b, o.c);
    o.diagonal(o.b, row, 1.0);
    o.skew(row, o.b + 3, db, -o.c);
    o.skew(o.b + 3, row, db, 1.0);
    o.skew2(o.b + 3, o.b + 3, l, db, o.c);
  }
}

/// The forces of λ (u·w), with u fixed in a and w in b, and their geometric part; `w` is the sum λ
/// w.
VERNIER_INLINE void dot_forces(const Rows& o, const Vector3& u, const Vector3& w) noexcept {
  const Vector3 q = cross(u, w);
  if (o.a >= 0) o.act(o.a + 3, q);
  if (o.b >= 0) o.act(o.b + 3, -q);
  if (o.J == nullptr) return;
  if (o.a >= 0) o.skew2(o.a + 3, o.a + 3, w, u, o.c);
  if (o.a >= 0 && o.b >= 0) {
    o.skew2(o.a + 3, o.b + 3, u, w, -o.c);
    o.skew2(o.b + 3, o.a + 3, w, u, -o.c);
  }
  if (o.b >= 0) o.skew2(o.b + 3, o.b + 3, u, w, o.c);
}
/// The gradient row of u·w.
VERNIER_INLINE void dot_gradient(const Rows& o, int row, const Vector3& u,
                                 const Vector3& w) noexcept {
  const Vector3 q = cross(u, w);
  if (o.a >= 0) o.gradient(row, o.a + 3, q);
  if (o.b >= 0) o.gradient(row, o.b + 3, -q);
}

/// u·w = 0.
VERNIER_INLINE void normal(const Rows& o, int row, const Vector3& u, const Vector3& w,
                           double l) noexcept {
  o.r[row] = dot(u, w);
  dot_forces(o, u, w * l);
  if (o.J != nullptr) dot_gradient(o, row, u, w);
}

/// Up to this angle the plain products are used: cos 45°.
inline constexpr double aligned_from = 0.70710678118654752440;

/// See align(): for axes far apart, which occurs only during assembly.
void align_far(const Rows&, int row, const Vector3& u, const Matrix3& B, double l1,
               double l2) noexcept;

/// Axis u of a along axis 3 of b: Φ_i = u·b_i = 0, i = 1, 2. Opposite axes would also satisfy this.
/// So beyond 45° it is Φ_i = (1 + cos 45°) u·b_i / (1 + u·b_3), which grows monotonically (as tan
/// of half the angle) and leads Newton's iteration back without overshooting.
VERNIER_INLINE void align(const Rows& o, int row, const Vector3& u, const Matrix3& B, double l1,
                          double l2) noexcept {
  const Vector3 b1 = column(B, 0), b2 = column(B, 1);
  if (dot(u, column(B, 2)) < aligned_from) [[unlikely]]
    return align_far(o, row, u, B, l1, l2);
  o.r[row] = dot(u, b1);
  o.r[row + 1] = dot(u, b2);
  dot_forces(o, u, plus_times(b1 * l1, b2, l2));
  if (o.J == nullptr) return;
  dot_gradient(o, row, u, b1);
  dot_gradient(o, row + 1, u, b2);
}

/// The forces of λ w·r, with w fixed in a, r = p_b - p_a, e = p_b - x_a, and their geometric part;
/// `f` is the sum λ w.
VERNIER_INLINE void project_forces(const Rows& o, const Vector3& f, const Vector3& e,
                                   const Vector3& db) noexcept {
  pull(o, f, e, db);
  if (o.J == nullptr) return;
  const double c = o.c;
  if (o.a >= 0) {
    o.skew(o.a, o.a + 3, f, c);
    o.skew(o.a + 3, o.a, f, -c);
    o.skew2(o.a + 3, o.a + 3, e, f, c);
  }
  if (o.a >= 0 && o.b >= 0) {
    o.skew(o.b, o.a + 3, f, -c);
    o.skew(o.a + 3, o.b, f, c);
    o.skew2(o.a + 3, o.b + 3, f, db, -c);
    o.skew2(o.b + 3, o.a + 3, db, f, -c);
  }
  if (o.b >= 0) o.skew2(o.b + 3, o.b + 3, f, db, c);
}
/// w·r = target: writes its residual and gradient to `row`.
VERNIER_INLINE void project(const Rows& o, int row, const Vector3& w, const Vector3& r,
                            const Vector3& e, const Vector3& db, double target) noexcept {
  o.r[row] = dot(w, r) - target;
  if (o.J == nullptr) return;
  if (o.a >= 0) {
    o.gradient(row, o.a, -w);
    o.gradient(row, o.a + 3, cross(w, e));
  }
  if (o.b >= 0) {
    o.gradient(row, o.b, w);
    o.gradient(row, o.b + 3, cross(db, w));
  }
}

/// Length and direction of r; axis 3 of a if the length is zero.
struct Reach {
  double length;
  Vector3 n;
};
VERNIER_INLINE Reach reach(const Vector3& r, const Vector3& otherwise) noexcept {
  const double l = __builtin_sqrt(dot(r, r));
  return l > 0.0 ? Reach{l, r * (1.0 / l)} : Reach{0.0, otherwise};
}

/// The forces of λ |r|, and their geometric part.
void stretch_forces(const Rows&, const Reach&, const Vector3& da, const Vector3& db,
                    double l) noexcept;

/// The rotation of b relative to a, both with their joint axes: φ of AᵀB, or of AᵀB Dᵀ.
struct Turned {
  Vector3 phi;
  Matrix3 A, M;  // δφ = M Aᵀ (θ_b - θ_a)
};
Turned turned(const Matrix3& A, const Matrix3& B) noexcept;
/// ∂(M w)/∂φ; with `transpose` ∂(Mᵀ w)/∂φ.
Matrix3 tangent_derivative(const Vector3& phi, const Vector3& w, bool transpose) noexcept;
/// The forces of μ·φ, and their geometric part.
void turned_forces(const Rows&, const Turned&, const Vector3& mu) noexcept;
/// φ = 0.
void keep_orientation(const Rows&, int row, const Turned&, const Vector3& mu) noexcept;

}  // namespace vernier::constrained::parts
