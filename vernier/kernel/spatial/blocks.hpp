#pragma once

#include "vernier/kernel/elementary/circular.hpp"

/// Small vectors and matrices of any arithmetic type (lanes.hpp) for recursions: plain values,
/// fully inlined. User interfaces take Eigen instead.
namespace vernier::spatial {
inline namespace VERNIER_INSTRUCTIONS {

using elementary::all;
using elementary::constant;
using elementary::lane_count;
using elementary::Lanes;
using elementary::Mask;
using elementary::select;
using elementary::sine_cosine;
using elementary::square_root;

template <class T>
struct Vec3 {
  T x, y, z;
};
/// Row major.
template <class T>
struct Mat3 {
  T a[9];
};
template <class T>
struct Sym3 {
  T xx, yy, zz, xy, xz, yz;
};
/// Motion or force: angular part (moment) first.
template <class T>
struct Vec6 {
  Vec3<T> a, l;
};
/// An articulated inertia: the symmetric [A B; Bᵀ C], angular part first.
template <class T>
struct Sym6 {
  Sym3<T> A;
  Mat3<T> B;
  Sym3<T> C;
};

#define VERNIER_OF_T \
  template <class T> \
  VERNIER_INLINE

VERNIER_OF_T Vec3<T> zero3() noexcept {
  const T z = constant<T>(0.0);
  return {z, z, z};
}
VERNIER_OF_T Vec6<T> zero6() noexcept { return {zero3<T>(), zero3<T>()}; }
VERNIER_OF_T Mat3<T> identity3() noexcept {
  const T z = constant<T>(0.0), o = constant<T>(1.0);
  return {{o, z, z, z, o, z, z, z, o}};
}
VERNIER_OF_T Vec3<T> vec3(const double* p) noexcept {
  return {constant<T>(p[0]), constant<T>(p[1]), constant<T>(p[2])};
}
VERNIER_OF_T Vec3<T> vec3(const Vec3<double>& v) noexcept {
  return {constant<T>(v.x), constant<T>(v.y), constant<T>(v.z)};
}
// x, y and z are no array: compilers may take what is read or written past x as unrelated.
VERNIER_OF_T T component(const Vec3<T>& v, int i) noexcept {
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}
/// A vector of this length along axis 0, 1 or 2.
VERNIER_INLINE Vec3<double> along_axis(int i, double length) noexcept {
  return {i == 0 ? length : 0.0, i == 1 ? length : 0.0, i == 2 ? length : 0.0};
}
VERNIER_OF_T Mat3<T> mat3(const double* p) noexcept {
  Mat3<T> m;
  for (int i = 0; i < 9; ++i) m.a[i] = constant<T>(p[i]);
  return m;
}
VERNIER_OF_T Sym3<T> sym3(const double* p) noexcept {
  return {constant<T>(p[0]), constant<T>(p[1]), constant<T>(p[2]),
          constant<T>(p[3]), constant<T>(p[4]), constant<T>(p[5])};
}

VERNIER_OF_T Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
VERNIER_OF_T Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
VERNIER_OF_T Vec3<T> operator-(const Vec3<T>& a) noexcept { return {-a.x, -a.y, -a.z}; }
VERNIER_OF_T Vec3<T> operator*(const Vec3<T>& a, const T& s) noexcept {
  return {a.x * s, a.y * s, a.z * s};
}
VERNIER_OF_T Vec3<T>& operator+=(Vec3<T>& a, const Vec3<T>& b) noexcept { return a = a + b; }
VERNIER_OF_T Vec3<T>& operator-=(Vec3<T>& a, const Vec3<T>& b) noexcept { return a = a - b; }
VERNIER_OF_T T dot(const Vec3<T>& a, const Vec3<T>& b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
VERNIER_OF_T Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Sums that start with the addend: one fused operation for each product.
/// a + b × c
VERNIER_OF_T Vec3<T> plus_cross(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) noexcept {
  return {a.x + b.y * c.z - b.z * c.y, a.y + b.z * c.x - b.x * c.z, a.z + b.x * c.y - b.y * c.x};
}
/// s + a·b
VERNIER_OF_T T plus_dot(const T& s, const Vec3<T>& a, const Vec3<T>& b) noexcept {
  return s + a.x * b.x + a.y * b.y + a.z * b.z;
}
/// a + b s
VERNIER_OF_T Vec3<T> plus_times(const Vec3<T>& a, const Vec3<T>& b, const T& s) noexcept {
  return {a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

VERNIER_OF_T Vec6<T> operator+(const Vec6<T>& a, const Vec6<T>& b) noexcept {
  return {a.a + b.a, a.l + b.l};
}
VERNIER_OF_T Vec6<T> operator-(const Vec6<T>& a, const Vec6<T>& b) noexcept {
  return {a.a - b.a, a.l - b.l};
}
VERNIER_OF_T Vec6<T> operator*(const Vec6<T>& a, const T& s) noexcept { return {a.a * s, a.l * s}; }
VERNIER_OF_T Vec6<T>& operator+=(Vec6<T>& a, const Vec6<T>& b) noexcept { return a = a + b; }
VERNIER_OF_T Vec6<T>& operator-=(Vec6<T>& a, const Vec6<T>& b) noexcept { return a = a - b; }
VERNIER_OF_T T dot(const Vec6<T>& a, const Vec6<T>& b) noexcept {
  return plus_dot(dot(a.a, b.a), a.l, b.l);
}
VERNIER_OF_T T plus_dot(const T& s, const Vec6<T>& a, const Vec6<T>& b) noexcept {
  return plus_dot(plus_dot(s, a.a, b.a), a.l, b.l);
}
/// The motion or acceleration v, taken at a point displaced by r.
VERNIER_OF_T Vec6<T> motion_at(const Vec6<T>& v, const Vec3<T>& r) noexcept {
  return {v.a, plus_cross(v.l, v.a, r)};
}
/// The force f, taken at the point from which its own is displaced by r.
VERNIER_OF_T Vec6<T> force_from(const Vec6<T>& f, const Vec3<T>& r) noexcept {
  return {plus_cross(f.a, r, f.l), f.l};
}

VERNIER_OF_T Vec3<T> row(const Mat3<T>& m, int i) noexcept {
  return {m.a[3 * i], m.a[3 * i + 1], m.a[3 * i + 2]};
}
VERNIER_OF_T Vec3<T> column(const Mat3<T>& m, int i) noexcept {
  return {m.a[i], m.a[i + 3], m.a[i + 6]};
}
VERNIER_OF_T Mat3<T> from_columns(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) noexcept {
  return {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}
VERNIER_OF_T Mat3<T> transposed(const Mat3<T>& m) noexcept {
  return {{m.a[0], m.a[3], m.a[6], m.a[1], m.a[4], m.a[7], m.a[2], m.a[5], m.a[8]}};
}
VERNIER_OF_T Vec3<T> operator*(const Mat3<T>& m, const Vec3<T>& v) noexcept {
  return {m.a[0] * v.x + m.a[1] * v.y + m.a[2] * v.z, m.a[3] * v.x + m.a[4] * v.y + m.a[5] * v.z,
          m.a[6] * v.x + m.a[7] * v.y + m.a[8] * v.z};
}
/// a + m v
VERNIER_OF_T Vec3<T> plus_times(const Vec3<T>& a, const Mat3<T>& m, const Vec3<T>& v) noexcept {
  return {plus_dot(a.x, row(m, 0), v), plus_dot(a.y, row(m, 1), v), plus_dot(a.z, row(m, 2), v)};
}
/// mᵀ v
VERNIER_OF_T Vec3<T> transposed_times(const Mat3<T>& m, const Vec3<T>& v) noexcept {
  return {m.a[0] * v.x + m.a[3] * v.y + m.a[6] * v.z, m.a[1] * v.x + m.a[4] * v.y + m.a[7] * v.z,
          m.a[2] * v.x + m.a[5] * v.y + m.a[8] * v.z};
}
VERNIER_OF_T Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) noexcept {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      r.a[3 * i + j] =
          a.a[3 * i] * b.a[j] + a.a[3 * i + 1] * b.a[3 + j] + a.a[3 * i + 2] * b.a[6 + j];
    }
  }
  return r;
}
/// a bᵀ
VERNIER_OF_T Mat3<T> times_transposed(const Mat3<T>& a, const Mat3<T>& b) noexcept {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r.a[3 * i + j] = dot(row(a, i), row(b, j));
  }
  return r;
}
VERNIER_OF_T Vec6<T> rotated(const Mat3<T>& R, const Vec6<T>& v) noexcept {
  return {R * v.a, R * v.l};
}
/// By the transpose of R.
VERNIER_OF_T Vec6<T> rotated_back(const Mat3<T>& R, const Vec6<T>& v) noexcept {
  return {transposed_times(R, v.a), transposed_times(R, v.l)};
}

VERNIER_OF_T Vec3<T> operator*(const Sym3<T>& m, const Vec3<T>& v) noexcept {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
/// a + m v
VERNIER_OF_T Vec3<T> plus_times(const Vec3<T>& a, const Sym3<T>& m, const Vec3<T>& v) noexcept {
  return {a.x + m.xx * v.x + m.xy * v.y + m.xz * v.z, a.y + m.xy * v.x + m.yy * v.y + m.yz * v.z,
          a.z + m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
VERNIER_OF_T Sym3<T> operator+(const Sym3<T>& a, const Sym3<T>& b) noexcept {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
VERNIER_OF_T Sym3<T> operator*(const Sym3<T>& a, const T& s) noexcept {
  return {a.xx * s, a.yy * s, a.zz * s, a.xy * s, a.xz * s, a.yz * s};
}
VERNIER_OF_T Sym3<T>& operator+=(Sym3<T>& a, const Sym3<T>& b) noexcept { return a = a + b; }
VERNIER_OF_T Sym3<T> diagonal(const T& d) noexcept {
  const T z = constant<T>(0.0);
  return {d, d, d, z, z, z};
}
VERNIER_OF_T T trace(const Sym3<T>& m) noexcept { return m.xx + m.yy + m.zz; }
VERNIER_OF_T Mat3<T> skew(const Vec3<T>& v) noexcept {
  const T o = constant<T>(0.0);
  return {{o, -v.z, v.y, v.z, o, -v.x, -v.y, v.x, o}};
}
/// R m
VERNIER_OF_T Mat3<T> operator*(const Mat3<T>& R, const Sym3<T>& m) noexcept {
  Mat3<T> q;
  for (int i = 0; i < 3; ++i) {
    const Vec3<T> r = m * row(R, i);
    q.a[3 * i] = r.x;
    q.a[3 * i + 1] = r.y;
    q.a[3 * i + 2] = r.z;
  }
  return q;
}
/// R m Rᵀ
VERNIER_OF_T Sym3<T> rotated(const Mat3<T>& R, const Sym3<T>& m) noexcept {
  const Mat3<T> q = R * m;
  const Vec3<T> r0 = row(R, 0), r1 = row(R, 1), r2 = row(R, 2);
  return {dot(row(q, 0), r0), dot(row(q, 1), r1), dot(row(q, 2), r2),
          dot(row(q, 0), r1), dot(row(q, 0), r2), dot(row(q, 1), r2)};
}

VERNIER_OF_T Sym6<T> zero66() noexcept {
  const T z = constant<T>(0.0);
  return {{z, z, z, z, z, z}, {{z, z, z, z, z, z, z, z, z}}, {z, z, z, z, z, z}};
}
/// Of a rigid body: mass, first moment, inertia about the origin.
VERNIER_OF_T Sym6<T> rigid(const T& m, const Vec3<T>& s, const Sym3<T>& J) noexcept {
  return {J, skew(s), diagonal(m)};
}
VERNIER_OF_T Vec6<T> operator*(const Sym6<T>& P, const Vec6<T>& v) noexcept {
  return {plus_times(P.A * v.a, P.B, v.l), plus_times(transposed_times(P.B, v.a), P.C, v.l)};
}
/// f + P v
VERNIER_OF_T Vec6<T> plus_times(const Vec6<T>& f, const Sym6<T>& P, const Vec6<T>& v) noexcept {
  const Vec3<T> l = plus_times(f.l, P.C, v.l);
  return {plus_times(plus_times(f.a, P.A, v.a), P.B, v.l),
          {plus_dot(l.x, column(P.B, 0), v.a), plus_dot(l.y, column(P.B, 1), v.a),
           plus_dot(l.z, column(P.B, 2), v.a)}};
}
VERNIER_OF_T Sym6<T>& operator+=(Sym6<T>& P, const Sym6<T>& Q) noexcept {
  P.A += Q.A;
  for (int i = 0; i < 9; ++i) P.B.a[i] = P.B.a[i] + Q.B.a[i];
  P.C += Q.C;
  return P;
}
/// P - u uᵀ w
VERNIER_OF_T void take_rank_one(Sym6<T>& P, const Vec6<T>& u, const T& w) noexcept {
  const Vec3<T> a = u.a * w, l = u.l * w;
  P.A = {P.A.xx - a.x * u.a.x, P.A.yy - a.y * u.a.y, P.A.zz - a.z * u.a.z,
         P.A.xy - a.x * u.a.y, P.A.xz - a.x * u.a.z, P.A.yz - a.y * u.a.z};
  P.C = {P.C.xx - l.x * u.l.x, P.C.yy - l.y * u.l.y, P.C.zz - l.z * u.l.z,
         P.C.xy - l.x * u.l.y, P.C.xz - l.x * u.l.z, P.C.yz - l.y * u.l.z};
  P.B = {{P.B.a[0] - a.x * u.l.x, P.B.a[1] - a.x * u.l.y, P.B.a[2] - a.x * u.l.z,
          P.B.a[3] - a.y * u.l.x, P.B.a[4] - a.y * u.l.y, P.B.a[5] - a.y * u.l.z,
          P.B.a[6] - a.z * u.l.x, P.B.a[7] - a.z * u.l.y, P.B.a[8] - a.z * u.l.z}};
}
/// P in other axes: R transforms components from the axes of P to the new ones.
VERNIER_OF_T Sym6<T> rotated(const Mat3<T>& R, const Sym6<T>& P) noexcept {
  return {rotated(R, P.A), times_transposed(R * P.B, R), rotated(R, P.C)};
}
/// The same if row and column z of the angular part of P are zero.
VERNIER_OF_T Sym6<T> rotated_without_z(const Mat3<T>& R, const Sym6<T>& P) noexcept {
  const Vec3<T> x = column(R, 0), y = column(R, 1);
  const Vec3<T> ax = x * P.A.xx + y * P.A.xy, ay = x * P.A.xy + y * P.A.yy;
  const Vec3<T> bx = R * row(P.B, 0), by = R * row(P.B, 1);
  return {{ax.x * x.x + ay.x * y.x, ax.y * x.y + ay.y * y.y, ax.z * x.z + ay.z * y.z,
           ax.x * x.y + ay.x * y.y, ax.x * x.z + ay.x * y.z, ax.y * x.z + ay.y * y.z},
          {{x.x * bx.x + y.x * by.x, x.x * bx.y + y.x * by.y, x.x * bx.z + y.x * by.z,
            x.y * bx.x + y.y * by.x, x.y * bx.y + y.y * by.y, x.y * bx.z + y.y * by.z,
            x.z * bx.x + y.z * by.x, x.z * bx.y + y.z * by.y, x.z * bx.z + y.z * by.z}},
          rotated(R, P.C)};
}
/// S + Lᵀ P L with L = [1 0; -skew(r) 1]: P taken at the point from which its own is displaced by
/// r.
VERNIER_OF_T Sym6<T> plus_shifted(const Sym6<T>& S, const Sym6<T>& P, const Vec3<T>& r) noexcept {
  const Sym3<T>& C = P.C;
  const Vec3<T> b0 = row(P.B, 0), b1 = row(P.B, 1), b2 = row(P.B, 2);
  // Rows of B + skew(r) C.
  const Vec3<T> n0 = {b0.x + r.y * C.xz - r.z * C.xy, b0.y + r.y * C.yz - r.z * C.yy,
                      b0.z + r.y * C.zz - r.z * C.yz},
                n1 = {b1.x + r.z * C.xx - r.x * C.xz, b1.y + r.z * C.xy - r.x * C.yz,
                      b1.z + r.z * C.xz - r.x * C.zz},
                n2 = {b2.x + r.x * C.xy - r.y * C.xx, b2.y + r.x * C.yy - r.y * C.xy,
                      b2.z + r.x * C.yz - r.y * C.xz};
  // A + skew(r) Bᵀ + (B + skew(r) C) skew(r)ᵀ: columns r × b_i, rows r × n_i.
  return {{S.A.xx + P.A.xx + r.y * b0.z - r.z * b0.y + r.y * n0.z - r.z * n0.y,
           S.A.yy + P.A.yy + r.z * b1.x - r.x * b1.z + r.z * n1.x - r.x * n1.z,
           S.A.zz + P.A.zz + r.x * b2.y - r.y * b2.x + r.x * n2.y - r.y * n2.x,
           S.A.xy + P.A.xy + r.y * b1.z - r.z * b1.y + r.z * n0.x - r.x * n0.z,
           S.A.xz + P.A.xz + r.y * b2.z - r.z * b2.y + r.x * n0.y - r.y * n0.x,
           S.A.yz + P.A.yz + r.z * b2.x - r.x * b2.z + r.x * n1.y - r.y * n1.x},
          {{S.B.a[0] + n0.x, S.B.a[1] + n0.y, S.B.a[2] + n0.z, S.B.a[3] + n1.x, S.B.a[4] + n1.y,
            S.B.a[5] + n1.z, S.B.a[6] + n2.x, S.B.a[7] + n2.y, S.B.a[8] + n2.z}},
          S.C + C};
}
VERNIER_OF_T Sym6<T> shifted(const Sym6<T>& P, const Vec3<T>& r) noexcept {
  return plus_shifted(zero66<T>(), P, r);
}

#undef VERNIER_OF_T

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::spatial
