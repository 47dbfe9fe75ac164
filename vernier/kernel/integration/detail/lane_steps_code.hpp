#pragma once

#include "vernier/kernel/elementary/pairs.hpp"
#include "vernier/kernel/integration/detail/dormand_prince.hpp"
#include "vernier/kernel/integration/detail/lane_steps.hpp"

namespace vernier::integration::detail {
inline namespace VERNIER_INSTRUCTIONS {

using elementary::constant;
using elementary::magnitude;
using elementary::select;

template <int W>
struct LaneStepsOf {
  using T = elementary::Lanes<W>;
  static constexpr std::size_t eight = 8;

  static VERNIER_INLINE T at(const double* from) noexcept {
    T v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  static VERNIER_INLINE void put(const T& v, double* to) noexcept {
    __builtin_memcpy(to, &v, sizeof v);
  }
  // a + b as the rounded sum and its rounding error (Knuth's TwoSum).
  static VERNIER_INLINE void two_sum(const T& a, const T& b, double* sum, double* low) noexcept {
    const T s = a + b, part = s - a;
    put(s, sum);
    put((a - (s - part)) + (b - part), low);
  }
  static VERNIER_INLINE T weighted(std::size_t terms, const double* a, const double* const* k,
                                   std::size_t i) noexcept {
    T sum = constant<T>(a[0]) * at(k[0] + i);
    for (std::size_t j = 1; j < terms; ++j) sum = sum + constant<T>(a[j]) * at(k[j] + i);
    return sum;
  }

  static void when(double origin, double c, const double* t, const double* h, double* to) {
    for (std::size_t l = 0; l < eight; l += W)
      put(constant<T>(origin) + (at(t + l) + constant<T>(c) * at(h + l)), to + l);
  }
  static void stage(std::size_t n, std::size_t terms, const double* a, const double* const* k,
                    const double* h, const double* x, const double* low, double* to) {
    for (std::size_t i = 0; i < n * eight; i += W)
      put(at(x + i) + (at(low + i) + at(h + i % eight) * weighted(terms, a, k, i)), to + i);
  }
  static void increment(std::size_t n, std::size_t terms, const double* a, const double* const* k,
                        const double* h, double* to) {
    for (std::size_t i = 0; i < n * eight; i += W)
      put(at(h + i % eight) * weighted(terms, a, k, i), to + i);
  }
  static void land(std::size_t n, const double* x, const double* low, const double* dx, double* x1,
                   double* low1) {
    for (std::size_t i = 0; i < n * eight; i += W)
      two_sum(at(x + i), at(low + i) + at(dx + i), x1 + i, low1 + i);
  }
  static void normalise(std::size_t count, double* x1, double* low1, double* dx) {
    const T one = constant<T>(1.0);
    for (std::size_t l = 0; l < eight; l += W) {
      T excess = constant<T>(-1.0);
      for (std::size_t i = 0; i < count; ++i) {
        const T v = at(x1 + i * eight + l);
        excess = excess + v * v;
      }
      // Near length 1, a first-order correction changes the length only and preserves `low`.
      const T scale = select(magnitude(excess) < constant<T>(1e-6), T(constant<T>(-0.5) * excess),
                             T(one / elementary::square_root(T(one + excess)) - one));
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t k = i * eight + l;
        const T v = at(x1 + k), shift = scale * v;
        two_sum(v, at(low1 + k) + shift, x1 + k, low1 + k);
        put(at(dx + k) + shift, dx + k);
      }
    }
  }
  static void norm(std::size_t n, const double* error, const double* a, const double* b,
                   double rtol, double atol, double* norms) {
    for (std::size_t l = 0; l < eight; l += W) {
      T largest = constant<T>(0.0);
      for (std::size_t k = l; k < n * eight; k += eight) {
        const T p = magnitude(at(a + k)), q = magnitude(at(b + k));
        const T scale = constant<T>(atol) + constant<T>(rtol) * select(p < q, q, p);
        const T ratio = magnitude(at(error + k)) / scale;
        // Written so that NaN is kept.
        largest = select(ratio <= largest, largest, ratio);
      }
      put(largest, norms + l);
    }
  }
  static void middle(std::size_t n, const double* const* k, const double* h, const double* x,
                     const double* low, const double* dx, double* to) {
    using namespace dormand_prince;
    const T half = constant<T>(0.5);
    const double d[] = {d1, d3, d4, d5, d6, d7};
    for (std::size_t i = 0; i < n * eight; i += W) {
      const T step = at(h + i % eight), gain = at(dx + i);
      // Dense output at s = h/2, where s/h and 1 - s/h are exactly one half.
      const T r3 = step * at(k[0] + i) - gain;
      const T r4 = gain - step * at(k[5] + i) - r3;
      const T r5 = step * weighted(6, d, k, i);
      const T inner = half * (gain + half * (r3 + half * (r4 + half * r5)));
      put(at(x + i) + (at(low + i) + inner), to + i);
    }
  }

  static unsigned restless(std::size_t atoms, const double* h, const double* z0, const double* dz0,
                           const double* z1, const double* dz1, const double* middle) {
    unsigned found = 0;
    for (std::size_t l = 0; l < eight; l += W) {
      const T step = at(h + l), zero = constant<T>(0.0);
      const T third = step / constant<T>(3.0), eighth = step / constant<T>(8.0);
      auto rest = zero == zero;
      for (std::size_t k = l; k < atoms * eight; k += eight) {
        const T a = at(z0 + k), da = at(dz0 + k), b = at(z1 + k), db = at(dz1 + k);
        // Quiet: the Bernstein coefficients of the cubic stay away from zero.
        const T others[] = {a + third * da, b - third * db, b};
        T low = a, high = a;
        for (const T& v : others) {
          low = select(v < low, v, low);
          high = select(high < v, v, high);
        }
        const T nearest = select(low > zero, low, T(-high));
        const auto quiet = ((low == zero) & (high == zero)) | (nearest > high - low);
        // Calm: the value in the middle agrees with the cubic.
        const T cubic = constant<T>(0.5) * (a + b) + eighth * (da - db);
        const T scale = magnitude(T(b - a)) + step * (magnitude(da) + magnitude(db));
        const T bound = constant<T>(0.05) * scale + constant<T>(1e-12) * magnitude(cubic);
        rest = rest & quiet & (magnitude(T(at(middle + k) - cubic)) <= bound);
      }
      for (std::size_t j = 0; j < W; ++j)
        if (rest[j] == 0) found |= 1u << (l + j);
    }
    return found;
  }
  static void choose(std::size_t n, const double* chosen, const double* from, double* to) {
    for (std::size_t l = 0; l < eight; l += W) {
      const auto which = at(chosen + l) > constant<T>(0.0);
      for (std::size_t k = l; k < n * eight; k += eight)
        put(select(which, at(from + k), at(to + k)), to + k);
    }
  }

  static constexpr LaneSteps table{&when, &stage,  &increment, &land,  &normalise,
                                   &norm, &middle, &restless,  &choose};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::integration::detail
