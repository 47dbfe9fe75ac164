#include "vernier/kernel/spatial/segment.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/spatial/turns.hpp"

namespace vernier::spatial {

namespace {

using Coefficients = std::array<Vector3, 6>;

/// The Hermite polynomial from x0 with derivatives v0 (and a0) to x1 with v1 (and a1) for s from 0
/// to 1; derivatives are by s.
Coefficients cubic(const Vector3& x0, const Vector3& v0, const Vector3& x1,
                   const Vector3& v1) noexcept {
  const Vector3 d = x1 - x0, none = Vector3::Zero();
  return {x0, v0, Vector3(3 * d - 2 * v0 - v1), Vector3(v0 + v1 - 2 * d), none, none};
}
Coefficients quintic(const Vector3& x0, const Vector3& v0, const Vector3& a0, const Vector3& x1,
                     const Vector3& v1, const Vector3& a1) noexcept {
  const Vector3 c2 = 0.5 * a0;
  const Vector3 d = x1 - x0 - v0 - c2, v = v1 - v0 - a0, a = a1 - a0;
  return {x0,
          v0,
          c2,
          Vector3(10 * d - 4 * v + 0.5 * a),
          Vector3(-15 * d + 7 * v - a),
          Vector3(6 * d - 3 * v + 0.5 * a)};
}

/// With R = Exp(θ), the angular velocity in the rotated axes is J_r(θ) θ', with the right Jacobian
/// J_r of SO(3).
Vector3 right(const Vector3& th, const Vector3& rate) noexcept {
  const auto k = turn_coefficients(th.squaredNorm());
  const Vector3 x = th.cross(rate);
  return rate - k.c * x + k.d * th.cross(x);
}
/// The derivative of J_r(θ) along θ', times θ'.
Vector3 right_rate(const Vector3& th, const Vector3& rate) noexcept {
  const auto k = turn_coefficients(th.squaredNorm());
  const double s = th.dot(rate);
  const Vector3 x = th.cross(rate);
  return -k.c_rate * s * x + k.d_rate * s * th.cross(x) + k.d * rate.cross(x);
}
/// J_r(θ)⁻¹ ω; |θ| < 2π.
Vector3 right_inverse(const Vector3& th, const Vector3& omega) noexcept {
  const double n2 = th.squaredNorm(), n = std::sqrt(n2);
  const double e = n2 < 1e-2
                       ? 1.0 / 12 + n2 / 720 + n2 * n2 / 30240 + n2 * n2 * n2 / 1209600
                       : 1.0 / n2 - (1.0 + elementary::cos(n)) / (2.0 * n * elementary::sin(n));
  const Vector3 x = th.cross(omega);
  return omega + 0.5 * x + e * th.cross(x);
}

/// Cumulative Bernstein polynomials of degree 3 or 5 with their derivatives by s.
struct Basis {
  std::array<double, 5> b{}, d{}, e{};
};
Basis basis(std::size_t degree, double s) noexcept {
  Basis r;
  const double o = 1.0 - s;
  if (degree == 3) {
    r.b = {1 - o * o * o, s * s * (3 - 2 * s), s * s * s};
    r.d = {3 * o * o, 6 * s * o, 3 * s * s};
    r.e = {-6 * o, 6 - 12 * s, 6 * s};
    return r;
  }
  // B_j = C(5,j) s^j (1-s)^(5-j); sums of derivatives telescope: B̃_i' = 5 b_{i-1} of degree 4
  const double s2 = s * s, o2 = o * o;
  const std::array<double, 6> five = {o2 * o2 * o,      5 * s * o2 * o2, 10 * s2 * o2 * o,
                                      10 * s2 * s * o2, 5 * s2 * s2 * o, s2 * s2 * s};
  const std::array<double, 5> four = {o2 * o2, 4 * s * o2 * o, 6 * s2 * o2, 4 * s2 * s * o,
                                      s2 * s2};
  const std::array<double, 6> three = {0, o2 * o, 3 * s * o2, 3 * s2 * o, s2 * s, 0};
  double sum = 0.0;
  for (std::size_t i = 5; i-- > 0;) {
    sum += five[i + 1];
    r.b[i] = sum;
    r.d[i] = 5 * four[i];
    r.e[i] = 20 * (three[i] - three[i + 1]);
  }
  return r;
}

}  // namespace

Quaternion exponential(const Vector3& phi) noexcept {
  const double half = 0.5 * phi.norm();
  // sin(x)/x = 1 - x²/6 to rounding.
  const double s =
      half < 1e-4 ? 0.5 * (1.0 - half * half / 6.0) : 0.5 * elementary::sin(half) / half;
  Quaternion q;
  q.head<3>() = s * phi;
  q[3] = elementary::cos(half);
  return q;
}

Vector3 logarithm(const Quaternion& q) noexcept {
  const double sign = q[3] < 0.0 ? -1.0 : 1.0;
  const Vector3 v = sign * q.head<3>();
  const double s = v.norm(), w = sign * q[3];
  // atan2(s, w)/s for small s.
  if (s < 1e-4) return (2.0 / w) * (1.0 - s * s / (3.0 * w * w)) * v;
  return (2.0 * elementary::atan2(s, w) / s) * v;
}

Segment::Segment(const Trajectory& from, const Trajectory& to, double duration,
                 Curve curve) noexcept
    : h_(duration), curve_(curve), q_(from.q) {
  const double h = h_, h2 = h * h;
  const bool second = curve == Curve::quintic || curve == Curve::kim_quintic;
  // The same curve from both ends; backwards the velocities change sign.
  const auto join = [&](const Vector3& x0, const Vector3& v0, const Vector3& a0, const Vector3& x1,
                        const Vector3& v1, const Vector3& a1) -> Polynomial {
    if (!second) return {cubic(x0, h * v0, x1, h * v1), cubic(x1, -h * v1, x0, -h * v0)};
    return {quintic(x0, h * v0, h2 * a0, x1, h * v1, h2 * a1),
            quintic(x1, -h * v1, h2 * a1, x0, -h * v0, h2 * a0)};
  };
  position_ = join(from.p, from.v, from.a, to.p, to.v, to.a);
  // Products are in the order of rotations: product(later, earlier).
  const Quaternion between = product(to.q, inverse(from.q));
  if (curve == Curve::kim) {
    phi_[0] = h / 3.0 * from.omega;
    phi_[2] = h / 3.0 * to.omega;
    phi_[1] = logarithm(product(exponential(-phi_[2]), product(between, exponential(-phi_[0]))));
    // Choose the branch that a uniform rotation with these rates would take.
    const double n = phi_[1].norm();
    if (n > 0.0) {
      const Vector3 e = phi_[1] / n;
      const double steady = h / 6.0 * (from.omega + to.omega).dot(e);
      phi_[1] += 2.0 * std::numbers::pi * std::round((steady - n) / (2.0 * std::numbers::pi)) * e;
    }
  } else if (curve == Curve::kim_quintic) {
    phi_[0] = h / 5.0 * from.omega;
    phi_[1] = phi_[0] + h2 / 20.0 * from.alpha;
    phi_[4] = h / 5.0 * to.omega;
    phi_[3] = phi_[4] - h2 / 20.0 * to_inertial(exponential(phi_[4]), to.alpha);
    const Quaternion start = product(exponential(-phi_[0]), exponential(-phi_[1]));
    const Quaternion end = product(exponential(-phi_[3]), exponential(-phi_[4]));
    phi_[2] = logarithm(product(end, product(between, start)));
  } else {
    const Vector3 th = logarithm(between);
    const Vector3 rate = right_inverse(th, to.omega);
    turn_ = join(Vector3::Zero(), from.omega, from.alpha, th, rate,
                 right_inverse(th, to.alpha - right_rate(th, rate)));
  }
}

Segment::Value Segment::value(const Polynomial& p, double t) const noexcept {
  const bool late = t > 0.5 * h_;
  const auto& c = late ? p.from_end : p.from_start;
  const double s = late ? (h_ - t) / h_ : t / h_;
  Value r{c[5], 5 * c[5], 20 * c[5]};
  for (int k = 4; k >= 0; --k) {
    r.x = r.x * s + c[k];
    if (k >= 1) r.v = r.v * s + k * c[k];
    if (k >= 2) r.a = r.a * s + k * (k - 1) * c[k];
  }
  r.v /= late ? -h_ : h_;
  r.a /= h_ * h_;
  return r;
}

void Segment::kim_at(double t, Trajectory& r) const noexcept {
  const std::size_t degree = curve_ == Curve::kim ? 3 : 5;
  const Basis b = basis(degree, t / h_);
  Vector3 w = Vector3::Zero(), a = Vector3::Zero();
  r.q = q_;
  for (std::size_t i = 0; i < degree; ++i) {
    const Quaternion e = exponential(b.b[i] * phi_[i]);
    const Vector3 u = to_body(e, w), turn = b.d[i] * phi_[i];
    a = to_body(e, a) - turn.cross(u) + b.e[i] * phi_[i];
    w = u + turn;
    r.q = product(e, r.q);
  }
  r.omega = w / h_;
  r.alpha = a / (h_ * h_);
}

Trajectory Segment::at(double t) const noexcept {
  Trajectory r;
  const Value x = value(position_, t);
  r.p = x.x, r.v = x.v, r.a = x.a;
  if (curve_ == Curve::kim || curve_ == Curve::kim_quintic) {
    kim_at(t, r);
  } else {
    const Value th = value(turn_, t);
    r.q = product(exponential(th.x), q_);
    r.omega = right(th.x, th.v);
    r.alpha = right(th.x, th.a) + right_rate(th.x, th.v);
  }
  return r;
}

Trajectory Fading::at(double t) const noexcept {
  const double x = std::min(t, fade_), left = 1.0 - x / fade_;
  const double dv = x - x * x / (2.0 * fade_);
  const double dp = x * x / 2.0 - x * x * x / (6.0 * fade_) + fade_ / 2.0 * (t - x);
  Trajectory r;
  r.p = from_.p + t * from_.v + dp * from_.a;
  r.v = from_.v + dv * from_.a;
  r.a = left * from_.a;
  const Vector3 th = t * from_.omega + dp * from_.alpha, rate = from_.omega + dv * from_.alpha;
  r.q = product(exponential(th), from_.q);
  r.omega = right(th, rate);
  r.alpha = right(th, left * from_.alpha) + right_rate(th, rate);
  return r;
}

SlowDown::Value SlowDown::at(double t) const noexcept {
  const double u = std::clamp(t / duration, 0.0, 1.0), u2 = u * u, u3 = u2 * u;
  return {duration * u * (1.0 + u3 * (-2.5 + u * (3.0 - u))),
          1.0 - u3 * (10.0 + u * (-15.0 + 6.0 * u)), -30.0 * u2 * (1.0 - u) * (1.0 - u) / duration};
}

Trajectory SlowDown::slowed(const Trajectory& on, const Value& s) noexcept {
  Trajectory r = on;
  r.v = s.rate * on.v;
  r.a = s.rate * s.rate * on.a + s.decay * on.v;
  r.omega = s.rate * on.omega;
  r.alpha = s.rate * s.rate * on.alpha + s.decay * on.omega;
  return r;
}

double SlowDown::shortest(double v, double a_max, double j_max) noexcept {
  return std::max(15.0 * v / (8.0 * a_max), std::sqrt(10.0 * v / (std::sqrt(3.0) * j_max)));
}

}  // namespace vernier::spatial
