#include "vernier/kernel/constrained/elements/primitives.hpp"

namespace vernier::constrained::parts {

void align_far(const Rows& o, int row, const Vector3& u, const Matrix3& B, double l1,
               double l2) noexcept {
  const Vector3 b1 = column(B, 0), b2 = column(B, 1), b3 = column(B, 2);
  // Opposite axes: any direction leads back.
  constexpr double least = 1e-9;
  const bool opposite = dot(u, b3) < least - 1.0;
  const double sum = opposite ? least : 1.0 + dot(u, b3), f = (1.0 + aligned_from) / sum;
  const double t1 = (opposite ? 4.4721e-5 : dot(u, b1)) / sum, t2 = dot(u, b2) / sum;
  o.r[row] = f * t1 * sum;
  o.r[row + 1] = f * t2 * sum;
  // δΦ_i = f (δ(u·b_i) - t_i δ(u·b_3)); its own variation adds products of the two
  const Vector3 w1 = plus_times(b1, b3, -t1) * f, w2 = plus_times(b2, b3, -t2) * f;
  const Vector3 m = plus_times(w1 * l1, w2, l2);
  dot_forces(o, u, m);
  if (o.J == nullptr) return;
  dot_gradient(o, row, u, w1);
  dot_gradient(o, row + 1, u, w2);
  const Vector3 q = cross(u, m), g = cross(u, b3);
  const auto products = [&](int i, int j, double s) {
    o.outer(i, j, q, g, s);
    o.outer(i, j, g, q, s);
  };
  const double s = o.c / sum;
  if (o.a >= 0) products(o.a + 3, o.a + 3, -s);
  if (o.b >= 0) products(o.b + 3, o.b + 3, -s);
  if (o.a >= 0 && o.b >= 0) {
    products(o.a + 3, o.b + 3, s);
    products(o.b + 3, o.a + 3, s);
  }
}

void stretch_forces(const Rows& o, const Reach& to, const Vector3& da, const Vector3& db,
                    double l) noexcept {
  const Vector3 f = to.n * l;
  pull(o, f, da, db);
  if (o.J == nullptr) return;
  // δn = N δr, N = (1 - n nᵀ) / |r|, δr = δx_b - d_b×θ_b - δx_a + d_a×θ_a
  const double s = to.length > 0.0 ? o.c * l / to.length : 0.0;
  const Vector3& n = to.n;
  const Matrix3 N = {{s - s * n.x * n.x, -s * n.x * n.y, -s * n.x * n.z, -s * n.y * n.x,
                      s - s * n.y * n.y, -s * n.y * n.z, -s * n.z * n.x, -s * n.z * n.y,
                      s - s * n.z * n.z}};
  struct Side {
    int at;
    const Vector3& d;
    double sign;
  } const sides[] = {{o.a, da, -1.0}, {o.b, db, 1.0}};
  for (const Side& i : sides) {
    if (i.at < 0) continue;
    for (const Side& j : sides) {
      if (j.at < 0) continue;
      const double t = i.sign * j.sign;
      const Matrix3 Nd = N * spatial::skew(j.d), dN = spatial::skew(i.d) * N;
      o.block(i.at, j.at, N, t);
      o.block(i.at, j.at + 3, Nd, -t);
      o.block(i.at + 3, j.at, dN, t);
      o.block(i.at + 3, j.at + 3, dN * spatial::skew(j.d), -t);
    }
    o.skew2(i.at + 3, i.at + 3, f, i.d, i.sign * o.c);
  }
}

Turned turned(const Matrix3& A, const Matrix3& B) noexcept {
  const Matrix3 R = transposed(A) * B;
  const double trace = R.a[0] + R.a[4] + R.a[8];
  if (trace > 3.0 - 1e-8) {
    // Near zero, where joints are held, two terms of the series are enough.
    const Vector3 t = rotations::axial(R) * (1.0 / (1.0 + trace));
    const Vector3 phi = t * (2.0 - dot(t, t) * (2.0 / 3.0));
    return {phi, A, rotations::combined(phi, -0.5, 1.0 / 12.0)};
  }
  const Vector3 phi = rotation_vector(R);
  return {phi, A, inverse_tangent(phi)};
}

Matrix3 tangent_derivative(const Vector3& phi, const Vector3& w, bool transpose) noexcept {
  // M = 1 - φ×/2 + k φ×φ×, k(t²) = (1 - (t/2) cot(t/2)) / t²; `slope`: 2 dk/d(t²)
  const double a2 = dot(phi, phi);
  double k = rotations::cotangent[0], slope = 2.0 * rotations::cotangent[1];
  if (a2 < 1e-8) {
    k += a2 * rotations::cotangent[1];
  } else if (a2 <= 1.0) {
    constexpr int last = 9;
    k = rotations::cotangent[last];
    slope = 2.0 * last * rotations::cotangent[last];
    for (int i = last - 1; i >= 0; --i) {
      k = rotations::cotangent[i] + a2 * k;
      if (i > 0) slope = 2.0 * i * rotations::cotangent[i] + a2 * slope;
    }
  } else {
    const auto s = spatial::turn_coefficients(a2);
    const double q = s.sigma / (2.0 * s.c);  // (t/2) cot(t/2)
    k = (1.0 - q) / a2;
    // t dq/dt = q - (t/2)² / sin²(t/2), and sin²(t/2) = c t² / 2
    slope = (-(q - 0.5 / s.c) - 2.0 * (1.0 - q)) / (a2 * a2);
  }
  const Vector3 pw = cross(phi, w), ppw = cross(phi, pw) * slope;
  const Matrix3 pW = spatial::skew(phi) * spatial::skew(w), PW = spatial::skew(pw);
  const Matrix3 half = spatial::skew(w * (transpose ? -0.5 : 0.5));
  Matrix3 m;
  for (int i = 0; i < 9; ++i) m.a[i] = half.a[i] - k * (PW.a[i] + pW.a[i]);
  const double p[3] = {phi.x, phi.y, phi.z}, v[3] = {ppw.x, ppw.y, ppw.z};
  for (int i = 0; i < 9; ++i) m.a[i] += v[i / 3] * p[i % 3];
  return m;
}

void turned_forces(const Rows& o, const Turned& t, const Vector3& mu) noexcept {
  const Vector3 m = t.A * transposed_times(t.M, mu);
  if (o.a >= 0) o.act(o.a + 3, -m);
  if (o.b >= 0) o.act(o.b + 3, m);
  if (o.J == nullptr) return;
  // δ(A Mᵀ μ) = θ_a × m + A K M Aᵀ (θ_b - θ_a)
  const Matrix3 K = times_transposed(t.A * (tangent_derivative(t.phi, mu, true) * t.M), t.A);
  if (o.a >= 0) {
    o.skew(o.a + 3, o.a + 3, m, o.c);
    o.block(o.a + 3, o.a + 3, K, o.c);
  }
  if (o.a >= 0 && o.b >= 0) {
    o.skew(o.b + 3, o.a + 3, m, -o.c);
    o.block(o.b + 3, o.a + 3, K, -o.c);
    o.block(o.a + 3, o.b + 3, K, -o.c);
  }
  if (o.b >= 0) o.block(o.b + 3, o.b + 3, K, o.c);
}

void keep_orientation(const Rows& o, int row, const Turned& t, const Vector3& mu) noexcept {
  o.r[row] = t.phi.x, o.r[row + 1] = t.phi.y, o.r[row + 2] = t.phi.z;
  turned_forces(o, t, mu);
  if (o.J == nullptr) return;
  const Matrix3 G = times_transposed(t.M, t.A);
  for (int i = 0; i < 3; ++i) {
    if (o.a >= 0) o.gradient(row + i, o.a + 3, -spatial::row(G, i));
    if (o.b >= 0) o.gradient(row + i, o.b + 3, spatial::row(G, i));
  }
}

}  // namespace vernier::constrained::parts
