// Included by one source per instruction set, which defines VERNIER_INSTRUCTIONS and VERNIER_LANES.
#include "vernier/kernel/multibody/detail/node_math.hpp"

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
struct Load {
  static VERNIER_INLINE T of(const double* from) noexcept { return load(from); }
};
using Math = NodeMath<T, Load, double>;
VERNIER_INLINE Vec3<T> load3(const double* from, std::size_t lanes) noexcept {
  return Math::load3(from, lanes);
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
      Vec3<T> p, f;
      Math::push(b, i, eta, load3(forces + i, L), p, f);
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
      Vec3<T> n;
      Math::twist(b, i, eta, load3(moments + i, L), n, all[part]);
      moment.add(part, n);
    }
    add_modal(b, b.phi_r, b.modes, first, all, modal);
  }
  moment.add_to(body);
}

void sense(const NodeView& b, const Carrier& c, bool accelerations, double* found) noexcept {
  const std::size_t L = b.lanes;
  const Math::Moving at{vec3<T>(c.w), vec3<T>(c.v), vec3<T>(c.dw),     vec3<T>(c.a),
                        c.eta,        c.eta_rate,   c.eta_acceleration};
  for (std::size_t i = 0; i < b.nodes; i += VERNIER_LANES) {
    const SensedNode<T> n = Math::sense(b, i, at, accelerations);
    double* to = found + i;
    store3(to + sensed::position * L, L, n.p);
    store3(to + sensed::attitude * L, L, n.q);
    store(to + (sensed::attitude + 3) * L, n.s);
    store3(to + sensed::rate * L, L, n.rate);
    store3(to + sensed::velocity * L, L, n.velocity);
    if (!accelerations) continue;
    store3(to + sensed::rate_change * L, L, n.rate_change);
    store3(to + sensed::acceleration * L, L, n.acceleration);
  }
}

}  // namespace

extern const NodeKernels kernels_of_nodes;
const NodeKernels kernels_of_nodes = {push, twist, sense};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
// NOLINTEND(misc-definitions-in-headers)
