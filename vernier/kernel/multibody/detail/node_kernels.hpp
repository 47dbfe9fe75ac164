// Included by one source per instruction set, which defines VERNIER_INSTRUCTIONS and VERNIER_LANES.
#include "vernier/kernel/multibody/detail/node_view.hpp"
#include "vernier/kernel/spatial/turns.hpp"

// NOLINTBEGIN(misc-definitions-in-headers)
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {
namespace {

using namespace spatial;
using spatial::constant;

// One node per lane.
typedef double T __attribute__((vector_size(VERNIER_LANES * sizeof(double))));

VERNIER_INLINE T load(const double* from) noexcept {
  T x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
VERNIER_INLINE void store(double* to, const T& x) noexcept { __builtin_memcpy(to, &x, sizeof x); }
VERNIER_INLINE Vec3<T> load3(const double* from, std::size_t lanes) noexcept {
  return {load(from), load(from + lanes), load(from + 2 * lanes)};
}
VERNIER_INLINE void store3(double* to, std::size_t lanes, const Vec3<T>& v) noexcept {
  store(to, v.x);
  store(to + lanes, v.y);
  store(to + 2 * lanes, v.z);
}

// Sums over nodes have the same bits for all vector widths: blocks of eight nodes are added one
// after another, then the eight sums pairwise, halves first.
constexpr std::size_t block = 8, parts = block / VERNIER_LANES;

VERNIER_INLINE double total(const T* x) noexcept {
  double lane[block];
  __builtin_memcpy(lane, x, sizeof lane);
  for (std::size_t half = block / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  return lane[0];
}
struct Sum3 {
  T x[parts] = {}, y[parts] = {}, z[parts] = {};
  VERNIER_INLINE void add(std::size_t part, const Vec3<T>& v) noexcept {
    x[part] += v.x;
    y[part] += v.y;
    z[part] += v.z;
  }
  VERNIER_INLINE void add_to(double* to) const noexcept {
    to[0] += total(x);
    to[1] += total(y);
    to[2] += total(z);
  }
};
// Adds the generalised forces shapes·v of vectors at the nodes of a block to the modes.
VERNIER_INLINE void add_modal(const NodeView& b, const double* shapes, std::size_t count,
                              std::size_t i, const Vec3<T>* v, double* modal) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    T work[parts];
    for (std::size_t part = 0; part < parts; ++part) {
      const double* phi = shapes + 3 * k * b.lanes + i + part * VERNIER_LANES;
      work[part] = dot(load3(phi, b.lanes), v[part]);
    }
    modal[k] += total(work);
  }
}

// The modal sum at the nodes: φ η.
VERNIER_INLINE Vec3<T> combined(const double* phi, const double* by, std::size_t modes,
                                std::size_t lanes) noexcept {
  Vec3<T> sum = zero3<T>();
  for (std::size_t i = 0; i < modes; ++i)
    sum += load3(phi + 3 * i * lanes, lanes) * constant<T>(by[i]);
  return sum;
}

// Exp(θ) x
VERNIER_INLINE Vec3<T> turned(const Vec3<T>& th, const TurnCoefficients<T>& k,
                              const Vec3<T>& x) noexcept {
  const Vec3<T> x1 = cross(th, x);
  return x + x1 * k.sigma + cross(th, x1) * k.c;
}

void push(const NodeView& b, const double* eta, const double* forces, double* body,
          double* modal) noexcept {
  const std::size_t L = b.lanes;
  Sum3 moment, force;
  for (std::size_t first = 0; first < b.nodes; first += block) {
    Vec3<T> all[parts];
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t i = first + part * VERNIER_LANES;
      all[part] = zero3<T>();
      if (i >= b.nodes) continue;
      const Vec3<T> x = load3(forces + i, L);
      Vec3<T> p = load3(b.p + i, L), f = x;
      if (b.modes > 0) {
        const Vec3<T> th = combined(b.phi_r + i, eta, b.modes, L);
        f = turned(th, turn_coefficients(dot(th, th)), x);
        p += combined(b.phi_t + i, eta, b.slides, L);
      }
      moment.add(part, cross(p, f));
      force.add(part, f);
      all[part] = f;
    }
    add_modal(b, b.phi_t, b.slides, first, all, modal);
  }
  moment.add_to(body);
  force.add_to(body + 3);
}

void twist(const NodeView& b, const double* eta, const double* moments, double* body,
           double* modal) noexcept {
  const std::size_t L = b.lanes;
  Sum3 moment;
  for (std::size_t first = 0; first < b.nodes; first += block) {
    Vec3<T> all[parts];
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t i = first + part * VERNIER_LANES;
      all[part] = zero3<T>();
      if (i >= b.nodes) continue;
      const Vec3<T> x = load3(moments + i, L);
      Vec3<T> n = x;
      if (b.modes > 0) {
        const Vec3<T> th = combined(b.phi_r + i, eta, b.modes, L);
        const TurnCoefficients<T> c = turn_coefficients(dot(th, th));
        const Vec3<T> x1 = cross(th, x), x2 = cross(th, x1);
        n = x + x1 * c.sigma + x2 * c.c;
        all[part] = x + x1 * c.c + x2 * c.d;  // Jrᵀ R0 n, which does work on φ_r η'
      }
      moment.add(part, n);
    }
    add_modal(b, b.phi_r, b.modes, first, all, modal);
  }
  moment.add_to(body);
}

void sense(const NodeView& b, const Carrier& c, bool accelerations, double* found) noexcept {
  const std::size_t L = b.lanes;
  const Vec3<T> w = vec3<T>(c.w), v = vec3<T>(c.v), dw = vec3<T>(c.dw), a = vec3<T>(c.a);
  for (std::size_t i = 0; i < b.nodes; i += VERNIER_LANES) {
    // First in body axes; rotated to node axes at the end.
    Vec3<T> X = load3(b.R + i, L), Y = load3(b.R + 3 * L + i, L), Z = load3(b.R + 6 * L + i, L);
    Vec3<T> p = load3(b.p + i, L), w_n = w, v_n = v, dw_n = dw, a_n = a;
    Vec3<T> q = load3(b.q + i, L);
    T s = load(b.q + 3 * L + i);
    if (b.modes > 0) {
      const double *phi_t = b.phi_t + i, *phi_r = b.phi_r + i;
      const Vec3<T> th = combined(phi_r, c.eta, b.modes, L),
                    rate = combined(phi_r, c.eta_rate, b.modes, L),
                    slide = combined(phi_t, c.eta_rate, b.slides, L);
      p += combined(phi_t, c.eta, b.slides, L);
      const T a2 = dot(th, th);
      const TurnCoefficients<T> k = turn_coefficients(a2);
      X = turned(th, k, X);
      Y = turned(th, k, Y);
      Z = turned(th, k, Z);
      // Relative angular velocity J(θ) θ' with the left Jacobian of SO(3), here as a sum of cross
      // products.
      const Vec3<T> k1 = cross(th, rate), k2 = cross(th, k1);
      const Vec3<T> spin = rate + k1 * k.c + k2 * k.d, wp = cross(w, p) + slide;
      w_n = w + spin;
      v_n = v + wp;
      if (accelerations) {
        // Angular acceleration: J θ'' + J' θ' + ω × (J θ').
        const Vec3<T> thdd = combined(phi_r, c.eta_acceleration, b.modes, L),
                      pdd = combined(phi_t, c.eta_acceleration, b.slides, L);
        const T ad = dot(th, rate);
        const Vec3<T> y1 = cross(th, thdd);
        dw_n = dw + thdd + y1 * k.c + cross(th, y1) * k.d + k1 * (k.c_rate * ad) +
               k2 * (k.d_rate * ad) + cross(rate, k1) * k.d + cross(w, spin);
        a_n = a + cross(dw, p) + cross(w, wp + slide) + pdd;
      }
      // The quaternion of Exp(θ) is (θ sin(a/2)/a, cos(a/2)). It follows from cos²(a/2) = 1 - c
      // a²/2 and sin a = 2 sin(a/2) cos(a/2), without another sine.
      const T half = square_root(constant<T>(1.0) - 0.5 * a2 * k.c);
      const Vec3<T> e = th * (0.5 * k.sigma / half);
      const Vec3<T> q0 = q;
      q = e * s + q0 * half - cross(q0, e);
      s = s * half - dot(q0, e);
    } else {
      const Vec3<T> wp = cross(w, p);
      v_n = v + wp;
      if (accelerations) a_n = a + cross(dw, p) + cross(w, wp);
    }
    const Mat3<T> R = from_columns(X, Y, Z);
    double* to = found + i;
    store3(to + sensed::position * L, L, p);
    store3(to + sensed::attitude * L, L, q);
    store(to + (sensed::attitude + 3) * L, s);
    store3(to + sensed::rate * L, L, transposed_times(R, w_n));
    store3(to + sensed::velocity * L, L, transposed_times(R, v_n));
    if (!accelerations) continue;
    store3(to + sensed::rate_change * L, L, transposed_times(R, dw_n));
    store3(to + sensed::acceleration * L, L, transposed_times(R, a_n));
  }
}

}  // namespace

extern const NodeKernels kernels_of_nodes;
const NodeKernels kernels_of_nodes = {push, twist, sense};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
// NOLINTEND(misc-definitions-in-headers)
