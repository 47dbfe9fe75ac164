#pragma once

#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// Several numbers side by side, in the lanes of one vector register.
///
/// Sources that compute with them are compiled once for each set of instructions (star_avx2.cpp and
/// its like). Each of them defines VERNIER_INSTRUCTION_SET before it includes anything, and
/// everything compiled several times lives in a namespace of that name: no function that the linker
/// shares can then hold instructions that another machine lacks. For the same reason such sources
/// use nothing of the standard library that is not sure to be inlined, and functions of headers
/// that they share with others (kernel/spatial) are VERNIER_INLINE. A test holds the objects to it.
#if !defined(VERNIER_INSTRUCTION_SET)
#define VERNIER_INSTRUCTION_SET baseline
#endif
#if !defined(VERNIER_INLINE)
#define VERNIER_INLINE [[gnu::always_inline]] inline
#endif

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTION_SET {

template <int W>
struct LanesOf {
  typedef double type __attribute__((vector_size(W * sizeof(double))));
  typedef long long mask __attribute__((vector_size(W * sizeof(double))));
};
/// W numbers; + - * / work on all of them, also with a double on one side. Lanes<1> is a double.
template <int W>
using Lanes = typename LanesOf<W>::type;
template <>
struct LanesOf<1> {
  using type = double;
  using mask = bool;
};

template <class T>
inline constexpr int lane_count = static_cast<int>(sizeof(T) / sizeof(double));
template <class T>
using Mask = typename LanesOf<lane_count<T>>::mask;

/// x in every lane.
template <class T>
VERNIER_INLINE T all(double x) noexcept {
  if constexpr (lane_count<T> == 1)
    return x;
  else
    return x - T{};
}

template <class T>
VERNIER_INLINE double lane(const T& x, int i) noexcept {
  if constexpr (lane_count<T> == 1)
    return x;
  else
    return x[i];
}
template <class T>
VERNIER_INLINE void set_lane(T& x, int i, double value) noexcept {
  if constexpr (lane_count<T> == 1)
    x = value;
  else
    x[i] = value;
}

template <class T>
VERNIER_INLINE T select(const Mask<T>& mask, const T& yes, const T& no) noexcept {
  return mask ? yes : no;
}

template <class T>
VERNIER_INLINE bool any(const Mask<T>& mask) noexcept {
  constexpr int W = lane_count<T>;
  if constexpr (W == 1) {
    return mask;
  } else {
#if defined(__AVX512DQ__)
    if constexpr (W == 8) return _mm512_movepi64_mask(__builtin_bit_cast(__m512i, mask)) != 0;
#endif
#if defined(__AVX__)
    if constexpr (W == 4) return _mm256_movemask_pd(__builtin_bit_cast(__m256d, mask)) != 0;
#endif
#if defined(__SSE2__)
    if constexpr (W == 2) return _mm_movemask_pd(__builtin_bit_cast(__m128d, mask)) != 0;
#endif
    long long either = 0;
    for (int i = 0; i < W; ++i) either |= mask[i];
    return either != 0;
  }
}

/// W numbers in a row, anywhere in memory.
template <class T>
VERNIER_INLINE T load(const double* from) noexcept {
  T x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
template <class T>
VERNIER_INLINE void store(double* to, const T& x) noexcept {
  __builtin_memcpy(to, &x, sizeof x);
}

/// Lower and upper half of a vector.
template <int W>
VERNIER_INLINE void halves(const Lanes<W>& x, Lanes<W / 2>& low, Lanes<W / 2>& high) noexcept {
  __builtin_memcpy(&low, &x, sizeof low);
  __builtin_memcpy(&high, reinterpret_cast<const char*>(&x) + sizeof low, sizeof high);
}
/// Sum over the lanes.
template <class T>
VERNIER_INLINE double sum(const T& x) noexcept {
  constexpr int W = lane_count<T>;
  if constexpr (W == 1) {
    return x;
  } else {
    Lanes<W / 2> low, high;
    halves<W>(x, low, high);
    return sum<Lanes<W / 2>>(low + high);
  }
}

/// Sine and cosine, each to about one unit in the last place of 1. An angle beyond `limit`, or one
/// that is not finite, goes through the library, for all lanes.
template <class T>
VERNIER_INLINE void sine_cosine(const T& angle, T& sine, T& cosine) noexcept {
#if defined(__FMA__)
  constexpr double limit = 1e8;
#else
  constexpr double limit = 8e5;  // times 2/π below 2^19: products with the parts of π/2 are exact
#endif
  const T magnitude = select<T>(angle < 0.0, -angle, angle);
  if (!any<T>(!(magnitude < limit))) [[likely]] {
    // π/2 in two parts with fused products, in three of 33 bits without
    const T shift = all<T>(6755399441055744.0);  // 1.5 · 2^52: its sum ends in the rounded integer
    const T turns = angle * 0.63661977236758134308 + shift;
    const T k = turns - shift;
#if defined(__FMA__)
    T r = angle - k * 1.57079632679489655800e+00;
    r = r - k * 6.12323399573676603587e-17;
#else
    T r = angle - k * 1.57079632673412561417e+00;
    r = r - k * 6.07710050630396597660e-11;
    r = r - k * 2.02226624879595063154e-21;
#endif
    const T z = r * r;
    // Taylor polynomials: on |r| <= π/4 the first term left out is below 1e-17
    const T s = ((((((-7.6471637318198164759e-13 * z + 1.6059043836821614599e-10) * z -
                     2.5052108385441718775e-8) *
                        z +
                    2.7557319223985890653e-6) *
                       z -
                   1.9841269841269841270e-4) *
                      z +
                  8.3333333333333333333e-3) *
                     z -
                 1.6666666666666666667e-1) *
                    z * r +
                r;
    const T c = (((((((4.7794773323873852974e-14 * z - 1.1470745597729724714e-11) * z +
                      2.0876756987868098979e-9) *
                         z -
                     2.7557319223985890653e-7) *
                        z +
                    2.4801587301587301587e-5) *
                       z -
                   1.3888888888888888889e-3) *
                      z +
                  4.1666666666666666667e-2) *
                     z -
                 0.5) *
                    z +
                1.0;
    if constexpr (lane_count<T> == 1) {
      const long long quadrant = static_cast<long long>(k);
      const T s1 = quadrant & 1 ? c : s, c1 = quadrant & 1 ? s : c;
      sine = quadrant & 2 ? -s1 : s1;
      cosine = (quadrant + 1) & 2 ? -c1 : c1;
    } else {
      const auto quadrant = __builtin_bit_cast(Mask<T>, turns);
      const Mask<T> odd = (quadrant & 1) != 0;
      const T s1 = select<T>(odd, c, s), c1 = select<T>(odd, s, c);
      sine = select<T>((quadrant & 2) != 0, -s1, s1);
      cosine = select<T>(((quadrant + 1) & 2) != 0, -c1, c1);
    }
    return;
  }
  for (int i = 0; i < lane_count<T>; ++i) {
    set_lane(sine, i, std::sin(lane(angle, i)));
    set_lane(cosine, i, std::cos(lane(angle, i)));
  }
}

}  // namespace VERNIER_INSTRUCTION_SET
}  // namespace vernier::multibody::detail
