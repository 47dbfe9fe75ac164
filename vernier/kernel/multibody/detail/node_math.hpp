#pragma once

#include "vernier/kernel/multibody/detail/node_view.hpp"
#include "vernier/kernel/spatial/turns.hpp"

/// Forces and motions at nodes, for lanes of nodes (node_kernels.hpp) and of states
/// (surroundings.hpp). The same operations in the same order: a node has the same bits in both.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// A number of all lanes, or one for each.
template <class T>
VERNIER_INLINE T in_all(double x) noexcept {
  return spatial::constant<T>(x);
}
template <class T>
requires(spatial::lane_count<T> > 1) VERNIER_INLINE T in_all(const T& x)
noexcept { return x; }

/// Position and motion of a node; see `sensed`.
template <class T>
struct SensedNode {
  spatial::Vec3<T> p, q, rate, velocity, rate_change, acceleration;
  T s;  // of its quaternion
};

/// Load::of(p) reads a number of the node, or nodes, from NodeView. N is the number in a modal
/// coordinate: double, the same in all lanes, or T.
template <class T, class Load, class N>
struct NodeMath {
  using V = spatial::Vec3<T>;

  /// The motion of the body that carries the node: Carrier.
  struct Moving {
    V w, v, dw, a;
    const N *eta, *rate, *acceleration;
  };

  static VERNIER_INLINE V load3(const double* from, std::size_t lanes) noexcept {
    return {Load::of(from), Load::of(from + lanes), Load::of(from + 2 * lanes)};
  }
  /// The modal sum at the node: φ η.
  static VERNIER_INLINE V combined(const double* phi, const N* by, std::size_t modes,
                                   std::size_t lanes) noexcept {
    V sum = spatial::zero3<T>();
    for (std::size_t i = 0; i < modes; ++i)
      sum += load3(phi + 3 * i * lanes, lanes) * in_all<T>(by[i]);
    return sum;
  }
  /// Exp(θ) x
  static VERNIER_INLINE V turned(const V& th, const spatial::TurnCoefficients<T>& k,
                                 const V& x) noexcept {
    const V x1 = cross(th, x);
    return x + x1 * k.sigma + cross(th, x1) * k.c;
  }

  /// The force R0 f = x in body axes, and the position at which it acts.
  static VERNIER_INLINE void push(const NodeView& b, std::size_t i, const N* eta, const V& x, V& p,
                                  V& f) noexcept {
    const std::size_t L = b.lanes;
    p = load3(b.p + i, L);
    f = x;
    if (b.modes > 0) {
      const V th = combined(b.phi_r + i, eta, b.modes, L);
      f = turned(th, spatial::turn_coefficients(dot(th, th)), x);
      p += combined(b.phi_t + i, eta, b.slides, L);
    }
  }
  /// The moment R0 n = x in body axes, and Jrᵀ R0 n, which does work on φ_r η'.
  static VERNIER_INLINE void twist(const NodeView& b, std::size_t i, const N* eta, const V& x, V& n,
                                   V& modal) noexcept {
    n = x;
    if (b.modes > 0) {
      const V th = combined(b.phi_r + i, eta, b.modes, b.lanes);
      const spatial::TurnCoefficients<T> c = spatial::turn_coefficients(dot(th, th));
      const V x1 = cross(th, x), x2 = cross(th, x1);
      n = x + x1 * c.sigma + x2 * c.c;
      modal = x + x1 * c.c + x2 * c.d;
    }
  }

  static VERNIER_INLINE SensedNode<T> sense(const NodeView& b, std::size_t i, const Moving& c,
                                            bool accelerations) noexcept {
    using spatial::constant;
    using spatial::transposed_times;
    const std::size_t L = b.lanes;
    const V &w = c.w, &v = c.v, &dw = c.dw, &a = c.a;
    // First in body axes; rotated to node axes at the end.
    V X = load3(b.R + i, L), Y = load3(b.R + 3 * L + i, L), Z = load3(b.R + 6 * L + i, L);
    V p = load3(b.p + i, L), w_n = w, v_n = v, dw_n = dw, a_n = a;
    V q = load3(b.q + i, L);
    T s = Load::of(b.q + 3 * L + i);
    if (b.modes > 0) {
      const double *phi_t = b.phi_t + i, *phi_r = b.phi_r + i;
      const V th = combined(phi_r, c.eta, b.modes, L), rate = combined(phi_r, c.rate, b.modes, L),
              slide = combined(phi_t, c.rate, b.slides, L);
      p += combined(phi_t, c.eta, b.slides, L);
      const T a2 = dot(th, th);
      const spatial::TurnCoefficients<T> k = spatial::turn_coefficients(a2);
      X = turned(th, k, X);
      Y = turned(th, k, Y);
      Z = turned(th, k, Z);
      // Relative angular velocity J(θ) θ' with the left Jacobian of SO(3), here as a sum of cross
      // products.
      const V k1 = cross(th, rate), k2 = cross(th, k1);
      const V spin = rate + k1 * k.c + k2 * k.d, wp = cross(w, p) + slide;
      w_n = w + spin;
      v_n = v + wp;
      if (accelerations) {
        // Angular acceleration: J θ'' + J' θ' + ω × (J θ').
        const V thdd = combined(phi_r, c.acceleration, b.modes, L),
                pdd = combined(phi_t, c.acceleration, b.slides, L);
        const T ad = dot(th, rate);
        const V y1 = cross(th, thdd);
        dw_n = dw + thdd + y1 * k.c + cross(th, y1) * k.d + k1 * (k.c_rate * ad) +
               k2 * (k.d_rate * ad) + cross(rate, k1) * k.d + cross(w, spin);
        a_n = a + cross(dw, p) + cross(w, wp + slide) + pdd;
      }
      // The quaternion of Exp(θ) is (θ sin(a/2)/a, cos(a/2)). It follows from cos²(a/2) = 1 - c
      // a²/2 and sin a = 2 sin(a/2) cos(a/2), without another sine.
      const T half = spatial::square_root(T(constant<T>(1.0) - 0.5 * a2 * k.c));
      const V e = th * T(0.5 * k.sigma / half);
      const V q0 = q;
      q = e * s + q0 * half - cross(q0, e);
      s = s * half - dot(q0, e);
    } else {
      const V wp = cross(w, p);
      v_n = v + wp;
      if (accelerations) a_n = a + cross(dw, p) + cross(w, wp);
    }
    const spatial::Mat3<T> R = from_columns(X, Y, Z);
    SensedNode<T> found{p, q, transposed_times(R, w_n), transposed_times(R, v_n), {}, {}, s};
    if (accelerations) {
      found.rate_change = transposed_times(R, dw_n);
      found.acceleration = transposed_times(R, a_n);
    }
    return found;
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
