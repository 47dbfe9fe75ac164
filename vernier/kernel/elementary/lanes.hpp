#pragma once

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
// Sanitizers make functions of this size take minutes to compile. gcc announces them by a macro,
// clang by a feature.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VERNIER_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VERNIER_SANITIZED
#endif
#if defined(VERNIER_SANITIZED)
#define VERNIER_INLINE inline
#define VERNIER_LAMBDA
#else
#define VERNIER_INLINE inline __attribute__((always_inline))
#define VERNIER_LAMBDA __attribute__((always_inline))
#endif

namespace vernier::elementary {
inline namespace VERNIER_INSTRUCTIONS {

/// Vectors of W doubles. (gcc does not accept the typedef with the attribute inside a template that
/// uses it.)
template <int W>
struct LanesOf {
  typedef double type __attribute__((vector_size(W * sizeof(double))));
};
template <int W>
using Lanes = typename LanesOf<W>::type;

/// The number of lanes of T: 1 for double and classes.
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

/// The result of comparing two T: bool, or a vector of integers, -1 for true.
template <class T>
using Mask = decltype(std::declval<T>() < std::declval<T>());

/// Integers of 64 bits, as many as T has lanes.
template <class T>
struct BitsOf {
  using type = std::int64_t;
};
template <class T>
requires(lane_count<T> > 1) struct BitsOf<T> {
  using type = Mask<T>;
};
template <class T>
using Bits = typename BitsOf<T>::type;

template <class T>
VERNIER_INLINE Bits<T> bits_of(const T& x) noexcept {
  return __builtin_bit_cast(Bits<T>, x);
}
template <class T>
VERNIER_INLINE T from_bits(const Bits<T>& x) noexcept {
  return __builtin_bit_cast(T, x);
}

/// a if m holds, otherwise b.
template <class M, class T>
VERNIER_INLINE T select(const M& m, const T& a, const T& b) noexcept {
  return m ? a : b;
}

template <class M>
VERNIER_INLINE bool all(const M& m) noexcept {
  if constexpr (std::is_integral_v<M>) {  // a bool, or two combined
    return m != 0;
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

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::elementary
