#include "vernier/kernel/constrained/elements/coordinate.hpp"

namespace vernier::constrained::parts {
namespace {

constexpr double pi = 3.14159265358979323846;

/// The angle of (c, s), not both 0, with square roots and arithmetic only.
double angle_of(double s, double c) noexcept {
  const double r = __builtin_sqrt(c * c + s * s);
  if (!(r > 0.0)) return 0.0;
  if (c >= 0.0) {
    const double t = s / (r + c);
    return 2.0 * t * rotations::arctangent_ratio(t * t);
  }
  const double t = s / (r - c), half = 2.0 * t * rotations::arctangent_ratio(t * t);
  return s < 0.0 ? -pi - half : pi - half;
}

/// The number of whole turns, continued from the memory.
double turns_of(const double* memory, double s, double c) noexcept {
  const double ahead = memory[1] * s - memory[2] * c;
  if (memory[2] >= 0.0 && s < 0.0 && ahead > 0.0) return memory[0] + 1.0;
  if (memory[2] < 0.0 && s >= 0.0 && ahead < 0.0) return memory[0] - 1.0;
  return memory[0];
}

/// Of the angle: sine and cosine (times the length of the projection), with the gradient
/// by b: g = b1 × p, p = (a2 c - a1 s) / (c² + s²).
struct Hand {
  double s, c;
  Vector3 a1, a2, b1, p, g;
};
Hand hand_of(const Ends& e, const Point& point) noexcept {
  const NodeState &na = e.node_a(point), &nb = e.node_b(point);
  Hand h;
  h.a1 = na.R * column(e.on_a.axes, 0);
  h.a2 = na.R * column(e.on_a.axes, 1);
  h.b1 = nb.R * column(e.on_b.axes, 0);
  h.s = dot(h.a2, h.b1);
  h.c = dot(h.a1, h.b1);
  const double l2 = h.s * h.s + h.c * h.c, i = l2 > 0.0 ? 1.0 / l2 : 0.0;
  h.p = plus_times(h.a2 * (h.c * i), h.a1, -h.s * i);
  h.g = cross(h.b1, h.p);
  return h;
}
/// ∂g/∂θ_b and ∂g/∂θ_a, from the second derivatives of atan2.
void second(const Hand& h, Matrix3& by_a, Matrix3& by_b) noexcept {
  const double l2 = h.s * h.s + h.c * h.c, i = l2 > 0.0 ? 1.0 / (l2 * l2) : 0.0;
  const double cc = 2.0 * h.c * h.s * i, cs = (h.s * h.s - h.c * h.c) * i;
  const Vector3 u1 = cross(h.b1, h.a1), u2 = cross(h.b1, h.a2);
  // -b1× Q b1×, Q = cc (a1 a1ᵀ - a2 a2ᵀ) + cs (a1 a2ᵀ + a2 a1ᵀ), is the same form in b1 × a_i
  const Vector3 v1 = plus_times(u1 * cc, u2, cs), v2 = plus_times(u1 * cs, u2, -cc);
  const double w1[3] = {v1.x, v1.y, v1.z}, w2[3] = {v2.x, v2.y, v2.z};
  const double x1[3] = {u1.x, u1.y, u1.z}, x2[3] = {u2.x, u2.y, u2.z};
  const Matrix3 pb = spatial::skew(h.p) * spatial::skew(h.b1);
  for (int k = 0; k < 9; ++k) {
    const double q = x1[k / 3] * w1[k % 3] + x2[k / 3] * w2[k % 3];
    by_b.a[k] = pb.a[k] + q;
    by_a.a[k] = -pb.a[3 * (k % 3) + k / 3] - q;  // b1× p× is the transpose of p× b1×
  }
}

VERNIER_INLINE void put(double* to, const Vector3& v) noexcept {
  to[0] = v.x, to[1] = v.y, to[2] = v.z;
}
/// Converts a derivative by ω to one by the unknown of node i.
Vector3 turned_slope(const Point& p, int i, const Vector3& v) noexcept {
  return i < 0 ? Vector3{0.0, 0.0, 0.0} : transposed_times(p.turn(i), v);
}

}  // namespace

PoseOf<Jet> in_motion(const NodeState& n, bool moves) noexcept {
  const Vector3 v = moves ? n.v : Vector3{}, w = moves ? n.omega : Vector3{};
  const Matrix3 W = spatial::skew(w), first = W * n.R, second = W * first;
  PoseOf<Jet> pose;
  pose.x = {Jet(n.x.x, v.x), Jet(n.x.y, v.y), Jet(n.x.z, v.z)};
  for (int i = 0; i < 9; ++i) pose.R.a[i] = Jet(n.R.a[i], first.a[i], second.a[i]);
  return pose;
}

Jet Pair::moving(const Point& p, bool moves) const noexcept {
  const PoseOf<Jet> a = in_motion(ends.node_a(p), moves), b = in_motion(ends.node_b(p), moves);
  const auto fixed = [](const PoseOf<Jet>& of, const Vector3& v) {
    return of.R * spatial::vec3<Jet>(v);
  };
  if (!angle) {
    const Vec3<Jet> r = b.x + fixed(b, ends.on_b.offset) - a.x - fixed(a, ends.on_a.offset);
    return dot(fixed(a, column(ends.on_a.axes, 2)), r);
  }
  const Vec3<Jet> b1 = fixed(b, column(ends.on_b.axes, 0));
  const Jet c = dot(fixed(a, column(ends.on_a.axes, 0)), b1);
  const Jet s = dot(fixed(a, column(ends.on_a.axes, 1)), b1);
  const double l2 = c.v * c.v + s.v * s.v, rate = (c.v * s.d - s.v * c.d) / l2;
  return Jet(angle_of(s.v, c.v), rate,
             (c.v * s.dd - s.v * c.dd - 2.0 * rate * (c.v * c.d + s.v * s.d)) / l2);
}

double Pair::value(const Point& p, const double* memory) const noexcept {
  const NodeState &na = ends.node_a(p), &nb = ends.node_b(p);
  if (angle) {
    const Vector3 b1 = nb.R * column(ends.on_b.axes, 0);
    const double s = dot(na.R * column(ends.on_a.axes, 1), b1);
    const double c = dot(na.R * column(ends.on_a.axes, 0), b1);
    return angle_of(s, c) + 2.0 * pi * turns_of(memory, s, c);
  }
  const Vector3 r = nb.x + nb.R * ends.on_b.offset - na.x - na.R * ends.on_a.offset;
  return dot(na.R * column(ends.on_a.axes, 2), r);
}

Line Pair::at(const Point& p, const double* memory, bool slopes) const noexcept {
  if (!angle) return along(ends, p, 2, slopes);
  const NodeState &na = ends.node_a(p), &nb = ends.node_b(p);
  Line l;
  const Hand h = hand_of(ends, p);
  const Vector3 w = nb.omega - na.omega, none{0.0, 0.0, 0.0};
  l.s = angle_of(h.s, h.c) + 2.0 * pi * turns_of(memory, h.s, h.c);
  l.rate = dot(h.g, w);
  put(l.gradient, none);
  put(l.gradient + 3, -h.g);
  put(l.gradient + 6, none);
  put(l.gradient + 9, h.g);
  if (slopes) {
    second(h, l.by_a, l.by_b);
    put(l.rate_slopes, none);
    put(l.rate_slopes + 3, transposed_times(l.by_a, w) * p.c - turned_slope(p, ends.a, h.g));
    put(l.rate_slopes + 6, none);
    put(l.rate_slopes + 9, transposed_times(l.by_b, w) * p.c + turned_slope(p, ends.b, h.g));
  }
  return l;
}

namespace {

/// Forces along an angle with gradient g by b.
void angle_forces(const Rows& o, const Vector3& g, double l) noexcept {
  if (o.a >= 0) o.act(o.a + 3, g * -l);
  if (o.b >= 0) o.act(o.b + 3, g * l);
}
void angle_stiffness(const Rows& o, const Matrix3& by_a, const Matrix3& by_b, double l) noexcept {
  const double c = l * o.c;
  if (o.a >= 0) o.block(o.a + 3, o.a + 3, by_a, -c);
  if (o.a >= 0 && o.b >= 0) {
    o.block(o.a + 3, o.b + 3, by_b, -c);
    o.block(o.b + 3, o.a + 3, by_a, c);
  }
  if (o.b >= 0) o.block(o.b + 3, o.b + 3, by_b, c);
}

}  // namespace

void Pair::forces(const Rows& o, const Point& p, double l) const noexcept {
  if (!angle) {
    const NodeState &na = ends.node_a(p), &nb = ends.node_b(p);
    const Vector3 db = nb.R * ends.on_b.offset;
    return project_forces(o, na.R * column(ends.on_a.axes, 2) * l, nb.x + db - na.x, db);
  }
  const Hand h = hand_of(ends, p);
  angle_forces(o, h.g, l);
  if (o.J == nullptr) return;
  Matrix3 by_a, by_b;
  second(h, by_a, by_b);
  angle_stiffness(o, by_a, by_b, l);
}

void Pair::wrenches(const Point& p, double Q, Wrench& on_a, Wrench& on_b) const noexcept {
  const double none[angle_memory] = {};
  const Line l = at(p, none, false);
  const double* g = l.gradient;
  on_a = {{Q * g[0], Q * g[1], Q * g[2]}, {Q * g[3], Q * g[4], Q * g[5]}};
  on_b = {{Q * g[6], Q * g[7], Q * g[8]}, {Q * g[9], Q * g[10], Q * g[11]}};
}

void Pair::begin(const Point& p, double* memory) const noexcept {
  if (!angle) return;
  memory[0] = memory[1] = memory[2] = 0.0;
  accept(p, memory);
}

void Pair::accept(const Point& p, double* memory) const noexcept {
  if (!angle) return;
  const NodeState &na = ends.node_a(p), &nb = ends.node_b(p);
  const Vector3 b1 = nb.R * column(ends.on_b.axes, 0);
  const double s = dot(na.R * column(ends.on_a.axes, 1), b1);
  const double c = dot(na.R * column(ends.on_a.axes, 0), b1);
  memory[0] = turns_of(memory, s, c);
  memory[1] = c;
  memory[2] = s;
}

Line along(const Ends& ends, const Point& p, int axis, bool slopes) noexcept {
  const NodeState &na = ends.node_a(p), &nb = ends.node_b(p);
  Line l;
  const Vector3 db = nb.R * ends.on_b.offset, e = nb.x + db - na.x;
  const Vector3 w = na.R * column(ends.on_a.axes, axis);
  // Velocity along w: u = velocity of the point of b minus that of the coincident point of a.
  const Vector3 u = nb.v + cross(nb.omega, db) - na.v - cross(na.omega, e);
  l.s = dot(w, e - na.R * ends.on_a.offset);
  l.rate = dot(w, u);
  const Vector3 ga = cross(w, e), gb = cross(db, w);
  put(l.gradient, -w);
  put(l.gradient + 3, ga);
  put(l.gradient + 6, w);
  put(l.gradient + 9, gb);
  if (slopes) {
    // δ(w·u) = w·δu + (w × u)·θ_a; u also depends on e and d_b.
    const Vector3 we = cross(na.omega, w);  // -(ω_a × δe)·w = (ω_a × w)·δe
    const Vector3 wb = cross(w, nb.omega);  // (ω_b × δd_b)·w = (w × ω_b)·δd_b
    put(l.rate_slopes, -w - we * p.c);
    put(l.rate_slopes + 3, cross(w, u) * p.c + turned_slope(p, ends.a, ga));
    put(l.rate_slopes + 6, w + we * p.c);
    put(l.rate_slopes + 9, cross(db, wb + we) * p.c + turned_slope(p, ends.b, gb));
  }
  return l;
}

Line length_at(const Ends& ends, const Point& p, bool slopes) noexcept {
  const NodeState &na = ends.node_a(p), &nb = ends.node_b(p);
  const Vector3 da = na.R * ends.on_a.offset, db = nb.R * ends.on_b.offset;
  const Reach to = reach(nb.x + db - na.x - da, na.R * column(ends.on_a.axes, 2));
  const Vector3 &n = to.n, u = nb.v + cross(nb.omega, db) - na.v - cross(na.omega, da);
  Line l;
  l.s = to.length;
  l.rate = dot(n, u);
  const Vector3 ga = cross(n, da), gb = cross(db, n);
  put(l.gradient, -n);
  put(l.gradient + 3, ga);
  put(l.gradient + 6, n);
  put(l.gradient + 9, gb);
  if (slopes) {
    // δn·u = δr·N u; the offsets in u rotate.
    const Vector3 k = plus_times(u, n, -l.rate) * (to.length > 0.0 ? p.c / to.length : 0.0);
    const Vector3 turning_a = cross(n, na.omega) * p.c, turning_b = cross(n, nb.omega) * p.c;
    put(l.rate_slopes, -n - k);
    put(l.rate_slopes + 3, cross(k + turning_a, da) + turned_slope(p, ends.a, ga));
    put(l.rate_slopes + 6, n + k);
    put(l.rate_slopes + 9, cross(db, k + turning_b) + turned_slope(p, ends.b, gb));
  }
  return l;
}

void add_row(const Rows& o, int row, const double* v, double s) noexcept {
  double* to = o.J + row * o.n;
  if (o.a >= 0) {
    for (int j = 0; j < 6; ++j) to[o.a + j] += v[j] * s;
  }
  if (o.b >= 0) {
    for (int j = 0; j < 6; ++j) to[o.b + j] += v[6 + j] * s;
  }
}

void add_column(const Rows& o, int col, const double* u, double s) noexcept {
  if (o.a >= 0) {
    for (int i = 0; i < 6; ++i) o.J[(o.a + i) * o.n + col] += u[i] * s;
  }
  if (o.b >= 0) {
    for (int i = 0; i < 6; ++i) o.J[(o.b + i) * o.n + col] += u[6 + i] * s;
  }
}

void add_outer(const Rows& o, const double* u, const double* v, double s) noexcept {
  for (int i = 0; i < 6; ++i) {
    if (o.a >= 0) add_row(o, o.a + i, v, u[i] * s);
    if (o.b >= 0) add_row(o, o.b + i, v, u[6 + i] * s);
  }
}

void push(const Rows& o, const Pair& pair, const Line& l, const Point& p, const Push& f) noexcept {
  const double* g = l.gradient + 9;
  if (pair.angle) {
    angle_forces(o, {g[0], g[1], g[2]}, -f.Q);
  } else {
    pair.forces(o, p, -f.Q);
  }
  if (o.J == nullptr) return;
  double v[12];
  for (int j = 0; j < 12; ++j) v[j] = f.by_s * o.c * l.gradient[j] + f.by_rate * l.rate_slopes[j];
  if (!pair.angle) return add_outer(o, l.gradient, v, -1.0);
  // An angle has no entries in the rows and columns of positions.
  angle_stiffness(o, l.by_a, l.by_b, -f.Q);
  const int at[2] = {o.a, o.b};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      if (at[i] < 0 || at[j] < 0) continue;
      const double *u = l.gradient + 6 * i + 3, *w = v + 6 * j + 3;
      o.outer(at[i] + 3, at[j] + 3, {u[0], u[1], u[2]}, {w[0], w[1], w[2]}, -1.0);
    }
  }
}

}  // namespace vernier::constrained::parts
