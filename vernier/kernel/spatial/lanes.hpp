#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// The arithmetic that recursions are written in: a type T that is `double`, a GCC vector of
/// doubles (a state, or a body, in each lane), or a class that acts like a number (derivatives).
///
/// One source, several instruction sets: everything here and in the headers that build on it is in
/// the inline namespace VERNIER_INSTRUCTIONS, so a translation unit that is compiled with -mavx2
/// must also be given -DVERNIER_INSTRUCTIONS=avx2 (any name but the default). Its functions then
/// have names of their own, and the linker cannot give a machine without AVX2 the AVX2 copy of a
/// function that another unit uses, even for T = double. For the same reason these headers include
/// neither Eigen nor parts of the standard library that emit functions, and such a unit must not
/// either.
#ifndef VERNIER_INSTRUCTIONS
#define VERNIER_INSTRUCTIONS baseline
#endif
// what sanitizers add to functions of that size takes minutes to compile; gcc says that they are on
// by a macro, clang by a feature
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VERNIER_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VERNIER_SANITIZED
#endif
#if defined(VERNIER_SANITIZED)
#define VERNIER_INLINE inline
#else
#define VERNIER_INLINE inline __attribute__((always_inline))
#endif

namespace vernier::spatial {
inline namespace VERNIER_INSTRUCTIONS {

/// Vectors of W doubles. (A typedef with the attribute inside a template that uses it does not do
/// in gcc.)
template <int W>
struct LanesOf {
  typedef double type __attribute__((vector_size(W * sizeof(double))));
};
template <int W>
using Lanes = typename LanesOf<W>::type;

/// Lanes of T: 1 for double and classes.
template <class T>
inline constexpr int lane_count = 1;
template <class T>
requires(!std::is_class_v<T> && !std::is_floating_point_v<T>) inline constexpr int lane_count<T> =
    static_cast<int>(sizeof(T) / sizeof(double));

template <class T>
VERNIER_INLINE T constant(double x) noexcept {
  if constexpr (lane_count < T >> 1) {
    return x - T{};
  } else {
    return T(x);
  }
}

/// What comparing two T gives: bool, or a vector of integers, -1 for true.
template <class T>
using Mask = decltype(std::declval<T>() < std::declval<T>());

/// a where m holds, else b.
template <class M, class T>
VERNIER_INLINE T select(const M& m, const T& a, const T& b) noexcept {
  return m ? a : b;
}

template <class M>
VERNIER_INLINE bool all(const M& m) noexcept {
  if constexpr (std::is_same_v<M, bool>) {
    return m;
  } else {
#if defined(__AVX512DQ__)
    if constexpr (sizeof(M) == 64)
      return _mm512_movepi64_mask(__builtin_bit_cast(__m512i, m)) == 255;
#endif
#if defined(__AVX__)
    if constexpr (sizeof(M) == 32) return _mm256_movemask_pd(__builtin_bit_cast(__m256d, m)) == 15;
#endif
#if defined(__SSE2__)
    if constexpr (sizeof(M) == 16) return _mm_movemask_pd(__builtin_bit_cast(__m128d, m)) == 3;
#endif
    auto yes = m[0];
    for (unsigned i = 1; i < sizeof(M) / sizeof(m[0]); ++i) yes &= m[i];
    return yes != 0;
  }
}

template <class T>
VERNIER_INLINE T square_root(const T& x) noexcept {
  if constexpr (lane_count < T >> 1) {
    T r = x;
    for (int i = 0; i < lane_count<T>; ++i) r[i] = __builtin_sqrt(x[i]);
    return r;
  } else {
    return __builtin_sqrt(x);
  }
}

namespace sine {

// π/2 in three parts: k times each of the first two is exact for |k| < 2^20
inline constexpr double part1 = 1.57079632673412561417, part2 = 6.07710050630396597660e-11,
                        part3 = 2.02226624879595063154e-21;
inline constexpr double bound = 1e6;  // |x| for which this holds; beyond: the C library
inline constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
inline constexpr int terms = 7;
// (sin r - r) / r³ and (cos r - 1) / r² as polynomials in r², |r| <= π/4; Taylor, truncation under
// 2e-17 of the result
inline constexpr double of_sin[terms] = {
    -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,         1.0 / 362880.0,
    -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
inline constexpr double of_cos[terms] = {-0.5,
                                         1.0 / 24.0,
                                         -1.0 / 720.0,
                                         1.0 / 40320.0,
                                         -1.0 / 3628800.0,
                                         1.0 / 479001600.0,
                                         -1.0 / 87178291200.0};
inline constexpr double last_of_cos = 1.0 / 20922789888000.0;

using Pair = double __attribute__((vector_size(16)));
using PairBits = std::int64_t __attribute__((vector_size(16)));

}  // namespace sine

/// Sine and cosine, without branches up to |x| = 1e6 (by the C library beyond); errors under 1.5
/// ulp.
template <class T>
VERNIER_INLINE void sine_cosine(const T& x, T& s, T& c) noexcept {
  using namespace sine;
  static_assert(lane_count<T> > 1);
  using Bits = Mask<T>;
  const T magnitude = x < 0.0 ? -x : x;
  if (!all(magnitude <= bound)) {  // NaN too
    for (int i = 0; i < lane_count<T>; ++i) {
      s[i] = __builtin_sin(x[i]);
      c[i] = __builtin_cos(x[i]);
    }
    return;
  }
  const T t = x * 0.63661977236758134308 + shift;
  const T k = t - shift;
  const Bits quadrant = __builtin_bit_cast(Bits, t);
  // x - k π/2 = r + low: low is what r lost when it was rounded
  const T high = x - k * part1, middle = k * part2;
  const T near = high - middle, rest = ((high - near) - middle) - k * part3;
  const T r = near + rest, low = (near - r) + rest, z = r * r;
  T a = constant<T>(of_sin[terms - 1]), b = constant<T>(last_of_cos);
  for (int i = terms - 2; i >= 0; --i) a = a * z + of_sin[i];
  for (int i = terms - 1; i >= 0; --i) b = b * z + of_cos[i];
  a = (a * (r * z) + low) + r;
  b = (b * z - r * low) + 1.0;
  const Bits odd = (quadrant & 1) != 0;
  const T ss = odd ? b : a, cc = odd ? a : b;
  s = (quadrant & 2) != 0 ? -ss : ss;
  c = ((quadrant + 1) & 2) != 0 ? -cc : cc;
}

/// The same for one number: sine in the first, cosine in the second half of a vector of two.
VERNIER_INLINE void sine_cosine(const double& x, double& s, double& c) noexcept {
  using namespace sine;
  if (!(__builtin_fabs(x) <= bound)) {
    s = __builtin_sin(x);
    c = __builtin_cos(x);
    return;
  }
  const double t = x * 0.63661977236758134308 + shift;
  const double k = t - shift;
  const auto quadrant = std::bit_cast<std::int64_t>(t);
  const double high = x - k * part1, middle = k * part2;
  const double near = high - middle, rest = ((high - near) - middle) - k * part3;
  const double r = near + rest, low = (near - r) + rest, z = r * r;
  const Pair zz = {z, z};
  Pair p = {0.0, last_of_cos};
  for (int i = terms - 1; i >= 0; --i) p = p * zz + Pair{of_sin[i], of_cos[i]};
  p = (p * Pair{r * z, z} + Pair{low, -r * low}) + Pair{r, 1.0};
  const std::int64_t odd = -(quadrant & 1);
  PairBits bits = __builtin_bit_cast(PairBits, p);
  const PairBits swapped = {bits[1], bits[0]}, choose = {odd, odd};
  bits = (bits & ~choose) | (swapped & choose);
  bits ^= PairBits{static_cast<std::int64_t>(static_cast<std::uint64_t>(quadrant & 2) << 62),
                   static_cast<std::int64_t>(static_cast<std::uint64_t>((quadrant + 1) & 2) << 62)};
  p = __builtin_bit_cast(Pair, bits);
  s = p[0];
  c = p[1];
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::spatial
